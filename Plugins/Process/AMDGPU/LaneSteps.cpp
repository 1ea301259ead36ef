//===-- LaneSteps.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneSteps.h"
#include "Core/MachineCode/LoadedCode.h"
#include "Core/Support/FunctionRange.h"
#include "Unwind/AMDGPU/UnwindCache.h"
#include "WaveProcess.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"

#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool IsActive(WaveThread &wave, uint32_t lane) {
  const llvm::BitVector active = wave.GetActiveLanes();
  return lane < active.size() && active.test(lane);
}

/// The breakpoint site where the wave has stopped, or null.
static BreakpointSiteSP GetSite(WaveThread &wave) {
  StopInfoSP stop_info_sp = wave.GetPrivateStopInfo();
  ProcessSP process_sp = wave.GetProcess();
  if (!process_sp || !stop_info_sp ||
      stop_info_sp->GetStopReason() != eStopReasonBreakpoint)
    return nullptr;
  return process_sp->GetBreakpointSiteList().FindByID(stop_info_sp->GetValue());
}

//===-- ThreadPlanWaitForLane ---------------------------------------------===//

/// Adds the addresses after instructions that change which lanes really execute
/// (wavelane/GPU/ExecutingLanes.h).
static void FindMaskChanges(WaveProcess &process, const AddressRange &range,
                            std::set<addr_t> &addresses) {
  Target &target = process.GetTarget();
  const addr_t end =
      range.GetBaseAddress().GetLoadAddress(&target) + range.GetByteSize();
  auto is_in_exec = [&](addr_t address) {
    return process.GetUnwindCache()
        ->GetExecutingMask(target, address)
        .isInExec();
  };
  ForEachInstruction(target, range.GetBaseAddress(), range.GetByteSize(),
                     [&](AMDGPUMachineCode &code, addr_t address,
                         const AMDGPUMachineCode::Instruction *instruction) {
                       if (!instruction)
                         return true;
                       const addr_t next = address + instruction->size;
                       if (next < end && code.WritesExec(instruction->inst) &&
                           is_in_exec(address) && is_in_exec(next))
                         addresses.insert(next);
                       return true;
                     });
}

ThreadPlanWaitForLane::ThreadPlanWaitForLane(WaveThread &wave, uint32_t lane)
    : ThreadPlan(eKindGeneric, "Waiting for a lane", wave, eVoteNo,
                 eVoteNoOpinion),
      m_wave(wave), m_lane(lane) {
  ProcessSP process_sp = wave.GetProcess();
  auto *process = dynamic_cast<WaveProcess *>(process_sp.get());
  if (!process)
    return;
  std::set<Function *> functions;
  std::set<addr_t> addresses;
  for (uint32_t i = 0;; ++i) {
    StackFrameSP frame_sp = wave.GetStackFrameAtIndex(i);
    if (!frame_sp)
      break;
    Function *function =
        frame_sp->GetSymbolContext(eSymbolContextFunction).function;
    if (function && functions.insert(function).second)
      FindMaskChanges(*process, GetEntryRange(*function), addresses);
  }
  for (addr_t address : addresses) {
    BreakpointSP breakpoint_sp = GetTarget().CreateBreakpoint(
        address, /*internal=*/true, /*request_hardware=*/false);
    if (!breakpoint_sp)
      continue;
    breakpoint_sp->SetThreadID(wave.GetID());
    breakpoint_sp->SetBreakpointKind("lane-wait");
    // The condition is evaluated in active lanes, so it holds when the lane is
    // active; see ConditionCompiler.
    breakpoint_sp->SetCondition(
        StopCondition(llvm::formatv("$lane == {0}", lane).str()));
    m_breakpoints.push_back(breakpoint_sp->GetID());
  }
}

ThreadPlanWaitForLane::~ThreadPlanWaitForLane() { RemoveBreakpoints(); }

void ThreadPlanWaitForLane::RemoveBreakpoints() {
  for (break_id_t id : m_breakpoints)
    GetTarget().RemoveBreakpointByID(id);
  m_breakpoints.clear();
}

void ThreadPlanWaitForLane::GetDescription(Stream *s, DescriptionLevel level) {
  s->Printf("waiting until lane %u runs", m_lane);
}

bool ThreadPlanWaitForLane::ValidatePlan(Stream *error) {
  if (!m_breakpoints.empty())
    return true;
  if (error)
    error->Printf("where lane %u continues isn't known", m_lane);
  return false;
}

bool ThreadPlanWaitForLane::DoPlanExplainsStop(Event *) {
  BreakpointSiteSP site_sp = GetSite(m_wave);
  if (!site_sp)
    return false;
  // A user's breakpoint at the same place decides whether to stop.
  size_t ours = 0;
  for (break_id_t id : m_breakpoints)
    ours += site_sp->IsBreakpointAtThisSite(id);
  return ours && ours == site_sp->GetNumberOfConstituents();
}

bool ThreadPlanWaitForLane::ShouldStop(Event *) {
  return IsActive(m_wave, m_lane);
}

bool ThreadPlanWaitForLane::MischiefManaged() {
  if (!IsActive(m_wave, m_lane))
    return false;
  RemoveBreakpoints();
  ThreadPlan::MischiefManaged();
  return true;
}

//===-- ThreadPlanWaveUntil -----------------------------------------------===//

ThreadPlanWaveUntil::ThreadPlanWaveUntil(WaveThread &wave, addr_t *addresses,
                                         size_t count, uint32_t frame_idx,
                                         bool follows_lane)
    : ThreadPlanStepUntil(wave, addresses, count, /*stop_others=*/true,
                          frame_idx),
      m_wave(wave), m_in_kernel(wave.IsOutermost(frame_idx)),
      m_follows_lane(follows_lane), m_lane(wave.GetFocusLane()),
      m_addresses(addresses, addresses + count) {}

bool ThreadPlanWaveUntil::DoPlanExplainsStop(Event *event_ptr) {
  BreakpointSiteSP site_sp = GetSite(m_wave);
  m_passes = m_follows_lane && site_sp && !IsActive(m_wave, m_lane) &&
             site_sp->GetNumberOfConstituents() == 1 &&
             llvm::is_contained(m_addresses, site_sp->GetLoadAddress());
  return m_passes || ThreadPlanStepUntil::DoPlanExplainsStop(event_ptr);
}

bool ThreadPlanWaveUntil::ShouldStop(Event *event_ptr) {
  return !m_passes && ThreadPlanStepUntil::ShouldStop(event_ptr);
}
