//===-- EarlyReturn.h - leaving a device function early ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_EARLYRETURN_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_EARLYRETURN_H

#include "EntryLanes.h"
#include "FrameRegisters.h"

#include "lldb/Utility/Status.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-private-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Leaves the function of a frame as if it returned now, in all lanes with
/// which it was entered: restores the caller's registers, and gives each of
/// these lanes its value (LaneResults.h), or all of them the same.
class EarlyReturn {
public:
  /// \param[in] index The frame's index in \a frames, which also contains
  ///     its caller, if any.
  EarlyReturn(Wave &wave, StackFrame &frame, uint32_t index,
              const WaveFrames &frames, FrameRegisters &registers,
              EntryLanes &lanes);

  /// \param[in] value The function's result; null for none.
  /// \return An error if one of the caller's registers isn't known; then
  ///     nothing has been changed.
  Status Do(ValueObject *value);

private:
  using Bytes = std::vector<uint8_t>;
  /// The contents of v0 and the following registers in a lane.
  using Words = std::vector<uint32_t>;

  /// The result in each lane of the wave; none of a function that gives none.
  llvm::Expected<std::vector<Words>> GetResults(ValueObject *value,
                                                uint64_t active);

  /// The lanes with which the function was entered, a bit each.
  llvm::Expected<uint64_t> GetActiveLanes();
  /// The new contents of a register; nullopt if it doesn't change.
  /// \param[in] results Of active lanes.
  llvm::Expected<std::optional<Bytes>> GetBytes(const RegisterInfo &info,
                                                const Bytes &now,
                                                uint64_t active,
                                                llvm::ArrayRef<Words> results);

  Wave &m_wave;
  StackFrame &m_frame;
  /// The indices of the frames.
  const uint32_t m_callee, m_caller;
  const WaveFrames &m_frames;
  FrameRegisters &m_registers;
  EntryLanes &m_lanes;
  const std::string m_function;
};

} // namespace wavelane
} // namespace lldb_private

#endif
