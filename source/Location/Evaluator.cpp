//===-- Evaluator.cpp - the stack machine ---------------------------------===//

#include "wavelane/Location/Evaluator.h"
#include "LEB128.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

// AMDGPU's address spaces that upstream clang's expressions mean.
static constexpr uint64_t SpaceLocal = 3;
static constexpr uint64_t SpacePrivateLane = 5;
// GNU's older code of DW_OP_implicit_pointer.
static constexpr unsigned GNUImplicitPointer = 0xf2;

std::string Entry::describe(Context *C) const {
  if (IsImplicitPointer)
    return "the value of an " + Location.describe(C);
  if (!IsValue)
    return Location.describe(C);
  std::string Text;
  raw_string_ostream OS(Text);
  switch (Value.Type.Kind) {
  case Type::Float:
    OS << formatv("{0}", Value.getFloat());
    break;
  case Type::Signed:
    OS << Value.getSigned();
    break;
  default:
    OS << Value.getUnsigned();
    if (Value.getUnsigned() > 9)
      OS << formatv(" ({0:x})", Value.getUnsigned());
    break;
  }
  return Text;
}

//===-- Values and locations ----------------------------------------------===//

Expected<Location> wavelane::location::toLocation(const Entry &E, Context &C,
                                                  const EvaluationOptions &O) {
  if (E.IsImplicitPointer)
    return followImplicitPointer(E.Location, C, O);
  if (!E.IsValue)
    return E.Location;
  if (!E.Value.Type.isIntegral())
    return illFormed("a value that is not integral is no location");
  if (O.Dialect == Dialect::AMD && E.Value.Type.Kind != Type::Generic)
    return illFormed("only a value of the generic type converts to a location");
  const unsigned Size = C.getAddressSize();
  Expected<Value> Address = convert(E.Value, Type{Type::Generic, uint8_t(Size)});
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
                     "space is no value: " +
                     L.describe(&C));
  if (L.Offset % 8 != 0)
    return illFormed("a location inside of a byte is no value");
  return Value(Type{Type::Generic, uint8_t(C.getAddressSize())},
               uint64_t(L.Offset / 8));
}

Expected<Location>
wavelane::location::followImplicitPointer(const Location &Pointer, Context &C,
                                          const EvaluationOptions &O) {
  if (Pointer.Kind != StorageKind::ImplicitPointer)
    return illFormed("not an implicit pointer");
  if (O.MaxDepth == 0)
    return makeError(ErrorKind::Limit, "references are nested too deeply");
  EvaluationOptions Inner = O;
  --Inner.MaxDepth;
  Expected<DieLocation> Die = C.getDie(Pointer.getPointee());
  if (!Die)
    return Die.takeError();
  Context &Unit = Die->Unit ? *Die->Unit : C;
  Location Target;
  if (Die->Expression) {
    Expected<Entry> Result =
        evaluate(*Die->Expression, Unit, ResultKind::Location, Inner);
    if (!Result)
      return Result.takeError();
    Target = Result->Location;
  } else if (Die->List) {
    Expected<Location> Result = evaluateLocationList(*Die->List, Unit, Inner);
    if (!Result)
      return Result.takeError();
    Target = *Result;
  } else if (Die->ConstValue) {
    Target = Location::implicit(*Die->ConstValue);
  } else {
    return failed("the entry that an implicit pointer refers to has no location");
  }
  if (Pointer.getDisplacement() != 0)
    if (Error E = Target.move(C, BitCount(Pointer.getDisplacement()) * 8))
      return std::move(E);
  return Target;
}

/// Makes \a L, undefined until now, memory of an address space, of the current
/// lane and thread.
static Error formAddress(Context &C, uint64_t Space, uint64_t Address,
                         Location &L) {
  std::optional<wavelane::location::AddressSpace> Info = C.getAddressSpace(Space);
  if (!Info)
    return illFormed("address space " + Twine(Space) + " does not exist");
  if (Info->AddressBits < 64)
    Address &= maskTrailingOnes<uint64_t>(Info->AddressBits);
  if (Info->IsPerLane && !C.getLane() && C.getLaneCount() > 1)
    return missing(Twine("current lane, whose memory ") + Info->Name + " is");
  L.Kind = StorageKind::Memory;
  L.Number = Space;
  L.Offset = BitCount(Address) * 8;
  L.Lane = C.getLane();
  L.Thread = C.getThread();
  return Error::success();
}

/// \param AddressBits  Of the space that the register's content addresses.
static Error readRegister(Context &C, const EvaluationOptions &O,
                          uint64_t Number, unsigned AddressBits, uint64_t &V) {
  Expected<uint64_t> Size = C.getRegisterSize(Number);
  if (!Size)
    return Size.takeError();
  if (O.Dialect == Dialect::AMD && *Size * 8 < AddressBits)
    return illFormed("register " + Twine(Number) + " has fewer than the " +
                     Twine(AddressBits) + " bits of an address");
  uint8_t Buffer[8] = {};
  size_t Bytes = std::min<uint64_t>(*Size, C.getAddressSize());
  uint64_t First = 0;
  // Upstream clang computes with a lane's element as if it were the register.
  unsigned ElementSize = 0;
  if (O.Upstream.Enabled && C.getLane() &&
      C.isVectorRegister(Number, ElementSize) && ElementSize <= Bytes) {
    Bytes = ElementSize;
    First = uint64_t(*C.getLane()) * ElementSize;
    if (First + Bytes > *Size)
      return failed("register " + Twine(Number) + " has no element of lane " +
                    Twine(*C.getLane()));
  }
  if (Error E = C.readRegister(Number, C.getThread(), First,
                               MutableArrayRef<uint8_t>(Buffer, Bytes)))
    return E;
  V = 0;
  for (size_t I = 0; I < Bytes; ++I)
    V |= uint64_t(Buffer[I]) << (8 * I);
  return Error::success();
}

/// Upstream clang: the current lane's element of a vector register.
static bool isVectorElement(Context &C, uint64_t Number, Location &L) {
  unsigned ElementSize = 0;
  if (!C.isVectorRegister(Number, ElementSize) || !C.getLane())
    return false;
  L = Location::reg(Number);
  L.Offset = BitCount(*C.getLane()) * ElementSize * 8;
  L.ElementBytes = uint8_t(ElementSize);
  L.Lane = C.getLane();
  L.Thread = C.getThread();
  return true;
}

