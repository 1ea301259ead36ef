//===-- Location.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Location.h"
#include "wavelane/Location/Error.h"
#include "wavelane/Location/Storage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace wavelane::location;

// The number of parts that one read or write visits. If places can't be read,
// it tries others, exponentially many in nested composites.
static constexpr unsigned MaxVisits = 1 << 18;

/// A read or a write under way.
struct Location::Access {
  Storage &C;
  uint8_t *Into;
  const uint8_t *From;
  uint8_t *Mask;
  unsigned Visits = 0;

  Error visit() {
    if (++Visits > MaxVisits)
      return makeError(ErrorKind::Limit, "a location of too many parts");
    return Error::success();
  }
};

//===-- Making them -------------------------------------------------------===//

Location Location::memory(uint64_t Space, uint64_t Address) {
  Location L;
  L.Kind = StorageKind::Memory;
  L.Number = Space;
  L.Offset = BitCount(Address) * 8;
  return L;
}

Location Location::reg(uint64_t Number) {
  Location L;
  L.Kind = StorageKind::Register;
  L.Number = Number;
  return L;
}

Location Location::implicit(ArrayRef<uint8_t> Bytes) {
  Location L;
  L.Kind = StorageKind::Implicit;
  L.ImplicitSize = uint32_t(Bytes.size());
  if (Bytes.size() <= InlineBytes)
    std::copy(Bytes.begin(), Bytes.end(),
              reinterpret_cast<uint8_t *>(L.Words.data()));
  else
    L.Shared = std::make_shared<const std::vector<uint8_t>>(Bytes.vec());
  return L;
}

void Location::makeImplicit(uint64_t V, unsigned Size) {
  Kind = StorageKind::Implicit;
  ImplicitSize = Size;
  support::endian::write64le(Words.data(), V);
}

Location Location::implicitPointer(DieReference Die, int64_t Displacement,
                                   uint64_t Space, unsigned PointerSize) {
  Location L;
  L.Kind = StorageKind::ImplicitPointer;
  L.PointeeFrom = Die.From;
  L.Words = {Die.Offset, uint64_t(Displacement)};
  L.Number = Space;
  L.ImplicitSize = PointerSize;
  return L;
}

Location Location::composite(std::shared_ptr<const CompositeStorage> Parts) {
  Location L;
  L.Kind = StorageKind::Composite;
  L.Shared = std::move(Parts);
  return L;
}

Location Location::multi(std::vector<Location> Places) {
  if (Places.size() == 1)
    return std::move(Places.front());
  auto Storage = std::make_shared<CompositeStorage>();
  for (Location &Place : Places) {
    if (Place.Kind != StorageKind::Multi) {
      Storage->add(0, CompositeStorage::Unbounded, std::move(Place));
      continue;
    }
    for (const CompositeStorage::Part &Part : Place.getComposite()->Parts) {
      Location Inner = Part.Place;
      Inner.Offset += Place.Offset;
      Storage->add(0, CompositeStorage::Unbounded, std::move(Inner));
    }
  }
  Location L;
  L.Kind = StorageKind::Multi;
  L.Shared = std::move(Storage);
  return L;
}

ArrayRef<uint8_t> Location::getBytes() const {
  if (ImplicitSize > InlineBytes)
    return *static_cast<const std::vector<uint8_t> *>(Shared.get());
  return ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(Words.data()),
                           ImplicitSize);
}

std::shared_ptr<const CompositeStorage> Location::takeComposite() {
  if (!getComposite())
    return nullptr;
  Kind = StorageKind::Undefined;
  return std::static_pointer_cast<const CompositeStorage>(
      std::exchange(Shared, nullptr));
}

unsigned Location::getNesting() const {
  return getComposite() ? getComposite()->Nesting : 0;
}

uint64_t Location::countParts() const {
  return getComposite() ? getComposite()->Parts.size() : 1;
}

void CompositeStorage::add(BitCount Begin, BitCount End, Location Place) {
  Nesting = std::max(Nesting, Place.getNesting() + 1);
  Parts.push_back({Begin, End, std::move(Place)});
}

