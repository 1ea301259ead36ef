//===-- LocationOperators.cpp - locations of any kind, and moving them ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"

using namespace llvm;
using namespace wavelane::location;

Error Machine::undefined(const Operation &) {
  push(Location::undefined());
  return Error::success();
}

Error Machine::implicitValue(const Operation &Op) {
  push(Location::implicit(Op.Block));
  return Error::success();
}

Error Machine::stackValue(const Operation &) {
  Expected<Entry> E = pop();
  if (!E)
    return E.takeError();
  if (E->IsImplicitPointer) {
    push(E->Location);
    return Error::success();
  }
  Expected<Value> V = toValue(*E, context());
  if (!V)
    return V.takeError();
  push(Location::implicit(
      ArrayRef<uint8_t>(V->getBytes()).take_front(V->Type.Size)));
  return Error::success();
}

Error Machine::implicitPointer(const Operation &Op) {
  push(Location::implicitPointer({DieReference::Section, Op.Operands[0]},
                                 int64_t(Op.Operands[1]), 0,
                                 context().getAddressSize()));
  return Error::success();
}

Error Machine::spaceImplicitPointer(const Operation &Op) {
  AddressSpace Info;
  Expected<uint64_t> Space = popSpace(Info);
  if (!Space)
    return Space.takeError();
  push(Location::implicitPointer({DieReference::Section, Op.Operands[0]},
                                 int64_t(Op.Operands[1]), *Space,
                                 Info.AddressBits / 8));
  return Error::success();
}

//===-- Moving ------------------------------------------------------------===//

Error Machine::moveTop(BitCount Bits) {
  // A location is moved in place; another entry is converted first.
  if (Stack.empty() || Stack.back().IsValue) {
    Expected<Location> L = popLocation();
    if (!L)
      return L.takeError();
    push(std::move(*L));
  }
  if (Error E = checkComplete(Stack.back()))
    return E;
  return Stack.back().Location.move(context(), Bits);
}

Error Machine::moveBy(unsigned Unit) {
  Expected<Value> N = popIntegral();
  if (!N)
    return N.takeError();
  const BitCount Distance = N->Type.Kind == Type::Unsigned
                                ? BitCount(N->getUnsigned())
                                : BitCount(N->getSigned());
  return moveTop(Distance * Unit);
}

Error Machine::offset(const Operation &) { return moveBy(8); }
Error Machine::bitOffset(const Operation &) { return moveBy(1); }
Error Machine::offsetConstant(const Operation &Op) {
  return moveTop(BitCount(Op.Operands[0]) * 8);
}

//===-- Several places ----------------------------------------------------===//

Error Machine::multiloc(const Operation &) {
  Expected<Location> Second = popLocation();
  if (!Second)
    return Second.takeError();
  Expected<Location> First = popLocation();
  if (!First)
    return First.takeError();
  if (Error E = useParts(First->countParts() + Second->countParts()))
    return E;
  Location L = Location::multi({std::move(*First), std::move(*Second)});
  if (Error E = checkNesting(L.getNesting()))
    return E;
  push(std::move(L));
  return Error::success();
}
