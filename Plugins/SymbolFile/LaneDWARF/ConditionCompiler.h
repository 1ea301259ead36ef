//===-- ConditionCompiler.h - expressions for the server --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CONDITIONCOMPILER_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CONDITIONCOMPILER_H

#include "lldb/Core/Address.h"
#include "lldb/Symbol/CompilerType.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lldb_private {
namespace wavelane {

/// An expression in the form that the server evaluates in the lanes of waves
/// (jWavelaneConditions and jWavelaneEvaluate in Packets.h).
struct ServerExpression {
  llvm::json::Object object;
  /// The type of its value; invalid if only LLDB's compiler would know it.
  CompilerType type;
  /// It reads what the launch has passed or what the source proves, which LLDB
  /// marks where it shows it.
  bool has_marks = false;
};

/// Translates C's arithmetic on variables visible at \a address, their members
/// and elements, the targets of pointers, and HIP's threadIdx, blockIdx,
/// blockDim, gridDim and warpSize.
///
/// \return An error for the rest of C++ and LLDB's extensions: LLDB evaluates
///     such expressions itself, lane by lane.
llvm::Expected<ServerExpression> CompileForServer(llvm::StringRef text,
                                                  const Address &address);

} // namespace wavelane
} // namespace lldb_private

#endif