static Error formFrameRelative(Context &C, const EvaluationOptions &O,
                               uint64_t Distance, Location &L) {
  Expected<Location> Base = C.getFrameBase();
  if (!Base)
    return Base.takeError();
  if (Base->Kind != StorageKind::Memory || Base->Offset % 8 != 0)
    return illFormed("the frame base is not memory: " + Base->describe(&C));
  uint64_t Space = Base->Number;
  uint64_t Address = uint64_t(Base->Offset / 8);
  if (O.Upstream.Enabled && Space == 0) {
    Space = SpacePrivateLane;
    Address /= std::max(1u, C.getPrivateFrameScale());
  }
  if (Error E = formAddress(C, Space, Address + Distance, L))
    return E;
  if (Space == Base->Number) {
    L.Lane = Base->Lane;
    L.Thread = Base->Thread;
  }
  return Error::success();
}

/// Expressions of one operation, which most are, need no machine.
/// \return False for another expression, and where something is wrong with it:
///     the machine says what.
static bool evaluateSingle(ArrayRef<uint8_t> Expression, Context &C,
                           const EvaluationOptions &O, Location &L) {
  const uint8_t Code = Expression[0];
  size_t At = 1;
  uint64_t Number = 0, Distance = 0;
  bool IsAddress = false;
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31) {
    Number = Code - DW_OP_reg0;
  } else if (Code == DW_OP_regx) {
    if (readLEB128(Expression, At, false, Number) != LEBStatus::Good)
      return false;
  } else if (Code == DW_OP_fbreg) {
    if (readLEB128(Expression, At, true, Distance) != LEBStatus::Good ||
        At != Expression.size())
      return false;
    return !errorToBool(formFrameRelative(C, O, Distance, L));
  } else if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31) {
    Number = Code - DW_OP_breg0;
    IsAddress = true;
  } else if (Code == DW_OP_bregx) {
    if (readLEB128(Expression, At, false, Number) != LEBStatus::Good)
      return false;
    IsAddress = true;
  } else {
    return false;
  }
  if (IsAddress &&
      readLEB128(Expression, At, true, Distance) != LEBStatus::Good)
    return false;
  if (At != Expression.size())
    return false;
  if (!IsAddress) {
    if (O.Upstream.Enabled && isVectorElement(C, Number, L))
      return true;
    L.Kind = StorageKind::Register;
    L.Number = Number;
    L.Lane = C.getLane();
    L.Thread = C.getThread();
    return true;
  }
  uint64_t V;
  return !errorToBool(readRegister(C, O, Number, 8 * C.getAddressSize(), V)) &&
         !errorToBool(formAddress(C, 0, V + Distance, L));
}

//===-- The machine -------------------------------------------------------===//

namespace {
class Machine {
public:
  /// \a O has a budget.
  Machine(const EvaluationOptions &O, TraceFunction *Trace)
      : O(O), Budget(*O.Budget), Trace(Trace) {}

  SmallVector<Entry, 8> Stack;
  Error run(ArrayRef<uint8_t> Expression, Context &C, unsigned Depth);

private:
  Error execute(const Operation &Op, Context &C, unsigned Depth);
  Error call(DieReference Die, Context &C, unsigned Depth);
  Error entryValue(ArrayRef<uint8_t> Block, Context &C, unsigned Depth);

  Type generic(Context &C) { return {Type::Generic, uint8_t(C.getAddressSize())}; }
  template <typename T> void push(T &&E) {
    Stack.emplace_back(std::forward<T>(E));
  }
  void pushGeneric(Context &C, uint64_t V) {
    Entry &E = Stack.emplace_back();
    E.IsValue = true;
    E.Value = Value(generic(C), V);
  }
  Location &pushLocation() { return Stack.emplace_back().Location; }
  Error pushMemory(Context &C, uint64_t Space, uint64_t Address) {
    return formAddress(C, Space, Address, pushLocation());
  }
  void pushRegister(Context &C, uint64_t Number) {
    Location &L = pushLocation();
    L.Kind = StorageKind::Register;
    L.Number = Number;
    L.Lane = C.getLane();
    L.Thread = C.getThread();
  }

  Error need(size_t Count) {
    if (Stack.size() < Count)
      return illFormed("needs " + Twine(Count) + " stack entries, there are " +
                       Twine(Stack.size()));
    return Error::success();
  }
  Expected<Entry> pop() {
    if (Error E = need(1))
      return std::move(E);
    return Stack.pop_back_val();
  }
  Expected<Value> popValue(Context &C) {
    // Most are values already; an entry is large to move.
    if (!Stack.empty() && Stack.back().IsValue &&
        !Stack.back().IsImplicitPointer) {
      const Value V = Stack.back().Value;
      Stack.pop_back();
      return V;
    }
    Expected<Entry> E = pop();
    if (!E)
      return E.takeError();
    return toValue(*E, C);
  }
  Expected<Value> popIntegral(Context &C) {
    Expected<Value> V = popValue(C);
    if (V && !V->Type.isIntegral())
      return illFormed("needs an integral value");
    return V;
  }
  Expected<Location> popLocation(Context &C) {
    Expected<Entry> E = pop();
    if (!E)
      return E.takeError();
    if (Error Bad = checkComplete(*E))
      return std::move(Bad);
    return toLocation(*E, C, O);
  }
  // The AMD text lets only pieces touch a composite that isn't complete.
  Error checkComplete(const Entry &E) {
    if (O.Dialect == Dialect::AMD && isOpen(E))
      return illFormed("an incomplete composite can only be given pieces");
    return Error::success();
  }
  static bool isOpen(const Entry &E) {
    return !E.IsValue && !E.IsImplicitPointer &&
           E.Location.Kind == StorageKind::Composite && E.Location.IsOpen;
  }

  Error useParts(uint64_t Count) {
    if (Count > Budget.Parts)
      return makeError(ErrorKind::Limit,
                       "the expression makes composites of more than " +
                           Twine(O.MaxParts) + " parts in all");
    Budget.Parts -= unsigned(Count);
    return Error::success();
  }
  Error pushComposite(std::shared_ptr<CompositeStorage> Storage, bool IsOpen) {
    if (Storage->Nesting > Location::MaxNesting)
      return makeError(ErrorKind::Limit, "composites are nested too deeply");
    Location L = Location::composite(std::move(Storage));
    L.IsOpen = IsOpen;
    push(std::move(L));
    return Error::success();
  }

  Expected<Entry> dereference(Context &C, const Location &L, uint64_t Size,
                              Type T);
  Error dereferenceSpace(Context &C, uint64_t Size, std::optional<Type> T);
  Expected<Type> getType(Context &C, uint64_t Die);

