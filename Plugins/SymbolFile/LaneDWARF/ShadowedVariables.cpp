//===-- ShadowedVariables.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ShadowedVariables.h"
#include "Core/Support/OtherSide.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/RegularExpression.h"
#include "lldb/ValueObject/ValueObject.h"
#include "lldb/ValueObject/ValueObjectVariable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Regex.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// More variables of one name aren't looked at.
static constexpr uint32_t kMost = 64;

static bool HasSameDeclaration(const Variable &a, const Variable &b) {
  const Declaration &here = a.GetDeclaration(), &there = b.GetDeclaration();
  return here.GetLine() == there.GetLine() &&
         here.GetFile().GetFilename() == there.GetFile().GetFilename();
}

/// Whether a module of a GPU has a symbol for a variable of the host's.
static bool HasSymbol(Module &module, ConstString name) {
  SymbolContextList found;
  // The GPU's symbol of a static variable that the host names has more letters.
  if (name.GetStringRef().starts_with("_ZL"))
    module.FindSymbolsMatchingRegExAndType(
        RegularExpression("^" + llvm::Regex::escape(name.GetStringRef())),
        eSymbolTypeAny, found, Mangled::ePreferMangled);
  else
    module.FindSymbolsWithNameAndType(name, eSymbolTypeAny, found);
  if (!found.GetSize())
    return false;
  // The host's object of a managed variable is the variable.
  SymbolContextList managed;
  module.FindSymbolsWithNameAndType(
      ConstString((name.GetStringRef() + ".managed").str()), eSymbolTypeAny,
      managed);
  return !managed.GetSize();
}

/// The one with the same declaration; may be null.
static VariableSP FindLike(const VariableList &variables,
                           const Variable &like) {
  for (const VariableSP &variable_sp : variables)
    if (HasSameDeclaration(*variable_sp, like))
      return variable_sp;
  return nullptr;
}

/// The address of the file that a location is; nullopt for other locations.
static std::optional<addr_t>
ReadAddress(const DataExtractor &location,
            const DWARFExpression::Delegate &unit) {
  offset_t offset = 0;
  const uint8_t operation = location.GetU8(&offset);
  addr_t address = LLDB_INVALID_ADDRESS;
  if (operation == llvm::dwarf::DW_OP_addr)
    address = location.GetAddress(&offset);
  else if (operation == llvm::dwarf::DW_OP_addrx)
    address = unit.ReadAddressFromDebugAddrSection(
        uint32_t(location.GetULEB128(&offset)));
  return address == LLDB_INVALID_ADDRESS || offset != location.GetByteSize()
             ? std::nullopt
             : std::optional(address);
}

llvm::Expected<std::optional<addr_t>>
lldb_private::wavelane::FindShadowed(Target &target, Module &module,
                                     const DataExtractor &location,
                                     const DWARFExpression::Delegate &unit) {
  const std::optional<addr_t> file_address = ReadAddress(location, unit);
  if (!file_address)
    return std::nullopt;
  const std::vector<ObjectContainerFatBinary::CodeObject> objects =
      ObjectContainerFatBinary::GetCodeObjects(module);
  Address address;
  if (objects.empty() || !module.ResolveFileAddress(*file_address, address))
    return std::nullopt;
  const Symbol *symbol = address.CalculateSymbolContextSymbol();
  if (!symbol || symbol->GetAddressRef() != address)
    return std::nullopt;
  const ConstString linkage_name =
      symbol->GetMangled().GetName(Mangled::ePreferMangled);
  if (llvm::none_of(objects, [&](const auto &object) {
        return object.module_sp && HasSymbol(*object.module_sp, linkage_name);
      }))
    return std::nullopt;
  // The host may have a variable of its own with that name.
  const ConstString name = symbol->GetMangled().GetName();
  VariableList variables;
  module.FindGlobalVariables(name, CompilerDeclContext(), kMost, variables);
  VariableSP host_sp;
  for (const VariableSP &variable_sp : variables) {
    DataExtractor own;
    const DWARFExpression *expression =
        variable_sp->LocationExpressionList().GetAlwaysValidExpr();
    if (expression && expression->GetExpressionData(own) &&
        own.GetData() == location.GetData())
      host_sp = variable_sp;
  }
  if (!host_sp || llvm::none_of(objects, [&](const auto &object) {
        VariableList found;
        if (object.module_sp)
          object.module_sp->FindGlobalVariables(name, CompilerDeclContext(),
                                                kMost, found);
        return FindLike(found, *host_sp) != nullptr;
      }))
    return std::nullopt;
  TargetSP gpu_sp = GetOtherSide(target);
  VariableList loaded;
  if (gpu_sp)
    gpu_sp->GetImages().FindGlobalVariables(name, kMost, loaded);
  const VariableSP gpu_variable_sp = FindLike(loaded, *host_sp);
  ProcessSP process_sp = gpu_sp ? gpu_sp->GetProcessSP() : nullptr;
  ValueObjectSP value_sp =
      gpu_variable_sp && process_sp
          ? ValueObjectVariable::Create(process_sp.get(), gpu_variable_sp)
          : nullptr;
  const ValueObject::AddrAndType place =
      value_sp ? value_sp->GetAddressOf() : ValueObject::AddrAndType();
  if (place.type != eAddressTypeLoad || place.address == LLDB_INVALID_ADDRESS)
    return llvm::createStringError(
        "the GPU's variable, whose code isn't loaded yet");
  return place.address;
}
