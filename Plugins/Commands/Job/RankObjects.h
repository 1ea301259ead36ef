//===-- RankObjects.h - what is said of ranks -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_JOB_RANKOBJECTS_H
#define WAVELANE_COMMANDS_JOB_RANKOBJECTS_H

#include "Session/Job/Job.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Reads where the threads and waves of all ranks are, at once: each rank's
/// server has to be asked, and LLDB keeps the answers. What is known of the
/// ranks after that needs little more.
void LookAtRanks(llvm::ArrayRef<RankSP> ranks, bool all_threads = false);

/// A rank; docs/json.md has the keys.
llvm::json::Object DescribeRank(const Job &job, const Rank &rank);

/// What the threads and waves of ranks do, with the ranks that do the same
/// together, an object each.
llvm::json::Array FoldRanks(llvm::ArrayRef<RankSP> ranks);

/// An object of FoldRanks as a line: "ranks 0,2: host in MPI_Allreduce".
std::string FormatFold(const llvm::json::Object &fold);

/// The ranks in an array of an object; none if it isn't there.
std::vector<uint32_t> ReadRanks(const llvm::json::Object &object,
                                llvm::StringRef key);

/// What the ranks wait for: the calls of MPI that they are in, what others do,
/// and who wait for each other.
/// \param size How many ranks the job has, if that is known.
llvm::json::Array DescribeWaits(llvm::ArrayRef<RankSP> ranks, uint32_t size);

/// The stacks of host threads and waves of ranks as one tree: each node has
/// "name", "ranks", "threads" and "children". A rank that isn't stopped has a
/// node without threads, such as "[running]".
llvm::json::Array MakeStackTree(llvm::ArrayRef<RankSP> ranks);
/// A node of it as a line: "main  [ranks 0,2: 5 threads]".
std::string FormatBranch(const llvm::json::Object &node);

} // namespace wavelane
} // namespace lldb_private

#endif
