//===-- Connection.cpp - starting the device and talking to it ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime.h"

#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavelane::runtime;

extern char **environ;

void wavelane::runtime::complain(const char *Format, ...) {
  char Text[1024];
  va_list List;
  va_start(List, Format);
  vsnprintf(Text, sizeof(Text), Format, List);
  va_end(List);
  fprintf(stderr, "wavelane: %s\n", Text);
}

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
  if (dladdr(reinterpret_cast<void *>(&complain), &Info) && Info.dli_fname) {
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
  Error = "wavelane-gpu is not beside the runtime library in " + Folder +
          " (set WAVELANE_GPU to its path)";
  return std::string();
}

/// Threads of ours take no signals: those are the program's.
template <typename Function> static void startThread(Function F) {
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  std::thread(F).detach();
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

bool Connection::start(Arena &A, const char *Processor, std::string &Error) {
  Memory = &A;
  const std::string Path = findDevice(Error);
  if (Path.empty())
    return false;
  int Pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair) != 0) {
    Error = std::string("socketpair: ") + strerror(errno);
    return false;
  }
  // Out of the way of the numbers that the device gets.
  const int Theirs = fcntl(Pair[1], F_DUPFD_CLOEXEC, 16);
  const int File = fcntl(A.fd(), F_DUPFD_CLOEXEC, 16);
  close(Pair[1]);
  Fd = Pair[0];

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
      Path, "--socket", "3", "--arena", "4", "--pid", std::to_string(getpid())};
  if (const char *Units = getenv("WAVELANE_CUS"))
    Arguments.insert(Arguments.end(), {"--cus", Units});
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
  // The device is no child of the program, which may wait for all of its
  // children and must see no SIGCHLD of ours: a process in between starts it
  // and ends. It shares our memory and stack while this thread waits without
  // taking signals. A debugger that follows children doesn't see it: not
  // CLONE_VFORK, whose end is told even of an untraced child.
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
    return false;
  }

  HelloRequest Hello = {ProtocolVersion, PeerRole::Program, uint32_t(getpid()),
                        0};
  Message Reply;
  if (!sendMessage(Fd, MessageType::Hello, 0, 0, &Hello, sizeof(Hello)) ||
      !receiveMessage(Fd, Reply)) {
    Error = Path + " ended before it was ready";
    return false;
  }
  if (Reply.Header.result != 0 || !Reply.as(Device) ||
      Device.agent_count - 1 >= MaxAgents) {
    Error = Path + " is of another version than this runtime";
    return false;
  }
  Alive = true;
  startThread([this] { readLoop(); });
  startThread([] { Runtime::get().Hostcalls.serve(); });
  return true;
}

void Connection::readLoop() {
  Message M;
  while (receiveMessage(Fd, M)) {
    if (M.Header.type == MessageType::QueueError) {
      QueueErrorEvent E;
      if (M.as(E)) {
        E.instruction[sizeof(E.instruction) - 1] = 0;
        Runtime::get().queueError(E);
      }
      continue;
    }
    std::lock_guard<std::mutex> Guard(ReplyLock);
    if (Awaited.count(M.Header.sequence))
      Replies[M.Header.sequence] = std::move(M);
    ReplyReady.notify_all();
  }
  Runtime::get().deviceLost();
  {
    std::lock_guard<std::mutex> Guard(ReplyLock);
    Alive = false;
  }
  ReplyReady.notify_all();
  wakeAll();
}

int Connection::request(MessageType Type, const void *Data, size_t Size,
                        Message *Reply) {
  std::unique_lock<std::mutex> Guard(ReplyLock);
  if (!Alive)
    return -EPIPE;
  const uint32_t Mine = ++Sequence;
  Awaited.insert(Mine);
  Guard.unlock();
  {
    std::lock_guard<std::mutex> Send(SendLock);
    sendMessage(Fd, Type, Mine, 0, Data, Size);
  }
  Guard.lock();
  ReplyReady.wait(Guard, [&] { return !Alive || Replies.count(Mine); });
  Awaited.erase(Mine);
  auto It = Replies.find(Mine);
  if (It == Replies.end())
    return -EPIPE;
  const int Result = It->second.Header.result;
  if (Reply)
    *Reply = std::move(It->second);
  Replies.erase(It);
  return Result;
}

void Connection::doorbell(uint32_t QueueId) {
  QueueRequest R = {QueueId, 0};
  std::lock_guard<std::mutex> Send(SendLock);
  sendMessage(Fd, MessageType::Doorbell, 0, 0, &R, sizeof(R));
}

void Connection::wakeAll() {
  ArenaHeader *H = Memory->header();
  __atomic_add_fetch(&H->interrupts, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &H->interrupts, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool Connection::waitFor(const std::function<bool()> &Done) {
  ArenaHeader *H = Memory->header();
  __atomic_add_fetch(&H->waiters, 1, __ATOMIC_SEQ_CST);
  bool Result = true;
  for (;;) {
    const uint32_t Seen = __atomic_load_n(&H->interrupts, __ATOMIC_SEQ_CST);
    if (Done())
      break;
    if (!Alive) {
      Result = false;
      break;
    }
    syscall(SYS_futex, &H->interrupts, FUTEX_WAIT, Seen, nullptr, nullptr, 0);
  }
  __atomic_sub_fetch(&H->waiters, 1, __ATOMIC_SEQ_CST);
  return Result;
}

void Connection::disown() {
  Alive = false;
  if (Fd >= 0)
    close(Fd);
  Fd = -1;
}
