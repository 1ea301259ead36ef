//===-- LaneCondition.h - a condition asked in every lane -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_LANECONDITION_H
#define WAVELANE_CORE_LANE_LANECONDITION_H

#include "lldb/Breakpoint/BreakpointPrecondition.h"
#include "lldb/Target/Target.h"

namespace lldb_private {
namespace wavelane {

/// LLDB evaluates a breakpoint's condition once for each thread. This moves the
/// focus of a wave, or of a thread in code with lanes, to the first active lane
/// for which the condition holds before LLDB evaluates it. The focus stays if
/// the condition holds for no lane.
class LaneCondition : public BreakpointPrecondition {
public:
  /// Installs this for the user's breakpoints of \a target.
  static void Install(Target &target);

  explicit LaneCondition(lldb::break_id_t id) : m_id(id) {}
  bool EvaluatePrecondition(StoppointCallbackContext &context) override;
  /// How often the condition was decided by stale variables.
  void GetDescription(Stream &stream, lldb::DescriptionLevel level) override;

private:
  /// Counts a hit whose condition reads stale variables, and says so once.
  void ReportStale(Breakpoint &breakpoint, const std::string &stale);

  const lldb::break_id_t m_id;
  /// The stop at which the condition couldn't be evaluated.
  uint32_t m_failed_stop_id = UINT32_MAX;
  /// The hits for which the condition read stale variables.
  unsigned m_stale_hits = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
