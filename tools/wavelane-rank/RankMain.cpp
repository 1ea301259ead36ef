//===-- RankMain.cpp - wavelane-rank: a rank of a job under a debugger ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rank.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/Job/Launchers.h"
#include "wavelane/Protocol/Fields.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/personality.h>
#include <unistd.h>

using namespace llvm;
using namespace wavelane;

static constexpr char Usage[] =
    "usage: wavelane-rank PROGRAM [ARGUMENT...]\n"
    "       wavelane-rank --attach PID --rank N [--job-from-input]\n"
    "       wavelane-rank --ranks-of PID\n"
    "A launcher (mpirun, mpiexec, srun, torchrun) starts it before the\n"
    "program: mpirun -n 8 wavelane-rank ./app. The program runs under the "
    "LLDB\n"
    "whose `job launch` or `job listen` has set WAVELANE_JOB and\n"
    "WAVELANE_JOB_SECRET. Files, signals, variables and the exit status are\n"
    "the program's own.\n"
    "  --attach PID   lets that LLDB attach to a process that runs\n"
    "  --rank N       its rank\n"
    "  --job-from-input\n"
    "                 reads WAVELANE_JOB and WAVELANE_JOB_SECRET from two "
    "lines of\n"
    "                 the input, not from the environment\n"
    "  --ranks-of PID prints the ranks that a launcher has started, as it "
    "lists\n"
    "                 them for PMIx's tools\n";

static int fail(int Code, const std::string &Why) {
  fprintf(stderr, "wavelane-rank: %s\n", Why.c_str());
  return Code;
}

static std::string ownFolder() {
  return sys::path::parent_path(
             sys::path::parent_path(
                 sys::fs::getMainExecutable(nullptr, nullptr)))
      .str();
}

/// The absolute path of a program, which may be in PATH.
static Expected<std::string> findProgram(StringRef Name) {
  std::string Path = Name.str();
  if (!Name.contains('/')) {
    ErrorOr<std::string> Found = sys::findProgramByName(Name);
    if (!Found)
      return createStringError("there is no program " + Name);
    Path = *Found;
  }
  SmallString<256> Real;
  if (std::error_code Code = sys::fs::real_path(Path, Real))
    return createStringError(Path + ": " + Code.message());
  if (::access(Real.c_str(), X_OK) != 0 || sys::fs::is_directory(Real))
    return createStringError(std::errc::permission_denied,
                             "%s can't be executed", Path.c_str());
  return Real.str().str();
}

/// What the kernel starts for a program: for a script, its interpreter.
static std::string findStarted(const std::string &Program) {
  auto Text = MemoryBuffer::getFileSlice(Program, /*MapSize=*/256,
                                         /*Offset=*/0);
  if (!Text)
    return Program;
  StringRef Line =
      (*Text)->getBuffer().take_until([](char C) { return C == '\n'; });
  if (!Line.consume_front("#!"))
    return Program;
  Expected<std::string> Interpreter =
      findProgram(Line.trim().take_until([](char C) { return isSpace(C); }));
  if (Interpreter)
    return std::move(*Interpreter);
  consumeError(Interpreter.takeError());
  return Program;
}

static bool haveHardware() {
  if (::access("/dev/kfd", F_OK) != 0)
    return false;
  auto Library = debugapi::Library::openAMD();
  if (Library)
    return true;
  consumeError(Library.takeError());
  return false;
}

using Variables = std::map<std::string, std::string>;

