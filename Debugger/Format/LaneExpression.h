//===-- LaneExpression.h - an expression, asked in lanes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_FORMAT_LANEEXPRESSION_H
#define WAVELANE_DEBUGGER_FORMAT_LANEEXPRESSION_H

#include "Record/LaneRecord.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace lldb_private {
namespace wavelane {

/// An expression that is evaluated in many lanes of threads, while all of them
/// stand. It is compiled once for each address at which a frame is.
class LaneExpression {
public:
  explicit LaneExpression(llvm::StringRef text) : m_text(text.str()) {}

  const std::string &GetText() const { return m_text; }

  /// Evaluates it in \a frame, with the thread's focus lane.
  llvm::Expected<lldb::ValueObjectSP> Evaluate(StackFrame &frame);

  /// The same, as it is shown.
  /// \param with_bytes  Whether LaneValue::bytes and the type are wanted.
  /// \return A value whose lane is still to be set.
  LaneValue Read(StackFrame &frame, bool with_bytes);

  /// Reads the memory that Evaluate will need; nothing where the expression
  /// isn't the path of a variable.
  void ReadMemory(StackFrame &frame);

  /// No lane can do better than the last one: the expression is wrong in
  /// itself.
  bool IsHopeless() const { return m_is_hopeless; }
  /// The type of what was read with its bytes; empty before.
  const std::string &GetType() const { return m_type; }

private:
  /// What is known of an address.
  struct Compiled {
    bool was_tried = false;
    /// The text isn't the path of a variable there.
    bool is_no_path = false;
    /// It would have to call functions, and the process can't.
    bool is_not_interpretable = false;
    /// Null where it can't be compiled, or not be kept.
    lldb::UserExpressionSP expression_sp;
  };
  static lldb::ValueObjectSP EvaluateAsPath(StackFrame &frame,
                                            llvm::StringRef text);
  Compiled &Compile(StackFrame &frame);

  const std::string m_text;
  std::string m_type;
  bool m_is_hopeless = false;
  std::map<lldb::addr_t, Compiled> m_compiled;
};

} // namespace wavelane
} // namespace lldb_private

#endif
