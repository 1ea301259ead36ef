//===-- CheckedRun.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's devices, of which its children may have more, write their
// reports into a folder. A device holds the lock of its report until it has
// ended.
//
//===----------------------------------------------------------------------===//

#include "CheckedRun.h"
#include "wavelane/Formats/Files/OutputFile.h"
#include "wavelane/Formats/JSON/Parse.h"

#include "Simulator/Check/RunReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace wavelane;
using namespace wavelane::check;

void CheckedRun::count() {
  Options.Checks |= CountBit;
  HasOption = true;
}

static Error parseNumber(StringRef Name, StringRef Value, uint64_t Max,
                         uint64_t &Out) {
  if (Value.getAsInteger(10, Out) || Out > Max)
    return createStringError(Name + " must be a number up to " + Twine(Max));
  return Error::success();
}

Error CheckedRun::take(StringRef Name, StringRef Value) {
  HasOption = true;
  if (Name == "--check") {
    Expected<unsigned> Checks = parseList(Value);
    if (!Checks)
      return Checks.takeError();
    Options.Checks |= *Checks;
  } else if (Name == "--kernel") {
    std::string Why;
    if (!Regex(Value).isValid(Why))
      return createStringError("--kernel: invalid regular expression '" +
                               Value + "': " + Why);
    Options.Kernel = Value.str();
  } else if (Name == "--launches") {
    Expected<LaunchRanges> Ranges = parseLaunches(Value);
    if (!Ranges)
      return Ranges.takeError();
    append_range(Options.Launches, *Ranges);
  } else if (Name == "--max") {
    return parseNumber(Name, Value, 1000000, Options.Max);
  } else if (Name == "--shadow-limit") {
    return parseNumber(Name, Value, MaxShadowLimit, Options.ShadowLimit);
  } else if (Name == "--leak-check") {
    if (Value != "full" && Value != "no")
      return createStringError("--leak-check must be full or no");
    Options.FindsLeaks = Value == "full";
  } else if (Name == "--suppressions") {
    auto Text = MemoryBuffer::getFile(Value);
    if (!Text)
      return createStringError(Value + ": " + Text.getError().message());
    return Options.Suppressed.parse((*Text)->getBuffer(), Value);
  } else if (Name == "--error-exitcode") {
    return parseNumber(Name, Value, 255, ErrorExitCode.emplace());
  } else {
    std::string &File = Name == "--suggest" ? SuggestFile
                        : Name == "--json"  ? JsonFile
                        : Name == "--sarif" ? SarifFile
                        : Name == "--lcov"  ? LcovFile
                                            : HtmlFile;
    File = Value.str();
  }
  return Error::success();
}

const char *CheckedRun::whatIsMissing() const {
  if (HasOption && !isWanted())
    return "the options of checks need --check or --count";
  if (!LcovFile.empty() && !Options.counts())
    return "--lcov needs --count";
  if (Options.FindsLeaks && !Options.has(CheckId::Memory))
    return "--leak-check needs --check memory";
  return nullptr;
}

int becomeProgram(char **Arguments) {
  execvp(Arguments[0], Arguments);
  const int Reason = errno;
  const StringRef Name = Arguments[0];
  std::string Why = strerror(Reason);
  // A name without a folder is looked for in PATH only.
  if (Reason == ENOENT && !Name.contains('/'))
    Why =
        sys::fs::exists(Name) ? ("write ./" + Name).str() : "it isn't in PATH";
  fprintf(stderr, "wavelane-run: cannot run %s: %s\n", Arguments[0],
          Why.c_str());
  return Reason == ENOENT ? 127 : 126;
}

