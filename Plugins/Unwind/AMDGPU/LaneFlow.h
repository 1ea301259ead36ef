//===-- LaneFlow.h - where lanes that are off go on -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM keeps the lanes that wait for their side of a branch, or that have left
// a loop, in scalar registers, in lanes of vector registers and in spill slots,
// and turns them on again where the ways meet. What those hold is known while
// the wave stands. So the code is followed from where the wave stands, on all
// ways, with only the bits of masks that are known, until each lane is on
// again. What a lane that is on will compute isn't known; what a lane that is
// off leaves in a mask is: nothing.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_LANEFLOW_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_LANEFLOW_H

#include "MachineCode/AMDGPUMachineCode.h"
#include "lldb/lldb-types.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace lldb_private {
namespace wavelane {

class LaneFlow {
public:
  using Register = AMDGPUMachineCode::Register;

  /// A call frame as it stands.
  class Frame {
  public:
    virtual ~Frame() = default;
    virtual lldb::addr_t GetPC() = 0;
    virtual AMDGPUMachineCode &GetCode() = 0;
    /// The bytes of the longest instruction, or fewer where the code ends.
    virtual std::vector<uint8_t> ReadCode(lldb::addr_t pc) = 0;
    /// A scalar register or a half of a mask.
    virtual std::optional<uint32_t> ReadScalar(Register reg) = 0;
    /// A vector or accumulation register, an element for each lane.
    virtual std::optional<std::vector<uint32_t>> ReadVector(Register reg) = 0;
    /// A slot of the stack, an element for each lane.
    /// \param base  What the instruction's scalar register holds.
    /// \param offset  The instruction's, in bytes of a lane.
    virtual std::optional<std::vector<uint32_t>> ReadSlot(uint32_t base,
                                                          int64_t offset) = 0;
    /// Whether all lanes are on for a moment alone, as for the spill of a whole
    /// register.
    virtual bool IsWholeWave() = 0;
    /// Whether a call leaves \a reg alone.
    virtual bool IsCalleeSaved(Register reg) = 0;
  };

  /// What becomes of a lane that is off.
  struct Fate {
    enum Kind {
      Unknown, ///< The code doesn't show it.
      GoesOn,  ///< At pc it does something again.
      Returns, ///< It does nothing before the function returns.
      Ends     ///< It does nothing before the wave ends.
    } kind = Unknown;
    lldb::addr_t pc = 0;
    /// It is on again somewhere in the function, so the function was entered
    /// with it.
    bool was_on = false;
  };

  /// \param waiting
  ///     The lanes that are off and asked for, a bit each.
  /// \return What becomes of each of \a lane_count lanes in the frame's
  /// function.
  static std::vector<Fate> Follow(Frame &frame, uint32_t lane_count,
                                  uint64_t waiting);
};

} // namespace wavelane
} // namespace lldb_private

#endif
