//===-- LaneSteps.h - steps that follow the focus lane ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of a wave go through both sides of a branch one after the other,
// each side with its own lanes. A person who steps thinks of one lane: what
// other lanes do meanwhile is no step of his. So a step that ends where the
// focus lane is inactive goes on until that lane runs again.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_LANESTEPS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_LANESTEPS_H

#include "Lane/LaneFocus.h"
#include "ThreadAMDGPU.h"

#include "lldb/Symbol/LineEntry.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/ThreadPlan.h"
#include "lldb/Target/ThreadPlanStepUntil.h"

#include <vector>

namespace lldb_private {
namespace wavelane {

/// Lets a wave run, alone, until one of its lanes is active: breakpoints stand
/// behind each instruction of the functions on its stack that changes the mask
/// of active lanes, and the server passes those that don't bring the lane back.
class ThreadPlanWaitForLane : public ThreadPlan {
public:
  ThreadPlanWaitForLane(ThreadAMDGPU &wave, uint32_t lane);
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

  ThreadAMDGPU &m_wave;
  const uint32_t m_lane;
  std::vector<lldb::break_id_t> m_breakpoints;
};

/// One of LLDB's plans for steps by line (over, into), for the focus lane.
template <typename Base> class LaneStep : public Base {
public:
  template <typename... Arguments>
  explicit LaneStep(ThreadAMDGPU &wave, Arguments &&...arguments)
      : Base(wave, std::forward<Arguments>(arguments)...), m_wave(wave),
        m_lane(wave.GetFocusLane()) {}

  void DidPush() override {
    // Its own machinery would get in the way while the lane is waited for.
    if (IsActive())
      Base::DidPush();
    else
      Wait();
  }

  bool ShouldStop(Event *event_ptr) override {
    switch (m_state) {
    case eStepping:
      if (!Base::ShouldStop(event_ptr))
        return false;
      return IsActive() || !Wait();
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
  bool DoPlanExplainsStop(Event *event_ptr) override {
    return m_state == eStepping && Base::DoPlanExplainsStop(event_ptr);
  }

private:
  enum State {
    eStepping,    ///< As LLDB does.
    eWaiting,     ///< For the lane.
    eLeavingLine, ///< The lane runs, at a line that it was at before.
  };

  bool IsActive() {
    const llvm::BitVector active = m_wave.GetActiveLanes();
    return m_lane < active.size() && active.test(m_lane);
  }

  LineEntry GetLine() {
    lldb::StackFrameSP frame_sp = m_wave.GetStackFrameAtIndex(0);
    return frame_sp ? frame_sp->GetSymbolContext(lldb::eSymbolContextLineEntry)
                          .line_entry
                    : LineEntry();
  }

  bool Finish() {
    this->m_no_more_plans = true;
    return true;
  }

  bool Push(const lldb::ThreadPlanSP &plan_sp, State state) {
    plan_sp->SetPrivate(true);
    this->m_no_more_plans = false;
    m_state = state;
    return true;
  }

  bool Wait() {
    if (m_state == eStepping)
      m_from = this->m_addr_context.line_entry;
    lldb::ThreadPlanSP plan_sp =
        std::make_shared<ThreadPlanWaitForLane>(m_wave, m_lane);
    if (m_wave.QueueThreadPlan(plan_sp, /*abort_other_plans=*/false).Fail())
      return false;
    return Push(plan_sp, eWaiting);
  }

  bool Woken() {
    // What is still on the line that the lane comes from is its branch.
    const LineEntry line = GetLine();
    if (line.IsValid() && line.line != 0 && line.line != m_from.line)
      return Finish();
    lldb::StackFrameSP frame_sp = m_wave.GetStackFrameAtIndex(0);
    if (!frame_sp)
      return Finish();
    const SymbolContext &context =
        frame_sp->GetSymbolContext(lldb::eSymbolContextEverything);
    Status status;
    lldb::ThreadPlanSP plan_sp =
        line.IsValid()
            ? m_wave.QueueThreadPlanForStepOverRange(
                  /*abort_other_plans=*/false, line, context,
                  lldb::eOnlyThisThread, status, eLazyBoolCalculate)
            : m_wave.QueueThreadPlanForStepOverRange(
                  /*abort_other_plans=*/false,
                  AddressRange(frame_sp->GetFrameCodeAddress(), 4), context,
                  lldb::eOnlyThisThread, status, eLazyBoolCalculate);
    if (!plan_sp || status.Fail())
      return Finish();
    Push(plan_sp, eLeavingLine);
    return false;
  }

  ThreadAMDGPU &m_wave;
  const uint32_t m_lane;
  State m_state = eStepping;
  LineEntry m_from;
};

/// Runs until one of some addresses is come to by the focus lane. LLDB refuses
/// to where there is no caller to return to before.
class ThreadPlanWaveUntil : public ThreadPlanStepUntil {
public:
  /// \param follows_lane  Whether other lanes pass the addresses.
  ThreadPlanWaveUntil(ThreadAMDGPU &wave, lldb::addr_t *addresses, size_t count,
                      uint32_t frame_idx, bool follows_lane);

  bool ValidatePlan(Stream *error) override {
    return m_in_kernel || ThreadPlanStepUntil::ValidatePlan(error);
  }
  bool ShouldStop(Event *event_ptr) override;

protected:
  bool DoPlanExplainsStop(Event *event_ptr) override;

private:
  ThreadAMDGPU &m_wave;
  const bool m_in_kernel;
  const bool m_follows_lane;
  const uint32_t m_lane;
  const std::vector<lldb::addr_t> m_addresses;
  bool m_passes = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
