//===-- JobBreakpoints.h - breakpoints of all ranks -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_JOBBREAKPOINTS_H
#define WAVELANE_SESSION_JOB_JOBBREAKPOINTS_H

#include "Session/Coupling/BreakpointMirror.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <list>
#include <mutex>
#include <string>

namespace lldb_private {
namespace wavelane {

/// Keeps the breakpoints of a job's host targets equal, by way of the target
/// from which the job was started: that one has no process, and keeps them for
/// the next job. Each host target shares them with its GPU's.
class JobBreakpoints {
public:
  explicit JobBreakpoints(const lldb::TargetSP &hub_sp) : m_hub_wp(hub_sp) {}

  /// Gives a rank's target the job's breakpoints.
  void Add(const lldb::TargetSP &target_sp, uint32_t rank);
  /// Makes all equal.
  void Synchronize();
  /// Until it is let go, nothing is made equal: a new breakpoint gets its name
  /// after LLDB has reported it.
  void Hold(bool holds);

  /// The name of breakpoints that are only those of some ranks: "ranks_0to3_7".
  static std::string MakeName(llvm::ArrayRef<uint32_t> ranks);
  /// Whether a rank has the breakpoint.
  static bool IsOf(Breakpoint &breakpoint, uint32_t rank);

private:
  struct RankTarget {
    lldb::TargetWP target_wp;
    BreakpointMirror mirror{BreakpointMirror::Sides::Alike};
  };

  const lldb::TargetWP m_hub_wp;
  std::mutex m_mutex;
  std::list<RankTarget> m_rank_targets;
  bool m_is_held = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
