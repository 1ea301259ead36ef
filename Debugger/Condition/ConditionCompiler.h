//===-- ConditionCompiler.h - conditions for the server ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_CONDITION_CONDITIONCOMPILER_H
#define WAVELANE_DEBUGGER_CONDITION_CONDITIONCOMPILER_H

#include "lldb/Core/Address.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lldb_private {
namespace wavelane {

/// Translates a breakpoint's condition to the form that the server evaluates
/// for each wave that arrives (jWavelaneConditions in Packets.h): C's
/// arithmetic on variables visible at \a address, their members and elements,
/// the targets of pointers, and HIP's threadIdx, blockIdx, blockDim, gridDim
/// and warpSize.
///
/// \return An error for the rest of C++ and LLDB's extensions: LLDB evaluates
///     such conditions itself, at every stop.
llvm::Expected<llvm::json::Object> CompileCondition(llvm::StringRef text,
                                                    const Address &address);

} // namespace wavelane
} // namespace lldb_private

#endif
