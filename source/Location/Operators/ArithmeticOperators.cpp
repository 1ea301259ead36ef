//===-- ArithmeticOperators.cpp - arithmetic, comparisons and types -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace wavelane::location;

Error Machine::unary(const Operation &Op) {
  Expected<Value> V = popValue();
  if (!V)
    return V.takeError();
  Expected<Value> R = applyUnary(uint8_t(Op.Code), *V);
  if (!R)
    return R.takeError();
  push(*R);
  return Error::success();
}

/// Replaces the two top entries by the result of \a Op.
/// \param MayAlign  Whether a generic operand may take the other one's type.
Error Machine::combine(const Operation &Op, bool MayAlign) {
  Expected<Value> Y = popValue();
  if (!Y)
    return Y.takeError();
  // Values are combined in place; other entries are converted first.
  if (Stack.empty() || !Stack.back().IsValue ||
      Stack.back().IsImplicitPointer) {
    Expected<Value> X = popValue();
    if (!X)
      return X.takeError();
    push(*X);
  }
  Value &X = Stack.back().Value;
  if (MayAlign && O.IsLenient)
    alignGeneric(X, *Y);
  Expected<Value> R = applyBinary(uint8_t(Op.Code), X, *Y);
  if (!R)
    return R.takeError();
  X = *R;
  return Error::success();
}

Error Machine::binary(const Operation &Op) { return combine(Op, true); }
Error Machine::shift(const Operation &Op) { return combine(Op, false); }

Error Machine::compare(const Operation &Op) {
  if (Error E = combine(Op, true))
    return E;
  Stack.back().Value.Type = generic();
  return Error::success();
}

Error Machine::plusConstant(const Operation &Op) {
  Expected<Value> V = popIntegral();
  if (!V)
    return V.takeError();
  if (!V->Type.isWide()) {
    push(Value(V->Type, V->Bits + Op.Operands[0]));
    return Error::success();
  }
  Expected<Value> Sum =
      applyBinary(llvm::dwarf::DW_OP_plus, *V, Value(V->Type, Op.Operands[0]));
  if (!Sum)
    return Sum.takeError();
  push(*Sum);
  return Error::success();
}

//===-- Types -------------------------------------------------------------===//

Expected<Type> Machine::getType(uint64_t Die) {
  if (Die == 0)
    return generic();
  return context().getBaseType(Die);
}

Error Machine::constType(const Operation &Op) {
  Expected<Type> T = getType(Op.Operands[0]);
  if (!T)
    return T.takeError();
  if (Op.Block.size() != T->Size)
    return illFormed("a constant of " + Twine(Op.Block.size()) +
                     " bytes with a type of " + Twine(T->Size));
  push(Value::fromBytes(*T, Op.Block));
  return Error::success();
}

Error Machine::convert(const Operation &Op) {
  Expected<Type> T = getType(Op.Operands[0]);
  if (!T)
    return T.takeError();
  Expected<Value> V = popValue();
  if (!V)
    return V.takeError();
  Expected<Value> R = location::convert(*V, *T);
  if (!R)
    return R.takeError();
  push(*R);
  return Error::success();
}

Error Machine::reinterpret(const Operation &Op) {
  Expected<Type> T = getType(Op.Operands[0]);
  if (!T)
    return T.takeError();
  Expected<Value> V = popValue();
  if (!V)
    return V.takeError();
  Expected<Value> R = location::reinterpret(*V, *T);
  if (!R)
    return R.takeError();
  push(*R);
  return Error::success();
}
