//===-- SharedVariables.cpp -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedVariables.h"
#include "EntryAttributes.h"
#include "KernelArguments.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/Symtab.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/DataExtractor.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

/// `addrx INDEX; lit2 or lit3; swap; xderef`, or in the AMD dialect
/// `constx INDEX; lit3; LLVM_form_aspace_address`: a variable in local memory.
static std::optional<uint64_t> GetLocalIndex(llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.size() < 5 ||
      (bytes[0] != dw::DW_OP_addrx && bytes[0] != dw::DW_OP_constx))
    return std::nullopt;
  lldb_private::DataExtractor data(bytes.data(), bytes.size(), eByteOrderLittle,
                                   8);
  offset_t offset = 1;
  const uint64_t index = data.GetULEB128(&offset);
  if (bytes.size() != offset + 3)
    return std::nullopt;
  const uint8_t space = bytes[offset];
  const bool is_upstream = bytes[0] == dw::DW_OP_addrx &&
                           bytes[offset + 1] == dw::DW_OP_swap &&
                           bytes[offset + 2] == dw::DW_OP_xderef;
  const bool is_amd = bytes[0] == dw::DW_OP_constx &&
                      bytes[offset + 1] == 0xe9 && bytes[offset + 2] == 2;
  if (space != dw::DW_OP_lit3 && !(space == dw::DW_OP_lit2 && is_upstream))
    return std::nullopt;
  if (!is_upstream && !is_amd)
    return std::nullopt;
  return index;
}

/// The size of local memory in the kernel's descriptor; nullopt for functions
/// that aren't kernels.
static std::optional<uint32_t> GetStaticSize(Module &module,
                                             llvm::StringRef function) {
  ObjectFile *object_file = module.GetObjectFile();
  Symtab *symtab = object_file ? object_file->GetSymtab() : nullptr;
  if (!symtab)
    return std::nullopt;
  Symbol *descriptor = symtab->FindFirstSymbolWithNameAndType(
      ConstString((function + ".kd").str()), eSymbolTypeAny, Symtab::eDebugAny,
      Symtab::eVisibilityAny);
  if (!descriptor || !descriptor->ValueIsAddress())
    return std::nullopt;
  const Address &address = descriptor->GetAddressRef();
  SectionSP section_sp = address.GetSection();
  uint8_t bytes[4];
  // group_segment_fixed_size is the descriptor's first field.
  if (!section_sp ||
      object_file->ReadSectionData(section_sp.get(), address.GetOffset(), bytes,
                                   sizeof(bytes)) != sizeof(bytes))
    return std::nullopt;
  return uint32_t(bytes[0]) | uint32_t(bytes[1]) << 8 |
         uint32_t(bytes[2]) << 16 | uint32_t(bytes[3]) << 24;
}

/// A function's own name for the variable's group, which brings entries of one
/// function together; empty if it has none.
static std::string GetFunctionName(const DWARFDIE &function) {
  const char *name = function ? function.GetMangledName() : nullptr;
  return name ? name : "";
}

static DWARFDIE GetFunction(DWARFDIE die) {
  while (die && die.Tag() != dw::DW_TAG_subprogram)
    die = die.GetParent();
  return die;
}

static std::optional<uint64_t> GetLocalIndex(DWARFUnit &unit,
                                             const DWARFDebugInfoEntry &entry) {
  DWARFFormValue value;
  if (entry.Tag() != dw::DW_TAG_variable ||
      !entry.GetAttributeValue(&unit, dw::DW_AT_location, value, nullptr) ||
      !DWARFFormValue::IsBlockForm(value.Form()))
    return std::nullopt;
  return GetLocalIndex(GetBlock(value));
}

/// Whether the compiler says nothing of where a function's variable is.
static bool IsUnplaced(DWARFUnit &unit, const DWARFDebugInfoEntry &entry) {
  DWARFFormValue value;
  return entry.Tag() == dw::DW_TAG_variable &&
         llvm::none_of(
             std::initializer_list<dw::Attribute>{
                 dw::DW_AT_location, dw::DW_AT_const_value,
                 dw::DW_AT_abstract_origin, dw::DW_AT_specification,
                 dw::DW_AT_artificial},
             [&](dw::Attribute attribute) {
               return entry.GetAttributeValue(&unit, attribute, value, nullptr);
             }) &&
         GetFunction(DWARFDIE(&unit, &entry));
}

uint64_t LocalMemory::MakeIndex(const DWARFDIE &variable) {
  // Beyond any index of .debug_addr, and those of DynamicArrays.
  return uint64_t(1) << 41 | variable.GetOffset();
}

