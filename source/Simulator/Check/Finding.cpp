//===-- Finding.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finding.h"

#include "llvm/ADT/Hashing.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::check;

std::vector<uint64_t> check::readStack(llvm::ArrayRef<uint8_t> Message) {
  constexpr size_t Most = 256;
  std::vector<uint64_t> Stack(std::min(Message.size() / 8, Most));
  if (!Stack.empty())
    memcpy(Stack.data(), Message.data(), Stack.size() * 8);
  return Stack;
}

uint64_t check::hash(const std::vector<uint64_t> &Stack) {
  return llvm::hash_combine_range(Stack.begin(), Stack.end());
}

void Place::workItem(unsigned Lane, uint32_t (&Out)[3]) const {
  const unsigned Lanes = Kernel ? Kernel->LaneCount : 64;
  const uint32_t X = std::max(GroupSize[0], 1u), Y = std::max(GroupSize[1], 1u);
  const uint32_t Item = WaveInGroup * Lanes + Lane;
  Out[0] = Item % X;
  Out[1] = Item / X % Y;
  Out[2] = Item / X / Y;
}
