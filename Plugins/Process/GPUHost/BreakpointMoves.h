//===-- BreakpointMoves.h - breakpoints on lines without code ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer leaves lines without code. LLDB moves a breakpoint on one to the
// next line with code, which may be in the other branch of an `if`, behind a
// loop or in another function. The setting breakpoint-moves says what happens
// then.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_GPUHOST_BREAKPOINTMOVES_H
#define WAVELANE_PLUGINS_PROCESS_GPUHOST_BREAKPOINTMOVES_H

#include "SymbolFile/LaneDWARF/LinePlaces.h"
#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Utility/FileSpec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
class Target;

namespace wavelane {

/// The file and line that a breakpoint was set on; nullopt for another kind.
std::optional<std::pair<FileSpec, uint32_t>> GetOwnLine(Breakpoint &breakpoint);

struct BreakpointMove {
  lldb::BreakpointLocationSP location_sp;
  LineMove move;
};

/// The locations of a breakpoint by line which are in another part of the
/// source than the line.
std::vector<BreakpointMove> FindMoves(Breakpoint &breakpoint);

/// Of the enabled locations of a breakpoint, once for each line.
std::vector<MissingCopies> FindMissingCopies(Breakpoint &breakpoint);

/// "line 14 has no code: it stops at line 16, in the 'else' of line 15", or
/// that it doesn't, as the setting asks.
std::string Describe(const LineMove &move);

/// Disables the locations that the setting refuses, and the host's functions
/// that launch kernels if a regular expression doesn't ask for them.
void RefuseMoves(Breakpoint &breakpoint);

/// Likewise for all breakpoints of a target.
void RefuseMoves(Target &target);

} // namespace wavelane
} // namespace lldb_private

#endif
