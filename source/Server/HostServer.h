//===-- HostServer.h - The host connection ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's server for the program, and what it has to say about the program's
// GPU. Without jAcceleratorPluginInitialize from the client it is LLDB's
// server.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_HOSTSERVER_H
#define WAVELANE_SERVER_HOSTSERVER_H

#include "GPUSession.h"
#include "PacketServer.h"
#include "Settings.h"

namespace wavelane::server {

class HostServer : public PacketServer, private GPUSession::Delegate {
public:
  HostServer(lldb_private::MainLoop &loop,
             lldb_private::NativeProcessProtocol::Manager &manager);
  ~HostServer() override;

  lldb_private::Status LaunchProcess() override;
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
  /// The client's, and for what it doesn't say the environment's.
  llvm::Expected<Settings> GetSettings() const;
  llvm::Error CheckInTime(const Settings &settings) const;
  PacketResult InitializePlugin();
  PacketResult BreakpointHit(const llvm::json::Object &arguments);
  PacketResult SaveCore(const llvm::json::Object &arguments);
  llvm::Error StartSession();
  void EndSession();
  llvm::json::Object MakeAction() const;
  llvm::Expected<llvm::json::Object> MakeConnectInfo();
  lldb_private::Environment GetProgramEnvironment() const;

  std::unique_ptr<GPUSession> m_session;
  /// As the client has sent them.
  Settings m_settings;
  bool m_connect_told = false;
  /// Of a program that this server has started: whether it uses the simulated
  /// GPU.
  std::optional<bool> m_launched_simulated;
  /// The client has asked for the program's end.
  bool m_killed = false;
  /// The stop whose breakpoint hits the library has been told of: a client may
  /// have several breakpoints at one place.
  std::optional<uint32_t> m_reported_stop;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_HOSTSERVER_H
