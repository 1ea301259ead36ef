//===-- Lanes.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Lanes.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <cstring>

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

namespace {
/// How a stack entry depends on the lane.
enum class Shape : uint8_t {
  SameValue,    ///< The same in every lane.
  LinearValue,  ///< Grows by the same step.
  SameLocation, ///< A register, or memory that all lanes share.
  LinearLocation,
  Composite, ///< Of parts that are locations.
};
} // namespace

bool wavelane::location::isLinearInLane(ArrayRef<uint8_t> Expression,
                                        const DecodeOptions &Options) {
  SmallVector<Shape, 8> Stack;
  auto IsValue = [](Shape S) {
    return S == Shape::SameValue || S == Shape::LinearValue;
  };
  for (size_t At = 0; At < Expression.size();) {
    Expected<Operation> Op = decode(Expression, At, Options);
    if (!Op) {
      consumeError(Op.takeError());
      return false;
    }
    At = Op->End;
    const OperationCode Code = Op->Code;
    if ((Code >= DW_OP_lit0 && Code <= DW_OP_lit31) ||
        (Code >= DW_OP_const1u && Code <= DW_OP_consts)) {
      Stack.push_back(Shape::SameValue);
      continue;
    }
    if ((Code >= DW_OP_reg0 && Code <= DW_OP_breg31) || Code == DW_OP_regx ||
        Code == DW_OP_bregx || Code == DW_OP_addr) {
      Stack.push_back(Shape::SameLocation);
      continue;
    }
    if (Code == OP_push_lane) {
      Stack.push_back(Shape::LinearValue);
      continue;
    }
    if (Stack.empty())
      return false;
    switch (Code) {
    case DW_OP_deref:
    case DW_OP_deref_size:
      if (Stack.back() != Shape::SameLocation)
        return false;
      Stack.back() = Shape::SameValue;
      continue;
    case DW_OP_plus_uconst:
      if (!IsValue(Stack.back()))
        return false;
      continue;
    case OP_offset_uconst:
      if (IsValue(Stack.back()))
        return false;
      continue;
    case DW_OP_piece: {
      const Shape Part = Stack.pop_back_val();
      if (Part != Shape::SameLocation && Part != Shape::LinearLocation)
        return false;
      if (Stack.empty())
        Stack.push_back(Shape::Composite);
      else if (Stack.size() > 1 || Stack.back() != Shape::Composite)
        return false;
      continue;
    }
    case OP_piece_end:
      if (Stack.back() != Shape::Composite || At != Expression.size())
        return false;
      continue;
    default:
      break;
    }
    if (Stack.size() < 2)
      return false;
    const Shape Top = Stack.pop_back_val();
    Shape &Below = Stack.back();
    if (!IsValue(Top))
      return false;
    switch (Code) {
    case DW_OP_plus:
    case DW_OP_minus:
      if (!IsValue(Below))
        return false;
      Below = std::max(Below, Top);
      continue;
    case DW_OP_mul:
      if (!IsValue(Below) ||
          (Below == Shape::LinearValue && Top == Shape::LinearValue))
        return false;
      Below = std::max(Below, Top);
      continue;
    case DW_OP_shl:
      if (!IsValue(Below) || Top != Shape::SameValue)
        return false;
      continue;
    case DW_OP_shr:
    case DW_OP_and:
      if (Below != Shape::SameValue || Top != Shape::SameValue)
        return false;
      continue;
    case OP_offset:
    case OP_bit_offset:
      if (Below != Shape::SameLocation && Below != Shape::LinearLocation)
        return false;
      Below = Shape::LinearLocation;
      continue;
    case OP_form_aspace_address:
      if (!IsValue(Below) || Top != Shape::SameValue)
        return false;
      // The space may have memory for each lane.
      Below = Shape::LinearLocation;
      continue;
    default:
      return false;
    }
  }
  return Stack.size() == 1 && !IsValue(Stack.back());
}

