//===-- WaveContext.h - a wave's lane as expressions see it -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_WAVECONTEXT_H
#define WAVELANE_SIMULATOR_CHECK_WAVECONTEXT_H

#include "wavelane/Location/Architecture.h"
#include "wavelane/Location/Evaluator.h"
#include "wavelane/Simulator/ISA/WaveState.h"
#include "wavelane/Simulator/ProgramMemory.h"

#include "llvm/DebugInfo/DWARF/DWARFDie.h"

namespace wavelane::check {

/// A lane of a wave between two instructions, in the code of a unit: what the
/// locations of its variables depend on.
class WaveContext final : public location::Context {
public:
  /// \param Function  The subprogram that the wave is in.
  /// \param IsKernelsFrame  It is a kernel that the wave is in, and has called
  ///     another function, which has changed registers.
  /// \param Base  Where the code object's address 0 is.
  /// \param Read  The program's memory.
  WaveContext(const isa::WaveState &Wave, unsigned Lane,
              llvm::DWARFDie Function, uint64_t Base,
              const simulator::ReadMemory &Read, bool IsKernelsFrame = false);

  /// How expressions of the unit are evaluated.
  const location::EvaluationOptions &options() const { return Options; }

  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t Number) override;
  llvm::Expected<uint64_t> getRegisterSize(uint64_t Number) override;
  llvm::Error readRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                           llvm::MutableArrayRef<uint8_t> Into) override;
  llvm::Error readMemory(uint64_t Space, std::optional<uint32_t> Lane,
                         uint64_t Thread, uint64_t Address,
                         llvm::MutableArrayRef<uint8_t> Into) override;
  std::optional<uint32_t> getLane() override { return Lane; }
  uint32_t getLaneCount() override { return Wave.LaneCount; }
  std::optional<uint64_t> getProgramLocation() override {
    return Wave.PC - Base;
  }
  llvm::Expected<location::Location> getFrameBase() override;
  llvm::Expected<uint64_t> getIndexedAddress(uint64_t Index) override;
  llvm::Expected<uint64_t> getLoadAddress(uint64_t FileAddress) override {
    return Base + FileAddress;
  }
  bool isVectorRegister(uint64_t Number, unsigned &ElementSize) override;
  unsigned getPrivateFrameScale() override;

private:
  const isa::WaveState &Wave;
  const unsigned Lane;
  const llvm::DWARFDie Function;
  const uint64_t Base;
  const simulator::ReadMemory &Read;
  const bool IsKernelsFrame;
  const location::Architecture &Machine;
  location::EvaluationOptions Options;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_WAVECONTEXT_H
