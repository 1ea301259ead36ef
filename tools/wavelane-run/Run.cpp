//===-- Run.cpp - wavelane-run: a HIP program on the simulated device -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckedRun.h"
#include "RecordOption.h"
#include "RunOptionTable.h"
#include "ScheduleRun.h"

#include "Simulator/Common/Agent.h"

#include "wavelane/CommandLine/Words.h"
#include "wavelane/GPU/VisibleDevices.h"
#include "wavelane/Protocol/Device/RunOptions.h"
#include "wavelane/Protocol/Device/TranslateOption.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace choice = wavelane::runtimechoice;
namespace protocol = wavelane::protocol;

/// \return The exit code of a wrong command line.
static int wrong(const llvm::Twine &What) {
  const std::string Why = What.str();
  fprintf(stderr,
          "wavelane-run: %s%s wavelane-run --help describes the options\n",
          Why.c_str(), llvm::StringRef(Why).ends_with("?") ? "" : ";");
  return 2;
}

/// "unknown option --devce, did you mean --device?"
static std::string explainUnknown(llvm::StringRef Name) {
  std::vector<llvm::StringRef> Names = {"--help"};
  for (const RunOption &Each : runOptions())
    Names.push_back(Each.Name);
  const llvm::StringRef Nearest = wavelane::words::nearest(Name, Names);
  return ("unknown option " + Name +
          (Nearest.empty() ? "" : ", did you mean " + Nearest + "?"))
      .str();
}

/// Prints an option, and what it does in lines as long as those of the help.
static void printOption(const RunOption &Option) {
  constexpr size_t Indent = 20, Width = 90;
  const std::string Name =
      "  " + Option.Name + (Option.Value.empty() ? "" : " ") + Option.Value;
  const std::string Text =
      Option.Text + (Option.More.empty() ? "" : ". " + Option.More);
  size_t Column = Name.size() < Indent ? Indent : Width;
  printf("%-*s", Column == Indent ? int(Indent) : 0, Name.c_str());
  bool IsFirst = Column == Indent;
  for (llvm::StringRef Word : llvm::split(Text, ' ')) {
    if (Column + 1 + Word.size() > Width) {
      printf("\n%*s", int(Indent), "");
      Column = Indent;
      IsFirst = true;
    }
    printf("%s%s", IsFirst ? "" : " ", Word.str().c_str());
    Column += Word.size() + !IsFirst;
    IsFirst = false;
  }
  printf("\n");
}

static void printOptions(RunSubject Subject) {
  for (const RunOption &Each : runOptions())
    if (Each.Subject == Subject)
      printOption(Each);
}

static void printHelp() {
  printf("usage: wavelane-run [OPTION...] PROGRAM [ARGUMENT...]\n"
         "Runs a GPU program on Wavelane's simulated GPU. The exit code is the "
         "program's.\n");
  for (RunSubject Subject :
       {RunSubject::Run, RunSubject::Schedule, RunSubject::Record})
    printOptions(Subject);
  printf("Checks, which are reported on the standard error output:\n");
  printOptions(RunSubject::Check);
  printf("Counts:\n");
  printOptions(RunSubject::Count);
  printf("GPUs:");
  // No line is longer than the others.
  size_t Column = 80;
  for (const wavelane::gpu::Processor &P : wavelane::gpu::devices()) {
    if (!P.isModeled())
      continue;
    if (Column + strlen(P.Name) + 1 > 78)
      Column = size_t(printf("\n ")) - 1;
    Column += size_t(printf(" %s", P.Name));
  }
  printf("\n");
}

/// "path:old value", or "path".
static void prepend(const char *Variable, const std::string &Path) {
  const char *Old = getenv(Variable);
  setenv(Variable, (Old && *Old ? Path + ":" + Old : Path).c_str(), 1);
}

static bool parseRuntime(const char *Name, choice::Runtime &Out) {
  const std::optional<choice::Runtime> Known = choice::parse(Name);
  if (Known)
    Out = *Known;
  return Known.has_value();
}

