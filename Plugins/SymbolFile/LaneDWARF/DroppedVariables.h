//===-- DroppedVariables.h - variables without an entry ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a function is inlined, the compiler writes no entries for local
// variables that have no location there; only the function's abstract entry has
// them. LLDB knows this of parameters alone.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_DROPPEDVARIABLES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_DROPPEDVARIABLES_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The local variables of the function that is inlined at \a call which have no
/// entry there. A name that several variables of the function have is left out:
/// which of them it means can't be determined without their blocks.
std::vector<plugin::dwarf::DWARFDIE>
FindDroppedVariables(const plugin::dwarf::DWARFDIE &call);

} // namespace wavelane
} // namespace lldb_private

#endif
