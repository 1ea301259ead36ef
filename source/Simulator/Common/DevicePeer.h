//===-- DevicePeer.h - Who is at a device's socket --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_COMMON_DEVICEPEER_H
#define WAVELANE_SIMULATOR_COMMON_DEVICEPEER_H

#include "wavelane/Protocol/Peer/LocalPeer.h"

#include <string>
#include <sys/stat.h>

namespace wavelane::simulator {

/// Whether a socket that is connected by \a Path, one of deviceSocket(), leads
/// to the user whose folder that is, or to root.
inline bool isDevicePeer(int Fd, const std::string &Path) {
  struct stat Folder;
  return lstat(Path.substr(0, Path.rfind('/')).c_str(), &Folder) == 0 &&
         protocol::IsLocalPeer(Fd, Folder.st_uid, &Folder);
}

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_DEVICEPEER_H
