//===-- HipBuiltins.cpp ---------------------------------------*- C++ -*-===//

#include "HipBuiltins.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Lane/LaneSource.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Thread.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
struct Builtin {
  const char *name;
  LaneSource::Extent extent;
  /// DW_OP_regx and a number that the machine's registers stay below.
  std::array<uint8_t, 6> expression;
};
} // namespace

constexpr uint64_t g_first_register = uint64_t(1) << 28;
#define REGX(number)                                                           \
  { llvm::dwarf::DW_OP_regx, 0x80 | number, 0x80, 0x80, 0x80, 0x01 }

// The last one is a number, not three.
static const Builtin g_builtins[HipBuiltins::kCount] = {
    {"threadIdx", LaneSource::eWorkItem, REGX(0)},
    {"blockIdx", LaneSource::eWorkgroup, REGX(1)},
    {"blockDim", LaneSource::eWorkgroupSize, REGX(2)},
    {"gridDim", LaneSource::eWorkgroupCount, REGX(3)},
    {"warpSize", LaneSource::eLaneCount, REGX(4)},
};
#undef REGX

static bool IsNumber(size_t index) {
  return g_builtins[index].extent == LaneSource::eLaneCount;
}

std::optional<size_t> HipBuiltins::Find(llvm::StringRef name) {
  for (size_t i = 0; i < kCount; ++i)
    if (name == g_builtins[i].name)
      return i;
  return std::nullopt;
}

llvm::StringRef HipBuiltins::GetName(size_t index) {
  return g_builtins[index].name;
}

std::optional<size_t> HipBuiltins::FindRegister(uint64_t dwarf_number) {
  if (dwarf_number < g_first_register || dwarf_number - g_first_register >= kCount)
    return std::nullopt;
  return size_t(dwarf_number - g_first_register);
}

uint64_t HipBuiltins::GetByteSize(size_t index) {
  return IsNumber(index) ? 4 : 12;
}

llvm::Expected<llvm::SmallVector<uint8_t, 64>>
HipBuiltins::Read(size_t index, const FrameFacts &facts) {
  const Builtin &builtin = g_builtins[index];
  ThreadSP thread_sp = facts.GetThread();
  auto *wave = dynamic_cast<LaneSource *>(thread_sp.get());
  if (!wave)
    return llvm::createStringError("%s is a wave's, and none is selected",
                                   builtin.name);
  std::optional<std::array<uint32_t, 3>> numbers =
      wave->GetExtent(builtin.extent, facts.GetLane());
  if (!numbers && builtin.extent == LaneSource::eWorkItem)
    return llvm::createStringError("lane %u has no work-item", facts.GetLane());
  if (!numbers)
    return llvm::createStringError(
        "%s isn't known: nothing is known of the wave's dispatch", builtin.name);
  llvm::SmallVector<uint8_t, 64> bytes;
  for (uint64_t i = 0; i < GetByteSize(index); ++i)
    bytes.push_back(uint8_t((*numbers)[i / 4] >> (8 * (i % 4))));
  return bytes;
}

TypeSP HipBuiltins::GetType(size_t index) {
  TypeSP &type_sp = IsNumber(index) ? m_number : m_coordinates;
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
  // Not a name that the program may have.
  const char *name = "__hip_coordinates";
  if (IsNumber(index)) {
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
      LLDB_INVALID_UID, ConstString(name), GetByteSize(index), nullptr,
      LLDB_INVALID_UID, Type::eEncodingIsUID, Declaration(),
      type.AddConstModifier(), Type::ResolveState::Full);
  return type_sp;
}

static bool IsOfHeaders(llvm::StringRef name) {
  return name.starts_with("__HIP_") || name.starts_with("__hip_");
}

/// Whether a variable is of HIP's headers: a member of their classes, or a built-in
/// of such a class. Types aren't made for that.
static bool IsOfHeaders(SymbolFileLaneDWARF &symbols, Variable &variable,
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

void HipBuiltins::Replace(VariableList &list, size_t first,
                          std::optional<size_t> only, SymbolContextScope &scope,
                          const plugin::dwarf::DWARFUnit &unit) {
  std::array<bool, kCount> taken = {};
  // An expression finds a variable by the declaration of its entry.
  std::array<user_id_t, kCount> ids;
  ids.fill(LLDB_INVALID_UID);
  for (size_t i = first; i < list.GetSize();) {
    VariableSP variable_sp = list.GetVariableAtIndex(i);
    std::optional<size_t> index = Find(variable_sp->GetUnqualifiedName().GetStringRef());
    if (!IsOfHeaders(m_symbols, *variable_sp, index.has_value())) {
      if (index)
        taken[*index] = true;
      ++i;
      continue;
    }
    if (index)
      ids[*index] = variable_sp->GetID();
    list.RemoveVariableAtIndex(i);
  }
  for (size_t i = 0; i < kCount; ++i) {
    if (taken[i] || (only && *only != i))
      continue;
    TypeSP type_sp = GetType(i);
    if (!type_sp)
      return;
    const Builtin &builtin = g_builtins[i];
    DWARFExpressionList location(
        m_symbols.GetObjectFile()->GetModule(),
        DWARFExpression(lldb_private::DataExtractor(
            builtin.expression.data(), builtin.expression.size(),
            eByteOrderLittle, 8)),
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
