//===-- BreakpointBinding.h - breakpoints in GPU code to come ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_OVERRIDES_BREAKPOINTBINDING_H
#define WAVELANE_COMMANDS_OVERRIDES_BREAKPOINTBINDING_H

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Utility/FileSpec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A place that a breakpoint has in GPU code which a program brings along.
struct GPUPlace {
  std::string where;      ///< "saxpy(float*, int) at saxpy.hip:13"
  std::string processors; ///< whose code has it: "gfx90a, gfx1100"
  FileSpec file;
  uint32_t line = 0;
  /// The line where it stops: at a function's entry, the one after the
  /// function's prologue.
  uint32_t stops_at = 0;
};

/// \param host  Need not run, nor use its GPU.
std::vector<GPUPlace> FindGPUPlaces(Target &host, Breakpoint &breakpoint);

/// Finds where a breakpoint will be in the GPU code of a program that isn't
/// running yet. If GPU code is on the breakpoint's own line, disables host
/// locations on other lines: LLDB only chose them for lack of host code on that
/// line.
/// \return A line for each place, as `breakpoint set` prints it.
std::vector<std::string> BindToGPUCode(Target &host, Breakpoint &breakpoint);

} // namespace wavelane
} // namespace lldb_private

#endif
