//===-- Assembler.cpp - expressions from names and numbers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OperandForm.h"
#include "wavelane/Location/Error.h"
#include "wavelane/Location/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace wavelane::location;

//===-- To bytes ----------------------------------------------------------===//

static bool fits(int64_t V, unsigned Size, bool IsSigned) {
  if (Size >= 8)
    return true;
  if (IsSigned)
    return isIntN(8 * Size, V);
  return V >= 0 && isUIntN(8 * Size, uint64_t(V));
}

namespace {
class Assembler {
public:
  explicit Assembler(const DecodeOptions &Options) : Options(Options) {}

  Error add(const SourceOperation &Source);
  /// \return All bytes, with the branches' distances filled in.
  Expected<std::vector<uint8_t>> finish();

private:
  Error addOperand(const SourceOperation &Source, OperandKind Kind,
                   unsigned &Used);
  void putFixed(uint64_t V, unsigned Size) {
    for (unsigned I = 0; I < Size; ++I)
      Out.push_back(uint8_t(V >> (8 * I)));
  }
  void putULEB(uint64_t V) {
    uint8_t Buffer[16];
    Out.insert(Out.end(), Buffer, Buffer + encodeULEB128(V, Buffer));
  }
  void putSLEB(int64_t V) {
    uint8_t Buffer[16];
    Out.insert(Out.end(), Buffer, Buffer + encodeSLEB128(V, Buffer));
  }

  /// A branch, whose distance is known after all operations are encoded.
  struct Fixup {
    size_t At;
    size_t Operation;
    int64_t Count;
  };

  const DecodeOptions &Options;
  std::vector<uint8_t> Out;
  std::vector<size_t> Begins;
  SmallVector<Fixup, 4> Fixups;
};
} // namespace

Error Assembler::add(const SourceOperation &Source) {
  Begins.push_back(Out.size());
  const OperationInfo *Info = findOperation(StringRef(Source.Name));
  if (!Info)
    return illFormed("unknown operation " + Source.Name);
  if (Info->Code & UserBit) {
    Out.push_back(LLVMUser);
    putULEB(Info->Code & ~UserBit);
  } else {
    Out.push_back(uint8_t(Info->Code));
  }
  unsigned Used = 0;
  for (OperandKind Kind : Info->Operands)
    if (Kind != OperandKind::None)
      if (Error E = addOperand(Source, Kind, Used))
        return E;
  if (Used != Source.Operands.size())
    return illFormed(Source.Name + " has too many operands");
  return Error::success();
}

Error Assembler::addOperand(const SourceOperation &Source, OperandKind Kind,
                            unsigned &Used) {
  const OperandForm Form = getForm(Kind, Options);
  if (Form.As == OperandForm::Bytes || Form.As == OperandForm::ShortBytes) {
    if (Form.As == OperandForm::Bytes)
      putULEB(Source.Block.size());
    else if (Source.Block.size() > 255)
      return illFormed(Source.Name + " has a constant beyond 255 bytes");
    else
      putFixed(Source.Block.size(), 1);
    Out.insert(Out.end(), Source.Block.begin(), Source.Block.end());
    return Error::success();
  }
  if (Used >= Source.Operands.size())
    return illFormed(Source.Name + " lacks an operand");
  const int64_t V = Source.Operands[Used++];
  if (Kind == OperandKind::BranchS2) {
    Fixups.push_back({Out.size(), Begins.size(), V});
    putFixed(0, Form.Size);
  } else if (Form.As == OperandForm::LEB) {
    if (Form.IsSigned)
      putSLEB(V);
    else
      putULEB(uint64_t(V));
  } else {
    // An address has no sign, but a large one was parsed as a negative number.
    if (Kind != OperandKind::Address && !fits(V, Form.Size, Form.IsSigned))
      return illFormed(Source.Name + ": " + Twine(V) + " does not fit in " +
                       Twine(Form.Size) + " bytes");
    putFixed(uint64_t(V), Form.Size);
  }
  return Error::success();
}

