//===-- LaneFocus.cpp -------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneFocus.h"
#include "Core/Statusline/WaveStatusline.h"
#include "Core/Support/WavelaneLog.h"
#include "LaneSource.h"
#include "ProcessLanes.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include <algorithm>
#include <atomic>
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// Atomic because plugins are initialized while other threads are running.
static std::atomic<DebugInfoLanes> g_debug_info_lanes = nullptr;

void lldb_private::wavelane::SetDebugInfoLanes(DebugInfoLanes lanes) {
  g_debug_info_lanes = lanes;
}

llvm::Expected<LaneSet> lldb_private::wavelane::GetLanes(StackFrame &frame) {
  ThreadSP thread_sp = frame.GetThread();
  if (auto *source = dynamic_cast<LaneSource *>(thread_sp.get())) {
    LaneSet lanes;
    lanes.count = std::max<uint32_t>(source->GetLaneCount(), 1);
    lanes.active = source->GetActiveLanes();
    lanes.active.resize(lanes.count);
    lanes.from_machine = true;
    // EXEC says which lanes execute; debug information says which are logically
    // active. Wrong debug information must not hide the lanes.
    if (DebugInfoLanes debug_info = g_debug_info_lanes) {
      llvm::Expected<std::optional<LaneSet>> described = debug_info(frame);
      if (!described)
        llvm::consumeError(described.takeError());
      else if (*described) {
        if ((*described)->active.size() == lanes.count)
          lanes.active = std::move((*described)->active);
        if ((*described)->pcs.size() == lanes.count)
          lanes.pcs = std::move((*described)->pcs);
      }
    }
    return lanes;
  }
  if (DebugInfoLanes debug_info = g_debug_info_lanes) {
    llvm::Expected<std::optional<LaneSet>> lanes = debug_info(frame);
    if (!lanes)
      return lanes.takeError();
    if (*lanes) {
      if ((*lanes)->active.empty())
        (*lanes)->active.resize((*lanes)->count, true);
      return std::move(**lanes);
    }
  }
  LaneSet lanes;
  lanes.active.resize(1, true);
  return lanes;
}

std::optional<addr_t>
lldb_private::wavelane::GetProgramLocation(StackFrame &frame, uint32_t lane) {
  ThreadSP thread_sp = frame.GetThread();
  auto *source = dynamic_cast<LaneSource *>(thread_sp.get());
  if (!source)
    return std::nullopt;
  // An executing lane is where its thread is, in all frames.
  const llvm::BitVector active = source->GetActiveLanes();
  if (lane < active.size() && active.test(lane))
    return std::nullopt;
  llvm::Expected<LaneSet> lanes = GetLanes(frame);
  if (!lanes) {
    llvm::consumeError(lanes.takeError());
    return std::nullopt;
  }
  if (lane >= lanes->pcs.size())
    return std::nullopt;
  // If the lane was active when this caller was left, use the frame's own
  // location: the lane is in the call, not after it.
  const addr_t pc = frame.GetFrameCodeAddress().GetLoadAddress(
      &thread_sp->GetProcess()->GetTarget());
  return lanes->pcs[lane] == pc ? std::nullopt : lanes->pcs[lane];
}

std::vector<std::optional<LanePlace>>
lldb_private::wavelane::GetLanePlaces(StackFrame &frame, const LaneSet &lanes) {
  std::vector<std::optional<LanePlace>> places(lanes.count);
  bool asks_code = false;
  for (uint32_t lane = 0; lane < lanes.count; ++lane) {
    if (lanes.active.test(lane))
      continue;
    if (lane < lanes.pcs.size() && lanes.pcs[lane])
      places[lane] = LanePlace{*lanes.pcs[lane], false};
    else
      asks_code = true;
  }
  auto *source = dynamic_cast<LaneSource *>(frame.GetThread().get());
  if (!asks_code || !source)
    return places;
  const std::vector<std::optional<LanePlace>> found = source->GetLanePlaces();
  for (uint32_t lane = 0; lane < lanes.count && lane < found.size(); ++lane)
    if (!lanes.active.test(lane) && !places[lane])
      places[lane] = found[lane];
  return places;
}

