//===-- CallStacks.h - who called a function of a kernel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Return addresses of the functions that a wave is in, from the calls and
// returns that it has executed. Each stack is a number, so that it can be kept
// with each access; stacks share their callers.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_CALLSTACKS_H
#define WAVELANE_SIMULATOR_CHECK_CALLSTACKS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"

#include <cstdint>
#include <vector>

namespace wavelane::check {

class CallStacks {
public:
  CallStacks() : Nodes(1) {}

  /// The stack after a call from \a Stack that returns to \a Return. Beyond
  /// limits of depth and number, \a Stack itself. 0 is a kernel without calls.
  uint32_t push(uint32_t Stack, uint64_t Return) {
    const auto It = Known.find({Stack, Return});
    if (It != Known.end())
      return It->second;
    if (Nodes[Stack].Depth >= MaxDepth || Nodes.size() >= MaxStacks)
      return Stack;
    bool IsRecursive = false;
    for (uint32_t S = Stack; S; S = Nodes[S].Caller)
      IsRecursive |= Nodes[S].Return == Return;
    Node N = {Return, Nodes[Stack].Key, Stack, Nodes[Stack].Depth + 1};
    if (!IsRecursive)
      N.Key = llvm::hash_combine(N.Key, Return);
    Nodes.push_back(N);
    return Known[{Stack, Return}] = uint32_t(Nodes.size() - 1);
  }
  /// The stack after a jump to \a Target, which is a return if a function of
  /// the stack was called from there.
  uint32_t pop(uint32_t Stack, uint64_t Target) const {
    for (uint32_t S = Stack; S; S = Nodes[S].Caller)
      if (Nodes[S].Return == Target)
        return Nodes[S].Caller;
    return Stack;
  }
  /// Innermost first.
  std::vector<uint64_t> returns(uint32_t Stack) const {
    std::vector<uint64_t> Out;
    for (; Stack; Stack = Nodes[Stack].Caller)
      Out.push_back(Nodes[Stack].Return);
    return Out;
  }
  /// The same for stacks that differ only in how often a function has called
  /// itself.
  uint64_t key(uint32_t Stack) const { return Nodes[Stack].Key; }

private:
  static constexpr uint32_t MaxDepth = 64, MaxStacks = 1 << 16;
  struct Node {
    uint64_t Return = 0, Key = 0;
    uint32_t Caller = 0, Depth = 0;
  };
  std::vector<Node> Nodes;
  llvm::DenseMap<std::pair<uint32_t, uint64_t>, uint32_t> Known;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CALLSTACKS_H