Expected<std::vector<uint8_t>> Assembler::finish() {
  Begins.push_back(Out.size());
  for (const Fixup &F : Fixups) {
    const int64_t Target = int64_t(F.Operation) + F.Count;
    if (Target < 0 || Target >= int64_t(Begins.size()))
      return illFormed("a branch goes outside the expression");
    const int64_t Distance = int64_t(Begins[Target]) - int64_t(F.At + 2);
    if (!isInt<16>(Distance))
      return illFormed("a branch goes too far");
    Out[F.At] = uint8_t(Distance);
    Out[F.At + 1] = uint8_t(Distance >> 8);
  }
  return std::move(Out);
}

Expected<std::vector<uint8_t>>
wavelane::location::assemble(ArrayRef<SourceOperation> Operations,
                             const DecodeOptions &Options) {
  Assembler A(Options);
  for (const SourceOperation &Source : Operations)
    if (Error E = A.add(Source))
      return std::move(E);
  return A.finish();
}

//===-- From text ---------------------------------------------------------===//

/// Takes the text before the next separator outside braces.
static StringRef takeLine(StringRef &Text) {
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
  const StringRef Line = Text.take_front(End).trim();
  Text = Text.drop_front(End);
  return Line;
}

/// Takes an operand of \a Kind from \a Line.
static Error readOperand(StringRef &Line, OperandKind Kind,
                         const DecodeOptions &Options, SourceOperation &Op) {
  if (Kind == OperandKind::Expression) {
    if (!Line.consume_front("{") || !Line.consume_back("}"))
      return illFormed(Op.Name + " needs an expression in braces");
    if (Options.MaxNesting == 0)
      return illFormed("expressions are nested too deeply");
    DecodeOptions Nested = Options;
    --Nested.MaxNesting;
    Expected<std::vector<uint8_t>> Inner = assembleText(Line, Nested);
    if (!Inner)
      return Inner.takeError();
    Op.Block = std::move(*Inner);
    Line = StringRef();
    return Error::success();
  }
  StringRef Word =
      Line.take_until([](char C) { return C == ' ' || C == '\t' || C == ','; });
  Line = Line.drop_front(Word.size()).ltrim(" \t,");
  const OperandForm Form = getForm(Kind, Options);
  if (Form.As == OperandForm::Bytes || Form.As == OperandForm::ShortBytes) {
    Word.consume_front("0x");
    std::string Bytes;
    if (!tryGetFromHex(Word, Bytes))
      return illFormed(Op.Name + ": '" + Word + "' is not hex");
    Op.Block.assign(Bytes.begin(), Bytes.end());
    return Error::success();
  }
  int64_t V;
  uint64_t U;
  if (!Word.getAsInteger(0, V))
    Op.Operands.push_back(V);
  else if (!Word.getAsInteger(0, U))
    Op.Operands.push_back(int64_t(U));
  else
    return illFormed(Op.Name + ": '" + Word + "' is not a number");
  return Error::success();
}

Expected<std::vector<uint8_t>>
wavelane::location::assembleText(StringRef Text, const DecodeOptions &Options) {
  std::vector<SourceOperation> Operations;
  while (!(Text = Text.ltrim(" \t\r\n;")).empty()) {
    StringRef Line = takeLine(Text);
    const StringRef Name = Line.take_until(
        [](char C) { return C == ' ' || C == '\t' || C == '{'; });
    Line = Line.drop_front(Name.size()).trim();
    SourceOperation Op;
    Op.Name = Name.starts_with("DW_OP_") ? Name.str() : ("DW_OP_" + Name).str();
    const OperationInfo *Info = findOperation(StringRef(Op.Name));
    if (!Info)
      return illFormed("unknown operation " + Name);
    for (OperandKind Kind : Info->Operands)
      if (Kind != OperandKind::None)
        if (Error E = readOperand(Line, Kind, Options, Op))
          return std::move(E);
    if (!Line.empty())
      return illFormed(Op.Name + ": unexpected '" + Line + "'");
    Operations.push_back(std::move(Op));
  }
  return assemble(Operations, Options);
}
