//===-- ThreadAMDGPU.h - a wave ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_THREADAMDGPU_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_THREADAMDGPU_H

#include "Unwind/AMDGPU/ChangedResult.h"
#include "WaveThread.h"
#include "lldb/Target/StackID.h"

#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

class WaveProcess;

class ThreadAMDGPU : public WaveThread {
public:
  ThreadAMDGPU(WaveProcess &process, lldb::tid_t tid);
  ~ThreadAMDGPU() override;

  /// The wave's name with the focus lane, such as "saxpy (1,0,0)/2, lane 17".
  const char *GetName() override;
  /// LLDB passes the stop's name for the wave, which may be null.
  void SetName(const char *name) override;
  void WillResume(lldb::StateType resume_state) override;
  Unwind &GetUnwinder() override;
  lldb::RegisterContextSP GetRegisterContext() override;
  /// Whoever asks for a frame may read its values: see NonStop.
  lldb::StackFrameSP GetStackFrameAtIndex(uint32_t idx) override;
  /// Forgetting frames doesn't need registers if they were never read.
  void ClearStackFrames() override;
  lldb::RegisterContextSP
  CreateRegisterContextForFrame(StackFrame *frame) override;

  // A step runs only its own wave: the others are held until it is done,
  // including calls that it steps over, or they would hit the same breakpoint
  // one after the other. ProcessAMDGPU::OthersRunAlong describes the
  // exceptions.
  lldb::ThreadPlanSP QueueThreadPlanForStepOverRange(
      bool abort_other_plans, const AddressRange &range,
      const SymbolContext &addr_context, lldb::RunMode stop_other_threads,
      Status &status,
      LazyBool step_out_avoids_code_without_debug_info) override;
  lldb::ThreadPlanSP QueueThreadPlanForStepOverRange(
      bool abort_other_plans, const LineEntry &line_entry,
      const SymbolContext &addr_context, lldb::RunMode stop_other_threads,
      Status &status,
      LazyBool step_out_avoids_code_without_debug_info) override;
  lldb::ThreadPlanSP QueueThreadPlanForStepInRange(
      bool abort_other_plans, const AddressRange &range,
      const SymbolContext &addr_context, const char *step_in_target,
      lldb::RunMode stop_other_threads, Status &status,
      LazyBool step_in_avoids_code_without_debug_info,
      LazyBool step_out_avoids_code_without_debug_info) override;
  lldb::ThreadPlanSP QueueThreadPlanForStepInRange(
      bool abort_other_plans, const LineEntry &line_entry,
      const SymbolContext &addr_context, const char *step_in_target,
      lldb::RunMode stop_other_threads, Status &status,
      LazyBool step_in_avoids_code_without_debug_info,
      LazyBool step_out_avoids_code_without_debug_info) override;
  lldb::ThreadPlanSP QueueThreadPlanForStepOut(
      bool abort_other_plans, SymbolContext *addr_context, bool first_insn,
      bool stop_other_threads, Vote report_stop_vote, Vote report_run_vote,
      uint32_t frame_idx, Status &status,
      LazyBool step_out_avoids_code_without_debug_info) override;
  lldb::ThreadPlanSP QueueThreadPlanForStepUntil(
      bool abort_other_plans, lldb::addr_t *address_list, size_t num_addresses,
      bool stop_others, uint32_t frame_idx, Status &status) override;

  bool CalculateStopInfo() override;
  /// The wave's properties, for scripts: the keys of jWavelaneWaveInfo,
  /// positions and sizes as "workgroup.x", and "stop_lanes", the mask of the
  /// lanes that caused its stop.
  StructuredData::ObjectSP FetchThreadExtendedInfo() override;
  /// None for an exception that doesn't stop waves, according to the settings.
  lldb::StopInfoSP GetPrivateStopInfo(bool calculate = true) override;
  /// Only waves that are examined have memory for their registers.
  void RefreshStateAfterStop() override;
  /// The server may have changed the wave's registers.
  void ForgetRegisters() {
    if (m_reg_context_sp)
      m_reg_context_sp->InvalidateAllRegisters();
  }

