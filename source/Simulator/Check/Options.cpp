//===-- Options.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

using namespace wavelane::check;
using namespace llvm;

Expected<unsigned> Options::parseChecks(StringRef List) {
  unsigned Out = 0;
  SmallVector<StringRef, 8> Names;
  List.split(Names, ',');
  for (StringRef Name : Names) {
    unsigned Known = Name == "all"       ? CountBit - 1
                     : Name == CountName ? CountBit
                                         : 0;
    for (unsigned I = 0; I < CheckCount; ++I)
      if (Name == name(CheckId(I)))
        Known = 1u << I;
    if (!Known)
      return createStringError("unknown check '" + Name +
                               "'; the checks are memory, race, init, sync, "
                               "wait, count and all");
    Out |= Known;
  }
  return Out;
}

std::string Options::names() const {
  std::string Out;
  for (unsigned I = 0; I < CheckCount; ++I)
    if (has(CheckId(I)))
      Out += (Out.empty() ? "" : ",") + name(CheckId(I)).str();
  if (counts())
    Out += (Out.empty() ? "" : ",") + std::string(CountName);
  return Out;
}

Error Options::parseLaunches(StringRef List,
                             std::vector<std::pair<uint64_t, uint64_t>> &Out) {
  SmallVector<StringRef, 8> Parts;
  List.split(Parts, ',');
  for (StringRef Part : Parts) {
    auto [First, Last] = Part.split('-');
    uint64_t From, To;
    if (First.getAsInteger(10, From) ||
        (Part.contains('-') ? Last : First).getAsInteger(10, To) || !From ||
        To < From)
      return createStringError("invalid launches '" + Part +
                               "'; they are numbers from 1, as 3 or 3-5");
    Out.emplace_back(From, To);
  }
  return Error::success();
}

json::Value Options::toJSON() const {
  json::Array Ranges;
  for (const auto &[First, Last] : Launches)
    Ranges.push_back(json::Array{int64_t(First), int64_t(Last)});
  return json::Object{{"kernel", Kernel},
                      {"launches", std::move(Ranges)},
                      {"max", int64_t(Max)},
                      {"shadowLimit", int64_t(ShadowLimit)},
                      {"leaks", FindsLeaks},
                      {"firstId", int64_t(FirstId)},
                      {"suppressions", Suppressed.text()}};
}

Error Options::fromJSON(const json::Value &From) {
  const json::Object *O = From.getAsObject();
  if (!O)
    return createStringError("the options aren't an object");
  if (auto List = O->getString("checks")) {
    Expected<unsigned> Chosen = List->empty() ? 0 : parseChecks(*List);
    if (!Chosen)
      return Chosen.takeError();
    Checks = *Chosen;
  }
  Kernel = O->getString("kernel").value_or("").str();
  if (std::string Why; !Kernel.empty() && !Regex(Kernel).isValid(Why))
    return createStringError("invalid regular expression '" + Kernel +
                             "': " + Why);
  Launches.clear();
  if (const json::Array *Ranges = O->getArray("launches"))
    for (const json::Value &Range : *Ranges)
      if (const json::Array *Pair = Range.getAsArray();
          Pair && Pair->size() == 2)
        Launches.emplace_back(uint64_t((*Pair)[0].getAsInteger().value_or(1)),
                              uint64_t((*Pair)[1].getAsInteger().value_or(0)));
  Max = uint64_t(O->getInteger("max").value_or(int64_t(Max)));
  ShadowLimit =
      uint64_t(O->getInteger("shadowLimit").value_or(int64_t(ShadowLimit)));
  FindsLeaks = O->getBoolean("leaks").value_or(false);
  FirstId = unsigned(O->getInteger("firstId").value_or(1));
  return Suppressed.parse(O->getString("suppressions").value_or(""), "options");
}