/// Whether \a Expression, as upstream clang means it, only names places whose
/// offsets grow by the same step from lane to lane: elements of vector
/// registers, scalar registers, frame slots and static variables, or pieces of
/// these.
static bool isLinearUpstream(ArrayRef<uint8_t> Expression, Context &C,
                             const DecodeOptions &Options) {
  size_t At = 0;
  auto Next = [&]() -> std::optional<Operation> {
    Expected<Operation> Op = decode(Expression, At, Options);
    if (!Op) {
      consumeError(Op.takeError());
      return std::nullopt;
    }
    At = Op->End;
    return *Op;
  };
  while (At < Expression.size()) {
    std::optional<Operation> Op = Next();
    if (!Op)
      return false;
    const OperationCode Code = Op->Code;
    // A register's contents are an address, unless they are a lane's element.
    bool NeedsSpace = false;
    if ((Code >= DW_OP_breg0 && Code <= DW_OP_breg31) || Code == DW_OP_bregx) {
      const bool IsIndexed = Code == DW_OP_bregx;
      unsigned ElementSize = 0;
      if (Op->Operands[IsIndexed] != 0 ||
          !C.isVectorRegister(IsIndexed ? Op->Operands[0] : Code - DW_OP_breg0,
                              ElementSize))
        return false;
      NeedsSpace = true;
    } else if (!(Code >= DW_OP_reg0 && Code <= DW_OP_reg31) &&
               Code != DW_OP_regx && Code != DW_OP_fbreg &&
               Code != DW_OP_addr) {
      return false;
    }
    bool HasSpace = false;
    if (At < Expression.size() && Expression[At] != DW_OP_piece) {
      Op = Next(); // constant; swap; xderef
      HasSpace = Op && ((Op->Code >= DW_OP_lit0 && Op->Code <= DW_OP_lit31) ||
                        Op->Code == DW_OP_const1u || Op->Code == DW_OP_constu);
      if (!HasSpace || At + 2 > Expression.size() ||
          Expression[At] != DW_OP_swap || Expression[At + 1] != DW_OP_xderef)
        return false;
      At += 2;
    }
    if (NeedsSpace && !HasSpace)
      return false;
    if (At == Expression.size())
      return true;
    Op = Next();
    if (!Op || Op->Code != DW_OP_piece)
      return false;
  }
  return At > 0;
}

//===-- Reading -----------------------------------------------------------===//

namespace {
/// A part of the object that is contiguous across lanes.
struct Strip {
  BitCount Begin; ///< Its first bit in the object.
  BitCount Bits;
  Location First;
  BitCount Step;
};
} // namespace

/// Adds the strip of a part, given its places in three lanes; the third one
/// proves the step.
static bool addStrip(SmallVectorImpl<Strip> &Strips, BitCount Begin,
                     BitCount Bits, const Location &First,
                     const Location &Second, const Location &Last,
                     uint32_t Lanes) {
  if ((First.Kind != StorageKind::Memory &&
       First.Kind != StorageKind::Register) ||
      First.Kind != Second.Kind || First.Kind != Last.Kind ||
      First.Number != Second.Number || First.Number != Last.Number)
    return false;
  const BitCount Step = Second.Offset - First.Offset;
  if (Last.Offset != First.Offset + Step * BitCount(Lanes - 1) ||
      (First.Offset | Step | Bits | Begin) % 8 != 0)
    return false;
  Strips.push_back({Begin, Bits, First, Step});
  return true;
}

static bool makeStrips(SmallVectorImpl<Strip> &Strips, const Location &First,
                       const Location &Second, const Location &Last,
                       uint32_t Lanes, BitCount Bits) {
  if (First.Kind != StorageKind::Composite)
    return addStrip(Strips, 0, Bits, First, Second, Last, Lanes);
  if (Second.Kind != First.Kind || Last.Kind != First.Kind || First.Offset ||
      Second.Offset || Last.Offset)
    return false;
  const auto &A = First.getComposite()->Parts;
  const auto &B = Second.getComposite()->Parts;
  const auto &C = Last.getComposite()->Parts;
  if (A.size() != B.size() || A.size() != C.size() ||
      First.getComposite()->getSize() < Bits)
    return false;
  for (size_t I = 0; I < A.size() && A[I].Begin < Bits; ++I)
    if (A[I].Begin != B[I].Begin || A[I].End != B[I].End ||
        A[I].Begin != C[I].Begin || A[I].End != C[I].End ||
        !addStrip(Strips, A[I].Begin, std::min(A[I].End, Bits) - A[I].Begin,
                  A[I].Place, B[I].Place, C[I].Place, Lanes))
      return false;
  return true;
}

/// Whether all lanes have the same storage.
static bool isShared(const Location &L, Context &C) {
  if (L.Kind == StorageKind::Register)
    return true;
  std::optional<wavelane::location::AddressSpace> Space =
      C.getAddressSpace(L.Number);
  return Space && !Space->IsPerLane;
}

