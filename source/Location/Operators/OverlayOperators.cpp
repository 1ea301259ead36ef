//===-- OverlayOperators.cpp - a location over a part of another ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"

using namespace llvm;
using namespace wavelane::location;

static Location movedTo(const Location &L, BitCount Offset) {
  Location Moved = L;
  Moved.Offset = Offset;
  return Moved;
}

/// A number that may be negative: generic values are signed here.
static BitCount getSignedCount(const Value &V) {
  return V.Type.Kind == Type::Unsigned ? BitCount(V.getUnsigned())
                                       : BitCount(V.getSigned());
}

Error Machine::popOverlay(OverlayOperands &Operands) {
  Expected<Value> Width = popIntegral();
  if (!Width)
    return Width.takeError();
  Expected<Value> Where = popIntegral();
  if (!Where)
    return Where.takeError();
  Expected<Location> Over = popLocation();
  if (!Over)
    return Over.takeError();
  Expected<Location> Base = popLocation();
  if (!Base)
    return Base.takeError();
  Operands = {std::move(*Base), std::move(*Over), *Where, *Width};
  return Error::success();
}

//===-- LLVM's ------------------------------------------------------------===//

Error Machine::addLLVMOverlay(unsigned Unit) {
  OverlayOperands Operands;
  if (Error E = popOverlay(Operands))
    return E;
  auto &[Base, Over, Where, Width] = Operands;
  if (Where.Type.Kind != Type::Unsigned && Where.getSigned() < 0)
    return illFormed("an overlay at a negative offset");
  const BitCount Begin = BitCount(Where.getUnsigned()) * Unit;
  const BitCount Size = BitCount(Width.getUnsigned()) * Unit;
  Expected<std::optional<BitCount>> BaseSize = Base.getStorageSize(context());
  if (!BaseSize)
    return BaseSize.takeError();
  const BitCount Left =
      *BaseSize ? **BaseSize - Base.Offset : CompositeStorage::Unbounded;
  if (Begin + Size > Left)
    return illFormed("an overlay goes past the end of its base");
  if (Size == 0) {
    push(std::move(Base));
    return Error::success();
  }
  if (Error E = checkInside(Over, Size))
    return E;
  if (Begin == 0 && Size == Left) {
    push(std::move(Over));
    return Error::success();
  }
  if (Error E = useParts(Base.countParts() + 3))
    return E;
  auto Storage = std::make_shared<CompositeStorage>();
  if (Begin > 0)
    Storage->addSlice(Base, Begin);
  Storage->add(Begin, Begin + Size, std::move(Over));
  if (Begin + Size < Left)
    Storage->addSlice(movedTo(Base, Base.Offset + Begin + Size),
                      Left - Begin - Size);
  return pushComposite(std::move(Storage), /*IsOpen=*/false);
}
Error Machine::llvmOverlay(const Operation &) { return addLLVMOverlay(8); }
Error Machine::llvmBitOverlay(const Operation &) { return addLLVMOverlay(1); }

//===-- DWARF 6's ---------------------------------------------------------===//

/// \param Begin The offset from the start of \a Base's storage.
Expected<Location> Machine::makeOverlay(const Location &Base,
                                        const Location &Over, BitCount Begin,
                                        BitCount Size) {
  Expected<std::optional<BitCount>> BaseSize = Base.getStorageSize(context());
  if (!BaseSize)
    return BaseSize.takeError();
  const BitCount End = *BaseSize ? **BaseSize : CompositeStorage::Unbounded;
  if (Begin < 0)
    return illFormed("an overlay begins before its base's storage");
  if (Begin + Size >= CompositeStorage::Unbounded)
    return makeError(ErrorKind::Limit, "an overlay is too large");
  if (Size == 0)
    return Base;
  if (Error E = checkInside(Over, Size))
    return std::move(E);
  if (Error E = useParts(Base.countParts() + 3))
    return std::move(E);
  auto Storage = std::make_shared<CompositeStorage>();
  if (Begin > 0) {
    const BitCount Inside = std::min(Begin, End);
    if (Inside > 0)
      Storage->addSlice(movedTo(Base, 0), Inside);
    if (Inside < Begin)
      Storage->add(Inside, Begin, Location::undefined());
  }
  Storage->add(Begin, Begin + Size, Over);
  if (Begin + Size < End)
    Storage->addSlice(movedTo(Base, Begin + Size), End - Begin - Size);
  if (Error E = checkNesting(Storage->Nesting))
    return std::move(E);
  Location Result = Location::composite(std::move(Storage));
  Result.Offset = Base.Offset;
  return Result;
}

Error Machine::addOverlay(unsigned Unit) {
  OverlayOperands Operands;
  if (Error E = popOverlay(Operands))
    return E;
  auto &[Base, Over, Where, Width] = Operands;
  if (Width.Type.Kind != Type::Unsigned && Width.getSigned() < 0)
    return illFormed("an overlay of negative width");
  return pushExpected(makeOverlay(Base, Over,
                                  Base.Offset + getSignedCount(Where) * Unit,
                                  BitCount(Width.getUnsigned()) * Unit));
}
Error Machine::overlay(const Operation &) { return addOverlay(8); }
Error Machine::bitOverlay(const Operation &) { return addOverlay(1); }

//===-- Object maps -------------------------------------------------------===//

Error Machine::objectMap(const Operation &Op) {
  Expected<Value> Index = popIntegral();
  if (!Index)
    return Index.takeError();
  if (Depth >= O.MaxDepth)
    return nestedTooDeeply("object maps", Op.Operands[0]);
  Expected<ObjectMap> Map =
      context().getObjectMap({DieReference::Section, Op.Operands[0]}, nested());
  if (!Map)
    return Map.takeError();
  if (Map->ElementSize == 0 || Map->ElementCount == 0)
    return illFormed("an object map of elements without size or number");
  Location Array = Map->Memory;
  if (Map->IsActive) {
    Expected<Location> Over = makeOverlay(
        Map->Memory, Map->Vector,
        Map->Memory.Offset + BitCount(Map->First) * Map->ElementSize * 8,
        BitCount(Map->ElementSize) * Map->ElementCount * 8);
    if (!Over)
      return Over.takeError();
    Array = std::move(*Over);
  }
  if (Error E =
          Array.move(context(), getSignedCount(*Index) * Map->ElementSize * 8))
    return E;
  push(std::move(Array));
  return Error::success();
}
