//===-- Entry.cpp - values and locations on the stack ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Evaluator.h"

using namespace llvm;
using namespace wavelane::location;

std::string Entry::describe(Context *C) const {
  if (IsImplicitPointer)
    return "the value of an " + Location.describe(C);
  if (!IsValue)
    return Location.describe(C);
  return Value.describe();
}

Expected<Location> wavelane::location::toLocation(const Entry &E, Context &C,
                                                  const EvaluationOptions &O) {
  if (E.IsImplicitPointer)
    return followImplicitPointer(E.Location, C, O);
  if (!E.IsValue)
    return E.Location;
  if (!E.Value.Type.isIntegral())
    return illFormed("a value that is not integral is not a location");
  if (O.Dialect == Dialect::AMD && E.Value.Type.Kind != Type::Generic)
    return illFormed("only a value of the generic type converts to a location");
  const unsigned Size = C.getAddressSize();
  Expected<Value> Address =
      convert(E.Value, Type{Type::Generic, uint8_t(Size)});
  if (!Address)
    return Address.takeError();
  Location L = Location::memory(0, Address->getUnsigned());
  L.Lane = C.getLane();
  L.Thread = C.getThread();
  return L;
}

Expected<Value> wavelane::location::toValue(const Entry &E, Context &C) {
  if (E.IsImplicitPointer)
    return failed("the value of an implicit pointer is not known");
  if (E.IsValue)
    return E.Value;
  const Location &L = E.Location;
  if (L.Kind != StorageKind::Memory || L.Number != 0)
    return illFormed("a location that is not memory of the default address "
                     "space is not a value: " +
                     L.describe(&C));
  if (L.Offset % 8 != 0)
    return illFormed("a location inside a byte is not a value");
  return Value(Type{Type::Generic, uint8_t(C.getAddressSize())},
               uint64_t(L.Offset / 8));
}

Expected<Location> wavelane::location::evaluateDie(const DieLocation &Die,
                                                   Context &C,
                                                   const EvaluationOptions &O) {
  Context &Unit = Die.Unit ? *Die.Unit : C;
  if (Die.Expression) {
    Expected<Entry> Result =
        evaluate(*Die.Expression, Unit, ResultKind::Location, O);
    if (!Result)
      return Result.takeError();
    return std::move(Result->Location);
  }
  if (Die.List)
    return evaluateLocationList(*Die.List, Unit, O);
  if (Die.ConstValue)
    return Location::implicit(*Die.ConstValue);
  return failed("the entry that is referred to has no location");
}

Expected<Location>
wavelane::location::followImplicitPointer(const Location &Pointer, Context &C,
                                          const EvaluationOptions &O) {
  if (Pointer.Kind != StorageKind::ImplicitPointer)
    return illFormed("not an implicit pointer");
  if (O.MaxDepth == 0)
    return nestedTooDeeply("references", Pointer.getPointee().Offset);
  EvaluationOptions Inner = O;
  --Inner.MaxDepth;
  Expected<DieLocation> Die = C.getDie(Pointer.getPointee());
  if (!Die)
    return Die.takeError();
  Expected<Location> Target = evaluateDie(*Die, C, Inner);
  if (!Target)
    return Target.takeError();
  if (Pointer.getDisplacement() != 0)
    if (Error E = Target->move(C, BitCount(Pointer.getDisplacement()) * 8))
      return std::move(E);
  return Target;
}
