//===-- ThreadAMDGPU.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadAMDGPU.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/MachineCode/LoadedCode.h"
#include "Core/Record/LaneText.h"
#include "Core/Statusline/WaveStatusline.h"
#include "Core/Support/StopRecord.h"
#include "DispatchFact.h"
#include "KernelEntries.h"
#include "LaneSteps.h"
#include "ProcessAMDGPUProperties.h"
#include "Unwind/AMDGPU/UnwindAMDGPU.h"
#include "Unwind/AMDGPU/UnwindCache.h"
#include "WaveProcess.h"
#include "WaveRegisters.h"

#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/ThreadPlan.h"
#include "lldb/Target/ThreadPlanStack.h"
#include "lldb/Target/ThreadPlanStepInRange.h"
#include "lldb/Target/ThreadPlanStepOverRange.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/Support/Endian.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

ThreadAMDGPU::ThreadAMDGPU(WaveProcess &process, lldb::tid_t tid)
    : WaveThread(process, tid) {
  // LLDB gives each thread a copy of the settings, which is as large as all
  // else that it keeps of a wave.
  m_collection_sp = process.ShareWaveSettings(m_collection_sp);
}

ThreadAMDGPU::~ThreadAMDGPU() { DestroyThread(); }

static StructuredData::Dictionary *AsDictionary(StructuredData::ObjectSP &sp) {
  return sp ? sp->GetAsDictionary() : nullptr;
}

static std::optional<std::array<uint32_t, 3>>
GetTriple(StructuredData::Dictionary &info, llvm::StringRef key) {
  StructuredData::Array *array = nullptr;
  if (!info.GetValueForKeyAsArray(key, array) || !array || array->GetSize() < 3)
    return std::nullopt;
  std::array<uint32_t, 3> result;
  for (size_t i = 0; i < 3; ++i) {
    std::optional<uint64_t> value = array->GetItemAtIndexAsInteger<uint64_t>(i);
    if (!value)
      return std::nullopt;
    result[i] = *value;
  }
  return result;
}

static StructuredData::ObjectSP FetchInfo(Thread &thread) {
  ProcessSP process_sp = thread.GetProcess();
  if (auto *process = dynamic_cast<WaveProcess *>(process_sp.get()))
    return process->GetWaveInfo(thread.GetProtocolID());
  return nullptr;
}

void ThreadAMDGPU::RefreshStateAfterStop() {
  if (m_reg_context_sp)
    m_reg_context_sp->InvalidateIfNeeded(/*force=*/false);
  // Anything read while it ran is stale; `gui` reads frames then.
  if (m_has_fetched_info ||
      (m_curr_frames_sp && GetTemporaryResumeState() != eStateSuspended))
    ClearStackFrames();
}

bool ThreadAMDGPU::CalculateStopInfo() {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  return process && process->SetStopInfoOf(*this);
}

/// Whether LLDB shows a stop of that kind by this reason.
static bool IsShownAs(::wavelane::protocol::StopKind kind, StopReason reason) {
  using Kind = ::wavelane::protocol::StopKind;
  switch (kind) {
  case Kind::Breakpoint:
    return reason == eStopReasonBreakpoint;
  case Kind::Trace:
    return reason == eStopReasonTrace;
  case Kind::Watchpoint:
    return reason == eStopReasonWatchpoint;
  case Kind::Interrupt:
    return reason == eStopReasonSignal;
  default:
    return reason == eStopReasonException;
  }
}

/// Gives a reason that LLDB has made of a stop reply the reply's record.
static void AddStopRecord(WaveProcess &process, lldb::tid_t wave,
                          StopInfo &info) {
  std::shared_ptr<const FoldedStop> stop_sp = process.GetFoldedStop();
  const ::wavelane::server::StoppedWaves *fold =
      stop_sp ? stop_sp->Find(wave) : nullptr;
  if (fold && fold->stop && IsShownAs(fold->stop->Kind, info.GetStopReason()))
    SetStopRecord(info, *fold->stop);
}

