//===-- InstructionEffect.h - where an instruction moves values -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_INSTRUCTIONEFFECT_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_INSTRUCTIONEFFECT_H

#include "UnwindRow.h"

namespace lldb_private {
namespace wavelane {

/// The effect of one instruction on the places of a function's entry values.
class InstructionEffect {
public:
  /// \param[in] row  The state before the instruction; Apply changes it.
  InstructionEffect(AMDGPUMachineCode &code,
                    const AMDGPUMachineCode::Instruction &instruction,
                    UnwindRow &row)
      : m_code(code), m_instruction(instruction), m_facts(*instruction.facts),
        m_inst(instruction.inst), m_row(row) {}

  /// \return Whether the row was changed.
  bool Apply();

private:
  using Copy = UnwindRow::Copy;
  using Place = UnwindRow::Place;
  using Register = UnwindRow::Register;

  // Each handles the instructions of one kind.
  // \return Whether the instruction is one of them.
  /// \return Whether the instruction is one.
  bool WriteExec();
  bool WriteLane();
  bool ReadLane();
  bool CopyRegister();
  bool CopyPair();
  bool MoveStackPointer();
  bool AccessSlot();
  /// Handles any other instruction.
  void ClobberWritten();

  // The instruction's operands.
  std::optional<Register> GetRegister(unsigned operand) const;
  std::vector<Register> GetParts(unsigned operand) const;
  std::optional<int64_t> GetImmediate(unsigned operand) const;

  // The values at entry. The one in a place.
  /// The one that a place holds.
  std::optional<Copy> GetHeld(const Place &place) const;
  /// The copy that results if the active lanes are copied.
  std::optional<Copy> ForActiveLanes(std::optional<Copy> copy) const;
  bool Holds(Register place, Register value) const;
  bool IsEntryMask(const std::vector<Register> &mask) const;
  /// Handles a write to a register.
  /// \param[in] with_lanes Whether the contents of its single lanes are
  ///     lost, too.
  void Clobber(Register reg, bool with_lanes);
  void Put(const Place &place, std::optional<Copy> copy);

  // The offset of a register from the stack pointer at entry.
  std::optional<int64_t> GetStackOffset(Register reg) const;
  void SetStackOffset(Register reg, std::optional<int64_t> offset);

  AMDGPUMachineCode &m_code;
  const AMDGPUMachineCode::Instruction &m_instruction;
  const ::wavelane::gpu::InstructionFacts &m_facts;
  const llvm::MCInst &m_inst;
  UnwindRow &m_row;
  bool m_changed = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
