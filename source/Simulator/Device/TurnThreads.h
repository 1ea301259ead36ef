//===-- TurnThreads.h - threads that wait for the next turns ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_TURNTHREADS_H
#define WAVELANE_SIMULATOR_DEVICE_TURNTHREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <vector>

namespace wavelane::simulator {

/// A few threads that do work of half a millisecond again and again. Waking a
/// thread may take a tenth of that, so they stay awake for a moment after it.
class TurnThreads {
public:
  /// \param Count  The most threads, with the caller's.
  explicit TurnThreads(unsigned Count);
  /// Calls \a Turn with 0 in this thread, and with each number up to \a Count,
  /// exclusive, in another one, at the same time.
  void run(unsigned Count, llvm::function_ref<void(unsigned)> Turn);

private:
  struct Thread {
    enum StateKind { Asleep, Awake, Working };
    std::atomic<StateKind> State = Asleep;
    llvm::function_ref<void(unsigned)> Turn; ///< valid while Working
  };
  void work(unsigned Number);

  std::vector<Thread> Threads; ///< of the numbers from 1 on
  llvm::DefaultThreadPool Pool;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_TURNTHREADS_H