StopInfoSP ThreadAMDGPU::GetPrivateStopInfo(bool calculate) {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  if (calculate && process) {
    std::optional<addr_t> address = process->GetStopAddress(GetProtocolID());
    // LLDB keeps the reason of a thread that it has held. But the server may
    // have let the wave run along to a barrier, or the breakpoint may be
    // disabled or gone.
    const bool has_moved =
        address && m_reason_address && *address != *m_reason_address;
    const bool is_gone =
        m_stop_info_sp &&
        m_stop_info_sp->GetStopReason() == eStopReasonBreakpoint &&
        !process->GetBreakpointSiteList().FindByID(
            break_id_t(m_stop_info_sp->GetValue()));
    // An interrupt was of all waves.
    const bool is_interrupt =
        m_stop_info_sp && m_stop_info_sp->GetStopReason() == eStopReasonSignal;
    if ((has_moved || is_gone || is_interrupt) &&
        m_stop_info_stop_id != process->GetStopID() &&
        GetTemporaryResumeState() == eStateSuspended)
      m_stop_info_sp.reset();
    if (address)
      m_reason_address = address;
  }
  StopInfoSP stop_info_sp = ThreadGDBRemote::GetPrivateStopInfo(calculate);
  if (stop_info_sp && process)
    if (StopInfoSP entry_sp =
            KernelEntries::MakeStopInfo(*this, *stop_info_sp)) {
      SetStopInfo(entry_sp);
      stop_info_sp = entry_sp;
    }
  // LLDB itself makes the reason of the wave that a stop reply is about.
  if (stop_info_sp && process && !GetStopRecord(*stop_info_sp) &&
      m_stop_info_stop_id == process->GetStopID())
    AddStopRecord(*process, GetProtocolID(), *stop_info_sp);
  const ::wavelane::protocol::Stop *stop =
      stop_info_sp ? GetStopRecord(*stop_info_sp) : nullptr;
  if (stop && process_sp && process_sp->IsLiveDebugSession() &&
      !GetProcessAMDGPUProperties().StopsOn(stop->Kind))
    return nullptr;
  // `thread list` still shows the reason of a held wave, but its stop hooks
  // have already run.
  if (calculate && GetTemporaryResumeState() == eStateSuspended)
    return nullptr;
  return stop_info_sp;
}

StructuredData::ObjectSP ThreadAMDGPU::FetchThreadExtendedInfo() {
  m_has_fetched_info = true;
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  // The status line also asks while the process is running.
  if (!process ||
      !StateIsStoppedState(process->GetRealState(), /*must_exist=*/true))
    return nullptr;
  StructuredData::ObjectSP info_sp = FetchInfo(*this);
  StructuredData::Dictionary *info = AsDictionary(info_sp);
  if (!info)
    return nullptr;
  auto result_sp = std::make_shared<StructuredData::Dictionary>();
  info->ForEach([&](llvm::StringRef key, StructuredData::Object *item) {
    // LLDB's paths into this information name members, not elements.
    if (auto triple = GetTriple(*info, key)) {
      auto triple_sp = std::make_shared<StructuredData::Dictionary>();
      triple_sp->AddIntegerItem("x", uint64_t((*triple)[0]));
      triple_sp->AddIntegerItem("y", uint64_t((*triple)[1]));
      triple_sp->AddIntegerItem("z", uint64_t((*triple)[2]));
      result_sp->AddItem(key, triple_sp);
    } else {
      result_sp->AddItem(key, item->shared_from_this());
    }
    return true;
  });
  result_sp->AddStringItem(kShownName, GetName());
  if (const uint64_t lanes = GetStopLanes())
    result_sp->AddIntegerItem("stop_lanes", lanes);
  return result_sp;
}

uint64_t ThreadAMDGPU::GetStopLanes() {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  return process ? process->GetStopLanes(GetProtocolID()) : 0;
}

bool ThreadAMDGPU::IsPseudoRegister(const RegisterInfo &info) const {
  return WaveRegisters::IsPseudo(info);
}

