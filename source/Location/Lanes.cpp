//===-- Lanes.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Lanes.h"
#include "Forming.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

namespace {
/// A part of the object that is at the same distance from lane to lane.
struct Strip {
  BitCount Begin = 0; ///< Its first bit in the object.
  BitCount Bits = 0;
  Location First; ///< In lane 0.
  BitCount Step = 0;
};

//===-- One evaluation for all lanes --------------------------------------===//

/// Evaluates an expression in all lanes at once, if each entry of its stack is
/// the same in every lane or grows by the same step from lane to lane. Gives up
/// on everything else, and on errors.
class LinearMachine {
public:
  /// \param C  The context of lane 0.
  LinearMachine(Context &C, uint32_t Lanes, const EvaluationOptions &O)
      : C(C), Last(Lanes - 1), O(O), Decode(O.Decode) {
    Decode.AddressSize = AddressSize;
  }

  /// \param Bits  The object's size.
  bool run(ArrayRef<uint8_t> Expression, BitCount Bits,
           SmallVectorImpl<Strip> &Strips);

private:
  /// Values are 64 bits wide, and wrap around.
  static constexpr uint8_t AddressSize = 8;

  struct Linear {
    bool IsValue = false;
    uint64_t Base = 0, Growth = 0; ///< A value, in lane 0, and its step.
    Location First;                ///< A location, in lane 0.
    BitCount Step = 0;
  };

  bool step(const Operation &Op);
  bool pushValue(uint64_t Base, uint64_t Growth = 0);
  bool pushLocation(Location L);
  bool pushRelative(uint64_t Number, uint64_t Distance);
  bool dereference(uint64_t Size);
  bool combine(OperationCode Code);
  bool move(Linear &L, BitCount Bits, BitCount Growth);
  bool formSpaceAddress();
  bool addPiece(uint64_t Bytes);
  bool isInside(const Location &First, BitCount Step, BitCount Bits);

  Context &C;
  const BitCount Last; ///< The last lane.
  const EvaluationOptions &O;
  DecodeOptions Decode;
  SmallVector<Linear, 4> Stack;
  SmallVector<Strip, 2> Parts;
  BitCount End = 0; ///< Of the parts.
};
} // namespace

bool LinearMachine::pushValue(uint64_t Base, uint64_t Growth) {
  Linear &Top = Stack.emplace_back();
  Top.IsValue = true;
  Top.Base = Base;
  Top.Growth = Growth;
  return true;
}

bool LinearMachine::pushLocation(Location L) {
  Stack.emplace_back().First = std::move(L);
  return true;
}

bool LinearMachine::pushRelative(uint64_t Number, uint64_t Distance) {
  uint64_t V;
  return !errorToBool(readRegister(C, O, Number, 8 * AddressSize, V)) &&
         !errorToBool(
             formAddress(C, 0, V + Distance, Stack.emplace_back().First));
}

/// Whether all lanes have the same storage.
static bool isShared(const Location &L, Context &C) {
  if (L.Kind == StorageKind::Register)
    return true;
  std::optional<wavelane::location::AddressSpace> Space =
      C.getAddressSpace(L.Number);
  return Space && !Space->IsPerLane;
}

bool LinearMachine::dereference(uint64_t Size) {
  uint8_t Buffer[8] = {};
  Linear &Top = Stack.back();
  if (Top.IsValue || Top.Step != 0 || Size == 0 || Size > sizeof(Buffer) ||
      !isShared(Top.First, C) ||
      errorToBool(Top.First.read(C, BitCount(Size) * 8,
                                 MutableArrayRef<uint8_t>(Buffer, Size))))
    return false;
  Stack.pop_back();
  return pushValue(support::endian::read64le(Buffer));
}

bool LinearMachine::combine(OperationCode Code) {
  if (Stack.size() < 2 || !Stack.back().IsValue)
    return false;
  const uint64_t Y = Stack.back().Base, Growth = Stack.back().Growth;
  Linear &X = Stack[Stack.size() - 2];
  if (Code == OP_offset || Code == OP_bit_offset) {
    // The sum of all steps is a number of the generic type, too.
    const BitCount Unit = Code == OP_offset ? 8 : 1;
    const BitCount Sum = BitCount(int64_t(Y)) + Last * int64_t(Growth);
    Stack.pop_back();
    return !X.IsValue && Sum >= INT64_MIN && Sum <= INT64_MAX &&
           move(X, int64_t(Y) * Unit, int64_t(Growth) * Unit);
  }
  if (!X.IsValue)
    return false;
  switch (Code) {
  case DW_OP_plus:
    X.Base += Y;
    X.Growth += Growth;
    break;
  case DW_OP_minus:
    X.Base -= Y;
    X.Growth -= Growth;
    break;
  case DW_OP_mul:
    if (X.Growth != 0 && Growth != 0)
      return false;
    X.Growth = X.Growth * Y + X.Base * Growth;
    X.Base *= Y;
    break;
  case DW_OP_shl:
    if (Growth != 0 || Y >= 64)
      return false;
    X.Base <<= Y;
    X.Growth <<= Y;
    break;
  case DW_OP_shr:
  case DW_OP_and:
    if (X.Growth != 0 || Growth != 0 || (Code == DW_OP_shr && Y >= 64))
      return false;
    X.Base = Code == DW_OP_and ? X.Base & Y : X.Base >> Y;
    break;
  default:
    return false;
  }
  Stack.pop_back();
  return true;
}

