//===-- GPUListener.cpp - Where the GPU connection is taken ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUListener.h"
#include "lldb/Host/File.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Protocol/Peer/LocalPeer.h"
#include "wavelane/Protocol/Peer/Peer.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FormatVariadic.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace lldb_private;

namespace wavelane::server {

static llvm::Error Fail(const char *what) {
  return llvm::createStringError(
      std::error_code(errno, std::generic_category()),
      "no socket for the GPU connection: %s: %s", what, std::strerror(errno));
}

/// The first and last port to listen on; 0 for any.
static llvm::Expected<protocol::PortRange> GetPorts() {
  protocol::PortRange ports;
  const char *text = ::getenv(packets::PortVariable);
  if (!text || !*text)
    return ports;
  if (llvm::Error why = protocol::readText(text, ports))
    return protocol::toError(protocol::WrongSetting{
        packets::PortVariable, protocol::explainWrong(text, std::move(why))});
  return ports;
}

llvm::Expected<std::unique_ptr<GPUListener>>
GPUListener::Create(MainLoop &loop, int host, Accepted accepted) {
  std::unique_ptr<GPUListener> listener(new GPUListener(std::move(accepted)));
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  const bool is_tcp =
      ::getsockname(host, reinterpret_cast<sockaddr *>(&address), &size) == 0 &&
      (address.ss_family == AF_INET || address.ss_family == AF_INET6);
  if (llvm::Error error =
          is_tcp ? listener->ListenTCP(host) : listener->ListenLocal())
    return std::move(error);
  Status error;
  GPUListener *self = listener.get();
  listener->m_handle = loop.RegisterReadObject(
      std::make_shared<NativeFile>(listener->m_fd, File::eOpenOptionReadOnly,
                                   /*transfer_ownership=*/false),
      [self](MainLoopBase &) { self->Accept(); }, error);
  if (!listener->m_handle)
    return error.ToError();
  return std::move(listener);
}

GPUListener::~GPUListener() {
  m_handle.reset();
  if (m_fd >= 0)
    ::close(m_fd);
  if (m_place >= 0)
    ::close(m_place);
  RemoveFiles();
}

llvm::Error GPUListener::ListenLocal() {
  // A private folder, which no other user can enter.
  const char *parent = ::getenv("XDG_RUNTIME_DIR");
  struct stat info;
  if (!parent || ::stat(parent, &info) != 0 || info.st_uid != ::getuid() ||
      ::access(parent, W_OK) != 0)
    parent = "/tmp";
  std::string folder = std::string(parent) + "/wavelane-server-XXXXXX";
  sockaddr_un address = {};
  if (folder.size() + 8 >= sizeof(address.sun_path))
    folder = "/tmp/wavelane-server-XXXXXX";
  if (!::mkdtemp(folder.data()))
    return Fail("making a folder");
  m_folder = folder;
  m_path = folder + "/gpu";
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, m_path.c_str(), m_path.size() + 1);
  m_fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (m_fd < 0)
    return Fail("making a socket");
  if (::bind(m_fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) !=
          0 ||
      ::listen(m_fd, 1) != 0)
    return Fail("listening");
  struct stat made;
  if (::lstat(m_folder.c_str(), &made) == 0)
    m_folder_info = made;
  // A killed server leaves nothing if the socket has no name. The client, which
  // runs as the same user, reaches it through this process, unless the server
  // has privileges of its own.
  if (::prctl(PR_GET_DUMPABLE) == 1)
    m_place = ::open(m_path.c_str(), O_PATH | O_CLOEXEC);
  if (m_place < 0) {
    m_url = "unix-connect://" + m_path;
    return llvm::Error::success();
  }
  RemoveFiles();
  m_url = "unix-connect:///proc/" + std::to_string(::getpid()) + "/fd/" +
          std::to_string(m_place);
  return llvm::Error::success();
}

void GPUListener::RemoveFiles() {
  if (!m_path.empty())
    ::unlink(m_path.c_str());
  if (!m_folder.empty())
    ::rmdir(m_folder.c_str());
  m_path.clear();
  m_folder.clear();
}

llvm::Error GPUListener::ListenTCP(int host) {
  sockaddr_storage address = {}, peer = {};
  socklen_t size = sizeof(address), peer_size = sizeof(peer);
  if (::getsockname(host, reinterpret_cast<sockaddr *>(&address), &size) != 0 ||
      ::getpeername(host, reinterpret_cast<sockaddr *>(&peer), &peer_size) != 0)
    return Fail("reading the host connection's address");
  m_peer = protocol::GetHost(peer);
  m_peer_user = protocol::GetUser(peer);
  llvm::Expected<protocol::PortRange> ports = GetPorts();
  if (!ports)
    return ports.takeError();
  m_fd = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (m_fd < 0)
    return Fail("making a socket");
  // Allow a port that an earlier session used.
  const int on = 1;
  ::setsockopt(m_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  bool is_bound = false;
  for (uint32_t port = ports->First; port <= ports->Last && !is_bound; ++port) {
    if (address.ss_family == AF_INET)
      reinterpret_cast<sockaddr_in &>(address).sin_port = htons(port);
    else
      reinterpret_cast<sockaddr_in6 &>(address).sin6_port = htons(port);
    is_bound =
        ::bind(m_fd, reinterpret_cast<sockaddr *>(&address), size) == 0 &&
        ::listen(m_fd, 1) == 0;
  }
  if (!is_bound)
    return Fail("listening");
  size = sizeof(address);
  if (::getsockname(m_fd, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    return Fail("reading the socket's address");
  const uint16_t port =
      ntohs(address.ss_family == AF_INET
                ? reinterpret_cast<sockaddr_in &>(address).sin_port
                : reinterpret_cast<sockaddr_in6 &>(address).sin6_port);
  m_url =
      "connect://[" + protocol::GetHost(address) + "]:" + std::to_string(port);
  return llvm::Error::success();
}

void GPUListener::Accept() {
  sockaddr_storage peer = {};
  socklen_t size = sizeof(peer);
  auto accept = [&] {
    return ::accept4(m_fd, reinterpret_cast<sockaddr *>(&peer), &size,
                     SOCK_CLOEXEC);
  };
  int fd = accept();
  // The client has already used the path, so its descriptor can go.
  if (fd < 0 && (errno == EMFILE || errno == ENFILE) && m_place >= 0) {
    ::close(std::exchange(m_place, -1));
    fd = accept();
  }
  if (fd < 0 && (errno == EINTR || errno == EAGAIN || errno == ECONNABORTED))
    return;
  if (fd < 0) {
    LLDB_LOG(GetLog(LLDBLog::Connection),
             "a GPU connection can't be accepted: {0}", llvm::sys::StrError());
    // The client loses its connection at once, instead of waiting for answers.
    m_handle.reset();
    ::close(std::exchange(m_fd, -1));
    return;
  }
  bool is_wanted = true;
  if (m_peer.empty()) {
    is_wanted = protocol::IsLocalPeer(
        fd, ::getuid(), m_folder_info ? &*m_folder_info : nullptr);
  } else {
    is_wanted = protocol::GetHost(peer) == m_peer &&
                (!m_peer_user || protocol::GetUser(peer) == m_peer_user);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  if (!is_wanted) {
    LLDB_LOG(GetLog(LLDBLog::Connection),
             "a GPU connection from another address or user was refused");
    ::close(fd);
    return;
  }
  // The callback may destroy the listener.
  Accepted accepted = m_accepted;
  accepted(fd);
}

} // namespace wavelane::server
