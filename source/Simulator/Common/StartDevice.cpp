//===-- StartDevice.cpp - starting wavelane-gpu ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StartDevice.h"
#include "Spawn.h"
#include "Wire.h"
#include "wavelane/GPU/VisibleDevices.h"
#include "wavelane/Protocol/Device/FaultNotes.h"
#include "wavelane/Protocol/Device/MemoryLimit.h"
#include "wavelane/Protocol/Device/RunOptions.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace wavelane;
using namespace wavelane::simulator;

std::optional<std::string> simulator::environmentVariable(const char *Name) {
  const char *Value = secure_getenv(Name);
  return Value ? std::optional<std::string>(Value) : std::nullopt;
}

bool simulator::sizeMemoryFile(int File, uint64_t Size, std::string &Error) {
  // Beyond the limit, ftruncate() ends the process by SIGXFSZ.
  rlimit Limit;
  if (getrlimit(RLIMIT_FSIZE, &Limit) == 0 && Limit.rlim_cur < Size) {
    Error = "it needs a sparse file of " + std::to_string(Size >> 30) +
            " GB, which `ulimit -f` must allow";
    return false;
  }
  if (ftruncate(File, off_t(Size)) == 0)
    return true;
  Error = strerror(errno);
  return false;
}

static std::string findDevice(std::string &Error) {
  if (const char *Own = secure_getenv("WAVELANE_GPU")) {
    if (access(Own, X_OK) == 0)
      return Own;
    Error = std::string("WAVELANE_GPU names ") + Own +
            ", which is not a program that can be run";
    return std::string();
  }
  Dl_info Info;
  std::string Folder;
  if (dladdr(reinterpret_cast<void *>(&startDevice), &Info) && Info.dli_fname) {
    char Real[PATH_MAX];
    if (realpath(Info.dli_fname, Real))
      Folder = Real;
    const size_t Slash = Folder.rfind('/');
    Folder.resize(Slash == std::string::npos ? 0 : Slash);
  }
  for (const char *Way : {"/../bin/", "/../../bin/", "/"}) {
    const std::string Path = Folder + Way + "wavelane-gpu";
    if (access(Path.c_str(), X_OK) == 0)
      return Path;
  }
  Error = "wavelane-gpu is not beside the library in " + Folder +
          " (set WAVELANE_GPU to its path)";
  return std::string();
}

/// Starts a device with \a File as its descriptor 4, unless that is -1.
static bool spawnDevice(std::vector<std::string> Options, int File, int &Socket,
                        std::string &Path, std::string &Error) {
  Path = findDevice(Error);
  if (Path.empty())
    return false;
  int Pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair) != 0) {
    Error = std::string("socketpair: ") + strerror(errno);
    return false;
  }
  // Avoid the descriptor numbers that the device expects.
  const int Theirs = fcntl(Pair[1], F_DUPFD_CLOEXEC, 16);
  const int Memory = File < 0 ? -1 : fcntl(File, F_DUPFD_CLOEXEC, 16);
  close(Pair[1]);
  Socket = Pair[0];
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Theirs, 3);
  if (Memory >= 0)
    posix_spawn_file_actions_adddup2(&Actions, Memory, 4);
  std::vector<std::string> Arguments = {Path, "--socket", "3", "--pid",
                                        std::to_string(getpid())};
  Arguments.insert(Arguments.end(), Options.begin(), Options.end());
  const int Failed = spawnApart(std::move(Arguments), Actions);
  posix_spawn_file_actions_destroy(&Actions);
  close(Theirs);
  if (Memory >= 0)
    close(Memory);
  if (!Failed)
    return true;
  Error = "cannot start " + Path + ": " + strerror(Failed);
  close(Socket);
  return false;
}

/// Options of each device, also of a core's.
static void addCommonOptions(std::vector<std::string> &Options) {
  if (const char *Limit = secure_getenv(MemoryLimitVariable); Limit && *Limit)
    Options.insert(Options.end(), {MemoryLimitOption, Limit});
  if (const char *Checks = secure_getenv(ChecksVariable); Checks && *Checks)
    Options.insert(Options.end(), {"--check", Checks});
  if (const char *Folder = secure_getenv(CheckFolderVariable);
      Folder && *Folder)
    Options.insert(Options.end(), {"--check-folder", Folder});
}

