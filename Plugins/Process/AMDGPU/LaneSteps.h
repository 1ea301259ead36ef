//===-- LaneSteps.h - steps that follow the focus lane ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave executes both sides of a branch one after the other, each with its own
// lanes. Stepping follows one lane: what other lanes do meanwhile isn't part of
// the step. So a step that ends where the focus lane is inactive continues
// until that lane is active again.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_LANESTEPS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_LANESTEPS_H

#include "Core/Lane/LaneFocus.h"
#include "Core/Support/LibraryCode.h"
#include "WaveThread.h"

#include "lldb/Symbol/LineEntry.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackID.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/ThreadPlan.h"
#include "lldb/Target/ThreadPlanStepInRange.h"
#include "lldb/Target/ThreadPlanStepUntil.h"

#include <type_traits>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Runs a wave alone until one of its lanes is active. Sets breakpoints after
/// each instruction that changes the mask of active lanes in the functions on
/// the wave's stack; the server skips those that leave the lane inactive.
class ThreadPlanWaitForLane : public ThreadPlan {
public:
  ThreadPlanWaitForLane(WaveThread &wave, uint32_t lane);
  ~ThreadPlanWaitForLane() override;

  void GetDescription(Stream *s, lldb::DescriptionLevel level) override;
  bool ValidatePlan(Stream *error) override;
  bool ShouldStop(Event *event_ptr) override;
  bool StopOthers() override { return true; }
  lldb::StateType GetPlanRunState() override { return lldb::eStateRunning; }
  bool WillStop() override { return true; }
  bool MischiefManaged() override;

protected:
  bool DoPlanExplainsStop(Event *event_ptr) override;

private:
  void RemoveBreakpoints();

  WaveThread &m_wave;
  const uint32_t m_lane;
  std::vector<lldb::break_id_t> m_breakpoints;
};

