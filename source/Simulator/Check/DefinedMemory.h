//===-- DefinedMemory.h - which bits of memory are defined ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_DEFINEDMEMORY_H
#define WAVELANE_SIMULATOR_CHECK_DEFINEDMEMORY_H

#include "Blocks.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <array>
#include <cstring>
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
    if (!look(Address / PageBytes))
      return isFresh(Address) ? 0xff : 0;
    return Last ? (*Last)[Address % PageBytes] : 0;
  }
  /// Whether all of [Address, Address + Size) is defined.
  bool isDefined(uint64_t Address, uint64_t Size) const {
    while (Size) {
      const uint64_t Offset = Address % PageBytes;
      uint64_t Here = std::min(Size, PageBytes - Offset);
      if (look(Address / PageBytes)) {
        if (Last && !areZero(&(*Last)[Offset], Here))
          return false;
      } else {
        const Allocation *Block = Memory.find(Address);
        if (Block && Block->What == Allocation::Device)
          return false;
        Here =
            Block ? std::min(Here, Block->Address + Block->Size - Address) : 1;
      }
      Address += Here;
      Size -= Here;
    }
    return true;
  }
  /// Whether \a Count shadows say that their bytes are defined.
  static bool areZero(const uint8_t *Shadows, uint64_t Count) {
    return !Count || (!Shadows[0] &&
                      !std::memcmp(Shadows, Shadows + 1, size_t(Count - 1)));
  }
  /// If there is no room for it, the memory around it is taken for defined.
  void set(uint64_t Address, uint8_t Shadow);
  /// All of [Address, Address + Size) is defined.
  void define(uint64_t Address, uint64_t Size);
  void forget(uint64_t Address, uint64_t Size);

  uint64_t bytes() const { return Used; }
  uint64_t limit() const { return Limit; }
  /// Whether there was no room for something.
  bool isFull() const { return IsFull; }

private:
  static constexpr uint64_t PageBytes = 4096;
  using Page = std::array<uint8_t, PageBytes>;
  bool isFresh(uint64_t Address) const {
    const Allocation *Block = Memory.find(Address);
    return Block && Block->What == Allocation::Device;
  }
  /// Sets Last. \return false if the page isn't known.
  bool look(uint64_t Number) const {
    if (Number == LastNumber)
      return true;
    const auto It = Pages.find(Number);
    if (It == Pages.end())
      return false;
    LastNumber = Number;
    Last = It->second.get();
    return true;
  }
  void forgetLast() const { LastNumber = ~uint64_t(0); }
  Page *make(std::unique_ptr<Page> &To);

  const Blocks &Memory;
  const uint64_t Limit; ///< in bytes
  uint64_t Used = 0;
  bool IsFull = false;
  /// Those that aren't as allocated; null if all of one is defined.
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> Pages;
  // The page that was used last.
  mutable uint64_t LastNumber = ~uint64_t(0);
  mutable Page *Last = nullptr;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_DEFINEDMEMORY_H
