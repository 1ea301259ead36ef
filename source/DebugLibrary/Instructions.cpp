//===-- Instructions.cpp - What a debugger asks of instructions -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instructions.h"
#include "wavelane/GPU/MachineCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <map>

using namespace llvm;

namespace wavelane::library {

InstructionDecoder::InstructionDecoder(std::unique_ptr<gpu::MachineCode> Code)
    : Code(std::move(Code)) {}
InstructionDecoder::~InstructionDecoder() = default;

InstructionDecoder *
InstructionDecoder::get(const savearea::Architecture &Arch) {
  static std::map<StringRef, std::unique_ptr<InstructionDecoder>> Cache;
  std::unique_ptr<InstructionDecoder> &Slot = Cache[Arch.Name];
  if (Slot)
    return Slot.get();
  Expected<std::unique_ptr<gpu::MachineCode>> Code =
      gpu::MachineCode::create(Arch.Name);
  if (Code)
    Slot.reset(new InstructionDecoder(std::move(*Code)));
  else
    consumeError(Code.takeError());
  return Slot.get();
}

/// The first SGPR of a pair, from LLVM's name for it ("SGPR4_SGPR5").
static unsigned pairOf(const MCRegisterInfo &Registers, const MCOperand &Op) {
  if (!Op.isReg())
    return PairOther;
  StringRef Name = Registers.getName(Op.getReg());
  if (Name == "VCC" || Name.starts_with("VCC_"))
    return PairVcc;
  unsigned Number;
  if (!Name.consume_front("SGPR") || Name.consumeInteger(10, Number))
    return PairOther;
  return Number;
}

std::optional<Instruction> InstructionDecoder::decode(
    uint64_t Address, ArrayRef<uint8_t> Bytes, bool WithText,
    const std::function<std::string(uint64_t)> &Symbolize) {
  using Flow = Instruction::Flow;
  using Condition = Instruction::Condition;
  MCInst Inst;
  uint64_t Size = 0;
  if (Code->decode(Inst, Size, Bytes, Address) != MCDisassembler::Success)
    return std::nullopt;
  Instruction Result;
  Result.Size = Size;
  Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL;

  // LLVM's internal names end in the encoding's family: S_BRANCH_vi.
  StringRef Name = Code->instructions().getName(Inst.getOpcode());
  auto Is = [&](StringRef What) {
    return Name == What ||
           (Name.starts_with(What) && Name[What.size()] == '_' &&
            (Name.substr(What.size() + 1).starts_with("gfx") ||
             Name.substr(What.size() + 1) == "vi" ||
             Name.substr(What.size() + 1) == "si"));
  };
  auto Immediate = [&](unsigned I) -> int64_t {
    return I < Inst.getNumOperands() && Inst.getOperand(I).isImm()
               ? Inst.getOperand(I).getImm()
               : 0;
  };
  auto Pair = [&](unsigned I) {
    return I < Inst.getNumOperands()
               ? pairOf(Code->registers(), Inst.getOperand(I))
               : PairOther;
  };
  // All direct branches have a 16-bit offset in words in their low half.
  uint32_t Word = 0;
  memcpy(&Word, Bytes.data(), std::min<size_t>(4, Bytes.size()));
  const uint64_t Direct = Address + 4 + int64_t(int16_t(Word)) * 4;

  if (Is("S_BRANCH")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH;
    Result.FlowKind = Flow::Branch;
    Result.Target = Direct;
  } else if (Name.starts_with("S_CBRANCH_") && !Is("S_CBRANCH_JOIN") &&
             !Is("S_CBRANCH_G_FORK") && !Is("S_CBRANCH_I_FORK")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL;
    Result.FlowKind = Flow::ConditionalBranch;
    Result.Target = Direct;
    Result.Cond = Is("S_CBRANCH_SCC0")     ? Condition::Scc0
                  : Is("S_CBRANCH_SCC1")   ? Condition::Scc1
                  : Is("S_CBRANCH_VCCZ")   ? Condition::VccZ
                  : Is("S_CBRANCH_VCCNZ")  ? Condition::VccNZ
                  : Is("S_CBRANCH_EXECZ")  ? Condition::ExecZ
                  : Is("S_CBRANCH_EXECNZ") ? Condition::ExecNZ
                                           : Condition::Other;
    // Branches on debug conditions or loops aren't simulated.
    if (Result.Cond == Condition::Other)
      Result.FlowKind = Flow::Other;
  } else if (Is("S_SUBVECTOR_LOOP_BEGIN") || Is("S_SUBVECTOR_LOOP_END")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL;
    Result.FlowKind = Flow::Other;
    Result.Target = Direct;
  } else if (Name.starts_with("S_CBRANCH_")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SPECIAL;
    Result.FlowKind = Flow::Other;
  } else if (Is("S_SETPC_B64") || Is("S_RFE_B64")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR;
    Result.FlowKind = Is("S_SETPC_B64") ? Flow::IndirectBranch : Flow::Other;
    Result.Source = Pair(0);
  } else if (Is("S_CALL_B64")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR;
    Result.FlowKind = Flow::DirectCall;
    Result.Target = Direct;
    Result.Destination = Pair(0);
  } else if (Is("S_SWAPPC_B64")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS;
    Result.FlowKind = Flow::IndirectCall;
    Result.Destination = Pair(0);
    Result.Source = Pair(1);
  } else if (Is("S_GETPC_B64")) {
    Result.FlowKind = Flow::GetPC;
    Result.Destination = Pair(0);
  } else if (Name.starts_with("S_ENDPGM")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE;
  } else if (Is("S_TRAP")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_TRAP;
    Result.Trap = uint64_t(Immediate(0)) & 0xff;
  } else if (Is("S_SETHALT")) {
    // s_sethalt 0 clears the bit.
    if (Immediate(0) & 1)
      Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_HALT;
  } else if (Is("S_BARRIER") || Is("S_BARRIER_WAIT")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_BARRIER;
  } else if (Is("S_SLEEP")) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SLEEP;
  } else if (Code->instructions().get(Inst.getOpcode()).isBranch()) {
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SPECIAL;
    Result.FlowKind = Flow::Other;
  }

  if (WithText) {
    raw_string_ostream Out(Result.Text);
    Code->printer().printInst(&Inst, Address, "", Code->subtarget(), Out);
    Result.Text = StringRef(Result.Text).trim().str();
    if (Result.Target) {
      std::string Symbol = Symbolize ? Symbolize(Result.Target) : "";
      Result.Text +=
          "  # " +
          (Symbol.empty() ? "0x" + utohexstr(Result.Target, true) : Symbol);
    }
  }
  return Result;
}

} // namespace wavelane::library
