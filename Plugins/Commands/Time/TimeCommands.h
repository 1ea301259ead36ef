//===-- TimeCommands.h - commands about the past ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_TIME_TIMECOMMANDS_H
#define WAVELANE_COMMANDS_TIME_TIMECOMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;

namespace wavelane {

lldb::CommandObjectSP MakeTimeCommand(CommandInterpreter &interpreter);
/// `thread lane origin`.
lldb::CommandObjectSP MakeLaneOriginCommand(CommandInterpreter &interpreter);
/// Adds `reverse-next` and so on, and --reverse to `thread step-over` and so
/// on.
void AddReverseCommands(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
