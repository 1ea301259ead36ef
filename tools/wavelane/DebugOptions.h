//===-- DebugOptions.h - LLDB's options, before LLDB starts -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_DEBUGOPTIONS_H
#define WAVELANE_TOOLS_WAVELANE_DEBUGOPTIONS_H

#include "CommandHelp.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace wavelane::command {

/// What is wrong with the options in the arguments of lldb, and what to do.
/// \return An empty text if nothing is.
std::string faultInDebugOptions(llvm::ArrayRef<std::string> Arguments);

/// LLDB's options, without their short names.
std::vector<OptionHelp> debugOptions();

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_DEBUGOPTIONS_H