/// The variables with which the program's GPU can be debugged.
static Variables getVariables(const job::Terms &Terms,
                              const std::string &Program) {
  Variables Result{{"HSA_ENABLE_DEBUG", "1"}};
  const char *Own = ::getenv(server::packets::DeviceVariable);
  const std::string Device = Own && *Own ? Own : Terms.Device;
  if (Device == "hardware" || (Device != "simulated" && haveHardware()))
    return Result;
  const char *Asked = ::getenv(runtimechoice::Variable);
  const auto Runtime =
      runtimechoice::parse(Asked && *Asked ? Asked : Terms.Runtime);
  auto Choice = runtimechoice::setUpDebugging(
      Runtime.value_or(runtimechoice::Runtime::Auto), Program,
      ownFolder() + "/lib/wavelane",
      [&](StringRef Name) -> std::string {
        if (auto Known = Result.find(Name.str()); Known != Result.end())
          return Known->second;
        const char *Value = ::getenv(Name.str().c_str());
        return Value ? Value : "";
      },
      [&](StringRef Name, const std::string &Value) {
        Result[Name.str()] = Value;
      });
  if (!Choice)
    fail(0, "warning: " + toString(Choice.takeError()));
  else if (Choice->TheRuntime == runtimechoice::Runtime::Amd &&
           !Choice->Trouble.empty())
    fail(0, "warning: " + Choice->Trouble);
  return Result;
}

static std::string getHost() {
  char Name[HOST_NAME_MAX + 1] = "";
  return ::gethostname(Name, sizeof(Name) - 1) == 0 ? Name : "unknown";
}

namespace {
struct Options {
  pid_t Process = 0;
  job::Registration Registered;
  bool JobFromInput = false;
  char **Program = nullptr;
};
} // namespace

static Expected<Options> parse(int Count, char **Arguments) {
  Options Result;
  int I = 1;
  bool HasRank = false;
  for (; I < Count && Arguments[I][0] == '-'; ++I) {
    const StringRef Name = Arguments[I];
    if (Name == "--") {
      ++I;
      break;
    }
    if (Name == "--job-from-input") {
      Result.JobFromInput = true;
      continue;
    }
    uint32_t Number = 0;
    if ((Name != "--attach" && Name != "--rank") || I + 1 == Count ||
        StringRef(Arguments[I + 1]).getAsInteger(10, Number) ||
        Number > INT32_MAX)
      return createStringError("unknown option " + Name +
                               ", or it has no number");
    ++I;
    if (Name == "--attach") {
      Result.Process = pid_t(Number);
    } else {
      Result.Registered.Rank = Number;
      HasRank = true;
    }
  }
  if (Result.Process) {
    if (I < Count)
      return createStringError("--attach takes no program");
    if (!HasRank)
      return createStringError("--attach needs --rank");
    Result.Registered.Source = "--rank";
    return Result;
  }
  if (I >= Count)
    return createStringError("no program is given");
  Expected<job::Place> Place =
      job::findPlace([](const char *Name) { return ::getenv(Name); });
  if (HasRank) {
    consumeError(Place.takeError());
    Result.Registered.Source = "--rank";
  } else if (!Place) {
    return createStringError(toString(Place.takeError()) +
                             ": start it by mpirun or the like, or give "
                             "--rank");
  } else {
    Result.Registered.Rank = Place->Rank;
    Result.Registered.Size = Place->Size;
    Result.Registered.Source = Place->Source;
  }
  Result.Program = Arguments + I;
  return Result;
}

static Error describe(Options &Wanted) {
  Wanted.Registered.Host = getHost();
  Wanted.Registered.Pid =
      uint64_t(Wanted.Process ? Wanted.Process : ::getpid());
  if (!Wanted.Process) {
    Expected<std::string> Path = findProgram(Wanted.Program[0]);
    if (!Path)
      return Path.takeError();
    Wanted.Registered.Program = findStarted(*Path);
    return Error::success();
  }
  SmallString<256> Path;
  if (std::error_code Code = sys::fs::real_path(
          "/proc/" + std::to_string(Wanted.Process) + "/exe", Path))
    return createStringError("process " + std::to_string(Wanted.Process) +
                             ": " + Code.message());
  Wanted.Registered.Program = Path.str().str();
  return Error::success();
}

/// A line of the input, without its end; empty at the input's end.
static std::string readLine() {
  std::string Line;
  // Nothing after the line may be read: that is the program's.
  for (char Byte; Line.size() < job::MaxLine &&
                  ::read(STDIN_FILENO, &Byte, 1) == 1 && Byte != '\n';)
    Line += Byte;
  return Line;
}

