//===-- Rank.h - the steps of wavelane-rank ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_RANK_RANK_H
#define WAVELANE_TOOLS_WAVELANE_RANK_RANK_H

#include "wavelane/Job/ProcTable.h"
#include "wavelane/Protocol/Job/JobMessages.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace wavelane::rank {

/// Connects to the debugger at \a Address ("unix:@<name>" or
/// "tcp:<address>:<port>"), and reports.
/// \return The connection's descriptor, and the debugger's terms.
llvm::Expected<std::pair<int, job::Terms>>
report(const std::string &Address, const std::string &Secret,
       const job::Registration &Registered);

/// Starts lldb-server over the connection for this process, which then may
/// execute the program: the server stops it at its first instruction. The
/// server isn't a child of this process, and keeps none of its files open.
/// \param Server The path of lldb-server.
llvm::Error handOver(const std::string &Server, int Connection,
                     bool EndsWithDebugger);

/// The ranks that a launcher has started, as it reports them to PMIx's tools.
/// To be called once in a process, which may have to be killed if the launcher
/// hangs.
llvm::Expected<std::vector<job::Started>> readPMIxTable(pid_t Launcher);

/// Becomes an lldb-server over the connection for a process that runs.
llvm::Error serve(const std::string &Server, int Connection, pid_t Process,
                  bool EndsWithDebugger);

} // namespace wavelane::rank

#endif // WAVELANE_TOOLS_WAVELANE_RANK_RANK_H