/// Whether the next \a Bits bits are in the storage, in every lane.
bool LinearMachine::isInside(const Location &First, BitCount Step,
                             BitCount Bits) {
  Expected<std::optional<BitCount>> Size = First.getStorageSize(C);
  if (!Size) {
    consumeError(Size.takeError());
    return false;
  }
  const BitCount At = First.Offset, AtLast = At + Last * Step;
  return std::min(At, AtLast) >= 0 &&
         (!*Size || std::max(At, AtLast) + Bits <= **Size);
}

bool LinearMachine::move(Linear &L, BitCount Bits, BitCount Growth) {
  L.First.Offset += Bits;
  L.Step += Growth;
  return isInside(L.First, L.Step, 1);
}

/// The space is on top, the address below it.
bool LinearMachine::formSpaceAddress() {
  if (Stack.size() < 2 || !Stack.back().IsValue || Stack.back().Growth != 0)
    return false;
  const uint64_t Number = Stack.pop_back_val().Base;
  Linear &Top = Stack.back();
  const std::optional<wavelane::location::AddressSpace> Space =
      C.getAddressSpace(Number);
  if (!Top.IsValue || !Space)
    return false;
  // Addresses that wrap around grow by another step there.
  const BitCount Limit = BitCount(1) << Space->AddressBits;
  const BitCount AtLast = BitCount(Top.Base) + Last * int64_t(Top.Growth);
  if (BitCount(Top.Base) >= Limit || AtLast < 0 || AtLast >= Limit)
    return false;
  Top.IsValue = false;
  Top.Step = BitCount(int64_t(Top.Growth)) * 8;
  return !errorToBool(formAddress(C, Number, Top.Base, Top.First));
}

bool LinearMachine::addPiece(uint64_t Bytes) {
  const BitCount Bits = BitCount(Bytes) * 8;
  if (Stack.size() != 1 || Stack.back().IsValue || Bytes == 0 ||
      Bytes > UINT32_MAX || Parts.size() >= O.MaxParts)
    return false;
  Linear Part = Stack.pop_back_val();
  if (!isInside(Part.First, Part.Step, Bits))
    return false;
  Parts.push_back({End, Bits, std::move(Part.First), Part.Step});
  End += Bits;
  return true;
}

bool LinearMachine::step(const Operation &Op) {
  const OperationCode Code = Op.Code;
  if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31)
    return pushValue(Code - DW_OP_lit0);
  if (Code >= DW_OP_const1u && Code <= DW_OP_consts)
    return pushValue(Op.Operands[0]);
  if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31)
    return pushRelative(Code - DW_OP_breg0, Op.Operands[0]);
  if ((Code >= DW_OP_reg0 && Code <= DW_OP_reg31) || Code == DW_OP_regx) {
    formRegister(C, Code == DW_OP_regx ? Op.Operands[0] : Code - DW_OP_reg0,
                 Stack.emplace_back().First);
    return true;
  }
  switch (Code) {
  case DW_OP_bregx:
    return pushRelative(Op.Operands[0], Op.Operands[1]);
  case DW_OP_addr: {
    Expected<uint64_t> Address = C.getLoadAddress(Op.Operands[0]);
    if (!Address) {
      consumeError(Address.takeError());
      return false;
    }
    return !errorToBool(
        formAddress(C, 0, *Address, Stack.emplace_back().First));
  }
  case OP_push_lane:
    return C.getLane() == 0u && C.getLaneCount() > Last && pushValue(0, 1);
  default:
    break;
  }
  if (Stack.empty())
    return false;
  Linear &Top = Stack.back();
  switch (Code) {
  case DW_OP_deref:
    return dereference(AddressSize);
  case DW_OP_deref_size:
    return dereference(Op.Operands[0]);
  case DW_OP_plus_uconst:
    Top.Base += Op.Operands[0];
    return Top.IsValue;
  case OP_offset_uconst:
    return !Top.IsValue && move(Top, BitCount(Op.Operands[0]) * 8, 0);
  case OP_form_aspace_address:
    return formSpaceAddress();
  case DW_OP_piece:
    return addPiece(Op.Operands[0]);
  default:
    return combine(Code);
  }
}

