//===-- RegisterSteps.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterSteps.h"
#include "wavelane/GPU/CallingConvention.h"
#include "wavelane/GPU/MemoryBits.h"
#include "wavelane/GPU/Sums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCExpr.h"
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::ControlFlow;
using ::wavelane::gpu::InstructionClass;
using ::wavelane::gpu::InstructionFacts;
using ::wavelane::gpu::LogicOperation;
using ::wavelane::gpu::MoveKind;
using ::wavelane::gpu::ScalarSum;
using Register = AMDGPUMachineCode::Register;

bool RegisterStep::MayWriteAny(const Register &reg) const {
  return writes_any &&
         !(calls && (::wavelane::gpu::isCalleeSaved(reg.file, reg.number) ||
                     (callee && !callee->MayWrite(reg))));
}

bool RegisterStep::MayWrite(const Register &reg) const {
  return llvm::is_contained(written, reg) || MayWriteAny(reg);
}

static bool IsExec(const Register &reg) { return reg.file == 'e'; }

/// Whether all lanes of a bitwise result are among those of its operands.
static bool IsAmongOperands(LogicOperation logic) {
  switch (logic) {
  case LogicOperation::And:
  case LogicOperation::AndNot1:
  case LogicOperation::AndNot2:
  case LogicOperation::Or:
  case LogicOperation::Xor:
    return true;
  default:
    return false;
  }
}

/// Sets what an instruction does to masks of lanes.
static void ReadMasks(AMDGPUMachineCode &code,
                      const AMDGPUMachineCode::Instruction &instruction,
                      RegisterStep &step) {
  const InstructionFacts &facts = *instruction.facts;
  const std::vector<Register> read = code.GetRead(instruction.inst);
  for (const Register &reg : read)
    if (reg.file == 's' || reg.file == 'c')
      step.masks.push_back(reg);
  step.reads_exec = llvm::any_of(read, IsExec);
  const bool has_constant =
      llvm::any_of(instruction.inst, [](const llvm::MCOperand &operand) {
        return operand.isImm() && operand.getImm() != 0;
      });
  const bool is_copy = facts.Move == MoveKind::Scalar;
  const bool narrows =
      // Comparisons and carries are of lanes that execute.
      (facts.Class == InstructionClass::VectorALU &&
       !facts.accessesOneLane()) ||
      (step.reads_exec && (facts.Logic == LogicOperation::And ||
                           (facts.Logic == LogicOperation::AndNot2 &&
                            !facts.SavesExec && !facts.CopiesExec) ||
                           (facts.Logic == LogicOperation::AndNot1 &&
                            (facts.SavesExec || facts.CopiesExec))));
  const bool is_known =
      !has_constant && (is_copy || IsAmongOperands(facts.Logic));
  if (code.WritesExec(instruction.inst))
    step.lanes = narrows    ? RegisterStep::Lanes::eExecuting
                 : is_known ? RegisterStep::Lanes::eMasks
                            : RegisterStep::Lanes::eUnknown;
  step.mask = narrows || facts.SavesExec ? RegisterStep::Lanes::eExecuting
              : is_known                 ? RegisterStep::Lanes::eMasks
                                         : RegisterStep::Lanes::eUnknown;
}

/// Whether an instruction may change what is in memory.
static bool Stores(const AMDGPUMachineCode::Instruction &instruction) {
  using ::wavelane::gpu::MemoryOperation;
  return instruction.calls ||
         instruction.facts->Memory == MemoryOperation::Store ||
         instruction.facts->Memory == MemoryOperation::Atomic;
}

/// Whether an instruction does more than to compute registers.
static bool IsOrdered(const AMDGPUMachineCode::Instruction &instruction) {
  using ::wavelane::gpu::BarrierStep;
  // For hazards, a compiler inserts no longer ones.
  constexpr int64_t longest_nop = 7;
  const InstructionFacts &facts = *instruction.facts;
  return Stores(instruction) || facts.Barrier != BarrierStep::None ||
         facts.IsSleep || facts.IsTrap ||
         (facts.IsNop && instruction.inst.size() == 1 &&
          instruction.inst.getOperand(0).getImm() > longest_nop);
}

/// An operand's constant. LLVM makes an expression of a literal that could be
/// shorter.
static std::optional<int64_t> ReadConstant(const llvm::MCOperand &operand) {
  int64_t value = 0;
  if (operand.isImm())
    return operand.getImm();
  return operand.isExpr() && operand.getExpr()->evaluateAsAbsolute(value)
             ? std::optional<int64_t>(value)
             : std::nullopt;
}

/// The constant that an instruction adds to the register that it writes.
static std::optional<int64_t>
ReadAdded(const AMDGPUMachineCode::Instruction &instruction) {
  // First the result, then what is added.
  if (instruction.inst.size() < 3)
    return std::nullopt;
  const llvm::MCOperand &result = instruction.inst.getOperand(0);
  for (unsigned constant : {1, 2}) {
    const std::optional<int64_t> number =
        ReadConstant(instruction.inst.getOperand(constant));
    const llvm::MCOperand &other = instruction.inst.getOperand(3 - constant);
    if (!number || !result.isReg() || !other.isReg() ||
        other.getReg() != result.getReg())
      continue;
    if (const int sign = ::wavelane::gpu::getConstantSign(
            *instruction.facts, /*IsFirst=*/constant == 1))
      return sign * (instruction.facts->Sum == ScalarSum::AddShort
                         ? int64_t(int16_t(*number))
                         : int64_t(int32_t(*number)));
  }
  return std::nullopt;
}

