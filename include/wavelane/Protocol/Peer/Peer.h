//===-- Peer.h - Who is at the other end of a socket ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's protocol has no secret, and any user of a machine can connect to a
// port of its loopback. But the kernel knows whose socket it is.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_PEER_PEER_H
#define WAVELANE_PROTOCOL_PEER_PEER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/types.h>

namespace wavelane::protocol {

/// The numeric host part of an address.
std::string GetHost(const sockaddr_storage &address);

/// The user whose socket on this machine has that address, if it is connected;
/// nullopt if there is none.
std::optional<uid_t> GetUser(const sockaddr_storage &address);

/// An error if a connected socket leads to a process of this machine that isn't
/// this user's, the user's who has become this one by sudo, or root's; or from
/// an address that isn't one of \p host's, unless the socket has one of them
/// itself. An empty \p host and "*" are any.
llvm::Error CheckPeer(int fd, llvm::StringRef host);

/// Waits for a client's first bytes, which stay to be read, and returns an
/// error unless they are \p expected (in any case). A web page can make its
/// reader's browser connect to a port of the loopback, and sends HTTP there.
llvm::Error CheckFirstBytes(int fd, llvm::StringRef expected);

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_PEER_PEER_H
