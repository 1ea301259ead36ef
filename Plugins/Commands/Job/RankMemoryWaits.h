//===-- RankMemoryWaits.h - waves that wait for memory ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_JOB_RANKMEMORYWAITS_H
#define WAVELANE_COMMANDS_JOB_RANKMEMORYWAITS_H

#include "Core/Call/MemoryWait.h"
#include "Session/Job/Job.h"
#include "Session/Job/SharedFiles.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Waves of a rank that wait until somebody writes to memory.
struct RankMemoryWait {
  uint32_t rank = 0;
  /// "await at flags.hip:14".
  std::string place;
  /// Those that were looked at, and wait for it.
  size_t waves = 0;
  /// The kernel has more waves there, which weren't looked at.
  bool has_more = false;
  MemoryWait wait;
  /// If other ranks can write it.
  std::optional<SharedFiles::Place> shared;

  /// An object of DescribeWaits.
  llvm::json::Object Describe() const;
};

std::vector<RankMemoryWait> FindMemoryWaits(llvm::ArrayRef<RankSP> ranks);

} // namespace wavelane
} // namespace lldb_private

#endif
