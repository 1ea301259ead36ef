//===-- EntryAttributes.cpp -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryAttributes.h"
#include "Plugins/SymbolFile/DWARF/DWARFAttribute.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLoc.h"
#include "llvm/DebugInfo/DWARF/DWARFLocationExpression.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

//===----------------------------------------------------------------------===//
// Units.

unsigned lldb_private::wavelane::GetClangVersion(const DWARFUnit &unit) {
  DWARFBaseDIE unit_die = const_cast<DWARFUnit &>(unit).GetUnitDIEOnly();
  if (!unit_die)
    return 0;
  return location::getClangVersion(
      unit_die.GetAttributeValueAsString(dw::DW_AT_producer, ""));
}

bool lldb_private::wavelane::IsAMDUnit(const DWARFUnit &unit) {
  DWARFBaseDIE unit_die = const_cast<DWARFUnit &>(unit).GetUnitDIEOnly();
  if (!unit_die)
    return false;
  for (uint16_t code :
       location::getAttributeCodes(location::LaneAttribute::Augmentation))
    if (location::isAMDAugmentation(
            unit_die.GetAttributeValueAsString(dw_attr_t(code), "")))
      return true;
  return false;
}

bool lldb_private::wavelane::HasOldAddressSpaceNumbers(const DWARFUnit &unit) {
  return location::hasOldAddressSpaceNumbers(GetClangVersion(unit));
}

//===----------------------------------------------------------------------===//
// Values.

llvm::ArrayRef<uint8_t>
lldb_private::wavelane::GetBlock(const DWARFFormValue &value) {
  const uint8_t *begin = value.BlockData();
  return begin ? llvm::ArrayRef<uint8_t>(begin, value.Unsigned())
               : llvm::ArrayRef<uint8_t>();
}

static llvm::Expected<std::vector<location::LocationListEntry>>
ReadLocationList(DWARFUnit &unit, const DWARFFormValue &value,
                 AttributeBytes &bytes) {
  lldb_private::DataExtractor data = unit.GetLocationData();
  dw_offset_t offset = value.Unsigned();
  if (value.Form() == dw::DW_FORM_loclistx)
    offset = unit.GetLoclistOffset(offset).value_or(-1);
  if (!data.ValidOffset(offset))
    return location::illFormed("a location list lies outside its section");
  data = lldb_private::DataExtractor(data, offset, data.GetByteSize() - offset);
  std::vector<location::LocationListEntry> entries;
  llvm::Error bad_entry = llvm::Error::success();
  llvm::Error error = unit.GetLocationTable(data)->visitAbsoluteLocationList(
      0, llvm::object::SectionedAddress{unit.GetBaseAddress()},
      [&](uint32_t index) -> std::optional<llvm::object::SectionedAddress> {
        const addr_t address = unit.ReadAddressFromDebugAddrSection(index);
        if (address == LLDB_INVALID_ADDRESS)
          return std::nullopt;
        return llvm::object::SectionedAddress{address};
      },
      [&](llvm::Expected<llvm::DWARFLocationExpression> entry) {
        if (!entry) {
          bad_entry = llvm::joinErrors(std::move(bad_entry), entry.takeError());
          return false;
        }
        bytes.emplace_back(entry->Expr.begin(), entry->Expr.end());
        location::LocationListEntry out;
        out.IsDefault = !entry->Range;
        if (entry->Range) {
          out.Low = entry->Range->LowPC;
          out.High = entry->Range->HighPC;
        }
        out.Expression = bytes.back();
        entries.push_back(out);
        return true;
      });
  if (llvm::Error both =
          llvm::joinErrors(std::move(error), std::move(bad_entry)))
    return std::move(both);
  return entries;
}

llvm::Expected<location::AttributeValue> lldb_private::wavelane::ReadAttribute(
    DWARFUnit &unit, const DWARFFormValue &value, AttributeBytes &bytes) {
  location::AttributeValue result;
  if (DWARFFormValue::IsBlockForm(value.Form())) {
    if (!value.BlockData())
      return location::illFormed("an expression goes beyond its section");
    result.Expression = GetBlock(value);
    return result;
  }
  switch (location::getFormClass(uint16_t(value.Form()))) {
  case location::FormClass::Constant:
    result.Constant = value.Unsigned();
    return result;
  case location::FormClass::List: {
    llvm::Expected<std::vector<location::LocationListEntry>> entries =
        ReadLocationList(unit, value, bytes);
    if (!entries)
      return entries.takeError();
    result.List = std::move(*entries);
    return result;
  }
  default:
    return location::illFormed("an attribute has form 0x" +
                               llvm::Twine::utohexstr(value.Form()));
  }
}

//===----------------------------------------------------------------------===//
// Entries.

llvm::Error lldb_private::wavelane::ForEachLaneAttribute(
    const DWARFDIE &die, llvm::function_ref<llvm::Error(location::LaneAttribute,
                                                        const DWARFFormValue &)>
                             found) {
  DWARFAttributes attributes = die.GetAttributes();
  std::optional<bool> is_amd;
  for (size_t i = 0; i < attributes.Size(); ++i) {
    const uint32_t code = attributes.AttributeAtIndex(i);
    // Standard attributes aren't about lanes.
    if (code < dw::DW_AT_lo_user)
      continue;
    if (!is_amd)
      is_amd = IsAMDUnit(*die.GetCU());
    const location::LaneAttribute meaning = location::getAttribute(
        uint16_t(code),
        location::getFormClass(uint16_t(attributes.FormAtIndex(i))), *is_amd);
    if (meaning == location::LaneAttribute::None)
      continue;
    DWARFFormValue value;
    if (!attributes.ExtractFormValueAtIndex(i, value))
      return location::illFormed("an attribute has an unreadable form");
    if (llvm::Error error = found(meaning, value))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<location::ObjectMapAttributes>
lldb_private::wavelane::ReadObjectMap(const DWARFDIE &die,
                                      AttributeBytes &bytes) {
  location::ObjectMapAttributes map;
  if (llvm::Error error = ForEachLaneAttribute(
          die,
          [&](location::LaneAttribute meaning,
              const DWARFFormValue &value) -> llvm::Error {
            location::AttributeValue *into = map.find(meaning);
            return into ? ReadAttribute(*die.GetCU(), value, bytes)
                              .moveInto(*into)
                        : llvm::Error::success();
          }))
    return std::move(error);
  const bool has_range_list =
      die.GetAttributeValueAsOptionalUnsigned(dw::DW_AT_ranges).has_value();
  if (!has_range_list &&
      !die.GetAttributeValueAsOptionalUnsigned(dw::DW_AT_low_pc))
    return map;
  llvm::Expected<llvm::DWARFAddressRangesVector> ranges =
      die.GetDIE()->GetAttributeAddressRanges(die.GetCU(),
                                              /*check_hi_lo_pc=*/true);
  if (!ranges && has_range_list)
    return ranges.takeError();
  if (!ranges)
    llvm::consumeError(ranges.takeError());
  else
    for (const llvm::DWARFAddressRange &range : *ranges)
      map.Ranges.push_back({range.LowPC, range.HighPC});
  // An entry with an empty range never applies.
  if (map.Ranges.empty())
    map.Ranges.push_back({0, 0});
  return map;
}