uint32_t ThreadAMDGPU::GetLaneCount() {
  StructuredData::ObjectSP info_sp = FetchInfo(*this);
  uint64_t count = 0;
  if (StructuredData::Dictionary *info = AsDictionary(info_sp))
    if (info->GetValueForKeyAsInteger("lane_count", count) &&
        (count == 32 || count == 64))
      return count;
  // EXEC is as wide as the wave.
  if (RegisterContextSP reg_ctx_sp = GetRegisterContext())
    if (const RegisterInfo *exec = reg_ctx_sp->GetRegisterInfoByName("exec"))
      return exec->byte_size == 4 ? 32 : 64;
  return 64;
}

std::optional<bool> ThreadAMDGPU::HasHitBreakpoint() {
  StopInfoSP info_sp = GetPrivateStopInfo(/*calculate=*/false);
  ProcessSP process_sp = GetProcess();
  if (!info_sp || !info_sp->IsValid() || !process_sp)
    return std::nullopt;
  if (info_sp->GetStopReason() != eStopReasonBreakpoint)
    return false;
  // A step follows its lane, whatever the others hit.
  ThreadPlan *plan = GetCurrentPlan();
  BreakpointSiteSP site_sp =
      process_sp->GetBreakpointSiteList().FindByID(info_sp->GetValue());
  return plan && plan->IsBasePlan() && site_sp && !site_sp->IsInternal();
}

llvm::BitVector ThreadAMDGPU::GetActiveLanes() {
  llvm::BitVector active(GetLaneCount());
  // Read the register instead of using the value sent with the stop: it may
  // have been written since.
  std::optional<uint64_t> exec = ReadScalarRegister("exec");
  RegisterContextSP reg_ctx_sp = GetRegisterContext();
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  if (!exec || !reg_ctx_sp || !process)
    return active;
  const uint64_t lanes =
      process->GetUnwindCache()
          ->GetExecutingMask(process->GetTarget(), reg_ctx_sp->GetPC())
          .get(*exec, active.size(),
               [&](llvm::StringRef name) { return ReadScalarRegister(name); });
  for (uint32_t lane = 0; lane < active.size(); ++lane)
    if (lanes >> lane & 1)
      active.set(lane);
  return active;
}

std::vector<std::optional<LanePlace>> ThreadAMDGPU::GetLanePlaces() {
  std::vector<std::optional<LanePlace>> places(GetLaneCount());
  const std::vector<LaneFlow::Outcome> outcomes =
      static_cast<UnwindAMDGPU &>(GetUnwinder()).GetOutcomes();
  for (size_t lane = 0; lane < places.size() && lane < outcomes.size();
       ++lane) {
    if (outcomes[lane].kind == LaneFlow::Outcome::GoesOn)
      places[lane] = LanePlace{outcomes[lane].pc, false};
    else if (outcomes[lane].kind == LaneFlow::Outcome::Ends)
      places[lane] = LanePlace{LLDB_INVALID_ADDRESS, true};
  }
  return places;
}

std::optional<WorkItem> ThreadAMDGPU::GetWorkItem(uint32_t lane) {
  StructuredData::ObjectSP info_sp = FetchInfo(*this);
  StructuredData::Dictionary *info = AsDictionary(info_sp);
  if (!info || lane >= GetLaneCount())
    return std::nullopt;
  auto group = GetTriple(*info, "workgroup");
  auto group_size = GetTriple(*info, "workgroup_size");
  auto grid_size = GetTriple(*info, "grid_size");
  uint64_t wave_in_group = 0;
  if (!group || !group_size || !grid_size ||
      !info->GetValueForKeyAsInteger("wave_in_workgroup", wave_in_group))
    return std::nullopt;

  // The last workgroup in a dimension may be smaller.
  std::array<uint64_t, 3> start, size;
  for (size_t i = 0; i < 3; ++i) {
    start[i] = uint64_t((*group)[i]) * (*group_size)[i];
    if (start[i] >= (*grid_size)[i])
      return std::nullopt;
    size[i] = std::min<uint64_t>((*group_size)[i], (*grid_size)[i] - start[i]);
    if (size[i] == 0)
      return std::nullopt;
  }
  const uint64_t flat = wave_in_group * GetLaneCount() + lane;
  if (flat >= size[0] * size[1] * size[2])
    return std::nullopt;
  WorkItem item;
  item.in_workgroup = {uint32_t(flat % size[0]),
                       uint32_t(flat / size[0] % size[1]),
                       uint32_t(flat / size[0] / size[1])};
  for (size_t i = 0; i < 3; ++i)
    item.in_grid[i] = start[i] + item.in_workgroup[i];
  return item;
}

