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

InstructionDecoder::InstructionDecoder(std::unique_ptr<gpu::MachineCode> code)
    : code(std::move(code)) {}
InstructionDecoder::~InstructionDecoder() = default;

InstructionDecoder *
InstructionDecoder::get(const savearea::Architecture &arch) {
  static std::map<StringRef, std::unique_ptr<InstructionDecoder>> cache;
  std::unique_ptr<InstructionDecoder> &slot = cache[arch.Name];
  if (slot)
    return slot.get();
  Expected<std::unique_ptr<gpu::MachineCode>> code =
      gpu::MachineCode::create(arch.Name);
  if (code)
    slot.reset(new InstructionDecoder(std::move(*code)));
  else
    consumeError(code.takeError());
  return slot.get();
}

/// The first SGPR of a pair, by LLVM's name of it ("SGPR4_SGPR5").
static unsigned pairOf(const MCRegisterInfo &registers, const MCOperand &op) {
  if (!op.isReg())
    return PairOther;
  StringRef name = registers.getName(op.getReg());
  if (name == "VCC" || name.starts_with("VCC_"))
    return PairVcc;
  unsigned number;
  if (!name.consume_front("SGPR") || name.consumeInteger(10, number))
    return PairOther;
  return number;
}

std::optional<Instruction> InstructionDecoder::decode(
    uint64_t address, ArrayRef<uint8_t> bytes, bool withText,
    const std::function<std::string(uint64_t)> &symbolize) {
  using Flow = Instruction::Flow;
  using Condition = Instruction::Condition;
  MCInst inst;
  uint64_t size = 0;
  if (code->decode(inst, size, bytes, address) != MCDisassembler::Success)
    return std::nullopt;
  Instruction result;
  result.size = size;
  result.kind = AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL;

  // Internal names end in the encoding's family: S_BRANCH_vi.
  StringRef name = code->instructions().getName(inst.getOpcode());
  auto is = [&](StringRef what) {
    return name == what ||
           (name.starts_with(what) && name[what.size()] == '_' &&
            (name.substr(what.size() + 1).starts_with("gfx") ||
             name.substr(what.size() + 1) == "vi" ||
             name.substr(what.size() + 1) == "si"));
  };
  auto immediate = [&](unsigned i) -> int64_t {
    return i < inst.getNumOperands() && inst.getOperand(i).isImm()
               ? inst.getOperand(i).getImm()
               : 0;
  };
  auto pair = [&](unsigned i) {
    return i < inst.getNumOperands()
               ? pairOf(code->registers(), inst.getOperand(i))
               : PairOther;
  };
  // The 16-bit word offset that all direct branches keep in their low half.
  uint32_t word = 0;
  memcpy(&word, bytes.data(), std::min<size_t>(4, bytes.size()));
  const uint64_t direct = address + 4 + int64_t(int16_t(word)) * 4;

  if (is("S_BRANCH")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH;
    result.flow = Flow::Branch;
    result.target = direct;
  } else if (name.starts_with("S_CBRANCH_") && !is("S_CBRANCH_JOIN") &&
             !is("S_CBRANCH_G_FORK") && !is("S_CBRANCH_I_FORK")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL;
    result.flow = Flow::ConditionalBranch;
    result.target = direct;
    result.condition = is("S_CBRANCH_SCC0")     ? Condition::Scc0
                       : is("S_CBRANCH_SCC1")   ? Condition::Scc1
                       : is("S_CBRANCH_VCCZ")   ? Condition::VccZ
                       : is("S_CBRANCH_VCCNZ")  ? Condition::VccNZ
                       : is("S_CBRANCH_EXECZ")  ? Condition::ExecZ
                       : is("S_CBRANCH_EXECNZ") ? Condition::ExecNZ
                                                : Condition::Other;
    // Branches on debug conditions or loops aren't simulated.
    if (result.condition == Condition::Other)
      result.flow = Flow::Other;
  } else if (is("S_SUBVECTOR_LOOP_BEGIN") || is("S_SUBVECTOR_LOOP_END")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL;
    result.flow = Flow::Other;
    result.target = direct;
  } else if (name.starts_with("S_CBRANCH_")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_SPECIAL;
    result.flow = Flow::Other;
  } else if (is("S_SETPC_B64") || is("S_RFE_B64")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR;
    result.flow = is("S_SETPC_B64") ? Flow::IndirectBranch : Flow::Other;
    result.source = pair(0);
  } else if (is("S_CALL_B64")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR;
    result.flow = Flow::DirectCall;
    result.target = direct;
    result.destination = pair(0);
  } else if (is("S_SWAPPC_B64")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS;
    result.flow = Flow::IndirectCall;
    result.destination = pair(0);
    result.source = pair(1);
  } else if (is("S_GETPC_B64")) {
    result.flow = Flow::GetPC;
    result.destination = pair(0);
  } else if (name.starts_with("S_ENDPGM")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE;
  } else if (is("S_TRAP")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_TRAP;
    result.trap = uint64_t(immediate(0)) & 0xff;
  } else if (is("S_SETHALT")) {
    // s_sethalt 0 clears the bit.
    if (immediate(0) & 1)
      result.kind = AMD_DBGAPI_INSTRUCTION_KIND_HALT;
  } else if (is("S_BARRIER") || is("S_BARRIER_WAIT")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_BARRIER;
  } else if (is("S_SLEEP")) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_SLEEP;
  } else if (code->instructions().get(inst.getOpcode()).isBranch()) {
    result.kind = AMD_DBGAPI_INSTRUCTION_KIND_SPECIAL;
    result.flow = Flow::Other;
  }

  if (withText) {
    raw_string_ostream out(result.text);
    code->printer().printInst(&inst, address, "", code->subtarget(), out);
    result.text = StringRef(result.text).trim().str();
    if (result.target) {
      std::string symbol = symbolize ? symbolize(result.target) : "";
      result.text +=
          "  # " +
          (symbol.empty() ? "0x" + utohexstr(result.target, true) : symbol);
    }
  }
  return result;
}

} // namespace wavelane::library
