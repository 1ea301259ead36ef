//===-- LaneFlow.h - where lanes that are off go on -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM keeps masks of the lanes that wait for their side of a branch, or that
// have left a loop, in scalar registers, in lanes of vector registers and in
// spill slots, and turns them on again where the paths join. Their contents are
// known while the wave is stopped. LaneFlow follows the code from there, on all
// paths, with only the known bits of masks, until each lane is on again. The
// results of an active lane aren't known, but an inactive lane adds nothing to
// a mask.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_LANEFLOW_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_LANEFLOW_H

#include "Core/MachineCode/AMDGPUMachineCode.h"
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

  /// A call frame of a stopped wave.
  class Frame {
  public:
    virtual ~Frame() = default;
    virtual lldb::addr_t GetPC() = 0;
    virtual AMDGPUMachineCode &GetCode() = 0;
    /// The bytes of the longest instruction, or fewer at the end of the code.
    virtual std::vector<uint8_t> ReadCode(lldb::addr_t pc) = 0;
    /// Reads a scalar register or a half of a mask.
    virtual std::optional<uint32_t> ReadScalar(Register reg) = 0;
    /// Reads a vector or accumulation register, an element for each lane.
    virtual std::optional<std::vector<uint32_t>> ReadVector(Register reg) = 0;
    /// Reads a stack slot, an element for each lane.
    /// \param base The value of the instruction's scalar register.
    /// \param offset The instruction's offset, in bytes of a lane.
    virtual std::optional<std::vector<uint32_t>> ReadSlot(uint32_t base,
                                                          int64_t offset) = 0;
    /// Whether all lanes are on temporarily, such as to spill a whole register.
    virtual bool IsWholeWave() = 0;
    /// Whether a call preserves \a reg.
    virtual bool IsCalleeSaved(Register reg) = 0;
  };

  /// The outcome of a lane that is off.
  struct Outcome {
    enum Kind {
      Unknown, ///< The code doesn't show it.
      GoesOn,  ///< It is active again at pc.
      Returns, ///< It does nothing before the function returns.
      Ends     ///< It does nothing before the wave ends.
    } kind = Unknown;
    lldb::addr_t pc = 0;
    /// It is on somewhere in the function, so the function was entered with it.
    bool was_on = false;
  };

  /// \param waiting
  ///     The lanes that are off and searched for, a bit each.
  /// \return The outcome of each of \a lane_count lanes in the frame's
  /// function.
  static std::vector<Outcome> Follow(Frame &frame, uint32_t lane_count,
                                     uint64_t waiting);
};

} // namespace wavelane
} // namespace lldb_private

#endif
