//===-- Commands.h - Wavelane's commands ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_COMMANDS_H
#define WAVELANE_COMMANDS_COMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;

namespace wavelane {

/// Adds `thread lane`, `dwarf`, `gpu`, `job`, `rank` and `wavelane` to
/// every debugger, present and future.
void InitializeCommands();

lldb::CommandObjectSP MakeThreadLaneCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeGPUCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeWavelaneCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