  Error checkInside(Context &C, const Location &L, BitCount Size);
  Error piece(Context &C, BitCount Size, BitCount Offset);
  Error overlay(Context &C, unsigned Unit);
  Error llvmOverlay(Context &C, unsigned Unit);
  Expected<Location> makeOverlay(Context &C, const Location &Base,
                                 const Location &Over, BitCount Begin,
                                 BitCount Size);
  Error extend(Context &C, uint64_t Bits, uint64_t Count);
  Error select(Context &C, uint64_t Bits, uint64_t Count);
  Error objectMap(Context &C, DieReference Die);

  // Upstream clang.
  std::optional<uint64_t> matchSpace(size_t At, size_t &End);
  bool endsOrIsPiece(size_t At) const {
    return At == Bytes.size() || Bytes[At] == DW_OP_piece ||
           Bytes[At] == DW_OP_bit_piece;
  }
  Error upstreamSpace(Context &C, uint64_t Space);

  const EvaluationOptions &O;
  EvaluationBudget &Budget;
  TraceFunction *Trace;
  bool HasUsedComposite = false;
  /// The expression that runs, for looking ahead.
  ArrayRef<uint8_t> Bytes;
  Operation Last;
};
} // namespace

/// The implicit pointer that exactly the next \a Bits bits of \a L are.
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

Expected<Entry> Machine::dereference(Context &C, const Location &L,
                                     uint64_t Size, Type T) {
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
  if (Size > sizeof(Buffer))
    return illFormed("a read of " + Twine(Size) + " bytes");
  if (Error E = L.read(C, BitCount(Size) * 8,
                       MutableArrayRef<uint8_t>(Buffer, Size)))
    return std::move(E);
  uint64_t V = 0;
  for (unsigned I = 0; I < std::min<uint64_t>(Size, 8); ++I)
    V |= uint64_t(Buffer[I]) << (8 * I);
  return Entry(Value(T, V));
}

Error Machine::dereferenceSpace(Context &C, uint64_t Size,
                                std::optional<Type> T) {
  Expected<Value> Address = popIntegral(C);
  if (!Address)
    return Address.takeError();
  Expected<Value> Space = popIntegral(C);
  if (!Space)
    return Space.takeError();
  Location L;
  if (Error E = formAddress(C, Space->getUnsigned(), Address->getUnsigned(), L))
    return E;
  Expected<Entry> E = dereference(C, L, Size, T ? *T : generic(C));
  if (!E)
    return E.takeError();
  push(std::move(*E));
  return Error::success();
}

Expected<Type> Machine::getType(Context &C, uint64_t Die) {
  if (Die == 0)
    return generic(C);
  return C.getBaseType(Die);
}

//===-- Composites --------------------------------------------------------===//

Error Machine::checkInside(Context &C, const Location &L, BitCount Size) {
  Expected<std::optional<BitCount>> Storage = L.getStorageSize(C);
  if (!Storage) {
    // Where the size isn't known (a register that isn't available) reading fails.
    Error Rest = handleErrors(
        Storage.takeError(),
        [](std::unique_ptr<LocationError> E) -> Error {
          if (E->getKind() == ErrorKind::MissingContext)
            return Error::success();
          return Error(std::move(E));
        });
    return Rest;
  }
  if (L.Offset < 0 || (*Storage && L.Offset + Size > **Storage))
    return illFormed("a part of " + Twine(uint64_t(Size)) +
                     " bits goes beyond its storage: " + L.describe(&C));
  return Error::success();
}

