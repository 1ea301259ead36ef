//===-- Commands.h - Wavelane's commands ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_BASE_COMMANDS_H
#define WAVELANE_COMMANDS_BASE_COMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;

namespace wavelane {

class Job;

/// Adds `thread lane`, `dwarf`, `gpu`, `job`, `rank` and `wavelane` to
/// every debugger, present and future.
void InitializeCommands();

lldb::CommandObjectSP MakeThreadLaneCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeDwarfCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeGPUCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeWavelaneCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeJobCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeRankCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeAliasesCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeReportCommand(CommandInterpreter &interpreter);
/// Continues all ranks of a job, and shows their stop.
void ContinueWithJob(Job &job, CommandReturnObject &result);
/// Makes `memory read` and related commands accept addresses of spaces, and
/// `register write` an element of a vector.
void ExtendCommands(CommandInterpreter &interpreter);
/// Adds `reverse-next` and so on, and --reverse to `thread step-over` and so
/// on.
void AddReverseCommands(CommandInterpreter &interpreter);
/// Makes `thread list` fold many waves.
void ReplaceThreadList(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
