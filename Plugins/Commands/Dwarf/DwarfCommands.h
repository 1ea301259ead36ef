//===-- DwarfCommands.h - the commands `dwarf ...` --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_DWARF_DWARFCOMMANDS_H
#define WAVELANE_COMMANDS_DWARF_DWARFCOMMANDS_H

#include "Commands/Base/CommandUtil.h"

namespace lldb_private {
namespace wavelane {

lldb::CommandObjectSP MakeDwarfCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP
MakeDwarfExpressionCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeDwarfVariableCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
