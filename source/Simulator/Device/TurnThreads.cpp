//===-- TurnThreads.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TurnThreads.h"

#include <chrono>
#include <thread>

using namespace wavelane::simulator;

/// Waits until \a Done() is true, but no longer than a tenth of a millisecond.
/// \return Whether it is.
template <class Function> static bool waitShortly(Function Done) {
  constexpr auto Patience = std::chrono::microseconds(100);
  const auto End = std::chrono::steady_clock::now() + Patience;
  while (!Done()) {
    if (std::chrono::steady_clock::now() >= End)
      return Done();
    // The other thread may want this core.
    std::this_thread::yield();
  }
  return true;
}

TurnThreads::TurnThreads(unsigned Count)
    : Threads(Count - 1), Pool(llvm::hardware_concurrency(Count - 1)) {}

void TurnThreads::work(unsigned Number) {
  Thread &T = Threads[Number - 1];
  for (;;) {
    if (!waitShortly([&T] { return T.State == Thread::Working; })) {
      Thread::StateKind Expected = Thread::Awake;
      if (T.State.compare_exchange_strong(Expected, Thread::Asleep))
        return;
    }
    T.Turn(Number);
    T.State = Thread::Awake;
  }
}

void TurnThreads::run(unsigned Count, llvm::function_ref<void(unsigned)> Turn) {
  for (unsigned I = 1; I < Count; ++I) {
    Thread &T = Threads[I - 1];
    T.Turn = Turn;
    if (T.State.exchange(Thread::Working) == Thread::Asleep)
      Pool.async([this, I] { work(I); });
  }
  Turn(0);
  for (unsigned I = 1; I < Count; ++I)
    while (!waitShortly(
        [&T = Threads[I - 1]] { return T.State != Thread::Working; }))
      std::this_thread::sleep_for(std::chrono::microseconds(20));
}