/// One of LLDB's plans for steps by line (over, into), for the focus lane.
template <typename Base> class LaneStep : public Base {
public:
  template <typename... Arguments>
  explicit LaneStep(WaveThread &wave, Arguments &&...arguments)
      : Base(wave, std::forward<Arguments>(arguments)...), m_wave(wave),
        m_lane(wave.GetFocusLane()), m_end(wave.DescribeEnd(m_lane)) {
    lldb::StackFrameSP frame_sp = wave.GetStackFrameAtIndex(0);
    m_starts_in_library = frame_sp && IsLibraryCode(*frame_sp);
    if (lldb::StackFrameSP own_sp = GetOwnFrame(wave)) {
      m_start_frame = own_sp->GetStackID();
      m_start_line = GetLine();
    }
    // Only step-in needs callbacks: step-over steps out of any callee.
    if constexpr (IsStepIn) {
      ThreadPlanShouldStopHere::ThreadPlanShouldStopHereCallbacks callbacks(
          ShouldStopHere, nullptr);
      this->SetShouldStopHereCallbacks(&callbacks, nullptr);
    }
  }

  void GetDescription(Stream *stream, lldb::DescriptionLevel level) override {
    if (m_end.empty())
      Base::GetDescription(stream, level);
    else
      stream->PutCString(m_end);
  }

  void DidPush() override {
    if (!m_end.empty())
      return;
    // LLDB's logic would interfere while waiting for the lane.
    if (IsActive())
      Base::DidPush();
    else
      Wait();
  }

  // A step of a lane that has ended stops without running.
  bool IsVirtualStep() override {
    return !m_end.empty() || Base::IsVirtualStep();
  }

  bool ShouldStop(Event *event_ptr) override {
    if (!m_end.empty())
      return Finish();
    switch (m_state) {
    case eStepping:
      if (!Base::ShouldStop(event_ptr))
        return false;
      return StopOrGoOn();
    case ePassingLibrary:
      return StopOrGoOn() && Finish();
    case eWaiting:
    case eLeavingLine:
      return Woken();
    }
    return true;
  }

  bool IsPlanStale() override {
    return m_state == eStepping && Base::IsPlanStale();
  }

protected:
  bool DoWillResume(lldb::StateType resume_state, bool current_plan) override {
    if (!m_end.empty() && current_plan)
      return false;
    return Base::DoWillResume(resume_state, current_plan);
  }

  bool DoPlanExplainsStop(Event *event_ptr) override {
    if (!m_end.empty())
      return true;
    return m_state == eStepping && Base::DoPlanExplainsStop(event_ptr);
  }

private:
  static constexpr bool IsStepIn = std::is_same_v<Base, ThreadPlanStepInRange>;

  enum State {
    eStepping,       ///< As LLDB does.
    eWaiting,        ///< For the lane to become active.
    eLeavingLine,    ///< The lane is active again in the middle of a line.
    ePassingLibrary, ///< Through library code called from the first line.
  };

  static bool ShouldStopHere(ThreadPlan *plan, Flags &flags,
                             lldb::FrameComparison operation, Status &status,
                             void *baton) {
    auto *step = static_cast<LaneStep *>(plan);
    if (step->IsInLibraryOfStart())
      return false;
    // The user's step knows the functions to enter.
    return Base::DefaultShouldStopHereCallback(
        step->m_users ? step->m_users : step, flags, operation, status, baton);
  }

  /// Queues a part of this step: over or into, as the user has asked for.
  lldb::ThreadPlanSP QueuePart(const AddressRange &range,
                               const SymbolContext &context, Status &status) {
    std::shared_ptr<LaneStep> part_sp;
    if constexpr (IsStepIn) {
      part_sp = std::make_shared<LaneStep>(
          m_wave, range, context, /*step_into_target=*/nullptr,
          lldb::eOnlyThisThread, eLazyBoolCalculate, eLazyBoolCalculate);
      part_sp->GetFlags() = this->GetFlags();
    } else {
      part_sp = std::make_shared<LaneStep>(
          m_wave, range, context, lldb::eOnlyThisThread, eLazyBoolCalculate);
    }
    part_sp->m_users = m_users ? m_users : this;
    lldb::ThreadPlanSP plan_sp = part_sp;
    status = m_wave.QueueThreadPlan(plan_sp, /*abort_other_plans=*/false);
    return plan_sp;
  }

  /// Whether the user still sees the line where the step began.
  bool IsAtStart() {
    lldb::StackFrameSP own_sp = GetOwnFrame(m_wave);
    const LineEntry line = GetLine();
    return own_sp && m_start_line.IsValid() && line.IsValid() &&
           own_sp->GetStackID() == m_start_frame &&
           line.line == m_start_line.line &&
           line.GetFile() == m_start_line.GetFile();
  }

  bool IsInLibraryOfStart() {
    lldb::StackFrameSP frame_sp = m_wave.GetStackFrameAtIndex(0);
    return frame_sp && IsLibraryCode(*frame_sp) &&
           GetOwnFrame(m_wave) != frame_sp && IsAtStart();
  }

  /// Called when LLDB's own step has ended.
  bool StopOrGoOn() {
    if (!IsActive())
      return !Wait();
    const bool goes_on =
        m_starts_in_library ? IsAtStart() : IsInLibraryOfStart();
    return !goes_on || !PassLibrary();
  }

  bool PassLibrary() {
    lldb::StackFrameSP frame_sp = m_wave.GetStackFrameAtIndex(0);
    const SymbolContext &context =
        frame_sp->GetSymbolContext(lldb::eSymbolContextEverything);
    if (!context.line_entry.IsValid())
      return false;
    Status status;
    lldb::ThreadPlanSP plan_sp =
        QueuePart(GetRange(context.line_entry), context, status);
    return status.Success() && Push(plan_sp, ePassingLibrary);
  }

  bool IsActive() {
    const llvm::BitVector active = m_wave.GetActiveLanes();
    return m_lane < active.size() && active.test(m_lane);
  }

  /// The code of a line around an entry, as LLDB's steps take it.
  static AddressRange GetRange(const LineEntry &line) {
    return line.GetSameLineContiguousAddressRange(
        /*include_inlined_functions=*/!IsStepIn);
  }

  /// The line that the user sees.
  LineEntry GetLine() {
    lldb::StackFrameSP frame_sp = GetOwnFrame(m_wave);
    return frame_sp ? frame_sp->GetSymbolContext(lldb::eSymbolContextLineEntry)
                          .line_entry
                    : LineEntry();
  }

  bool Finish() {
    // Otherwise the reason would be that of the last stop, or of one of the
    // plan's breakpoints.
    m_wave.SetStopInfo(StopInfo::CreateStopReasonToTrace(m_wave));
    // If the lane comes back in the middle of a line, LLDB's plan would
    // continue to the line's end.
    this->SetPlanComplete();
    this->m_no_more_plans = true;
    return true;
  }

  bool Push(const lldb::ThreadPlanSP &plan_sp, State state) {
    plan_sp->SetPrivate(true);
    this->m_no_more_plans = false;
    m_state = state;
    return true;
  }

  /// \return False if the lane can't come back, or it isn't known where.
  bool Wait() {
    if (!m_wave.DescribeEnd(m_lane).empty())
      return false;
    lldb::ThreadPlanSP plan_sp =
        std::make_shared<ThreadPlanWaitForLane>(m_wave, m_lane);
    if (m_wave.QueueThreadPlan(plan_sp, /*abort_other_plans=*/false).Fail())
      return false;
    return Push(plan_sp, eWaiting);
  }

  bool Woken() {
    // On the line where the step began, the lane is still in the middle of its
    // branch.
    const LineEntry line = GetLine();
    if (line.IsValid() && line.line != 0 && line.line != m_start_line.line)
      return Finish();
    lldb::StackFrameSP frame_sp = m_wave.GetStackFrameAtIndex(0);
    if (!frame_sp)
      return Finish();
    const SymbolContext &context =
        frame_sp->GetSymbolContext(lldb::eSymbolContextEverything);
    Status status;
    // What the lane calls there is entered by a step into: only other lanes
    // have called so far.
    lldb::ThreadPlanSP plan_sp =
        line.IsValid()
            ? QueuePart(GetRange(line), context, status)
            : m_wave.QueueThreadPlanForStepOverRange(
                  /*abort_other_plans=*/false,
                  AddressRange(frame_sp->GetFrameCodeAddress(), 4), context,
                  lldb::eOnlyThisThread, status, eLazyBoolCalculate);
    if (!plan_sp || status.Fail())
      return Finish();
    Push(plan_sp, eLeavingLine);
    return false;
  }

  WaveThread &m_wave;
  const uint32_t m_lane;
  /// The step that this one is a part of, below it in the wave's stack of
  /// plans; null for one that the user has asked for.
  LaneStep *m_users = nullptr;
  /// Why there is nothing to step, from WaveThread::DescribeEnd.
  const std::string m_end;
  State m_state = eStepping;
  StackID m_start_frame;
  LineEntry m_start_line;
  bool m_starts_in_library = false;
};

/// Runs until the focus lane reaches one of the addresses. LLDB's plan requires
/// a caller to return to.
class ThreadPlanWaveUntil : public ThreadPlanStepUntil {
public:
  /// \param follows_lane Whether to ignore other lanes at the addresses.
  ThreadPlanWaveUntil(WaveThread &wave, lldb::addr_t *addresses, size_t count,
                      uint32_t frame_idx, bool follows_lane);

  bool ValidatePlan(Stream *error) override {
    return m_in_kernel || ThreadPlanStepUntil::ValidatePlan(error);
  }
  bool ShouldStop(Event *event_ptr) override;

protected:
  bool DoPlanExplainsStop(Event *event_ptr) override;

private:
  WaveThread &m_wave;
  const bool m_in_kernel;
  const bool m_follows_lane;
  const uint32_t m_lane;
  const std::vector<lldb::addr_t> m_addresses;
  bool m_passes = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
