//===-- Operation.cpp -----------------------------------------------------===//

#include "wavelane/Location/Operation.h"
#include "LEB128.h"
#include "wavelane/Location/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LEB128.h"
#include <array>

using namespace llvm;
using namespace wavelane::location;

//===-- The table ---------------------------------------------------------===//

using K = OperandKind;

// DWARF 5 section 7.7.1, with GNU's older codes; lit, reg and breg are added by
// makeTable.
static constexpr OperationInfo Plain[] = {
    {0x03, "DW_OP_addr", {K::Address}},
    {0x06, "DW_OP_deref"},
    {0x08, "DW_OP_const1u", {K::U1}},
    {0x09, "DW_OP_const1s", {K::S1}},
    {0x0a, "DW_OP_const2u", {K::U2}},
    {0x0b, "DW_OP_const2s", {K::S2}},
    {0x0c, "DW_OP_const4u", {K::U4}},
    {0x0d, "DW_OP_const4s", {K::S4}},
    {0x0e, "DW_OP_const8u", {K::U8}},
    {0x0f, "DW_OP_const8s", {K::S8}},
    {0x10, "DW_OP_constu", {K::ULEB}},
    {0x11, "DW_OP_consts", {K::SLEB}},
    {0x12, "DW_OP_dup"},
    {0x13, "DW_OP_drop"},
    {0x14, "DW_OP_over"},
    {0x15, "DW_OP_pick", {K::U1}},
    {0x16, "DW_OP_swap"},
    {0x17, "DW_OP_rot"},
    {0x18, "DW_OP_xderef"},
    {0x19, "DW_OP_abs"},
    {0x1a, "DW_OP_and"},
    {0x1b, "DW_OP_div"},
    {0x1c, "DW_OP_minus"},
    {0x1d, "DW_OP_mod"},
    {0x1e, "DW_OP_mul"},
    {0x1f, "DW_OP_neg"},
    {0x20, "DW_OP_not"},
    {0x21, "DW_OP_or"},
    {0x22, "DW_OP_plus"},
    {0x23, "DW_OP_plus_uconst", {K::ULEB}},
    {0x24, "DW_OP_shl"},
    {0x25, "DW_OP_shr"},
    {0x26, "DW_OP_shra"},
    {0x27, "DW_OP_xor"},
    {0x28, "DW_OP_bra", {K::BranchS2}},
    {0x29, "DW_OP_eq"},
    {0x2a, "DW_OP_ge"},
    {0x2b, "DW_OP_gt"},
    {0x2c, "DW_OP_le"},
    {0x2d, "DW_OP_lt"},
    {0x2e, "DW_OP_ne"},
    {0x2f, "DW_OP_skip", {K::BranchS2}},
    {0x90, "DW_OP_regx", {K::ULEB}},
    {0x91, "DW_OP_fbreg", {K::SLEB}},
    {0x92, "DW_OP_bregx", {K::ULEB, K::SLEB}},
    {0x93, "DW_OP_piece", {K::ULEB}},
    {0x94, "DW_OP_deref_size", {K::U1}},
    {0x95, "DW_OP_xderef_size", {K::U1}},
    {0x96, "DW_OP_nop"},
    {0x97, "DW_OP_push_object_address"},
    {0x98, "DW_OP_call2", {K::U2}},
    {0x99, "DW_OP_call4", {K::U4}},
    {0x9a, "DW_OP_call_ref", {K::Offset}},
    {0x9b, "DW_OP_form_tls_address"},
    {0x9c, "DW_OP_call_frame_cfa"},
    {0x9d, "DW_OP_bit_piece", {K::ULEB, K::ULEB}},
    {0x9e, "DW_OP_implicit_value", {K::Block}},
    {0x9f, "DW_OP_stack_value"},
    {0xa0, "DW_OP_implicit_pointer", {K::Offset, K::SLEB}},
    {0xa1, "DW_OP_addrx", {K::ULEB}},
    {0xa2, "DW_OP_constx", {K::ULEB}},
    {0xa3, "DW_OP_entry_value", {K::Expression}},
    {0xa4, "DW_OP_const_type", {K::TypeULEB, K::TypedConst}},
    {0xa5, "DW_OP_regval_type", {K::ULEB, K::TypeULEB}},
    {0xa6, "DW_OP_deref_type", {K::U1, K::TypeULEB}},
    {0xa7, "DW_OP_xderef_type", {K::U1, K::TypeULEB}},
    {0xa8, "DW_OP_convert", {K::TypeULEB}},
    {0xa9, "DW_OP_reinterpret", {K::TypeULEB}},
    {0xe0, "DW_OP_GNU_push_tls_address"},
    {0xf2, "DW_OP_GNU_implicit_pointer", {K::Offset, K::SLEB}},
    {0xf3, "DW_OP_GNU_entry_value", {K::Expression}},
    {OP_LLVM_nop, "DW_OP_LLVM_nop"},
    {OP_form_aspace_address, "DW_OP_LLVM_form_aspace_address"},
    {OP_push_lane, "DW_OP_LLVM_push_lane"},
    {OP_offset, "DW_OP_LLVM_offset"},
    {OP_offset_uconst, "DW_OP_LLVM_offset_uconst", {K::ULEB}},
    {OP_bit_offset, "DW_OP_LLVM_bit_offset"},
    {OP_call_frame_entry_reg, "DW_OP_LLVM_call_frame_entry_reg", {K::ULEB}},
    {OP_undefined, "DW_OP_LLVM_undefined"},
    {OP_aspace_bregx, "DW_OP_LLVM_aspace_bregx", {K::ULEB, K::SLEB}},
    {OP_piece_end, "DW_OP_LLVM_piece_end"},
    {OP_extend, "DW_OP_LLVM_extend", {K::ULEB, K::ULEB}},
    {OP_select_bit_piece, "DW_OP_LLVM_select_bit_piece", {K::ULEB, K::ULEB}},
    {OP_push_iteration, "DW_OP_LLVM_push_iteration"},
    {OP_LLVM_overlay, "DW_OP_LLVM_overlay"},
    {OP_LLVM_bit_overlay, "DW_OP_LLVM_bit_overlay"},
    {OP_aspace_implicit_pointer,
     "DW_OP_LLVM_aspace_implicit_pointer",
     {K::Offset, K::SLEB}},
    {OP_composite, "DW_OP_composite"},
    {OP_overlay, "DW_OP_overlay"},
    {OP_bit_overlay, "DW_OP_bit_overlay"},
    {OP_mem, "DW_OP_mem"},
    {OP_multiloc, "DW_OP_multiloc"},
    {OP_object_map, "DW_OP_object_map", {K::Offset}},
};

