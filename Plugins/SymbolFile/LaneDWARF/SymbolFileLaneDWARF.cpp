//===-- SymbolFileLaneDWARF.cpp -------------------------------*- C++ -*-===//

#include "SymbolFileLaneDWARF.h"
#include "LaneAttributes.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/ObjectFile.h"

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

offset_t SymbolFileLaneDWARF::GetVendorDWARFOpcodeSize(
    const DataExtractor &data, const offset_t data_offset,
    const uint8_t op) const {
  return LLDB_INVALID_OFFSET;
}

std::optional<llvm::Expected<Value>> SymbolFileLaneDWARF::EvaluateExpression(
    ExecutionContext *exe_ctx, RegisterContext *reg_ctx,
    const ModuleSP &module_sp, const DataExtractor &opcodes,
    const DWARFUnit *dwarf_cu, RegisterKind reg_kind,
    const Value *initial_value_ptr, const Value *object_address_ptr) const {
  return std::nullopt;
}