bool simulator::startCoreDevice(int &Socket, std::string &Error) {
  std::vector<std::string> Options = {"--core", "1"};
  addCommonOptions(Options);
  std::string Path;
  return spawnDevice(std::move(Options), -1, Socket, Path, Error);
}

bool simulator::startDevice(const char *Option, int MemoryFd,
                            const char *Processor, int &Socket,
                            HelloReply &Device, std::string &Error) {
  std::vector<std::string> Options = {Option, "4"};
  if (const char *Units = secure_getenv("WAVELANE_CUS"); Units && *Units)
    Options.insert(Options.end(), {"--cus", Units});
  if (const char *Translate = secure_getenv(TranslateVariable);
      Translate && *Translate)
    Options.insert(Options.end(), {"--translate", Translate});
  if (const char *Threads = secure_getenv(ThreadsVariable); Threads && *Threads)
    Options.insert(Options.end(), {"--threads", Threads});
  if (const char *Late = secure_getenv(LateFaultsVariable); Late && *Late)
    Options.insert(Options.end(), {LateFaultsOption, Late});
  if (const char *File = secure_getenv(RecordVariable); File && *File)
    Options.insert(Options.end(), {"--record", File});
  if (const char *Limit = secure_getenv(RecordLimitVariable); Limit && *Limit)
    Options.insert(Options.end(), {"--record-limit", Limit});
  // With a number, a run is the same each time, also if it has races.
  if (const char *Number = secure_getenv(ScheduleVariable); Number && *Number)
    Options.insert(Options.end(), {"--threads", "1", "--schedule", Number});
  addCommonOptions(Options);
  const char *Own = secure_getenv("WAVELANE_PROCESSOR");
  Options.insert(
      Options.end(),
      {"--device",
       Own && *Own ? Own : gpu::enoughDevices(Processor, environmentVariable)});
  std::string Path;
  if (!spawnDevice(std::move(Options), MemoryFd, Socket, Path, Error))
    return false;

  HelloRequest Hello = {ProtocolVersion, PeerRole::Program, uint32_t(getpid()),
                        0};
  Message Reply;
  if (!sendMessage(Socket, MessageType::Hello, 0, 0, &Hello, sizeof(Hello)) ||
      !receiveMessage(Socket, Reply)) {
    Error = Path + " ended before it was ready";
    close(Socket);
    return false;
  }
  if (Reply.Header.result != 0 || !Reply.as(Device) ||
      Device.agent_count - 1 >= MaxAgents) {
    Error = Path + " has a different version than this library";
    close(Socket);
    return false;
  }
  return true;
}

bool simulator::isTraced() {
  std::ifstream Status("/proc/self/status");
  std::string Line;
  while (std::getline(Status, Line))
    if (Line.compare(0, 10, "TracerPid:") == 0)
      return strtol(Line.c_str() + 10, nullptr, 10) != 0;
  return false;
}

/// Whether a debugger has attached before this process had a device.
static bool hasWaitingDebugger() {
  std::string Error;
  const std::string Folder = runtimeDirectory(getpid(), Error);
  if (Folder.empty())
    return false;
  const int Mark = open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Mark < 0)
    return false;
  struct flock Lock = debuggerLock(getpid(), F_WRLCK);
  const bool IsHeld =
      fcntl(Mark, F_OFD_GETLK, &Lock) == 0 && Lock.l_type != F_UNLCK;
  close(Mark);
  return IsHeld;
}

uint32_t simulator::debuggerPatience() {
  const char *Debug = secure_getenv("HSA_ENABLE_DEBUG");
  const bool IsLaunched = Debug && strcmp(Debug, "1") == 0 && isTraced();
  return IsLaunched || hasWaitingDebugger() ? 10000 : 0;
}
