//===-- HipErrors.cpp - a debugger hears of HIP's errors ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipErrors.h"

#include <atomic>
#include <cstdlib>
#include <execinfo.h>
#include <mutex>
#include <pthread.h>

using namespace wavelane::simulator;

namespace {
/// The first error that no one has asked for with hipGetLastError.
struct UnreadError {
  std::mutex Lock;
  std::atomic<bool> Any{false};
  pthread_t Thread = {};
  SilentError Error;
};
} // namespace

extern "C" __attribute__((visibility("default"), noinline)) void
wavelane_on_silent_error(const void *Error) {
  asm volatile("" : : "r"(Error) : "memory");
}

extern "C" __attribute__((visibility("default"), noinline)) void
__hipOnError(const void *Info) {
  asm volatile("" : : "r"(Info) : "memory");
}

void wavelane::simulator::reportError(uint32_t Number, const char *Name,
                                      const char *Text) {
  struct {
    uint32_t Number;
    const char *Name, *Text;
  } Info{Number, Name, Text};
  __hipOnError(&Info);
}

static UnreadError &unread() {
  // Never destroyed: other libraries' destructors may call HIP.
  static auto *TheUnread = new UnreadError;
  return *TheUnread;
}

void wavelane::simulator::addCallers(SilentError &E) {
  void *Callers[SilentError::Depth];
  const int Count = backtrace(Callers, SilentError::Depth);
  for (int I = 0; I < Count; ++I)
    E.Callers[I] = reinterpret_cast<uint64_t>(Callers[I]);
}

void wavelane::simulator::report(const SilentError &E) {
  wavelane_on_silent_error(&E);
}

void wavelane::simulator::reportUnreadError() {
  UnreadError &U = unread();
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (U.Any.exchange(false))
    report(U.Error);
}

void wavelane::simulator::noteError(uint32_t Number, const char *Name) {
  UnreadError &U = unread();
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (U.Any)
    return;
  static const int Registered = atexit(reportUnreadError);
  (void)Registered;
  U.Thread = pthread_self();
  U.Error = {};
  U.Error.Number = Number;
  U.Error.Text = Name;
  addCallers(U.Error);
  U.Any = true;
}

void wavelane::simulator::forgetError() {
  UnreadError &U = unread();
  if (!U.Any)
    return;
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (pthread_equal(U.Thread, pthread_self()))
    U.Any = false;
}
