//===-- ProtocolServerMCP.cpp - LLDB's MCP server, guarded ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProtocolServerMCP.h"
#include "Core/Support/CheckedTransport.h"
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
struct LLDBTools : mcp::ProtocolServerMCP {
  using mcp::ProtocolServerMCP::Extend;
};

class CheckedMessages final
    : public CheckedTransport<lldb_private::transport::JSONRPCTransport<
          lldb_protocol::mcp::ProtocolDescriptor>> {
public:
  explicit CheckedMessages(const lldb::IOObjectSP &socket_sp)
      : CheckedTransport(socket_sp, socket_sp) {}

  void Log(llvm::StringRef message) override {
    LLDB_LOG(GetLog(LLDBLog::Host), "MCP client: {0}", message);
  }
};

/// Messages of a client. Its end is reported to who has made this, not to
/// LLDB's server, whose binder would free itself while it holds its own lock.
class ClientTransport : public lldb_protocol::mcp::MCPTransport {
public:
  ClientTransport(lldb::IOObjectSP socket_sp, std::function<void()> closed)
      : m_messages(socket_sp), m_reader(std::move(closed)) {}

  llvm::Error Send(const Evt &event) override { return m_messages.Send(event); }
  llvm::Error Send(const Req &request) override {
    return m_messages.Send(request);
  }
  llvm::Error Send(const Resp &response) override {
    return m_messages.Send(response);
  }
  llvm::Expected<MainLoop::ReadHandleUP>
  RegisterMessageHandler(MainLoop &loop, MessageHandler &handler) override {
    m_reader.m_handler = &handler;
    return m_messages.RegisterMessageHandler(loop, m_reader);
  }

protected:
  void Log(llvm::StringRef message) override { m_messages.Log(message); }

private:
  struct Reader : MessageHandler {
    explicit Reader(std::function<void()> closed)
        : m_closed(std::move(closed)) {}
    void Received(const Evt &event) override { m_handler->Received(event); }
    void Received(const Req &request) override { m_handler->Received(request); }
    void Received(const Resp &response) override {
      m_handler->Received(response);
    }
    void OnError(llvm::Error error) override {
      m_handler->OnError(std::move(error));
    }
    void OnClosed() override {
      if (auto closed = std::exchange(m_closed, nullptr))
        closed();
    }

    std::function<void()> m_closed;
    MessageHandler *m_handler = nullptr;
  };

  CheckedMessages m_messages;
  Reader m_reader;
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
  const unsigned client = ++m_last_client;
  NewClient &entry = m_new_clients[client];
  entry.socket_up = std::move(socket_up);
  Status status;
  // The loop takes a shared object, and this one stays in the map.
  lldb::IOObjectSP watched_sp(lldb::IOObjectSP(), entry.socket_up.get());
  entry.handle_up = m_loop.RegisterReadObject(
      watched_sp, [this, client](MainLoopBase &) { FirstBytes(client); },
      status);
  if (status.Fail()) {
    ReportRefusal(status.takeError());
    m_new_clients.erase(client);
  }
}

void lldb_private::wavelane::ProtocolServerMCP::FirstBytes(unsigned client) {
  llvm::Error refusal = ::wavelane::protocol::CheckFirstBytes(
      m_new_clients[client].socket_up->GetNativeSocket(), "{");
  const bool refused = bool(refusal);
  if (refused)
    ReportRefusal(std::move(refusal));
  // The handle owns the function that runs now.
  m_loop.AddPendingCallback([this, client, refused](MainLoopBase &) {
    auto found = m_new_clients.extract(client);
    if (found.empty() || refused)
      return;
    found.mapped().handle_up.reset();
    std::unique_ptr<Socket> socket_up = std::move(found.mapped().socket_up);
    if (llvm::Error error = Serve(std::move(socket_up)))
      ReportRefusal(std::move(error));
  });
}

llvm::Error lldb_private::wavelane::ProtocolServerMCP::Serve(
    std::unique_ptr<Socket> socket_up) {
  const unsigned client = ++m_last_client;
  auto &server_up = m_servers[client] = MakeServer();
  llvm::Error error = server_up->Accept(
      m_loop,
      std::make_unique<ClientTransport>(std::move(socket_up), [this, client] {
        // Not while its functions run.
        m_loop.AddPendingCallback(
            [this, client](MainLoopBase &) { m_servers.erase(client); });
      }));
  if (error)
    m_servers.erase(client);
  return error;
}

std::unique_ptr<lldb_protocol::mcp::Server>
lldb_private::wavelane::ProtocolServerMCP::MakeServer() {
  auto server_up = std::make_unique<lldb_protocol::mcp::Server>(
      "lldb-mcp", "0.1.0", [](llvm::StringRef message) {
        LLDB_LOG(GetLog(LLDBLog::Host), "MCP server: {0}", message);
      });
  LLDBTools().Extend(*server_up);
  return server_up;
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
  m_servers.clear();
  m_info_handle.Remove();
  m_listener_up.reset();
  return llvm::Error::success();
}