std::string ThreadAMDGPU::DescribeEnd(uint32_t lane) {
  const llvm::BitVector active = GetActiveLanes();
  if (lane >= active.size() || active.test(lane))
    return "";
  StructuredData::ObjectSP info_sp = FetchInfo(*this);
  const bool has_none = AsDictionary(info_sp) && !GetWorkItem(lane);
  if (!has_none) {
    // The lane may be on again, but do nothing.
    const std::vector<LaneFlow::Outcome> outcomes =
        static_cast<UnwindAMDGPU &>(GetUnwinder()).GetOutcomes();
    if (lane >= outcomes.size() ||
        outcomes[lane].kind != LaneFlow::Outcome::Ends || outcomes[lane].was_on)
      return "";
  }
  return llvm::formatv("lane {0} has {1}: 'thread lane next' selects one that "
                       "runs",
                       lane, has_none ? "no work-item" : "ended");
}

std::optional<std::array<uint32_t, 3>> ThreadAMDGPU::GetExtent(Extent which,
                                                               uint32_t lane) {
  if (which == eLaneCount)
    return std::array<uint32_t, 3>{GetLaneCount(), 0, 0};
  if (which == eWorkItem) {
    if (std::optional<WorkItem> item = GetWorkItem(lane))
      return item->in_workgroup;
    return std::nullopt;
  }
  StructuredData::ObjectSP info_sp = FetchInfo(*this);
  StructuredData::Dictionary *info = AsDictionary(info_sp);
  if (!info)
    return std::nullopt;
  if (which == eWorkgroup)
    return GetTriple(*info, "workgroup");
  auto group_size = GetTriple(*info, "workgroup_size");
  if (which == eWorkgroupSize || !group_size)
    return group_size;
  auto grid_size = GetTriple(*info, "grid_size");
  for (size_t i = 0; grid_size && i < 3; ++i) {
    if ((*group_size)[i] == 0)
      return std::nullopt;
    (*grid_size)[i] = llvm::divideCeil((*grid_size)[i], (*group_size)[i]);
  }
  return grid_size;
}

std::optional<std::vector<uint64_t>>
ThreadAMDGPU::GetWaveFact(llvm::StringRef key) {
  StructuredData::ObjectSP info_sp = FetchInfo(*this);
  StructuredData::Dictionary *info = AsDictionary(info_sp);
  uint64_t number = 0;
  if (!info)
    return std::nullopt;
  if (info->GetValueForKeyAsInteger(key, number))
    return std::vector<uint64_t>{number};
  if (auto triple = GetTriple(*info, key))
    return std::vector<uint64_t>(triple->begin(), triple->end());
  return std::nullopt;
}

std::optional<addr_t> ThreadAMDGPU::GetKernelArguments() {
  std::optional<std::vector<uint64_t>> address = GetWaveFact("kernarg");
  return address ? std::optional<addr_t>(address->front()) : std::nullopt;
}

std::optional<Wave::LocalRange> ThreadAMDGPU::GetDynamicLocalMemory() {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  if (m_dynamic_local_memory || !process)
    return m_dynamic_local_memory;
  const std::optional<uint64_t> size = GetDispatchFact(*process, *this,
                                                       "group_size"),
                                descriptor = GetDispatchFact(*process, *this,
                                                             "descriptor");
  uint8_t own[4]; // group_segment_fixed_size, the descriptor's first field
  Status error;
  if (!size || !descriptor ||
      process->ReadMemory(*descriptor, own, sizeof(own), error) != sizeof(own))
    return std::nullopt;
  const uint64_t begin = llvm::support::endian::read32le(own);
  m_dynamic_local_memory = LocalRange{begin, std::max(begin, *size)};
  return m_dynamic_local_memory;
}

