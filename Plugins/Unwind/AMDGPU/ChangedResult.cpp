//===-- ChangedResult.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChangedResult.h"
#include "Core/MachineCode/LoadedCode.h"
#include "Core/Support/FunctionRange.h"
#include "SymbolFile/LaneDWARF/FunctionEntry.h"

#include "lldb/Symbol/Function.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

using Register = AMDGPUMachineCode::Register;

std::optional<ChangedResult> ChangedResult::Find(Target &target,
                                                 StackFrame &frame) {
  plugin::dwarf::DWARFDIE die = GetFunctionDIE(frame);
  Function *function = frame.GetSymbolContext(eSymbolContextFunction).function;
  if (!die || !function ||
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_calling_convention,
                                      0) != llvm::dwarf::DW_CC_nocall)
    return std::nullopt;
  ChangedResult result;
  const AddressRange range = GetEntryRange(*function);
  ForEachInstruction(target, range.GetBaseAddress(), range.GetByteSize(),
                     [&](AMDGPUMachineCode &code, addr_t,
                         const AMDGPUMachineCode::Instruction *instruction) {
                       if (!instruction)
                         return false;
                       for (Register reg : code.GetWritten(instruction->inst))
                         if (reg.file == 'v' &&
                             reg.number < result.m_written.size())
                           result.m_written.set(reg.number);
                       return true;
                     });
  return result;
}

bool ChangedResult::IsWhole(Target &target, addr_t pc,
                            unsigned registers) const {
  Address start;
  if (!registers || registers > m_written.size() ||
      !m_written.test(registers - 1) || !target.ResolveLoadAddress(pc, start))
    return false;
  const Register last{'v', registers - 1};
  bool reads = false;
  constexpr size_t kWindow = 1024;
  ForEachInstruction(
      target, start, kWindow,
      [&](AMDGPUMachineCode &code, addr_t,
          const AMDGPUMachineCode::Instruction *instruction) {
        if (!instruction)
          return false;
        const llvm::MCInst &inst = instruction->inst;
        const bool writes = llvm::is_contained(code.GetWritten(inst), last);
        // The first operands are those it writes: two for an instruction with
        // two operations.
        const ::wavelane::gpu::InstructionFacts &facts = *instruction->facts;
        const unsigned results = facts.IsDual ? 2 : 1;
        for (unsigned i = writes ? results : 0; i < inst.getNumOperands(); ++i)
          reads |= llvm::is_contained(code.GetParts(inst.getOperand(i)), last);
        return !reads && !writes && !instruction->branches &&
               !instruction->calls &&
               facts.Flow != ::wavelane::gpu::ControlFlow::End;
      });
  return reads;
}