int runProgram(char **Arguments, bool &HasRun) {
  // Closed by exec; otherwise the child writes into it.
  int Failed[2];
  if (pipe2(Failed, O_CLOEXEC) != 0) {
    fprintf(stderr, "wavelane-run: pipe: %s\n", strerror(errno));
    return 126;
  }
  const pid_t Child = fork();
  if (Child == 0) {
    const int Code = becomeProgram(Arguments);
    (void)!::write(Failed[1], "", 1);
    _exit(Code);
  }
  close(Failed[1]);
  if (Child < 0) {
    fprintf(stderr, "wavelane-run: fork: %s\n", strerror(errno));
    close(Failed[0]);
    return 126;
  }
  // Ctrl-C and Ctrl-\ are for the program, which gets them from the terminal,
  // too.
  auto *Interrupt = signal(SIGINT, SIG_IGN);
  auto *Quit = signal(SIGQUIT, SIG_IGN);
  char Byte;
  ssize_t Length = 0;
  while ((Length = read(Failed[0], &Byte, 1)) < 0 && errno == EINTR)
    ;
  HasRun = Length == 0;
  close(Failed[0]);
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  signal(SIGINT, Interrupt);
  signal(SIGQUIT, Quit);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

/// Waits for the devices' reports.
static RunReport collect(StringRef Folder) {
  RunReport Report;
  std::error_code Code;
  for (sys::fs::directory_iterator It(Folder, Code), End; !Code && It != End;
       It.increment(Code)) {
    const std::string Path = It->path();
    if (!sys::path::filename(Path).starts_with(ReportPrefix))
      continue;
    const int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    if (Fd < 0)
      continue;
    while (flock(Fd, LOCK_SH) != 0 && errno == EINTR)
      ;
    close(Fd);
    auto Text = MemoryBuffer::getFile(Path);
    auto Parsed =
        Text ? wavelane::parseJSON((*Text)->getBuffer())
             : Expected<json::Value>(errorCodeToError(Text.getError()));
    if (Parsed) {
      Report.add(std::move(*Parsed));
    } else {
      consumeError(Parsed.takeError());
      Report.addLost();
    }
  }
  return Report;
}

/// \return Whether nothing was to be written, or it is.
static bool write(StringRef Path, StringRef Text) {
  if (Path.empty())
    return true;
  Error Failed =
      files::writeOutput(Path, [&](raw_ostream &Out) { Out << Text; });
  if (!Failed)
    return true;
  fprintf(stderr, "wavelane-run: cannot write %s\n",
          toString(std::move(Failed)).c_str());
  return false;
}

/// Looks before a long run, without opening what may be a pipe.
static bool canWrite(StringRef Path) {
  if (Path.empty())
    return true;
  std::error_code Code;
  if (sys::fs::is_directory(Path)) {
    Code = std::make_error_code(std::errc::is_a_directory);
  } else if (sys::fs::exists(Path)) {
    Code = sys::fs::access(Path, sys::fs::AccessMode::Write);
  } else {
    const StringRef Folder = sys::path::parent_path(Path);
    Code = sys::fs::access(Folder.empty() ? "." : Folder,
                           sys::fs::AccessMode::Write);
  }
  if (Code)
    fprintf(stderr, "wavelane-run: cannot write %s: %s\n", Path.str().c_str(),
            Code.message().c_str());
  return !Code;
}

int CheckedRun::run(char **Arguments, bool &HasRun) {
  for (StringRef Path : {SuggestFile, JsonFile, SarifFile, HtmlFile, LcovFile})
    if (!canWrite(Path))
      return 126;
  SmallString<128> Folder;
  if (std::error_code Code =
          sys::fs::createUniqueDirectory("wavelane-check", Folder)) {
    fprintf(stderr, "wavelane-run: cannot make a folder for the report: %s\n",
            Code.message().c_str());
    return 126;
  }
  std::string Text;
  raw_string_ostream(Text) << Options.toJSON() << '\n';
  write((Folder + "/" + OptionsFile).str(), Text);
  setenv(simulator::ChecksVariable, listOf(Options.Checks).c_str(), 1);
  setenv(simulator::CheckFolderVariable, Folder.c_str(), 1);
  const int ExitCode = runProgram(Arguments, HasRun);
  const RunReport Report = collect(Folder);
  (void)sys::fs::remove_directories(Folder);
  if (!HasRun)
    return ExitCode;
  Found = Report.count();

  if (Options.Checks != CountBit)
    fputs(Report.summary().c_str(), stderr);
  fputs(Report.counts().c_str(), stderr);
  const bool IsWritten[] = {
      write(SuggestFile, Report.suggestions()), write(JsonFile, Report.json()),
      write(SarifFile, Report.sarif()), write(HtmlFile, Report.html()),
      write(LcovFile, Report.lcov())};
  if (ErrorExitCode && Report.count())
    return int(*ErrorExitCode);
  return ExitCode == 0 && !all_of(IsWritten, [](bool Is) { return Is; })
             ? 126
             : ExitCode;
}
