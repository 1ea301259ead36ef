//===-- LaneView.h - the lanes at a frame, looked at ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_FORMAT_LANEVIEW_H
#define WAVELANE_DEBUGGER_FORMAT_LANEVIEW_H

#include "Lane/LaneFocus.h"
#include "Record/LaneRecord.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// The lanes of a thread at one of its frames. It refers to both, and lasts as
/// long as the thread stands.
class LaneView {
public:
  /// Fails where the lanes at \a frame can't be told.
  static llvm::Expected<LaneView> Get(StackFrame &frame);

  Thread &GetThread() const { return *m_thread_sp; }
  StackFrame &GetFrame() const { return *m_frame_sp; }
  uint32_t GetCount() const { return m_lanes.count; }
  const llvm::BitVector &GetActive() const { return m_lanes.active; }
  bool IsActive(uint32_t lane) const { return m_lanes.active.test(lane); }
  uint32_t GetFocus() const { return m_focus; }
  /// The thread's focus lane doesn't exist at this frame: GetFocus is the last
  /// one.
  bool HasFocusMoved() const { return m_has_focus_moved; }
  std::string GetWaveName() const {
    return m_source ? m_source->GetWaveName() : "";
  }
  std::optional<WorkItem> GetWorkItem(uint32_t lane) const {
    return m_source ? m_source->GetWorkItem(lane) : std::nullopt;
  }
  /// Whether the lane exists, but no work-item runs in it.
  bool IsIdle(uint32_t lane) const {
    return m_source && !m_source->GetWorkItem(lane);
  }

  /// An error that names the lanes that there are unless \a lane exists.
  llvm::Error CheckExists(uint32_t lane) const;

  /// Makes \a lane, which exists, the focus lane.
  void SetFocus(uint32_t lane);

  /// What is told of the lanes. Costs a look at the code where some are
  /// inactive.
  LaneList Describe() const;

  /// The stack, from this frame on, as \a lanes have it: an inactive lane may
  /// go on at another line, or in a caller.
  std::vector<LaneStack> DescribeStacks(const llvm::BitVector &lanes) const;

  /// How many lanes are shown in a row: those of a row of the workgroup, where
  /// that fits a line.
  size_t GetGridWidth() const;

private:
  LaneView(StackFrame &frame, LaneSet lanes);
  std::string FormatLine(lldb::addr_t pc) const;
  std::vector<LaneFrame> DescribeFrames(uint32_t lane,
                                        lldb::addr_t goes_on_at) const;

  lldb::ThreadSP m_thread_sp;
  lldb::StackFrameSP m_frame_sp;
  LaneSet m_lanes;
  LaneSource *m_source;
  bool m_has_focus_moved = false;
  uint32_t m_focus;
};

/// The lanes of the threads that are in the same function at the frame of the
/// same number as \a exe_ctx is; without debug information, of its thread
/// alone. Threads whose lanes can't be told are left out.
std::vector<LaneView> GetViewsInFunction(const ExecutionContext &exe_ctx);

} // namespace wavelane
} // namespace lldb_private

#endif
