//===-- AMDGPUMachineCode.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMDGPUMachineCode.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace lldb_private::wavelane;

std::shared_ptr<AMDGPUMachineCode>
AMDGPUMachineCode::Get(llvm::StringRef processor) {
  // Neither is destroyed: threads may outlive main.
  static std::mutex &mutex = *new std::mutex;
  static auto &known = *new llvm::StringMap<std::shared_ptr<AMDGPUMachineCode>>;
  std::lock_guard<std::mutex> guard(mutex);
  auto found = known.find(processor);
  if (found != known.end())
    return found->second;

  auto machine_code = ::wavelane::gpu::MachineCode::create(processor);
  if (!machine_code) {
    llvm::consumeError(machine_code.takeError());
    return nullptr;
  }
  std::shared_ptr<AMDGPUMachineCode> code(new AMDGPUMachineCode);
  code->m_code = std::move(*machine_code);
  code->m_code->printer().setPrintBranchImmAsAddress(true);
  code->m_code->printer().setPrintImmHex(true);
  known[processor] = code;
  return code;
}

std::optional<AMDGPUMachineCode::Instruction>
AMDGPUMachineCode::Decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  std::lock_guard<std::mutex> guard(m_mutex);
  Instruction result;
  if (m_code->decode(result.inst, result.size, bytes, address) !=
      llvm::MCDisassembler::Success)
    return std::nullopt;
  const llvm::MCInstrDesc &description =
      m_code->instructions().get(result.inst.getOpcode());
  result.facts = &m_code->facts(result.inst);
  result.calls = description.isCall();
  result.branches = result.calls || description.mayAffectControlFlow(
                                        result.inst, m_code->registers());
  result.ends = description.isBarrier();
  result.loads = description.mayLoad();
  result.waits = result.facts->MeetsWaves;
  return result;
}

std::string AMDGPUMachineCode::Print(const llvm::MCInst &inst,
                                     uint64_t address) {
  std::lock_guard<std::mutex> guard(m_mutex);
  std::string text;
  llvm::raw_string_ostream stream(text);
  m_code->printer().printInst(&inst, address, /*Annot=*/"", m_code->subtarget(),
                              stream);
  stream.flush();
  return text;
}

std::optional<uint64_t>
AMDGPUMachineCode::GetBranchTarget(const llvm::MCInst &inst, uint64_t address,
                                   uint64_t size) {
  std::lock_guard<std::mutex> guard(m_mutex);
  uint64_t target;
  if (m_code->analysis().evaluateBranch(inst, address, size, target))
    return target;
  return std::nullopt;
}

std::optional<AMDGPUMachineCode::Register>
AMDGPUMachineCode::ParseRegister(unsigned reg) const {
  // LLVM calls them SGPR33, VGPR40 and AGPR1.
  llvm::StringRef name = m_code->registers().getName(reg);
  Register result;
  for (auto [whole, file] : {std::pair("EXEC", 'e'), std::pair("VCC", 'c')})
    if (name.consume_front(whole)) {
      if (name != "_LO" && name != "_HI")
        return std::nullopt;
      return Register{file, name == "_HI"};
    }
  if (name.consume_front("SGPR"))
    result.file = 's';
  else if (name.consume_front("VGPR"))
    result.file = 'v';
  else if (name.consume_front("AGPR"))
    result.file = 'a';
  else
    return std::nullopt;
  if (name.getAsInteger(10, result.number))
    return std::nullopt;
  return result;
}

std::optional<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetRegister(const llvm::MCOperand &operand) const {
  if (!operand.isReg() || !operand.getReg())
    return std::nullopt;
  return ParseRegister(operand.getReg());
}

std::vector<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetParts(const llvm::MCOperand &operand) const {
  std::vector<Register> result;
  if (operand.isReg() && operand.getReg())
    AddParts(operand.getReg(), result);
  std::sort(result.begin(), result.end());
  return result;
}

void AMDGPUMachineCode::AddParts(unsigned reg,
                                 std::vector<Register> &parts) const {
  const llvm::MCRegisterInfo &registers = m_code->registers();
  const size_t before = parts.size();
  for (llvm::MCPhysReg part : registers.subregs_inclusive(reg))
    if (std::optional<Register> parsed = ParseRegister(part))
      parts.push_back(*parsed);
  if (parts.size() != before)
    return;
  // Half a register (v4.l) counts as the whole.
  for (llvm::MCPhysReg whole : registers.superregs(reg))
    if (std::optional<Register> parsed = ParseRegister(whole))
      return parts.push_back(*parsed);
}

std::vector<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetWritten(const llvm::MCInst &inst) const {
  std::vector<Register> result;
  const llvm::MCInstrDesc &description =
      m_code->instructions().get(inst.getOpcode());
  for (unsigned i = 0; i < description.getNumDefs() && i < inst.size(); ++i)
    if (inst.getOperand(i).isReg() && inst.getOperand(i).getReg())
      AddParts(inst.getOperand(i).getReg(), result);
  for (llvm::MCPhysReg reg : description.implicit_defs())
    AddParts(reg, result);
  return result;
}

std::vector<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetRead(const llvm::MCInst &inst) const {
  std::vector<Register> result;
  const llvm::MCInstrDesc &description =
      m_code->instructions().get(inst.getOpcode());
  for (unsigned i = description.getNumDefs(); i < inst.size(); ++i)
    for (const Register &part : GetParts(inst.getOperand(i)))
      result.push_back(part);
  for (llvm::MCPhysReg reg : description.implicit_uses())
    AddParts(reg, result);
  return result;
}
