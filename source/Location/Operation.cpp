//===-- Operation.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Operation.h"
#include "LEB128.h"
#include "OperandForm.h"
#include "wavelane/Location/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace wavelane::location;

//===-- Decoding ----------------------------------------------------------===//

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
  if (OperationCode Direct = getDirectOperation(Expression[At], Options)) {
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
