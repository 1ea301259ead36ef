//===-- AccessShadow.h - who accessed memory last ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_ACCESSSHADOW_H
#define WAVELANE_SIMULATOR_CHECK_ACCESSSHADOW_H

#include "Finding.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>

namespace wavelane::check {

/// An access of some bytes of a dword.
struct Stamp {
  uint32_t Wave = 0; ///< number; 0: none
  uint32_t Clock = 0;
  uint64_t PC : 48;
  uint64_t Lane : 8;
  uint64_t Bytes : 4; ///< a bit for each byte of the dword
  uint64_t Kind : 4;  ///< AccessKind

  Stamp() : PC(0), Lane(0), Bytes(0), Kind(0) {}
  AccessKind kind() const { return AccessKind(Kind); }
};
static_assert(sizeof(Stamp) == 16);

/// The last accesses of a dword. Of the reads since the last write, two are
/// kept: the latest, and one that isn't ordered before it. Before an atomic,
/// also another wave's.
struct Cell {
  Stamp Write, AtomicBefore, Read, OtherRead;
};

/// The cells of memory, allocated where it is accessed, up to a limit.
class AccessShadow {
public:
  explicit AccessShadow(uint64_t Limit) : Limit(Limit) {}

  /// The cell of the dword at \a Address; null if the limit is reached.
  Cell *at(uint64_t Address) {
    const uint64_t Number = Address / PageBytes;
    if (Number != LastNumber || !Last) {
      Page *P = page(Number);
      if (!P)
        return nullptr;
      LastNumber = Number;
      Last = P;
    }
    return &(*Last)[Address % PageBytes / 4];
  }
  void clear() {
    Pages.clear();
    Last = nullptr;
  }

private:
  static constexpr uint64_t PageBytes = 1024;
  using Page = std::array<Cell, PageBytes / 4>;
  Page *page(uint64_t Number) {
    auto It = Pages.find(Number);
    if (It != Pages.end())
      return It->second.get();
    if ((Pages.size() + 1) * sizeof(Page) > Limit)
      return nullptr;
    return (Pages[Number] = std::make_unique<Page>()).get();
  }

  const uint64_t Limit; ///< in bytes
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> Pages;
  uint64_t LastNumber = 0;
  Page *Last = nullptr;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_ACCESSSHADOW_H
