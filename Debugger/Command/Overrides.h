//===-- Overrides.h - LLDB's commands in a program with a GPU ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_OVERRIDES_H
#define WAVELANE_DEBUGGER_COMMAND_OVERRIDES_H

namespace lldb_private {
class Debugger;

namespace wavelane {

/// Has LLDB's own commands know that a program has two targets: `process
/// launch` and its like are about the host, and `breakpoint set` sees the GPU
/// code that isn't loaded yet.
void OverrideCommands(Debugger &debugger);

} // namespace wavelane
} // namespace lldb_private

#endif
