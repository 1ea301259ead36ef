//===-- JobBreakpoints.h - breakpoints of all ranks -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_JOB_JOBBREAKPOINTS_H
#define WAVELANE_DEBUGGER_JOB_JOBBREAKPOINTS_H

#include "Coupling/BreakpointMirror.h"

#include <list>
#include <mutex>

namespace lldb_private {
namespace wavelane {

/// Keeps the breakpoints of a job's host targets equal, by way of the target
/// from which the job was started: that one has no process, and keeps them for
/// the next job. Each host target shares them with its GPU's.
class JobBreakpoints {
public:
  explicit JobBreakpoints(const lldb::TargetSP &hub_sp) : m_hub_wp(hub_sp) {}

  /// Gives the target the job's breakpoints.
  void Add(const lldb::TargetSP &target_sp);
  /// Makes all equal.
  void Synchronize();

private:
  struct Spoke {
    lldb::TargetWP target_wp;
    BreakpointMirror mirror{BreakpointMirror::Sides::Alike};
  };

  const lldb::TargetWP m_hub_wp;
  std::mutex m_mutex;
  std::list<Spoke> m_spokes;
};

} // namespace wavelane
} // namespace lldb_private

#endif
