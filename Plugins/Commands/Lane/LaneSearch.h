//===-- LaneSearch.h - lanes for which an expression holds ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_LANE_LANESEARCH_H
#define WAVELANE_COMMANDS_LANE_LANESEARCH_H

#include "Core/Record/LaneRecord.h"
#include "lldb/Target/ExecutionContext.h"
#include <string>
#include <vector>

namespace lldb_private {
class CommandReturnObject;

namespace wavelane {

class LaneEvaluation;
class LaneExpression;
class LaneView;

/// The active lanes for which an expression holds.
class LaneSearch {
public:
  /// Searches the selected frame, with \a all_threads also the frame of that
  /// number of each thread that is in the same function there. Focus lanes are
  /// kept.
  static LaneSearch Run(ExecutionContext &exe_ctx, llvm::StringRef expression,
                        bool all_threads);

  /// The error message if nothing was found.
  static const char *DescribeNone(bool all_threads);

  /// \return False, with an error in \a result, if the expression can't be
  ///     evaluated in any lane.
  bool Check(CommandReturnObject &result) const;
  /// Adds notes about fix-its and stale variables to \a result.
  void Note(CommandReturnObject &result) const;
  /// Adds warnings about lanes that were left out.
  void Warn(CommandReturnObject &result) const;

  /// The first thread with a lane for which the expression holds, or null.
  const LanesFound *GetFirst() const;

  /// The threads with a lane for which it holds or can't be evaluated.
  std::vector<LanesFound> found;

private:
  /// \return False if searching further is useless.
  bool LookAt(const LaneView &view, uint32_t frame_index,
              const LaneEvaluation &evaluation, LaneExpression &expression);

  size_t m_looked_at = 0, m_errors = 0;
  std::string m_last_error;
  std::string m_stale; ///< the stale variables that it has read
  std::string m_fixed; ///< what was evaluated instead, after LLDB's fix-its
  /// It can't be evaluated anywhere.
  bool m_is_hopeless = false;
  bool m_was_interrupted = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
