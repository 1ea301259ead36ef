//===-- StepBreakpoints.h - breakpoints that a step ignores -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_STEPBREAKPOINTS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_STEPBREAKPOINTS_H

#include "lldb/lldb-types.h"

#include <mutex>
#include <set>

namespace lldb_private {
namespace wavelane {

/// Breakpoints that LLDB believes it has removed for a step. The server steps
/// over them by itself (packets::StepOver), so they stay where they are. The
/// coupling's thread resumes while others set breakpoints.
class StepBreakpoints {
public:
  void Keep(lldb::addr_t address) {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_addresses.insert(address);
  }
  /// Whether the breakpoint was one of them, which it isn't any more.
  bool Take(lldb::addr_t address) {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_addresses.erase(address);
  }

private:
  std::mutex m_mutex;
  std::set<lldb::addr_t> m_addresses;
};

} // namespace wavelane
} // namespace lldb_private

#endif
