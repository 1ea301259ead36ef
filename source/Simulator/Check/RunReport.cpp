//===-- RunReport.cpp - totals, JSON and suppressions ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunReport.h"

#include "CountReport.h"
#include "Findings.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <optional>
#include <set>

using namespace wavelane::check;
using namespace llvm;

static const json::Array NoArray;

static const json::Array &elementsOf(const json::Object &O, StringRef Name) {
  const json::Array *A = O.getArray(Name);
  return A ? *A : NoArray;
}

static uint64_t numberOf(const json::Object &O, StringRef Name) {
  return uint64_t(O.getInteger(Name).value_or(0));
}

void RunReport::add(json::Value Device) {
  if (Device.getAsObject())
    Devices.push_back(std::move(Device));
  else
    addLost();
}

uint64_t RunReport::count() const {
  uint64_t Count = 0;
  for (const json::Value &Device : Devices) {
    const json::Object &O = *Device.getAsObject();
    Count += elementsOf(O, "findings").size() + numberOf(O, "unreported") +
             (numberOf(O, "uncounted") != 0);
  }
  return Count;
}

static std::string counted(uint64_t Count, StringRef Word) {
  return std::to_string(Count) + " " + Word.str() + (Count == 1 ? "" : "s");
}

std::string wavelane::check::placeText(const json::Object &Finding) {
  const json::Object *Here = Finding.getObject("here");
  const json::Array *Frames =
      Here ? Here->getArray("frames") : Finding.getArray("hostStack");
  if (Frames)
    for (const json::Value &V : *Frames)
      if (const json::Object *Frame = V.getAsObject())
        if (const auto File = Frame->getString("file"))
          return formatv("{0}:{1}", File->substr(File->rfind('/') + 1),
                         Frame->getInteger("line").value_or(0))
              .str();
  return Here ? Here->getString("pc").value_or("").str() : std::string();
}

/// A line for each finding, with the ranks that have it.
static std::string listByRank(const json::Array &Devices) {
  std::map<std::string, std::set<uint32_t>> Ranks;
  for (const json::Value &Device : Devices) {
    const json::Object &O = *Device.getAsObject();
    const std::optional<int64_t> Rank = O.getInteger("rank");
    if (!Rank)
      continue;
    for (const json::Value &V : elementsOf(O, "findings")) {
      const json::Object *F = V.getAsObject();
      if (!F)
        continue;
      const std::string Place = placeText(*F);
      Ranks[formatv("{0} [{1}]{2}{3}", F->getString("text").value_or(""),
                    F->getString("check").value_or(""),
                    Place.empty() ? "" : ", at ", Place)]
          .insert(uint32_t(*Rank));
    }
  }
  std::string Out;
  for (const auto &[Like, Numbers] : Ranks)
    Out += formatv(
        "=========     {0} {1}: {2}\n", Numbers.size() == 1 ? "rank" : "ranks",
        numberList(SmallVector<uint32_t>(Numbers.begin(), Numbers.end())),
        Like);
  return Out;
}

std::string RunReport::summary() const {
  uint64_t Seen = 0, Suppressed = 0, Unreported = 0, Uncounted = 0, Shadows = 0;
  std::map<std::string, uint64_t> ByCheck;
  std::set<std::string> Missing;
  std::string Repeated;
  for (const json::Value &Device : Devices) {
    const json::Object &O = *Device.getAsObject();
    Suppressed += numberOf(O, "suppressed");
    Unreported += numberOf(O, "unreported");
    Uncounted += numberOf(O, "uncounted");
    Shadows += numberOf(O, "shadowBytes");
    for (const json::Value &Name : elementsOf(O, "notChecked"))
      Missing.insert(Name.getAsString().value_or("").str());
    for (const json::Value &Name : elementsOf(O, "checks"))
      ByCheck[Name.getAsString().value_or("").str()];
    if (const json::Object *More = O.getObject("unreportedByCheck"))
      for (const auto &[Name, Count] : *More)
        ByCheck[Name.str()] += uint64_t(Count.getAsInteger().value_or(0));
    for (const json::Value &V : elementsOf(O, "findings")) {
      const json::Object *F = V.getAsObject();
      if (!F)
        continue;
      const uint64_t Count = numberOf(*F, "count");
      Seen += Count;
      ++ByCheck[F->getString("check").value_or("").str()];
      if (Count <= 1)
        continue;
      const std::optional<int64_t> Rank = O.getInteger("rank");
      Repeated += formatv("=========     {0}#{1} was seen {2} times",
                          Rank ? "rank " + std::to_string(*Rank) + ": " : "",
                          numberOf(*F, "id"), Count)
                      .str();
      // The host's calls have none.
      if (const uint64_t Lanes = numberOf(*F, "laneCount"))
        Repeated += ", by " + counted(Lanes, "lane");
      Repeated += '\n';
    }
  }
  std::string Out = "========= " + counted(count(), "finding");
  std::string List;
  for (const auto &[Name, Count] : ByCheck)
    List += formatv("{0}{1}: {2}", List.empty() ? "" : ", ", Name, Count).str();
  Out += List.empty() ? "" : " (" + List + ")";
  Out += Seen > count() ? ", seen " + std::to_string(Seen) + " times\n" : "\n";
  Out += listByRank(Devices);
  Out += Repeated;
  if (Suppressed)
    Out += "=========     " + counted(Suppressed, "more finding") +
           " suppressed\n";
  if (Unreported)
    Out += "=========     " + std::to_string(Unreported) +
           " more aren't shown (--max)\n";
  if (Uncounted)
    Out += "=========     " + std::to_string(Uncounted) +
           " more findings that aren't distinguished\n";
  if (Devices.empty() && !Lost)
    Out += "=========     not checked: the program didn't use a GPU\n";
  if (Lost)
    Out += "=========     not checked: " + counted(Lost, "device") +
           " ended without a report\n";
  if (Shadows >> 20)
    Out += "=========     shadows took " + std::to_string(Shadows >> 20) +
           " MiB of memory\n";
  for (const std::string &What : Missing)
    Out += "=========     not checked: " + What + "\n";
  return Out;
}

std::string RunReport::counts() const {
  constexpr size_t MostLines = 20;
  const CountReport Counts(Devices);
  return Counts.isEmpty()
             ? std::string()
             : Counts.table(MostLines, "--json and --html have all");
}

std::string RunReport::lcov() const { return CountReport(Devices).lcov(); }

std::string RunReport::json() const {
  json::Object O{
      {"schema", 1}, {"version", 1}, {"devices", json::Array(Devices)}};
  return formatv("{0:2}\n", json::Value(std::move(O))).str();
}

std::string RunReport::suggestions() const {
  std::string Out = "# Suppressions of findings; delete what isn't wanted.\n";
  std::set<std::string> Lines;
  for (const json::Value &Device : Devices)
    for (const json::Value &V : elementsOf(*Device.getAsObject(), "findings"))
      if (const json::Object *F = V.getAsObject())
        if (auto Line = F->getString("suppression");
            Line && Lines.insert(Line->str()).second)
          Out += *Line, Out += '\n';
  return Out;
}
