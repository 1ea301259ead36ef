//===-- BreakpointBinding.h - breakpoints in GPU code to come ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_BREAKPOINTBINDING_H
#define WAVELANE_DEBUGGER_COMMAND_BREAKPOINTBINDING_H

#include "lldb/Breakpoint/Breakpoint.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Finds where a breakpoint of a program that doesn't run yet will be in its
/// GPU code. Where that is on the breakpoint's own line, places of the host
/// that are on other lines are disabled: they were only next to it.
/// \return For each place a line, as `breakpoint set` prints it.
std::vector<std::string> BindToGPUCode(Target &host, Breakpoint &breakpoint);

} // namespace wavelane
} // namespace lldb_private

#endif