// Other names of the same operations: DWARF 6's, and the extension's without LLVM.
static constexpr struct {
  const char *Alias;
  const char *Name;
} Aliases[] = {
    {"DW_OP_push_object_location", "DW_OP_push_object_address"},
    {"DW_OP_form_tls_location", "DW_OP_form_tls_address"},
    {"DW_OP_offset", "DW_OP_LLVM_offset"},
    {"DW_OP_offset_uconst", "DW_OP_LLVM_offset_uconst"},
    {"DW_OP_bit_offset", "DW_OP_LLVM_bit_offset"},
    {"DW_OP_undefined", "DW_OP_LLVM_undefined"},
    {"DW_OP_push_lane", "DW_OP_LLVM_push_lane"},
    {"DW_OP_push_iteration", "DW_OP_LLVM_push_iteration"},
    {"DW_OP_aspace_bregx", "DW_OP_LLVM_aspace_bregx"},
    {"DW_OP_form_aspace_address", "DW_OP_LLVM_form_aspace_address"},
    {"DW_OP_piece_end", "DW_OP_LLVM_piece_end"},
    {"DW_OP_extend", "DW_OP_LLVM_extend"},
    {"DW_OP_select_bit_piece", "DW_OP_LLVM_select_bit_piece"},
    {"DW_OP_call_frame_entry_reg", "DW_OP_LLVM_call_frame_entry_reg"},
    {"DW_OP_aspace_implicit_pointer", "DW_OP_LLVM_aspace_implicit_pointer"},
    {"DW_OP_aspace_deref", "DW_OP_xderef"},
    {"DW_OP_aspace_deref_size", "DW_OP_xderef_size"},
    {"DW_OP_aspace_deref_type", "DW_OP_xderef_type"},
    {"DW_OP_call", "DW_OP_call4"},
    {"DW_OP_LLVM_mem", "DW_OP_mem"},
};

