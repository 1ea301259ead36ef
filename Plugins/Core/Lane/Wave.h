//===-- Wave.h - a thread that is a wave ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_WAVE_H
#define WAVELANE_CORE_LANE_WAVE_H

#include "LaneSource.h"
#include "lldb/lldb-private-types.h"

namespace lldb_private {
class StackFrame;
class Thread;

namespace wavelane {

/// A GPU wave as used by the calling convention, the unwinder and conditions.
/// The process plugin's thread class implements it beside lldb_private::Thread;
/// it is found by dynamic_cast.
class Wave : public LaneSource {
public:
  virtual Thread &GetThread() = 0;

  /// The live register with that name. If waves can have either size, the
  /// server calls the 64-lane form "v0_w64"; here both are "v0".
  /// \return Null if the wave has no such register.
  const RegisterInfo *FindRegister(llvm::StringRef name);

  /// Reads a live register of up to 64 bits.
  /// \param[in] name ROCdbgapi's name, such as "s33" or "exec".
  std::optional<uint64_t> ReadScalarRegister(llvm::StringRef name);

  /// Whether \a info is a register that describes the wave (its dispatch, its
  /// focus lane) and doesn't exist in hardware.
  virtual bool IsPseudoRegister(const RegisterInfo &info) const = 0;

  /// The unwinder's number of a frame: a frame provider may have moved it in
  /// the thread's list.
  virtual uint32_t GetUnwoundIndex(StackFrame &frame) = 0;

  /// The address of its kernel's arguments in global memory.
  /// \return nullopt if the wave's dispatch is unknown.
  virtual std::optional<lldb::addr_t> GetKernelArguments() = 0;

  /// A range of addresses of local memory.
  struct LocalRange {
    uint64_t begin = 0, end = 0;
  };
  /// The local memory that the launch of the kernel added to the kernel's own.
  /// \return nullopt if the wave's dispatch is unknown.
  virtual std::optional<LocalRange> GetDynamicLocalMemory() = 0;

  /// The lanes that caused the wave's stop, a bit each; 0 if unknown.
  virtual uint64_t GetStopLanes() = 0;

  /// Where the function that was just stepped out of wrote a result too large
  /// for registers: an address of private_lane.
  /// \return nullopt if it wasn't known when the step began.
  virtual std::optional<uint32_t> GetResultAddress(uint32_t lane) = 0;

  /// Whether the function that was just stepped out of returns its result
  /// according to the calling convention. An optimizer may drop parts that no
  /// caller uses; debug information says so.
  /// \param[in] registers  The number of registers that the result should fill.
  virtual bool IsResultWhole(unsigned registers) = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
