//===-- Straight.cpp - expressions that need no machine -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Straight.h"
#include "Forming.h"
#include "LEB128.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

template <typename T> static bool assign(Expected<T> From, T &To) {
  if (!From) {
    consumeError(From.takeError());
    return false;
  }
  To = std::move(*From);
  return true;
}

/// Reads the fixed-size number at \a At, and moves past it.
static bool readFixed(ArrayRef<uint8_t> Expression, size_t &At, unsigned Size,
                      uint64_t &V) {
  uint8_t Bytes[sizeof(V)] = {};
  if (Size > sizeof(V) || Expression.size() - At < Size)
    return false;
  std::copy_n(Expression.data() + At, Size, Bytes);
  At += Size;
  V = support::endian::read64le(Bytes);
  return true;
}

/// Evaluates the register, address, frame slot or constant at \a At, if it is
/// all of the expression or of a piece, and moves past it. \a L must be
/// undefined, and stays so on failure.
LLVM_ATTRIBUTE_ALWAYS_INLINE static bool
formSingle(ArrayRef<uint8_t> Expression, size_t &At, Context &C,
           const EvaluationOptions &O, Location &L) {
  const uint8_t Code = Expression[At++];
  uint64_t Number = 0, Distance = 0, V;
  bool IsRegister = false;
  ArrayRef<uint8_t> Block;
  const auto Read = [&](bool IsSigned, uint64_t &Into) {
    return readLEB128(Expression, At, IsSigned, Into) == LEBStatus::Good;
  };
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31) {
    Number = Code - DW_OP_reg0;
    IsRegister = true;
  } else if (Code == DW_OP_regx) {
    if (!Read(false, Number))
      return false;
    IsRegister = true;
  } else if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31) {
    Number = Code - DW_OP_breg0;
    if (!Read(true, Distance))
      return false;
  } else if (Code == DW_OP_bregx) {
    if (!Read(false, Number) || !Read(true, Distance))
      return false;
  } else if (Code == DW_OP_fbreg) {
    if (!Read(true, Distance))
      return false;
  } else if (Code == DW_OP_addr) {
    if (O.Upstream.Enabled ||
        !readFixed(Expression, At, C.getAddressSize(), Number))
      return false;
  } else if (Code == DW_OP_implicit_value) {
    if (!Read(false, Number) || Number > Expression.size() - At)
      return false;
    Block = Expression.slice(At, size_t(Number));
    At += Block.size();
  } else if (Code != DW_OP_call_frame_cfa) {
    return false;
  }
  if (At != Expression.size() && Expression[At] != DW_OP_piece)
    return false;
  if (IsRegister) {
    if (!O.Upstream.Enabled || !isVectorElement(C, Number, L))
      formRegister(C, Number, L);
    return true;
  }
  switch (Code) {
  case DW_OP_fbreg:
    return !errorToBool(formFrameRelative(C, O, Distance, L));
  case DW_OP_implicit_value:
    L = Location::implicit(Block);
    return true;
  case DW_OP_call_frame_cfa:
    return assign(C.getCallFrameAddress(), L);
  case DW_OP_addr:
    return assign(C.getLoadAddress(Number), V) &&
           !errorToBool(formAddress(C, 0, V, L));
  default:
    return !errorToBool(
               readRegister(C, O, Number, 8 * C.getAddressSize(), V)) &&
           !errorToBool(formAddress(C, 0, V + Distance, L));
  }
}

