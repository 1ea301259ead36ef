//===-- StackOperators.cpp - constants, the stack and branches ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

Error Machine::nop(const Operation &) { return Error::success(); }

Error Machine::lit(const Operation &Op) {
  pushGeneric(Op.Code - DW_OP_lit0);
  return Error::success();
}

Error Machine::constant(const Operation &Op) {
  pushGeneric(Op.Operands[0]);
  return Error::success();
}

Error Machine::copy(uint64_t Index) {
  if (Error E = need(size_t(Index + 1)))
    return E;
  Entry Copy = Stack[Stack.size() - 1 - size_t(Index)];
  if (Error E = checkComplete(Copy))
    return E;
  push(std::move(Copy));
  return Error::success();
}
Error Machine::dup(const Operation &) { return copy(0); }
Error Machine::over(const Operation &) { return copy(1); }
Error Machine::pick(const Operation &Op) { return copy(Op.Operands[0]); }

Error Machine::drop(const Operation &) { return pop().takeError(); }

Error Machine::swap(const Operation &) {
  if (Error E = need(2))
    return E;
  std::swap(Stack[Stack.size() - 1], Stack[Stack.size() - 2]);
  return Error::success();
}

Error Machine::rot(const Operation &) {
  if (Error E = need(3))
    return E;
  std::rotate(Stack.end() - 3, Stack.end() - 1, Stack.end());
  return Error::success();
}

//===-- Branches ----------------------------------------------------------===//

/// The starts of operations, and the end: the possible targets of branches.
static Expected<BitVector> findBegins(ArrayRef<uint8_t> Expression,
                                      const DecodeOptions &Options) {
  BitVector Begins(unsigned(Expression.size() + 1));
  size_t At = 0;
  while (At < Expression.size()) {
    Begins.set(unsigned(At));
    Expected<Operation> Op = decode(Expression, At, Options);
    if (!Op)
      return Op.takeError();
    At = Op->End;
  }
  Begins.set(unsigned(Expression.size()));
  return Begins;
}

/// Goes to the operation that \a Op names.
Error Machine::branch(const Operation &Op) {
  if (!Now->Begins) {
    Expected<BitVector> Begins = findBegins(Now->Bytes, Now->Decode);
    if (!Begins)
      return Begins.takeError();
    Now->Begins = std::move(*Begins);
  }
  const int64_t Target = int64_t(Op.End) + int64_t(Op.Operands[0]);
  if (Target < 0 || uint64_t(Target) > Now->Bytes.size() ||
      !Now->Begins->test(unsigned(Target)))
    return illFormed("no operation begins at its target");
  Now->At = size_t(Target);
  return Error::success();
}

Error Machine::skip(const Operation &Op) { return branch(Op); }

Error Machine::bra(const Operation &Op) {
  Expected<Value> V = popIntegral();
  if (!V)
    return V.takeError();
  // The target is checked whether or not the branch is taken.
  if (Error E = branch(Op))
    return E;
  if (V->isZero())
    Now->At = Op.End;
  return Error::success();
}