Error Machine::piece(Context &C, BitCount Size, BitCount Offset) {
  const bool TopIsOpen = !Stack.empty() && isOpen(Stack.back());
  const bool BelowIsOpen =
      Stack.size() > 1 && isOpen(Stack[Stack.size() - 2]);
  // Whether an open composite over an open one is a part of it.
  const bool Nests =
      O.Dialect == Dialect::Strict ||
      (O.Dialect == Dialect::Default && HasUsedComposite);

  Location Part;
  bool Fresh = false;
  if (Stack.empty()) {
    Fresh = true;
  } else if (TopIsOpen && !(BelowIsOpen && Nests)) {
    // An undefined part is appended to the composite on top.
  } else {
    if (!BelowIsOpen && O.Dialect == Dialect::Strict && Stack.size() > 1)
      return illFormed("a piece with unrelated entries below; begin with "
                       "DW_OP_composite");
    Entry P = Stack.pop_back_val();
    P.Location.IsOpen = false;
    Expected<Location> L = toLocation(P, C, O);
    if (!L)
      return L.takeError();
    Part = std::move(*L);
    if (Offset != 0)
      if (Error E = Part.move(C, Offset))
        return E;
    if (Error E = checkInside(C, Part, Size))
      return E;
    Fresh = !BelowIsOpen;
  }

  std::shared_ptr<CompositeStorage> Storage;
  if (Fresh) {
    Storage = std::make_shared<CompositeStorage>();
  } else {
    std::shared_ptr<const CompositeStorage> Old =
        Stack.pop_back_val().Location.takeComposite();
    if (Old.use_count() == 1) {
      // Nobody else sees it: composites are made by the machine, not constant.
      Storage = std::const_pointer_cast<CompositeStorage>(Old);
    } else {
      if (Error E = useParts(Old->Parts.size()))
        return E;
      Storage = std::make_shared<CompositeStorage>(*Old);
    }
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

static Location movedTo(const Location &L, BitCount Offset) {
  Location Moved = L;
  Moved.Offset = Offset;
  return Moved;
}

static uint64_t countParts(const Location &L) {
  return L.getComposite() ? L.getComposite()->Parts.size() : 1;
}

Error Machine::llvmOverlay(Context &C, unsigned Unit) {
  Expected<Value> Width = popIntegral(C);
  if (!Width)
    return Width.takeError();
  Expected<Value> Where = popIntegral(C);
  if (!Where)
    return Where.takeError();
  Expected<Location> Over = popLocation(C);
  if (!Over)
    return Over.takeError();
  Expected<Location> Base = popLocation(C);
  if (!Base)
    return Base.takeError();
  if (Where->Type.Kind != Type::Unsigned && Where->getSigned() < 0)
    return illFormed("an overlay at a negative offset");
  const BitCount Begin = BitCount(Where->getUnsigned()) * Unit;
  const BitCount Size = BitCount(Width->getUnsigned()) * Unit;
  Expected<std::optional<BitCount>> BaseSize = Base->getStorageSize(C);
  if (!BaseSize)
    return BaseSize.takeError();
  const BitCount Left =
      *BaseSize ? **BaseSize - Base->Offset : CompositeStorage::Unbounded;
  if (Begin + Size > Left)
    return illFormed("an overlay goes past the end of its base");
  if (Size == 0) {
    push(std::move(*Base));
    return Error::success();
  }
  if (Error E = checkInside(C, *Over, Size))
    return E;
  if (Begin == 0 && Size == Left) {
    push(std::move(*Over));
    return Error::success();
  }
  if (Error E = useParts(countParts(*Base) + 3))
    return E;
  auto Storage = std::make_shared<CompositeStorage>();
  if (Begin > 0)
    Storage->addSlice(*Base, Begin);
  Storage->add(Begin, Begin + Size, std::move(*Over));
  if (Begin + Size < Left)
    Storage->addSlice(movedTo(*Base, Base->Offset + Begin + Size),
                      Left - Begin - Size);
  return pushComposite(std::move(Storage), /*IsOpen=*/false);
}

Expected<Location> Machine::makeOverlay(Context &C, const Location &Base,
                                        const Location &Over, BitCount Begin,
                                        BitCount Size) {
  Expected<std::optional<BitCount>> BaseSize = Base.getStorageSize(C);
  if (!BaseSize)
    return BaseSize.takeError();
  const BitCount End = *BaseSize ? **BaseSize : CompositeStorage::Unbounded;
  if (Begin < 0)
    return illFormed("an overlay begins before its base's storage");
  if (Begin + Size >= CompositeStorage::Unbounded)
    return makeError(ErrorKind::Limit, "an overlay is too large");
  if (Size == 0)
    return Base;
  if (Error E = checkInside(C, Over, Size))
    return std::move(E);
  if (Error E = useParts(countParts(Base) + 3))
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
  if (Storage->Nesting > Location::MaxNesting)
    return makeError(ErrorKind::Limit, "composites are nested too deeply");
  Location Result = Location::composite(std::move(Storage));
  Result.Offset = Base.Offset;
  return Result;
}

Error Machine::overlay(Context &C, unsigned Unit) {
  Expected<Value> Width = popIntegral(C);
  if (!Width)
    return Width.takeError();
  Expected<Value> Where = popIntegral(C);
  if (!Where)
    return Where.takeError();
  Expected<Location> Over = popLocation(C);
  if (!Over)
    return Over.takeError();
  Expected<Location> Base = popLocation(C);
  if (!Base)
    return Base.takeError();
  // A generic offset is signed here: it may lead back.
  const BitCount Distance = Where->Type.Kind == Type::Unsigned
                                ? BitCount(Where->getUnsigned())
                                : BitCount(Where->getSigned());
  if (Width->Type.Kind != Type::Unsigned && Width->getSigned() < 0)
    return illFormed("an overlay of negative width");
  Expected<Location> Result =
      makeOverlay(C, *Base, *Over, Base->Offset + Distance * Unit,
                  BitCount(Width->getUnsigned()) * Unit);
  if (!Result)
    return Result.takeError();
  push(std::move(*Result));
  return Error::success();
}

Error Machine::extend(Context &C, uint64_t Bits, uint64_t Count) {
  Expected<Location> L = popLocation(C);
  if (!L)
    return L.takeError();
  if (Bits == 0 || Count == 0)
    return illFormed("a zero operand");
  if (Error E = useParts(Count))
    return E;
  if (Error E = checkInside(C, *L, Bits))
    return E;
  auto Storage = std::make_shared<CompositeStorage>();
  Storage->Parts.reserve(Count);
  for (uint64_t I = 0; I < Count; ++I)
    Storage->add(BitCount(I) * Bits, BitCount(I + 1) * Bits, *L);
  return pushComposite(std::move(Storage), /*IsOpen=*/false);
}

Error Machine::select(Context &C, uint64_t Bits, uint64_t Count) {
  Expected<Value> Mask = popIntegral(C);
  if (!Mask)
    return Mask.takeError();
  Expected<Location> One = popLocation(C);
  if (!One)
    return One.takeError();
  Expected<Location> Zero = popLocation(C);
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
    Location Part = Mask->Bits >> I & 1 ? *One : *Zero;
    Part.Offset += BitCount(I) * Bits;
    if (Error E = checkInside(C, Part, Bits))
      return E;
    Storage->add(BitCount(I) * Bits, BitCount(I + 1) * Bits, std::move(Part));
  }
  return pushComposite(std::move(Storage), /*IsOpen=*/false);
}

Error Machine::objectMap(Context &C, DieReference Die) {
  Expected<Value> Index = popIntegral(C);
  if (!Index)
    return Index.takeError();
  Expected<ObjectMap> Map = C.getObjectMap(Die);
  if (!Map)
    return Map.takeError();
  if (Map->ElementSize == 0 || Map->ElementCount == 0)
    return illFormed("an object map of elements without size or number");
  Location Array = Map->Memory;
  if (Map->IsActive) {
    Expected<Location> Over = makeOverlay(
        C, Map->Memory, Map->Vector,
        Map->Memory.Offset + BitCount(Map->First) * Map->ElementSize * 8,
        BitCount(Map->ElementSize) * Map->ElementCount * 8);
    if (!Over)
      return Over.takeError();
    Array = std::move(*Over);
  }
  const BitCount Where = BitCount(Index->Type.Kind == Type::Unsigned
                                      ? BitCount(Index->getUnsigned())
                                      : BitCount(Index->getSigned())) *
                         Map->ElementSize * 8;
  if (Error E = Array.move(C, Where))
    return E;
  push(std::move(Array));
  return Error::success();
}

//===-- Calls -------------------------------------------------------------===//

Error Machine::call(DieReference Reference, Context &C, unsigned Depth) {
  if (Depth >= O.MaxDepth)
    return makeError(ErrorKind::Limit, "calls are nested too deeply");
  Expected<DieLocation> Die = C.getDie(Reference);
  if (!Die)
    return Die.takeError();
  Context &Unit = Die->Unit ? *Die->Unit : C;
  if (Die->Expression)
    return run(*Die->Expression, Unit, Depth + 1);
  if (Die->List) {
    EvaluationOptions Inner = O;
    Inner.MaxDepth = O.MaxDepth - Depth - 1;
    Expected<Location> L = evaluateLocationList(*Die->List, Unit, Inner);
    if (!L)
      return L.takeError();
    push(std::move(*L));
  } else if (Die->ConstValue) {
    push(Location::implicit(*Die->ConstValue));
  }
  return Error::success();
}

Error Machine::entryValue(ArrayRef<uint8_t> Block, Context &C, unsigned Depth) {
  if (Depth >= O.MaxDepth)
    return makeError(ErrorKind::Limit, "entry values are nested too deeply");
  if (Block.empty())
    return illFormed("the expression is empty");
  Expected<Context *> Caller = C.getCallerContext();
  if (!Caller)
    return Caller.takeError();
  EvaluationOptions Inner = O;
  Inner.MaxDepth = O.MaxDepth - Depth - 1;
  Expected<Entry> Result = evaluate(Block, **Caller, ResultKind::Any, Inner);
  if (!Result)
    return Result.takeError();
  if (!Result->IsValue && Result->Location.Kind == StorageKind::Register) {
    uint64_t V;
    if (Error E = readRegister(**Caller, O, Result->Location.Number, 0, V))
      return E;
    pushGeneric(C, V);
    return Error::success();
  }
  Expected<Value> V = toValue(*Result, **Caller);
  if (!V)
    return V.takeError();
  push(*V);
  return Error::success();
}

//===-- What upstream clang means -----------------------------------------===//

std::optional<uint64_t> Machine::matchSpace(size_t At, size_t &End) {
  Expected<Operation> Op = decode(Bytes, At, O.Decode);
  if (!Op) {
    consumeError(Op.takeError());
    return std::nullopt;
  }
  uint64_t Space;
  if (Op->Code >= DW_OP_lit0 && Op->Code <= DW_OP_lit31)
    Space = Op->Code - DW_OP_lit0;
  else if (Op->Code == DW_OP_constu || Op->Code == DW_OP_const1u)
    Space = Op->Operands[0];
  else
    return std::nullopt;
  if (Op->End + 2 > Bytes.size() || Bytes[Op->End] != DW_OP_swap ||
      Bytes[Op->End + 1] != DW_OP_xderef || !endsOrIsPiece(Op->End + 2))
    return std::nullopt;
  End = Op->End + 2;
  return Space;
}

Error Machine::upstreamSpace(Context &C, uint64_t Space) {
  // Of a frame slot: DW_OP_fbreg has already made a private location.
  if (Last.Info && Last.Code == DW_OP_fbreg)
    return Error::success();
  if (Error E = need(1))
    return E;
  // The debug expression of a stack slot that has come to live in a register.
  uint64_t Number = ~uint64_t(0);
  if (Last.Info && Last.Code == DW_OP_bregx && Last.Operands[1] == 0)
    Number = Last.Operands[0];
  else if (Last.Info && Last.Code >= DW_OP_breg0 && Last.Code <= DW_OP_breg31 &&
           Last.Operands[0] == 0)
    Number = Last.Code - DW_OP_breg0;
  Location Element;
  if (isVectorElement(C, Number, Element)) {
    Stack.back() = Entry(std::move(Element));
    return Error::success();
  }
  Expected<Value> Address = popIntegral(C);
  if (!Address)
    return Address.takeError();
  if (O.Upstream.OldNumbers)
    Space = Space == 1 ? SpacePrivateLane : Space == 2 ? SpaceLocal : Space;
  return pushMemory(C, Space, Address->getUnsigned());
}

//===-- Operations --------------------------------------------------------===//

Error Machine::execute(const Operation &Op, Context &C, unsigned Depth) {
  const uint64_t A = Op.Operands[0], B = Op.Operands[1];
  const OperationCode Code = Op.Code;

  auto PushBreg = [&](uint64_t Number, int64_t Offset) -> Error {
    uint64_t V;
    if (Error E = readRegister(C, O, Number, 8 * C.getAddressSize(), V))
      return E;
    return pushMemory(C, 0, V + uint64_t(Offset));
  };
  auto PushRegister = [&](uint64_t Number) {
    pushRegister(C, Number);
    if (O.Upstream.Enabled && endsOrIsPiece(Op.End))
      isVectorElement(C, Number, Stack.back().Location);
    return Error::success();
  };
  auto PushAddress = [&](uint64_t FileAddress) -> Error {
    size_t End;
    // An address in another space isn't the loader's to move, but a generic one
    // (1 by the GPU's numbers) is.
    std::optional<uint64_t> Space;
    if (O.Upstream.Enabled)
      Space = matchSpace(Op.End, End);
    if (Space && *Space != 0 && (*Space != 1 || O.Upstream.OldNumbers)) {
      pushGeneric(C, FileAddress);
      return Error::success();
    }
    Expected<uint64_t> Address = C.getLoadAddress(FileAddress);
    if (!Address)
      return Address.takeError();
    return pushMemory(C, 0, *Address);
  };
  auto PushExpected = [&](Expected<Location> L) -> Error {
    if (!L)
      return L.takeError();
    push(std::move(*L));
    return Error::success();
  };
  auto Dereference = [&](uint64_t Size, Type T) -> Error {
    Expected<Location> L = popLocation(C);
    if (!L)
      return L.takeError();
    Expected<Entry> E = dereference(C, *L, Size, T);
    if (!E)
      return E.takeError();
    push(std::move(*E));
    return Error::success();
  };
  auto MoveTop = [&](BitCount Bits) -> Error {
    if (!Stack.empty() && !Stack.back().IsValue &&
        !Stack.back().IsImplicitPointer) {
      if (Error E = checkComplete(Stack.back()))
        return E;
      return Stack.back().Location.move(C, Bits);
    }
    Expected<Location> L = popLocation(C);
    if (!L)
      return L.takeError();
    if (Error E = L->move(C, Bits))
      return E;
    push(std::move(*L));
    return Error::success();
  };
  auto Move = [&](unsigned Unit) -> Error {
    Expected<Value> N = popIntegral(C);
    if (!N)
      return N.takeError();
    const BitCount Distance = N->Type.Kind == Type::Unsigned
                                  ? BitCount(N->getUnsigned())
                                  : BitCount(N->getSigned());
    return MoveTop(Distance * Unit);
  };
  auto PushIndex = [&](std::optional<uint32_t> Current, uint32_t Count,
                       const char *What) -> Error {
    if (Count == 0)
      return missing(Twine("count of ") + What + "s");
    if (!Current) {
      if (Count > 1 || O.Dialect == Dialect::AMD)
        return missing(Twine("current ") + What);
      Current = 0;
    }
    if (*Current >= Count)
      return illFormed(Twine("the current ") + What + " is " + Twine(*Current) +
                       ", of " + Twine(Count));
    pushGeneric(C, *Current);
    return Error::success();
  };

  if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31) {
    pushGeneric(C, Code - DW_OP_lit0);
    return Error::success();
  }
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31)
    return PushRegister(Code - DW_OP_reg0);
  if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31)
    return PushBreg(Code - DW_OP_breg0, int64_t(A));

  switch (Code) {
  case DW_OP_addr:
    return PushAddress(A);
  case DW_OP_addrx: {
    Expected<uint64_t> Address = C.getIndexedAddress(A);
    if (!Address)
      return Address.takeError();
    return PushAddress(*Address);
  }
  case DW_OP_constx: {
    Expected<uint64_t> V = C.getIndexedAddress(A);
    if (!V)
      return V.takeError();
    pushGeneric(C, *V);
    return Error::success();
  }
  case DW_OP_const1u:
  case DW_OP_const1s:
  case DW_OP_const2u:
  case DW_OP_const2s:
  case DW_OP_const4u:
  case DW_OP_const4s:
  case DW_OP_const8u:
  case DW_OP_const8s:
  case DW_OP_constu:
  case DW_OP_consts:
    pushGeneric(C, A);
    return Error::success();

  case DW_OP_dup:
  case DW_OP_over:
  case DW_OP_pick: {
    const uint64_t Index = Code == DW_OP_dup ? 0 : Code == DW_OP_over ? 1 : A;
    if (Error E = need(Index + 1))
      return E;
    Entry Copy = Stack[Stack.size() - 1 - Index];
    if (Error E = checkComplete(Copy))
      return E;
    push(std::move(Copy));
    return Error::success();
  }
  case DW_OP_drop:
    return pop().takeError();
  case DW_OP_swap:
    if (Error E = need(2))
      return E;
    std::swap(Stack[Stack.size() - 1], Stack[Stack.size() - 2]);
    return Error::success();
  case DW_OP_rot:
    if (Error E = need(3))
      return E;
    std::rotate(Stack.end() - 3, Stack.end() - 1, Stack.end());
    return Error::success();

  case DW_OP_deref:
    return Dereference(C.getAddressSize(), generic(C));
  case DW_OP_deref_size:
    if (O.Dialect == Dialect::Strict && A > C.getAddressSize())
      return illFormed("a read of more than an address");
    return Dereference(A, generic(C));
  case DW_OP_deref_type: {
    Expected<Type> T = getType(C, B);
    if (!T)
      return T.takeError();
    if (T->Size != A)
      return illFormed("a read of " + Twine(A) +
                       " bytes with a type of " + Twine(T->Size));
    return Dereference(A, *T);
  }
  case DW_OP_xderef:
    return dereferenceSpace(C, C.getAddressSize(), std::nullopt);
  case DW_OP_xderef_size:
    return dereferenceSpace(C, A, std::nullopt);
  case DW_OP_xderef_type: {
    Expected<Type> T = getType(C, B);
    if (!T)
      return T.takeError();
    if (T->Size != A)
      return illFormed("a read of " + Twine(A) +
                       " bytes with a type of " + Twine(T->Size));
    return dereferenceSpace(C, A, *T);
  }

  case DW_OP_abs:
  case DW_OP_neg:
  case DW_OP_not: {
    Expected<Value> V = popValue(C);
    if (!V)
      return V.takeError();
    Expected<Value> R = applyUnary(uint8_t(Code), *V);
    if (!R)
      return R.takeError();
    push(*R);
    return Error::success();
  }
  case DW_OP_and:
  case DW_OP_div:
  case DW_OP_minus:
  case DW_OP_mod:
  case DW_OP_mul:
  case DW_OP_or:
  case DW_OP_plus:
  case DW_OP_shl:
  case DW_OP_shr:
  case DW_OP_shra:
  case DW_OP_xor:
  case DW_OP_eq:
  case DW_OP_ge:
  case DW_OP_gt:
  case DW_OP_le:
  case DW_OP_lt:
  case DW_OP_ne: {
    Expected<Value> Y = popValue(C);
    if (!Y)
      return Y.takeError();
    const bool Aligns = O.Upstream.Enabled && Code != DW_OP_shl &&
                        Code != DW_OP_shr && Code != DW_OP_shra;
    // In place: the result is where the lower operand is.
    if (!Stack.empty() && Stack.back().IsValue &&
        !Stack.back().IsImplicitPointer) {
      Value &X = Stack.back().Value;
      if (Aligns)
        alignGeneric(X, *Y);
      Expected<Value> R = applyBinary(uint8_t(Code), X, *Y);
      if (!R)
        return R.takeError();
      X = Code >= DW_OP_eq && Code <= DW_OP_ne ? Value(generic(C), R->Bits) : *R;
      return Error::success();
    }
    Expected<Value> X = popValue(C);
    if (!X)
      return X.takeError();
    if (Aligns)
      alignGeneric(*X, *Y);
    Expected<Value> R = applyBinary(uint8_t(Code), *X, *Y);
    if (!R)
      return R.takeError();
    if (Code >= DW_OP_eq && Code <= DW_OP_ne)
      pushGeneric(C, R->Bits);
    else
      push(*R);
    return Error::success();
  }
  case DW_OP_plus_uconst: {
    Expected<Value> V = popIntegral(C);
    if (!V)
      return V.takeError();
    push(Value(V->Type, V->Bits + A));
    return Error::success();
  }

  case DW_OP_regx:
    return PushRegister(A);
  case DW_OP_bregx:
    return PushBreg(A, int64_t(B));
  case DW_OP_fbreg:
    return formFrameRelative(C, O, A, pushLocation());
  case DW_OP_regval_type: {
    Expected<Type> T = getType(C, B);
    if (!T)
      return T.takeError();
    pushRegister(C, A);
    return Dereference(T->Size, *T);
  }

  case DW_OP_piece:
    return piece(C, BitCount(A) * 8, 0);
  case DW_OP_bit_piece:
    return piece(C, A, B);
  case DW_OP_nop:
  case OP_LLVM_nop:
    return Error::success();

  case DW_OP_push_object_address:
    return PushExpected(C.getObject());
  case DW_OP_call2:
  case DW_OP_call4:
    return call({DieReference::Unit, A}, C, Depth);
  case DW_OP_call_ref:
    return call({DieReference::Section, A}, C, Depth);
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address: {
    Expected<Value> V = popIntegral(C);
    if (!V)
      return V.takeError();
    return PushExpected(C.getThreadLocal(V->getUnsigned()));
  }
  case DW_OP_call_frame_cfa:
    return PushExpected(C.getCallFrameAddress());

  case DW_OP_implicit_value:
    push(Location::implicit(Op.Block));
    return Error::success();
  case DW_OP_stack_value: {
    Expected<Entry> E = pop();
    if (!E)
      return E.takeError();
    if (E->IsImplicitPointer) {
      push(E->Location);
      return Error::success();
    }
    Expected<Value> V = toValue(*E, C);
    if (!V)
      return V.takeError();
    uint8_t Buffer[8];
    for (unsigned I = 0; I < 8; ++I)
      Buffer[I] = uint8_t(V->Bits >> (8 * I));
    push(Location::implicit(ArrayRef<uint8_t>(Buffer, V->Type.Size)));
    return Error::success();
  }
  case DW_OP_implicit_pointer:
  case GNUImplicitPointer:
    push(Location::implicitPointer({DieReference::Section, A}, int64_t(B), 0,
                                   C.getAddressSize()));
    return Error::success();
  case OP_aspace_implicit_pointer: {
    Expected<Value> Space = popIntegral(C);
    if (!Space)
      return Space.takeError();
    std::optional<wavelane::location::AddressSpace> Info = C.getAddressSpace(Space->getUnsigned());
    if (!Info)
      return illFormed("address space " + Twine(Space->getUnsigned()) +
                       " does not exist");
    push(Location::implicitPointer({DieReference::Section, A}, int64_t(B),
                                   Space->getUnsigned(),
                                   Info->AddressBits / 8));
    return Error::success();
  }
  case DW_OP_entry_value:
  case DW_OP_GNU_entry_value:
    return entryValue(Op.Block, C, Depth);

  case DW_OP_const_type: {
    Expected<Type> T = getType(C, A);
    if (!T)
      return T.takeError();
    if (Op.Block.size() != T->Size)
      return illFormed("a constant of " + Twine(Op.Block.size()) +
                       " bytes with a type of " + Twine(T->Size));
    uint64_t V = 0;
    for (size_t I = 0; I < Op.Block.size() && I < 8; ++I)
      V |= uint64_t(Op.Block[I]) << (8 * I);
    push(Value(*T, V));
    return Error::success();
  }
  case DW_OP_convert:
  case DW_OP_reinterpret: {
    Expected<Type> T = getType(C, A);
    if (!T)
      return T.takeError();
    Expected<Value> V = popValue(C);
    if (!V)
      return V.takeError();
    Expected<Value> R =
        Code == DW_OP_convert ? convert(*V, *T) : reinterpret(*V, *T);
    if (!R)
      return R.takeError();
    push(*R);
    return Error::success();
  }

  case OP_form_aspace_address:
  case OP_mem: {
    // The space is on top; of DW_OP_mem, the address.
    Expected<Value> Top = popIntegral(C);
    if (!Top)
      return Top.takeError();
    Expected<Entry> Below = pop();
    if (!Below)
      return Below.takeError();
    // An implicit pointer into that space is followed.
    if (Code == OP_form_aspace_address && Below->IsImplicitPointer &&
        Below->Location.Number == Top->getUnsigned())
      return PushExpected(followImplicitPointer(Below->Location, C, O));
    Expected<Value> Other = toValue(*Below, C);
    if (!Other)
      return Other.takeError();
    if (!Other->Type.isIntegral())
      return illFormed("needs an integral value");
    const Value &Space = Code == OP_mem ? *Other : *Top;
    const Value &Address = Code == OP_mem ? *Top : *Other;
    return pushMemory(C, Space.getUnsigned(), Address.getUnsigned());
  }
  case OP_aspace_bregx: {
    Expected<Value> Space = popIntegral(C);
    if (!Space)
      return Space.takeError();
    std::optional<wavelane::location::AddressSpace> Info = C.getAddressSpace(Space->getUnsigned());
    if (!Info)
      return illFormed("address space " + Twine(Space->getUnsigned()) +
                       " does not exist");
    uint64_t V;
    if (Error E = readRegister(C, O, A, Info->AddressBits, V))
      return E;
    return pushMemory(C, Space->getUnsigned(), V + B);
  }
  case OP_push_lane:
    return PushIndex(C.getLane(), C.getLaneCount(), "lane");
  case OP_push_iteration:
    return PushIndex(C.getIteration(), C.getIterationCount(), "iteration");
  case OP_offset:
    return Move(8);
  case OP_bit_offset:
    return Move(1);
  case OP_offset_uconst:
    return MoveTop(BitCount(A) * 8);
  case OP_call_frame_entry_reg:
    return PushExpected(C.getEntryRegister(A));
  case OP_undefined:
    push(Location::undefined());
    return Error::success();
  case OP_composite: {
    HasUsedComposite = true;
    Location L = Location::composite(std::make_shared<CompositeStorage>());
    L.IsOpen = true;
    push(std::move(L));
    return Error::success();
  }
  case OP_piece_end:
    if (Stack.empty() || !isOpen(Stack.back()))
      return illFormed("there is no incomplete composite on top");
    Stack.back().Location.IsOpen = false;
    return Error::success();
  case OP_extend:
    return extend(C, A, B);
  case OP_select_bit_piece:
    return select(C, A, B);
  case OP_LLVM_overlay:
    return llvmOverlay(C, 8);
  case OP_LLVM_bit_overlay:
    return llvmOverlay(C, 1);
  case OP_overlay:
    return overlay(C, 8);
  case OP_bit_overlay:
    return overlay(C, 1);
  case OP_multiloc: {
    Expected<Location> Second = popLocation(C);
    if (!Second)
      return Second.takeError();
    Expected<Location> First = popLocation(C);
    if (!First)
      return First.takeError();
    if (Error E = useParts(countParts(*First) + countParts(*Second)))
      return E;
    Location L = Location::multi({std::move(*First), std::move(*Second)});
    if (L.getNesting() > Location::MaxNesting)
      return makeError(ErrorKind::Limit, "composites are nested too deeply");
    push(std::move(L));
    return Error::success();
  }
  case OP_object_map:
    return objectMap(C, {DieReference::Section, A});
  default:
    return illFormed("the operation is not evaluated");
  }
}

