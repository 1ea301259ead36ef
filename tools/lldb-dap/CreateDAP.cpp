//===-- CreateDAP.cpp - The session of a client ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's lldb-dap.cpp has the main function.

#include "Session.h"
#include <csignal>

std::unique_ptr<lldb_dap::DAP>
lldb_dap::CreateDAP(Log &log, const ReplMode repl_mode,
                    std::vector<std::string> pre_init_commands,
                    bool no_lldbinit, llvm::StringRef client_name,
                    DAPTransport &transport, lldb_private::MainLoop &loop) {
  // The client may disconnect at any time.
  std::signal(SIGPIPE, SIG_IGN);
  // Debuggers of several clients share LLDB's threads: two that load modules in
  // parallel may deadlock.
  if (client_name != "stdio")
    pre_init_commands.insert(pre_init_commands.begin(),
                             "?settings set target.parallel-module-load false");
  return std::make_unique<wavelane::Session>(
      log, repl_mode, std::move(pre_init_commands), no_lldbinit, client_name,
      transport, loop);
}
