//===-- LaneAttributes.h - what DWARF says of lanes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LANEATTRIBUTES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LANEATTRIBUTES_H

#include "Core/Lane/LaneFocus.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"

namespace lldb_private {
namespace wavelane {

/// The lanes of the code at \a frame according to DW_AT_num_lanes or one of its
/// vendor spellings; nullopt if the function has no such attribute.
llvm::Expected<std::optional<LaneSet>> ReadLaneAttributes(StackFrame &frame);

} // namespace wavelane
} // namespace lldb_private

#endif