DWARFExpressionList LocalMemory::MakeLocation(const DWARFUnit &unit,
                                              ModuleSP module, uint64_t index) {
  const bool is_amd = IsAMDUnit(unit);
  std::vector<uint8_t> bytes{
      uint8_t(is_amd ? dw::DW_OP_constx : dw::DW_OP_addrx)};
  uint8_t buffer[10];
  bytes.insert(bytes.end(), buffer,
               buffer + llvm::encodeULEB128(index, buffer));
  if (is_amd)
    bytes.insert(bytes.end(), {dw::DW_OP_lit3, 0xe9, 2});
  else
    bytes.insert(bytes.end(),
                 {uint8_t(HasOldAddressSpaceNumbers(unit) ? dw::DW_OP_lit2
                                                          : dw::DW_OP_lit3),
                  dw::DW_OP_swap, dw::DW_OP_xderef});
  return DWARFExpressionList(
      std::move(module),
      DWARFExpression(lldb_private::DataExtractor(
          std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
          eByteOrderLittle, /*addr_size=*/8)),
      &unit);
}

/// The C++ mangling of a function's local variable, after the function's name.
static std::string MangleLocal(llvm::StringRef variable) {
  return "E" + std::to_string(variable.size()) + variable.str();
}

/// The functions with a __shared__ variable of that name, by the symbols that
/// code objects keep for them.
static std::vector<std::string> FindOwners(Symtab &symtab,
                                           llvm::StringRef variable) {
  std::vector<std::string> owners;
  for (size_t i = 0; i < symtab.GetNumSymbols(); ++i) {
    llvm::StringRef name =
        symtab.SymbolAtIndex(i)->GetMangled().GetMangledName().GetStringRef();
    if (name.consume_front("_ZZ") && name.consume_back(MangleLocal(variable)) &&
        !llvm::is_contained(owners, "_Z" + name.str()))
      owners.push_back("_Z" + name.str());
  }
  return owners;
}

void LocalMemory::AddVariable(DWARFDIE variable, uint64_t index) {
  const char *name = variable.GetName();
  const std::string text = name ? name : "";
  DWARFDIE function = GetFunction(variable);
  std::string owner = GetFunctionName(function);
  const bool is_detached =
      function && !function.GetAttributeValueAsAddress(dw::DW_AT_low_pc, 0);
  // For a function that is inlined everywhere, clang puts the variables into an
  // entry without further attributes.
  if (function && owner.empty())
    if (Symtab *symtab = variable.GetDWARF()->GetObjectFile()->GetSymtab()) {
      std::vector<std::string> owners = FindOwners(*symtab, text);
      llvm::erase_if(owners, [&](const std::string &known) {
        auto group = m_groups.find(known);
        return group != m_groups.end() &&
               llvm::any_of(group->second.function.fields,
                            [&](const LocalLayout::Field &field) {
                              return m_names[field.key] == text;
                            });
      });
      if (owners.size() == 1)
        owner = owners.front();
    }
  Group &group = m_groups[owner];
  group.function.name = owner;
  if (is_detached)
    group.detached.push_back(variable);
  m_names[index] = text;
  LocalLayout::Field field;
  field.key = index;
  llvm::StringRef mangled = owner;
  field.name = mangled.consume_front("_Z")
                   ? ("_ZZ" + mangled + MangleLocal(text)).str()
                   : text;
  if (Type *type =
          variable.ResolveTypeUID(variable.GetReferencedDIE(dw::DW_AT_type))) {
    field.size =
        llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0);
    const uint64_t bits =
        type->GetFullCompilerType().GetTypeBitAlign(nullptr).value_or(8);
    if (bits >= 8 && llvm::isPowerOf2_64(bits / 8))
      field.align = llvm::Align(bits / 8);
  }
  const uint64_t asked =
      variable.GetAttributeValueAsUnsigned(dw::DW_AT_alignment, 1);
  if (llvm::isPowerOf2_64(asked))
    field.align = std::max(field.align, llvm::Align(asked));
  field.align = std::max(field.align, LocalLayout::GetLeastAlign(field.size));
  group.function.fields.push_back(std::move(field));
}

/// The size of a structure or an array that a kernel's work-item has.
static std::optional<uint64_t> GetPrivateSize(const DWARFDIE &variable) {
  constexpr uint64_t Most = 1024; // in bytes; larger ones aren't moved
  Type *type =
      variable.ResolveTypeUID(variable.GetReferencedDIE(dw::DW_AT_type));
  if (!type || !(type->GetForwardCompilerType().GetTypeInfo() &
                 (eTypeIsArray | eTypeIsClass | eTypeIsStructUnion)))
    return std::nullopt;
  const uint64_t size =
      llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0);
  return size && size <= Most ? std::optional(size) : std::nullopt;
}

