//===-- AsmText.cpp - an instruction's printed form taken apart -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmText.h"

#include "wavelane/Simulator/ISA/WaveState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace wavelane::isa {
namespace {

/// Splits \p Text at each \p Separator outside of brackets.
llvm::SmallVector<StringRef, 8> splitAt(StringRef Text, char Separator) {
  llvm::SmallVector<StringRef, 8> Parts;
  unsigned Depth = 0;
  size_t Begin = 0;
  for (size_t I = 0; I <= Text.size(); ++I) {
    const char C = I < Text.size() ? Text[I] : Separator;
    if (C == '[' || C == '(')
      ++Depth;
    else if ((C == ']' || C == ')') && Depth)
      --Depth;
    if (I == Text.size() || (C == Separator && !Depth)) {
      if (StringRef Part = Text.slice(Begin, I).trim(); !Part.empty())
        Parts.push_back(Part);
      Begin = I + 1;
    }
  }
  return Parts;
}

bool isModifier(StringRef Word) {
  const size_t Colon = Word.find(':');
  if (Colon != StringRef::npos && Word.find('[') > Colon &&
      Word.find('(') > Colon)
    return true;
  return llvm::StringSwitch<bool>(Word)
      .Cases({"glc", "slc", "dlc", "sc0", "sc1", "nt", "nv", "lds"}, true)
      .Cases({"gds", "tfe", "idxen", "offen", "clamp"}, true)
      .Cases({"row_mirror", "row_half_mirror"}, true)
      .Default(false);
}

bool integer(StringRef Text, int64_t &Value) {
  uint64_t Big;
  if (!Text.getAsInteger(0, Value))
    return true;
  if (Text.getAsInteger(0, Big))
    return false;
  Value = int64_t(Big);
  return true;
}

/// "4" or "[4:7]".
bool registers(StringRef Text, AsmOperand &O) {
  unsigned First, Last;
  if (!Text.consume_front("[")) {
    if (Text.getAsInteger(10, First) || First > 255)
      return false;
    O.Reg = uint16_t(First);
    return true;
  }
  if (!Text.consume_back("]"))
    return false;
  auto [From, To] = Text.split(':');
  if (From.getAsInteger(10, First))
    return false;
  if (To.empty())
    Last = First;
  else if (To.getAsInteger(10, Last) || Last < First || Last > 255)
    return false;
  O.Reg = uint16_t(First);
  O.Count = uint16_t(Last - First + 1);
  return true;
}

/// Registers by name.
bool named(StringRef Text, AsmOperand &O) {
  using namespace scalar;
  struct Entry {
    const char *Name;
    AsmOperand::Kind Is;
    uint16_t Reg, Count;
  };
  static const Entry Table[] = {
      {"vcc", AsmOperand::Scalar, VccLo, 2},
      {"vcc_lo", AsmOperand::Scalar, VccLo, 1},
      {"vcc_hi", AsmOperand::Scalar, VccHi, 1},
      {"exec", AsmOperand::Scalar, ExecLo, 2},
      {"exec_lo", AsmOperand::Scalar, ExecLo, 1},
      {"exec_hi", AsmOperand::Scalar, ExecHi, 1},
      {"m0", AsmOperand::Scalar, M0, 1},
      {"null", AsmOperand::Scalar, Null, 2},
      {"flat_scratch", AsmOperand::Scalar, FlatScratchLo, 2},
      {"flat_scratch_lo", AsmOperand::Scalar, FlatScratchLo, 1},
      {"flat_scratch_hi", AsmOperand::Scalar, FlatScratchHi, 1},
      {"xnack_mask", AsmOperand::Scalar, XnackMaskLo, 2},
      {"xnack_mask_lo", AsmOperand::Scalar, XnackMaskLo, 1},
      {"xnack_mask_hi", AsmOperand::Scalar, XnackMaskHi, 1},
      {"src_shared_base", AsmOperand::Special, 235, 2},
      {"src_shared_limit", AsmOperand::Special, 236, 2},
      {"src_private_base", AsmOperand::Special, 237, 2},
      {"src_private_limit", AsmOperand::Special, 238, 2},
      {"src_vccz", AsmOperand::Special, 251, 1},
      {"src_execz", AsmOperand::Special, 252, 1},
      {"src_scc", AsmOperand::Special, 253, 1},
      {"off", AsmOperand::Off, 0, 0},
  };
  for (const Entry &E : Table)
    if (Text == E.Name) {
      O.Is = E.Is;
      O.Reg = E.Reg;
      O.Count = E.Count;
      return true;
    }
  return false;
}

AsmOperand operand(StringRef Text) {
  AsmOperand O;
  for (bool More = true; More;) {
    More = false;
    if (Text.starts_with("-") && Text.size() > 1 && !llvm::isDigit(Text[1])) {
      Text = Text.drop_front();
      O.Neg = More = true;
    } else if (Text.starts_with("|") && Text.ends_with("|") &&
               Text.size() > 2) {
      Text = Text.drop_front().drop_back();
      O.Abs = More = true;
    } else if (Text.ends_with(")") &&
               (Text.starts_with("neg(") || Text.starts_with("abs(") ||
                Text.starts_with("sext("))) {
      (Text[0] == 'n' ? O.Neg : Text[0] == 'a' ? O.Abs : O.Sext) = true;
      Text = Text.split('(').second.drop_back();
      More = true;
    }
  }
  if (named(Text, O))
    return O;
  StringRef Rest = Text;
  if (Rest.consume_front("[") && Rest.consume_back("]")) {
    O.Is = AsmOperand::List;
    O.Members = Rest;
    return O;
  }
  Rest = Text;
  if (Rest.consume_front("ttmp")) {
    if (registers(Rest, O)) {
      O.Is = AsmOperand::Scalar;
      O.Reg = uint16_t(O.Reg + scalar::TTMP0);
    }
    return O;
  }
  if (Text.size() > 1 && (llvm::isDigit(Text[1]) || Text[1] == '[')) {
    Rest = Text.drop_front();
    if (Text[0] == 'v' && (Rest.ends_with(".l") || Rest.ends_with(".h"))) {
      O.High = Rest.back() == 'h';
      Rest = Rest.drop_back(2);
    }
    const AsmOperand::Kind Is = Text[0] == 'v'   ? AsmOperand::VGPR
                                : Text[0] == 'a' ? AsmOperand::AccVGPR
                                : Text[0] == 's' ? AsmOperand::Scalar
                                                 : AsmOperand::Other;
    if (Is != AsmOperand::Other && registers(Rest, O)) {
      O.Is = Is;
      return O;
    }
  }
  if (integer(Text, O.Value)) {
    O.Is = Text.contains('x') ? AsmOperand::Literal : AsmOperand::Integer;
    return O;
  }
  // 1/(2 pi) is printed with as many digits as the operand has.
  static const char *const Reals[] = {"0.5",  "-0.5", "1.0",  "-1.0",  "2.0",
                                      "-2.0", "4.0",  "-4.0", "0.1591"};
  for (unsigned N = 0; N < 9; ++N)
    if (N < 8 ? Text == Reals[N] : Text.starts_with(Reals[N])) {
      O.Is = AsmOperand::Real;
      O.Reg = uint16_t(N);
      return O;
    }
  return O;
}

} // namespace

