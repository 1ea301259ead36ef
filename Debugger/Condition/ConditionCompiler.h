//===-- ConditionCompiler.h - conditions for the server ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_CONDITION_CONDITIONCOMPILER_H
#define WAVELANE_DEBUGGER_CONDITION_CONDITIONCOMPILER_H

#include "lldb/Core/Address.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lldb_private {
namespace wavelane {

/// Translates a breakpoint's condition to what the server decides for each wave
/// that comes by (jWavelaneConditions in Packets.h): C's arithmetic on
/// variables that can be seen at \a address, their members and elements, what
/// pointers lead to, and HIP's threadIdx, blockIdx, blockDim, gridDim and
/// warpSize.
///
/// \return An error for what else C++ and LLDB have: such conditions are
///     decided by LLDB, at every stop.
llvm::Expected<llvm::json::Object> CompileCondition(llvm::StringRef text,
                                                    const Address &address);

} // namespace wavelane
} // namespace lldb_private

#endif
