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
  MCInst Inst;
  uint64_t Size = 0;
  if (Code->decode(Inst, Size, Bytes, Address) != MCDisassembler::Success)
    return std::nullopt;
  Instruction Result;
  Result.Size = Size;
  Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL;

  const gpu::InstructionFacts &Facts = Code->facts(Inst);
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

  switch (Facts.Flow) {
  case gpu::ControlFlow::Branch:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH;
    Result.FlowKind = Flow::Branch;
    Result.Target = Direct;
    break;
  case gpu::ControlFlow::ConditionalBranch:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL;
    // Branches on debug conditions or loops aren't simulated.
    Result.FlowKind = Facts.Condition == gpu::BranchCondition::Debugger
                          ? Flow::Other
                          : Flow::ConditionalBranch;
    Result.Target = Direct;
    Result.Condition = Facts.Condition;
    break;
  case gpu::ControlFlow::Loop:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL;
    Result.FlowKind = Flow::Other;
    Result.Target = Direct;
    break;
  case gpu::ControlFlow::Fork:
  case gpu::ControlFlow::RelativeJump:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SPECIAL;
    Result.FlowKind = Flow::Other;
    break;
  case gpu::ControlFlow::Jump:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR;
    Result.FlowKind = Flow::IndirectBranch;
    Result.Source = Pair(0);
    break;
  case gpu::ControlFlow::TrapReturn:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR;
    Result.FlowKind = Flow::Other;
    Result.Source = Pair(0);
    break;
  case gpu::ControlFlow::Call:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR;
    Result.FlowKind = Flow::DirectCall;
    Result.Target = Direct;
    Result.Destination = Pair(0);
    break;
  case gpu::ControlFlow::IndirectCall:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS;
    Result.FlowKind = Flow::IndirectCall;
    Result.Destination = Pair(0);
    Result.Source = Pair(1);
    break;
  case gpu::ControlFlow::End:
    Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE;
    break;
  case gpu::ControlFlow::Next:
  case gpu::ControlFlow::CodeEnd:
    if (Facts.ReadsPC) {
      Result.FlowKind = Flow::GetPC;
      Result.Destination = Pair(0);
    } else if (Facts.IsTrap) {
      Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_TRAP;
      Result.Trap = uint64_t(Immediate(0)) & 0xff;
    } else if (Facts.IsHalt && (Immediate(0) & 1)) { // 0 clears the bit.
      Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_HALT;
    } else if (Facts.Barrier == gpu::BarrierStep::SignalAndWait ||
               Facts.Barrier == gpu::BarrierStep::Wait) {
      Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_BARRIER;
    } else if (Facts.IsSleep) {
      Result.Kind = AMD_DBGAPI_INSTRUCTION_KIND_SLEEP;
    }
    break;
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
