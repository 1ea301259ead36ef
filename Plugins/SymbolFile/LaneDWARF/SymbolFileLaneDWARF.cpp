//===-- SymbolFileLaneDWARF.cpp -------------------------------*- C++ -*-===//

#include "SymbolFileLaneDWARF.h"
#include "Evaluation.h"
#include "LaneAttributes.h"
#include "Operations.h"
#include "Plugins/SymbolFile/Symtab/SymbolFileSymtab.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

void SymbolFileLaneDWARF::Initialize() {
  // LLDB's own plugin would read the same files; the debug map's stays, and finds
  // this one for its object files.
  PluginManager::UnregisterPlugin(SymbolFileDWARF::CreateInstance);
  PluginManager::RegisterPlugin(SymbolFileDWARF::GetPluginNameStatic(),
                                SymbolFileDWARF::GetPluginDescriptionStatic(),
                                CreateInstance, DebuggerInitialize);
  // DWARF is asked before the symbol table, as in LLDB: the first that can do all
  // is taken, and the symbol table's plugin would read the table to say that it can't.
  PluginManager::UnregisterPlugin(SymbolFileSymtab::CreateInstance);
  PluginManager::RegisterPlugin(SymbolFileSymtab::GetPluginNameStatic(),
                                SymbolFileSymtab::GetPluginDescriptionStatic(),
                                SymbolFileSymtab::CreateInstance);
  SetDebugInfoLanes(ReadLaneAttributes);
}

void SymbolFileLaneDWARF::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

void SymbolFileLaneDWARF::DebuggerInitialize(Debugger &debugger) {
  SymbolFileDWARF::DebuggerInitialize(debugger);
  DebuggerWasCreated(debugger);
}

SymbolFile *SymbolFileLaneDWARF::CreateInstance(ObjectFileSP objfile_sp) {
  return new SymbolFileLaneDWARF(std::move(objfile_sp));
}

SymbolFileLaneDWARF::SymbolFileLaneDWARF(ObjectFileSP objfile_sp)
    : SymbolFileDWARF(objfile_sp, /*dwo_section_list=*/nullptr),
      m_is_gpu(objfile_sp->GetModule()->GetArchitecture().GetMachine() ==
               llvm::Triple::amdgcn) {}

const LocalMemory &SymbolFileLaneDWARF::GetLocalMemory(DWARFUnit &unit) const {
  {
    std::lock_guard<std::mutex> guard(m_local_memory_mutex);
    auto found = m_local_memory.find(&unit);
    if (found != m_local_memory.end())
      return *found->second;
  }
  // Made without the lock, as it takes the module's.
  auto memory = std::make_unique<LocalMemory>(unit);
  std::lock_guard<std::mutex> guard(m_local_memory_mutex);
  return *m_local_memory.emplace(&unit, std::move(memory)).first->second;
}

bool SymbolFileLaneDWARF::UsesOldNumbers(CompileUnit &unit) {
  DWARFUnit *dwarf_unit = GetDWARFCompileUnit(&unit);
  return dwarf_unit && HasOldAddressSpaceNumbers(*dwarf_unit);
}

offset_t SymbolFileLaneDWARF::GetVendorDWARFOpcodeSize(
    const DataExtractor &data, const offset_t data_offset,
    const uint8_t op) const {
  return GetVendorOperandSize(data, data_offset, op)
      .value_or(LLDB_INVALID_OFFSET);
}

std::optional<llvm::Expected<Value>> SymbolFileLaneDWARF::EvaluateExpression(
    ExecutionContext *exe_ctx, RegisterContext *reg_ctx, const ModuleSP &module_sp,
    const DataExtractor &opcodes, const DWARFUnit *dwarf_cu, RegisterKind,
    const Value *initial_value_ptr, const Value *object_address_ptr) const {
  if (!m_is_gpu && !NeedsEngine(opcodes))
    return std::nullopt;
  // Types are laid out, and static variables found, without a process; stock
  // evaluation does that.
  Process *process = exe_ctx ? exe_ctx->GetProcessPtr() : nullptr;
  if (!process || !process->IsAlive())
    return std::nullopt;
  if (opcodes.GetByteSize() == 0)
    return llvm::Expected<Value>(llvm::createStringError(
        "no location, value may have been optimized out"));

  StackFrame *frame = exe_ctx->GetFramePtr();
  ThreadSP thread_sp = exe_ctx->GetThreadSP();
  // Register contexts come with frames; a bare one belongs to its thread's.
  StackFrameSP frame_sp;
  if (!frame && reg_ctx) {
    thread_sp = reg_ctx->CalculateThread();
    frame_sp = reg_ctx->CalculateStackFrame();
    frame = frame_sp.get();
  }
  const uint32_t lane = frame       ? GetFocusLane(*frame)
                        : thread_sp ? GetFocusLane(*thread_sp)
                                    : 0;
  auto context = std::make_shared<FrameContext>(
      FrameFacts(*process, thread_sp.get(), frame, lane), module_sp, dwarf_cu,
      uint8_t(opcodes.GetAddressByteSize()));
  if (object_address_ptr)
    context->SetObject(location::Location::memory(
        eSpaceGlobal, object_address_ptr->GetScalar().ULongLong()));
  return EvaluateToValue(context, opcodes.GetData(), initial_value_ptr);
}
