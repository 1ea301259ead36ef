//===-- StopLanes.h - the lanes that a stop is about ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_STOPLANES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_STOPLANES_H

#include "lldb/lldb-types.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace lldb_private {
class Process;
namespace process_gdb_remote {
class GDBRemoteCommunicationClient;
}

namespace wavelane {

/// The lanes for which a condition holds or a watchpoint was hit, as the server
/// reports them at a stop. Thread-safe.
class StopLanes {
public:
  /// A bit for each lane, by wave.
  using Masks = std::map<lldb::tid_t, uint64_t>;

  /// Sets the masks of a new stop.
  void Set(Masks masks) {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_masks = std::move(masks);
  }
  Masks GetAll() const {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_masks;
  }
  /// 0 if unknown.
  uint64_t Get(lldb::tid_t tid) const {
    std::lock_guard<std::mutex> guard(m_mutex);
    auto found = m_masks.find(tid);
    return found == m_masks.end() ? 0 : found->second;
  }

private:
  mutable std::mutex m_mutex;
  Masks m_masks;
};

/// Asks the server, and makes the first of each wave's lanes its focus lane.
StopLanes::Masks
ReadStopLanes(Process &process,
              process_gdb_remote::GDBRemoteCommunicationClient &client);

/// Adds lanes to the records of stops, and to the descriptions of those at
/// watchpoints.
void DescribeStopLanes(Process &process, const StopLanes::Masks &masks);

} // namespace wavelane
} // namespace lldb_private

#endif
