//===-- HIPFunctions.h - functions that expressions have --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGE_HIP_HIPFUNCTIONS_H
#define WAVELANE_PLUGINS_LANGUAGE_HIP_HIPFUNCTIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lldb_private {
namespace wavelane {

/// Source that defines what HIP's headers define and a program rarely has code
/// for: operators of vector types, functions of numbers. The program's own
/// functions of these names are preferred.
/// \param[in] has  Whether the program has a type or function of a name.
std::string GetHIPFunctions(llvm::function_ref<bool(llvm::StringRef name)> has);

} // namespace wavelane
} // namespace lldb_private

#endif
