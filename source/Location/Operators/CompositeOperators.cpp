//===-- CompositeOperators.cpp - locations made of parts ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"

using namespace llvm;
using namespace wavelane::location;

Error Machine::checkInside(const Location &L, BitCount Size) {
  Expected<std::optional<BitCount>> Storage = L.getStorageSize(context());
  if (!Storage) {
    // If the size isn't known (a register isn't available), reading will fail.
    return handleErrors(Storage.takeError(),
                        [](std::unique_ptr<LocationError> E) -> Error {
                          if (E->getKind() == ErrorKind::MissingContext)
                            return Error::success();
                          return Error(std::move(E));
                        });
  }
  if (L.Offset < 0 || (*Storage && L.Offset + Size > **Storage))
    return illFormed(
        "a part of " + Twine(uint64_t(Size)) +
        " bits goes beyond its storage: " + L.describe(&context()));
  return Error::success();
}

Error Machine::pushComposite(std::shared_ptr<CompositeStorage> Storage,
                             bool IsOpen) {
  if (Error E = checkNesting(Storage->Nesting))
    return E;
  Location L = Location::composite(std::move(Storage));
  L.IsOpen = IsOpen;
  push(std::move(L));
  return Error::success();
}

Error Machine::composite(const Operation &) {
  HasUsedComposite = true;
  return pushComposite(std::make_shared<CompositeStorage>(), /*IsOpen=*/true);
}

Error Machine::pieceEnd(const Operation &) {
  if (Stack.empty() || !isOpen(Stack.back()))
    return illFormed("there is no incomplete composite on top");
  Stack.back().Location.IsOpen = false;
  return Error::success();
}

//===-- Pieces ------------------------------------------------------------===//

/// Whether an open composite on top of another one is a part of it.
bool Machine::nestsComposites() const {
  return O.Dialect == Dialect::Strict ||
         (O.Dialect == Dialect::Default && HasUsedComposite);
}

/// Takes the storage of the open composite on top, to add a part.
Expected<std::shared_ptr<CompositeStorage>> Machine::takeOpenComposite() {
  std::shared_ptr<const CompositeStorage> Old =
      Stack.pop_back_val().Location.takeComposite();
  // Change it in place if it isn't shared: only the machine creates composites.
  if (Old.use_count() == 1)
    return std::const_pointer_cast<CompositeStorage>(Old);
  if (Error E = useParts(Old->Parts.size()))
    return std::move(E);
  return std::make_shared<CompositeStorage>(*Old);
}

/// Checks that \a Part has \a Size bits.
Error Machine::fitPart(Location &Part, BitCount Size) {
  constexpr BitCount MaxExtended = 8 * 4096;
  if (!O.IsLenient || Part.Kind != StorageKind::Implicit || Part.Offset != 0 ||
      Size % 8 != 0 || Size > MaxExtended ||
      Part.getBytes().size() * 8 >= size_t(Size))
    return checkInside(Part, Size);
  std::vector<uint8_t> Bytes = Part.getBytes();
  Bytes.resize(size_t(Size / 8));
  Part = Location::implicit(Bytes);
  return Error::success();
}

Error Machine::addPiece(BitCount Size, BitCount Offset) {
  const bool TopIsOpen = !Stack.empty() && isOpen(Stack.back());
  const bool BelowIsOpen = Stack.size() > 1 && isOpen(Stack[Stack.size() - 2]);
  // The part is on top, unless the composite itself is: then the part is
  // undefined.
  Location Part;
  bool IsFirst = Stack.empty();
  if (!Stack.empty() && (!TopIsOpen || (BelowIsOpen && nestsComposites()))) {
    if (!BelowIsOpen && O.Dialect == Dialect::Strict && Stack.size() > 1)
      return illFormed("a piece with unrelated entries below; begin with "
                       "DW_OP_composite");
    Entry P = Stack.pop_back_val();
    P.Location.IsOpen = false;
    Expected<Location> L = toLocation(P, context(), O);
    if (!L)
      return L.takeError();
    Part = std::move(*L);
    if (Offset != 0)
      if (Error E = Part.move(context(), Offset))
        return E;
    if (Error E = fitPart(Part, Size))
      return E;
    IsFirst = !BelowIsOpen;
  }

  std::shared_ptr<CompositeStorage> Storage;
  if (IsFirst) {
    Storage = std::make_shared<CompositeStorage>();
  } else {
    Expected<std::shared_ptr<CompositeStorage>> Open = takeOpenComposite();
    if (!Open)
      return Open.takeError();
    Storage = std::move(*Open);
  }
  if (Error E = useParts(1))
    return E;
  const BitCount Begin = Storage->getSize();
  if (Begin + Size >= CompositeStorage::Unbounded)
    return makeError(ErrorKind::Limit, "a composite is too large");
  if (Size > 0)
    Storage->add(Begin, Begin + Size, std::move(Part));
  return pushComposite(std::move(Storage), /*IsOpen=*/true);
}

Error Machine::piece(const Operation &Op) {
  return addPiece(BitCount(Op.Operands[0]) * 8, 0);
}
Error Machine::bitPiece(const Operation &Op) {
  return addPiece(Op.Operands[0], Op.Operands[1]);
}

//===-- Vectors -----------------------------------------------------------===//

Error Machine::extend(const Operation &Op) {
  const uint64_t Bits = Op.Operands[0], Count = Op.Operands[1];
  Expected<Location> L = popLocation();
  if (!L)
    return L.takeError();
  if (Bits == 0 || Count == 0)
    return illFormed("a zero operand");
  if (Error E = useParts(Count))
    return E;
  if (Error E = checkInside(*L, Bits))
    return E;
  auto Storage = std::make_shared<CompositeStorage>();
  Storage->Parts.reserve(Count);
  for (uint64_t I = 0; I < Count; ++I)
    Storage->add(BitCount(I) * Bits, BitCount(I + 1) * Bits, *L);
  return pushComposite(std::move(Storage), /*IsOpen=*/false);
}

Error Machine::selectBitPiece(const Operation &Op) {
  const uint64_t Bits = Op.Operands[0], Count = Op.Operands[1];
  Expected<Value> Mask = popIntegral();
  if (!Mask)
    return Mask.takeError();
  Expected<Location> One = popLocation();
  if (!One)
    return One.takeError();
  Expected<Location> Zero = popLocation();
  if (!Zero)
    return Zero.takeError();
  if (Bits == 0 || Count == 0)
    return illFormed("a zero operand");
  if (Count > 8u * Mask->Type.Size)
    return illFormed("a mask of " + Twine(8u * Mask->Type.Size) +
                     " bits selects among " + Twine(Count) + " parts");
  if (Error E = useParts(Count))
    return E;
  auto Storage = std::make_shared<CompositeStorage>();
  Storage->Parts.reserve(Count);
  for (uint64_t I = 0; I < Count; ++I) {
    const uint64_t Word = I < 64 ? Mask->Bits : Mask->High;
    Location Part = Word >> (I % 64) & 1 ? *One : *Zero;
    Part.Offset += BitCount(I) * Bits;
    if (Error E = checkInside(Part, Bits))
      return E;
    Storage->add(BitCount(I) * Bits, BitCount(I + 1) * Bits, std::move(Part));
  }
  return pushComposite(std::move(Storage), /*IsOpen=*/false);
}
