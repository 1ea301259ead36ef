//===-- Builtins.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Builtins.h"
#include "LaneSymbols.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static LanguageBuiltins &GetBuiltins() {
  static LanguageBuiltins g_builtins;
  return g_builtins;
}

void lldb_private::wavelane::SetLanguageBuiltins(
    const LanguageBuiltins &builtins) {
  GetBuiltins() = builtins;
}

std::string lldb_private::wavelane::GetBuiltinFunctions(
    llvm::function_ref<bool(llvm::StringRef)> has) {
  const LanguageBuiltins &builtins = GetBuiltins();
  return builtins.functions ? builtins.functions(has) : "";
}

static constexpr uint64_t kFirstRegister = uint64_t(1) << 28;

static bool IsNumber(const BuiltinVariable &builtin) {
  return builtin.extent == LaneSource::eLaneCount;
}

llvm::ArrayRef<BuiltinVariable> lldb_private::wavelane::GetBuiltinVariables() {
  return GetBuiltins().variables;
}

const BuiltinVariable *
lldb_private::wavelane::FindBuiltin(llvm::StringRef name) {
  for (const BuiltinVariable &builtin : GetBuiltins().variables)
    if (name == builtin.name)
      return &builtin;
  return nullptr;
}

const BuiltinVariable *
lldb_private::wavelane::FindBuiltinRegister(uint64_t dwarf_number) {
  llvm::ArrayRef<BuiltinVariable> variables = GetBuiltins().variables;
  if (dwarf_number < kFirstRegister ||
      dwarf_number - kFirstRegister >= variables.size())
    return nullptr;
  return &variables[dwarf_number - kFirstRegister];
}

/// The built-in's location: DW_OP_regx and its number.
static DataBufferSP MakeLocation(size_t index) {
  std::string bytes(1, char(llvm::dwarf::DW_OP_regx));
  llvm::raw_string_ostream stream(bytes);
  llvm::encodeULEB128(kFirstRegister + index, stream);
  return std::make_shared<DataBufferHeap>(bytes.data(), bytes.size());
}

uint64_t lldb_private::wavelane::GetByteSize(const BuiltinVariable &builtin) {
  return IsNumber(builtin) ? 4 : 12;
}

llvm::Expected<llvm::SmallVector<uint8_t, 64>>
lldb_private::wavelane::ReadBuiltin(const BuiltinVariable &builtin,
                                    const FrameFacts &facts) {
  ThreadSP thread_sp = facts.GetThread();
  auto *wave = dynamic_cast<LaneSource *>(thread_sp.get());
  if (!wave)
    return llvm::createStringError(
        "%s belongs to a wave, and no wave is selected", builtin.name);
  std::optional<std::array<uint32_t, 3>> numbers =
      wave->GetExtent(builtin.extent, facts.GetLane());
  if (!numbers && builtin.extent == LaneSource::eWorkItem)
    return llvm::createStringError("lane %u has no work-item", facts.GetLane());
  if (!numbers)
    return llvm::createStringError(
        "%s isn't known, because the wave's dispatch isn't known",
        builtin.name);
  llvm::SmallVector<uint8_t, 64> bytes;
  for (uint64_t i = 0; i < GetByteSize(builtin); ++i)
    bytes.push_back(uint8_t((*numbers)[i / 4] >> (8 * (i % 4))));
  return bytes;
}

