//===-- Peer.h - Who is at the other end of a socket ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's protocol has no secret, and any user of a machine can connect to a
// port of its loopback. But the kernel knows whose socket it is.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_PEER_H
#define WAVELANE_SERVER_PEER_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/types.h>

namespace wavelane::server {

/// The numeric host part of an address.
std::string GetHost(const sockaddr_storage &address);

/// The user whose socket on this machine has that address, if it is connected;
/// nullopt if there is none.
std::optional<uid_t> GetUser(const sockaddr_storage &address);

/// An error if a connected socket leads to a process of this machine that isn't
/// this user's, the user's who has become this one by sudo, or root's.
llvm::Error CheckPeer(int fd);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_PEER_H
