//===-- HIPBuiltins.h - threadIdx and its like ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_HIP_HIPBUILTINS_H
#define WAVELANE_PLUGINS_LANGUAGE_HIP_HIPBUILTINS_H

namespace lldb_private {
namespace wavelane {

/// Adds threadIdx, blockIdx, blockDim, gridDim and warpSize to the DWARF
/// reader.
void InitializeHIPBuiltins();

/// Adds summaries of their types, as category "hip", for every debugger.
void InitializeHIPSummaries();

} // namespace wavelane
} // namespace lldb_private

#endif
