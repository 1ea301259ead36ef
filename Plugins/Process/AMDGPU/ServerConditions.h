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

/// Has the server decide breakpoints' conditions, those that can be compiled
/// for it (ConditionCompiler.h), and for which wave or how often a breakpoint
/// counts.
class ServerConditions {
public:
  explicit ServerConditions(
      process_gdb_remote::GDBRemoteCommunicationClient &client)
      : m_client(client) {}

  /// Before the process runs: tells the server what has changed.
  void Send(Process &process);

  /// The server has forgotten a breakpoint, with its conditions.
  void Forget(lldb::addr_t address) { m_sent.erase(address); }

private:
  process_gdb_remote::GDBRemoteCommunicationClient &m_client;
  /// By address: what the server's conditions were made from.
  std::map<lldb::addr_t, std::string> m_sent;
};

} // namespace wavelane
} // namespace lldb_private

#endif