std::string ThreadAMDGPU::GetWaveName() {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  if (process && m_names.Get().empty())
    process->NameWaves(*this);
  std::string name = m_names.Get();
  return name.empty() ? "wave" : name;
}

std::shared_ptr<const WaveOrigin> ThreadAMDGPU::GetOrigin() {
  std::shared_ptr<const WaveOrigin> origin_sp = m_names.GetOrigin();
  if (origin_sp)
    return origin_sp;
  ProcessSP process_sp = GetProcess();
  if (auto *process = dynamic_cast<WaveProcess *>(process_sp.get()))
    process->FindOrigins();
  origin_sp = m_names.GetOrigin();
  return origin_sp ? origin_sp
                   : std::make_shared<const WaveOrigin>(WaveOrigin{"wave"});
}

void ThreadAMDGPU::SetName(const char *name) {
  if (name && *name)
    m_names.Set(name);
}

uint32_t ThreadAMDGPU::GetFocusLane() { return wavelane::GetFocusLane(*this); }

const char *ThreadAMDGPU::GetName() {
  const uint32_t lane = GetFocusLane();
  std::string shown =
      llvm::formatv("{0}, lane {1}", ShortenWaveName(GetWaveName()), lane)
          .str();
  if (const std::string name = GetGivenName(*this, std::nullopt); !name.empty())
    shown = "'" + name + "' " + shown;
  if (const std::string name = GetGivenName(*this, lane); !name.empty())
    shown += " '" + name + "'";
  // Several threads of LLDB call this concurrently, and each uses the result.
  return m_names.Keep(std::move(shown));
}

void ThreadAMDGPU::FocusLaneDidChange(uint32_t lane) {
  // Frames hold values of the old lane; keep the same frame selected. A stop at
  // the beginning of an inlined function is shown in its caller.
  const uint32_t selected =
      m_curr_frames_sp ? GetSelectedFrameIndex(DoNoSelectMostRelevantFrame) : 0;
  // LLDB's next list inherits that from one with all frames only.
  if (m_curr_frames_sp && GetCurrentInlinedDepth() != UINT32_MAX)
    (void)GetStackFrameCount();
  ClearStackFrames();
  if (selected)
    SetSelectedFrameByIndex(selected);
}

//===-- Running -----------------------------------------------------------===//

StackFrameSP ThreadAMDGPU::GetStackFrameAtIndex(uint32_t idx) {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  if (process && process->IsNonStop())
    process->InvalidateValues();
  return WaveThread::GetStackFrameAtIndex(idx);
}

void ThreadAMDGPU::ClearStackFrames() {
  if (m_reg_context_sp || m_curr_frames_sp || m_has_fetched_info)
    ThreadGDBRemote::ClearStackFrames();
  m_has_fetched_info = false;
}

RegisterContextSP ThreadAMDGPU::GetRegisterContext() {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  // LLDB asks for each of thousands of waves, whether it is at a breakpoint.
  if (!m_reg_context_sp && process && process->LeavesStepsOver())
    return nullptr;
  RegisterContextSP reg_ctx_sp = ThreadGDBRemote::GetRegisterContext();
  if (!reg_ctx_sp || !process || m_address_stop_id == process->GetStopID())
    return reg_ctx_sp;
  // The stop includes the wave's address; use it only once, since the register
  // may be written.
  std::optional<addr_t> address = process->GetStopAddress(GetProtocolID());
  if (!address)
    return reg_ctx_sp;
  m_address_stop_id = process->GetStopID();
  const uint32_t pc = reg_ctx_sp->ConvertRegisterKindToRegisterNumber(
      eRegisterKindGeneric, LLDB_REGNUM_GENERIC_PC);
  if (pc != LLDB_INVALID_REGNUM)
    static_cast<WaveRegisters &>(*reg_ctx_sp).Supply(pc, *address);
  return reg_ctx_sp;
}

