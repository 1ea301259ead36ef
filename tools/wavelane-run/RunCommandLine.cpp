//===-- RunCommandLine.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunCommandLine.h"
#include "RunOptionTable.h"

#include "Simulator/Common/Agent.h"

#include "wavelane/CommandLine/Words.h"
#include "wavelane/Protocol/Device/RunOptions.h"
#include "wavelane/Protocol/Device/TranslateOption.h"
#include "wavelane/Protocol/Server/UserVariables.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace choice = wavelane::runtimechoice;
namespace protocol = wavelane::protocol;
namespace simulator = wavelane::simulator;

Error wrong(const Twine &What) {
  const std::string Why = What.str();
  return llvm::createStringError(Why +
                                 (StringRef(Why).ends_with("?") ? "" : ";") +
                                 " wavelane-run --help describes the options");
}

/// "unknown option --devce, did you mean --device?"
static std::string explainUnknown(StringRef Name) {
  std::vector<StringRef> Names = {"--help"};
  for (const RunOption &Each : runOptions())
    Names.push_back(Each.Name);
  const StringRef Nearest = wavelane::words::nearest(Name, Names);
  return ("unknown option " + Name +
          (Nearest.empty() ? "" : ", did you mean " + Nearest + "?"))
      .str();
}

static bool parseRuntime(const char *Name, choice::Runtime &Out) {
  const std::optional<choice::Runtime> Known = choice::parse(Name);
  if (Known)
    Out = *Known;
  return Known.has_value();
}

static bool hasValue(llvm::StringRef Name) {
  const RunOption *Option = findRunOption(Name);
  return Option && !Option->Value.empty();
}

/// The arguments, with "--name=value" as two words. What follows the program
/// is its own.
static std::vector<char *> splitOptions(int Count, char **Arguments) {
  std::vector<char *> Words = {Arguments[0]};
  int I = 1;
  for (; I < Count && Arguments[I][0] == '-'; ++I) {
    Words.push_back(Arguments[I]);
    const llvm::StringRef Name =
        llvm::StringRef(Arguments[I]).take_until([](char C) {
          return C == '=';
        });
    if (Name == "--") {
      ++I;
      break;
    }
    if (!hasValue(Name))
      continue;
    if (Name.size() < strlen(Arguments[I])) {
      Arguments[I][Name.size()] = 0;
      Words.push_back(Arguments[I] + Name.size() + 1);
    } else if (I + 1 < Count) {
      Words.push_back(Arguments[++I]);
    }
  }
  Words.insert(Words.end(), Arguments + I, Arguments + Count);
  return Words;
}

bool RunCommandLine::takeFlag(StringRef Name) {
  if (Name == "--explain") {
    Explains = true;
  } else if (Name == "--no-translate") {
    setenv(simulator::TranslateVariable, "0", 1);
  } else if (Name == "--verify") {
    Verifies = true;
    setenv(simulator::TranslateVariable, simulator::VerifyTranslation, 1);
  } else if (Name == "--count") {
    Checked.count();
  } else {
    return false;
  }
  return true;
}

/// Sets a variable that is a number from 1 to \a Most.
static Error setNumber(const char *Variable, StringRef Name, const char *Value,
                       unsigned Most) {
  unsigned Number = 0;
  if (StringRef(Value).getAsInteger(10, Number) || Number < 1 || Number > Most)
    return wrong(Name + " must be a number from 1 to " + Twine(Most));
  setenv(Variable, Value, 1);
  return Error::success();
}

Error RunCommandLine::takeValue(StringRef Name, const char *Value) {
  switch (findRunOption(Name)->Subject) {
  case RunSubject::Schedule:
    return Scheduled.take(Name, Value);
  case RunSubject::Record:
    return Record.take(Name, Value);
  case RunSubject::Check:
  case RunSubject::Count:
    return Checked.take(Name, Value);
  case RunSubject::Run:
    break;
  }
  if (Name == "--runtime") {
    if (!parseRuntime(Value, Runtime))
      return wrong(
          "--runtime must be auto, amd or wavelane" +
          wavelane::words::didYouMean(Value, {"auto", "amd", "wavelane"}));
    setenv(choice::Variable, Value, 1);
    return Error::success();
  }
  if (Name == "--device") {
    std::string Why;
    if (!simulator::parseProcessors(Value, Processors, Why))
      return wrong(Why);
    setenv("WAVELANE_PROCESSOR", Value, 1);
    return Error::success();
  }
  if (Name == "--threads")
    return setNumber(simulator::ThreadsVariable, Name, Value,
                     simulator::MostThreads);
  UnitsFrom = "--cus";
  return setNumber("WAVELANE_CUS", Name, Value, simulator::MostComputeUnits);
}

Error RunCommandLine::readEnvironment() {
  // What options have set is right.
  if (Error Bad = protocol::checkVariables())
    return wrong(llvm::toString(std::move(Bad)));
  for (const std::string &Mistyped : protocol::findMistyped()) {
    fprintf(stderr, "wavelane-run: warning: %s\n", Mistyped.c_str());
    setenv(protocol::WarnedVariable, "1", 1);
  }
  if (const char *Name = getenv(choice::Variable);
      Name && *Name && Runtime == choice::Runtime::Auto)
    parseRuntime(Name, Runtime);
  std::string Why;
  if (const char *List = getenv("WAVELANE_PROCESSOR"); List && *List)
    simulator::parseProcessors(List, Processors, Why);
  return Error::success();
}

Error RunCommandLine::checkCombination() const {
  if (Verifies && Checked.isWanted())
    return wrong("--verify compares runs without checks and counts");
  if (!Record.isComplete())
    return wrong("--record-limit needs --record");
  if (Record.isWanted() && Scheduled.isSearch())
    return wrong("--record keeps one run: give the schedule's number");
  if (!Scheduled.isComplete())
    return wrong("--tries needs --schedule random or chaos");
  if (const char *Why = Checked.whatIsMissing())
    return wrong(Why);
  return Error::success();
}

Error RunCommandLine::read(int Count, char **Arguments) {
  Words = splitOptions(Count, Arguments);
  Words.push_back(nullptr);
  char **At = Words.data() + 1;
  for (; *At && **At == '-'; ++At) {
    const StringRef Name = *At;
    if (Name == "--help" || Name == "-h") {
      WantsHelp = true;
      return Error::success();
    }
    if (Name == "--") {
      ++At;
      break;
    }
    if (takeFlag(Name))
      continue;
    if (!hasValue(Name))
      return wrong(explainUnknown(Name));
    if (!*++At)
      return wrong(Name + " needs a value");
    if (Error Bad = takeValue(Name, *At))
      return Bad;
  }
  if (!*At)
    return wrong("no program given");
  Program = At;
  if (Error Bad = readEnvironment())
    return Bad;
  return checkCombination();
}

Error RunCommandLine::checkUnits(const choice::Choice &Choice) {
  const char *Units = getenv("WAVELANE_CUS");
  if (!Units || !*Units)
    return Error::success();
  if (Processors.empty())
    Processors = {wavelane::gpu::findByName(Choice.TheProcessor)};
  const std::string Why =
      simulator::whyTooManyUnits(Processors, strtoul(Units, nullptr, 10),
                                 Choice.TheRuntime != choice::Runtime::Amd);
  if (Why.empty())
    return Error::success();
  return wrong(Twine(UnitsFrom) + " is '" + Units + "': " + Why);
}
