//===-- GPUServer.h - The GPU connection ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPUSERVER_H
#define WAVELANE_SERVER_GPUSERVER_H

#include "GPUListener.h"
#include "GPUProcess.h"
#include "PacketServer.h"

namespace wavelane::server {

/// Answers the packets of a GPU connection; wavelane/Server/Packets.h says
/// which.
class GPUServer : public PacketServer {
public:
  GPUServer(lldb_private::MainLoop &loop, GPUSession &session);
  ~GPUServer() override;

  /// Makes the process that this server serves.
  GPUProcess &AddProcess();

  /// Takes a connection. \p host is the host connection's descriptor.
  /// \return The URL to connect to.
  llvm::Expected<std::string> Listen(int host);
  /// Serves the client on \p fd, which this then owns.
  void Connect(int fd);
  bool HasClient() const { return m_has_client; }

  void ProcessStateChanged(lldb_private::NativeProcessProtocol *process,
                           lldb::StateType state) override;

  /// The answer to jAcceleratorPluginGetDynamicLoaderLibraryInfo.
  static llvm::json::Value GetLibraryInfo(GPUProcess &process,
                                          const llvm::json::Object &arguments);

protected:
  std::optional<PacketResult> HandlePacket(Extractor &packet) override;
  void PacketHandled() override;
  void ConnectionLost() override;
  std::vector<std::string>
  HandleFeatures(llvm::ArrayRef<llvm::StringRef> client_features) override;

private:
  /// A GPU starts nothing by itself.
  class Manager : public lldb_private::NativeProcessProtocol::Manager {
  public:
    using lldb_private::NativeProcessProtocol::Manager::Manager;
    llvm::Expected<std::unique_ptr<lldb_private::NativeProcessProtocol>> Launch(
        lldb_private::ProcessLaunchInfo &info,
        lldb_private::NativeProcessProtocol::NativeDelegate &delegate) override;
    llvm::Expected<std::unique_ptr<lldb_private::NativeProcessProtocol>> Attach(
        lldb::pid_t pid,
        lldb_private::NativeProcessProtocol::NativeDelegate &delegate) override;
  };

  PacketResult SendHostInfo();
  PacketResult SetSpaceWatchpoint(Extractor &packet);
  PacketResult SendCoreInfo();
  PacketResult SendProcessInfo();
  PacketResult SendStop();
  PacketResult SendEnd();
  PacketResult TransferMemory(Extractor &packet, char kind);
  PacketResult ReadRanges(Extractor &packet);
  PacketResult SendTargetXML(Extractor &packet);
  bool ParsePlace(llvm::StringRef suffix, std::optional<uint64_t> &space,
                  uint32_t &lane, std::optional<lldb::tid_t> &tid);
  /// \return How many bytes could be read. Without a space: of global memory.
  llvm::Expected<size_t> ReadPlace(std::optional<uint64_t> space, Wave *wave,
                                   uint32_t lane, uint64_t address,
                                   llvm::MutableArrayRef<char> bytes);

  GPUSession &m_session;
  Manager m_manager;
  GPUProcess *m_gpu = nullptr;
  std::unique_ptr<GPUListener> m_listener;
  bool m_has_client = false;
  /// The client has detached: it expects nothing any more.
  bool m_detached = false;
  std::string m_target_xml;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPUSERVER_H
