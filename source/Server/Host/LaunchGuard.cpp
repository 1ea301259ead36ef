//===-- LaunchGuard.cpp - a program that ends with the server -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchGuard.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wavelane::server {

/// This process while the thread starts a program; otherwise 0.
static thread_local pid_t s_launcher = 0;

/// Called in the new process, before LLDB's launcher goes on.
static void EndWithParent() {
  if (!s_launcher)
    return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != s_launcher)
    ::_exit(EXIT_FAILURE);
}

LaunchGuard::LaunchGuard() {
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, EndWithParent);
  // Elsewhere the program couldn't be made to forget its parent.
#if defined(__x86_64__)
  if (registered == 0)
    s_launcher = ::getpid();
#endif
}

LaunchGuard::~LaunchGuard() { s_launcher = 0; }

/// Makes the stopped program call prctl(PR_SET_PDEATHSIG, 0), and puts its
/// registers and its code back.
static void ForgetParent(pid_t program) {
#if defined(__x86_64__)
  user_regs_struct saved;
  if (::ptrace(PTRACE_GETREGS, program, nullptr, &saved) != 0)
    return;
  errno = 0;
  const long code = ::ptrace(PTRACE_PEEKTEXT, program, saved.rip, nullptr);
  if (errno)
    return;
  // The segment of 32-bit code, whose system calls have other numbers.
  const bool is_32_bit = saved.cs == 0x23;
  constexpr long syscall = 0x050f, int_0x80 = 0x80cd, prctl_of_32_bit = 172;
  user_regs_struct call = saved;
  call.orig_rax = -1ull; // no interrupted call is begun again
  call.rax = is_32_bit ? prctl_of_32_bit : SYS_prctl;
  (is_32_bit ? call.rbx : call.rdi) = PR_SET_PDEATHSIG;
  (is_32_bit ? call.rcx : call.rsi) = 0;
  if (::ptrace(PTRACE_POKETEXT, program, saved.rip,
               (code & ~0xffffL) | (is_32_bit ? int_0x80 : syscall)) != 0)
    return;
  llvm::SmallVector<int, 2> signals;
  int status = 0;
  if (::ptrace(PTRACE_SETREGS, program, nullptr, &call) == 0)
    while (::ptrace(PTRACE_SINGLESTEP, program, nullptr, nullptr) == 0 &&
           llvm::sys::RetryAfterSignal(-1, ::waitpid, program, &status,
                                       __WALL) == program &&
           WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP)
      signals.push_back(WSTOPSIG(status));
  ::ptrace(PTRACE_POKETEXT, program, saved.rip, code);
  ::ptrace(PTRACE_SETREGS, program, nullptr, &saved);
  for (int signal : signals)
    ::kill(program, signal);
#endif
}

void LaunchGuard::Keep(pid_t program) {
  // With those of NativeProcessLinux::SetDefaultPtraceOpts.
  constexpr long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXIT |
                           PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                           PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                           PTRACE_O_TRACEVFORKDONE;
  if (::ptrace(PTRACE_SETOPTIONS, program, nullptr, options) == 0)
    ForgetParent(program);
}

} // namespace wavelane::server