/// The pieces of an expression of which each is a single operation.
/// \param At  Behind the first one's place, which is \a Result.
LLVM_ATTRIBUTE_NOINLINE static bool evaluatePieces(ArrayRef<uint8_t> Expression,
                                                   size_t At, Context &C,
                                                   const EvaluationOptions &O,
                                                   Location &Result) {
  if (Expression[At] != DW_OP_piece || O.Budget)
    return false;
  auto Storage = std::make_shared<CompositeStorage>();
  BitCount Begin = 0;
  Storage->Parts.emplace_back().Place = std::move(Result);
  while (true) {
    CompositeStorage::Part &Part = Storage->Parts.back();
    uint64_t Bytes;
    if (At == Expression.size() || Expression[At] != DW_OP_piece)
      return false;
    ++At;
    if (readLEB128(Expression, At, false, Bytes) != LEBStatus::Good ||
        Bytes == 0 || Bytes > UINT32_MAX)
      return false;
    const BitCount Size = BitCount(Bytes) * 8;
    Expected<std::optional<BitCount>> Whole = Part.Place.getStorageSize(C);
    if (!Whole) {
      consumeError(Whole.takeError());
      return false;
    }
    if (Part.Place.getComposite() || Part.Place.Offset < 0 ||
        (*Whole && Part.Place.Offset + Size > **Whole))
      return false;
    Part.Begin = Begin;
    Part.End = Begin += Size;
    if (At == Expression.size())
      break;
    if (Storage->Parts.size() >= O.MaxParts ||
        3 * Storage->Parts.size() >= O.MaxSteps ||
        !formSingle(Expression, At, C, O, Storage->Parts.emplace_back().Place))
      return false;
  }
  Result = Location::composite(std::move(Storage));
  return true;
}

namespace {
/// The stack of an expression whose entries are all of the generic type, or
/// memory of the default address space, which is the same: each converts to the
/// other. Arithmetic modulo 2^64 is also arithmetic modulo an address's size.
class Numbers {
public:
  static constexpr unsigned Most = 8;
  uint64_t Of[Most];
  unsigned Count = 0;
  const unsigned Size; ///< Of an address, in bytes.

  Numbers(Context &C, const EvaluationOptions &O)
      : Size(C.getAddressSize()), C(C), O(O) {}

  bool push(uint64_t N) {
    if (Count == Most)
      return false;
    Of[Count++] = N;
    return true;
  }
  uint64_t getTop() const {
    return Of[Count - 1] & maskTrailingOnes<uint64_t>(8 * Size);
  }
  bool pushRegister(uint64_t Number, uint64_t Distance);
  /// \param End  Where the operation that forms \a From ends.
  bool pushAddress(Expected<Location> From, uint64_t Distance, size_t End);
  bool pushFileAddress(uint64_t Address);
  bool pushEntryValue(ArrayRef<uint8_t> Expression);
  bool dereference(uint64_t Bytes);
  bool reorder(uint8_t Code);
  bool combine(uint8_t Code);
  /// The address on top as a location, at the end of an expression. \a L must
  /// be undefined.
  bool getLocation(size_t End, Location &L) const;

private:
  /// Whether the default space has addresses like the generic type, for all
  /// lanes.
  bool isPlainMemory();

  Context &C;
  const EvaluationOptions &O;
  bool IsPlainMemory = false;
  /// A location on the stack may be of another lane than the current one, and
  /// must be used as an address. It is after the operation that ends here.
  std::optional<size_t> Foreign;
};

bool Numbers::isPlainMemory() {
  if (IsPlainMemory)
    return true;
  const std::optional<wavelane::location::AddressSpace> Space =
      C.getAddressSpace(0);
  return IsPlainMemory =
             Space && Space->AddressBits == 8 * Size && !Space->IsPerLane;
}

bool Numbers::pushRegister(uint64_t Number, uint64_t Distance) {
  uint64_t V;
  return isPlainMemory() &&
         !errorToBool(readRegister(C, O, Number, 8 * Size, V)) &&
         push(V + Distance);
}

bool Numbers::pushAddress(Expected<Location> From, uint64_t Distance,
                          size_t End) {
  if (!From) {
    consumeError(From.takeError());
    return false;
  }
  if (From->Kind != StorageKind::Memory || From->Number != 0 ||
      From->Offset % 8 != 0 || !isPlainMemory())
    return false;
  if (From->Lane != C.getLane() || From->Thread != C.getThread())
    Foreign = End;
  return push(uint64_t(From->Offset / 8) + Distance);
}

bool Numbers::pushFileAddress(uint64_t Address) {
  uint64_t Load;
  return isPlainMemory() && assign(C.getLoadAddress(Address), Load) &&
         push(Load);
}

/// The value that a register had when the function was called.
bool Numbers::pushEntryValue(ArrayRef<uint8_t> Expression) {
  uint64_t Number, V;
  size_t At = 1;
  if (O.MaxDepth == 0 || Expression.empty())
    return false;
  const uint8_t Code = Expression.front();
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31)
    Number = Code - DW_OP_reg0;
  else if (Code != DW_OP_regx ||
           readLEB128(Expression, At, false, Number) != LEBStatus::Good)
    return false;
  if (At != Expression.size())
    return false;
  Context *Caller;
  return assign(C.getCallerContext(), Caller) &&
         !errorToBool(readRegister(*Caller, O, Number, 0, V)) && push(V);
}

