//===-- ObjectLists.h - ROCdbgapi's objects for the client ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPU_OBJECTLISTS_H
#define WAVELANE_SERVER_GPU_OBJECTLISTS_H

#include "GPUProcess.h"
#include "wavelane/Protocol/Server/WaveMessages.h"

namespace wavelane::server {

/// The answers to packets::WaveInfo and packets::Objects.
class ObjectLists {
public:
  explicit ObjectLists(GPUProcess &process)
      : m_process(process), m_session(process.GetSession()),
        m_reader(process.GetReader()) {}

  llvm::Expected<llvm::json::Value> GetWaveInfo(lldb::tid_t tid);
  /// \param kind  One of packets::objects.
  /// \param ids
  ///     The waves that are wanted, as pairs of a first and a last id; null for
  ///     all.
  llvm::Expected<llvm::json::Value> Get(llvm::StringRef kind,
                                        const llvm::json::Array *ids = nullptr);
  /// The answer to packets::AddressSpaces.
  llvm::Expected<std::vector<protocol::AddressSpace>> GetAddressSpaces();

private:
  llvm::json::Array GetStops();
  llvm::json::Array GetWaiting();
  llvm::json::Array GetWaveNames();
  llvm::json::Array GetWaves(const llvm::json::Array *ids);
  llvm::Expected<llvm::json::Value> GetAgents();
  llvm::Expected<llvm::json::Value> GetQueues();
  llvm::Expected<llvm::json::Value> GetDispatches();
  llvm::Expected<llvm::json::Value> GetWorkgroups();
  llvm::json::Object GetWaveObject(Wave &wave);
  /// The waves of the stop, in the order of their numbers; none while the
  /// process runs. In non-stop mode the waves that are held, also then.
  std::vector<Wave *> GetShownWaves();
  /// The kernels and dispatches of the stop's waves.
  llvm::json::Array GetWaveKernels();
  /// Groups waves: those for which \p key returns the same are one element,
  /// with their numbers as runs. Those without a key are left out.
  /// \param describe  Makes the element of its first wave.
  llvm::json::Array
  GroupThreads(llvm::ArrayRef<Wave *> waves,
               llvm::function_ref<std::optional<std::string>(Wave &)> key,
               llvm::function_ref<llvm::json::Object(Wave &)> describe);

  GPUProcess &m_process;
  GPUSession &m_session;
  WaveReader &m_reader;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_OBJECTLISTS_H
