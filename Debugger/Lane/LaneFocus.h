//===-- LaneFocus.h - the lanes of a thread and which one is looked at ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every thread has lanes: a GPU wave those of the machine (LaneSource), a CPU
// thread those that debug information gives the code at a frame's program
// counter (DW_AT_num_lanes), else one. One of them is the thread's focus lane:
// values, registers and names are shown for it. It starts at the first active
// lane and stays until another one is selected or the thread ends.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGGER_LANE_LANEFOCUS_H
#define WAVELANE_DEBUGGER_LANE_LANEFOCUS_H

#include "LaneSource.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The lanes at one frame.
struct LaneSet {
  uint32_t count = 1;
  /// As many bits as lanes. Of a wave those that execute (EXEC), unless debug
  /// information says which do so for the program (DW_AT_LLVM_active_lane).
  llvm::BitVector active;
  /// Whether the lanes are a wave's, not those of a widened loop.
  bool from_machine = false;
  /// Where each lane is, where debug information says so (DW_AT_LLVM_lane_pc):
  /// a load address; nullopt for a lane that wasn't active when the function
  /// began.
  std::vector<std::optional<lldb::addr_t>> pcs;
};

/// The lanes at \a frame. Fails when its debug information contradicts itself
/// (a count of zero, an expression that can't be evaluated).
llvm::Expected<LaneSet> GetLanes(StackFrame &frame);

/// The program location of \a lane at \a frame, a load address, where debug
/// information gives it one of its own (DW_AT_LLVM_lane_pc); nullopt when it is
/// the frame's.
std::optional<lldb::addr_t> GetProgramLocation(StackFrame &frame,
                                               uint32_t lane);

/// Where the lanes of \a frame that aren't active go on, as debug information,
/// else the code, shows; an element for each lane.
std::vector<std::optional<LanePlace>> GetLanePlaces(StackFrame &frame,
                                                    const LaneSet &lanes);

/// The focus lane of \a thread. Cheap; never fails: lane 0 where nothing better
/// is known. On a CPU thread it may lie beyond the lanes of some frame: see the
/// overload for frames.
uint32_t GetFocusLane(Thread &thread);

/// The focus lane at \a frame: the thread's, or the frame's last lane where the
/// thread's does not exist. \a moved says that it is the latter.
uint32_t GetFocusLane(StackFrame &frame, bool *moved = nullptr);

/// Selects \a lane of \a thread for all its frames and tells whoever shows the
/// thread (its caches, listeners of the thread). The caller has checked that
/// the lane exists.
void SetFocusLane(Thread &thread, uint32_t lane);

/// The name that the user has given to a lane of \a thread, or without one to
/// the thread itself; empty for none.
std::string GetGivenName(Thread &thread, std::optional<uint32_t> lane);

/// Looks at another lane for a while, without telling listeners.
class FocusLaneScope {
public:
  explicit FocusLaneScope(Thread &thread);
  ~FocusLaneScope();
  void Select(uint32_t lane);

private:
  lldb::ThreadSP m_thread_sp;
  std::optional<uint32_t> m_saved;
};

/// Reads the lanes that debug information gives \a frame; nullopt when it gives
/// none. Which are active is left empty where it doesn't say so. Installed by
/// the DWARF plugin.
using DebugInfoLanes =
    std::function<llvm::Expected<std::optional<LaneSet>>(StackFrame &frame)>;
void SetDebugInfoLanes(DebugInfoLanes lanes);

} // namespace wavelane
} // namespace lldb_private

#endif
