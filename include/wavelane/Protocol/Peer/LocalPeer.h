//===-- LocalPeer.h - Who is at the other end of a local socket -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_PEER_LOCALPEER_H
#define WAVELANE_PROTOCOL_PEER_LOCALPEER_H

#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace wavelane::protocol {

/// The user who has made the other end of a local socket (unix(7),
/// SO_PEERCRED); nullopt if the kernel doesn't say, as where a container's
/// profile forbids the question.
inline std::optional<uid_t> GetLocalUser(int fd) {
  ucred credentials = {};
  socklen_t length = sizeof(credentials);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    return std::nullopt;
  return credentials.uid;
}

/// Whether only \p user, and root, can reach or make what is in a folder.
inline bool IsPrivateFolder(const struct stat &folder, uid_t user) {
  return S_ISDIR(folder.st_mode) && folder.st_uid == user &&
         !(folder.st_mode & 0077);
}

/// Whether a connected local socket leads to \p user or root. If the kernel
/// doesn't say whose the other end is, the socket's folder has to be private:
/// then nobody else has come through it.
/// \param folder  What is known now of the folder; null if nothing is.
inline bool IsLocalPeer(int fd, uid_t user, const struct stat *folder) {
  if (const std::optional<uid_t> peer = GetLocalUser(fd))
    return *peer == user || *peer == 0;
  return folder && IsPrivateFolder(*folder, user);
}

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_PEER_LOCALPEER_H
