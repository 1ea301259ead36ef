//===-- RunningRanks.h - the ranks of a job that runs -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_RUNNINGRANKS_H
#define WAVELANE_SESSION_JOB_RUNNINGRANKS_H

#include "Job.h"
#include "wavelane/Job/ProcTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

struct RunningRanks {
  std::vector<Job::Attached> processes;
  /// Ranks that the job has as well, but that can't be found, sorted.
  std::vector<uint32_t> missing;
};

/// Finds the ranks that processes are or, given the one process of a launcher,
/// that it has started: by its table (MPIR), by PMIx, or as the processes below
/// it.
/// \param[in] given The hosts of processes on this machine are empty.
/// \param[in] rank_program The path of wavelane-rank.
llvm::Expected<RunningRanks>
FindRunningRanks(llvm::ArrayRef<::wavelane::job::Started> given,
                 const std::string &rank_program);

bool IsThisHost(llvm::StringRef host);

} // namespace wavelane
} // namespace lldb_private

#endif
