//===-- CheckCommands.h - `gpu check ...` and `gpu count` -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_CHECK_CHECKCOMMANDS_H
#define WAVELANE_COMMANDS_CHECK_CHECKCOMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;

namespace wavelane {

lldb::CommandObjectSP MakeCheckCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeCheckIgnoreCommand(CommandInterpreter &interpreter);
/// `gpu count`.
lldb::CommandObjectSP MakeCountCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
