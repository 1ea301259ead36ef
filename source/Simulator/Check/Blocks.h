//===-- Blocks.h - the program's allocations --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_BLOCKS_H
#define WAVELANE_SIMULATOR_CHECK_BLOCKS_H

#include "Finding.h"

#include <deque>
#include <map>

namespace wavelane::check {

/// Which bytes of global memory are allocated, and which were.
class Blocks {
public:
  /// Adds an allocation. It replaces freed ones at its addresses.
  AllocationRef add(uint64_t Address, uint64_t Size, Allocation::Kind What,
                    std::vector<uint64_t> Made);
  /// \return The freed allocation; null if none begins at \a Address.
  AllocationRef remove(uint64_t Address, std::vector<uint64_t> Freed);

  /// The live allocation that \a Address is in; null if there is none. Valid
  /// until the next change.
  const Allocation *find(uint64_t Address) const {
    if (Last && Address - Last->Address < Last->Size)
      return Last;
    return findSlowly(Address);
  }
  AllocationRef findLive(uint64_t Address) const;
  /// The freed allocation that \a Address was in.
  AllocationRef findFreed(uint64_t Address) const;
  /// The allocation that ends or begins nearest to \a Address, live and of the
  /// program's own if possible; null if there is none.
  AllocationRef nearest(uint64_t Address) const;
  const std::map<uint64_t, AllocationRef> &live() const { return Live; }

private:
  const Allocation *findSlowly(uint64_t Address) const;
  void forget(uint64_t Begin, uint64_t End);

  std::map<uint64_t, AllocationRef> Live, Freed; ///< by address
  std::deque<AllocationRef> Oldest;              ///< freed, in order
  mutable const Allocation *Last = nullptr;
  uint64_t Count = 0;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_BLOCKS_H
