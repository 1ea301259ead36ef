//===-- BreakpointNotes.h - What a breakpoint doesn't do --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_BREAKPOINTNOTES_H
#define WAVELANE_TOOLS_LLDB_DAP_BREAKPOINTNOTES_H

#include "Protocol/ProtocolTypes.h"
#include "lldb/API/SBDebugger.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace lldb_dap::wavelane {

/// Notifies the client of a breakpoint that isn't on the line that it asked
/// for, or that doesn't stop in each copy of its line. GPU code is loaded later
/// than the breakpoint is set.
class BreakpointNotes {
public:
  /// The client has asked for a breakpoint.
  void Ask(int64_t id, std::string path, uint32_t line);

  /// Sets the message of a breakpoint that is reported to the client. One that
  /// doesn't stop at all isn't verified.
  void AddTo(protocol::Breakpoint &breakpoint, lldb::SBDebugger debugger) const;

private:
  struct Place {
    std::string path;
    uint32_t line;
  };
  mutable std::mutex m_mutex;
  std::map<int64_t, Place> m_wanted; ///< by the breakpoint's number
};

} // namespace lldb_dap::wavelane

#endif
