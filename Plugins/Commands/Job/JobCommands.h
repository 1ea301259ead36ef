//===-- JobCommands.h - the commands `job ...` and `rank ...` ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_JOB_JOBCOMMANDS_H
#define WAVELANE_COMMANDS_JOB_JOBCOMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;

namespace wavelane {

class Job;

lldb::CommandObjectSP MakeJobCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeRankCommand(CommandInterpreter &interpreter);
/// Continues all ranks of a job, and shows their stop.
void ContinueWithJob(Job &job, CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
