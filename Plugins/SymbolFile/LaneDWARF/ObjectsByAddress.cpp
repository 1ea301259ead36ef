//===-- ObjectsByAddress.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectsByAddress.h"
#include "EntryAttributes.h"
#include "MissingLocations.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/DataExtractor.h"
#include "wavelane/Location/Architecture.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

/// The alignment of instructions of these GPUs.
static constexpr addr_t kInstructionAlignment = 4;

/// The size of a lane's element in bytes; 0 for other registers.
static unsigned GetElementSize(uint64_t number) {
  for (const char *name : {"amdgpu-wave64", "amdgpu-wave32"})
    if (const location::RegisterRange *range =
            location::Architecture::find(name)->findRegister(number);
        range && range->ElementSize)
      return range->ElementSize;
  return 0;
}

namespace {
/// An expression that names an object by a vector register's contents.
struct Form {
  unsigned element_size = 0;
  /// The bytes of its first operation.
  size_t first = 0;
  /// Whether an object in the register is described in the same way.
  bool means_register = false;
};
} // namespace

static std::optional<Form> Match(llvm::ArrayRef<uint8_t> bytes) {
  lldb_private::DataExtractor data(bytes.data(), bytes.size(), eByteOrderLittle,
                                   8);
  offset_t at = 0;
  if (bytes.empty() || data.GetU8(&at) != dw::DW_OP_bregx)
    return std::nullopt;
  Form form;
  form.element_size = GetElementSize(data.GetULEB128(&at));
  if (!form.element_size)
    return std::nullopt;
  const int64_t offset = data.GetSLEB128(&at);
  form.first = size_t(at);
  if (at == bytes.size())
    return form;
  const uint8_t space = data.GetU8(&at);
  if (space == dw::DW_OP_constu || space == dw::DW_OP_const1u)
    data.GetULEB128(&at);
  else if (space < dw::DW_OP_lit0 || space > dw::DW_OP_lit31)
    return std::nullopt;
  form.means_register = offset == 0;
  constexpr uint8_t end[] = {dw::DW_OP_swap, dw::DW_OP_xderef};
  return bytes.drop_front(size_t(at)) == llvm::ArrayRef(end)
             ? std::optional(form)
             : std::nullopt;
}

namespace {
class Placer {
public:
  Placer(SymbolFileDWARF &symbols, Function &function,
         const KernelMemory *memory)
      : m_symbols(symbols), m_function(function), m_memory(memory) {}

  void PlaceIn(Block &block) const {
    if (VariableListSP list_sp = block.GetBlockVariableList(false))
      for (const VariableSP &variable_sp : *list_sp)
        Place(*variable_sp);
    for (Block *child = block.GetFirstChild(); child;
         child = child->GetSibling())
      PlaceIn(*child);
  }

private:
  enum class Reading { Register, Private, Local, Ambiguous };

  void Place(Variable &variable) const {
    DWARFExpressionList &list = variable.LocationExpressionList();
    if (variable.GetLocationIsConstantValueData() || !list.IsValid())
      return;
    if (list.IsAlwaysValidSingleExpr())
      return Place(variable, *list.GetMutableExpressionAtAddress());
    for (const AddressRange &range : m_function.GetAddressRanges()) {
      addr_t at = range.GetBaseAddress().GetFileAddress();
      const addr_t end = at + range.GetByteSize();
      while (at < end) {
        auto entry = list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, at);
        if (!entry || !entry->file_range) {
          at += kInstructionAlignment;
          continue;
        }
        Place(variable,
              *list.GetMutableExpressionAtAddress(LLDB_INVALID_ADDRESS, at));
        at = entry->file_range->GetBaseAddress().GetOffset() +
             entry->file_range->GetByteSize();
      }
    }
  }

  void Place(Variable &variable, DWARFExpression &expression) const {
    lldb_private::DataExtractor data;
    if (!expression.GetExpressionData(data))
      return;
    const std::optional<Form> form = Match(data.GetData());
    const DWARFDIE die = form ? m_symbols.GetDIE(variable.GetID()) : DWARFDIE();
    if (!die || IsAMDUnit(*die.GetCU()))
      return;
    std::vector<uint8_t> bytes = data.GetData().take_front(form->first).vec();
    switch (Read(variable, *form)) {
    case Reading::Register:
      return;
    case Reading::Ambiguous: {
      MissingLocation missing;
      missing.kind = MissingLocation::Kind::eAmbiguous;
      bytes = missing.Encode();
      break;
    }
    case Reading::Private:
      AppendSpace(die, dw::DW_OP_lit1, dw::DW_OP_lit5, bytes);
      break;
    case Reading::Local:
      AppendSpace(die, dw::DW_OP_lit2, dw::DW_OP_lit3, bytes);
      break;
    }
    expression = DWARFExpression(lldb_private::DataExtractor(
        std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
        eByteOrderLittle, /*addr_size=*/8));
  }

  /// DW_OP_nop keeps the engine from taking the register for the object.
  static void AppendSpace(const DWARFDIE &die, uint8_t old_number,
                          uint8_t number, std::vector<uint8_t> &bytes) {
    const bool is_old = HasOldAddressSpaceNumbers(*die.GetCU());
    bytes.insert(bytes.end(),
                 {uint8_t(dw::DW_OP_nop), is_old ? old_number : number,
                  uint8_t(dw::DW_OP_swap), uint8_t(dw::DW_OP_xderef)});
  }

  Reading Read(Variable &variable, const Form &form) const {
    Type *type = variable.GetType();
    const CompilerType compiler_type =
        type ? type->GetForwardCompilerType() : CompilerType();
    const uint64_t size =
        type ? llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0)
             : 0;
    const bool is_in_memory = !form.means_register || size > form.element_size;
    if (!is_in_memory && !compiler_type.IsAggregateType())
      return Reading::Register;
    const Reading place = FindPlace(size);
    if (is_in_memory)
      return place;
    // A small structure is in the register, unless something makes it an object
    // in memory: LLVM's move, or a class that is passed by its address.
    const bool may_be_moved = m_memory && place != Reading::Private;
    return may_be_moved || IsPassedByAddress(*type) ? Reading::Ambiguous
                                                    : Reading::Register;
  }

  /// The memory of an object whose address is in a register.
  Reading FindPlace(uint64_t size) const {
    // Only a kernel's own objects are moved to local memory.
    if (!m_memory || m_memory->local < size * m_memory->largest_workgroup)
      return Reading::Private;
    return m_memory->private_memory ? Reading::Ambiguous : Reading::Local;
  }

  bool IsPassedByAddress(const Type &type) const {
    constexpr unsigned most = 16; // typedefs, const and the like
    DWARFDIE die = m_symbols.GetDIE(type.GetID());
    for (unsigned i = 0; die && i < most; ++i) {
      if (die.Tag() == dw::DW_TAG_structure_type ||
          die.Tag() == dw::DW_TAG_class_type ||
          die.Tag() == dw::DW_TAG_union_type)
        return die.GetAttributeValueAsUnsigned(dw::DW_AT_calling_convention,
                                               0) ==
               dw::DW_CC_pass_by_reference;
      die = die.GetReferencedDIE(dw::DW_AT_type);
    }
    return false;
  }

  SymbolFileDWARF &m_symbols;
  Function &m_function;
  const KernelMemory *m_memory;
};
} // namespace

void lldb_private::wavelane::PlaceObjectsByAddress(SymbolFileDWARF &symbols,
                                                   Function &function,
                                                   const KernelMemory *memory) {
  Placer(symbols, function, memory)
      .PlaceIn(function.GetBlock(/*can_create=*/true));
}