/// The beginnings of operations, and the end: where a branch may go.
static Expected<BitVector> findBegins(ArrayRef<uint8_t> Expression,
                                      const DecodeOptions &Options) {
  BitVector Begins(Expression.size() + 1);
  size_t At = 0;
  while (At < Expression.size()) {
    Begins.set(At);
    Expected<Operation> Op = decode(Expression, At, Options);
    if (!Op)
      return Op.takeError();
    At = Op->End;
  }
  Begins.set(Expression.size());
  return Begins;
}

/// Adds which operation failed, keeping the kind of the error.
static Error inOperation(Error E, const Operation &Op) {
  return handleErrors(std::move(E),
                      [&](std::unique_ptr<LocationError> L) -> Error {
                        std::string Message;
                        raw_string_ostream OS(Message);
                        L->log(OS);
                        return makeError(L->getKind(),
                                         Twine(Op.Info->Name) + ": " + OS.str());
                      });
}

Error Machine::run(ArrayRef<uint8_t> Expression, Context &C, unsigned Depth) {
  DecodeOptions Decode = O.Decode;
  Decode.AddressSize = uint8_t(C.getAddressSize());
  const ArrayRef<uint8_t> Outer = Bytes;
  Bytes = Expression;
  Last = Operation();
  const bool IsPlain = !Trace && !O.Upstream.Enabled;
  std::optional<BitVector> Begins;
  size_t At = 0;
  while (At < Expression.size()) {
    if (Budget.Steps == 0)
      return makeError(ErrorKind::Limit,
                       "the expression takes more than " + Twine(O.MaxSteps) +
                           " operations");
    --Budget.Steps;
    if (Stack.size() > O.MaxStack)
      return makeError(ErrorKind::Limit, "the expression pushes more than " +
                                             Twine(O.MaxStack) + " entries");
    if (O.Upstream.Enabled) {
      size_t End;
      if (std::optional<uint64_t> Space = matchSpace(At, End)) {
        if (Error E = upstreamSpace(C, *Space))
          return E;
        Last = Operation();
        At = End;
        continue;
      }
    }
    // Literals are half of what expressions have.
    if (const uint8_t Byte = Expression[At];
        Byte >= DW_OP_lit0 && Byte <= DW_OP_lit31 && IsPlain) {
      pushGeneric(C, Byte - DW_OP_lit0);
      ++At;
      continue;
    }
    Operation Op;
    if (Error E = decode(Expression, At, Decode, Op))
      return E;
    At = Op.End;
    if (Op.Code == DW_OP_skip || Op.Code == DW_OP_bra) {
      bool Taken = true;
      if (Op.Code == DW_OP_bra) {
        Expected<Value> V = popIntegral(C);
        if (!V)
          return inOperation(V.takeError(), Op);
        Taken = V->Bits != 0;
      }
      if (!Begins) {
        Expected<BitVector> B = findBegins(Expression, Decode);
        if (!B)
          return B.takeError();
        Begins = std::move(*B);
      }
      const int64_t Target = int64_t(Op.End) + int64_t(Op.Operands[0]);
      if (Target < 0 || uint64_t(Target) > Expression.size() ||
          !Begins->test(unsigned(Target)))
        return illFormed(Twine(Op.Info->Name) +
                         " goes to where no operation begins");
      if (Taken)
        At = size_t(Target);
    } else if (Error E = execute(Op, C, Depth)) {
      return inOperation(std::move(E), Op);
    }
    if (O.Upstream.Enabled)
      Last = Op;
    if (Trace)
      (*Trace)(Op, Stack);
  }
  Bytes = Outer;
  return Error::success();
}

