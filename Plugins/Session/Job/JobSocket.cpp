//===-- JobSocket.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JobSocket.h"

#include "wavelane/Protocol/Peer/LocalPeer.h"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace lldb_private::wavelane;
namespace job = ::wavelane::job;

/// How long a rank has for its report.
static constexpr auto kPatience = std::chrono::seconds(10);
/// Launchers start many ranks at once.
static constexpr int kBacklog = 1024;

static llvm::Error Fail(const llvm::Twine &what) {
  const int reason = errno;
  return llvm::createStringError(
      std::error_code(reason, std::generic_category()),
      what + ": " + std::strerror(reason));
}

llvm::Expected<std::unique_ptr<JobSocket>>
JobSocket::Create(Client &client, llvm::StringRef address) {
  std::unique_ptr<JobSocket> socket(new JobSocket(client));
  llvm::Expected<std::string> secret = job::makeRandom();
  if (!secret)
    return secret.takeError();
  socket->m_secret = std::move(*secret);
  if (::pipe2(socket->m_wake, O_CLOEXEC) != 0)
    return Fail("no pipe");
  if (llvm::Error error = address.empty() ? socket->ListenLocal()
                                          : socket->ListenRemote(address))
    return std::move(error);
  socket->m_thread = std::thread([self = socket.get()] { self->Accept(); });
  return std::move(socket);
}

JobSocket::~JobSocket() {
  if (m_wake[1] >= 0)
    ::close(m_wake[1]);
  if (m_thread.joinable())
    m_thread.join();
  Forget(/*all=*/true);
  if (m_wake[0] >= 0)
    ::close(m_wake[0]);
  if (m_fd >= 0)
    ::close(m_fd);
}

llvm::Error JobSocket::ListenLocal() {
  // A name without a file: nothing is left if the debugger is killed. Whoever
  // connects must be this user, and prove the secret.
  llvm::Expected<std::string> random = job::makeRandom();
  if (!random)
    return random.takeError();
  const std::string name = "wavelane-job-" + random->substr(0, 32);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  m_fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (m_fd < 0 ||
      ::bind(m_fd, reinterpret_cast<sockaddr *>(&address),
             socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size())) !=
          0 ||
      ::listen(m_fd, kBacklog) != 0)
    return Fail("no socket for the job");
  m_is_local = true;
  m_address = "unix:@" + name;
  return llvm::Error::success();
}