static int printRanks(pid_t Launcher) {
  Expected<std::vector<job::Started>> Ranks =
      ::wavelane::rank::readPMIxTable(Launcher);
  if (!Ranks) {
    protocol::Failure Failed;
    Failed.Error = toString(Ranks.takeError());
    outs() << toJSON(Failed) << "\n";
    return 1;
  }
  json::Array Array;
  for (const job::Started &One : *Ranks)
    Array.push_back(json::Object{
        {"rank", *One.Rank}, {"host", One.Host}, {"pid", One.Pid}});
  outs() << json::Value(std::move(Array)) << "\n";
  return 0;
}

int main(int Count, char **Arguments) {
  if (Count == 2 && (StringRef(Arguments[1]) == "--help" ||
                     StringRef(Arguments[1]) == "-h")) {
    fputs(Usage, stdout);
    return 0;
  }
  if (uint32_t Launcher; Count == 3 &&
                         StringRef(Arguments[1]) == "--ranks-of" &&
                         !StringRef(Arguments[2]).getAsInteger(10, Launcher))
    return printRanks(pid_t(Launcher));
  Expected<Options> Wanted = parse(Count, Arguments);
  if (!Wanted) {
    const std::string Why = toString(Wanted.takeError());
    fprintf(stderr, "wavelane-rank: %s\n%s", Why.c_str(), Usage);
    return 2;
  }
  if (Wanted->JobFromInput)
    for (const char *Name : {job::AddressVariable, job::SecretVariable})
      ::setenv(Name, readLine().c_str(), /*overwrite=*/1);
  const char *Address = ::getenv(job::AddressVariable);
  const char *Secret = ::getenv(job::SecretVariable);
  if (!Address || !*Address || !Secret || !*Secret)
    return fail(2, std::string("no debugger waits for it: WAVELANE_JOB and "
                               "WAVELANE_JOB_SECRET aren't set (`job listen` "
                               "in LLDB prints them)"));
  if (Error Failed = describe(*Wanted)) {
    // As a shell does it.
    int Status = 127;
    std::string Why;
    handleAllErrors(std::move(Failed), [&](const ErrorInfoBase &Info) {
      if (Info.convertToErrorCode() == std::errc::permission_denied)
        Status = 126;
      Why = Info.message();
    });
    return fail(Status, Why);
  }
  const std::string Name =
      "rank " + std::to_string(Wanted->Registered.Rank) + ": ";
  // The program would run on another GPU than the one that was asked for.
  if (Error Wrong = protocol::checkVariables())
    return fail(2, Name + toString(std::move(Wrong)));
  // All ranks have the same variables: one of them warns of mistyped ones.
  if (Wanted->Registered.Rank != 0 && !protocol::findMistyped().empty())
    ::setenv(protocol::WarnedVariable, "1", 1);
  auto Connection =
      ::wavelane::rank::report(Address, Secret, Wanted->Registered);
  if (!Connection)
    return fail(1, Name + toString(Connection.takeError()));
  auto [Socket, Terms] = std::move(*Connection);
  ::unsetenv(job::AddressVariable);
  ::unsetenv(job::SecretVariable);
  const std::string Server = ownFolder() + "/bin/lldb-server";
  if (Wanted->Process)
    return fail(126, Name + toString(::wavelane::rank::serve(
                                Server, Socket, Wanted->Process,
                                Terms.EndsWithDebugger)));
  // Not for lldb-server, which gets this environment.
  const Variables Variables = getVariables(Terms, Wanted->Registered.Program);
  // Ranks have the same addresses, as programs that LLDB starts have.
  ::personality(ADDR_NO_RANDOMIZE);
  if (Error Failed =
          ::wavelane::rank::handOver(Server, Socket, Terms.EndsWithDebugger))
    return fail(126, Name + toString(std::move(Failed)));
  for (const auto &[Name, Value] : Variables)
    ::setenv(Name.c_str(), Value.c_str(), /*overwrite=*/1);
  ::execvp(Wanted->Program[0], Wanted->Program);
  return fail(126,
              Name + Wanted->Registered.Program + ": " + std::strerror(errno));
}
