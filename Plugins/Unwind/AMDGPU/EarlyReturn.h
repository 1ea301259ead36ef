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

/// Leaves the function of a frame, as if it returned now in all lanes with
/// which it was entered: the caller's registers are restored, and all of these
/// lanes get the value.
class EarlyReturn {
public:
  /// \param[in] index  The frame's in \a frames, which has its caller, too, if
  ///     there is one.
  EarlyReturn(Wave &wave, StackFrame &frame, uint32_t index,
              const WaveFrames &frames, FrameRegisters &registers,
              EntryLanes &lanes);

  /// \param[in] value  What the function returns; null for nothing.
  /// \return An error if one of the caller's registers isn't known. Nothing has
  ///     changed then.
  Status Do(ValueObject *value);

private:
  using Bytes = std::vector<uint8_t>;

  /// The lanes that the function was entered with, a bit each.
  llvm::Expected<uint64_t> GetActiveLanes();
  /// The new contents of a register; nullopt if it stays as it is.
  /// \param[in] result  The contents of v0 and the registers after it in active
  ///     lanes.
  llvm::Expected<std::optional<Bytes>>
  GetBytes(const RegisterInfo &info, const Bytes &now, uint64_t active,
           llvm::ArrayRef<uint32_t> result);

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