AsmText::AsmText(StringRef Text) {
  Text = Text.trim();
  const size_t Space = Text.find_first_of(" \t");
  Mnemonic = Text.substr(0, Space);
  if (Space == StringRef::npos)
    return;
  for (StringRef Part : splitAt(Text.substr(Space), ',')) {
    bool First = true;
    for (StringRef Word : splitAt(Part, ' ')) {
      if (First && !isModifier(Word))
        Operands.push_back(operand(Word));
      else
        Modifiers.push_back(Word);
      First = false;
    }
  }
}

llvm::SmallVector<AsmOperand, 6> AsmText::members(const AsmOperand &List) {
  llvm::SmallVector<AsmOperand, 6> Members;
  for (StringRef Part : splitAt(List.Members, ','))
    Members.push_back(operand(Part));
  return Members;
}

bool AsmText::has(StringRef Flag) const {
  return llvm::is_contained(Modifiers, Flag);
}

std::optional<StringRef> AsmText::value(StringRef Name) const {
  for (StringRef M : Modifiers)
    if (M.size() > Name.size() && M.starts_with(Name) && M[Name.size()] == ':')
      return M.substr(Name.size() + 1);
  return std::nullopt;
}

int64_t AsmText::number(StringRef Name, int64_t Default) const {
  int64_t Number = Default;
  if (std::optional<StringRef> Text = value(Name))
    integer(*Text, Number);
  return Number;
}

llvm::SmallVector<unsigned, 8> AsmText::list(StringRef Name) const {
  llvm::SmallVector<unsigned, 8> Numbers;
  std::optional<StringRef> Text = value(Name);
  if (!Text || !Text->consume_front("[") || !Text->consume_back("]"))
    return Numbers;
  for (StringRef Part : splitAt(*Text, ',')) {
    unsigned N = 0;
    Part.getAsInteger(0, N);
    Numbers.push_back(N);
  }
  return Numbers;
}

} // namespace wavelane::isa
