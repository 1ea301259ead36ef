//===-- Peer.cpp - Who is at the other end of a socket --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Peer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <netinet/in.h>
#include <unistd.h>

namespace wavelane::server {

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

llvm::Error CheckPeer(int fd) {
  sockaddr_storage peer = {};
  socklen_t size = sizeof(peer);
  std::optional<uid_t> user;
  if (::getpeername(fd, reinterpret_cast<sockaddr *>(&peer), &size) != 0)
    return llvm::Error::success(); // no socket, or gone
  if (peer.ss_family == AF_UNIX) {
    ucred credentials = {};
    socklen_t length = sizeof(credentials);
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0)
      user = credentials.uid;
  } else if ((peer.ss_family != AF_INET && peer.ss_family != AF_INET6) ||
             !IsHere(peer)) {
    return llvm::Error::success();
  } else {
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

} // namespace wavelane::server
