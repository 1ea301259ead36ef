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

/// Bytes that attribute values refer to; must outlive them.
using AttributeBytes = std::deque<std::vector<uint8_t>>;

/// The bytes of a block; none where its section ends before it.
llvm::ArrayRef<uint8_t> GetBlock(const plugin::dwarf::DWARFFormValue &value);

/// A constant, an expression or a location list. Addresses are file addresses.
llvm::Expected<location::AttributeValue>
ReadAttribute(plugin::dwarf::DWARFUnit &unit,
              const plugin::dwarf::DWARFFormValue &value,
              AttributeBytes &bytes);

/// Calls \a found with each attribute of \a die that the engine knows, and its
/// form.
/// \return The first error of \a found.
llvm::Error ForEachLaneAttribute(
    const plugin::dwarf::DWARFDIE &die,
    llvm::function_ref<llvm::Error(location::LaneAttribute,
                                   const plugin::dwarf::DWARFFormValue &)>
        found);

/// The attributes of the DW_TAG_object_map \a die.
llvm::Expected<location::ObjectMapAttributes>
ReadObjectMap(const plugin::dwarf::DWARFDIE &die, AttributeBytes &bytes);

/// Whether \a unit says that it is written in the AMD dialect.
bool IsAMDUnit(const plugin::dwarf::DWARFUnit &unit);

/// The major version of the clang that made the unit; 0 for other producers.
unsigned GetClangVersion(const plugin::dwarf::DWARFUnit &unit);

/// Whether \a unit was made by a clang with the old numbers of address spaces.
bool HasOldAddressSpaceNumbers(const plugin::dwarf::DWARFUnit &unit);

} // namespace wavelane
} // namespace lldb_private

#endif
