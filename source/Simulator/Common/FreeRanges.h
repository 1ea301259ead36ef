//===-- FreeRanges.h - which addresses are free -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_COMMON_FREERANGES_H
#define WAVELANE_SIMULATOR_COMMON_FREERANGES_H

#include <cstdint>
#include <iterator>
#include <map>

namespace wavelane::simulator {

/// Free ranges of addresses, or of a file's offsets, in bytes. The first that
/// is large enough is taken.
class FreeRanges {
public:
  FreeRanges(uint64_t Begin, uint64_t End) { Free[Begin] = End - Begin; }

  /// \return The begin of \a Size bytes, a multiple of \a Align; 0 if no range
  ///     is large enough.
  uint64_t take(uint64_t Size, uint64_t Align = 1) {
    for (auto It = Free.begin(); It != Free.end(); ++It) {
      const uint64_t Begin = (It->first + Align - 1) / Align * Align;
      const uint64_t End = It->first + It->second;
      if (Begin > End || End - Begin < Size)
        continue;
      const uint64_t First = It->first;
      Free.erase(It);
      if (Begin > First)
        Free[First] = Begin - First;
      if (End > Begin + Size)
        Free[Begin + Size] = End - Begin - Size;
      return Begin;
    }
    return 0;
  }

  /// A range that was taken is free again, and joins its neighbors.
  void give(uint64_t Begin, uint64_t Size) {
    auto It = Free.emplace(Begin, Size).first;
    auto Next = std::next(It);
    if (Next != Free.end() && It->first + It->second == Next->first) {
      It->second += Next->second;
      Free.erase(Next);
    }
    if (It == Free.begin())
      return;
    auto Before = std::prev(It);
    if (Before->first + Before->second == It->first) {
      Before->second += It->second;
      Free.erase(It);
    }
  }

private:
  std::map<uint64_t, uint64_t> Free; ///< By begin: the size.
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_FREERANGES_H
