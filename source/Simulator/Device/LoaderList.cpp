//===-- LoaderList.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoaderList.h"

#include <algorithm>
#include <cstring>

using namespace wavelane::simulator;

std::string LoadedCode::text(uint64_t Address) const {
  constexpr size_t Longest = 8192, Page = 4096;
  std::string Out;
  while (Out.size() < Longest) {
    char Part[Page];
    const size_t Size = Page - Address % Page;
    if (!Read(Address, Part, Size))
      return Out;
    const size_t Length = strnlen(Part, Size);
    Out.append(Part, Length);
    if (Length < Size)
      return Out;
    Address += Size;
  }
  return Out;
}

std::vector<LoadedCode::Entry> LoadedCode::update(uint64_t Debug) {
  // <link.h>: r_debug and link_map.
  struct {
    int32_t Version, Unused;
    uint64_t First;
  } List;
  struct {
    uint64_t Base, Name, Dynamic, Next, Previous;
  } Node;
  constexpr size_t MaxNodes = 65536;
  std::vector<std::pair<uint64_t, Entry>> Now;
  std::vector<Entry> New;
  if (!Debug || !read(Debug, List))
    return New;
  for (uint64_t At = List.First; At && Now.size() < MaxNodes; At = Node.Next) {
    if (!read(At, Node))
      break;
    Now.push_back({At, {Node.Base, text(Node.Name)}});
    if (std::find(Known.begin(), Known.end(), Now.back()) == Known.end())
      New.push_back(Now.back().second);
  }
  Known = std::move(Now);
  return New;
}
