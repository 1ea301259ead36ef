//===-- LaneExpression.h - an expression, asked in lanes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_LANEEXPRESSION_H
#define WAVELANE_CORE_FORMAT_LANEEXPRESSION_H

#include "Core/Record/LaneRecord.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <set>
#include <string>

namespace lldb_private {
namespace wavelane {

/// An expression that is evaluated in many lanes of stopped threads. It is
/// compiled once for each code address of a frame.
class LaneExpression {
public:
  explicit LaneExpression(llvm::StringRef text) : m_text(text.str()) {}

  const std::string &GetText() const { return m_text; }

  /// \return Null if the text isn't the path of a variable.
  static lldb::ValueObjectSP EvaluateAsPath(StackFrame &frame,
                                            llvm::StringRef text);

  /// Evaluates it in \a frame, with the thread's focus lane.
  llvm::Expected<lldb::ValueObjectSP> Evaluate(StackFrame &frame);

  /// Like Evaluate, with the value as text.
  /// \param with_bytes Whether LaneValue::bytes and the type are wanted.
  /// \return A value whose lane the caller sets.
  LaneValue Read(StackFrame &frame, bool with_bytes);

  /// Like Read, of a value that is known.
  LaneValue Describe(ValueObject &value, bool with_bytes);

  /// Reads the memory that Evaluate will need if the expression is the path of
  /// a variable; otherwise does nothing.
  void ReadMemory(StackFrame &frame);

  /// The expression itself is wrong, so it will fail in every lane.
  bool IsHopeless() const { return m_is_hopeless; }
  /// What was evaluated instead, after LLDB's fix-its; empty if there were
  /// none.
  const std::string &GetFixed() const { return m_fixed; }
  /// The stale variables that all evaluations have read: "t [value at line
  /// 12]"; empty for none.
  std::string GetStale() const { return llvm::join(m_stale, ", "); }
  /// Whether the last value was found as the path of a variable, whose text
  /// says by itself where it is from.
  bool IsPath() const { return m_is_path; }
  /// The type of the last value read with its bytes; empty before.
  const std::string &GetType() const { return m_type; }

private:
  /// The cached state for an address.
  struct Compiled {
    bool was_tried = false;
    /// The text isn't the path of a variable at this address.
    bool is_no_path = false;
    /// It would have to call functions, which this process can't.
    bool is_not_interpretable = false;
    /// Null if it can't be compiled or cached.
    lldb::UserExpressionSP expression_sp;
  };
  Compiled &Compile(StackFrame &frame);
  llvm::Expected<lldb::ValueObjectSP> EvaluateNow(StackFrame &frame);

  const std::string m_text;
  std::string m_type;
  std::string m_fixed;
  bool m_is_hopeless = false, m_is_path = false;
  std::set<std::string> m_stale;
  std::map<lldb::addr_t, Compiled> m_compiled;
};

} // namespace wavelane
} // namespace lldb_private

#endif
