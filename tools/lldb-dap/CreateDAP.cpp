//===-- CreateDAP.cpp - The session of a client ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's lldb-dap.cpp has the main function.

#include "Core/Support/CheckedTransport.h"
#include "DAPLog.h"
#include "DAPSessionManager.h"
#include "SessionHandler.h"
#include "wavelane/Protocol/Peer/Peer.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>

static constexpr char EndsWithInputVariable[] =
    "WAVELANE_ADAPTER_ENDS_WITH_INPUT";

/// An adapter that listens ends with its standard input, and not before its
/// sessions, if the environment says so: an editor that has started it for its
/// own sessions may be killed.
static void EndWithInput() {
  std::thread([] {
    char letter;
    while (::read(STDIN_FILENO, &letter, 1) > 0)
      ;
    // A session that hangs must not keep the adapter.
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::minutes(1));
      std::_Exit(EXIT_SUCCESS);
    }).detach();
    llvm::consumeError(lldb_dap::DAPSessionManager::GetInstance()
                           .WaitForAllSessionsToDisconnect());
    std::_Exit(EXIT_SUCCESS);
  }).detach();
}

namespace {
class ClientTransport final
    : public lldb_private::wavelane::CheckedTransport<
          lldb_private::transport::HTTPDelimitedJSONTransport<
              lldb_dap::ProtocolDescriptor>> {
public:
  ClientTransport(lldb_dap::Log &log, lldb::IOObjectSP input,
                  lldb::IOObjectSP output)
      : CheckedTransport(std::move(input), std::move(output)), m_log(log) {}

  void Log(llvm::StringRef message) override { m_log.Emit(message); }

private:
  lldb_dap::Log &m_log;
};
} // namespace

std::unique_ptr<lldb_dap::DAPTransport>
lldb_dap::CreateTransport(Log &log, lldb::IOObjectSP input,
                          lldb::IOObjectSP output) {
  return std::make_unique<ClientTransport>(log, std::move(input),
                                           std::move(output));
}

std::unique_ptr<lldb_dap::DAP>
lldb_dap::CreateDAP(Log &log, const ReplMode repl_mode,
                    std::vector<std::string> pre_init_commands,
                    bool no_lldbinit, llvm::StringRef client_name,
                    DAPTransport &transport, lldb_private::MainLoop &loop) {
  // The client may disconnect at any time.
  std::signal(SIGPIPE, SIG_IGN);
  if (client_name != "stdio") {
    // Debuggers of several clients share LLDB's threads: two that load modules
    // in parallel may deadlock.
    pre_init_commands.insert(pre_init_commands.begin(),
                             "?settings set target.parallel-module-load false");
    static const bool ends_with_input =
        ::wavelane::protocol::isOn(EndsWithInputVariable) &&
        (EndWithInput(), true);
    (void)ends_with_input;
  }
  auto session_up = std::make_unique<wavelane::Session>(
      log, repl_mode, std::move(pre_init_commands), no_lldbinit, client_name,
      transport, loop);
  // The adapter listens already, and goes on.
  if (llvm::Error wrong = ::wavelane::protocol::checkVariables(
          [](llvm::StringRef name) -> std::string {
            const char *value = std::getenv(EndsWithInputVariable);
            return value && name == EndsWithInputVariable ? value : "";
          }))
    session_up->SendOutput(OutputType::Important,
                           llvm::toString(std::move(wrong)) +
                               "; the adapter doesn't end with its input\n");
  wavelane::RegisterStartHandlers(*session_up);
  wavelane::RegisterRunHandlers(*session_up);
  wavelane::RegisterThreadHandlers(*session_up);
  wavelane::RegisterFrameHandlers(*session_up);
  wavelane::RegisterMemoryHandlers(*session_up);
  wavelane::RegisterBreakpointHandlers(*session_up);
  wavelane::RegisterViewHandlers(*session_up);
  return session_up;
}

llvm::Error
lldb_dap::CheckClient(lldb_private::IOObject::WaitableHandle socket) {
  if (llvm::Error error = ::wavelane::protocol::CheckPeer(socket, ""))
    return error;
  // A message begins with Content-Length, or another field of DAP's header.
  return ::wavelane::protocol::CheckFirstBytes(socket, "Content-");
}