static bool takesValue(llvm::StringRef Name) {
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
    if (!takesValue(Name))
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

/// Runs the program as chosen.
/// \param Program Null-terminated, with its arguments.
static int start(const choice::Choice &Choice, CheckedRun &Checked,
                 const ScheduleRun &Scheduled, RecordOption &Record,
                 char **Program) {
  if (Choice.TheRuntime == choice::Runtime::Amd && !Choice.TheProcessor.empty())
    setenv("WAVELANE_PROCESSOR",
           wavelane::gpu::enoughDevices(
               Choice.TheProcessor,
               [](const char *Name) -> std::optional<std::string> {
                 const char *Value = getenv(Name);
                 return Value ? std::optional<std::string>(Value)
                              : std::nullopt;
               })
               .c_str(),
           /*overwrite=*/0);
  if (Checked.isWanted() && Choice.TheRuntime == choice::Runtime::Amd)
    setenv(choice::SeparateAllocations, "1", /*overwrite=*/1);
  if (Record.isWanted())
    if (llvm::Error Bad = Record.begin()) {
      fprintf(stderr, "wavelane-run: %s\n",
              llvm::toString(std::move(Bad)).c_str());
      return 126;
    }
  auto Run = [&]() -> ScheduleRun::Outcome {
    ScheduleRun::Outcome R;
    R.ExitCode = Checked.isWanted() ? Checked.run(Program, R.HasRun)
                                    : runProgram(Program, R.HasRun);
    R.Findings = Checked.findings();
    if (Record.isWanted() && R.HasRun)
      Record.end();
    return R;
  };
  if (Scheduled.isWanted())
    return Scheduled.run(Run);
  if (Checked.isWanted() || Record.isWanted())
    return Run().ExitCode;
  return becomeProgram(Program);
}

int main(int ArgumentCount, char **GivenArguments) {
  std::vector<char *> Words = splitOptions(ArgumentCount, GivenArguments);
  const int Count = int(Words.size());
  Words.push_back(nullptr);
  char **Arguments = Words.data();
  int I = 1;
  choice::Runtime Wanted = choice::Runtime::Auto;
  bool Explain = false, Verifies = false;
  const char *UnitsFrom = "WAVELANE_CUS";
  std::vector<const wavelane::simulator::Processor *> Processors;
  std::string Error;
  CheckedRun Checked;
  ScheduleRun Scheduled;
  RecordOption Record;
  for (; I < Count && Arguments[I][0] == '-'; ++I) {
    const std::string Name = Arguments[I];
    if (Name == "--help" || Name == "-h") {
      printHelp();
      return 0;
    }
    if (Name == "--") {
      ++I;
      break;
    }
    if (Name == "--explain") {
      Explain = true;
      continue;
    }
    if (Name == "--no-translate") {
      setenv(wavelane::simulator::TranslateVariable, "0", 1);
      continue;
    }
    if (Name == "--verify") {
      Verifies = true;
      setenv(wavelane::simulator::TranslateVariable,
             wavelane::simulator::VerifyTranslation, 1);
      continue;
    }
    if (Name == "--count") {
      Checked.count();
      continue;
    }
    if (!takesValue(Name))
      return wrong(explainUnknown(Name));
    if (++I == Count)
      return wrong(Name + " needs a value");
    const char *Value = Arguments[I];
    const RunSubject Subject = findRunOption(Name)->Subject;
    if (Subject != RunSubject::Run) {
      if (llvm::Error Bad =
              Subject == RunSubject::Schedule ? Scheduled.take(Name, Value)
              : Subject == RunSubject::Record ? Record.take(Name, Value)
                                              : Checked.take(Name, Value)) {
        fprintf(stderr, "wavelane-run: %s\n",
                llvm::toString(std::move(Bad)).c_str());
        return 2;
      }
    } else if (Name == "--runtime") {
      if (!parseRuntime(Value, Wanted))
        return wrong(
            "--runtime must be auto, amd or wavelane" +
            wavelane::words::didYouMean(Value, {"auto", "amd", "wavelane"}));
      setenv(choice::Variable, Value, 1);
    } else if (Name == "--device") {
      if (!wavelane::simulator::parseProcessors(Value, Processors, Error))
        return wrong(Error);
      setenv("WAVELANE_PROCESSOR", Value, 1);
    } else if (Name == "--threads") {
      unsigned Threads = 0;
      if (llvm::StringRef(Value).getAsInteger(10, Threads) || Threads < 1 ||
          Threads > wavelane::simulator::MostThreads)
        return wrong("--threads must be a number from 1 to " +
                     llvm::Twine(wavelane::simulator::MostThreads));
      setenv(wavelane::simulator::ThreadsVariable, Value, 1);
    } else {
      unsigned Units = 0;
      if (llvm::StringRef(Value).getAsInteger(10, Units) || Units < 1 ||
          Units > wavelane::simulator::MostComputeUnits)
        return wrong("--cus must be a number from 1 to " +
                     llvm::Twine(wavelane::simulator::MostComputeUnits));
      UnitsFrom = "--cus";
      setenv("WAVELANE_CUS", Value, 1);
    }
  }
  if (I >= Count)
    return wrong("no program given");
  // Those that options have set are right.
  if (llvm::Error Bad = protocol::checkVariables())
    return wrong(llvm::toString(std::move(Bad)));
  for (const std::string &Mistyped : protocol::findMistyped())
    fprintf(stderr, "wavelane-run: warning: %s\n", Mistyped.c_str());
  setenv(protocol::ToldVariable, "1", 1);
  if (const char *Name = getenv(choice::Variable);
      Name && *Name && Wanted == choice::Runtime::Auto)
    parseRuntime(Name, Wanted);
  if (const char *List = getenv("WAVELANE_PROCESSOR"); List && *List)
    wavelane::simulator::parseProcessors(List, Processors, Error);
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

  char Self[PATH_MAX];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length <= 0) {
    fprintf(stderr, "wavelane-run: cannot find itself: %s\n", strerror(errno));
    return 126;
  }
  Self[Length] = 0;
  std::string Folder = Self;
  Folder.resize(Folder.rfind('/')); // .../bin
  const std::string Library =
      Folder.substr(0, Folder.rfind('/')) + "/lib/wavelane";
  auto Get = [](const char *Name) {
    const char *Value = getenv(Name);
    return llvm::StringRef(Value ? Value : "");
  };
  const choice::Choice Choice =
      choice::choose(Wanted, Arguments[I], Processors, Get("LD_LIBRARY_PATH"),
                     Library, Get(choice::RocmVariable));
  if (const llvm::StringRef Units = Get("WAVELANE_CUS"); !Units.empty()) {
    if (Processors.empty())
      Processors = {wavelane::gpu::findByName(Choice.TheProcessor)};
    const std::string Why = wavelane::simulator::whyTooManyUnits(
        Processors, strtoul(Units.data(), nullptr, 10),
        Choice.TheRuntime != choice::Runtime::Amd);
    if (!Why.empty())
      return wrong(llvm::Twine(UnitsFrom) + " is '" + Units + "': " + Why);
  }
  if (Explain || protocol::isOn("WAVELANE_LOG"))
    fprintf(Explain ? stdout : stderr, "runtime: %s: %s\n",
            Choice.TheRuntime == choice::Runtime::Amd ? "amd" : "wavelane",
            Choice.Why.c_str());
  if (Choice.TheRuntime == choice::Runtime::Amd && !Choice.Trouble.empty())
    fprintf(stderr, "wavelane-run: warning: %s\n", Choice.Trouble.c_str());
  if (Explain)
    return 0;
  if (llvm::Error Missing = choice::setUp(
          Choice, Library, [](llvm::StringRef Variable, llvm::StringRef Path) {
            prepend(Variable.str().c_str(), Path.str());
          })) {
    fprintf(stderr, "wavelane-run: %s\n",
            llvm::toString(std::move(Missing)).c_str());
    return 126;
  }
  return start(Choice, Checked, Scheduled, Record, Arguments + I);
}
