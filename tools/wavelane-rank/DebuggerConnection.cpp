//===-- DebuggerConnection.cpp - the connection to the debugger -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rank.h"
#include "wavelane/Protocol/Peer/LocalPeer.h"
#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <netdb.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;

namespace wavelane::rank {

/// The debugger may be busy with many ranks.
static constexpr timeval Patience = {60, 0};

static Error fail(const std::string &What) {
  const int Reason = errno;
  return createStringError(std::error_code(Reason, std::generic_category()),
                           What + ": " + std::strerror(Reason));
}

static Expected<int> connectLocal(StringRef Path) {
  sockaddr_un Address = {};
  if (Path.empty() || Path.size() >= sizeof(Address.sun_path))
    return createStringError("the socket's path is empty or too long");
  Address.sun_family = AF_UNIX;
  std::memcpy(Address.sun_path, Path.data(), Path.size());
  socklen_t Length = sizeof(Address);
  if (Path[0] == '@') { // a name without a file
    Address.sun_path[0] = 0;
    Length = socklen_t(offsetof(sockaddr_un, sun_path) + Path.size());
  }
  const int Socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (Socket < 0)
    return fail("no socket");
  if (::connect(Socket, reinterpret_cast<sockaddr *>(&Address), Length) != 0)
    return fail("cannot connect to the debugger at " + Path.str());
  // A name without a file is free for everybody when its debugger has gone.
  const std::optional<uid_t> User = protocol::GetLocalUser(Socket);
  if (User != ::getuid()) {
    ::close(Socket);
    return createStringError(User ? "another user listens at " + Path.str() +
                                        ": the job's debugger has gone"
                                  : "the kernel doesn't say who listens at " +
                                        Path.str());
  }
  return Socket;
}

static Expected<int> connectRemote(StringRef Where) {
  auto [Host, Port] = Where.rsplit(':');
  Host.consume_front("[");
  Host.consume_back("]");
  addrinfo Hints = {}, *Found = nullptr;
  Hints.ai_socktype = SOCK_STREAM;
  if (const int Code =
          ::getaddrinfo(Host.str().c_str(), Port.str().c_str(), &Hints, &Found))
    return createStringError("the debugger's address " + Where +
                             " isn't known: " + ::gai_strerror(Code));
  Error Last = createStringError("no address");
  int Socket = -1;
  for (const addrinfo *One = Found; One; One = One->ai_next) {
    Socket = ::socket(One->ai_family, One->ai_socktype, One->ai_protocol);
    if (Socket >= 0 && ::connect(Socket, One->ai_addr, One->ai_addrlen) == 0)
      break;
    consumeError(std::move(Last));
    Last = fail("cannot connect to the debugger at " + Where.str());
    if (Socket >= 0)
      ::close(Socket);
    Socket = -1;
  }
  ::freeaddrinfo(Found);
  if (Socket < 0)
    return std::move(Last);
  consumeError(std::move(Last));
  const int On = 1;
  ::setsockopt(Socket, IPPROTO_TCP, TCP_NODELAY, &On, sizeof(On));
  // A debugger whose machine has gone is noticed.
  ::setsockopt(Socket, SOL_SOCKET, SO_KEEPALIVE, &On, sizeof(On));
  return Socket;
}

/// Reads no byte beyond the line: what follows is for lldb-server.
static Expected<std::string> readLine(int Socket) {
  std::string Line;
  while (Line.size() < job::MaxLine) {
    char Byte;
    const ssize_t Count = ::read(Socket, &Byte, 1);
    if (Count < 0 && errno == EINTR)
      continue;
    if (Count < 0)
      return fail("the debugger doesn't answer");
    if (Count == 0)
      return createStringError("the debugger has closed the connection");
    if (Byte == '\n')
      return Line;
    Line += Byte;
  }
  return createStringError("the debugger's answer is too long");
}

static Error writeAll(int Socket, StringRef Text) {
  while (!Text.empty()) {
    const ssize_t Count =
        ::send(Socket, Text.data(), Text.size(), MSG_NOSIGNAL);
    if (Count < 0 && errno != EINTR)
      return fail("cannot send to the debugger");
    if (Count > 0)
      Text = Text.drop_front(size_t(Count));
  }
  return Error::success();
}

static Expected<job::Terms> talk(int Socket, const std::string &Secret,
                                 job::Registration Registered) {
  Expected<std::string> Greeting = readLine(Socket);
  if (!Greeting)
    return Greeting.takeError();
  Expected<std::string> Nonce = job::parseGreeting(*Greeting);
  if (!Nonce)
    return Nonce.takeError();
  Expected<std::string> Own = job::makeRandom();
  if (!Own)
    return Own.takeError();
  Registered.Nonce = *Own;
  if (Error Failed =
          writeAll(Socket, job::makeReport(Secret, *Nonce, Registered)))
    return std::move(Failed);
  Expected<std::string> Answer = readLine(Socket);
  if (!Answer)
    return Answer.takeError();
  return job::checkAnswer(Secret, *Own, *Answer);
}

Expected<std::pair<int, job::Terms>>
report(const std::string &Address, const std::string &Secret,
       const job::Registration &Registered) {
  StringRef Where = Address;
  const bool IsLocal = Where.consume_front("unix:");
  if (!IsLocal && !Where.consume_front("tcp:"))
    return createStringError(std::string(job::AddressVariable) + " is '" +
                             Address +
                             "': it must be unix:PATH or tcp:ADDRESS:PORT");
  Expected<int> Socket = IsLocal ? connectLocal(Where) : connectRemote(Where);
  if (!Socket)
    return Socket.takeError();
  ::setsockopt(*Socket, SOL_SOCKET, SO_RCVTIMEO, &Patience, sizeof(Patience));
  Expected<job::Terms> Terms = talk(*Socket, Secret, Registered);
  if (!Terms) {
    ::close(*Socket);
    return Terms.takeError();
  }
  constexpr timeval Forever = {0, 0};
  ::setsockopt(*Socket, SOL_SOCKET, SO_RCVTIMEO, &Forever, sizeof(Forever));
  return std::make_pair(*Socket, std::move(*Terms));
}

} // namespace wavelane::rank
