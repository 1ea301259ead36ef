//===-- CheckedLocations.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckedLocations.h"
#include "LocationParts.h"
#include "MissingLocations.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "SourceValues.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Whether a location is computed from registers.
static bool IsComputed(llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.empty() || MissingLocation::Decode(bytes) ||
      GetLocationConstant(bytes))
    return false;
  return bytes.back() == llvm::dwarf::DW_OP_stack_value ||
         llvm::any_of(ReadLocationParts(bytes, /*size=*/0),
                      [](const LocationPart &part) { return part.reg; });
}

/// Whether a variable, or each element of it, is a number.
static bool IsNumber(Variable &variable) {
  Type *type = variable.GetType();
  CompilerType element = type ? type->GetForwardCompilerType() : CompilerType();
  CompilerType next;
  while (element && element.IsArrayType(&next))
    element = next;
  return element && (element.GetTypeInfo() &
                     (eTypeIsInteger | eTypeIsFloat | eTypeIsEnumeration));
}

namespace {

class Checker {
public:
  Checker(plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
          SourceValues &source, std::set<user_id_t> &filled)
      : m_symbols(symbols), m_function(function), m_source(source),
        m_filled(filled) {}

  void Check(Block &block) {
    if (VariableListSP list_sp = block.GetBlockVariableList(false))
      for (const VariableSP &variable_sp : *list_sp)
        Check(*variable_sp);
    for (Block *child = block.GetFirstChild(); child;
         child = child->GetSibling())
      Check(*child);
  }

private:
  void Check(Variable &variable);
  /// Calls \a use with each entry of a list, and its addresses.
  template <typename Use>
  void ForEach(const DWARFExpressionList &list, Use use) const;

  plugin::dwarf::SymbolFileDWARF &m_symbols;
  Function &m_function;
  SourceValues &m_source;
  std::set<user_id_t> &m_filled;
};

} // namespace

template <typename Use>
void Checker::ForEach(const DWARFExpressionList &list, Use use) const {
  constexpr addr_t alignment = 4; // of instructions
  for (const AddressRange &range : m_function.GetAddressRanges()) {
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    const addr_t end = begin + range.GetByteSize();
    for (addr_t at = begin; at < end;) {
      const auto entry =
          list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, at);
      addr_t behind = at + alignment;
      if (entry) {
        behind = entry->file_range
                     ? entry->file_range->GetBaseAddress().GetOffset() +
                           entry->file_range->GetByteSize()
                     : end;
        use(at, std::min(behind, end), *entry->expr);
      }
      at = behind;
    }
  }
}

void Checker::Check(Variable &variable) {
  const ValueType scope = variable.GetScope();
  const DWARFExpressionList &list = variable.LocationExpressionList();
  Type *type = variable.GetType();
  const uint64_t size =
      type ? llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0)
           : 0;
  if ((scope != eValueTypeVariableLocal &&
       scope != eValueTypeVariableArgument) ||
      variable.GetLocationIsConstantValueData() || !list.IsValid() || !size)
    return;
  lldb_private::DataExtractor data;
  bool is_computed = false, is_other = false;
  ForEach(list, [&](addr_t, addr_t, const DWARFExpression &expression) {
    if (!expression.GetExpressionData(data))
      return;
    is_computed |= IsComputed(data.GetData());
    is_other |= IsFrameAddress(data.GetData());
  });
  is_other &= IsNumber(variable);
  is_computed &= size <= sizeof(uint64_t) && m_source.MayFind(variable);
  if (!is_computed && !is_other)
    return;
  DWARFExpressionList checked(m_function.CalculateSymbolContextModule(),
                              m_symbols.GetDIE(variable.GetID()).GetCU(),
                              m_function.GetAddress().GetFileAddress());
  ForEach(
      list, [&](addr_t begin, addr_t end, const DWARFExpression &expression) {
        MissingLocation location;
        if (!expression.GetExpressionData(data)) {
          checked.AddExpression(begin, end, expression);
          return;
        }
        if (is_other && IsFrameAddress(data.GetData())) {
          location.kind = MissingLocation::Kind::eOther;
        } else if (is_computed && IsComputed(data.GetData())) {
          location.kind = MissingLocation::Kind::eArgument;
          location.source = MissingLocation::Source::eChecked;
          location.size = size;
          location.variable = variable.GetID();
          location.kept = data.GetData().vec();
        } else {
          checked.AddExpression(begin, end, expression);
          return;
        }
        const std::vector<uint8_t> bytes = location.Encode();
        checked.AddExpression(
            begin, end,
            DWARFExpression(lldb_private::DataExtractor(
                std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
                eByteOrderLittle, /*addr_size=*/8)));
      });
  checked.Sort();
  variable.LocationExpressionList() = std::move(checked);
  m_filled.insert(variable.GetID());
}

void lldb_private::wavelane::CheckLocations(
    plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
    SourceValues &source, std::set<user_id_t> &filled) {
  Checker(symbols, function, source, filled)
      .Check(function.GetBlock(/*can_create=*/true));
}
