//===-- LaneView.h - the lanes at a frame, looked at ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_LANEVIEW_H
#define WAVELANE_CORE_FORMAT_LANEVIEW_H

#include "Core/Lane/LaneFocus.h"
#include "Core/Record/LaneRecord.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// The lanes of a thread at one of its frames. Refers to both, and is valid
/// while the thread is stopped.
class LaneView {
public:
  /// Fails if the lanes at \a frame can't be determined.
  static llvm::Expected<LaneView> Get(StackFrame &frame);

  Thread &GetThread() const { return *m_thread_sp; }
  StackFrame &GetFrame() const { return *m_frame_sp; }
  uint32_t GetCount() const { return m_lanes.count; }
  const llvm::BitVector &GetActive() const { return m_lanes.active; }
  bool IsActive(uint32_t lane) const { return m_lanes.active.test(lane); }
  uint32_t GetFocus() const { return m_focus; }
  /// The thread's focus lane doesn't exist at this frame: GetFocus returns the
  /// last lane.
  bool HasFocusMoved() const { return m_has_focus_moved; }
  std::string GetWaveName() const {
    return m_source ? m_source->GetWaveName() : "";
  }
  std::optional<WorkItem> GetWorkItem(uint32_t lane) const {
    return m_source ? m_source->GetWorkItem(lane) : std::nullopt;
  }
  /// Whether the lane exists but has no work-item.
  bool IsIdle(uint32_t lane) const {
    return m_source && !m_source->GetWorkItem(lane);
  }

  /// Fails with an error that names the existing lanes unless \a lane is one of
  /// them.
  llvm::Error CheckExists(uint32_t lane) const;

  /// Makes \a lane, which must exist, the focus lane.
  void SetFocus(uint32_t lane);

  /// Describes the lanes. Analyzes the code if some are inactive.
  LaneList Describe() const;

  /// The stack of each of \a lanes from this frame on: an inactive lane may
  /// continue at another line, or in a caller.
  std::vector<LaneStack> DescribeStacks(const llvm::BitVector &lanes) const;

  /// How many lanes to show in a row: a row of the workgroup, if it fits a
  /// line.
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

/// The lanes of all threads that are in the same function at the frame with the
/// number of the frame of \a exe_ctx; without debug information, of its thread
/// only. Leaves out threads whose lanes can't be determined.
std::vector<LaneView> GetViewsInFunction(const ExecutionContext &exe_ctx);

} // namespace wavelane
} // namespace lldb_private

#endif
