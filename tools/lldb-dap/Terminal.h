//===-- Terminal.h - Programs that a client starts --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_TERMINAL_H
#define WAVELANE_TOOLS_LLDB_DAP_TERMINAL_H

#include "lldb/API/SBDebugger.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lldb_dap::wavelane {

/// Adds the variables of the environment with which the program can use the
/// simulated GPU, as lldb-server does for programs that it starts itself.
/// \param arguments  Of the request `runInTerminal`.
/// \return Why the program can't use a GPU.
llvm::Error AddGPUEnvironment(lldb::SBDebugger debugger,
                              llvm::json::Object &arguments);

} // namespace lldb_dap::wavelane

#endif
