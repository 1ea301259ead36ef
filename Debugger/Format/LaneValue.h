//===-- LaneValue.h - an expression's value in a lane -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_COMMAND_LANEVALUE_H
#define WAVELANE_PLUGINS_COMMAND_LANEVALUE_H

#include "Lane/LaneFocus.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// Evaluates \a expression in the frame, with the thread's focus lane.
/// \param[out] hopeless
///     No lane can do better, as the expression is wrong in itself.
llvm::Expected<lldb::ValueObjectSP>
EvaluateInFrame(StackFrame &frame, llvm::StringRef expression, bool &hopeless);

/// A value as it is shown.
struct LaneValue {
  /// The value, or why there is none.
  std::string text;
  bool is_error = false;
  /// What the value is made of; only for JSON, and empty where it's too long.
  std::string bytes = {};
  std::string type = {};
  /// Where it is one.
  std::optional<double> number = {};
  bool operator==(const LaneValue &rhs) const {
    return text == rhs.text && is_error == rhs.is_error;
  }
};

/// As EvaluateInFrame.
/// \param with_bytes  Whether LaneValue::bytes and type are wanted.
LaneValue ReadLaneValue(StackFrame &frame, llvm::StringRef expression,
                        bool with_bytes, bool &hopeless);

/// An expression's values in lanes of a thread, one after the other. Where each
/// lane looks at memory of its own, what the other lanes need is read at once.
class LaneReader {
public:
  /// \param lanes  Those whose values will be wanted, in their order.
  LaneReader(Thread &thread, uint32_t frame_index, llvm::StringRef expression,
             bool with_bytes, llvm::BitVector lanes);
  /// \return nullopt when there is no such frame any more.
  std::optional<LaneValue> Read(uint32_t lane, bool &hopeless);

private:
  void ReadAhead(uint32_t lane);

  Thread &m_thread;
  const uint32_t m_frame_index;
  const llvm::StringRef m_expression;
  const bool m_with_bytes;
  const llvm::BitVector m_lanes;
  FocusLaneScope m_scope;
  /// How many lanes have needed memory that LLDB didn't have.
  unsigned m_needy = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
