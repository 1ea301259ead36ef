//===-- BreakpointBinding.h - breakpoints in GPU code to come ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_OVERRIDES_BREAKPOINTBINDING_H
#define WAVELANE_COMMANDS_OVERRIDES_BREAKPOINTBINDING_H

#include "lldb/Breakpoint/Breakpoint.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Finds where a breakpoint will be in the GPU code of a program that isn't
/// running yet. If GPU code is on the breakpoint's own line, disables host
/// locations on other lines: LLDB only chose them for lack of host code on that
/// line.
/// \return A line for each place, as `breakpoint set` prints it.
std::vector<std::string> BindToGPUCode(Target &host, Breakpoint &breakpoint);

} // namespace wavelane
} // namespace lldb_private

#endif
