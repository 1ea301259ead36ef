//===-- Peer.cpp - Who is at the other end of a socket --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Peer/Peer.h"
#include "wavelane/Protocol/Peer/LocalPeer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FormatVariadic.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

namespace wavelane::protocol {

std::string GetHost(const sockaddr_storage &address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET)
    ::inet_ntop(AF_INET,
                &reinterpret_cast<const sockaddr_in &>(address).sin_addr, text,
                sizeof(text));
  else if (address.ss_family == AF_INET6)
    ::inet_ntop(AF_INET6,
                &reinterpret_cast<const sockaddr_in6 &>(address).sin6_addr,
                text, sizeof(text));
  return text;
}

/// The address as an IPv6 one, and its port.
static std::pair<in6_addr, uint16_t> Widen(const sockaddr_storage &address) {
  if (address.ss_family == AF_INET6) {
    const auto &v6 = reinterpret_cast<const sockaddr_in6 &>(address);
    return {v6.sin6_addr, ntohs(v6.sin6_port)};
  }
  const auto &v4 = reinterpret_cast<const sockaddr_in &>(address);
  in6_addr mapped = {};
  mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
  std::memcpy(mapped.s6_addr + 12, &v4.sin_addr, 4);
  return {mapped, ntohs(v4.sin_port)};
}

std::optional<uid_t> GetUser(const sockaddr_storage &address) {
  auto [wide, port] = Widen(address);
  // The tables have an address as words of hexadecimal digits. A socket for
  // IPv6 can have an address of IPv4.
  uint32_t words[4];
  std::memcpy(words, &wide, sizeof(words));
  std::string wanted;
  for (uint32_t word : words)
    wanted += llvm::formatv("{0:X-8}", word).str();
  wanted += llvm::formatv(":{0:X-4}", port).str();
  for (const char *path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    llvm::StringRef own = wanted;
    if (path == llvm::StringRef("/proc/net/tcp")) {
      if (!IN6_IS_ADDR_V4MAPPED(&wide))
        continue;
      own = own.drop_front(24);
    }
    std::ifstream table(path);
    for (std::string line; std::getline(table, line);) {
      llvm::SmallVector<llvm::StringRef, 16> fields;
      llvm::StringRef(line).split(fields, ' ', -1, /*KeepEmpty=*/false);
      // sl, local, remote, state, queues, timer, retransmits, uid. A socket
      // that its process has closed would be root's; 1 is connected.
      uid_t user;
      if (fields.size() > 7 && fields[1] == own && fields[3] == "01" &&
          !fields[7].getAsInteger(10, user))
        return user;
    }
  }
  return std::nullopt;
}

/// Whether the address is one of this machine's.
static bool IsHere(const sockaddr_storage &address) {
  // Only such an address can be bound.
  sockaddr_storage any_port = address;
  if (address.ss_family == AF_INET)
    reinterpret_cast<sockaddr_in &>(any_port).sin_port = 0;
  else
    reinterpret_cast<sockaddr_in6 &>(any_port).sin6_port = 0;
  const int fd = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool here =
      fd >= 0 &&
      ::bind(fd, reinterpret_cast<const sockaddr *>(&any_port),
             address.ss_family == AF_INET ? sizeof(sockaddr_in)
                                          : sizeof(sockaddr_in6)) == 0;
  if (fd >= 0)
    ::close(fd);
  return here;
}

static bool IsTrusted(uid_t user) {
  if (user == 0 || user == ::getuid())
    return true;
  const char *sudo = ::getuid() == 0 ? ::getenv("SUDO_UID") : nullptr;
  uid_t own;
  return sudo && !llvm::StringRef(sudo).getAsInteger(10, own) && own == user;
}

/// Whether a host has one of these addresses.
static bool HasAddress(const std::string &host,
                       llvm::ArrayRef<sockaddr_storage> addresses) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo *list = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0)
    return false;
  bool has = false;
  for (const addrinfo *each = list; each && !has; each = each->ai_next) {
    sockaddr_storage own = {};
    std::memcpy(&own, each->ai_addr, each->ai_addrlen);
    const in6_addr wide = Widen(own).first;
    // Any address, as 0.0.0.0 and :: are.
    has = IN6_IS_ADDR_UNSPECIFIED(&wide) ||
          (IN6_IS_ADDR_V4MAPPED(&wide) && !wide.s6_addr32[3]) ||
          llvm::any_of(addresses, [&](const sockaddr_storage &address) {
            const in6_addr other = Widen(address).first;
            return IN6_ARE_ADDR_EQUAL(&wide, &other);
          });
  }
  ::freeaddrinfo(list);
  return has;
}

llvm::Error CheckPeer(int fd, llvm::StringRef host) {
  sockaddr_storage peer = {}, local = {};
  socklen_t size = sizeof(peer), local_size = sizeof(local);
  std::optional<uid_t> user;
  if (::getpeername(fd, reinterpret_cast<sockaddr *>(&peer), &size) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr *>(&local), &local_size) != 0)
    return llvm::Error::success(); // no socket, or gone
  const bool is_net = peer.ss_family == AF_INET || peer.ss_family == AF_INET6;
  if (is_net && !host.empty() && host != "*" &&
      !HasAddress(host.str(), {peer, local}))
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "a connection from %s was refused: it isn't %s", GetHost(peer).c_str(),
        host.str().c_str());
  // Nobody connects to a pair of sockets without names, which is inherited.
  if (peer.ss_family == AF_UNIX && size == sizeof(sa_family_t) &&
      local_size == sizeof(sa_family_t))
    return llvm::Error::success();
  if (peer.ss_family == AF_UNIX) {
    user = GetLocalUser(fd);
  } else if (!is_net || !IsHere(peer)) {
    return llvm::Error::success();
  } else {
    // A table that changes while it is read may lack a line.
    for (unsigned i = 0; i < 5 && !user; ++i)
      user = GetUser(peer);
  }
  if (user && IsTrusted(*user))
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      user ? llvm::formatv("a connection of another user of this machine ({0}) "
                           "was refused",
                           *user)
                 .str()
           : std::string("a connection from this machine was refused: it isn't "
                         "known whose it is"));
}

llvm::Error CheckFirstBytes(int fd, llvm::StringRef expected) {
  std::string first(expected.size(), '\0');
  const ssize_t got = llvm::sys::RetryAfterSignal(
      -1, ::recv, fd, first.data(), first.size(), MSG_PEEK | MSG_WAITALL);
  if (got < 0 && errno == ENOTSOCK)
    return llvm::Error::success();
  if (got < 0)
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()),
        "nothing can be read from the client");
  if (llvm::StringRef(first).take_front(got).equals_insensitive(expected))
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      got == 0 ? "the client closed the connection"
               : "the client speaks another protocol, such as HTTP");
}

} // namespace wavelane::protocol