uint32_t lldb_private::wavelane::GetFocusLane(Thread &thread) {
  return ProcessLanes::GetFocusLane(thread);
}

uint32_t lldb_private::wavelane::GetFocusLane(StackFrame &frame, bool *moved) {
  if (moved)
    *moved = false;
  if (!HasUsedLanes())
    return 0;
  ThreadSP thread_sp = frame.GetThread();
  if (!thread_sp)
    return 0;
  const uint32_t lane = GetFocusLane(*thread_sp);
  // A wave has the same lanes in every frame.
  if (lane == 0 || dynamic_cast<LaneSource *>(thread_sp.get()))
    return lane;
  llvm::Expected<LaneSet> lanes = GetLanes(frame);
  if (!lanes) {
    llvm::consumeError(lanes.takeError());
    return lane;
  }
  if (lane < lanes->count)
    return lane;
  if (moved)
    *moved = true;
  return lanes->count - 1;
}

static void NotifyOfFocus(Thread &thread, Process &process, uint32_t lane) {
  ProcessLanes::GetOrCreate(process)->InvalidateValues(process);
  if (auto *source = dynamic_cast<LaneSource *>(&thread))
    source->FocusLaneDidChange(lane);
}

void lldb_private::wavelane::SetFocusLane(Thread &thread, uint32_t lane) {
  ProcessSP process_sp = thread.GetProcess();
  if (!process_sp)
    return;
  LLDB_LOG(GetLog(WavelaneLog::Lanes), "thread {0}: focus lane {1}",
           thread.GetID(), lane);
  ProcessLanes::GetOrCreate(*process_sp)
      ->SetFocus(*process_sp, thread.GetID(), lane);
  NotifyOfFocus(thread, *process_sp, lane);
  RedrawStatuslineForSelected(process_sp->GetTarget().GetDebugger());
  if (thread.EventTypeHasListeners(Thread::eBroadcastBitSelectedFrameChanged))
    if (StackFrameSP frame_sp =
            thread.GetSelectedFrame(DoNoSelectMostRelevantFrame))
      thread.BroadcastEvent(
          Thread::eBroadcastBitSelectedFrameChanged,
          std::make_shared<Thread::ThreadEventData>(thread.shared_from_this(),
                                                    frame_sp->GetStackID()));
}

std::string lldb_private::wavelane::GetGivenName(Thread &thread,
                                                 std::optional<uint32_t> lane) {
  ProcessSP process_sp = thread.GetProcess();
  std::shared_ptr<ProcessLanes> lanes =
      process_sp ? ProcessLanes::Get(*process_sp) : nullptr;
  return lanes ? lanes->GetName(thread.GetID(), lane) : "";
}

FocusLaneScope::FocusLaneScope(Thread &thread)
    : m_thread_sp(thread.shared_from_this()) {
  if (ProcessSP process_sp = thread.GetProcess())
    m_saved = ProcessLanes::GetOrCreate(*process_sp)->GetFocus(thread.GetID());
}

void FocusLaneScope::Select(uint32_t lane) {
  ProcessSP process_sp = m_thread_sp->GetProcess();
  if (!process_sp)
    return;
  ProcessLanes::GetOrCreate(*process_sp)
      ->SetFocus(*process_sp, m_thread_sp->GetID(), lane);
  NotifyOfFocus(*m_thread_sp, *process_sp, lane);
}

FocusLaneScope::~FocusLaneScope() {
  ProcessSP process_sp = m_thread_sp->GetProcess();
  if (!process_sp || !process_sp->IsAlive())
    return;
  ProcessLanes::GetOrCreate(*process_sp)
      ->SetFocus(*process_sp, m_thread_sp->GetID(), m_saved);
  NotifyOfFocus(*m_thread_sp, *process_sp, GetFocusLane(*m_thread_sp));
}
