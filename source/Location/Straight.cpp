//===-- Straight.cpp - expressions that need no machine -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Straight.h"
#include "LEB128.h"
#include "Machine.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

/// Evaluates the register, address or frame slot at \a At, and moves past it.
LLVM_ATTRIBUTE_ALWAYS_INLINE static bool
formSingle(ArrayRef<uint8_t> Expression, size_t &At, Context &C,
           const EvaluationOptions &O, Location &L) {
  const uint8_t Code = Expression[At++];
  uint64_t Number = 0, Distance = 0;
  bool IsAddress = false;
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31) {
    Number = Code - DW_OP_reg0;
  } else if (Code == DW_OP_regx) {
    if (readLEB128(Expression, At, false, Number) != LEBStatus::Good)
      return false;
  } else if (Code == DW_OP_fbreg) {
    return readLEB128(Expression, At, true, Distance) == LEBStatus::Good &&
           !errorToBool(formFrameRelative(C, O, Distance, L));
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
  if (!IsAddress) {
    if (O.Upstream.Enabled && isVectorElement(C, Number, L))
      return true;
    formRegister(C, Number, L);
    return true;
  }
  uint64_t V;
  return readLEB128(Expression, At, true, Distance) == LEBStatus::Good &&
         !errorToBool(readRegister(C, O, Number, 8 * C.getAddressSize(), V)) &&
         !errorToBool(formAddress(C, 0, V + Distance, L));
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
  Location Part = std::move(Result);
  while (true) {
    uint64_t Bytes;
    if (At == Expression.size() || Expression[At] != DW_OP_piece)
      return false;
    ++At;
    if (readLEB128(Expression, At, false, Bytes) != LEBStatus::Good ||
        Bytes == 0 || Bytes > UINT32_MAX)
      return false;
    const BitCount Size = BitCount(Bytes) * 8;
    Expected<std::optional<BitCount>> Whole = Part.getStorageSize(C);
    if (!Whole) {
      consumeError(Whole.takeError());
      return false;
    }
    if (Part.Offset < 0 || (*Whole && Part.Offset + Size > **Whole))
      return false;
    Storage->add(Begin, Begin + Size, std::move(Part));
    Begin += Size;
    if (At == Expression.size())
      break;
    Part = Location();
    if (Storage->Parts.size() >= O.MaxParts ||
        3 * Storage->Parts.size() >= O.MaxSteps ||
        !formSingle(Expression, At, C, O, Part))
      return false;
  }
  Result = Location::composite(std::move(Storage));
  return true;
}

namespace {
/// The stack of an expression whose entries are all of the generic type.
/// Arithmetic modulo 2^64 is also arithmetic modulo an address's size.
struct Numbers {
  static constexpr unsigned Most = 8;
  uint64_t Of[Most];
  unsigned Count = 0;

  bool push(uint64_t N) {
    if (Count == Most)
      return false;
    Of[Count++] = N;
    return true;
  }
};
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

static bool combine(uint8_t Code, Numbers &N) {
  if (N.Count < 2)
    return false;
  const uint64_t Y = N.Of[--N.Count];
  uint64_t &X = N.Of[N.Count - 1];
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
    if (Y >= 32)
      return false;
    X <<= Y;
    return true;
  default:
    return false;
  }
}

bool wavelane::location::evaluateStraight(ArrayRef<uint8_t> Expression,
                                          Context &C, ResultKind Kind,
                                          const EvaluationOptions &O,
                                          Entry &Result) {
  size_t First = 0;
  if (formSingle(Expression, First, C, O, Result.Location) &&
      (First == Expression.size() ||
       evaluatePieces(Expression, First, C, O, Result.Location)))
    return true;
  Result.Location = Location();
  // Upstream clang's operations depend on those around them, and the AMD text
  // tells values from locations.
  if (Kind != ResultKind::Location || O.Upstream.Enabled || O.Budget ||
      O.Dialect == Dialect::AMD || Expression.size() > O.MaxSteps ||
      Numbers::Most > O.MaxStack)
    return false;
  const unsigned Size = C.getAddressSize();
  Numbers N;
  size_t At = 0;
  while (At < Expression.size()) {
    const uint8_t Code = Expression[At++];
    bool Fits = false;
    uint64_t Operand;
    switch (Code) {
    case DW_OP_const1u:
      Fits = pushFixed<uint8_t>(Expression, At, N);
      break;
    case DW_OP_const1s:
      Fits = pushFixed<int8_t>(Expression, At, N);
      break;
    case DW_OP_const2u:
      Fits = pushFixed<uint16_t>(Expression, At, N);
      break;
    case DW_OP_const2s:
      Fits = pushFixed<int16_t>(Expression, At, N);
      break;
    case DW_OP_const4u:
      Fits = pushFixed<uint32_t>(Expression, At, N);
      break;
    case DW_OP_const4s:
      Fits = pushFixed<int32_t>(Expression, At, N);
      break;
    case DW_OP_const8u:
    case DW_OP_const8s:
      Fits = pushFixed<int64_t>(Expression, At, N);
      break;
    case DW_OP_constu:
    case DW_OP_consts:
      Fits = readLEB128(Expression, At, Code == DW_OP_consts, Operand) ==
                 LEBStatus::Good &&
             N.push(Operand);
      break;
    case DW_OP_plus_uconst:
      Fits = N.Count &&
             readLEB128(Expression, At, false, Operand) == LEBStatus::Good;
      if (Fits)
        N.Of[N.Count - 1] += Operand;
      break;
    case DW_OP_dup:
      Fits = N.Count && N.push(N.Of[N.Count - 1]);
      break;
    case DW_OP_swap:
      Fits = N.Count > 1;
      if (Fits)
        std::swap(N.Of[N.Count - 1], N.Of[N.Count - 2]);
      break;
    case DW_OP_stack_value: {
      if (At != Expression.size() || !N.Count)
        return false;
      uint8_t Bytes[sizeof(uint64_t)];
      support::endian::write64le(Bytes, N.Of[N.Count - 1]);
      Result.Location = Location::implicit(ArrayRef<uint8_t>(Bytes, Size));
      return true;
    }
    default:
      Fits = Code >= DW_OP_lit0 && Code <= DW_OP_lit31
                 ? N.push(Code - DW_OP_lit0)
                 : combine(Code, N);
      break;
    }
    if (!Fits)
      return false;
  }
  if (!N.Count)
    return false;
  uint64_t Address = N.Of[N.Count - 1];
  if (Size < sizeof(Address))
    Address &= maskTrailingOnes<uint64_t>(8 * Size);
  Result.Location = Location::memory(0, Address);
  Result.Location.Lane = C.getLane();
  Result.Location.Thread = C.getThread();
  return true;
}
