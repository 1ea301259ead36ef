//===-- LaneCondition.h - a condition asked in every lane -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_CONDITION_LANECONDITION_H
#define WAVELANE_DEBUGGER_CONDITION_LANECONDITION_H

#include "lldb/Breakpoint/BreakpointPrecondition.h"
#include "lldb/Target/Target.h"

namespace lldb_private {
namespace wavelane {

/// LLDB asks a breakpoint's condition once for each thread. This moves the
/// focus of a wave, or of a thread in code with lanes, to the first active lane
/// for which the condition holds before LLDB asks. It stays what it was when
/// the condition holds for none.
class LaneCondition : public BreakpointPrecondition {
public:
  /// Sees to it that the user's breakpoints of \a target ask so.
  static void Install(Target &target);

  explicit LaneCondition(lldb::break_id_t id) : m_id(id) {}
  bool EvaluatePrecondition(StoppointCallbackContext &context) override;

private:
  const lldb::break_id_t m_id;
  /// The stop at which the condition couldn't be asked.
  uint32_t m_failed_stop_id = UINT32_MAX;
};

} // namespace wavelane
} // namespace lldb_private

#endif