/// The objects of kernels that may be in local memory.
static LocalLayout::Promotable
FindPromotable(DWARFUnit &unit, const LocalLayout::Kernels &kernels,
               const std::map<uint64_t, std::string> &shared) {
  LocalLayout::Promotable promotable;
  const llvm::StringMap<uint64_t> limits =
      ReadWorkgroupLimits(*unit.GetSymbolFileDWARF().GetObjectFile());
  for (const DWARFDebugInfoEntry &entry : unit.dies()) {
    if (entry.Tag() != dw::DW_TAG_variable || GetLocalIndex(unit, entry))
      continue;
    DWARFDIE variable(&unit, &entry);
    if (shared.count(LocalMemory::MakeIndex(variable)))
      continue;
    const std::string kernel = GetFunctionName(GetFunction(variable));
    auto limit = limits.find(kernel);
    if (!kernels.count(kernel) || limit == limits.end())
      continue;
    if (DWARFDIE origin = variable.GetReferencedDIE(dw::DW_AT_abstract_origin))
      variable = origin;
    if (std::optional<uint64_t> size = GetPrivateSize(variable))
      promotable[kernel].push_back(*size * limit->second);
  }
  return promotable;
}

LocalMemory::LocalMemory(DWARFUnit &unit, IsShared is_shared) {
  DWARFUnit &full_unit = unit.GetNonSkeletonUnit();
  ModuleSP module_sp =
      full_unit.GetSymbolFileDWARF().GetObjectFile()->GetModule();
  if (!module_sp)
    return;
  std::vector<std::pair<DWARFDIE, uint64_t>> variables;
  for (const DWARFDebugInfoEntry &entry : full_unit.dies()) {
    DWARFDIE variable(&full_unit, &entry);
    if (std::optional<uint64_t> index = GetLocalIndex(full_unit, entry))
      variables.push_back({variable, *index});
    else if (IsUnplaced(full_unit, entry) && is_shared(variable))
      variables.push_back({variable, MakeIndex(variable)});
  }
  // First those of functions with a name: a remaining symbol belongs to one
  // without.
  for (bool has_name : {true, false})
    for (const auto &[variable, index] : variables)
      if (GetFunctionName(GetFunction(variable)).empty() != has_name)
        AddVariable(variable, index);
  if (m_groups.empty())
    return;

  LocalLayout::Kernels kernels;
  for (const DWARFDebugInfoEntry &entry : full_unit.dies()) {
    DWARFDIE die(&full_unit, &entry);
    if (entry.Tag() == dw::DW_TAG_subprogram &&
        die.GetAttributeValueAsAddress(dw::DW_AT_low_pc, 0)) {
      const std::string name = GetFunctionName(die);
      if (std::optional<uint32_t> size = GetStaticSize(*module_sp, name))
        kernels[name] = *size;
      else if (auto group = m_groups.find(name); group != m_groups.end())
        group->second.function.is_called = true;
    }
  }
  for (const DWARFDebugInfoEntry &entry : full_unit.dies()) {
    if (entry.Tag() != dw::DW_TAG_inlined_subroutine)
      continue;
    DWARFDIE die(&full_unit, &entry);
    auto group = m_groups.find(GetFunctionName(die));
    if (group == m_groups.end())
      continue;
    const std::string into = GetFunctionName(GetFunction(die));
    if (kernels.count(into))
      group->second.function.inlined_in.insert(into);
    else
      group->second.function.is_called = true;
  }
  std::vector<LocalLayout::Function> functions;
  for (auto &[name, group] : m_groups) {
    // It belongs to no function: any function that names it needs it.
    group.function.is_called |= name.empty();
    functions.push_back(group.function);
  }
  LocalLayout::Promotable promotable =
      FindPromotable(full_unit, kernels, m_names);
  m_layout = LocalLayout(std::move(kernels), std::move(functions),
                         std::move(promotable));
}

llvm::Expected<std::optional<uint64_t>>
LocalMemory::GetOffset(uint64_t index,
                       llvm::function_ref<std::string()> get_kernel) const {
  auto name = m_names.find(index);
  if (name == m_names.end())
    return std::nullopt;
  llvm::Expected<uint64_t> offset = m_layout.GetOffset(index, /*kernel=*/"");
  if (!offset) {
    llvm::consumeError(offset.takeError());
    offset = m_layout.GetOffset(index, get_kernel());
  }
  if (offset)
    return *offset;
  return llvm::createStringError("the debug information lacks the place of " +
                                 name->second +
                                 " in local memory, and it can't be derived: " +
                                 llvm::toString(offset.takeError()));
}

std::vector<DWARFDIE> LocalMemory::GetDetached(llvm::StringRef function) const {
  auto group = m_groups.find(function.str());
  return group == m_groups.end() ? std::vector<DWARFDIE>()
                                 : group->second.detached;
}
