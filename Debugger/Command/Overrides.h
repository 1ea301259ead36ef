//===-- Overrides.h - LLDB's commands in a program with a GPU ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_OVERRIDES_H
#define WAVELANE_DEBUGGER_COMMAND_OVERRIDES_H

namespace lldb_private {
class Debugger;

namespace wavelane {

/// Adapts LLDB's own commands to programs with two targets: `process launch`
/// and related commands act on the host, and `breakpoint set` sees GPU code
/// that isn't loaded yet.
void OverrideCommands(Debugger &debugger);

} // namespace wavelane
} // namespace lldb_private

#endif
