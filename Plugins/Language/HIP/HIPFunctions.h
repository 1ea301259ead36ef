//===-- HIPFunctions.h - functions that expressions have --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_HIP_HIPFUNCTIONS_H
#define WAVELANE_PLUGINS_LANGUAGE_HIP_HIPFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace lldb_private {
namespace wavelane {

/// Source that defines what HIP's headers define and a program rarely has code
/// for: operators of vector types, functions of numbers. The program's own
/// functions of these names are preferred.
llvm::StringRef GetHIPFunctions();

} // namespace wavelane
} // namespace lldb_private

#endif
