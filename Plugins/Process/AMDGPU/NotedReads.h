//===-- NotedReads.h - reads of memory that are done together ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_NOTEDREADS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_NOTEDREADS_H

#include "lldb/lldb-types.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>

namespace lldb_private {
namespace wavelane {

/// A thread that will read many places lets its reads fail once, so that they
/// are known, and can be done together (ReadsTogether).
class NotedReads {
public:
  /// An address and a number of bytes.
  using Read = std::pair<lldb::addr_t, size_t>;

  /// The reads of this thread are noted from now on.
  void Begin() {
    m_reads.clear();
    m_thread = std::this_thread::get_id();
  }
  /// \return True if the read is to be done later; otherwise it counts.
  bool Add(lldb::addr_t address, size_t size) {
    if (m_thread.load() == std::this_thread::get_id()) {
      m_reads.emplace(address, size);
      return true;
    }
    ++m_count;
    return false;
  }
  /// Ends what Begin() has begun, and returns what was noted, by address.
  std::set<Read> Take() {
    m_thread = std::thread::id();
    return std::exchange(m_reads, {});
  }
  /// The reads that weren't noted, of all threads.
  uint64_t GetCount() const { return m_count; }

private:
  std::atomic<std::thread::id> m_thread{std::thread::id()};
  std::set<Read> m_reads; ///< that thread's
  std::atomic<uint64_t> m_count{0};
};

} // namespace wavelane
} // namespace lldb_private

#endif
