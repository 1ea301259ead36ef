//===-- InlinedFunctions.h - functions that can't be called -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_INLINEDFUNCTIONS_H
#define WAVELANE_CORE_SUPPORT_INLINEDFUNCTIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lldb_private {
class ExecutionContext;
namespace wavelane {

/// Why an expression can't be evaluated if it calls a function of the program
/// that the optimizer has inlined everywhere, or a template. LLDB takes such a
/// name for undeclared, and often nothing but the source still has it.
/// \param[in] exe_ctx  Where the expression is evaluated.
/// \return Empty if it calls none.
std::string DescribeInlinedCall(const ExecutionContext &exe_ctx,
                                llvm::StringRef expression);

} // namespace wavelane
} // namespace lldb_private

#endif
