//===-- SilentErrors.cpp - mistakes that a program doesn't notice ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For debuggers: wavelane_on_silent_error is called with each mistake that
// shows in nothing but wrong results. A debugger knows better than the runtime
// whether a function's result is used, so an error is told with its callers.
//
//===----------------------------------------------------------------------===//

#include "../Common/StartDevice.h"
#include "Api.h"

#include <cstdlib>
#include <cxxabi.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane::runtime;

namespace {
/// What the debugger reads.
struct SilentError {
  static constexpr unsigned Depth = 8;
  uint32_t Number; ///< hipError_t, or hipSuccess for a mistake without one
  uint32_t Reserved;
  const char *Text;
  uint64_t Callers[Depth]; ///< return addresses, innermost first; 0 after the
                           ///< last
};

/// The first error that no one has asked for with hipGetLastError.
struct Unread {
  std::mutex Lock;
  std::atomic<bool> Any{false};
  pthread_t Thread = {};
  SilentError Error = {};
};
} // namespace

extern "C" __attribute__((visibility("default"), noinline)) void
wavelane_on_silent_error(void *Error) {
  asm volatile("" : : "r"(Error) : "memory");
}

static Unread &unread() {
  // Never destroyed: other libraries' destructors may call HIP.
  static auto *TheUnread = new Unread;
  return *TheUnread;
}

static void addCallers(SilentError &E) {
  void *Callers[SilentError::Depth];
  const int Count = backtrace(Callers, SilentError::Depth);
  for (int I = 0; I < Count; ++I)
    E.Callers[I] = reinterpret_cast<uint64_t>(Callers[I]);
}

static void tellUnread() {
  Unread &U = unread();
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (U.Any.exchange(false))
    wavelane_on_silent_error(&U.Error);
}

static void tellUnfinished() {
  static std::atomic<bool> IsTold{false};
  if (IsTold.exchange(true))
    return;
  // A packet may be retired a little after what the program waited for. A
  // debugger gets more time: the kernel's faults and breakpoints are told in
  // it. Time at a stop doesn't count.
  const unsigned Tries = wavelane::simulator::isTraced() ? 300 : 20;
  Runtime &R = Runtime::get();
  std::string Kernel;
  for (unsigned I = 0; I < Tries; ++I) {
    if (R.Forked || !R.Device.isAlive())
      return;
    Kernel = R.findUnfinished();
    if (Kernel.empty())
      return;
    usleep(5000);
  }
  const std::string Text =
      "the program ends before kernel " + Kernel +
      ", whose results and faults are lost: hipDeviceSynchronize() waits for "
      "it";
  SilentError E = {};
  E.Text = Text.c_str();
  wavelane_on_silent_error(&E);
}

void wavelane::runtime::tellUnfinishedAtExit() {
  static const int Registered = atexit(tellUnfinished);
  (void)Registered;
}

/// A debugger lets the program run this instead of the C library's _exit, which
/// calls no function of a library.
extern "C" __attribute__((visibility("default"), noreturn)) void
wavelane_exit(int Status) {
  // Neither the child of a program nor its threads have the device.
  if (!Runtime::get().Forked) {
    tellUnread();
    tellUnfinished();
  }
  syscall(SYS_exit_group, Status);
  __builtin_trap();
}

void wavelane::runtime::noteError(hipError_t E) {
  Unread &U = unread();
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (U.Any)
    return;
  static const int Registered = atexit(tellUnread);
  (void)Registered;
  U.Thread = pthread_self();
  U.Error = {};
  U.Error.Number = uint32_t(E);
  U.Error.Text = hipGetErrorName(E);
  addCallers(U.Error);
  U.Any = true;
}

void wavelane::runtime::forgetError() {
  Unread &U = unread();
  if (!U.Any)
    return;
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (pthread_equal(U.Thread, pthread_self()))
    U.Any = false;
}

/// The name as in the source.
static std::string plainName(const std::string &Name) {
  int Status = 0;
  char *Plain = abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status);
  std::string Result = Status == 0 && Plain ? Plain : Name;
  free(Plain);
  return Result;
}

void wavelane::runtime::checkArgumentBlock(const Kernel &K, size_t Size) {
  size_t End = 0;
  for (const KernelArgument &A : K.Arguments)
    if (A.Kind.compare(0, 7, "hidden_") != 0)
      End = std::max<size_t>(End, A.Offset + A.Size);
  // A struct's size is a multiple of its alignment.
  if (Size >= End && Size <= (End + 15) / 16 * 16)
    return;
  SilentError E = {};
  const std::string Text = "the argument block has " + std::to_string(Size) +
                           " bytes, but the arguments of kernel " +
                           plainName(K.Name) + " take " + std::to_string(End);
  E.Text = Text.c_str();
  addCallers(E);
  wavelane_on_silent_error(&E);
}