RegisterContextSP
ThreadAMDGPU::CreateRegisterContextForFrame(StackFrame *frame) {
  if (frame && frame->GetConcreteFrameIndex() != 0)
    return GetUnwinder().CreateRegisterContextForFrame(frame);
  ProcessSP process_sp = GetProcess();
  if (!process_sp)
    return nullptr;
  auto &remote =
      static_cast<process_gdb_remote::ProcessGDBRemote &>(*process_sp);
  const bool by_one = remote.GetGDBRemote().GetpPacketSupported(GetID());
  return std::make_shared<WaveRegisters>(*this, m_reg_info_sp,
                                         /*read_all_at_once=*/!by_one,
                                         /*write_all_at_once=*/!by_one);
}

addr_t ThreadAMDGPU::GetAddress() {
  ProcessSP process_sp = GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  // Who has had the registers at this stop may have written them.
  if (process && m_address_stop_id != process->GetStopID())
    if (std::optional<addr_t> address =
            process->GetStopAddress(GetProtocolID()))
      return *address;
  RegisterContextSP reg_ctx_sp = GetRegisterContext();
  return reg_ctx_sp ? reg_ctx_sp->GetPC() : LLDB_INVALID_ADDRESS;
}

bool ThreadAMDGPU::IsAsStopped() {
  ProcessSP process_sp = GetProcess();
  const uint32_t stop_id = process_sp ? process_sp->GetStopID() : UINT32_MAX;
  return m_stop_info_stop_id == stop_id && !m_stop_info_sp &&
         m_address_stop_id != stop_id && GetResumeState() != eStateSuspended &&
         GetTemporaryResumeState() != eStateSuspended && !GetCompletedPlan();
}

bool ThreadAMDGPU::WantsToRunAlone() {
  ThreadPlan *plan = GetCurrentPlan();
  return GetResumeState() != eStateSuspended && plan && plan->StopOthers();
}

bool ThreadAMDGPU::StandsAtSleep() {
  ProcessSP process_sp = GetProcess();
  if (!process_sp)
    return false;
  std::optional<AMDGPUMachineCode::Instruction> instruction =
      DecodeAt(process_sp->GetTarget(), GetAddress());
  return instruction && instruction->facts->IsSleep;
}

void ThreadAMDGPU::RunAlong() {
  SetTemporaryResumeState(eStateRunning);
  m_stop_info_sp.reset();
}

void ThreadAMDGPU::HideInlinedFrames(uint32_t count) {
  ThreadStateCheckpoint state;
  state.stop_info_sp = m_stop_info_sp;
  state.m_completed_plan_checkpoint = GetPlans().CheckpointCompletedPlans();
  state.stopped_at_unexecuted_bp = m_stopped_at_unexecuted_bp;
  state.current_inlined_depth = count;
  RestoreThreadStateFromCheckpoint(state);
}

void ThreadAMDGPU::WillResume(StateType resume_state) {
  SetThreadStoppedAtUnexecutedBP(LLDB_INVALID_ADDRESS);
  if (resume_state == eStateSuspended && GetResumeState() != eStateSuspended) {
    ProcessSP process_sp = GetProcess();
    auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
    if (process && process->OthersRunAlong()) {
      RunAlong();
      ThreadGDBRemote::WillResume(eStateRunning);
      return;
    }
  }
  ThreadGDBRemote::WillResume(resume_state);
}

static RunMode Alone(RunMode mode) {
  return mode == eOnlyDuringStepping ? eOnlyThisThread : mode;
}

// LLDB's functions that take a line entry call these with its range.

void ThreadAMDGPU::DisableStepTimeout() {
  SetPropertyValue(/*exe_ctx=*/nullptr, eVarSetOperationAssign,
                   "single-thread-plan-timeout", "0");
}