bool LinearMachine::run(ArrayRef<uint8_t> Expression, BitCount Bits,
                        SmallVectorImpl<Strip> &Strips) {
  constexpr size_t MaxStack = 8;
  if (C.getAddressSize() != AddressSize || O.MaxStack < MaxStack ||
      Expression.size() > O.MaxSteps)
    return false;
  for (size_t At = 0; At < Expression.size();) {
    Operation Op;
    if (errorToBool(decode(Expression, At, Decode, Op)))
      return false;
    At = Op.End;
    if (Op.Code == OP_piece_end && At == Expression.size() && Stack.empty())
      break;
    if (!step(Op) || Stack.size() > MaxStack)
      return false;
  }
  if (Parts.empty() && Stack.size() == 1 && !Stack.back().IsValue &&
      isInside(Stack.back().First, Stack.back().Step, Bits))
    Parts.push_back(
        {0, End = Bits, std::move(Stack.back().First), Stack.back().Step});
  else if (!Stack.empty() || End < Bits)
    return false;
  for (Strip &Part : Parts) {
    if (Part.Begin >= Bits)
      break;
    Part.Bits = std::min(Part.Bits, Bits - Part.Begin);
    if ((Part.First.Offset | Part.Step) % 8 != 0)
      return false;
    Strips.push_back(std::move(Part));
  }
  return true;
}

//===-- What upstream clang means -----------------------------------------===//

