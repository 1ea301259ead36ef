//===-- LaneAttributes.h - what DWARF says of lanes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LANEATTRIBUTES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LANEATTRIBUTES_H

#include "Lane/LaneFocus.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"

namespace lldb_private {
namespace wavelane {

/// The DIE of the function or inlined call that \a frame is in; invalid when
/// its module has no DWARF.
plugin::dwarf::DWARFDIE GetFunctionDIE(StackFrame &frame);

/// The lanes that DW_AT_num_lanes, or one of its vendor spellings, gives the
/// code at \a frame; nullopt when the function has no such attribute.
llvm::Expected<std::optional<LaneSet>> ReadLaneAttributes(StackFrame &frame);

} // namespace wavelane
} // namespace lldb_private

#endif
