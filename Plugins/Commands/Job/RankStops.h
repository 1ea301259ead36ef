//===-- RankStops.h - break- and watchpoints of a job's ranks ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breakpoints and watchpoints are those of all ranks, unless `rank apply` sets
// them. Breakpoints are places of the program, which the job shares
// (JobBreakpoints). A watchpoint is an address, which each rank finds for
// itself: so the command is run in each.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COMMANDS_JOB_RANKSTOPS_H
#define WAVELANE_COMMANDS_JOB_RANKSTOPS_H

#include "llvm/ADT/StringRef.h"

namespace lldb_private {
class CommandReturnObject;
class Debugger;

namespace wavelane {

/// \param[in] line `breakpoint set ...`.
/// \return False if it is of all ranks: it is still to be run.
bool SetBreakpointOfRanks(Debugger &debugger, llvm::StringRef line,
                          CommandReturnObject &result);

/// \param[in] line `watchpoint set variable ...`, `watchpoint delete 1` or
///     another command that sets or changes watchpoints.
/// \return False if it is about one process: it is still to be run.
bool ChangeWatchpointsOfRanks(Debugger &debugger, llvm::StringRef line,
                              CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
