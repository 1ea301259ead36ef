//===-- FunctionEntry.cpp ---------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionEntry.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/StackFrame.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

DWARFDIE lldb_private::wavelane::GetFunctionDIE(StackFrame &frame) {
  const SymbolContext sc = frame.GetSymbolContext(
      eSymbolContextModule | eSymbolContextFunction | eSymbolContextBlock);
  if (!sc.module_sp || !sc.function)
    return {};
  SymbolFile *symbol_file = sc.module_sp->GetSymbolFile();
  if (!symbol_file)
    return {};
  auto *dwarf = llvm::dyn_cast_or_null<SymbolFileDWARF>(
      symbol_file->GetBackingSymbolFile());
  if (!dwarf)
    return {};
  if (frame.IsInlined() && sc.block)
    if (Block *inlined = sc.block->GetContainingInlinedBlock())
      if (DWARFDIE die = dwarf->GetDIE(inlined->GetID()))
        return die;
  return dwarf->GetDIE(sc.function->GetID());
}
