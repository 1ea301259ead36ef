//===-- ProtocolServerMCP.cpp - LLDB's MCP server, guarded ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProtocolServerMCP.h"
#include "Core/Support/WavelaneLog.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Protocol/MCP/Server.h"
#include "wavelane/Protocol/Peer/Peer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// LLDB's tools and resources, which its server adds to a protected function's
/// argument.
struct ToolsOfLLDB : mcp::ProtocolServerMCP {
  using mcp::ProtocolServerMCP::Extend;
};

} // namespace

lldb_private::wavelane::ProtocolServerMCP::~ProtocolServerMCP() {
  llvm::consumeError(Stop());
}

void lldb_private::wavelane::ProtocolServerMCP::Initialize() {
  PluginManager::UnregisterPlugin(mcp::ProtocolServerMCP::CreateInstance);
  PluginManager::RegisterPlugin(
      mcp::ProtocolServerMCP::GetPluginNameStatic(),
      mcp::ProtocolServerMCP::GetPluginDescriptionStatic(), CreateInstance);
}

void lldb_private::wavelane::ProtocolServerMCP::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

lldb::ProtocolServerUP
lldb_private::wavelane::ProtocolServerMCP::CreateInstance() {
  return std::make_unique<wavelane::ProtocolServerMCP>();
}

static void ReportRefusal(llvm::Error error) {
  Debugger::ReportWarning("a client of the MCP server was refused: " +
                          llvm::toString(std::move(error)));
}

void lldb_private::wavelane::ProtocolServerMCP::Accepted(
    std::unique_ptr<Socket> socket_up) {
  const int fd = socket_up->GetNativeSocket();
  if (llvm::Error error = ::wavelane::protocol::CheckPeer(fd, "")) {
    ReportRefusal(std::move(error));
    return;
  }
  auto client = m_new_clients.insert(m_new_clients.end(),
                                     NewClient{std::move(socket_up), nullptr});
  Status status;
  // The loop takes a shared object, and this one stays in the list.
  lldb::IOObjectSP watched_sp(lldb::IOObjectSP(), client->socket_up.get());
  client->handle_up = m_loop.RegisterReadObject(
      watched_sp, [this, client](MainLoopBase &) { FirstBytes(client); },
      status);
  if (status.Fail()) {
    ReportRefusal(status.takeError());
    m_new_clients.erase(client);
  }
}

void lldb_private::wavelane::ProtocolServerMCP::FirstBytes(
    std::list<NewClient>::iterator client) {
  llvm::Error refusal = ::wavelane::protocol::CheckFirstBytes(
      client->socket_up->GetNativeSocket(), "{");
  const bool refused = bool(refusal);
  if (refused)
    ReportRefusal(std::move(refusal));
  // The handle owns the function that runs now.
  m_loop.AddPendingCallback([this, client, refused](MainLoopBase &) {
    client->handle_up.reset();
    std::unique_ptr<Socket> socket_up = std::move(client->socket_up);
    m_new_clients.erase(client);
    if (refused)
      return;
    if (llvm::Error error = Serve(std::move(socket_up)))
      ReportRefusal(std::move(error));
  });
}

llvm::Error lldb_private::wavelane::ProtocolServerMCP::Serve(
    std::unique_ptr<Socket> socket_up) {
  lldb::IOObjectSP socket_sp = std::move(socket_up);
  return m_server_up->Accept(
      m_loop, std::make_unique<lldb_protocol::mcp::Transport>(
                  socket_sp, socket_sp, [](llvm::StringRef message) {
                    LLDB_LOG(GetLog(LLDBLog::Host), "MCP client: {0}", message);
                  }));
}

llvm::Error
lldb_private::wavelane::ProtocolServerMCP::Start(Connection connection) {
  std::lock_guard<std::mutex> guard(m_mutex);
  if (m_running)
    return llvm::createStringError("the MCP server is already running");

  Status status;
  std::unique_ptr<Socket> listener_up =
      Socket::Create(connection.protocol, status);
  if (status.Success())
    status = listener_up->Listen(connection.name, /*backlog=*/5);
  if (status.Fail())
    return status.takeError();
  auto handles =
      listener_up->Accept(m_loop, [this](std::unique_ptr<Socket> socket_up) {
        Accepted(std::move(socket_up));
      });
  if (!handles)
    return handles.takeError();
  const std::vector<std::string> addresses =
      listener_up->GetListeningConnectionURI();
  if (addresses.empty())
    return llvm::createStringError("the MCP server has no address");
  // LLDB's lldb-mcp finds the server by this file.
  auto info = lldb_protocol::mcp::ServerInfo::Write({addresses.front()});
  if (!info)
    return info.takeError();

  m_server_up = std::make_unique<lldb_protocol::mcp::Server>(
      "lldb-mcp", "0.1.0", [](llvm::StringRef message) {
        LLDB_LOG(GetLog(LLDBLog::Host), "MCP server: {0}", message);
      });
  ToolsOfLLDB().Extend(*m_server_up);
  m_listener_up = std::move(listener_up);
  m_accept_handles = std::move(*handles);
  m_info_handle = std::move(*info);
  m_running = true;
  m_loop_thread = std::thread([this] {
    llvm::set_thread_name("protocol-server.mcp");
    m_loop.Run();
  });
  return llvm::Error::success();
}

llvm::Error lldb_private::wavelane::ProtocolServerMCP::Stop() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (!m_running)
      return llvm::createStringError("the MCP server is not running");
    m_running = false;
  }
  const bool ends = m_loop.AddPendingCallback(
      [](MainLoopBase &loop) { loop.RequestTermination(); });
  if (ends && m_loop_thread.joinable())
    m_loop_thread.join();
  m_new_clients.clear();
  m_accept_handles.clear();
  m_server_up.reset();
  m_info_handle.Remove();
  m_listener_up.reset();
  return llvm::Error::success();
}
