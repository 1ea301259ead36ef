//===-- ServerMain.cpp - lldb-server with GPUs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has LLDB's own modes. In gdbserver mode, the host's server is ours, with a
// GPU process beside the host process, and it can serve a core file instead of
// a program, or a rank of a job.
//
//===----------------------------------------------------------------------===//

#include "LLDBServerUtilities.h"
#include "Server/Core/CoreServer.h"
#include "Server/Host/HostServer.h"
#include "Server/Host/WideRegisters.h"
#include "Server/Link/ListenHost.h"
#include "Server/Rank/RankServer.h"
#include "SystemInitializerLLGS.h"
#include "lldb/Initialization/SystemLifetimeManager.h"
#include "lldb/Version/Version.h"
#include "wavelane/MemoryLimit/MemoryShare.h"
#include "wavelane/MemoryLimit/MemoryWatch.h"
#include "wavelane/Protocol/Peer/Peer.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ServerEnd.h"
#include "wavelane/Protocol/Server/SettingsMessages.h"
#include "wavelane/Simulator/Kfd.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace lldb_private;

// The main functions of LLDB's modes.
int main_gdbserver(int argc, char *argv[]);
int main_platform(int argc, char *argv[]);

std::unique_ptr<process_gdb_remote::GDBRemoteCommunicationServerLLGS>
lldb_server::CreateServer(MainLoop &mainloop,
                          NativeProcessProtocol::Manager &manager) {
  return std::make_unique<wavelane::server::HostServer>(mainloop, manager);
}

/// Whose connections are let in, from the platform that has started this
/// process; programs don't inherit it.
static std::string TakeClient() {
  const char *host = ::getenv(wavelane::server::packets::ClientVariable);
  const std::string taken = host ? host : "";
  ::unsetenv(wavelane::server::packets::ClientVariable);
  return taken;
}

/// Ends this process when it has taken too much memory.
static llvm::Error WatchMemory() {
  namespace server = wavelane::server;
  wavelane::memorylimit::Watched limited = {
      "lldb-server", server::MemoryLimitVariable,
      wavelane::memorylimit::serverShare(), std::nullopt,
      server::MemoryLimitStatus};
  if (const char *text = ::getenv(server::MemoryLimitVariable); text && *text) {
    uint64_t mib = 0;
    if (llvm::Error wrong = wavelane::protocol::readNumber(
            text, 1, wavelane::simulator::MostMemoryLimit, mib))
      return llvm::createStringError(
          llvm::Twine(server::MemoryLimitVariable) + " " +
          wavelane::protocol::explainWrong(text, std::move(wrong)));
    limited.Chosen = mib << 20;
  }
  wavelane::memorylimit::watchMemory(std::move(limited));
  return llvm::Error::success();
}

static int RunGDBServer(int argc, char *argv[]) {
  if (llvm::Error wrong = WatchMemory()) {
    llvm::errs() << "lldb-server: " << llvm::toString(std::move(wrong)) << "\n";
    return 1;
  }
  // AMD's library opens KFD's device file even on a machine without a GPU.
  wavelane::simulator::standInOnlyWithoutDevice();
  std::string client = TakeClient();
  if (std::optional<int> status = wavelane::server::RunCoreServer(argc, argv))
    return *status;
#if defined(__x86_64__)
  wavelane::server::UseWideRegisters();
#endif
  if (std::optional<int> status = wavelane::server::RunRankServer(argc, argv))
    return *status;
  if (client.empty())
    client = wavelane::server::FindHost(
        {argv + 2, size_t(argc - 2)},
        {"fd", "named-pipe", "pipe", "log-channels", "log-file", "attach"},
        /*options=*/{});
  wavelane::server::HostServer::s_client = client;
  return main_gdbserver(argc, argv);
}

static int RunPlatform(int argc, char *argv[]) {
  const llvm::ArrayRef<const char *> arguments(argv + 2, argc - 2);
  const std::string client = TakeClient();
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    int fd;
    if (arguments[i] != llvm::StringRef("--child-platform-fd") ||
        llvm::StringRef(arguments[i + 1]).getAsInteger(10, fd))
      continue;
    if (llvm::Error error = wavelane::protocol::CheckPeer(fd, client)) {
      llvm::errs() << "lldb-server: " << llvm::toString(std::move(error))
                   << "\n";
      return 1;
    }
    return main_platform(argc, argv);
  }
  // Each client has a process, and each of its programs.
  const std::string host = wavelane::server::FindHost(
      arguments, /*separate=*/{}, /*options=*/{"listen", "L"});
  if (!host.empty())
    ::setenv(wavelane::server::packets::ClientVariable, host.c_str(), 1);
  return main_platform(argc, argv);
}

int main(int argc, char *argv[]) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  const char mode = argc > 1 ? argv[1][0] : 0;
  if (mode == 'v') {
    llvm::errs() << GetVersion() << "\n";
    return 0;
  }
  if (mode != 'g' && mode != 'p') {
    llvm::errs()
        << "Usage:\n  " << argv[0] << " v[ersion]\n  " << argv[0]
        << " g[dbserver] [options]\n  " << argv[0]
        << " p[latform] [options]\nInvoke subcommand for additional help\n";
    return argc < 2 ? 0 : 1;
  }
  SystemLifetimeManager lifetime;
  llvm::consumeError(
      lifetime.Initialize(std::make_unique<SystemInitializerLLGS>()));
  const int status =
      mode == 'g' ? RunGDBServer(argc, argv) : RunPlatform(argc, argv);
  lifetime.Terminate();
  return status;
}