/// The first part that ends after \a At.
static auto findPart(const CompositeStorage &Storage, BitCount At) {
  return std::partition_point(
      Storage.Parts.begin(), Storage.Parts.end(),
      [At](const CompositeStorage::Part &Part) { return Part.End <= At; });
}

void CompositeStorage::addSlice(const Location &From, BitCount Size) {
  BitCount Begin = getSize();
  if (From.Kind != StorageKind::Composite) {
    add(Begin, Begin + Size, From);
    return;
  }
  const CompositeStorage &Source = *From.getComposite();
  BitCount At = From.Offset;
  for (auto It = findPart(Source, At); It != Source.Parts.end() && Size > 0;
       ++It) {
    const BitCount Here = std::min(Size, It->End - At);
    Location Place = It->Place;
    Place.Offset += At - It->Begin;
    add(Begin, std::min(Begin + Here, Unbounded), std::move(Place));
    Begin += Here;
    At += Here;
    Size -= Here;
  }
}

//===-- Moving ------------------------------------------------------------===//

Expected<std::optional<BitCount>> Location::getStorageSize(Storage &C) const {
  switch (Kind) {
  case StorageKind::Undefined:
    return std::nullopt;
  case StorageKind::Memory: {
    std::optional<AddressSpace> Space = C.getAddressSpace(Number);
    if (!Space)
      return illFormed("address space " + Twine(Number) + " does not exist");
    return std::optional<BitCount>((BitCount(1) << Space->AddressBits) * 8);
  }
  case StorageKind::Register: {
    Expected<uint64_t> Size = C.getRegisterSize(Number);
    if (!Size)
      return Size.takeError();
    BitCount End = BitCount(*Size) * 8;
    if (const BitCount Element = BitCount(ElementBytes) * 8)
      End = std::min(End, (Offset / Element + 1) * Element);
    return std::optional<BitCount>(End);
  }
  case StorageKind::Implicit:
  case StorageKind::ImplicitPointer:
    return std::optional<BitCount>(BitCount(ImplicitSize) * 8);
  case StorageKind::Composite: {
    const BitCount Size = getComposite()->getSize();
    if (Size >= CompositeStorage::Unbounded)
      return std::nullopt;
    return std::optional<BitCount>(Size);
  }
  case StorageKind::Multi: {
    std::optional<BitCount> Least;
    for (const CompositeStorage::Part &Part : getComposite()->Parts) {
      Expected<std::optional<BitCount>> Size = Part.Place.getStorageSize(C);
      if (!Size)
        return Size.takeError();
      if (*Size && (!Least || **Size - Part.Place.Offset < *Least))
        Least = **Size - Part.Place.Offset;
    }
    return Least;
  }
  }
  llvm_unreachable("a kind of storage");
}

/// The error for a compiler that gives one register for an object that fills
/// several.
static Error notInElement(Storage &C, const Location &L) {
  return failed(C.getRegisterName(L.Number).value_or("the register") + " has " +
                Twine(unsigned(L.ElementBytes)) +
                " bytes for each lane: debug information doesn't say where the "
                "rest of the object is");
}

Error Location::move(Storage &C, BitCount Bits) {
  if (Kind == StorageKind::Undefined) {
    Offset += Bits;
    return Error::success();
  }
  Expected<std::optional<BitCount>> Size = getStorageSize(C);
  if (!Size)
    return Size.takeError();
  const BitCount New = Offset + Bits;
  if (New < 0)
    return failed("an offset of " + Twine(int64_t(New)) +
                  " bits is before its storage");
  if (*Size && New >= **Size && ElementBytes)
    return notInElement(C, *this);
  if (*Size && New >= **Size)
    return failed("an offset of " + Twine(uint64_t(New / 8)) +
                  " bytes is not in a storage of " +
                  Twine(uint64_t(**Size / 8)) + " bytes");
  Offset = New;
  return Error::success();
}

//===-- Reading and writing -----------------------------------------------===//

static void copyBits(uint8_t *To, BitCount ToBit, const uint8_t *From,
                     BitCount FromBit, BitCount Bits) {
  if ((ToBit | FromBit | Bits) % 8 == 0) {
    std::copy_n(From + FromBit / 8, size_t(Bits / 8), To + ToBit / 8);
    return;
  }
  for (BitCount I = 0; I < Bits; ++I) {
    const bool Bit = From[(FromBit + I) / 8] >> ((FromBit + I) % 8) & 1;
    uint8_t &Byte = To[(ToBit + I) / 8];
    const uint8_t Mask = uint8_t(1 << ((ToBit + I) % 8));
    Byte = Bit ? Byte | Mask : Byte & ~Mask;
  }
}