/// \return False if the lanes differ, or something can't be read.
static bool readStrips(ArrayRef<Strip> Strips, uint32_t Lanes, size_t Size,
                       function_ref<Context &(uint32_t)> ContextOf,
                       MutableArrayRef<uint8_t> Into) {
  std::vector<uint8_t> Row;
  for (const Strip &S : Strips) {
    const size_t Bytes = size_t(S.Bits / 8), Begin = size_t(S.Begin / 8);
    const BitCount Extent = S.Step / 8 * (Lanes - 1) + S.Bits / 8;
    if (S.First.Kind == StorageKind::Register && S.Step >= S.Bits &&
        Extent <= 1 << 16) {
      // Read all elements at once.
      Row.resize(size_t(Extent));
      Location Elements = S.First;
      Elements.ElementBytes = 0;
      if (errorToBool(Elements.read(ContextOf(0), Extent * 8, Row)))
        return false;
      for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
        memcpy(&Into[Lane * Size + Begin], &Row[Lane * size_t(S.Step / 8)],
               Bytes);
      continue;
    }
    if (S.Step == 0 && isShared(S.First, ContextOf(0))) {
      if (errorToBool(
              S.First.read(ContextOf(0), S.Bits, Into.slice(Begin, Bytes))))
        return false;
      for (uint32_t Lane = 1; Lane < Lanes; ++Lane)
        memcpy(&Into[Lane * Size + Begin], &Into[Begin], Bytes);
      continue;
    }
    for (uint32_t Lane = 0; Lane < Lanes; ++Lane) {
      Context &C = ContextOf(Lane);
      const BitCount At = S.First.Offset + S.Step * BitCount(Lane);
      const MutableArrayRef<uint8_t> Place =
          Into.slice(Lane * Size + Begin, Bytes);
      if (S.First.Kind == StorageKind::Memory && At >= 0) {
        if (errorToBool(C.readMemory(S.First.Number, C.getLane(),
                                     S.First.Thread, uint64_t(At / 8), Place)))
          return false;
        continue;
      }
      Location L = S.First;
      L.Offset = At;
      L.Lane = C.getLane();
      if (errorToBool(L.read(C, S.Bits, Place)))
        return false;
    }
  }
  return true;
}

void wavelane::location::readLanes(
    ArrayRef<uint8_t> Expression, uint32_t Lanes,
    function_ref<Context &(uint32_t)> ContextOf, size_t Size,
    function_ref<void(uint32_t, Expected<ArrayRef<uint8_t>>)> Found,
    const EvaluationOptions &Options) {
  std::vector<uint8_t> Bytes;
  if (Lanes > 3 && Size > 0) {
    DecodeOptions Decode = Options.Decode;
    Decode.AddressSize = uint8_t(ContextOf(0).getAddressSize());
    if (Options.Upstream.Enabled
            ? isLinearUpstream(Expression, ContextOf(0), Decode)
            : isLinearInLane(Expression, Decode)) {
      SmallVector<Location, 3> Places;
      for (uint32_t Lane : {0u, 1u, Lanes - 1}) {
        Expected<Entry> E = evaluate(Expression, ContextOf(Lane),
                                     ResultKind::Location, Options);
        if (!E) {
          consumeError(E.takeError());
          break;
        }
        Places.push_back(std::move(E->Location));
      }
      SmallVector<Strip, 4> Strips;
      Bytes.resize(Places.size() == 3 ? Lanes * Size : 0);
      if (Places.size() == 3 &&
          makeStrips(Strips, Places[0], Places[1], Places[2], Lanes,
                     BitCount(Size) * 8) &&
          readStrips(Strips, Lanes, Size, ContextOf, Bytes)) {
        for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
          Found(Lane, ArrayRef<uint8_t>(Bytes).slice(Lane * Size, Size));
        return;
      }
    }
  }
  // Read lane by lane: each has its own result or error.
  Bytes.assign(Size, 0);
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane) {
    Context &C = ContextOf(Lane);
    Expected<Entry> E = evaluate(Expression, C, ResultKind::Location, Options);
    if (!E) {
      Found(Lane, E.takeError());
    } else if (Error Bad = E->Location.read(C, BitCount(Size) * 8, Bytes)) {
      Found(Lane, std::move(Bad));
    } else {
      Found(Lane, ArrayRef<uint8_t>(Bytes));
    }
  }
}
