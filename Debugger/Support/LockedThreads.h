//===-- LockedThreads.h - the threads of a list -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_SUPPORT_LOCKEDTHREADS_H
#define WAVELANE_DEBUGGER_SUPPORT_LOCKEDTHREADS_H

#include "lldb/Target/ThreadList.h"
#include <mutex>

namespace lldb_private {
namespace wavelane {

/// The threads of a list, which is locked as long as this lives.
/// ThreadList::Threads() takes its range before the lock: if another thread
/// changes the list meanwhile, the range is that of freed memory.
class LockedThreads : private std::unique_lock<std::recursive_mutex>,
                      public ThreadList::ThreadIterable {
public:
  explicit LockedThreads(ThreadList &list)
      : std::unique_lock<std::recursive_mutex>(list.GetMutex()),
        ThreadList::ThreadIterable(list.Threads()) {}
};

} // namespace wavelane
} // namespace lldb_private

#endif
