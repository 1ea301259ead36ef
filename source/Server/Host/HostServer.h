//===-- HostServer.h - The host connection ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's server for the program, extended for the program's GPU. Without
// jAcceleratorPluginInitialize from the client, it behaves like LLDB's server.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_HOST_HOSTSERVER_H
#define WAVELANE_SERVER_HOST_HOSTSERVER_H

#include "Server/Library/GPUSession.h"
#include "Server/Library/Settings.h"
#include "Server/Link/PacketServer.h"
#include "Server/Wave/CheckFindings.h"
#include "wavelane/Protocol/Server/AcceleratorMessages.h"

namespace wavelane::server {

class GPUServer;

class HostServer : public PacketServer, private GPUSession::Delegate {
public:
  HostServer(lldb_private::MainLoop &loop,
             lldb_private::NativeProcessProtocol::Manager &manager);
  ~HostServer() override;

  /// Where clients come from, as for CheckPeer(); any if it is empty.
  static inline std::string s_client;
  /// Refuses others, and other users of this machine.
  lldb_private::Status InitializeConnection(
      std::unique_ptr<lldb_private::Connection> connection) override;
  lldb_private::Status LaunchProcess() override;
  llvm::Error PrepareEnvironment(lldb_private::Environment &environment,
                                 const Settings &settings,
                                 debugapi::Device device,
                                 runtimechoice::Runtime runtime);
  void ProcessStateChanged(lldb_private::NativeProcessProtocol *process,
                           lldb::StateType state) override;
  void DidExec(lldb_private::NativeProcessProtocol *process) override;

protected:
  std::optional<PacketResult> HandlePacket(Extractor &packet) override;
  void ConnectionLost() override;
  std::vector<std::string>
  HandleFeatures(llvm::ArrayRef<llvm::StringRef> client_features) override;

private:
  void ReportToUser(const std::string &text) override;
  lldb_private::Status KillProgram() override;

  PacketResult ChangeSettings(const llvm::json::Object &arguments);
  /// The client's settings, completed by the environment's.
  llvm::Expected<Settings> GetSettings() const;
  /// Whether a vCont packet only names threads that don't exist.
  bool ResumesNoThread(Extractor packet);
  /// Why it is too late for another value of a setting; empty if it isn't.
  std::string WhyLate(llvm::StringRef key, const Settings &wanted) const;
  PacketResult InitializePlugin(const llvm::json::Object &arguments);
  PacketResult BreakpointHit(const llvm::json::Object &arguments);
  PacketResult SaveCore(const llvm::json::Object &arguments);
  llvm::Error StartSession();
  void StartSessionAgain();
  void EndSession();
  protocol::AcceleratorActions MakeActions();
  /// Asks the client to connect, once it is time.
  llvm::Error RequestConnection(protocol::AcceleratorActions &actions);
  void RequestLoaderBreakpoint(protocol::AcceleratorActions &actions);
  lldb_private::Environment GetProgramEnvironment() const;

  std::unique_ptr<GPUSession> m_session;
  /// Owned by the session.
  GPUServer *m_gpu_server = nullptr;
  /// As sent by the client.
  Settings m_settings;
  protocol::AcceleratorClient m_client;
  bool m_connect_reported = false;
  int64_t m_last_action = 0; ///< the number of the last actions sent
  /// For a program that this server has started: whether it uses the simulated
  /// GPU.
  std::optional<bool> m_launched_simulated;
  /// For the user when the program runs: why its runtime will fail, and what
  /// of its environment is mistyped.
  std::vector<std::string> m_warnings;
  CheckFolder m_check;
  /// The client has asked to kill the program.
  bool m_killed = false;
  /// The stop whose breakpoint hits the library knows, since a client may have
  /// several breakpoints at one place.
  std::optional<uint32_t> m_reported_stop;
  /// Where the client has a breakpoint for changes of code objects.
  std::optional<lldb::addr_t> m_loader_address;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_HOST_HOSTSERVER_H
