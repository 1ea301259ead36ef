//===-- Memory.h - the device's view of memory ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_MEMORY_H
#define WAVELANE_SIMULATOR_DEVICE_MEMORY_H

#include "wavelane/Simulator/ISA.h"
#include "wavelane/Simulator/Protocol.h"

#include <map>
#include <string>

namespace wavelane::simulator {

/// The arena, mapped at ArenaBase, with its page table, and the host pages that
/// the program has registered. An address outside what is allocated resolves to
/// nothing: a memory violation.
class DeviceMemory : public isa::MemoryAccess {
public:
  /// Maps the arena file. \return false with \a Error set.
  bool map(int ArenaFd, std::string &Error);

  isa::MemorySpan resolve(uint64_t Address, isa::Access Kind) override;

  /// \return where [Address, Address + Size) is, or null if any of it may not
  /// be accessed so.
  uint8_t *get(uint64_t Address, uint64_t Size, isa::Access Kind);
  template <typename T> T *object(uint64_t Address, isa::Access Kind) {
    if (Address % alignof(T))
      return nullptr;
    return reinterpret_cast<T *>(get(Address, sizeof(T), Kind));
  }

  /// \return 0 or -errno.
  int mapHost(uint64_t Address, uint64_t Size, uint64_t Arena);
  int unmapHost(uint64_t Address, uint64_t Size);

  /// Tells the program that something happened.
  void interrupt();

private:
  struct HostRange {
    uint64_t Size;
    uint64_t Arena;
  };
  const uint8_t *PageTable = nullptr;
  ArenaHeader *Header = nullptr;
  std::map<uint64_t, HostRange> Host; ///< by program address, not overlapping
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_MEMORY_H
