//===-- JobCommands.h - the commands `job ...` and `rank ...` ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_JOB_JOBCOMMANDS_H
#define WAVELANE_COMMANDS_JOB_JOBCOMMANDS_H

#include "lldb/lldb-forward.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;
class Debugger;

namespace wavelane {

class Job;

lldb::CommandObjectSP MakeJobCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeRankCommand(CommandInterpreter &interpreter);
/// Opens the core files of a job's ranks.
void OpenJobCores(Debugger &debugger, llvm::ArrayRef<std::string> files,
                  CommandReturnObject &result);
/// Continues all ranks of a job, and shows their stop.
void ContinueWithJob(Job &job, CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