ThreadPlanSP ThreadAMDGPU::QueueThreadPlanForStepOverRange(
    bool abort_other_plans, const AddressRange &range,
    const SymbolContext &addr_context, RunMode stop_other_threads,
    Status &status, LazyBool step_out_avoids_code_without_debug_info) {
  DisableStepTimeout();
  if (!GetProcessAMDGPUProperties().StepsFollowLane())
    return Thread::QueueThreadPlanForStepOverRange(
        abort_other_plans, range, addr_context, Alone(stop_other_threads),
        status, step_out_avoids_code_without_debug_info);
  ThreadPlanSP plan_sp = std::make_shared<LaneStep<ThreadPlanStepOverRange>>(
      *this, range, addr_context, Alone(stop_other_threads),
      step_out_avoids_code_without_debug_info);
  status = QueueThreadPlan(plan_sp, abort_other_plans);
  return plan_sp;
}

ThreadPlanSP ThreadAMDGPU::QueueThreadPlanForStepOverRange(
    bool abort_other_plans, const LineEntry &line_entry,
    const SymbolContext &addr_context, RunMode stop_other_threads,
    Status &status, LazyBool step_out_avoids_code_without_debug_info) {
  return Thread::QueueThreadPlanForStepOverRange(
      abort_other_plans, line_entry, addr_context, stop_other_threads, status,
      step_out_avoids_code_without_debug_info);
}

ThreadPlanSP ThreadAMDGPU::QueueThreadPlanForStepInRange(
    bool abort_other_plans, const AddressRange &range,
    const SymbolContext &addr_context, const char *step_in_target,
    RunMode stop_other_threads, Status &status,
    LazyBool step_in_avoids_code_without_debug_info,
    LazyBool step_out_avoids_code_without_debug_info) {
  DisableStepTimeout();
  if (!GetProcessAMDGPUProperties().StepsFollowLane())
    return Thread::QueueThreadPlanForStepInRange(
        abort_other_plans, range, addr_context, step_in_target,
        Alone(stop_other_threads), status,
        step_in_avoids_code_without_debug_info,
        step_out_avoids_code_without_debug_info);
  ThreadPlanSP plan_sp = std::make_shared<LaneStep<ThreadPlanStepInRange>>(
      *this, range, addr_context, step_in_target, Alone(stop_other_threads),
      step_in_avoids_code_without_debug_info,
      step_out_avoids_code_without_debug_info);
  status = QueueThreadPlan(plan_sp, abort_other_plans);
  return plan_sp;
}

ThreadPlanSP ThreadAMDGPU::QueueThreadPlanForStepInRange(
    bool abort_other_plans, const LineEntry &line_entry,
    const SymbolContext &addr_context, const char *step_in_target,
    RunMode stop_other_threads, Status &status,
    LazyBool step_in_avoids_code_without_debug_info,
    LazyBool step_out_avoids_code_without_debug_info) {
  return Thread::QueueThreadPlanForStepInRange(
      abort_other_plans, line_entry, addr_context, step_in_target,
      stop_other_threads, status, step_in_avoids_code_without_debug_info,
      step_out_avoids_code_without_debug_info);
}

ThreadPlanSP ThreadAMDGPU::QueueThreadPlanForStepOut(
    bool abort_other_plans, SymbolContext *addr_context, bool first_insn,
    bool stop_other_threads, Vote report_stop_vote, Vote report_run_vote,
    uint32_t frame_idx, Status &status,
    LazyBool step_out_avoids_code_without_debug_info) {
  if (IsOutermost(frame_idx)) {
    status = Status::FromErrorString(
        "a kernel has no caller to return to: set a breakpoint or continue");
    return nullptr;
  }
  KeepResultAddress(frame_idx);
  return Thread::QueueThreadPlanForStepOut(
      abort_other_plans, addr_context, first_insn, /*stop_other_threads=*/true,
      report_stop_vote, report_run_vote, frame_idx, status,
      step_out_avoids_code_without_debug_info);
}

