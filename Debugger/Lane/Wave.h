//===-- Wave.h - a thread that is a wave ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_LANE_WAVE_H
#define WAVELANE_DEBUGGER_LANE_WAVE_H

#include "LaneSource.h"
#include "lldb/lldb-private-types.h"

namespace lldb_private {
class StackFrame;
class Thread;

namespace wavelane {

/// A wave of a GPU, as the calling convention, the unwinder and conditions see
/// it. The process plugin's thread class implements it beside
/// lldb_private::Thread; it is found by dynamic_cast.
class Wave : public LaneSource {
public:
  virtual Thread &GetThread() = 0;

  /// A live register.
  /// \return null when the wave has no such register.
  const RegisterInfo *FindRegister(llvm::StringRef name);

  /// A live register of up to 64 bits.
  /// \param[in] name
  ///     As ROCdbgapi calls it, "s33" or "exec".
  std::optional<uint64_t> ReadScalarRegister(llvm::StringRef name);

  /// Whether \a info is of a register that says what the wave is (its dispatch,
  /// its focus lane), which the hardware doesn't have.
  virtual bool IsPseudoRegister(const RegisterInfo &info) const = 0;

  /// The number of a frame as the unwinder has it: a provider of frames may
  /// have moved it in the thread's list.
  virtual uint32_t GetUnwoundIndex(StackFrame &frame) = 0;

  /// The lanes that the wave's stop is about, a bit each; 0 when that isn't
  /// known.
  virtual uint64_t GetStopLanes() = 0;

  /// Where the function that has just been stepped out of has written a result
  /// that no registers take: an address of private_lane.
  /// \return nullopt where it couldn't be told when the step began.
  virtual std::optional<uint32_t> GetResultAddress(uint32_t lane) = 0;

  /// Whether the function that has just been stepped out of gives its result as
  /// the calling convention says. Optimisers drop what no caller uses, and say
  /// so.
  /// \param[in] registers  How many it should fill.
  virtual bool IsResultWhole(unsigned registers) = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
