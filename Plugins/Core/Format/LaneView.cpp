//===-- LaneView.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneView.h"
#include "Core/Lane/Wave.h"
#include "Core/Support/LibraryCode.h"
#include "SourcePlace.h"
#include "lldb/Core/Address.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

LaneView::LaneView(StackFrame &frame, LaneSet lanes)
    : m_thread_sp(frame.GetThread()), m_frame_sp(frame.shared_from_this()),
      m_lanes(std::move(lanes)),
      m_source(dynamic_cast<LaneSource *>(m_thread_sp.get())),
      m_focus(GetFocusLane(frame, &m_has_focus_moved)) {}

llvm::Expected<LaneView> LaneView::Get(StackFrame &frame) {
  llvm::Expected<LaneSet> lanes = GetLanes(frame);
  if (!lanes)
    return llvm::createStringError(
        "the lanes at this frame can't be determined: " +
        llvm::toString(lanes.takeError()));
  return LaneView(frame, std::move(*lanes));
}

llvm::Error LaneView::CheckExists(uint32_t lane) const {
  if (lane < GetCount())
    return llvm::Error::success();
  const char *owner =
      m_lanes.from_machine ? "the wave has" : "the code at this frame has";
  if (GetCount() == 1)
    return llvm::createStringError("lane %u does not exist: %s one lane, 0",
                                   lane, owner);
  return llvm::createStringError("lane %u does not exist: %s lanes 0-%u", lane,
                                 owner, GetCount() - 1);
}

void LaneView::SetFocus(uint32_t lane) {
  // The thread drops its frames, whose values belonged to the old lane.
  const uint32_t frame_index = m_frame_sp->GetFrameIndex();
  SetFocusLane(*m_thread_sp, lane);
  if (StackFrameSP frame_sp = m_thread_sp->GetStackFrameAtIndex(frame_index))
    m_frame_sp = frame_sp;
  m_focus = lane;
  m_has_focus_moved = false;
}

std::string LaneView::FormatLine(addr_t pc) const {
  Target &target = *m_thread_sp->CalculateTarget();
  return SourcePlace::Find(target, pc).Format(target, pc);
}

LaneList LaneView::Describe() const {
  LaneList list;
  list.thread = m_thread_sp->GetIndexID();
  list.tid = m_thread_sp->GetID();
  list.frame = m_frame_sp->GetFrameIndex();
  list.focus = m_focus;
  list.wave = GetWaveName();
  const std::vector<std::optional<LanePlace>> places =
      GetLanePlaces(*m_frame_sp, m_lanes);
  StackFrameSP own_sp = GetOwnFrame(*m_thread_sp, list.frame);
  const std::string line = wavelane::FormatLine(own_sp ? *own_sp : *m_frame_sp);
  std::map<addr_t, std::string> lines;
  auto *wave = dynamic_cast<Wave *>(m_thread_sp.get());
  const uint64_t stop_lanes = wave ? wave->GetStopLanes() : 0;
  for (uint32_t lane = 0; lane < GetCount(); ++lane) {
    LaneRecord record;
    record.lane = lane;
    record.caused_stop = lane < 64 && (stop_lanes >> lane & 1);
    record.is_active = IsActive(lane);
    record.has_focus = lane == m_focus;
    record.name = GetGivenName(*m_thread_sp, lane);
    if (std::optional<WorkItem> item = GetWorkItem(lane)) {
      record.work_item = item->in_workgroup;
      record.grid = item->in_grid;
    }
    if (record.is_active) {
      record.line = line;
      if (!line.empty())
        record.progress = LaneRecord::eStands;
    } else if (places[lane] && !IsIdle(lane)) {
      record.progress =
          places[lane]->ends ? LaneRecord::eDone : LaneRecord::eGoesOn;
      auto [it, is_new] = lines.try_emplace(places[lane]->pc);
      if (is_new && !places[lane]->ends)
        it->second = FormatLine(places[lane]->pc);
      record.line = it->second;
    }
    list.lanes.push_back(std::move(record));
  }
  return list;
}

