//===-- VariableLists.cpp ---------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VariableLists.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

/// Whether any entry begins before an earlier one ends.
static bool Overlap(llvm::ArrayRef<location::LocationListEntry> entries) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const location::LocationListEntry &entry : entries)
    if (!entry.IsDefault && entry.Low < entry.High)
      ranges.push_back({entry.Low, entry.High});
  llvm::sort(ranges);
  uint64_t end = 0;
  for (auto [low, high] : ranges) {
    if (low < end)
      return true;
    end = std::max(end, high);
  }
  return false;
}

/// The list with a single entry for each program location, the first that
/// holds.
static std::vector<location::LocationListEntry>
Divide(llvm::ArrayRef<location::LocationListEntry> entries) {
  const location::LocationListEntry *fallback = nullptr;
  std::vector<uint64_t> borders{0, UINT64_MAX};
  for (const location::LocationListEntry &entry : entries) {
    if (entry.IsDefault)
      fallback = &entry;
    else
      borders.insert(borders.end(), {entry.Low, entry.High});
  }
  llvm::sort(borders);
  borders.erase(llvm::unique(borders), borders.end());
  std::vector<location::LocationListEntry> divided;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    const auto *found = llvm::find_if(entries, [&](const auto &entry) {
      return !entry.IsDefault && borders[i] >= entry.Low &&
             borders[i] < entry.High;
    });
    if (found == entries.end())
      found = fallback;
    if (found)
      divided.push_back({false, borders[i], borders[i + 1], found->Expression});
  }
  return divided;
}

void VariableLists::Prepare(SymbolFileDWARF &symbols, Variable &variable) {
  DWARFDIE die = symbols.GetDIE(variable.GetID());
  DWARFFormValue value;
  if (!die || !die.GetDIE()->GetAttributeValue(
                  die.GetCU(), llvm::dwarf::DW_AT_location, value))
    return;
  List list;
  llvm::Expected<location::AttributeValue> place =
      ReadAttribute(*die.GetCU(), value, list.bytes);
  if (!place || !place->List) {
    // LLDB has already reported it.
    llvm::consumeError(place.takeError());
    return;
  }
  list.entries = std::move(*place->List);
  const bool overlap = Overlap(list.entries);
  if (!overlap && llvm::none_of(list.entries, [](const auto &entry) {
        return entry.IsDefault;
      }))
    return;

  ModuleSP module_sp = symbols.GetObjectFile()->GetModule();
  const ArchSpec &architecture = module_sp->GetArchitecture();
  DWARFExpressionList searchable(
      module_sp, die.GetCU(),
      variable.LocationExpressionList().GetFuncFileAddress());
  for (const location::LocationListEntry &entry : Divide(list.entries))
    searchable.AddExpression(
        entry.Low, entry.High,
        DWARFExpression(lldb_private::DataExtractor(
            std::make_shared<DataBufferHeap>(entry.Expression.data(),
                                             entry.Expression.size()),
            architecture.GetByteOrder(), architecture.GetAddressByteSize())));
  variable.LocationExpressionList() = searchable;
  if (!overlap)
    return;
  std::lock_guard<std::mutex> guard(m_mutex);
  m_overlapping.try_emplace(variable.GetID(), std::move(list));
  m_has_overlapping = true;
}

void VariableLists::Prepare(SymbolFileDWARF &symbols, Block &block) {
  VariableListSP variables_sp =
      block.GetBlockVariableList(/*can_create=*/false);
  for (size_t i = 0; variables_sp && i < variables_sp->GetSize(); ++i) {
    Variable &variable = *variables_sp->GetVariableAtIndex(i);
    if (!variable.GetLocationIsConstantValueData() &&
        !variable.LocationExpressionList().IsAlwaysValidSingleExpr())
      Prepare(symbols, variable);
  }
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    Prepare(symbols, *child);
}

const std::vector<location::LocationListEntry> *
VariableLists::FindOverlapping(const Variable &variable) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto found = m_overlapping.find(variable.GetID());
  return found == m_overlapping.end() ? nullptr : &found->second.entries;
}
