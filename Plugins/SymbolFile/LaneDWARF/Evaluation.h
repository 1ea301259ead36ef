//===-- Evaluation.h - from a DWARF expression to an LLDB value -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H

#include "FrameContext.h"
#include "lldb/Core/Value.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace lldb_private {
namespace wavelane {

/// Evaluates \a expression as a location and gives what LLDB needs to show,
/// read and write the object: a load address, a host buffer or an address of
/// the window. An object that is optimised out is an error in LLDB's words.
/// \param initial  Pushed first, if given: an address.
llvm::Expected<Value>
EvaluateToValue(const std::shared_ptr<FrameContext> &context,
                llvm::ArrayRef<uint8_t> expression,
                const Value *initial = nullptr);

} // namespace wavelane
} // namespace lldb_private

#endif
