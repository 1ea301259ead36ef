//===-- StopLanes.h - the lanes that a stop is about ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_STOPLANES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_STOPLANES_H

#include "lldb/lldb-types.h"

#include <map>
#include <mutex>

namespace lldb_private {
class Process;
namespace process_gdb_remote {
class GDBRemoteCommunicationClient;
}

namespace wavelane {

/// For which lanes a condition holds or a watchpoint was hit, as the server
/// tells at a stop. Safe to use from several threads.
class StopLanes {
public:
  /// Asks the server, and looks at the first of the lanes.
  void Read(Process &process,
            process_gdb_remote::GDBRemoteCommunicationClient &client);

  /// Has the reasons of stops tell their lanes.
  void Describe(Process &process);

  /// The lanes of a wave, a bit each; 0 when none are known.
  uint64_t Get(lldb::tid_t tid) const;

private:
  mutable std::mutex m_mutex;
  std::map<lldb::tid_t, uint64_t> m_lanes;
};

} // namespace wavelane
} // namespace lldb_private

#endif
