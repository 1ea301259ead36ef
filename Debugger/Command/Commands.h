//===-- Commands.h - Wavelane's commands -----------------------*- C++ -*-===//

#ifndef WAVELANE_DEBUGGER_COMMAND_COMMANDS_H
#define WAVELANE_DEBUGGER_COMMAND_COMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;

namespace wavelane {

/// Adds `thread lane`, `dwarf`, `gpu` and `wavelane` to every debugger, present and future.
void InitializeCommands();
void TerminateCommands();

lldb::CommandObjectSP MakeThreadLaneCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeDwarfCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeGPUCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeWavelaneCommand(CommandInterpreter &interpreter);
/// Has `thread list` fold many waves.
void ReplaceThreadList(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