namespace {
struct Table {
  std::array<OperationInfo, 256> Byte = {};
  std::array<std::string, 96> Names;
  StringMap<const OperationInfo *> ByName;

  Table() {
    for (const OperationInfo &Info : Plain) {
      if (Info.Code < 256)
        Byte[Info.Code] = Info;
    }
    for (unsigned I = 0; I < 32; ++I) {
      Names[I] = "DW_OP_lit" + std::to_string(I);
      Names[32 + I] = "DW_OP_reg" + std::to_string(I);
      Names[64 + I] = "DW_OP_breg" + std::to_string(I);
      Byte[0x30 + I] = {0x30 + I, Names[I].c_str()};
      Byte[0x50 + I] = {0x50 + I, Names[32 + I].c_str()};
      Byte[0x70 + I] = {0x70 + I, Names[64 + I].c_str(), {K::SLEB}};
    }
    for (const OperationInfo &Info : Byte)
      if (Info.Name)
        ByName[Info.Name] = &Info;
    for (const OperationInfo &Info : Plain)
      if (Info.Code & UserBit)
        ByName[Info.Name] = &Info;
    for (const auto &Alias : Aliases)
      ByName[Alias.Alias] = ByName[Alias.Name];
  }
};
} // namespace

static const Table &getTable() {
  static const Table T;
  return T;
}

/// The extension's own operations are dense, and looked up as often as any.
static const OperationInfo *findUser(OperationCode Code) {
  static const std::array<const OperationInfo *, 16> Dense = [] {
    std::array<const OperationInfo *, 16> D = {};
    for (const OperationInfo &Info : Plain)
      if ((Info.Code & UserBit) && (Info.Code & ~UserBit) < D.size())
        D[Info.Code & ~UserBit] = &Info;
    return D;
  }();
  const OperationCode Sub = Code & ~UserBit;
  if (Sub < Dense.size())
    return Dense[Sub];
  for (const OperationInfo &Info : Plain)
    if (Info.Code == Code)
      return &Info;
  return nullptr;
}

const OperationInfo *wavelane::location::findOperation(OperationCode Code) {
  if (Code < 256) {
    const OperationInfo &Info = getTable().Byte[Code];
    return Info.Name ? &Info : nullptr;
  }
  return findUser(Code);
}

const OperationInfo *wavelane::location::findOperation(StringRef Name) {
  const Table &T = getTable();
  auto It = T.ByName.find(Name);
  return It == T.ByName.end() ? nullptr : It->second;
}

//===-- Decoding ----------------------------------------------------------===//

// The user operation that a direct code stands for, or 0.
static OperationCode getDirect(uint8_t Code, const DecodeOptions &Options) {
  if (Code < 0xe1 || !Options.DirectCodes)
    return 0;
  switch (Code) {
  case 0xe1: return OP_form_aspace_address;
  case 0xe2: return OP_push_lane;
  case 0xe3: return OP_offset;
  case 0xe4: return OP_offset_uconst;
  case 0xe5: return OP_bit_offset;
  case 0xe6: return OP_call_frame_entry_reg;
  case 0xe7: return OP_undefined;
  case 0xe8: return OP_aspace_bregx;
  case 0xe9: return Options.DirectE9 ? OP_aspace_implicit_pointer : 0;
  case 0xea: return OP_piece_end;
  case 0xeb: return OP_extend;
  case 0xec: return OP_select_bit_piece;
  default: return 0;
  }
}

namespace {
/// Reads operands; the first failure sticks.
struct Reader {
  ArrayRef<uint8_t> Bytes;
  size_t At;
  const char *Problem = nullptr;

