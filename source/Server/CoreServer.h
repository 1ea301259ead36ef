//===-- CoreServer.h - lldb-server for a core file --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A core file is opened in a process of its own: the debug library is one per
// process, and a damaged core may be its end.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_CORESERVER_H
#define WAVELANE_SERVER_CORESERVER_H

#include <optional>

namespace wavelane::server {

/// Runs the server if the arguments are those of one for a core file; see
/// wavelane/Server/Packets.h.
/// \return The exit status, or nothing where the arguments are others.
std::optional<int> RunCoreServer(int argc, char *argv[]);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CORESERVER_H