/// Whether \a Expression, as upstream clang means it, only names places whose
/// offsets grow by the same step from lane to lane: elements of vector
/// registers, scalar registers, frame slots and static variables, or pieces of
/// these.
/// \param[out] UsesFrame  Whether there are frame slots.
static bool isLinearUpstream(ArrayRef<uint8_t> Expression, Context &C,
                             const DecodeOptions &Options, bool &UsesFrame) {
  size_t At = 0;
  UsesFrame = false;
  auto Next = [&]() -> std::optional<Operation> {
    Operation Op;
    if (errorToBool(decode(Expression, At, Options, Op)))
      return std::nullopt;
    At = Op.End;
    return Op;
  };
  while (At < Expression.size()) {
    std::optional<Operation> Op = Next();
    if (!Op)
      return false;
    const OperationCode Code = Op->Code;
    UsesFrame |= Code == DW_OP_fbreg;
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

/// The strip of a place that an expression of upstream clang names.
static bool addUpstreamStrip(const Location &Place, BitCount Begin,
                             BitCount Bits, uint32_t Lanes, Context &C,
                             SmallVectorImpl<Strip> &Strips) {
  const BitCount Step = BitCount(Place.ElementBytes) * 8;
  if ((Place.Kind != StorageKind::Memory &&
       Place.Kind != StorageKind::Register) ||
      (Step != 0 && (Place.Offset != 0 || Bits > Step)) ||
      Place.Offset % 8 != 0 || Bits % 8 != 0)
    return false;
  Location Whole = Place;
  Whole.ElementBytes = 0;
  Expected<std::optional<BitCount>> Size = Whole.getStorageSize(C);
  if (!Size) {
    consumeError(Size.takeError());
    return false;
  }
  if (*Size && Place.Offset + Step * BitCount(Lanes - 1) + Bits > **Size)
    return false;
  Strips.push_back({Begin, Bits, std::move(Whole), Step});
  return true;
}

static bool isSamePlace(Expected<Location> A, Expected<Location> B) {
  if (A && B)
    return A->Kind == B->Kind && A->Number == B->Number &&
           A->Offset == B->Offset;
  consumeError(A.takeError());
  consumeError(B.takeError());
  return false;
}

static bool evaluateUpstream(ArrayRef<uint8_t> Expression, uint32_t Lanes,
                             function_ref<Context &(uint32_t)> ContextOf,
                             BitCount Bits, const EvaluationOptions &O,
                             SmallVectorImpl<Strip> &Strips) {
  DecodeOptions Decode = O.Decode;
  Decode.AddressSize = uint8_t(ContextOf(0).getAddressSize());
  bool UsesFrame;
  if (ContextOf(0).getLane() != 0u ||
      !isLinearUpstream(Expression, ContextOf(0), Decode, UsesFrame))
    return false;
  // The frame's own expression may depend on the lane.
  if (UsesFrame)
    for (uint32_t Lane : {1u, Lanes - 1}) {
      Expected<Location> Base = ContextOf(0).getFrameBase();
      if (!isSamePlace(std::move(Base), ContextOf(Lane).getFrameBase()))
        return false;
    }
  Context &C = ContextOf(0);
  Expected<Entry> E = evaluate(Expression, C, ResultKind::Location, O);
  if (!E) {
    consumeError(E.takeError());
    return false;
  }
  const Location &L = E->Location;
  const CompositeStorage *Composite = L.getComposite();
  if (!Composite)
    return addUpstreamStrip(L, 0, Bits, Lanes, C, Strips);
  if (L.Kind != StorageKind::Composite || L.Offset != 0 ||
      Composite->getSize() < Bits)
    return false;
  for (const CompositeStorage::Part &Part : Composite->Parts)
    if (Part.Begin < Bits &&
        !addUpstreamStrip(Part.Place, Part.Begin,
                          std::min(Part.End, Bits) - Part.Begin, Lanes, C,
                          Strips))
      return false;
  return true;
}

//===-- Reading -----------------------------------------------------------===//

/// Puts \a Bytes bytes of each lane, which are \a Distance bytes apart in
/// \a From, \a Size bytes apart.
static void spread(ArrayRef<uint8_t> From, size_t Distance, uint32_t Lanes,
                   size_t Bytes, size_t Size, uint8_t *Into) {
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
    memcpy(Into + Lane * Size, From.data() + Lane * Distance, Bytes);
}

/// \param C  The context of lane 0.
/// \return False if something can't be read.
static bool readStrip(const Strip &S, uint32_t Lanes, size_t Size, Context &C,
                      MutableArrayRef<uint8_t> Into) {
  const Location &First = S.First;
  const size_t Bytes = size_t(S.Bits / 8), Begin = size_t(S.Begin / 8);
  uint8_t *const Out = Into.data() + Begin;
  std::vector<uint8_t> Row;
  if (S.Step == 0 && isShared(First, C)) {
    if (errorToBool(First.read(C, S.Bits, Into.slice(Begin, Bytes))))
      return false;
    for (uint32_t Lane = 1; Lane < Lanes; ++Lane)
      memcpy(Out + Lane * Size, Out, Bytes);
    return true;
  }
  const BitCount Extent = S.Step * BitCount(Lanes - 1) + S.Bits;
  if (First.Kind == StorageKind::Register && S.Step >= S.Bits &&
      Extent <= 8 << 16) {
    // All elements at once.
    if (S.Step == S.Bits && Bytes == Size)
      return !errorToBool(First.read(C, Extent, Into));
    Row.resize(size_t(Extent / 8));
    if (errorToBool(First.read(C, Extent, Row)))
      return false;
    spread(Row, size_t(S.Step / 8), Lanes, Bytes, Size, Out);
    return true;
  }
  if (First.Kind == StorageKind::Memory && S.Step == 0) {
    const uint64_t Address = uint64_t(First.Offset / 8);
    if (Bytes == Size)
      return !errorToBool(C.readMemoryInLanes(First.Number, Lanes, First.Thread,
                                              Address, Into));
    Row.resize(Bytes * Lanes);
    if (errorToBool(C.readMemoryInLanes(First.Number, Lanes, First.Thread,
                                        Address, Row)))
      return false;
    spread(Row, Bytes, Lanes, Bytes, Size, Out);
    return true;
  }
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane) {
    Location L = First;
    L.Offset += S.Step * BitCount(Lane);
    L.Lane = Lane;
    if (errorToBool(L.read(C, S.Bits, Into.slice(Lane * Size + Begin, Bytes))))
      return false;
  }
  return true;
}

void wavelane::location::readLanes(ArrayRef<uint8_t> Expression, uint32_t Lanes,
                                   function_ref<Context &(uint32_t)> ContextOf,
                                   size_t Size, MutableArrayRef<uint8_t> Into,
                                   function_ref<void(uint32_t, Error)> Failed,
                                   const EvaluationOptions &Options) {
  const BitCount Bits = BitCount(Size) * 8;
  if (Lanes > 1 && Size > 0) {
    SmallVector<Strip, 2> Strips;
    if (Options.Upstream.Enabled
            ? evaluateUpstream(Expression, Lanes, ContextOf, Bits, Options,
                               Strips)
            : LinearMachine(ContextOf(0), Lanes, Options)
                  .run(Expression, Bits, Strips)) {
      Context &C = ContextOf(0);
      if (all_of(Strips, [&](const Strip &S) {
            return readStrip(S, Lanes, Size, C, Into);
          }))
        return;
    }
  }
  // Lane by lane: each has its own result or error.
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane) {
    Context &C = ContextOf(Lane);
    Expected<Entry> E = evaluate(Expression, C, ResultKind::Location, Options);
    if (!E)
      Failed(Lane, E.takeError());
    else if (Error Bad =
                 E->Location.read(C, Bits, Into.slice(Lane * Size, Size)))
      Failed(Lane, std::move(Bad));
  }
}