  uint64_t fixed(unsigned Size, bool IsSigned) {
    if (Bytes.size() - At < Size) {
      Problem = "is cut off";
      return 0;
    }
    uint64_t V = 0;
    for (unsigned I = 0; I < Size; ++I)
      V |= uint64_t(Bytes[At + I]) << (8 * I);
    At += Size;
    if (IsSigned && Size < 8 && (V >> (8 * Size - 1)) & 1)
      V |= ~uint64_t(0) << (8 * Size);
    return V;
  }
  uint64_t leb(bool IsSigned) {
    uint64_t V = 0;
    switch (readLEB128(Bytes, At, IsSigned, V)) {
    case LEBStatus::Good: return V;
    case LEBStatus::CutOff: Problem = "is cut off"; return 0;
    case LEBStatus::TooBig: Problem = "has a number beyond 64 bits"; return 0;
    }
    llvm_unreachable("a status");
  }
  ArrayRef<uint8_t> block(uint64_t Size) {
    if (Problem)
      return {};
    if (Size > Bytes.size() - At) {
      Problem = "has a block that is cut off";
      return {};
    }
    ArrayRef<uint8_t> B = Bytes.slice(At, Size);
    At += Size;
    return B;
  }
};
} // namespace

Expected<Operation>
wavelane::location::decode(ArrayRef<uint8_t> Expression, size_t At,
                           const DecodeOptions &Options) {
  Operation Op;
  if (Error E = decode(Expression, At, Options, Op))
    return std::move(E);
  return Op;
}

Error wavelane::location::decode(ArrayRef<uint8_t> Expression, size_t At,
                                 const DecodeOptions &Options, Operation &Op) {
  if (At >= Expression.size())
    return illFormed("no operation at byte " + Twine(At));
  Op.Begin = At;
  Reader R{Expression, At + 1};
  Op.Code = Expression[At];
  if (OperationCode Direct = getDirect(Expression[At], Options)) {
    Op.Code = Direct;
  } else if (Op.Code == 0xe9) {
    uint64_t Sub = R.leb(false);
    if (R.Problem)
      return illFormed("DW_OP_LLVM_user at byte " + Twine(At) + " " +
                       R.Problem);
    if (Sub >= UserBit)
      return illFormed("unknown sub-operation " + Twine(Sub) +
                       " of DW_OP_LLVM_user at byte " + Twine(At));
    Op.Code = UserBit | OperationCode(Sub);
  }
  Op.Info = findOperation(Op.Code);
  if (!Op.Info) {
    if (Op.Code & UserBit)
      return illFormed("unknown sub-operation 0x" +
                       utohexstr(Op.Code & ~UserBit) +
                       " of DW_OP_LLVM_user at byte " + Twine(At));
    return illFormed("unknown operation 0x" + utohexstr(Op.Code) +
                     " at byte " + Twine(At));
  }
  for (unsigned I = 0; I < 2; ++I) {
    uint64_t &V = Op.Operands[I];
    switch (Op.Info->Operands[I]) {
    case K::None:
      Op.End = R.At;
      return Error::success();
    case K::Address: V = R.fixed(Options.AddressSize, false); break;
    case K::U1: V = R.fixed(1, false); break;
    case K::S1: V = R.fixed(1, true); break;
    case K::U2: V = R.fixed(2, false); break;
    case K::S2:
    case K::BranchS2: V = R.fixed(2, true); break;
    case K::U4: V = R.fixed(4, false); break;
    case K::S4: V = R.fixed(4, true); break;
    case K::U8: V = R.fixed(8, false); break;
    case K::S8: V = R.fixed(8, true); break;
    case K::ULEB:
    case K::TypeULEB: V = R.leb(false); break;
    case K::SLEB: V = R.leb(true); break;
    case K::Offset: V = R.fixed(Options.OffsetSize, false); break;
    case K::Block:
    case K::Expression:
      V = R.leb(false);
      Op.Block = R.block(V);
      break;
    case K::TypedConst:
      V = R.fixed(1, false);
      Op.Block = R.block(V);
      break;
    }
    if (R.Problem)
      return illFormed(Twine(Op.Info->Name) + " at byte " + Twine(At) + " " +
                       R.Problem);
  }
  Op.End = R.At;
  return Error::success();
}

