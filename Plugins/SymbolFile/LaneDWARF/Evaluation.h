//===-- Evaluation.h - from a DWARF expression to an LLDB value -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H

#include "FrameContext.h"
#include "VariableLists.h"
#include "lldb/Core/Value.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace lldb_private {
class DataExtractor;
class Variable;

namespace wavelane {

/// The variable whose location an expression is, looked up on demand.
class VariableOfExpression {
public:
  VariableOfExpression(const FrameContext &context,
                       const DataExtractor &expression)
      : m_context(context), m_expression(expression) {}
  /// \return Null if the expression isn't the location of a variable of the
  ///     frame.
  Variable *Get();

private:
  const FrameContext &m_context;
  const DataExtractor &m_expression;
  std::optional<Variable *> m_variable;
};

/// Evaluates \a expression as a location and gives what LLDB needs to show,
/// read and write the object: a load address (of the program or of the window),
/// a register, or an address of the file. An object that is optimized out gives
/// LLDB's usual error.
/// \param lists  The location lists of \a context's file.
/// \param initial  An address to push first, if given.
/// \param listed  The expression that a variable's list has, if it is another.
llvm::Expected<Value>
EvaluateToValue(const std::shared_ptr<FrameContext> &context,
                const DataExtractor &expression, const VariableLists &lists,
                const Value *initial = nullptr,
                const DataExtractor *listed = nullptr);

} // namespace wavelane
} // namespace lldb_private

#endif
