//===-- ChangedResult.cpp -------------------------------------------------===//

#include "ChangedResult.h"
#include "Support/FunctionRange.h"
#include "Support/Processor.h"
#include "MachineCode/AMDGPUMachineCode.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "SymbolFile/LaneDWARF/LaneAttributes.h"

#include "lldb/Symbol/Function.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

using Decoded = AMDGPUMachineCode::Instruction;
using Register = AMDGPUMachineCode::Register;

/// Calls \a visit with each instruction, until it says that it's enough.
static void
ForEachInstruction(ProcessAMDGPU &process, const Address &start, size_t size,
                   llvm::function_ref<bool(AMDGPUMachineCode &,
                                           const Decoded &)> visit) {
  Target &target = process.GetTarget();
  const addr_t load = start.GetLoadAddress(&target);
  std::shared_ptr<AMDGPUMachineCode> code = AMDGPUMachineCode::Get(
      GetProcessorName(process.GetArchitectureAt(load)));
  if (!code)
    return;
  std::vector<uint8_t> bytes(size);
  Status error;
  // From the file where possible: memory may hold breakpoints.
  bytes.resize(target.ReadMemory(start, bytes.data(), size, error,
                                 /*force_live=*/false));
  for (size_t at = 0; at < bytes.size();) {
    std::optional<Decoded> instruction =
        code->Decode(llvm::ArrayRef<uint8_t>(bytes).drop_front(at), load + at);
    if (!instruction || !visit(*code, *instruction))
      return;
    at += instruction->size;
  }
}

std::optional<ChangedResult> ChangedResult::Find(ProcessAMDGPU &process,
                                                 StackFrame &frame) {
  plugin::dwarf::DWARFDIE die = GetFunctionDIE(frame);
  Function *function = frame.GetSymbolContext(eSymbolContextFunction).function;
  if (!die || !function ||
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_calling_convention,
                                      0) != llvm::dwarf::DW_CC_nocall)
    return std::nullopt;
  ChangedResult result;
  constexpr addr_t kMaxSize = 16 << 20;
  const AddressRange range = GetEntryRange(*function);
  ForEachInstruction(
      process, range.GetBaseAddress(), std::min(range.GetByteSize(), kMaxSize),
      [&](AMDGPUMachineCode &code, const Decoded &instruction) {
        for (Register reg : code.GetWritten(instruction.inst))
          if (reg.file == 'v' && reg.number < result.m_written.size())
            result.m_written.set(reg.number);
        return true;
      });
  return result;
}

bool ChangedResult::IsWhole(ProcessAMDGPU &process, addr_t pc,
                            unsigned registers) const {
  Address start;
  if (!registers || registers > m_written.size() ||
      !m_written.test(registers - 1) ||
      !process.GetTarget().ResolveLoadAddress(pc, start))
    return false;
  const Register last{'v', registers - 1};
  bool reads = false;
  constexpr size_t kWindow = 1024;
  ForEachInstruction(
      process, start, kWindow,
      [&](AMDGPUMachineCode &code, const Decoded &instruction) {
        const llvm::MCInst &inst = instruction.inst;
        const bool writes = llvm::is_contained(code.GetWritten(inst), last);
        // What it writes comes first, two registers of two operations in one.
        const unsigned results =
            llvm::StringRef(instruction.name).starts_with("V_DUAL_") ? 2 : 1;
        for (unsigned i = writes ? results : 0; i < inst.getNumOperands(); ++i)
          reads |= llvm::is_contained(code.GetParts(inst.getOperand(i)), last);
        return !reads && !writes && !instruction.branches &&
               !instruction.calls &&
               !llvm::StringRef(instruction.name).starts_with("S_ENDPGM");
      });
  return reads;
}
