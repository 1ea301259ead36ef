//===-- Run.cpp - wavelane-run: a HIP program on the simulated device -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunCommandLine.h"

#include "wavelane/GPU/VisibleDevices.h"
#include "wavelane/Protocol/Server/UserVariables.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace choice = wavelane::runtimechoice;
namespace protocol = wavelane::protocol;

/// Exit codes, the second as a shell's.
enum : int { WrongCommandLine = 2, CannotRun = 126 };

/// \return The exit code.
static int fail(llvm::Error Why, int ExitCode) {
  fprintf(stderr, "wavelane-run: %s\n", llvm::toString(std::move(Why)).c_str());
  return ExitCode;
}

/// "path:old value", or "path".
static void prepend(const char *Variable, const std::string &Path) {
  const char *Old = getenv(Variable);
  setenv(Variable, (Old && *Old ? Path + ":" + Old : Path).c_str(), 1);
}

/// Runs the program as chosen.
/// \return The exit code.
static int start(const choice::Choice &Choice, RunCommandLine &Line) {
  CheckedRun &Checked = Line.Checked;
  RecordOption &Record = Line.Record;
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
    if (llvm::Error Bad = Record.begin())
      return fail(std::move(Bad), CannotRun);
  auto Run = [&]() -> ScheduleRun::Outcome {
    ScheduleRun::Outcome R;
    R.ExitCode = Checked.isWanted() ? Checked.run(Line.Program, R.HasRun)
                                    : runProgram(Line.Program, R.HasRun);
    R.Findings = Checked.findings();
    if (Record.isWanted() && R.HasRun)
      Record.end();
    return R;
  };
  if (Line.Scheduled.isWanted())
    return Line.Scheduled.run(Run);
  if (Checked.isWanted() || Record.isWanted())
    return Run().ExitCode;
  return becomeProgram(Line.Program);
}

/// The folder of the libraries that programs load, beside that of this program.
static llvm::Expected<std::string> findLibraries() {
  char Self[PATH_MAX];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length <= 0)
    return llvm::createStringError(llvm::Twine("cannot find itself: ") +
                                   strerror(errno));
  llvm::StringRef Path(Self, size_t(Length));
  Path = Path.rsplit('/').first; // .../bin
  return Path.rsplit('/').first.str() + "/lib/wavelane";
}

int main(int Count, char **Arguments) {
  RunCommandLine Line;
  if (llvm::Error Bad = Line.read(Count, Arguments))
    return fail(std::move(Bad), WrongCommandLine);
  if (Line.WantsHelp) {
    printHelp();
    return 0;
  }
  llvm::Expected<std::string> Libraries = findLibraries();
  if (!Libraries)
    return fail(Libraries.takeError(), CannotRun);
  auto Get = [](const char *Name) {
    const char *Value = getenv(Name);
    return llvm::StringRef(Value ? Value : "");
  };
  const choice::Choice Choice = choice::choose(
      Line.Runtime, *Line.Program, Line.Processors, Get("LD_LIBRARY_PATH"),
      *Libraries, Get(choice::RocmVariable));
  if (llvm::Error Bad = Line.checkUnits(Choice))
    return fail(std::move(Bad), WrongCommandLine);
  if (Line.Explains || protocol::isOn("WAVELANE_LOG"))
    fprintf(Line.Explains ? stdout : stderr, "runtime: %s: %s\n",
            Choice.TheRuntime == choice::Runtime::Amd ? "amd" : "wavelane",
            Choice.Why.c_str());
  if (Choice.TheRuntime == choice::Runtime::Amd && !Choice.Trouble.empty())
    fprintf(stderr, "wavelane-run: warning: %s\n", Choice.Trouble.c_str());
  if (Line.Explains)
    return 0;
  if (llvm::Error Missing =
          choice::setUp(Choice, *Libraries,
                        [](llvm::StringRef Variable, llvm::StringRef Path) {
                          prepend(Variable.str().c_str(), Path.str());
                        }))
    return fail(std::move(Missing), CannotRun);
  return start(Choice, Line);
}