static Error outside(const Twine &What, BitCount Offset, BitCount Bits,
                     BitCount Size) {
  return failed("bits " + Twine(uint64_t(Offset)) + " to " +
                Twine(uint64_t(Offset + Bits)) + " are not all in " + What +
                " of " + Twine(uint64_t(Size)) + " bits");
}

/// Memory or a register.
Error Location::accessStorage(Access &A, BitCount Bits, BitCount At) const {
  Storage &C = A.C;
  uint8_t *Into = A.Into;
  const uint8_t *From = A.From;
  Expected<std::optional<BitCount>> Size = getStorageSize(C);
  if (!Size)
    return Size.takeError();
  if (ElementBytes && Offset + Bits > **Size)
    return notInElement(C, *this);
  if (Offset < 0 || Offset + Bits > **Size)
    return outside(Kind == StorageKind::Memory ? "an address space"
                                               : "a register",
                   Offset, Bits, **Size);
  const uint64_t Begin = uint64_t(Offset / 8);
  const size_t Bytes = size_t((Offset % 8 + Bits + 7) / 8);
  const bool IsAligned = (Offset | At | Bits) % 8 == 0;
  SmallVector<uint8_t, 64> Copy;
  MutableArrayRef<uint8_t> Buffer;
  auto Read = [&](MutableArrayRef<uint8_t> To) {
    return Kind == StorageKind::Memory
               ? C.readMemory(Number, Lane, Thread, Begin, To)
               : C.readRegister(Number, Thread, Begin, To);
  };
  auto Write = [&](ArrayRef<uint8_t> Data) {
    return Kind == StorageKind::Memory
               ? C.writeMemory(Number, Lane, Thread, Begin, Data)
               : C.writeRegister(Number, Thread, Begin, Data);
  };
  if (IsAligned) {
    if (From)
      return Write(ArrayRef<uint8_t>(From + At / 8, Bytes));
    return Read(MutableArrayRef<uint8_t>(Into + At / 8, Bytes));
  }
  Copy.resize(Bytes);
  Buffer = Copy;
  // Read the byte first to write part of it.
  if (Error E = Read(Buffer))
    return E;
  if (!From) {
    copyBits(Into, At, Buffer.data(), Offset % 8, Bits);
    return Error::success();
  }
  copyBits(Buffer.data(), Offset % 8, From, At, Bits);
  return Write(Buffer);
}

Error Location::accessParts(Access &A, BitCount Bits, BitCount At) const {
  BitCount Position = Offset, Left = Bits;
  if (Offset < 0 || (getComposite()->getSize() < CompositeStorage::Unbounded &&
                     Offset + Bits > getComposite()->getSize()))
    return outside("a composite", Offset, Bits, getComposite()->getSize());
  for (auto It = findPart(*getComposite(), Position);
       It != getComposite()->Parts.end() && Left > 0; ++It) {
    const BitCount Here = std::min(Left, It->End - Position);
    Location Place = It->Place;
    Place.Offset += Position - It->Begin;
    if (Error E = Place.access(A, Here, At))
      return E;
    Position += Here;
    At += Here;
    Left -= Here;
  }
  return Error::success();
}

Error Location::accessPlaces(Access &A, BitCount Bits, BitCount At) const {
  uint8_t *const Mask = A.Mask;
  const bool IsWrite = A.From;
  Error First = Error::success();
  bool HasFailed = false;
  for (const CompositeStorage::Part &Part : getComposite()->Parts) {
    Location Place = Part.Place;
    Place.Offset += Offset;
    // Prefer another place to an undefined one.
    A.Mask = nullptr;
    Error E = Place.access(A, Bits, At);
    A.Mask = Mask;
    if (IsWrite) {
      if (E) {
        consumeError(std::move(First));
        return E;
      }
      continue;
    }
    if (!E) {
      consumeError(std::move(First));
      return Error::success();
    }
    if (HasFailed) {
      consumeError(std::move(E));
      continue;
    }
    HasFailed = true;
    consumeError(std::move(First));
    First = std::move(E);
  }
  return First;
}

