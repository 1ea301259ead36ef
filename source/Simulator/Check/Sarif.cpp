//===-- Sarif.cpp - findings as SARIF 2.1.0 -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OASIS's Static Analysis Results Interchange Format, which editors and code
// hosts read.
//
//===----------------------------------------------------------------------===//

#include "Finding.h"
#include "RunReport.h"
#include "Symbols.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace wavelane;
using namespace wavelane::check;
using namespace llvm;

static std::string fileUri(StringRef Path) {
  std::string Out = Path.starts_with("/") ? "file://" : "";
  for (char C : Path)
    if (llvm::isAlnum(C) || StringRef("/-_.~+").contains(C))
      Out += C;
    else
      Out += formatv("%{0:X-2}", uint8_t(C)).str();
  return Out;
}

/// A location of \a Frame; null if it has no line.
static json::Value sarifLocation(const json::Object &Frame, StringRef Message) {
  const auto File = Frame.getString("file");
  const int64_t Line = Frame.getInteger("line").value_or(0);
  if (!File || !Line)
    return nullptr;
  json::Object Region{{"startLine", Line}};
  if (const int64_t Column = Frame.getInteger("column").value_or(0))
    Region["startColumn"] = Column;
  if (const auto Source = Frame.getString("source"))
    Region["snippet"] = json::Object{{"text", *Source}};
  json::Object Out{
      {"physicalLocation",
       json::Object{{"artifactLocation", json::Object{{"uri", fileUri(*File)}}},
                    {"region", std::move(Region)}}}};
  if (const auto Function = Frame.getString("function"))
    Out["logicalLocations"] =
        json::Array{json::Object{{"fullyQualifiedName", *Function}}};
  if (!Message.empty())
    Out["message"] = json::Object{{"text", Message}};
  return Out;
}

/// The locations of \a Frames, an array; those without a line are left out.
static json::Array locations(const json::Array *Frames, StringRef Message) {
  json::Array Out;
  if (Frames)
    for (const json::Value &V : *Frames)
      if (const json::Object *Frame = V.getAsObject())
        if (json::Value L = sarifLocation(*Frame, Message); L.getAsObject())
          Out.push_back(std::move(L));
  return Out;
}

static json::Object result(const json::Object &F) {
  json::Object Out;
  const StringRef Kind = F.getString("kind").value_or("");
  Out["ruleId"] = Kind;
  for (unsigned I = 0; I < std::size(AllKinds); ++I)
    if (Kind == name(AllKinds[I]))
      Out["ruleIndex"] = int64_t(I);
  Out["level"] = Kind == name(Kind::Leak) ? "warning" : "error";
  std::string Text = F.getString("text").value_or("").str();
  if (const json::Array *Notes = F.getArray("notes"))
    for (const json::Value &Note : *Notes)
      Text += "; " + Note.getAsString().value_or("").str();
  Out["message"] = json::Object{{"text", Text}};
  const json::Object *Here = F.getObject("here");
  json::Array At =
      locations(Here ? Here->getArray("frames") : F.getArray("hostStack"), "");
  // A result is where the program's own code is.
  size_t First = 0;
  const auto IsHeader = [&](size_t I) {
    const json::Object *Place =
        At[I].getAsObject()->getObject("physicalLocation");
    return isHipHeader(
        Place->getObject("artifactLocation")->getString("uri").value_or(""));
  };
  while (First + 1 < At.size() && IsHeader(First))
    ++First;
  json::Array Related;
  for (size_t I = 0; I < At.size(); ++I) {
    if (I == First)
      continue;
    json::Object More = *At[I].getAsObject();
    More["message"] =
        json::Object{{"text", Here ? "inlined or called here" : "called here"}};
    Related.push_back(std::move(More));
  }
  if (!At.empty())
    Out["locations"] = json::Array{At[First]};
  auto Append = [&](const json::Array *Frames, StringRef Message) {
    for (json::Value &L : locations(Frames, Message))
      Related.push_back(std::move(L));
  };
  if (const json::Object *Other = F.getObject("other"))
    Append(Other->getArray("frames"), Other->getString("text").value_or(""));
  if (Here)
    Append(F.getArray("hostStack"), "on the host");
  Append(F.getArray("copyStack"), "the other is called here");
  if (const json::Object *Block = F.getObject("allocation")) {
    Append(Block->getArray("freed"), "the memory was freed here");
    Append(Block->getArray("made"), "the memory was allocated here");
  }
  if (!Related.empty())
    Out["relatedLocations"] = std::move(Related);
  if (const int64_t Count = F.getInteger("count").value_or(0))
    Out["occurrenceCount"] = Count;
  json::Object Details;
  if (Here)
    for (StringRef Name :
         {"kernel", "launch", "gpu", "workgroup", "wave", "lanes", "workItems"})
      if (const json::Value *V = Here->get(Name))
        Details[Name] = *V;
  for (StringRef Name : {"address", "addressSpace", "size", "variable"})
    if (const json::Value *V = F.get(Name))
      Details[Name] = *V;
  Out["properties"] = std::move(Details);
  return Out;
}

std::string RunReport::sarif() const {
  json::Array Rules;
  for (Kind K : AllKinds)
    Rules.push_back(json::Object{
        {"id", name(K)},
        {"shortDescription", json::Object{{"text", check::summary(K)}}},
        {"properties", json::Object{{"check", name(checkOf(K))}}}});
  json::Array Runs;
  for (const json::Value &Device : Devices) {
    json::Array Results;
    if (const json::Array *List = Device.getAsObject()->getArray("findings"))
      for (const json::Value &V : *List)
        if (const json::Object *F = V.getAsObject())
          Results.push_back(result(*F));
    json::Object Driver{{"name", "Wavelane"}, {"rules", json::Array(Rules)}};
    Runs.push_back(
        json::Object{{"tool", json::Object{{"driver", std::move(Driver)}}},
                     {"results", std::move(Results)}});
  }
  json::Object Log{
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
       "sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", std::move(Runs)}};
  return formatv("{0:2}\n", json::Value(std::move(Log))).str();
}