std::string Operation::describe(const DecodeOptions &Options) const {
  std::string Text = Info->Name;
  raw_string_ostream OS(Text);
  for (unsigned I = 0; I < 2; ++I) {
    switch (Info->Operands[I]) {
    case K::None: break;
    case K::S1:
    case K::S2:
    case K::S4:
    case K::S8:
    case K::SLEB:
    case K::BranchS2: OS << ' ' << int64_t(Operands[I]); break;
    case K::Address:
    case K::Offset: OS << formatv(" {0:x}", Operands[I]); break;
    case K::Block:
    case K::TypedConst: OS << " 0x" << toHex(Block, /*LowerCase=*/true); break;
    case K::Expression: {
      Expected<std::string> Inner = disassemble(Block, Options);
      if (!Inner) {
        OS << " 0x" << toHex(Block, true);
        consumeError(Inner.takeError());
        break;
      }
      StringRef S(*Inner);
      SmallVector<StringRef, 4> Lines;
      S.trim().split(Lines, '\n');
      OS << " {" << join(Lines, "; ") << "}";
      break;
    }
    default: OS << ' ' << Operands[I]; break;
    }
  }
  return Text;
}

Expected<std::string>
wavelane::location::disassemble(ArrayRef<uint8_t> Expression,
                                const DecodeOptions &Options) {
  std::string Text;
  for (size_t At = 0; At < Expression.size();) {
    Expected<Operation> Op = decode(Expression, At, Options);
    if (!Op)
      return Op.takeError();
    Text += Op->describe(Options) + "\n";
    At = Op->End;
  }
  return Text;
}

//===-- Encoding ----------------------------------------------------------===//

static void putFixed(std::vector<uint8_t> &Out, uint64_t V, unsigned Size) {
  for (unsigned I = 0; I < Size; ++I)
    Out.push_back(uint8_t(V >> (8 * I)));
}
static void putULEB(std::vector<uint8_t> &Out, uint64_t V) {
  uint8_t Buffer[16];
  Out.insert(Out.end(), Buffer, Buffer + encodeULEB128(V, Buffer));
}
static void putSLEB(std::vector<uint8_t> &Out, int64_t V) {
  uint8_t Buffer[16];
  Out.insert(Out.end(), Buffer, Buffer + encodeSLEB128(V, Buffer));
}

static bool fits(int64_t V, unsigned Size, bool IsSigned) {
  if (Size >= 8)
    return true;
  if (IsSigned)
    return isIntN(8 * Size, V);
  return V >= 0 && isUIntN(8 * Size, uint64_t(V));
}

Expected<std::vector<uint8_t>>
wavelane::location::assemble(ArrayRef<SourceOperation> Operations,
                             const DecodeOptions &Options) {
  std::vector<uint8_t> Out;
  std::vector<size_t> Begins;
  struct Fixup {
    size_t At;
    size_t Operation;
    int64_t Count;
  };
  SmallVector<Fixup, 4> Fixups;
  for (size_t N = 0; N < Operations.size(); ++N) {
    const SourceOperation &Source = Operations[N];
    Begins.push_back(Out.size());
    const OperationInfo *Info = findOperation(StringRef(Source.Name));
    if (!Info)
      return illFormed("unknown operation " + Source.Name);
    if (Info->Code & UserBit) {
      Out.push_back(0xe9);
      putULEB(Out, Info->Code & ~UserBit);
    } else {
      Out.push_back(uint8_t(Info->Code));
    }
    unsigned Used = 0;
    for (OperandKind Kind : Info->Operands) {
      if (Kind == K::None)
        break;
      if (Kind == K::Block || Kind == K::Expression) {
        putULEB(Out, Source.Block.size());
        Out.insert(Out.end(), Source.Block.begin(), Source.Block.end());
        continue;
      }
      if (Kind == K::TypedConst) {
        if (Source.Block.size() > 255)
          return illFormed(Source.Name + " has a constant beyond 255 bytes");
        Out.push_back(uint8_t(Source.Block.size()));
        Out.insert(Out.end(), Source.Block.begin(), Source.Block.end());
        continue;
      }
      if (Used >= Source.Operands.size())
        return illFormed(Source.Name + " lacks an operand");
      const int64_t V = Source.Operands[Used++];
      unsigned Size = 0;
      bool IsSigned = false;
      switch (Kind) {
      case K::Address: Size = Options.AddressSize; break;
      case K::Offset: Size = Options.OffsetSize; break;
      case K::S1: IsSigned = true; [[fallthrough]];
      case K::U1: Size = 1; break;
      case K::S2: IsSigned = true; [[fallthrough]];
      case K::U2: Size = 2; break;
      case K::S4: IsSigned = true; [[fallthrough]];
      case K::U4: Size = 4; break;
      case K::S8: IsSigned = true; [[fallthrough]];
      case K::U8: Size = 8; break;
      case K::BranchS2:
        Fixups.push_back({Out.size(), N, V});
        Size = 2;
        putFixed(Out, 0, 2);
        continue;
      case K::SLEB: putSLEB(Out, V); continue;
      default: putULEB(Out, uint64_t(V)); continue;
      }
      // An address has no sign; a big one arrives here as a negative number.
      if (Kind != K::Address && !fits(V, Size, IsSigned))
        return illFormed(Source.Name + ": " + Twine(V) + " does not fit in " +
                         Twine(Size) + " bytes");
      putFixed(Out, uint64_t(V), Size);
    }
    if (Used != Source.Operands.size())
      return illFormed(Source.Name + " has too many operands");
  }
  Begins.push_back(Out.size());
  for (const Fixup &F : Fixups) {
    const int64_t Target = int64_t(F.Operation) + 1 + F.Count;
    if (Target < 0 || Target >= int64_t(Begins.size()))
      return illFormed("a branch goes outside the expression");
    const int64_t Distance = int64_t(Begins[Target]) - int64_t(F.At + 2);
    if (!isInt<16>(Distance))
      return illFormed("a branch goes too far");
    Out[F.At] = uint8_t(Distance);
    Out[F.At + 1] = uint8_t(Distance >> 8);
  }
  return Out;
}