static RegisterStep
ReadStep(AMDGPUMachineCode &code,
         const AMDGPUMachineCode::Instruction &instruction) {
  const InstructionFacts &facts = *instruction.facts;
  RegisterStep step;
  step.written = code.GetWritten(instruction.inst);
  step.calls = instruction.calls;
  step.writes_any = instruction.calls || facts.IsRelative || facts.SetsIndexing;
  step.stores = Stores(instruction);
  step.stored_bits = step.stores && !instruction.calls
                         ? ::wavelane::gpu::getMemoryBits(facts)
                         : 0;
  step.is_ordered = IsOrdered(instruction);
  step.is_partial =
      !facts.IsPlain || facts.IsHalf || facts.Move == MoveKind::WriteLane;
  step.computes = (facts.Class == InstructionClass::ScalarALU ||
                   facts.Class == InstructionClass::VectorALU) &&
                  facts.Move == MoveKind::None;
  step.added = ReadAdded(instruction);
  ReadMasks(code, instruction, step);
  if (facts.IsPlain &&
      (facts.Move == MoveKind::Scalar || facts.Move == MoveKind::Vector)) {
    std::vector<Register> from;
    for (const Register &reg : code.GetRead(instruction.inst))
      // Vector moves read the mask of active lanes, too.
      if (!IsExec(reg))
        from.push_back(reg);
    if (from.size() == step.written.size())
      step.copied = std::move(from);
  }
  return step;
}

namespace {

/// Follows `s_getpc`, `s_add` and `s_addc`, which make an address near the
/// code.
class AddressReader {
public:
  explicit AddressReader(std::vector<RegisterStep> &steps) : m_steps(steps) {}

  /// Reads the instruction of the last step.
  void Read(AMDGPUMachineCode &code,
            const AMDGPUMachineCode::Instruction &instruction) {
    const InstructionFacts &facts = *instruction.facts;
    RegisterStep &step = m_steps.back();
    if (facts.ReadsPC && step.written.size() == 2) {
      m_halves = step.written;
      m_base = step.end;
      m_low.reset();
      return;
    }
    const auto writes = [&](size_t half) {
      return llvm::is_contained(step.written, m_halves[half]);
    };
    if (m_halves.empty() || (!writes(0) && !writes(1)))
      return;
    const std::optional<uint32_t> added = FindConstant(instruction.inst);
    const bool is_sum = added && facts.IsCarry && step.written.size() == 1 &&
                        llvm::is_contained(code.GetRead(instruction.inst),
                                           step.written.front());
    if (is_sum && facts.Sum == ScalarSum::Add && writes(0) && !m_low) {
      m_low = {m_steps.size() - 1, *added};
    } else if (is_sum && ::wavelane::gpu::addsScalarCarry(facts) && writes(1) &&
               m_low) {
      step.address = m_base + (uint64_t(*added) << 32 | m_low->second);
      m_steps[m_low->first].address = step.address;
      m_halves.clear();
    } else if (!ExtendsSign(facts)) {
      m_halves.clear();
    }
  }

private:
  static std::optional<uint32_t> FindConstant(const llvm::MCInst &inst) {
    for (const llvm::MCOperand &operand : inst)
      if (const std::optional<int64_t> value = ReadConstant(operand))
        return uint32_t(*value);
    return std::nullopt;
  }
  /// Some GPUs have 48 bits of a program counter.
  static bool ExtendsSign(const InstructionFacts &facts) {
    return facts.isScalar() && facts.ResultType == "i32" &&
           facts.OperandType == "i16";
  }

  std::vector<RegisterStep> &m_steps;
  std::vector<Register> m_halves; ///< Empty if there is no address.
  addr_t m_base = 0;
  /// The step that adds to the lower half, and what it adds.
  std::optional<std::pair<size_t, uint32_t>> m_low;
};

} // namespace

std::vector<RegisterStep>
lldb_private::wavelane::ReadRegisterSteps(AMDGPUMachineCode &code, addr_t start,
                                          llvm::ArrayRef<uint8_t> bytes) {
  std::vector<RegisterStep> steps;
  std::vector<std::optional<addr_t>> targets;
  std::map<addr_t, size_t> index;
  AddressReader addresses(steps);
  for (addr_t pc = start; !bytes.empty();) {
    std::optional<AMDGPUMachineCode::Instruction> instruction =
        code.Decode(bytes, pc);
    // Padding at the end, or something unknown.
    if (!instruction || instruction->size > bytes.size())
      break;
    const InstructionFacts &facts = *instruction->facts;
    RegisterStep step = ReadStep(code, *instruction);
    step.pc = pc;
    step.end = pc + instruction->size;
    std::optional<addr_t> target;
    const bool is_conditional = facts.Flow == ControlFlow::ConditionalBranch;
    if (facts.Flow == ControlFlow::End) {
      step.falls_through = false;
    } else if (instruction->branches && !instruction->calls &&
               !instruction->waits && !facts.IsTrap) {
      target = code.GetBranchTarget(instruction->inst, pc, instruction->size);
      step.falls_through = is_conditional;
      if (!target && facts.Flow != ControlFlow::Jump)
        return {};
    }
    index[pc] = steps.size();
    steps.push_back(std::move(step));
    addresses.Read(code, *instruction);
    targets.push_back(target);
    bytes = bytes.drop_front(instruction->size);
    pc += instruction->size;
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!targets[i])
      continue;
    auto found = index.find(*targets[i]);
    if (found == index.end())
      return {};
    steps[i].target = found->second;
  }
  return steps;
}
