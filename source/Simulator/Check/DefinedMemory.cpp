//===-- DefinedMemory.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefinedMemory.h"

#include <algorithm>

using namespace wavelane::check;

/// Makes a page whose bytes are defined; null if the limit is reached.
DefinedMemory::Page *DefinedMemory::make(std::unique_ptr<Page> &To) {
  if (Used + sizeof(Page) > Limit) {
    IsFull = true;
    return nullptr;
  }
  Used += sizeof(Page);
  To = std::make_unique<Page>();
  return To.get();
}

void DefinedMemory::set(uint64_t Address, uint8_t Shadow) {
  const uint64_t Number = Address / PageBytes;
  if (look(Number) && (Last || !Shadow)) {
    if (Last)
      (*Last)[Address % PageBytes] = Shadow;
    return;
  }
  auto It = Pages.find(Number);
  forgetLast();
  if (It == Pages.end()) {
    if (!Shadow && !isFresh(Address))
      return;
    std::unique_ptr<Page> New;
    if (Page *P = make(New))
      for (uint64_t N = 0; N < PageBytes; ++N)
        (*P)[N] = isFresh(Number * PageBytes + N) ? 0xff : 0;
    // Without room, all of the page is taken for defined.
    It = Pages.try_emplace(Number, std::move(New)).first;
  } else if (!It->second) {
    make(It->second);
  }
  if (It->second)
    (*It->second)[Address % PageBytes] = Shadow;
}

void DefinedMemory::define(uint64_t Address, uint64_t Size) {
  const uint64_t End = Address + Size;
  forgetLast();
  while (Address < End) {
    const uint64_t Number = Address / PageBytes;
    const uint64_t Next = std::min(End, (Number + 1) * PageBytes);
    if (Next - Address == PageBytes) {
      std::unique_ptr<Page> &P = Pages[Number];
      if (P)
        Used -= sizeof(Page);
      P.reset();
      Address = Next;
      continue;
    }
    for (; Address < Next; ++Address)
      set(Address, 0);
  }
}

void DefinedMemory::forget(uint64_t Address, uint64_t Size) {
  forgetLast();
  if (!Size)
    return;
  const uint64_t First = Address / PageBytes,
                 Last = (Address + Size - 1) / PageBytes;
  auto Erase = [this](auto It) {
    if (It->second)
      Used -= sizeof(Page);
    Pages.erase(It);
  };
  // The pages at the ends may be shared with others.
  if (Size / PageBytes > Pages.size()) {
    for (auto It = Pages.begin(); It != Pages.end(); ++It)
      if (It->first >= First && It->first <= Last)
        Erase(It);
    return;
  }
  for (uint64_t Number = First; Number <= Last; ++Number)
    if (auto It = Pages.find(Number); It != Pages.end())
      Erase(It);
}