bool Numbers::dereference(uint64_t Bytes) {
  uint8_t Buffer[8] = {};
  if (!Count || Foreign || Bytes == 0 || Bytes > Size || !isPlainMemory())
    return false;
  const uint64_t Address = getTop();
  // Not beyond the last address.
  if (Address > maskTrailingOnes<uint64_t>(8 * Size) - (Bytes - 1) ||
      errorToBool(
          C.readMemory(0, C.getLane(), C.getThread(), Address,
                       MutableArrayRef<uint8_t>(Buffer, size_t(Bytes)))))
    return false;
  Of[Count - 1] = support::endian::read64le(Buffer);
  return true;
}

bool Numbers::reorder(uint8_t Code) {
  if (Foreign || Count < (Code == DW_OP_dup || Code == DW_OP_drop ? 1 : 2))
    return false;
  switch (Code) {
  case DW_OP_dup:
    return push(Of[Count - 1]);
  case DW_OP_over:
    return push(Of[Count - 2]);
  case DW_OP_drop:
    --Count;
    return true;
  case DW_OP_swap:
    std::swap(Of[Count - 1], Of[Count - 2]);
    return true;
  default:
    return false;
  }
}

bool Numbers::combine(uint8_t Code) {
  if (Count < 2)
    return false;
  const uint64_t Y = Of[--Count];
  uint64_t &X = Of[Count - 1];
  switch (Code) {
  case DW_OP_and:
    X &= Y;
    return true;
  case DW_OP_or:
    X |= Y;
    return true;
  case DW_OP_xor:
    X ^= Y;
    return true;
  case DW_OP_plus:
    X += Y;
    return true;
  case DW_OP_minus:
    X -= Y;
    return true;
  case DW_OP_mul:
    X *= Y;
    return true;
  case DW_OP_shl:
    // The machine knows how many bits there are.
    if (Y >= 8 * Size)
      return false;
    X <<= Y;
    return true;
  case DW_OP_shr:
    if (Y >= 8 * Size)
      return false;
    X = getTop() >> Y;
    return true;
  default:
    return false;
  }
}

bool Numbers::getLocation(size_t End, Location &L) const {
  if (!Count || Foreign == End)
    return false;
  L.Kind = StorageKind::Memory;
  L.Offset = BitCount(getTop()) * 8;
  L.Lane = C.getLane();
  L.Thread = C.getThread();
  return true;
}
} // namespace

/// The operand of DW_OP_const1u and its kin, from \a At on.
template <typename T>
static bool pushFixed(ArrayRef<uint8_t> Expression, size_t &At, Numbers &N) {
  if (Expression.size() - At < sizeof(T))
    return false;
  const T Operand =
      support::endian::read<T, endianness::little>(Expression.data() + At);
  At += sizeof(T);
  return N.push(uint64_t(int64_t(Operand)));
}

