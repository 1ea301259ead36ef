//===-- Spawn.cpp - programs that no debugger follows ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavelane;

extern char **environ;

namespace {
/// What the intermediate process receives, and reports.
struct Spawn {
  const posix_spawn_file_actions_t *Actions;
  posix_spawnattr_t Attributes;
  std::vector<char *> Arguments, Environment;
  int *Status;
  int Failed = -1;
};
} // namespace

/// Runs in the intermediate process.
static int spawn(void *Data) {
  auto *S = static_cast<Spawn *>(Data);
  pid_t Child = 0;
  S->Failed = posix_spawn(&Child, S->Arguments[0], S->Actions, &S->Attributes,
                          S->Arguments.data(), S->Environment.data());
  if (!S->Failed && S->Status)
    while (waitpid(Child, S->Status, 0) < 0)
      if (errno != EINTR) {
        S->Failed = errno;
        break;
      }
  // Not _exit(), where a debugger of this memory may have a breakpoint.
  syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

int simulator::spawnApart(std::vector<std::string> Arguments,
                          const posix_spawn_file_actions_t &Actions,
                          int *Status) {
  Spawn S;
  S.Actions = &Actions;
  S.Status = Status;
  for (std::string &Argument : Arguments)
    S.Arguments.push_back(Argument.data());
  S.Arguments.push_back(nullptr);
  // The environment of a program that has more rights than its user isn't
  // trusted.
  static char Path[] = "PATH=/usr/bin:/bin";
  if (getauxval(AT_SECURE))
    S.Environment.push_back(Path);
  else
    for (char **E = environ; E && *E; ++E)
      if (strncmp(*E, "LD_PRELOAD=", 11) != 0)
        S.Environment.push_back(*E);
  S.Environment.push_back(nullptr);
  posix_spawnattr_init(&S.Attributes);
  sigset_t None, All, Old;
  sigemptyset(&None);
  sigfillset(&All);
  posix_spawnattr_setsigmask(&S.Attributes, &None);
  posix_spawnattr_setsigdefault(&S.Attributes, &All);
  posix_spawnattr_setflags(&S.Attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  // An intermediate process starts it and exits. That process shares our memory
  // while this thread waits with signals blocked. Don't use CLONE_VFORK, whose
  // end is reported even for an untraced child, so that a debugger that follows
  // children doesn't see it.
  static std::mutex Lock;
  std::lock_guard<std::mutex> Guard(Lock);
  alignas(16) static char Stack[64 << 10];
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  const pid_t Between =
      clone(spawn, Stack + sizeof(Stack), CLONE_VM | CLONE_UNTRACED, &S);
  if (Between < 0)
    S.Failed = errno;
  else
    while (waitpid(Between, nullptr, __WALL) < 0 && errno == EINTR)
      ;
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  posix_spawnattr_destroy(&S.Attributes);
  return S.Failed;
}