Expected<Entry> wavelane::location::evaluate(ArrayRef<uint8_t> Expression,
                                             Context &C, ResultKind Kind,
                                             const EvaluationOptions &O,
                                             ArrayRef<Entry> Initial,
                                             TraceFunction *Trace) {
  if (C.getAddressSize() == 0 || C.getAddressSize() > 8)
    return illFormed("addresses of " + Twine(C.getAddressSize()) + " bytes");
  if (Kind != ResultKind::Value && !Expression.empty() && Initial.empty() &&
      !Trace) {
    Expected<Entry> Single{Entry()};
    if (evaluateSingle(Expression, C, O, Single->Location))
      return Single;
  }
  EvaluationBudget Fresh{O.MaxSteps, O.MaxParts};
  EvaluationOptions Inner = O;
  if (!Inner.Budget)
    Inner.Budget = &Fresh;
  Machine M(Inner, Trace);
  M.Stack.append(Initial.begin(), Initial.end());
  if (Error E = M.run(Expression, C, 0))
    return std::move(E);
  if (M.Stack.empty()) {
    if (Kind == ResultKind::Value)
      return illFormed("the expression leaves no value");
    return Entry(Location::undefined());
  }
  Entry Top = std::move(M.Stack.back());
  Top.Location.IsOpen = false;
  switch (Kind) {
  case ResultKind::Any:
    return Top;
  case ResultKind::Value: {
    Expected<Value> V = toValue(Top, C);
    if (!V)
      return V.takeError();
    return Entry(*V);
  }
  case ResultKind::Location: {
    if (!Top.IsValue && !Top.IsImplicitPointer)
      return Top;
    Expected<Location> L = toLocation(Top, C, Inner);
    if (!L)
      return L.takeError();
    return Entry(std::move(*L));
  }
  }
  llvm_unreachable("a kind of result");
}

