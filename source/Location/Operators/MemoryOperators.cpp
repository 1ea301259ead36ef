//===-- MemoryOperators.cpp - addresses, spaces and reading ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"

using namespace llvm;
using namespace wavelane::location;

Error Machine::pushMemory(uint64_t Space, uint64_t Address) {
  return formAddress(context(), Space, Address, Stack.emplace_back().Location);
}

Expected<uint64_t> Machine::popSpace(AddressSpace &Info) {
  Expected<Value> Space = popIntegral();
  if (!Space)
    return Space.takeError();
  std::optional<AddressSpace> Found =
      context().getAddressSpace(Space->getUnsigned());
  if (!Found)
    return illFormed("address space " + Twine(Space->getUnsigned()) +
                     " does not exist");
  Info = *Found;
  return Space->getUnsigned();
}

//===-- Addresses of the file ---------------------------------------------===//

Error Machine::pushFileAddress(uint64_t FileAddress, const Operation &Op) {
  size_t End;
  // The loader doesn't relocate addresses of other spaces, except generic ones
  // (1 by the GPU's numbers).
  std::optional<uint64_t> Space;
  if (isUpstream())
    Space = matchSpace(Op.End, End);
  if (Space && *Space != 0 && (*Space != 1 || O.Upstream.OldNumbers)) {
    pushGeneric(FileAddress);
    return Error::success();
  }
  Expected<uint64_t> Address = context().getLoadAddress(FileAddress);
  if (!Address)
    return Address.takeError();
  return pushMemory(0, *Address);
}

Error Machine::addr(const Operation &Op) {
  return pushFileAddress(Op.Operands[0], Op);
}

Error Machine::addrx(const Operation &Op) {
  Expected<uint64_t> Address = context().getIndexedAddress(Op.Operands[0]);
  if (!Address)
    return Address.takeError();
  return pushFileAddress(*Address, Op);
}

Error Machine::constx(const Operation &Op) {
  Expected<uint64_t> V = context().getIndexedAddress(Op.Operands[0]);
  if (!V)
    return V.takeError();
  pushGeneric(*V);
  return Error::success();
}

//===-- Reading -----------------------------------------------------------===//

/// The implicit pointer that the next \a Bits bits of \a L consist of.
static const Location *findWholePointer(const Location &L, BitCount Bits) {
  if (L.Kind == StorageKind::ImplicitPointer)
    return &L;
  if (L.Kind != StorageKind::Composite)
    return nullptr;
  for (const CompositeStorage::Part &Part : L.getComposite()->Parts)
    if (Part.Begin == L.Offset && Part.End - Part.Begin >= Bits)
      return findWholePointer(Part.Place, Bits);
  return nullptr;
}

Expected<Entry> Machine::read(const Location &L, uint64_t Size, Type T) {
  Context &C = context();
  if (const Location *Pointer = findWholePointer(L, BitCount(Size) * 8)) {
    Expected<std::optional<BitCount>> Whole = Pointer->getStorageSize(C);
    if (!Whole)
      return Whole.takeError();
    if (Pointer->Offset != 0 || **Whole != BitCount(Size) * 8)
      return failed("only the whole of an implicit pointer can be read");
    Entry E(Value(T, 0));
    E.IsImplicitPointer = true;
    E.Location = *Pointer;
    return E;
  }
  uint8_t Buffer[EvaluationOptions::MaxRead];
  // A register has only the bytes that count of x86's long double.
  if (T.Kind == Type::Float)
    Size = (T.getWidth() + 7) / 8;
  if (Size > sizeof(Buffer))
    return illFormed("a read of " + Twine(Size) + " bytes");
  if (Error E =
          L.read(C, BitCount(Size) * 8, MutableArrayRef<uint8_t>(Buffer, Size)))
    return std::move(E);
  return Entry(Value::fromBytes(T, ArrayRef(Buffer, Size)));
}

Error Machine::dereference(uint64_t Size, Type T) {
  Expected<Location> L = popLocation();
  if (!L)
    return L.takeError();
  Expected<Entry> E = read(*L, Size, T);
  if (!E)
    return E.takeError();
  push(std::move(*E));
  return Error::success();
}

/// The address is on top, the space below it.
Error Machine::dereferenceSpace(uint64_t Size, Type T) {
  Expected<Value> Address = popIntegral();
  if (!Address)
    return Address.takeError();
  Expected<Value> Space = popIntegral();
  if (!Space)
    return Space.takeError();
  // Clang writes a pointer that was converted to another address space so.
  // Where the target has no such space, nothing can be read there, and the
  // pointer itself is the value.
  if (isValueAt(Now->At) && !context().getAddressSpace(Space->getUnsigned())) {
    pushGeneric(Address->getUnsigned());
    return Error::success();
  }
  if (Error E = pushMemory(Space->getUnsigned(), Address->getUnsigned()))
    return E;
  return dereference(Size, T);
}

Error Machine::dereferenceType(const Operation &Op, bool IsInSpace) {
  Expected<Type> T = getType(Op.Operands[1]);
  if (!T)
    return T.takeError();
  if (T->Size != Op.Operands[0])
    return illFormed("a read of " + Twine(Op.Operands[0]) +
                     " bytes with a type of " + Twine(T->Size));
  return IsInSpace ? dereferenceSpace(T->Size, *T) : dereference(T->Size, *T);
}

Error Machine::deref(const Operation &) {
  return dereference(context().getAddressSize(), generic());
}
Error Machine::derefSize(const Operation &Op) {
  if (O.Dialect == Dialect::Strict &&
      Op.Operands[0] > context().getAddressSize())
    return illFormed("a read of more than an address");
  return dereference(Op.Operands[0], generic());
}
Error Machine::derefType(const Operation &Op) {
  return dereferenceType(Op, /*IsInSpace=*/false);
}
Error Machine::xderef(const Operation &) {
  return dereferenceSpace(context().getAddressSize(), generic());
}
Error Machine::xderefSize(const Operation &Op) {
  return dereferenceSpace(Op.Operands[0], generic());
}
Error Machine::xderefType(const Operation &Op) {
  return dereferenceType(Op, /*IsInSpace=*/true);
}

//===-- Making memory locations -------------------------------------------===//

/// The space is on top, the address below it.
Error Machine::formSpaceAddress(const Operation &) {
  Expected<Value> Space = popIntegral();
  if (!Space)
    return Space.takeError();
  Expected<Entry> Below = pop();
  if (!Below)
    return Below.takeError();
  // Follow an implicit pointer into that space.
  if (Below->IsImplicitPointer &&
      Below->Location.Number == Space->getUnsigned())
    return pushExpected(followImplicitPointer(Below->Location, context(), O));
  Expected<Value> Address = toValue(*Below, context());
  if (!Address)
    return Address.takeError();
  if (!Address->Type.isIntegral())
    return illFormed("needs an integral value");
  return pushMemory(Space->getUnsigned(), Address->getUnsigned());
}

/// The address is on top, the space below it.
Error Machine::mem(const Operation &) {
  Expected<Value> Address = popIntegral();
  if (!Address)
    return Address.takeError();
  Expected<Value> Space = popIntegral();
  if (!Space)
    return Space.takeError();
  return pushMemory(Space->getUnsigned(), Address->getUnsigned());
}

Error Machine::formThreadLocal(const Operation &) {
  Expected<Value> V = popIntegral();
  if (!V)
    return V.takeError();
  return pushExpected(context().getThreadLocal(V->getUnsigned()));
}

Error Machine::pushObject(const Operation &) {
  return pushExpected(context().getObject());
}
