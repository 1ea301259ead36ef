//===-- Peer.h - Who is at the other end of a socket ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's protocol has no secret, and any user of a machine can connect to a
// port of its loopback. But the kernel knows whose socket it is.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_LINK_PEER_H
#define WAVELANE_SERVER_LINK_PEER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
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
/// this user's, the user's who has become this one by sudo, or root's; or from
/// an address that isn't one of \p host's, unless the socket has one of them
/// itself. An empty \p host and "*" are any.
llvm::Error CheckPeer(int fd, llvm::StringRef host);

/// The host part of the address at which the arguments tell LLDB's server to
/// listen, empty if there is none; \p separate are names of options whose
/// value is an argument of its own. It is the value of one of \p options, or if
/// there are none, the first argument that isn't an option.
std::string FindHost(llvm::ArrayRef<const char *> arguments,
                     llvm::ArrayRef<llvm::StringRef> separate,
                     llvm::ArrayRef<llvm::StringRef> options);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LINK_PEER_H
