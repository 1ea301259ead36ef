//===-- LocalMemory.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocalMemory.h"
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
#include "lldb/Utility/DataExtractor.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/OptimizedStructLayout.h"

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

/// The bytes of local memory that the kernel's descriptor asks for; nullopt for
/// functions that are no kernels.
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

namespace {
struct Field {
  uint64_t index;
  std::string name;
  uint64_t size = 0;
  llvm::Align align;
};
} // namespace

/// The compiler aligns what is larger so that wide accesses can be used.
static llvm::Align GetLeastAlign(uint64_t size) {
  return llvm::Align(size > 8   ? 16
                     : size > 4 ? 8
                     : size > 2 ? 4
                     : size > 1 ? 2
                                : 1);
}

LocalMemory::LocalMemory(DWARFUnit &unit) {
  struct Group {
    std::string function;
    std::vector<Field> fields;
  };
  std::map<dw_offset_t, Group> groups; // by the function's entry

  DWARFUnit &full_unit = unit.GetNonSkeletonUnit();
  for (const DWARFDebugInfoEntry &entry : full_unit.dies()) {
    if (entry.Tag() != dw::DW_TAG_variable)
      continue;
    DWARFDIE die(&full_unit, &entry);
    DWARFFormValue value;
    if (!entry.GetAttributeValue(&full_unit, dw::DW_AT_location, value,
                                 nullptr) ||
        !DWARFFormValue::IsBlockForm(value.Form()))
      continue;
    std::optional<uint64_t> index = GetLocalIndex(
        llvm::ArrayRef<uint8_t>(value.BlockData(), value.Unsigned()));
    if (!index)
      continue;
    DWARFDIE function = die.GetParent();
    while (function && function.Tag() != dw::DW_TAG_subprogram)
      function = function.GetParent();
    Group &group = groups[function ? function.GetOffset() : 0];
    if (function && group.function.empty())
      if (const char *name = function.GetMangledName())
        group.function = name;
    if (function && group.function.empty() && function.GetName())
      group.function = function.GetName(); // extern "C"
    Field field;
    field.index = *index;
    const char *name = die.GetName();
    field.name = name ? name : "";
    if (Type *type = die.ResolveTypeUID(die.GetReferencedDIE(dw::DW_AT_type))) {
      field.size =
          llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0);
      const uint64_t bits =
          type->GetFullCompilerType().GetTypeBitAlign(nullptr).value_or(8);
      if (bits >= 8 && llvm::isPowerOf2_64(bits / 8))
        field.align = llvm::Align(bits / 8);
    }
    const uint64_t asked =
        die.GetAttributeValueAsUnsigned(dw::DW_AT_alignment, 1);
    if (llvm::isPowerOf2_64(asked))
      field.align = std::max(field.align, llvm::Align(asked));
    field.align = std::max(field.align, GetLeastAlign(field.size));
    group.fields.push_back(std::move(field));
  }

  ModuleSP module_sp =
      full_unit.GetSymbolFileDWARF().GetObjectFile()->GetModule();
  // Local memory of functions that kernels call is laid out by who calls whom.
  bool only_kernels = true;
  for (const auto &group : groups)
    only_kernels &=
        module_sp &&
        GetStaticSize(*module_sp, group.second.function).has_value();

  for (auto &numbered : groups) {
    Group &group = numbered.second;
    auto say = [&](const std::string &problem) {
      for (const Field &field : group.fields) {
        Variable &variable = m_variables[field.index];
        variable.name = field.name;
        variable.problem = problem;
      }
    };
    if (!only_kernels) {
      say("functions that are no kernels have __shared__ variables as well");
      continue;
    }
    llvm::sort(group.fields,
               [](const Field &a, const Field &b) { return a.name < b.name; });
    const uint64_t static_size = *GetStaticSize(*module_sp, group.function);
    std::vector<llvm::OptimizedStructLayoutField> layout;
    for (Field &field : group.fields)
      if (field.size) // an array without bound is dynamic memory
        layout.emplace_back(&field, field.size, field.align);
    uint64_t size = 0;
    llvm::Align align;
    if (!layout.empty())
      std::tie(size, align) = llvm::performOptimizedStructLayout(layout);
    // What optimisation has left of other variables has no description, but
    // comes after all that are larger and at least as much aligned.
    const uint64_t others =
        static_size > llvm::alignTo(size, align) ? static_size - size : 0;
    bool others_last = true;
    for (const llvm::OptimizedStructLayoutField &placed : layout)
      others_last &=
          placed.Size > others && placed.Alignment >= GetLeastAlign(others);
    if (static_size < size || (others && !others_last)) {
      say("their layout can't be told from the kernel's " +
          std::to_string(static_size) + " bytes");
      continue;
    }
    for (const Field &field : group.fields) {
      Variable &variable = m_variables[field.index];
      variable.name = field.name;
      variable.offset = llvm::alignTo(static_size, field.align);
    }
    for (const llvm::OptimizedStructLayoutField &placed : layout)
      m_variables[static_cast<const Field *>(placed.Id)->index].offset =
          placed.Offset;
  }
}

llvm::Expected<std::optional<uint64_t>>
LocalMemory::GetOffset(uint64_t index) const {
  auto found = m_variables.find(index);
  if (found == m_variables.end())
    return std::nullopt;
  const Variable &variable = found->second;
  if (!variable.offset)
    return llvm::createStringError(
        "the debug information lacks the place of %s in local memory: %s",
        variable.name.c_str(), variable.problem.c_str());
  return variable.offset;
}
