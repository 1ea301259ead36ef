//===-- LineTableCheck.h - line tables that LLVM can read -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LINETABLECHECK_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LINETABLECHECK_H

#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "llvm/Support/Error.h"

namespace lldb_private {
namespace wavelane {

/// Checks that LLVM knows the forms of the line table's files and directories
/// (DWARF 5, 6.2.4): its reader aborts the debugger at unknown ones.
/// \param lines The section.
llvm::Error CheckLineTable(const plugin::dwarf::DWARFUnit &unit,
                           const DataExtractor &lines);

} // namespace wavelane
} // namespace lldb_private

#endif