Expected<std::vector<uint8_t>>
wavelane::location::assembleText(StringRef Text, const DecodeOptions &Options) {
  std::vector<SourceOperation> Operations;
  while (true) {
    Text = Text.ltrim(" \t\r\n;");
    if (Text.empty())
      break;
    // Up to the next divider outside braces.
    size_t End = 0;
    int Depth = 0;
    for (; End < Text.size(); ++End) {
      if (Text[End] == '{')
        ++Depth;
      else if (Text[End] == '}')
        --Depth;
      else if (Depth == 0 && (Text[End] == ';' || Text[End] == '\n'))
        break;
    }
    StringRef Line = Text.take_front(End).trim();
    Text = Text.drop_front(End);
    SourceOperation Op;
    StringRef Name = Line.take_until([](char C) { return C == ' ' || C == '\t' || C == '{'; });
    Line = Line.drop_front(Name.size()).trim();
    Op.Name = Name.starts_with("DW_OP_") ? Name.str() : ("DW_OP_" + Name).str();
    const OperationInfo *Info = findOperation(StringRef(Op.Name));
    if (!Info)
      return illFormed("unknown operation " + Name);
    for (OperandKind Kind : Info->Operands) {
      if (Kind == K::None)
        break;
      if (Kind == K::Expression) {
        if (!Line.consume_front("{") || !Line.consume_back("}"))
          return illFormed(Op.Name + " wants an expression in braces");
        Expected<std::vector<uint8_t>> Inner = assembleText(Line, Options);
        if (!Inner)
          return Inner.takeError();
        Op.Block = std::move(*Inner);
        Line = StringRef();
        continue;
      }
      StringRef Word = Line.take_until([](char C) { return C == ' ' || C == '\t' || C == ','; });
      Line = Line.drop_front(Word.size()).ltrim(" \t,");
      if (Kind == K::Block || Kind == K::TypedConst) {
        Word.consume_front("0x");
        std::string Bytes;
        if (!tryGetFromHex(Word, Bytes))
          return illFormed(Op.Name + ": '" + Word + "' is not hex");
        Op.Block.assign(Bytes.begin(), Bytes.end());
        continue;
      }
      int64_t V;
      uint64_t U;
      if (!Word.getAsInteger(0, V))
        Op.Operands.push_back(V);
      else if (!Word.getAsInteger(0, U))
        Op.Operands.push_back(int64_t(U));
      else
        return illFormed(Op.Name + ": '" + Word + "' is not a number");
    }
    if (!Line.empty())
      return illFormed(Op.Name + ": unexpected '" + Line + "'");
    Operations.push_back(std::move(Op));
  }
  return assemble(Operations, Options);
}
