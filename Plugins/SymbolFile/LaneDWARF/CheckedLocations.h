//===-- CheckedLocations.h - locations that the source checks ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer changes instructions so that they compute something else than
// the variable that their register is said to have: of `out = v + v` it makes
// `v` twice as large. Where the source proves a variable's value, its location
// is only believed if it has the same one.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CHECKEDLOCATIONS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CHECKEDLOCATIONS_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <set>

namespace lldb_private {
class Function;
namespace plugin::dwarf {
class SymbolFileDWARF;
}

namespace wavelane {
class SourceValues;

/// Marks the locations of a GPU function's variables that are to be checked.
/// The function's variables have been read.
/// \param[in,out] filled  Receives these variables.
void CheckLocations(plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
                    SourceValues &source, std::set<lldb::user_id_t> &filled);

} // namespace wavelane
} // namespace lldb_private

#endif
