//===-- CoreMemory.h - memory of a core file that runs on -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_COREMEMORY_H
#define WAVELANE_SIMULATOR_DEVICE_COREMEMORY_H

#include "DeviceMemory.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace wavelane::simulator {

/// What a core file has, at the addresses that it had. Files are mapped so that
/// writes stay in this process, and only pages that are used are read.
class CoreMemory : public DeviceMemory {
public:
  struct Range {
    uint64_t Address, Size;
    int Fd; ///< -1: zeros
    uint64_t Offset;
  };

  CoreMemory() = default;
  ~CoreMemory() override;

  /// Maps the ranges, and \a Own bytes for the device at an address that none
  /// of them has.
  llvm::Error map(std::vector<Range> Ranges, uint64_t Own);
  uint64_t ownAddress() const { return OwnAddress; }
  /// All of it, in this process.
  uint8_t *base() const { return Base; }
  uint64_t size() const { return Size; }

  /// Unlike resolve(), ignores what pages allow.
  /// \return The bytes from \a Address on, as many as there are up to \a Size.
  uint8_t *find(uint64_t Address, uint64_t &Size) const;

  isa::MemorySpan resolve(uint64_t Address, isa::Access Kind) override;
  void forEachRange(
      llvm::function_ref<void(uint64_t Begin, uint64_t End, uint8_t *Host)> Do)
      override {
    for (const Run &R : Runs)
      Do(R.Begin, R.End, R.Host);
  }
  isa::MemoryAccess &of(unsigned) override { return *this; }
  void interrupt(uint32_t) override {} // the program isn't there
  uint64_t timestamp() override;
  check::HostState hostState() override { return check::HostState::Waits; }

private:
  /// Consecutive pages.
  struct Run {
    uint64_t Begin, End;
    uint8_t *Host;
  };
  const Run *findRun(uint64_t Address) const;
  void layOut(const std::vector<Range> &Ranges, uint64_t Own);
  llvm::Error fill(const Range &R);

  std::vector<Run> Runs; ///< by address
  uint8_t *Base = nullptr;
  uint64_t Size = 0;
  uint64_t OwnAddress = 0;
  const uint8_t *PageTable = nullptr; ///< of an arena in it
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_COREMEMORY_H
