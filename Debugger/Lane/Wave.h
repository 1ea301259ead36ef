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

  /// A live register. If waves can have either size, the server calls the
  /// 64-lane form of a register "v0_w64"; here both are "v0".
  /// \return null if the wave has no such register.
  const RegisterInfo *FindRegister(llvm::StringRef name);

  /// A live register of up to 64 bits.
  /// \param[in] name ROCdbgapi's name, "s33" or "exec".
  std::optional<uint64_t> ReadScalarRegister(llvm::StringRef name);

  /// Whether \a info is a register that describes the wave (its dispatch, its
  /// focus lane) and that the hardware doesn't have.
  virtual bool IsPseudoRegister(const RegisterInfo &info) const = 0;

  /// The unwinder's number of a frame: a provider of frames may have moved it
  /// in the thread's list.
  virtual uint32_t GetUnwoundIndex(StackFrame &frame) = 0;

  /// Where its kernel's arguments are: an address of global memory.
  /// \return nullopt when nothing is known of the wave's dispatch.
  virtual std::optional<lldb::addr_t> GetKernelArguments() = 0;

  /// The lanes that the wave's stop is about, a bit each; 0 when that isn't
  /// known.
  virtual uint64_t GetStopLanes() = 0;

  /// Where the function that was just stepped out of wrote a result that
  /// doesn't fit registers: an address of private_lane.
  /// \return nullopt if it wasn't known when the step began.
  virtual std::optional<uint32_t> GetResultAddress(uint32_t lane) = 0;

  /// Whether the function that was just stepped out of returns its result
  /// according to the calling convention. Optimisers drop parts that no caller
  /// uses, and say so.
  /// \param[in] registers  How many the result should fill.
  virtual bool IsResultWhole(unsigned registers) = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
