//===-- GPUServer.h - The GPU connection ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPU_GPUSERVER_H
#define WAVELANE_SERVER_GPU_GPUSERVER_H

#include "GPUListener.h"
#include "GPUProcess.h"
#include "Server/Link/PacketServer.h"
#include "Server/Wave/CheckFindings.h"

namespace wavelane::server {

/// Answers the packets of a GPU connection, which
/// wavelane/Protocol/Server/Packets.h describes.
class GPUServer : public PacketServer {
public:
  /// \see Create
  GPUServer(lldb_private::MainLoop &loop, GPUSession &session);
  ~GPUServer() override;

  /// Creates a server with a process for the waves.
  static std::shared_ptr<GPUServer> Create(lldb_private::MainLoop &loop,
                                           GPUSession &session);
  GPUProcess &GetProcess() { return *m_gpu; }

  /// Waits for a connection. \p host is the host connection's descriptor.
  /// \return The URL to connect to.
  llvm::Expected<std::string> Listen(int host);
  /// Serves the client on \p fd, and takes ownership of it.
  void Connect(int fd);

  /// Makes a file that a client can take as its target's executable: the
  /// program's code. It is of this process, and goes with it.
  /// \return Its path; nullopt if there is no code yet.
  std::optional<std::string> MakeExecutable();

  void ProcessStateChanged(lldb_private::NativeProcessProtocol *process,
                           lldb::StateType state) override;

  /// The answer to jAcceleratorPluginGetDynamicLoaderLibraryInfo.
  static llvm::Expected<protocol::AcceleratorLibraries>
  GetLibraries(GPUProcess &process, const llvm::json::Object &arguments);

protected:
  std::optional<PacketResult> HandlePacket(Extractor &packet) override;
  void PacketArrived() override;
  void PacketHandled() override;
  void ConnectionLost() override;
  std::vector<std::string>
  HandleFeatures(llvm::ArrayRef<llvm::StringRef> client_features) override;

private:
  /// A GPU can't start a process.
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

  /// "bc" and "bs".
  PacketResult RunBack(bool step);
  PacketResult SendHostInfo();
  /// What a core is checked for that is about to run on.
  llvm::Error SetUpChecks(const llvm::json::Object &arguments);
  PacketResult SetWatchpoint(Extractor &packet);
  PacketResult SendCoreInfo();
  PacketResult SendProcessInfo();
  /// \param was_asked  By a client that may not have the last stop.
  PacketResult SendStop(bool was_asked);
  /// With all waves folded.
  PacketResult SendFoldedStop(lldb_private::NativeThreadProtocol &thread,
                              bool was_asked);
  PacketResult SendEnd();
  /// Nobody can ask after the end.
  void SendLastFindings();
  /// Answers an access to the memory of a device that has ended.
  PacketResult SendDeviceEnded();
  PacketResult TransferMemory(Extractor &packet, char kind);
  PacketResult ReadRanges(Extractor &packet);
  PacketResult SendTargetXML(Extractor &packet);
  /// The memory that a packet is about.
  struct Place {
    std::optional<uint64_t> space; ///< nullopt: global memory
    uint32_t lane = AMD_DBGAPI_LANE_NONE;
    std::optional<lldb::tid_t> thread;
    /// The packet's thread, else the current one; null if it has ended.
    Wave *wave = nullptr;
    bool IsOfEndedWave() const { return thread && space && !wave; }
  };
  /// \return nullopt if the suffix of a packet is malformed.
  std::optional<Place> ParsePlace(llvm::StringRef suffix);
  /// \return The number of bytes read.
  llvm::Expected<size_t> ReadPlace(const Place &place, uint64_t address,
                                   llvm::MutableArrayRef<char> bytes);

  GPUSession &m_session;
  Manager m_manager;
  GPUProcess *m_gpu = nullptr;
  CheckFolder m_check; ///< of a core that runs on
  std::unique_ptr<GPUListener> m_listener;
  bool m_has_client = false;
  /// The client has detached, and expects no more packets.
  bool m_detached = false;
  /// The client understands folded stops.
  bool m_folds_stops = false;
  std::string m_target_xml;
  /// Of MakeExecutable: the file, and where its code is loaded.
  int m_executable = -1;
  int64_t m_executable_address = 0;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_GPUSERVER_H
