//===-- Checks.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Device/Checks.h"

#include "wavelane/CommandLine/Words.h"

#include "llvm/ADT/SmallVector.h"

using namespace wavelane;
using namespace wavelane::check;
using namespace llvm;

namespace {
struct CheckFacts {
  StringRef Name, Label, Help;
};
struct KindFacts {
  StringRef Name, Summary;
  CheckId Of;
};
} // namespace

static constexpr CheckFacts Checks[] = {
#define WAVELANE_CHECK(ID, NAME, LABEL, HELP) {NAME, LABEL, HELP},
#include "wavelane/Protocol/Device/Checks.def"
};

static constexpr KindFacts Kinds[] = {
#define WAVELANE_FINDING(ID, CHECK, NAME, SUMMARY)                             \
  {NAME, SUMMARY, CheckId::CHECK},
#include "wavelane/Protocol/Device/Checks.def"
};

StringRef check::name(CheckId Id) { return Checks[unsigned(Id)].Name; }
StringRef check::label(CheckId Id) { return Checks[unsigned(Id)].Label; }
StringRef check::help(CheckId Id) { return Checks[unsigned(Id)].Help; }

StringRef check::name(Kind K) { return Kinds[unsigned(K)].Name; }
StringRef check::summary(Kind K) { return Kinds[unsigned(K)].Summary; }
CheckId check::checkOf(Kind K) { return Kinds[unsigned(K)].Of; }

std::vector<StringRef> check::listWords() {
  std::vector<StringRef> Out;
  for (const CheckFacts &C : Checks)
    Out.push_back(C.Name);
  Out.push_back(CountName);
  Out.push_back(AllName);
  return Out;
}

Expected<unsigned> check::parseList(StringRef List) {
  unsigned Out = 0;
  SmallVector<StringRef, 8> Names;
  List.split(Names, ',');
  for (StringRef Each : Names) {
    const StringRef Name = Each.trim();
    unsigned Known = Name == AllName     ? BitsOfAll
                     : Name == CountName ? CountBit
                                         : 0;
    for (CheckId Id : AllChecks)
      if (Name == name(Id))
        Known = 1u << unsigned(Id);
    if (!Known)
      return createStringError("unknown check '" + Name + "'; the checks are " +
                               words::join(listWords(), "and") +
                               words::didYouMean(Name, listWords()));
    Out |= Known;
  }
  return Out;
}

std::string check::listOf(unsigned Bits, StringRef Separator) {
  std::string Out;
  const auto Add = [&](StringRef Name) {
    Out += (Out.empty() ? "" : Separator).str() + Name.str();
  };
  for (CheckId Id : AllChecks)
    if (Bits & 1u << unsigned(Id))
      Add(name(Id));
  if (Bits & CountBit)
    Add(CountName);
  return Out;
}

Expected<LaunchRanges> check::parseLaunches(StringRef List) {
  LaunchRanges Out;
  SmallVector<StringRef, 8> Parts;
  List.split(Parts, ',');
  for (StringRef Each : Parts) {
    const StringRef Part = Each.trim();
    auto [First, Last] = Part.split('-');
    uint64_t From, To;
    if (First.getAsInteger(10, From) ||
        (Part.contains('-') ? Last : First).getAsInteger(10, To) || !From ||
        To < From)
      return createStringError("invalid launches '" + Part +
                               "'; they are numbers from 1, as 3-5,8");
    Out.emplace_back(From, To);
  }
  return Out;
}