/// The operation of \a Code, from \a At on, which is after its code.
LLVM_ATTRIBUTE_ALWAYS_INLINE static bool compute(uint8_t Code,
                                                 ArrayRef<uint8_t> Expression,
                                                 size_t &At, Context &C,
                                                 Numbers &N) {
  uint64_t Number = 0, Operand;
  const auto Read = [&](bool IsSigned, uint64_t &Into) {
    return readLEB128(Expression, At, IsSigned, Into) == LEBStatus::Good;
  };
  switch (Code) {
  case DW_OP_const1u:
    return pushFixed<uint8_t>(Expression, At, N);
  case DW_OP_const1s:
    return pushFixed<int8_t>(Expression, At, N);
  case DW_OP_const2u:
    return pushFixed<uint16_t>(Expression, At, N);
  case DW_OP_const2s:
    return pushFixed<int16_t>(Expression, At, N);
  case DW_OP_const4u:
    return pushFixed<uint32_t>(Expression, At, N);
  case DW_OP_const4s:
    return pushFixed<int32_t>(Expression, At, N);
  case DW_OP_const8u:
  case DW_OP_const8s:
    return pushFixed<int64_t>(Expression, At, N);
  case DW_OP_constu:
  case DW_OP_consts:
    return Read(Code == DW_OP_consts, Operand) && N.push(Operand);
  case DW_OP_plus_uconst:
    if (!N.Count || !Read(false, Operand))
      return false;
    N.Of[N.Count - 1] += Operand;
    return true;
  case DW_OP_dup:
  case DW_OP_over:
  case DW_OP_drop:
  case DW_OP_swap:
    return N.reorder(Code);
  case DW_OP_addr:
    return readFixed(Expression, At, N.Size, Operand) &&
           N.pushFileAddress(Operand);
  case DW_OP_bregx:
    return Read(false, Number) && Read(true, Operand) &&
           N.pushRegister(Number, Operand);
  case DW_OP_fbreg:
    return Read(true, Operand) && N.pushAddress(C.getFrameBase(), Operand, At);
  case DW_OP_call_frame_cfa:
    return N.pushAddress(C.getCallFrameAddress(), 0, At);
  case DW_OP_entry_value:
    if (!Read(false, Operand) || Operand > Expression.size() - At)
      return false;
    At += size_t(Operand);
    return N.pushEntryValue(
        Expression.slice(At - size_t(Operand), size_t(Operand)));
  case DW_OP_deref:
    return N.dereference(N.Size);
  case DW_OP_deref_size:
    return readFixed(Expression, At, 1, Operand) && N.dereference(Operand);
  default:
    if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31)
      return N.push(Code - DW_OP_lit0);
    if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31)
      return Read(true, Operand) && N.pushRegister(Code - DW_OP_breg0, Operand);
    return N.combine(Code);
  }
}

bool wavelane::location::evaluateStraight(ArrayRef<uint8_t> Expression,
                                          Context &C, ResultKind Kind,
                                          const EvaluationOptions &O,
                                          Entry &Result) {
  size_t At = 0;
  if (formSingle(Expression, At, C, O, Result.Location))
    return At == Expression.size() ||
           evaluatePieces(Expression, At, C, O, Result.Location);
  // Upstream clang's operations depend on those around them, and the AMD text
  // distinguishes values from locations.
  if (Kind != ResultKind::Location || O.Upstream.Enabled || O.Budget ||
      O.Dialect == Dialect::AMD || Expression.size() > O.MaxSteps ||
      Numbers::Most > O.MaxStack)
    return false;
  Numbers N(C, O);
  for (At = 0; At < Expression.size();) {
    const uint8_t Code = Expression[At++];
    if (Code == DW_OP_stack_value) {
      if (At != Expression.size() || !N.Count)
        return false;
      Result.Location.makeImplicit(N.getTop(), N.Size);
      return true;
    }
    if (!compute(Code, Expression, At, C, N))
      return false;
  }
  return N.getLocation(At, Result.Location);
}
