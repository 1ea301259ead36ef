//===-- DroppedVariables.cpp ------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DroppedVariables.h"
#include "Plugins/SymbolFile/DWARF/DWARFDebugInfoEntry.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

/// How deep blocks may be nested.
static constexpr unsigned kMaxDepth = 100;

/// The variables and parameters in \a block and its inner blocks.
static void AddVariables(const DWARFDIE &block, std::vector<DWARFDIE> &found,
                         unsigned depth = 0) {
  if (depth > kMaxDepth)
    return;
  for (DWARFDIE child : block.children()) {
    if (child.Tag() == dw::DW_TAG_variable ||
        child.Tag() == dw::DW_TAG_formal_parameter)
      found.push_back(child);
    else if (child.Tag() == dw::DW_TAG_lexical_block)
      AddVariables(child, found, depth + 1);
  }
}

/// Whether only its own entry, or that of its inlined copy, has its location.
static bool IsAutomatic(const DWARFDIE &variable) {
  for (dw::Attribute attribute :
       {dw::DW_AT_location, dw::DW_AT_const_value, dw::DW_AT_external,
        dw::DW_AT_declaration, dw::DW_AT_linkage_name, dw::DW_AT_artificial}) {
    DWARFFormValue value;
    if (variable.GetDIE()->GetAttributeValue(variable.GetCU(), attribute, value,
                                             nullptr))
      return false;
  }
  return variable.Tag() == dw::DW_TAG_variable;
}

std::vector<DWARFDIE>
lldb_private::wavelane::FindDroppedVariables(const DWARFDIE &call) {
  const DWARFDIE function = call.GetReferencedDIE(dw::DW_AT_abstract_origin);
  std::vector<DWARFDIE> all, here;
  if (!function || function.Tag() != dw::DW_TAG_subprogram)
    return {};
  AddVariables(function, all);
  AddVariables(call, here);
  llvm::StringMap<unsigned> names;
  for (const DWARFDIE &variable : all)
    if (const char *name = variable.GetName())
      ++names[name];
  llvm::erase_if(all, [&](const DWARFDIE &variable) {
    const char *name = variable.GetName();
    return !name || names[name] != 1 || !IsAutomatic(variable) ||
           llvm::any_of(here, [&](const DWARFDIE &other) {
             return other.GetReferencedDIE(dw::DW_AT_abstract_origin) ==
                    variable;
           });
  });
  return all;
}
