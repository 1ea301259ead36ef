//===-- LaneCondition.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneCondition.h"
#include "LaneFocus.h"
#include "Provenance.h"
#include "Wave.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/StoppointCallbackContext.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include "lldb/Utility/Stream.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void LaneCondition::Install(Target &target) {
  std::unique_lock<std::recursive_mutex> lock;
  target.GetBreakpointList().GetListMutex(lock);
  for (const BreakpointSP &breakpoint_sp :
       target.GetBreakpointList().Breakpoints())
    if (!breakpoint_sp->IsInternal() && !breakpoint_sp->GetPrecondition())
      breakpoint_sp->SetPrecondition(
          std::make_shared<LaneCondition>(breakpoint_sp->GetID()));
}

/// The active lanes of the code at \a frame according to debug information;
/// none if it is wrong, which the commands for lanes report.
static llvm::BitVector GetCodeLanes(StackFrame &frame) {
  llvm::Expected<LaneSet> lanes = GetLanes(frame);
  if (lanes)
    return std::move(lanes->active);
  llvm::consumeError(lanes.takeError());
  return {};
}

void LaneCondition::ReportStale(Breakpoint &breakpoint,
                                const std::string &stale) {
  if (m_stale_hits++)
    return;
  Debugger::ReportWarning(
      llvm::formatv("the condition of breakpoint {0} depends on a stale value: "
                    "{1}; it may have changed since",
                    breakpoint.GetID(), stale),
      breakpoint.GetTarget().GetDebugger().GetID());
}

bool LaneCondition::EvaluatePrecondition(StoppointCallbackContext &context) {
  ExecutionContext exe_ctx(context.exe_ctx_ref);
  const ThreadSP &thread_sp = exe_ctx.GetThreadSP();
  // A wave's lanes come from the hardware, those of a CPU's loop from debug
  // information.
  auto *wave = dynamic_cast<Wave *>(thread_sp.get());
  Process *process = exe_ctx.GetProcessPtr();
  BreakpointSP breakpoint_sp = exe_ctx.GetTargetRef().GetBreakpointByID(m_id);
  StackFrameSP frame_sp =
      thread_sp ? thread_sp->GetStackFrameAtIndex(0) : nullptr;
  if (!process || !breakpoint_sp || !frame_sp)
    return true;
  BreakpointLocationSP location_sp =
      breakpoint_sp->FindLocationByAddress(frame_sp->GetFrameCodeAddress());
  if (!location_sp || !location_sp->GetCondition() ||
      (wave && wave->GetStopLanes()))
    return true;
  const llvm::BitVector active =
      wave ? wave->GetActiveLanes() : GetCodeLanes(*frame_sp);
  if (!wave && active.size() < 2)
    return true;
  // Report a failed evaluation once for a stop, not for each wave.
  if (m_failed_stop_id == process->GetStopID())
    return false;
  std::optional<unsigned> holds;
  std::string stale;
  {
    FocusLaneScope focus(*thread_sp);
    for (unsigned lane : active.set_bits()) {
      focus.Select(lane);
      ExecutionContext in_lane(thread_sp->GetStackFrameAtIndex(0));
      Status error;
      ProvenanceScope scope;
      const bool stops = location_sp->ConditionSaysStop(in_lane, error);
      if (stale.empty() && error.Success())
        stale = scope.Describe();
      // Treat it as a stop; LLDB evaluates the condition again and reports why
      // it failed.
      if (error.Fail())
        m_failed_stop_id = process->GetStopID();
      if (stops || error.Fail()) {
        holds = lane;
        break;
      }
    }
  }
  if (!stale.empty())
    ReportStale(*breakpoint_sp, stale);
  if (holds)
    SetFocusLane(*thread_sp, *holds);
  return true;
}

void LaneCondition::GetDescription(Stream &stream, DescriptionLevel level) {
  if (!m_stale_hits || level == eDescriptionLevelBrief)
    return;
  stream.EOL();
  stream.Indent();
  stream.Format("The condition was decided by stale values at {0} {1}.",
                m_stale_hits, m_stale_hits == 1 ? "hit" : "hits");
}
