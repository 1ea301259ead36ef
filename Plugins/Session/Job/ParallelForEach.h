//===-- ParallelForEach.h - work on ranks in parallel -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_PARALLELFOREACH_H
#define WAVELANE_SESSION_JOB_PARALLELFOREACH_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// More threads than processors: each mostly waits for its rank's server.
inline constexpr size_t kMostThreads = 64;

/// Does \a work on each of \a items, on several threads, and waits for all.
template <typename Items, typename Work>
void ForEachInParallel(const Items &items, Work work) {
  std::atomic<size_t> next = 0;
  auto run = [&] {
    for (size_t i; (i = next++) < items.size();)
      work(items[i]);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(items.size(), kMostThreads); ++i)
    threads.emplace_back(run);
  run();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace wavelane
} // namespace lldb_private

#endif
