//===-- RankObjects.h - what is told of ranks -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_RANKOBJECTS_H
#define WAVELANE_DEBUGGER_COMMAND_RANKOBJECTS_H

#include "Job/Job.h"
#include "llvm/Support/JSON.h"

namespace lldb_private {
namespace wavelane {

/// A rank; docs/json.md has the keys.
llvm::json::Object DescribeRank(const Job &job, const Rank &rank);

/// What the threads and waves of ranks do, with the ranks that do the same
/// together, an object each.
llvm::json::Array FoldRanks(llvm::ArrayRef<RankSP> ranks);

/// The stacks of host threads and waves of ranks as one tree: each node has
/// "name", "ranks", "threads" and "children".
llvm::json::Array MakeStackTree(llvm::ArrayRef<RankSP> ranks);

} // namespace wavelane
} // namespace lldb_private

#endif
