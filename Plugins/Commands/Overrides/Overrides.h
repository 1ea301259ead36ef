//===-- Overrides.h - LLDB's commands in a program with a GPU ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_OVERRIDES_OVERRIDES_H
#define WAVELANE_COMMANDS_OVERRIDES_OVERRIDES_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;
class Debugger;

namespace wavelane {

/// Adapts LLDB's own commands to programs with two targets: `process launch`
/// and related commands act on the host, and `breakpoint set` sees GPU code
/// that isn't loaded yet.
void OverrideCommands(Debugger &debugger);
/// Makes commands aware of waves that run while LLDB's process is stopped.
void AddNonStopCommands(Debugger &debugger);

/// Makes `memory read` and related commands accept addresses of spaces, and
/// `register write` an element of a vector.
void ExtendCommands(CommandInterpreter &interpreter);

/// Makes `thread list` fold many waves.
void ReplaceThreadList(CommandInterpreter &interpreter);

/// `watchpoint set expression -s 4`: see WatchExpression.cpp. A callback of
/// OverrideCommand(), whose \a baton is the debugger.
bool WatchSizedExpression(void *baton, const char **argv,
                          CommandReturnObject &result);

/// Runs a command that lets the program run. In a script in synchronous mode,
/// its output also has the stop of the process that the command doesn't wait
/// for.
/// \return False otherwise: the command is still to be run.
bool RunProgram(Debugger &debugger, const char **argv,
                CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