Error Location::access(Access &A, BitCount Bits, BitCount At) const {
  if (Bits == 0)
    return Error::success();
  if (Error E = A.visit())
    return E;
  Storage &C = A.C;
  uint8_t *Into = A.Into, *Mask = A.Mask;
  const uint8_t *From = A.From;
  switch (Kind) {
  case StorageKind::Undefined:
    if (!Mask)
      return failed(From ? "an undefined location cannot be written"
                         : "the location is undefined (optimized out)");
    for (BitCount I = At; I < At + Bits; ++I)
      Mask[I / 8] |= uint8_t(1 << (I % 8));
    return Error::success();

  case StorageKind::Memory:
  case StorageKind::Register:
    return accessStorage(A, Bits, At);

  case StorageKind::Implicit:
    if (From)
      return failed(
          "an implicit value cannot be written: it is in no register or "
          "memory");
    if (Offset < 0 || Offset + Bits > BitCount(ImplicitSize) * 8)
      return outside("an implicit value", Offset, Bits,
                     BitCount(ImplicitSize) * 8);
    copyBits(Into, At, getBytes().data(), Offset, Bits);
    return Error::success();

  case StorageKind::ImplicitPointer: {
    if (From)
      return failed("an implicit pointer cannot be written");
    if (Offset < 0 || Offset + Bits > BitCount(ImplicitSize) * 8)
      return outside("an implicit pointer", Offset, Bits,
                     BitCount(ImplicitSize) * 8);
    Expected<uint64_t> Pointer = C.getPointerBits(*this);
    if (!Pointer)
      return Pointer.takeError();
    uint8_t Bytes[8];
    support::endian::write64le(Bytes, *Pointer);
    copyBits(Into, At, Bytes, Offset, Bits);
    return Error::success();
  }

  case StorageKind::Composite:
    return accessParts(A, Bits, At);

  case StorageKind::Multi:
    return accessPlaces(A, Bits, At);
  }
  llvm_unreachable("a kind of storage");
}

Error Location::checkWritable(Access &A, BitCount Bits) const {
  if (Error E = A.visit())
    return E;
  switch (Kind) {
  case StorageKind::Undefined:
    return failed("an undefined location cannot be written");
  case StorageKind::Implicit:
    return failed(
        "an implicit value cannot be written: it is in no register or "
        "memory");
  case StorageKind::ImplicitPointer:
    return failed("an implicit pointer cannot be written");
  case StorageKind::Memory:
  case StorageKind::Register: {
    Expected<std::optional<BitCount>> Size = getStorageSize(A.C);
    if (!Size)
      return Size.takeError();
    if (ElementBytes && Offset + Bits > **Size)
      return notInElement(A.C, *this);
    if (Offset < 0 || Offset + Bits > **Size)
      return outside("the storage", Offset, Bits, **Size);
    return Error::success();
  }
  case StorageKind::Composite:
    if (Offset < 0 || Offset + Bits > getComposite()->getSize())
      return outside("a composite", Offset, Bits, getComposite()->getSize());
    for (const CompositeStorage::Part &Part : getComposite()->Parts) {
      const BitCount Begin = std::max(Part.Begin, Offset);
      const BitCount End = std::min(Part.End, Offset + Bits);
      if (Begin >= End)
        continue;
      Location Place = Part.Place;
      Place.Offset += Begin - Part.Begin;
      if (Error E = Place.checkWritable(A, End - Begin))
        return E;
    }
    return Error::success();
  case StorageKind::Multi:
    for (const CompositeStorage::Part &Part : getComposite()->Parts) {
      Location Place = Part.Place;
      Place.Offset += Offset;
      if (Error E = Place.checkWritable(A, Bits))
        return E;
    }
    return Error::success();
  }
  llvm_unreachable("a kind of storage");
}

