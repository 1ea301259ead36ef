//===-- EntryAttributes.h - attributes for the engine -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of LLDB's entries (DWARFDIE) into the form that the
// location engine evaluates.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_ENTRYATTRIBUTES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_ENTRYATTRIBUTES_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "wavelane/Location/Attributes.h"
#include <deque>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFFormValue;
class DWARFUnit;
} // namespace plugin::dwarf

namespace wavelane {
namespace location = ::wavelane::location;

/// Bytes that attributes' values refer to; lives as long as these are used.
using AttributeBytes = std::deque<std::vector<uint8_t>>;

/// A constant, an expression or a location list. Addresses are those of the
/// file.
llvm::Expected<location::AttributeValue>
ReadAttribute(plugin::dwarf::DWARFUnit &unit,
              const plugin::dwarf::DWARFFormValue &value,
              AttributeBytes &bytes);

/// Calls \a found with each attribute of \a die that the engine knows, and its
/// form. \return Its first error.
llvm::Error ForEachLaneAttribute(
    const plugin::dwarf::DWARFDIE &die,
    llvm::function_ref<llvm::Error(location::LaneAttribute,
                                   const plugin::dwarf::DWARFFormValue &)>
        found);

/// The attributes of \a die, a DW_TAG_object_map.
llvm::Expected<location::ObjectMapAttributes>
ReadObjectMap(const plugin::dwarf::DWARFDIE &die, AttributeBytes &bytes);

/// Whether \a unit says that it is written in the AMD dialect.
bool IsAMDUnit(const plugin::dwarf::DWARFUnit &unit);

/// Whether \a unit was made by a clang with the old numbers of address spaces.
bool HasOldAddressSpaceNumbers(const plugin::dwarf::DWARFUnit &unit);

} // namespace wavelane
} // namespace lldb_private

#endif
