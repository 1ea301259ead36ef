//===-- ProcTable.h - the ranks that a launcher has started -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_JOB_PROCTABLE_H
#define WAVELANE_JOB_PROCTABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::job {

/// A process that a launcher has started.
struct Started {
  std::string Host;
  uint64_t Pid = 0;
  /// None if it was given by its number alone.
  std::optional<uint32_t> Rank;
};

/// Reads the table MPIR_proctable, in which launchers such as srun list
/// their ranks for debuggers, from a launcher's memory (MPIR Process
/// Acquisition Interface 1.0, sections 9.1 and 9.6).
/// \return An error if the process has no such table, the table is empty, as
///     that of Open MPI's mpirun is, or it can't be read.
llvm::Expected<std::vector<Started>> readProcTable(uint64_t Launcher);

/// Whether a text can be a host's name or address (RFC 1123, RFC 4291, and a
/// zone): what a launcher's table names is put behind a command such as ssh, to
/// which other texts could be options or commands.
bool isHostName(llvm::StringRef Text);

/// "HOST:PID", "[HOST]:PID" or "PID"; the host may have a user, "me@node1".
llvm::Expected<Started> parseStarted(llvm::StringRef Text);

} // namespace wavelane::job

#endif // WAVELANE_JOB_PROCTABLE_H
