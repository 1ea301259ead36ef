//===-- FunctionEntry.h - the entry of a frame's function -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FUNCTIONENTRY_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FUNCTIONENTRY_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"

namespace lldb_private {
class StackFrame;
namespace wavelane {

/// The DIE of the function or inlined call of \a frame; invalid if its module
/// has no DWARF.
plugin::dwarf::DWARFDIE GetFunctionDIE(StackFrame &frame);

} // namespace wavelane
} // namespace lldb_private

#endif
