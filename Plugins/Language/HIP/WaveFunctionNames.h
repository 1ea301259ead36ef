//===-- WaveFunctionNames.h - short names in frames of waves ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_HIP_WAVEFUNCTIONNAMES_H
#define WAVELANE_PLUGINS_LANGUAGE_HIP_WAVEFUNCTIONNAMES_H

namespace lldb_private {
namespace wavelane {

/// Replaces LLDB's plugin for C++ by one that names functions of GPUs as
/// NameStyle says; those of CPUs keep their names.
void InitializeWaveFunctionNames();

} // namespace wavelane
} // namespace lldb_private

#endif
