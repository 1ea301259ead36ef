//===-- Evaluation.h - from a DWARF expression to an LLDB value -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H

#include "FrameContext.h"
#include "lldb/Core/Value.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace lldb_private {
class DataExtractor;
class Variable;

namespace wavelane {

/// Evaluates \a expression as a location and gives what LLDB needs to show,
/// read and write the object: a load address (of the program or of the window),
/// a register, or an address of the file. An object that is optimised out is an
/// error in LLDB's words.
/// \param variable
///     Whose location it is; null where that isn't known.
/// \param overlapping The variable's location list where its entries overlap,
///     else null: all that hold at the program location count.
/// \param initial  Pushed first, if given: an address.
llvm::Expected<Value>
EvaluateToValue(const std::shared_ptr<FrameContext> &context,
                const DataExtractor &expression, Variable *variable,
                const std::vector<location::LocationListEntry> *overlapping,
                const Value *initial = nullptr);

/// The variable of \a context's frame whose place \a expression is, as LLDB
/// holds it; null for another expression.
Variable *FindVariable(const FrameContext &context,
                       const DataExtractor &expression);

} // namespace wavelane
} // namespace lldb_private

#endif
