//===-- StaleLocations.h - locations of other assignments -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer computes an assignment's value before the lines in front of it,
// or drops an assignment and leaves the location of the one before it. The code
// shows which assignment a location is of: it has the line of the instruction
// that wrote the register. The source shows which ones it may be of: those that
// can be the last one on a path to the line. Where the code passes an update,
// `v += 1`, and the location remains, it is the value from before.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_STALELOCATIONS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_STALELOCATIONS_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <set>

namespace lldb_private {
class CompileUnit;
class Function;
namespace plugin::dwarf {
class SymbolFileDWARF;
}

namespace wavelane {
class SourceValues;

/// Marks the locations of a GPU function's variables that are those of another
/// assignment than the last one. The function's variables have been read.
/// \param[in,out] filled  Receives these variables.
void MarkStaleLocations(plugin::dwarf::SymbolFileDWARF &symbols,
                        Function &function, SourceValues &source,
                        std::set<lldb::user_id_t> &filled);

} // namespace wavelane
} // namespace lldb_private

#endif