// The result's address is passed in v0 and isn't returned.
void ThreadAMDGPU::KeepResultAddress(uint32_t frame_idx) {
  m_result_address.reset();
  m_changed_result.reset();
  StackFrameSP frame_sp = GetStackFrameAtIndex(frame_idx);
  if (!frame_sp || frame_sp->IsInlined())
    return;
  if (ProcessSP process_sp = GetProcess())
    m_changed_result = ChangedResult::Find(process_sp->GetTarget(), *frame_sp);
  StackFrameSP caller_sp = GetStackFrameAtIndex(frame_idx + 1);
  auto &unwinder = static_cast<UnwindAMDGPU &>(GetUnwinder());
  std::optional<std::vector<uint8_t>> lanes =
      unwinder.ReadAtEntry(GetUnwoundIndex(*frame_sp), {'v', 0});
  if (caller_sp && lanes)
    m_result_address =
        ResultAddress{caller_sp->GetStackID(), std::move(*lanes)};
}

bool ThreadAMDGPU::IsResultWhole(unsigned registers) {
  ProcessSP process_sp = GetProcess();
  return !m_changed_result ||
         (process_sp && m_changed_result->IsWhole(process_sp->GetTarget(),
                                                  GetAddress(), registers));
}

std::optional<uint32_t> ThreadAMDGPU::GetResultAddress(uint32_t lane) {
  StackFrameSP frame_sp = GetStackFrameAtIndex(0);
  if (!frame_sp || !m_result_address ||
      !(frame_sp->GetStackID() == m_result_address->caller) ||
      m_result_address->lanes.size() < (lane + 1) * 4)
    return std::nullopt;
  return llvm::support::endian::read32le(&m_result_address->lanes[lane * 4]);
}

bool ThreadAMDGPU::IsFrameRegister(StackFrame &frame, llvm::StringRef name) {
  auto &unwinder = static_cast<UnwindAMDGPU &>(GetUnwinder());
  return unwinder.IsFrameRegister(GetUnwoundIndex(frame), name);
}

bool ThreadAMDGPU::IsGuess(StackFrame &frame) {
  return GetUnwinder().IsGuess(GetUnwoundIndex(frame));
}

uint32_t ThreadAMDGPU::GetUnwoundIndex(StackFrame &frame) {
  if (StackFrameListSP frames_sp =
          GetFrameListByIdentifier(LLDB_UNWINDER_FRAME_LIST_ID))
    if (StackFrameSP frame_sp =
            frames_sp->GetFrameWithStackID(frame.GetStackID()))
      return frame_sp->GetConcreteFrameIndex();
  return frame.GetConcreteFrameIndex();
}

bool ThreadAMDGPU::IsOutermost(uint32_t frame_idx) {
  StackFrameSP frame_sp = GetStackFrameAtIndex(frame_idx);
  StackFrameListSP frames_sp =
      GetFrameListByIdentifier(LLDB_UNWINDER_FRAME_LIST_ID);
  if (!frame_sp || !frames_sp)
    return !GetStackFrameAtIndex(frame_idx + 1);
  if (StackFrameSP unwound_sp =
          frames_sp->GetFrameWithStackID(frame_sp->GetStackID()))
    frame_idx = unwound_sp->GetFrameIndex();
  return !frames_sp->GetFrameAtIndex(frame_idx + 1);
}

ThreadPlanSP ThreadAMDGPU::QueueThreadPlanForStepUntil(
    bool abort_other_plans, addr_t *address_list, size_t num_addresses,
    bool stop_others, uint32_t frame_idx, Status &status) {
  ThreadPlanSP plan_sp = std::make_shared<ThreadPlanWaveUntil>(
      *this, address_list, num_addresses, frame_idx,
      GetProcessAMDGPUProperties().StepsFollowLane());
  status = QueueThreadPlan(plan_sp, abort_other_plans);
  return plan_sp;
}

Unwind &ThreadAMDGPU::GetUnwinder() {
  if (!m_unwinder_up) {
    auto *process = dynamic_cast<WaveProcess *>(GetProcess().get());
    m_unwinder_up = std::make_unique<UnwindAMDGPU>(
        *this,
        process ? process->GetUnwindCache() : std::make_shared<UnwindCache>());
  }
  return *m_unwinder_up;
}