Error Location::read(Storage &C, BitCount Bits, MutableArrayRef<uint8_t> Into,
                     MutableArrayRef<uint8_t> UndefinedMask) const {
  if (Bits < 0 || BitCount(Into.size()) * 8 < Bits ||
      (!UndefinedMask.empty() && UndefinedMask.size() < Into.size()))
    return failed("the buffer is too small for " + Twine(uint64_t(Bits)) +
                  " bits");
  // Whole bytes are overwritten: only partial bytes and undefined bits need
  // zeros.
  if (Bits % 8 != 0 || !UndefinedMask.empty()) {
    std::fill(Into.begin(), Into.end(), 0);
    std::fill(UndefinedMask.begin(), UndefinedMask.end(), 0);
  }
  Access A{C, Into.data(), nullptr,
           UndefinedMask.empty() ? nullptr : UndefinedMask.data()};
  return access(A, Bits, 0);
}

Error Location::write(Storage &C, BitCount Bits, ArrayRef<uint8_t> From) const {
  if (Bits < 0 || BitCount(From.size()) * 8 < Bits)
    return failed("there are fewer bytes than to be written");
  Access Check{C, nullptr, From.data(), nullptr};
  if (Error E = checkWritable(Check, Bits))
    return E;
  Access A{C, nullptr, From.data(), nullptr};
  return access(A, Bits, 0);
}

//===-- In words ----------------------------------------------------------===//

static void printBits(raw_ostream &OS, BitCount Bits) {
  OS << uint64_t(Bits / 8);
  if (Bits % 8)
    OS << " bytes and " << unsigned(Bits % 8) << " bits";
}

std::string Location::describe(Storage *C, unsigned MaxParts) const {
  std::string Text;
  raw_string_ostream OS(Text);
  print(OS, C, MaxParts);
  return Text;
}

void Location::print(raw_ostream &OS, Storage *C, unsigned &Left) const {
  if (Left == 0) {
    OS << "...";
    return;
  }
  --Left;
  auto At = [&] {
    if (Offset == 0)
      return;
    OS << " at byte ";
    printBits(OS, Offset);
  };
  switch (Kind) {
  case StorageKind::Undefined:
    OS << "undefined";
    break;
  case StorageKind::Memory: {
    std::optional<AddressSpace> Space;
    if (C)
      Space = C->getAddressSpace(Number);
    OS << "memory ";
    if (Space)
      OS << Space->Name;
    else
      OS << "space " << Number;
    OS << formatv(":{0:x}", uint64_t(Offset / 8));
    if (Offset % 8)
      OS << " bit " << unsigned(Offset % 8);
    if (Lane && Space && Space->IsPerLane)
      OS << " (lane " << *Lane << ")";
    break;
  }
  case StorageKind::Register: {
    std::optional<std::string> Name;
    if (C)
      Name = C->getRegisterName(Number);
    if (Name)
      OS << "register " << *Name;
    else
      OS << "register " << Number;
    At();
    break;
  }
  case StorageKind::Implicit:
    OS << "implicit 0x" << toHex(getBytes(), /*LowerCase=*/true);
    At();
    break;
  case StorageKind::ImplicitPointer:
    OS << formatv("implicit pointer to entry {0:x}", getPointee().Offset);
    if (getDisplacement())
      OS << formatv(" plus {0} bytes", getDisplacement());
    break;
  case StorageKind::Composite:
    OS << (IsOpen ? "incomplete composite {" : "composite {");
    for (const CompositeStorage::Part &Part : getComposite()->Parts) {
      if (&Part != &getComposite()->Parts.front())
        OS << ", ";
      if (Left == 0) {
        OS << "... " << getComposite()->Parts.size() << " parts";
        break;
      }
      OS << "[";
      printBits(OS, Part.Begin);
      OS << ", ";
      if (Part.End >= CompositeStorage::Unbounded)
        OS << "end";
      else
        printBits(OS, Part.End);
      OS << ") ";
      Part.Place.print(OS, C, Left);
    }
    OS << "}";
    At();
    break;
  case StorageKind::Multi:
    OS << "all of {";
    for (const CompositeStorage::Part &Part : getComposite()->Parts) {
      if (&Part != &getComposite()->Parts.front())
        OS << ", ";
      if (Left == 0) {
        OS << "... " << getComposite()->Parts.size() << " places";
        break;
      }
      Part.Place.print(OS, C, Left);
    }
    OS << "}";
    At();
    break;
  }
}
