//===-- DefinedMemory.h - which bits of memory are defined ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_DEFINEDMEMORY_H
#define WAVELANE_SIMULATOR_CHECK_DEFINEDMEMORY_H

#include "Blocks.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>

namespace wavelane::check {

/// A shadow byte for each byte of global memory: its bits that are set aren't
/// defined. Device memory is undefined when it is allocated, other memory is
/// defined.
class DefinedMemory {
public:
  DefinedMemory(const Blocks &Memory, uint64_t Limit)
      : Memory(Memory), Limit(Limit) {}

  uint8_t get(uint64_t Address) const {
    auto It = Pages.find(Address / PageBytes);
    if (It == Pages.end())
      return isFresh(Address) ? 0xff : 0;
    return It->second ? (*It->second)[Address % PageBytes] : 0;
  }
  /// \return false if the limit is reached.
  bool set(uint64_t Address, uint8_t Shadow);
  /// All of [Address, Address + Size) is defined.
  void define(uint64_t Address, uint64_t Size);
  void forget(uint64_t Address, uint64_t Size);

  uint64_t bytes() const { return Used; }
  uint64_t limit() const { return Limit; }

private:
  static constexpr uint64_t PageBytes = 4096;
  using Page = std::array<uint8_t, PageBytes>;
  bool isFresh(uint64_t Address) const {
    const Allocation *Block = Memory.find(Address);
    return Block && Block->What == Allocation::Device;
  }
  Page *make(std::unique_ptr<Page> &To);

  const Blocks &Memory;
  const uint64_t Limit; ///< in bytes
  uint64_t Used = 0;
  /// Those that aren't as allocated; null if all of one is defined.
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> Pages;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_DEFINEDMEMORY_H
