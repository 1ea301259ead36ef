//===-- SharedConstants.h - constants of a later line -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without optimization, clang still makes a constant, or a variable's address,
// only once for several lines, in front of the first of them, but may give it
// the line of another one. A breakpoint on a later line would stop there,
// before the stores of the lines above it, and a step would go back to an
// earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SHAREDCONSTANTS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SHAREDCONSTANTS_H

#include "lldb/lldb-types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace lldb_private {
class CompileUnit;
class LineTable;

namespace wavelane {

/// Gives rows that only move constants, in a GPU's code, the line of the code
/// behind them, if their own line has other code in the function.
/// \param is_optimized  Whether the function at a file address is: there, a
///     move may be all that a line does.
/// \return The new table; null if there are no such rows.
std::unique_ptr<LineTable>
MoveSharedConstants(CompileUnit &comp_unit, LineTable &lines,
                    llvm::function_ref<bool(lldb::addr_t)> is_optimized);

} // namespace wavelane
} // namespace lldb_private

#endif
