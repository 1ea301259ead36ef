//===-- AccessShadow.h - who accessed memory last ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_ACCESSSHADOW_H
#define WAVELANE_SIMULATOR_CHECK_ACCESSSHADOW_H

#include "Finding.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>
#include <vector>

namespace wavelane::check {

/// An access of some bytes of a dword.
struct Stamp {
  uint32_t Wave = 0; ///< number; 0: none
  uint32_t Clock = 0;
  uint32_t Site = 0;    ///< of Sites
  uint8_t Lane = 0;     ///< the last, if the bytes are of several
  uint8_t Bytes : 4;    ///< a bit for each byte of the dword
  uint8_t Kind : 4;     ///< AccessKind
  uint16_t Earlier = 0; ///< 4 bits for each byte: how much less its lane is

  Stamp() : Bytes(0), Kind(0) {}
  AccessKind kind() const { return AccessKind(Kind); }
  /// The lane that has accessed the first of some bytes.
  uint8_t laneOf(unsigned Of) const {
    for (unsigned N = 0; N < 4; ++N)
      if (Of & Bytes & 1u << N)
        return uint8_t(Lane - (Earlier >> (4 * N) & 15));
    return Lane;
  }
  /// Also has the bytes of \a Before, if that is of a lane before this one and
  /// otherwise the same access.
  void join(const Stamp &Before) {
    if (Before.Wave != Wave || Before.Clock != Clock || Before.Site != Site ||
        Before.Kind != Kind || Before.Lane >= Lane)
      return;
    const unsigned Since = unsigned(Lane - Before.Lane);
    Stamp Both = *this;
    for (unsigned N = 0; N < 4; ++N) {
      if (!(Before.Bytes & ~Bytes & 1u << N))
        continue;
      const unsigned Less = Since + (Before.Earlier >> (4 * N) & 15);
      if (Less > 15)
        return;
      Both.Earlier |= uint16_t(Less << (4 * N));
      Both.Bytes |= 1u << N;
    }
    *this = Both;
  }
};
static_assert(sizeof(Stamp) == 16);

/// Places in code, as numbers.
class Sites {
public:
  struct Site {
    uint64_t PC = 0;
    uint32_t Stack = 0; ///< Place::Stack
  };
  uint32_t number(uint64_t PC, uint32_t Stack) {
    const auto [It, New] =
        Numbers.try_emplace({PC, Stack}, uint32_t(All.size()));
    if (New)
      All.push_back({PC, Stack});
    return It->second;
  }
  const Site &operator[](uint32_t Number) const { return All[Number]; }

private:
  std::vector<Site> All;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Numbers;
};

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
  /// The same, or null if nothing has been accessed near it.
  Cell *find(uint64_t Address) {
    const auto It = Pages.find(Address / PageBytes);
    return It == Pages.end() ? nullptr
                             : &(*It->second)[Address % PageBytes / 4];
  }
  /// The first address after \a Address that isn't near it.
  static uint64_t next(uint64_t Address) {
    return (Address / PageBytes + 1) * PageBytes;
  }
  uint64_t bytes() const { return Pages.size() * sizeof(Page); }
  uint64_t limit() const { return Limit; }
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