Expected<Location>
wavelane::location::evaluateLocationList(ArrayRef<LocationListEntry> List,
                                         Context &C,
                                         const EvaluationOptions &O) {
  const std::optional<uint64_t> PC = C.getProgramLocation();
  std::vector<Location> Places;
  auto Add = [&](const LocationListEntry &Item) -> Error {
    Expected<Entry> Result =
        evaluate(Item.Expression, C, ResultKind::Location, O);
    if (!Result)
      return Result.takeError();
    Places.push_back(std::move(Result->Location));
    return Error::success();
  };
  const LocationListEntry *Default = nullptr;
  for (const LocationListEntry &Item : List) {
    if (Item.IsDefault) {
      Default = &Item;
      continue;
    }
    if (PC && *PC >= Item.Low && *PC < Item.High)
      if (Error E = Add(Item))
        return std::move(E);
  }
  if (!PC && O.Dialect == Dialect::AMD)
    return missing("program location");
  if (Places.empty() && Default)
    if (Error E = Add(*Default))
      return std::move(E);
  if (!Places.empty())
    return Location::multi(std::move(Places));
  if (!PC)
    return missing("program location");
  return Location::undefined();
}

Expected<Location>
wavelane::location::evaluateFrameBase(ArrayRef<uint8_t> Expression, Context &C,
                                      const EvaluationOptions &O) {
  // Vector registers and scratch addresses are fbreg's business.
  EvaluationOptions Plain = O;
  Plain.Upstream.Enabled = false;
  Expected<Entry> Result =
      evaluate(Expression, C, ResultKind::Location, Plain);
  if (!Result)
    return Result.takeError();
  Location &L = Result->Location;
  if (L.Kind != StorageKind::Register || L.Offset != 0)
    return std::move(L);
  Expected<uint64_t> Size = C.getRegisterSize(L.Number);
  if (!Size)
    return Size.takeError();
  uint8_t Buffer[8] = {};
  const size_t Bytes = std::min<uint64_t>(*Size, C.getAddressSize());
  if (Error E = C.readRegister(L.Number, L.Thread, 0,
                               MutableArrayRef<uint8_t>(Buffer, Bytes)))
    return std::move(E);
  uint64_t Address = 0;
  for (size_t I = 0; I < Bytes; ++I)
    Address |= uint64_t(Buffer[I]) << (8 * I);
  Location Base = Location::memory(0, Address);
  Base.Lane = C.getLane();
  Base.Thread = C.getThread();
  return Base;
}