  /// The wave's address. Reading it doesn't count as examining the wave.
  lldb::addr_t GetAddress();

  /// Whether the stop's reply says all about where it is and why: it has no
  /// reason, wasn't held, and nobody has looked at its registers.
  bool IsAsStopped();

  /// Whether this wave will run, and its plan wants it to run alone.
  bool WantsToRunAlone();
  /// LLDB's timeout for a thread that steps alone doesn't apply to waves: see
  /// ProcessAMDGPU::OthersRunAlong.
  void DisableStepTimeout();
  /// Whether the wave is about to sleep, as one does that waits in a loop for
  /// others.
  bool StandsAtSleep();
  /// The next resume won't step over a breakpoint: the server does that, for
  /// any number of waves at once and with the breakpoint in place.
  void LeaveStepOverToServer() { SetThreadStoppedAtUnexecutedBP(GetAddress()); }
  /// Hides the frames of the innermost inlined functions, as LLDB does where
  /// they begin: the wave is shown at the call.
  void HideInlinedFrames(uint32_t count);
  /// The wave was held until now; it runs from now on, and its stops count.
  void RunAlong();

  uint32_t GetLaneCount() override;
  llvm::BitVector GetActiveLanes() override;
  std::optional<bool> HasHitBreakpoint() override;
  std::vector<std::optional<LanePlace>> GetLanePlaces() override;
  std::optional<WorkItem> GetWorkItem(uint32_t lane) override;
  std::optional<std::array<uint32_t, 3>> GetExtent(Extent which,
                                                   uint32_t lane) override;
  bool IsFrameRegister(StackFrame &frame, llvm::StringRef name) override;
  bool IsGuess(StackFrame &frame) override;
  std::string GetWaveName() override;
  /// The kernel that GetWaveName begins with, and its dispatch. The first call
  /// reads those of all waves. Never null.
  std::shared_ptr<const WaveOrigin> GetOrigin();
  WaveName &GetNames() override { return m_names; }
  void FocusLaneDidChange(uint32_t lane) override;

  Thread &GetThread() override { return *this; }
  bool IsPseudoRegister(const RegisterInfo &info) const override;
  std::optional<lldb::addr_t> GetKernelArguments() override;
  std::optional<LocalRange> GetDynamicLocalMemory() override;
  uint64_t GetStopLanes() override;
  std::optional<uint32_t> GetResultAddress(uint32_t lane) override;
  bool IsResultWhole(unsigned registers) override;

  uint32_t GetFocusLane() override;
  std::string DescribeEnd(uint32_t lane) override;

  uint32_t GetUnwoundIndex(StackFrame &frame) override;
  bool IsOutermost(uint32_t frame_idx) override;

  std::optional<std::vector<uint64_t>>
  GetWaveFact(llvm::StringRef key) override;

private:
  /// Called when the function at \a frame_idx is about to be stepped out of.
  void KeepResultAddress(uint32_t frame_idx);

  /// The frame that will receive the result, and v0 at the call.
  struct ResultAddress {
    StackID caller;
    std::vector<uint8_t> lanes;
  };
  std::optional<ResultAddress> m_result_address;
  std::optional<ChangedResult> m_changed_result;
  /// Doesn't change during a wave's life.
  std::optional<LocalRange> m_dynamic_local_memory;
  WaveName m_names;
  /// The thread information was read, and LLDB caches it.
  bool m_has_fetched_info = false;
  /// The wave's address when its stop reason was last set.
  std::optional<lldb::addr_t> m_reason_address;
  /// The stop whose address the registers hold.
  uint32_t m_address_stop_id = UINT32_MAX;
};

} // namespace wavelane
} // namespace lldb_private

#endif
