//===-- LaneSearch.h - lanes for which an expression holds ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_LANESEARCH_H
#define WAVELANE_DEBUGGER_COMMAND_LANESEARCH_H

#include "Record/LaneRecord.h"
#include "lldb/Target/ExecutionContext.h"
#include <string>
#include <vector>

namespace lldb_private {
class CommandReturnObject;

namespace wavelane {

class LaneExpression;
class LaneView;

/// The active lanes for which an expression holds.
class LaneSearch {
public:
  /// Looks at the selected frame, with \a all_threads also at the frame of that
  /// number of each thread that is in the same function there. Focus lanes
  /// stay.
  static LaneSearch Run(ExecutionContext &exe_ctx, llvm::StringRef expression,
                        bool all_threads);

  /// Says that nothing is found.
  static const char *DescribeNone(bool all_threads);

  /// \return False after an error in \a result: it can't be evaluated in any
  /// lane.
  bool Check(CommandReturnObject &result) const;
  /// Says in \a result which lanes were left out.
  void Warn(CommandReturnObject &result) const;

  /// The first thread with a lane for which it holds; null if there is none.
  const LanesFound *GetFirst() const;

  /// The threads with a lane for which it holds or can't be told.
  std::vector<LanesFound> found;

private:
  /// \return False if looking on is of no use.
  bool LookAt(const LaneView &view, uint32_t frame_index,
              LaneExpression &expression);

  size_t m_looked_at = 0, m_errors = 0;
  std::string m_last_error;
  /// It can't be evaluated anywhere.
  bool m_is_hopeless = false;
  bool m_was_interrupted = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
