//===-- LaneResults.h - a function's result in each lane --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_LANERESULTS_H
#define WAVELANE_CORE_LANE_LANERESULTS_H

#include "lldb/lldb-forward.h"
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// What a function is to return in a lane.
struct LaneResult {
  lldb::ValueObjectSP value_sp;
  /// Why there is no value.
  std::string error;
};

/// While one lives, a function that this thread of LLDB makes return early
/// (`thread return`) returns these results, one for each lane of the wave,
/// rather than LLDB's one value.
class LaneResultsScope {
public:
  explicit LaneResultsScope(std::vector<LaneResult> results);
  ~LaneResultsScope();
  LaneResultsScope(const LaneResultsScope &) = delete;

  /// Null if there is no scope.
  static const std::vector<LaneResult> *Get();

private:
  const std::vector<LaneResult> m_results;
};

} // namespace wavelane
} // namespace lldb_private

#endif