/// Adds the functions that are inlined at \a pc, and the one that contains
/// them.
static void AddFramesAt(Target &target, addr_t pc, StackFrame &frame,
                        bool is_guess, std::vector<LaneFrame> &frames) {
  Address at;
  SymbolContext sc;
  if (target.ResolveLoadAddress(pc, at))
    at.CalculateSymbolContext(&sc, eSymbolContextEverything);
  while (true) {
    frames.push_back(
        {frame.GetFrameIndex(), at.GetLoadAddress(&target),
         sc.GetFunctionName(Mangled::ePreferDemangledWithoutArguments)
             .GetString(),
         FormatLine(sc.line_entry), is_guess});
    SymbolContext caller;
    Address call;
    if (!sc.GetParentOfInlinedScope(at, caller, call))
      return;
    sc = caller;
    at = call;
  }
}

std::vector<LaneFrame> LaneView::DescribeFrames(uint32_t lane,
                                                addr_t goes_on_at) const {
  std::vector<LaneFrame> frames;
  Target &target = *m_thread_sp->CalculateTarget();
  auto is_guess = [&](StackFrame &frame) {
    return m_source && m_source->IsGuess(frame);
  };
  // A lane that continues in a caller isn't in the functions called since.
  Function *function = SourcePlace::Find(target, goes_on_at).function;
  uint32_t next = m_frame_sp->GetFrameIndex();
  for (uint32_t i = next; function; ++i) {
    StackFrameSP frame_sp = m_thread_sp->GetStackFrameAtIndex(i);
    if (!frame_sp)
      break;
    if (frame_sp->IsInlined() ||
        frame_sp->GetSymbolContext(eSymbolContextFunction).function != function)
      continue;
    AddFramesAt(target, goes_on_at, *frame_sp, is_guess(*frame_sp), frames);
    next = i + 1;
    break;
  }
  for (;; ++next) {
    StackFrameSP frame_sp = m_thread_sp->GetStackFrameAtIndex(next);
    if (!frame_sp)
      return frames;
    const addr_t pc = frame_sp->GetFrameCodeAddress().GetLoadAddress(&target);
    const addr_t own = GetProgramLocation(*frame_sp, lane).value_or(pc);
    const char *name = frame_sp->GetFunctionName();
    frames.push_back(
        {next, own, name ? name : "",
         own == pc ? wavelane::FormatLine(*frame_sp) : FormatLine(own),
         is_guess(*frame_sp)});
  }
}

std::vector<LaneStack>
LaneView::DescribeStacks(const llvm::BitVector &lanes) const {
  std::vector<LaneStack> stacks;
  LaneList list = Describe();
  const std::vector<std::optional<LanePlace>> places =
      GetLanePlaces(*m_frame_sp, m_lanes);
  for (uint32_t lane : lanes.set_bits()) {
    LaneStack stack{list.thread, list.tid, list.wave, list.lanes[lane], {}};
    if (stack.lane.progress != LaneRecord::eDone)
      stack.frames = DescribeFrames(lane, IsActive(lane) || !places[lane]
                                              ? LLDB_INVALID_ADDRESS
                                              : places[lane]->pc);
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

std::vector<LaneView>
wavelane::GetViewsInFunction(const ExecutionContext &exe_ctx) {
  auto get_function = [](StackFrame &frame) {
    return frame.GetSymbolContext(eSymbolContextFunction).function;
  };
  std::vector<LaneView> views;
  auto add = [&](StackFrame &frame) {
    if (llvm::Expected<LaneView> view = LaneView::Get(frame))
      views.push_back(std::move(*view));
    else
      llvm::consumeError(view.takeError());
  };
  StackFrame &frame = exe_ctx.GetFrameRef();
  Function *function = get_function(frame);
  if (!function) {
    add(frame);
    return views;
  }
  for (const ThreadSP &thread_sp :
       exe_ctx.GetProcessRef().GetThreadList().Threads()) {
    StackFrameSP frame_sp =
        thread_sp->GetStackFrameAtIndex(frame.GetFrameIndex());
    if (frame_sp && get_function(*frame_sp) == function)
      add(*frame_sp);
  }
  return views;
}

size_t LaneView::GetGridWidth() const {
  const size_t usual = std::min<size_t>(GetCount(), 16);
  std::optional<WorkItem> first = GetWorkItem(0);
  for (uint32_t lane = 1; first && lane < GetCount() && lane <= 32; ++lane) {
    std::optional<WorkItem> item = GetWorkItem(lane);
    if (!item)
      break;
    if (item->in_workgroup[1] != first->in_workgroup[1] ||
        item->in_workgroup[2] != first->in_workgroup[2])
      return lane > 1 ? lane : usual;
  }
  return usual;
}
