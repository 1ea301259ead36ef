//===-- Targets.h - The targets of one session ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_TARGETS_H
#define WAVELANE_TOOLS_LLDB_DAP_TARGETS_H

#include "lldb/API/SBProcess.h"
#include "lldb/API/SBTarget.h"
#include <cstdint>
#include <vector>

namespace lldb_dap {
struct DAP;
}

namespace lldb_dap::wavelane {

/// The client's target and those that have appeared in its debugger since,
/// except those that have a session of their own. Each has a small number, the
/// client's 0.
class Targets {
public:
  explicit Targets(DAP &dap) : m_dap(dap) {}

  /// The session was started for one target of another session's debugger,
  /// with its GPU.
  void SetIsChild() { m_is_child = true; }
  bool IsChild() const { return m_is_child; }
  /// The others of the debugger have sessions of their own.
  void SetIsAlone() { m_is_alone = true; }

  bool Owns(lldb::SBTarget target) const;
  std::vector<lldb::SBTarget> GetAll() const;

  uint32_t GetNumber(lldb::SBTarget target);
  /// \return An invalid target if the number is unknown.
  lldb::SBTarget Get(uint32_t number) const;

  /// The target that the client shows.
  lldb::SBTarget GetSelected() const;
  /// It is that one while the debugger's is another session's.
  void SetShown(lldb::SBTarget target) { m_shown = target; }
  /// Makes it the debugger's again.
  void SelectShown();

  /// The target with something loaded at \p address: the selected one if
  /// several have, the client's if none has.
  lldb::SBTarget GetAt(lldb::addr_t address) const;

  bool IsAnyRunning() const;

  /// The process that has a stop to report: that of the selected target while
  /// it is stopped, since a process that stops others selects its target.
  lldb::SBProcess GetStoppedProcess() const;

private:
  DAP &m_dap;
  bool m_is_child = false;
  bool m_is_alone = false;
  lldb::SBTarget m_shown;
  /// The others, by number minus one.
  std::vector<lldb::SBTarget> m_others;
};

} // namespace lldb_dap::wavelane

#endif