TypeSP Builtins::GetType(const BuiltinVariable &builtin) {
  TypeSP &type_sp = IsNumber(builtin) ? m_number : m_coordinates;
  if (type_sp)
    return type_sp;
  llvm::Expected<TypeSystemSP> types =
      m_symbols.GetTypeSystemForLanguage(eLanguageTypeC_plus_plus);
  if (!types) {
    llvm::consumeError(types.takeError());
    return nullptr;
  }
  auto *clang = llvm::dyn_cast_or_null<TypeSystemClang>(types->get());
  if (!clang)
    return nullptr;
  CompilerType type;
  const char *name = GetBuiltins().coordinates_type;
  if (IsNumber(builtin)) {
    name = "int";
    type = clang->GetBasicType(eBasicTypeInt);
  } else {
    type = clang->CreateRecordType(
        nullptr, OptionalClangModuleID(), eAccessPublic, name,
        llvm::to_underlying(clang::TagTypeKind::Struct),
        eLanguageTypeC_plus_plus);
    TypeSystemClang::StartTagDeclarationDefinition(type);
    for (const char *member : {"x", "y", "z"})
      TypeSystemClang::AddFieldToRecordType(
          type, member, clang->GetBasicType(eBasicTypeUnsignedInt),
          eAccessPublic, 0);
    TypeSystemClang::CompleteTagDeclarationDefinition(type);
  }
  type_sp = m_symbols.MakeType(
      LLDB_INVALID_UID, ConstString(name), GetByteSize(builtin), nullptr,
      LLDB_INVALID_UID, Type::eEncodingIsUID, Declaration(),
      type.AddConstModifier(), Type::ResolveState::Full);
  return type_sp;
}

static bool IsOfHeaders(llvm::StringRef name) {
  return llvm::any_of(
      GetBuiltins().header_prefixes,
      [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

/// Whether a variable is from the language's headers: a member of their
/// classes, or a built-in of such a class. Avoids creating types.
static bool IsOfHeaders(LaneSymbols &symbols, Variable &variable,
                        bool is_builtin) {
  if (!is_builtin)
    return IsOfHeaders(variable.GetName().GetStringRef());
  plugin::dwarf::DWARFDIE die = symbols.GetDIE(variable.GetID());
  if (plugin::dwarf::DWARFDIE declaration =
          die.GetReferencedDIE(llvm::dwarf::DW_AT_specification))
    die = declaration;
  plugin::dwarf::DWARFDIE type = die.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  if (type.Tag() == llvm::dwarf::DW_TAG_const_type)
    type = type.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  const char *name = type ? type.GetName() : nullptr;
  return name && IsOfHeaders(llvm::StringRef(name));
}

void Builtins::Replace(VariableList &list, size_t first,
                       const BuiltinVariable *only, SymbolContextScope &scope,
                       const plugin::dwarf::DWARFUnit &unit) {
  llvm::ArrayRef<BuiltinVariable> variables = GetBuiltins().variables;
  std::vector<bool> taken(variables.size());
  // An expression finds a variable by its entry's declaration.
  std::vector<user_id_t> ids(variables.size(), LLDB_INVALID_UID);
  for (size_t i = first; i < list.GetSize();) {
    VariableSP variable_sp = list.GetVariableAtIndex(i);
    const BuiltinVariable *builtin =
        FindBuiltin(variable_sp->GetUnqualifiedName().GetStringRef());
    if (!IsOfHeaders(m_symbols, *variable_sp, builtin != nullptr)) {
      if (builtin)
        taken[builtin - variables.begin()] = true;
      ++i;
      continue;
    }
    if (builtin)
      ids[builtin - variables.begin()] = variable_sp->GetID();
    list.RemoveVariableAtIndex(i);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const BuiltinVariable &builtin = variables[i];
    if (taken[i] || (only && only != &builtin))
      continue;
    TypeSP type_sp = GetType(builtin);
    if (!type_sp)
      return;
    DWARFExpressionList location(m_symbols.GetObjectFile()->GetModule(),
                                 DWARFExpression(lldb_private::DataExtractor(
                                     MakeLocation(i), eByteOrderLittle, 8)),
                                 &unit);
    Declaration declaration;
    list.AddVariable(std::make_shared<Variable>(
        ids[i], builtin.name, nullptr,
        std::make_shared<SymbolFileType>(m_symbols, type_sp),
        eValueTypeVariableGlobal, &scope, Variable::RangeList(), &declaration,
        location, /*external=*/true, /*artificial=*/false,
        /*location_is_constant_data=*/false));
  }
}

void Builtins::RemoveMembers(VariableList &list, size_t first) {
  for (size_t i = first; i < list.GetSize();) {
    const Variable &variable = *list.GetVariableAtIndex(i);
    if (!FindBuiltin(variable.GetUnqualifiedName().GetStringRef()) &&
        IsOfHeaders(variable.GetName().GetStringRef()))
      list.RemoveVariableAtIndex(i);
    else
      ++i;
  }
}
