//===-- ProtocolServerMCP.h - LLDB's MCP server, guarded --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's own server takes any connection, and whoever connects can run
// programs: any user of the machine, and any web page that this user reads.
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_SOURCE_PLUGINS_PROTOCOLSERVER_MCP_PROTOCOLSERVERMCP_H
#define LLDB_SOURCE_PLUGINS_PROTOCOLSERVER_MCP_PROTOCOLSERVERMCP_H

#include "Plugins/Protocol/MCP/ProtocolServerMCP.h"
#include <map>

namespace lldb_private::wavelane {

/// LLDB's server "MCP" (its tools and resources), which refuses other users of
/// this machine and clients that don't begin with a JSON object, such as
/// browsers.
class ProtocolServerMCP : public ProtocolServer {
public:
  ProtocolServerMCP() = default;
  ~ProtocolServerMCP() override;

  /// Replaces LLDB's plugin of this name.
  static void Initialize();
  static lldb::ProtocolServerUP CreateInstance();

  llvm::StringRef GetPluginName() override {
    return mcp::ProtocolServerMCP::GetPluginNameStatic();
  }

  llvm::Error Start(Connection connection) override;
  llvm::Error Stop() override;
  Socket *GetSocket() const override { return m_listener_up.get(); }

private:
  /// A client of which nothing has been read.
  struct NewClient {
    std::unique_ptr<Socket> socket_up;
    MainLoop::ReadHandleUP handle_up;
  };

  // What follows runs in the loop's thread.

  void Accepted(std::unique_ptr<Socket> socket_up);
  /// A new client has sent something, or has gone.
  void FirstBytes(unsigned client);
  llvm::Error Serve(std::unique_ptr<Socket> socket_up);
  std::unique_ptr<lldb_protocol::mcp::Server> MakeServer();

  std::mutex m_mutex; ///< start and stop
  bool m_running = false;
  MainLoop m_loop;
  std::thread m_loop_thread;
  std::unique_ptr<Socket> m_listener_up;
  std::vector<MainLoop::ReadHandleUP> m_accept_handles;
  // By number: what is left to do may come after a client's end.
  unsigned m_last_client = 0;
  std::map<unsigned, NewClient> m_new_clients;
  /// Each client has a server. LLDB's frees what belongs to a client while it
  /// is in use, by a function of the client's end.
  std::map<unsigned, std::unique_ptr<lldb_protocol::mcp::Server>> m_servers;
  lldb_protocol::mcp::ServerInfoHandle m_info_handle;
};

} // namespace lldb_private::wavelane

#endif // LLDB_SOURCE_PLUGINS_PROTOCOLSERVER_MCP_PROTOCOLSERVERMCP_H
