//===-- ServerConditions.h - conditions that the server decides -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERCONDITIONS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERCONDITIONS_H

#include "lldb/lldb-types.h"

#include <map>
#include <string>

namespace lldb_private {
class Process;
namespace process_gdb_remote {
class GDBRemoteCommunicationClient;
}

namespace wavelane {

/// Lets the server evaluate breakpoint conditions that can be compiled for it
/// (ConditionCompiler.h), thread filters, and ignore counts.
class ServerConditions {
public:
  explicit ServerConditions(
      process_gdb_remote::GDBRemoteCommunicationClient &client)
      : m_client(client) {}

  /// Called before the process runs: sends changes to the server.
  void Send(Process &process);

  /// Called when the server has forgotten a breakpoint, with its conditions.
  void Forget(lldb::addr_t address) { m_sent.erase(address); }

private:
  process_gdb_remote::GDBRemoteCommunicationClient &m_client;
  /// By address: the inputs of the conditions that the server has.
  std::map<lldb::addr_t, std::string> m_sent;
};

} // namespace wavelane
} // namespace lldb_private

#endif
