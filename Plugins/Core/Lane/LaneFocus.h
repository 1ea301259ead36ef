//===-- LaneFocus.h - the lanes of a thread and which one is looked at ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every thread has lanes: those of a GPU wave come from the hardware
// (LaneSource), those of a CPU thread come from debug information for the code
// at a frame's program counter (DW_AT_num_lanes); otherwise there is one. One
// of them is the thread's focus lane: values, registers and names are shown for
// it. It starts at the first active lane and stays until another one is
// selected or the thread ends.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_LANE_LANEFOCUS_H
#define WAVELANE_CORE_LANE_LANEFOCUS_H

#include "LaneSource.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The lanes at one frame.
struct LaneSet {
  uint32_t count = 1;
  /// A bit for each lane. For a wave the lanes that really execute, unless
  /// debug information says which are logically active
  /// (DW_AT_LLVM_active_lane).
  llvm::BitVector active;
  /// Whether the lanes are a wave's rather than a widened loop's.
  bool from_machine = false;
  /// Where each lane is, if debug information says so (DW_AT_LLVM_lane_pc): a
  /// load address; nullopt for a lane that wasn't active when the function
  /// began.
  std::vector<std::optional<lldb::addr_t>> pcs;
};

/// The lanes at \a frame. Fails if its debug information contradicts itself (a
/// count of zero, an expression that can't be evaluated).
llvm::Expected<LaneSet> GetLanes(StackFrame &frame);

/// The program location of \a lane at \a frame, a load address, if debug
/// information gives it its own (DW_AT_LLVM_lane_pc); nullopt if it is the
/// frame's.
std::optional<lldb::addr_t> GetProgramLocation(StackFrame &frame,
                                               uint32_t lane);

/// Where the inactive lanes of \a frame continue, according to debug
/// information, or else to the code; an element for each lane.
std::vector<std::optional<LanePlace>> GetLanePlaces(StackFrame &frame,
                                                    const LaneSet &lanes);

/// The focus lane of \a thread. Cheap; never fails: lane 0 if it isn't known.
/// On a CPU thread it may be beyond the lanes of some frame: see the overload
/// for frames.
uint32_t GetFocusLane(Thread &thread);

/// The focus lane at \a frame: the thread's, or the frame's last lane if the
/// thread's doesn't exist there. Sets \a moved in the latter case.
uint32_t GetFocusLane(StackFrame &frame, bool *moved = nullptr);

/// Selects \a lane of \a thread for all its frames and notifies its caches and
/// listeners. The caller must have checked that the lane exists.
void SetFocusLane(Thread &thread, uint32_t lane);

/// The name that the user gave to a lane of \a thread, or without a lane to the
/// thread itself; empty if none.
std::string GetGivenName(Thread &thread, std::optional<uint32_t> lane);

/// Selects another lane temporarily, without notifying listeners.
class FocusLaneScope {
public:
  explicit FocusLaneScope(Thread &thread);
  ~FocusLaneScope();
  void Select(uint32_t lane);

private:
  lldb::ThreadSP m_thread_sp;
  std::optional<uint32_t> m_saved;
};

/// Reads the lanes that debug information gives \a frame; nullopt if it gives
/// none. The mask of active lanes is empty if it doesn't say which are active.
/// Installed by the DWARF plugin.
using DebugInfoLanes =
    llvm::Expected<std::optional<LaneSet>> (*)(StackFrame &frame);
void SetDebugInfoLanes(DebugInfoLanes lanes);

} // namespace wavelane
} // namespace lldb_private

#endif
