//===-- ThreadAMDGPU.h - a wave ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_THREADAMDGPU_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_THREADAMDGPU_H

#include "Lane/Wave.h"
#include "ThreadGDBRemote.h"
#include "Unwind/AMDGPU/ChangedResult.h"
#include "lldb/Target/StackID.h"

#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ThreadAMDGPU : public process_gdb_remote::ThreadGDBRemote, public Wave {
public:
  ThreadAMDGPU(Process &process, lldb::tid_t tid);
  ~ThreadAMDGPU() override;

  /// The wave's name with the focus lane, as "saxpy (1,0,0)/2, lane 17".
  const char *GetName() override;
  void WillResume(lldb::StateType resume_state) override;
  Unwind &GetUnwinder() override;
  lldb::RegisterContextSP GetRegisterContext() override;
  /// A wave that nobody has looked at needs no registers to forget its frames.
  void ClearStackFrames() override;
  lldb::RegisterContextSP
  CreateRegisterContextForFrame(StackFrame *frame) override;

  // A step is the business of its own wave: the others stand until it is done,
  // calls that it steps over included, or they would run into the same
  // breakpoint one after the other. See ProcessAMDGPU::OthersRunAlong for when
  // they don't.
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
  /// What the wave is, for scripts: jWavelaneWaveInfo's keys, positions and
  /// sizes as "workgroup.x", and "stop_lanes", the mask of the lanes that its
  /// stop is about.
  StructuredData::ObjectSP FetchThreadExtendedInfo() override;
  /// None for an exception that the settings say isn't a stop, and for a wave
  /// that the last step has held.
  lldb::StopInfoSP GetPrivateStopInfo(bool calculate = true) override;
  /// Only waves that are looked at have room for their registers.
  void RefreshStateAfterStop() override;

  /// Where the wave stands. A wave that hasn't been looked at stays so.
  lldb::addr_t GetAddress();

  /// Whether this wave is to run and its plan wants to run alone.
  bool WantsToRunAlone();
  /// LLDB's timeout of a thread that steps alone isn't for waves: see
  /// ProcessAMDGPU::OthersRunAlong.
  void DisableStepTimeout();
  /// The instruction that the wave stands at makes it wait for other waves.
  bool StandsAtBarrier();
  /// The next resume isn't to step over a breakpoint: the server does it, for
  /// any number of waves at once and with the breakpoint in place.
  void LeaveStepOverToServer() { SetThreadStoppedAtUnexecutedBP(GetAddress()); }
  /// Held so far, the wave runs from now on, and its stops count.
  void RunAlong();

  uint32_t GetLaneCount() override;
  llvm::BitVector GetActiveLanes() override;
  std::vector<std::optional<LanePlace>> GetLanePlaces() override;
  std::optional<WorkItem> GetWorkItem(uint32_t lane) override;
  std::optional<std::array<uint32_t, 3>> GetExtent(Extent which,
                                                   uint32_t lane) override;
  bool IsFrameRegister(StackFrame &frame, llvm::StringRef name) override;
  bool IsGuess(StackFrame &frame) override;
  std::string GetWaveName() override;
  /// What GetWaveName begins with. Asked for of one wave it is known of all.
  ConstString GetKernel();
  void SetKernel(ConstString kernel) { m_kernel = kernel; }
  bool HasKernel() const { return bool(m_kernel); }
  void FocusLaneDidChange(uint32_t lane) override;

  Thread &GetThread() override { return *this; }
  bool IsPseudoRegister(const RegisterInfo &info) const override;
  uint64_t GetStopLanes() override;
  std::optional<uint32_t> GetResultAddress(uint32_t lane) override;
  bool IsResultWhole(unsigned registers) override;

  uint32_t GetFocusLane();
  /// What a step is told whose lane won't run again in this wave: its work-item
  /// is done, or it has none. Empty for other lanes.
  std::string DescribeEnd(uint32_t lane);

  uint32_t GetUnwoundIndex(StackFrame &frame) override;
  /// Whether the unwinder has no caller of the frame at an index of the
  /// thread's list.
  bool IsOutermost(uint32_t frame_idx);

  /// Numbers that the server gives of this wave: one, or three of a position.
  /// \param[in] key  One of the keys of jWavelaneWaveInfo.
  std::optional<std::vector<uint64_t>> GetWaveFact(llvm::StringRef key);

private:
  /// Of the function at \a frame_idx, which is about to be stepped out of.
  void KeepResultAddress(uint32_t frame_idx);

  /// The caller that the result is for, and v0 as it came with the call.
  struct ResultAddress {
    StackID caller;
    std::vector<uint8_t> lanes;
  };
  std::optional<ResultAddress> m_result_address;
  std::optional<ChangedResult> m_changed_result;
  std::string m_shown_name;
  /// The thread information was asked for, and LLDB keeps the answer.
  bool m_has_fetched_info = false;
  /// Of as long as the wave lives; empty until it is asked for.
  ConstString m_kernel;
  /// Where the wave stood when its reason to stop was last told.
  std::optional<lldb::addr_t> m_reason_address;
  /// The stop whose address the registers have been given.
  uint32_t m_address_stop_id = UINT32_MAX;
};

} // namespace wavelane
} // namespace lldb_private

#endif
