//===-- Blocks.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Blocks.h"

#include <iterator>

using namespace wavelane::check;

// How many freed allocations are remembered.
static constexpr size_t MaxFreed = 65536;

void Blocks::forget(uint64_t Begin, uint64_t End) {
  auto It = Freed.lower_bound(Begin);
  if (It != Freed.begin() &&
      std::prev(It)->first + std::prev(It)->second->Size > Begin)
    --It;
  while (It != Freed.end() && It->first < End)
    It = Freed.erase(It);
}

AllocationRef Blocks::add(uint64_t Address, uint64_t Size,
                          Allocation::Kind What, std::vector<uint64_t> Made) {
  auto Block = std::make_shared<Allocation>();
  Block->Address = Address;
  Block->Size = Size;
  Block->What = What;
  Block->Number = What == Allocation::Internal ? 0 : ++Count;
  Block->Made = std::move(Made);
  forget(Address, Address + Size);
  Last = nullptr;
  Live[Address] = Block;
  return Block;
}

AllocationRef Blocks::remove(uint64_t Address, std::vector<uint64_t> By) {
  auto It = Live.find(Address);
  if (It == Live.end())
    return nullptr;
  auto Block = std::make_shared<Allocation>(*It->second);
  Block->Freed = std::move(By);
  Block->IsFreed = true;
  Last = nullptr;
  Live.erase(It);
  if (Block->What == Allocation::Internal)
    return Block;
  Freed[Address] = Block;
  Oldest.push_back(Block);
  if (Oldest.size() > MaxFreed) {
    auto First = Freed.find(Oldest.front()->Address);
    if (First != Freed.end() && First->second == Oldest.front())
      Freed.erase(First);
    Oldest.pop_front();
  }
  return Block;
}

const Allocation *Blocks::findSlowly(uint64_t Address) const {
  auto It = Live.upper_bound(Address);
  if (It == Live.begin())
    return nullptr;
  const Allocation &Block = *std::prev(It)->second;
  if (Address - Block.Address >= Block.Size)
    return nullptr;
  return Last = &Block;
}

AllocationRef Blocks::findLive(uint64_t Address) const {
  auto It = Live.upper_bound(Address);
  if (It == Live.begin())
    return nullptr;
  const AllocationRef &Block = std::prev(It)->second;
  return Address - Block->Address < Block->Size ? Block : nullptr;
}

AllocationRef Blocks::findFreed(uint64_t Address) const {
  auto It = Freed.upper_bound(Address);
  if (It == Freed.begin())
    return nullptr;
  const AllocationRef &Block = std::prev(It)->second;
  return Address - Block->Address < Block->Size ? Block : nullptr;
}

static uint64_t distance(const Allocation &Block, uint64_t Address) {
  return Address < Block.Address ? Block.Address - Address
                                 : Address - (Block.Address + Block.Size);
}

AllocationRef Blocks::nearest(uint64_t Address) const {
  // The runtime's own blocks lie between the program's: look past a few.
  constexpr unsigned Reach = 16;
  AllocationRef Best;
  auto Consider = [&](const AllocationRef &Block) {
    if (Block->What != Allocation::Internal &&
        (!Best || distance(*Block, Address) < distance(*Best, Address)))
      Best = Block;
  };
  auto It = Live.upper_bound(Address);
  auto Up = It;
  for (unsigned I = 0; I < Reach && Up != Live.end(); ++I, ++Up)
    Consider(Up->second);
  for (unsigned I = 0; I < Reach && It != Live.begin(); ++I)
    Consider((--It)->second);
  return Best;
}
