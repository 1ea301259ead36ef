//===-- StartDevice.cpp - starting wavelane-gpu ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StartDevice.h"
#include "Wire.h"

#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace wavelane;
using namespace wavelane::simulator;

extern char **environ;

static std::string findDevice(std::string &Error) {
  if (const char *Own = getenv("WAVELANE_GPU")) {
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

bool simulator::startDevice(const char *Option, int MemoryFd,
                            const char *Processor, int &Socket,
                            HelloReply &Device, std::string &Error) {
  const std::string Path = findDevice(Error);
  if (Path.empty())
    return false;
  int Pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair) != 0) {
    Error = std::string("socketpair: ") + strerror(errno);
    return false;
  }
  // Avoid the descriptor numbers that the device expects.
  const int Theirs = fcntl(Pair[1], F_DUPFD_CLOEXEC, 16);
  const int File = fcntl(MemoryFd, F_DUPFD_CLOEXEC, 16);
  close(Pair[1]);
  Socket = Pair[0];

  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Theirs, 3);
  posix_spawn_file_actions_adddup2(&Actions, File, 4);
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  sigset_t None, All;
  sigemptyset(&None);
  sigfillset(&All);
  posix_spawnattr_setsigmask(&Attributes, &None);
  posix_spawnattr_setsigdefault(&Attributes, &All);
  posix_spawnattr_setflags(&Attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> Arguments = {
      Path, "--socket", "3", Option, "4", "--pid", std::to_string(getpid())};
  if (const char *Units = getenv("WAVELANE_CUS"))
    Arguments.insert(Arguments.end(), {"--cus", Units});
  if (const char *Checks = getenv(ChecksVariable); Checks && *Checks) {
    Arguments.insert(Arguments.end(), {"--check", Checks});
    if (const char *Folder = getenv(CheckFolderVariable))
      Arguments.insert(Arguments.end(), {"--check-folder", Folder});
  }
  if (const char *Own = getenv("WAVELANE_PROCESSOR"))
    Processor = Own;
  Arguments.insert(Arguments.end(), {"--device", Processor});
  std::vector<char *> Argv, Environment;
  for (std::string &S : Arguments)
    Argv.push_back(&S[0]);
  Argv.push_back(nullptr);
  for (char **E = environ; E && *E; ++E)
    if (strncmp(*E, "LD_PRELOAD=", 11) != 0)
      Environment.push_back(*E);
  Environment.push_back(nullptr);
  // The device must not be a child of the program, which may wait for all of
  // its children and must not get a SIGCHLD for ours: an intermediate process
  // starts it and exits. That process shares our memory and stack while this
  // thread waits with signals blocked. Don't use CLONE_VFORK, whose end is
  // reported even for an untraced child, so that a debugger that follows
  // children doesn't see it.
  struct Spawn {
    const char *Path;
    posix_spawn_file_actions_t *Actions;
    posix_spawnattr_t *Attributes;
    char **Argv, **Environment;
    int Failed;
  } S = {Path.c_str(), &Actions,           &Attributes,
         Argv.data(),  Environment.data(), -1};
  alignas(16) static char Stack[64 << 10];
  sigset_t Old;
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  const pid_t Child = clone(
      [](void *Data) -> int {
        Spawn *S = static_cast<Spawn *>(Data);
        pid_t Device;
        S->Failed = posix_spawn(&Device, S->Path, S->Actions, S->Attributes,
                                S->Argv, S->Environment);
        _exit(0);
      },
      Stack + sizeof(Stack), CLONE_VM | CLONE_UNTRACED, &S);
  const int CloneError = Child < 0 ? errno : 0;
  if (Child > 0)
    while (waitpid(Child, nullptr, __WALL) < 0 && errno == EINTR)
      ;
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  const int Failed = CloneError ? CloneError : S.Failed;
  posix_spawn_file_actions_destroy(&Actions);
  posix_spawnattr_destroy(&Attributes);
  close(Theirs);
  close(File);
  if (Failed) {
    Error = "cannot start " + Path + ": " + strerror(Failed);
    close(Socket);
    return false;
  }

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

static bool isTraced() {
  std::ifstream Status("/proc/self/status");
  std::string Line;
  while (std::getline(Status, Line))
    if (Line.compare(0, 10, "TracerPid:") == 0)
      return strtol(Line.c_str() + 10, nullptr, 10) != 0;
  return false;
}

uint32_t simulator::debuggerPatience() {
  const char *Debug = getenv("HSA_ENABLE_DEBUG");
  return Debug && strcmp(Debug, "1") == 0 && isTraced() ? 10000 : 0;
}
