//===-- Operation.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Operation.h"
#include "LEB128.h"
#include "OperandForm.h"
#include "wavelane/Location/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <deque>

using namespace llvm;
using namespace wavelane::location;

//===-- The table ---------------------------------------------------------===//

// Aliases: DWARF 6's names, and the extension's without LLVM.
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
  /// In the order of Operations.def; lit, reg and breg are 32 operations each.
  std::vector<OperationInfo> All;
  std::deque<std::string> Names;
  std::vector<const OperationInfo *> Listed;
  std::array<const OperationInfo *, 256> Byte = {};
  /// The extension's own codes are dense, and looked up as often as any.
  std::array<const OperationInfo *, 16> DenseUser = {};
  std::array<OperationCode, 256> Direct = {};
  StringMap<const OperationInfo *> ByName;

  Table() {
    uint8_t Row = 0;
#define OPERATION(Code, Name, First, Second, Function)                         \
  add(Code, "DW_OP_" #Name, OperandKind::First, OperandKind::Second, Row++);
#define OPERATIONS(Code, Name, First, Function)                                \
  for (unsigned I = 0; I < 32; ++I)                                            \
    add(Code + I,                                                              \
        Names.emplace_back("DW_OP_" #Name + std::to_string(I)).c_str(),        \
        OperandKind::First, OperandKind::None, Row);                           \
  ++Row;
#define USER_OPERATION(SubOpcode, DirectCode, Id, Name, First, Second,         \
                       Function)                                               \
  Direct[DirectCode] = OP_##Id;                                                \
  add(OP_##Id, "DW_OP_" #Name, OperandKind::First, OperandKind::Second, Row++);
#include "wavelane/Location/Operations.def"
    Direct[0] = 0;
    for (const OperationInfo &Info : All) {
      const OperationCode Sub = Info.Code & ~UserBit;
      if (!(Info.Code & UserBit))
        Byte[Info.Code] = &Info;
      else if (Sub < DenseUser.size())
        DenseUser[Sub] = &Info;
      ByName[Info.Name] = &Info;
      Listed.push_back(&Info);
    }
    for (const auto &Alias : Aliases)
      ByName[Alias.Alias] = ByName[Alias.Name];
  }

private:
  void add(OperationCode Code, const char *Name, OperandKind First,
           OperandKind Second, uint8_t Row) {
    All.push_back({Code, Name, {First, Second}, Row});
  }
};
} // namespace

static const Table &getTable() {
  static const Table T;
  return T;
}

const OperationInfo *wavelane::location::findOperation(OperationCode Code) {
  const Table &T = getTable();
  if (Code < T.Byte.size())
    return T.Byte[Code];
  const OperationCode Sub = Code & ~UserBit;
  if (Sub < T.DenseUser.size())
    return T.DenseUser[Sub];
  for (const OperationInfo &Info : T.All)
    if (Info.Code == Code)
      return &Info;
  return nullptr;
}

const OperationInfo *wavelane::location::findOperation(StringRef Name) {
  const Table &T = getTable();
  auto It = T.ByName.find(Name);
  return It == T.ByName.end() ? nullptr : It->second;
}

ArrayRef<const OperationInfo *> wavelane::location::getOperations() {
  return getTable().Listed;
}

//===-- Decoding ----------------------------------------------------------===//

/// The user operation of a direct code, or 0.
static OperationCode getDirect(uint8_t Code, const DecodeOptions &Options) {
  if (Code < 0xe1 || !Options.DirectCodes ||
      (Code == LLVMUser && !Options.DirectE9))
    return 0;
  return getTable().Direct[Code];
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
    case LEBStatus::Good:
      return V;
    case LEBStatus::CutOff:
      Problem = "is cut off";
      return 0;
    case LEBStatus::TooBig:
      Problem = "has a number beyond 64 bits";
      return 0;
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

Expected<Operation> wavelane::location::decode(ArrayRef<uint8_t> Expression,
                                               size_t At,
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
  } else if (Op.Code == LLVMUser) {
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
    return illFormed("unknown operation 0x" + utohexstr(Op.Code) + " at byte " +
                     Twine(At));
  }
  for (unsigned I = 0; I < 2; ++I) {
    const OperandForm Form = getForm(Op.Info->Operands[I], Options);
    if (Form.As == OperandForm::None)
      break;
    uint64_t &V = Op.Operands[I];
    switch (Form.As) {
    case OperandForm::None:
      break;
    case OperandForm::Fixed:
      V = R.fixed(Form.Size, Form.IsSigned);
      break;
    case OperandForm::LEB:
      V = R.leb(Form.IsSigned);
      break;
    case OperandForm::Bytes:
      V = R.leb(false);
      Op.Block = R.block(V);
      break;
    case OperandForm::ShortBytes:
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
    const OperandKind Kind = Info->Operands[I];
    if (Kind == OperandKind::None)
      break;
    if (Kind == OperandKind::Expression && Options.MaxNesting > 0) {
      DecodeOptions Nested = Options;
      --Nested.MaxNesting;
      if (Expected<std::string> Inner = disassemble(Block, Nested)) {
        SmallVector<StringRef, 4> Lines;
        StringRef(*Inner).trim().split(Lines, '\n');
        OS << " {" << join(Lines, "; ") << "}";
        continue;
      } else {
        consumeError(Inner.takeError());
      }
    }
    const OperandForm Form = getForm(Kind, Options);
    if (Form.As == OperandForm::Bytes || Form.As == OperandForm::ShortBytes)
      OS << " 0x" << toHex(Block, /*LowerCase=*/true);
    else if (Kind == OperandKind::Address || Kind == OperandKind::Offset)
      OS << formatv(" {0:x}", Operands[I]);
    else if (Form.IsSigned)
      OS << ' ' << int64_t(Operands[I]);
    else
      OS << ' ' << Operands[I];
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