llvm::Error JobSocket::ListenRemote(llvm::StringRef where) {
  // ADDRESS, ADDRESS:PORT, [ADDRESS]:PORT; IPv6 addresses have colons.
  llvm::StringRef host = where, port = "0";
  if (where.starts_with("[")) {
    std::tie(host, port) = where.drop_front().split(']');
    if (!port.consume_front(":"))
      port = "0";
  } else if (where.count(':') == 1) {
    std::tie(host, port) = where.split(':');
  }
  uint16_t number;
  if (host.empty() || host == "*" || port.getAsInteger(10, number))
    return llvm::createStringError(
        "'" + where +
        "' isn't the address of this machine that the ranks can reach, as "
        "10.0.0.1 or 10.0.0.1:4000");
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (const int code =
          ::getaddrinfo(host.str().c_str(), port.str().c_str(), &hints, &found))
    return llvm::createStringError("the address " + host +
                                   " isn't known: " + ::gai_strerror(code));
  m_fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(m_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool listens = m_fd >= 0 &&
                       ::bind(m_fd, found->ai_addr, found->ai_addrlen) == 0 &&
                       ::listen(m_fd, kBacklog) == 0;
  const int reason = errno;
  ::freeaddrinfo(found);
  errno = reason;
  if (!listens)
    return Fail("can't listen on " + where);
  sockaddr_storage own = {};
  socklen_t size = sizeof(own);
  if (::getsockname(m_fd, reinterpret_cast<sockaddr *>(&own), &size) != 0)
    return Fail("no address");
  const uint16_t bound =
      ntohs(own.ss_family == AF_INET6
                ? reinterpret_cast<sockaddr_in6 &>(own).sin6_port
                : reinterpret_cast<sockaddr_in &>(own).sin_port);
  m_address =
      "tcp:" + (host.contains(':') ? "[" + host.str() + "]" : host.str()) +
      ":" + std::to_string(bound);
  return llvm::Error::success();
}

void JobSocket::Forget(bool all) {
  for (auto it = m_handshakes.begin(); it != m_handshakes.end();) {
    if (all || it->is_done) {
      it->thread.join();
      it = m_handshakes.erase(it);
    } else {
      ++it;
    }
  }
}

void JobSocket::Accept() {
  while (true) {
    pollfd files[] = {{m_fd, POLLIN, 0}, {m_wake[0], 0, 0}};
    if (::poll(files, 2, -1) < 0 && errno != EINTR)
      return;
    if (files[1].revents)
      return;
    if (!files[0].revents)
      continue;
    const int fd = ::accept4(m_fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      continue;
    Forget(/*all=*/false);
    Handshake &handshake = m_handshakes.emplace_back();
    handshake.thread = std::thread([this, fd, &handshake] {
      ShakeHands(fd);
      handshake.is_done = true;
    });
  }
}

/// Reads no byte beyond the line: what follows is lldb-server's.
llvm::Expected<std::string> JobSocket::ReadLine(int fd) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string line;
  while (line.size() < job::MaxLine) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd files[] = {{fd, POLLIN, 0}, {m_wake[0], 0, 0}};
    if (left.count() <= 0 || ::poll(files, 2, int(left.count())) == 0)
      return llvm::createStringError("it says nothing");
    if (files[1].revents)
      return llvm::createStringError("the job has ended");
    char byte;
    const ssize_t count = ::read(fd, &byte, 1);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return llvm::createStringError("it has disconnected");
    if (byte == '\n')
      return line;
    line += byte;
  }
  return llvm::createStringError("its report is too long");
}

static bool Write(int fd, llvm::StringRef text) {
  return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) ==
         ssize_t(text.size());
}

static std::string GetPeer(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  char text[NI_MAXHOST] = "";
  if (::getpeername(fd, reinterpret_cast<sockaddr *>(&address), &size) != 0 ||
      address.ss_family == AF_UNIX ||
      ::getnameinfo(reinterpret_cast<sockaddr *>(&address), size, text,
                    sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0)
    return "this machine";
  return text;
}

void JobSocket::ShakeHands(int fd) {
  const std::string peer = GetPeer(fd);
  auto refuse = [&](const std::string &why, const std::string &claim = "") {
    Write(fd, job::makeRefusal(why));
    ::close(fd);
    m_client.Refused("a connection from " + peer + " was refused: " + why +
                     (claim.empty() ? "" : "; it says that it is " + claim));
  };
  if (!m_is_local) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  } else {
    // The socket has no folder, so whose it is must be known.
    const std::optional<uid_t> user = ::wavelane::protocol::GetLocalUser(fd);
    if (user != ::getuid())
      return refuse(user ? "it is another user's"
                         : "the kernel doesn't say whose it is");
  }
  llvm::Expected<std::string> nonce = job::makeRandom();
  if (!nonce)
    return refuse(llvm::toString(nonce.takeError()));
  if (!Write(fd, job::makeGreeting(*nonce)))
    return refuse("it has disconnected");
  llvm::Expected<std::string> line = ReadLine(fd);
  if (!line)
    return refuse(llvm::toString(line.takeError()));
  llvm::Expected<job::Registration> registration =
      job::checkReport(m_secret, *nonce, *line);
  if (!registration)
    return refuse(llvm::toString(registration.takeError()),
                  job::describeClaim(*line));
  llvm::Expected<job::Terms> terms = m_client.Admit(*registration);
  if (!terms)
    return refuse(llvm::toString(terms.takeError()));
  // A lost one is noticed by the client.
  (void)Write(fd, job::makeAnswer(m_secret, registration->Nonce, *terms));
  m_client.Joined(*registration, fd);
}
