//===-- CoreServer.h - lldb-server for a core file --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A core file is opened in a separate process, since the debug library exists
// only once per process, and a damaged core may crash it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_CORE_CORESERVER_H
#define WAVELANE_SERVER_CORE_CORESERVER_H

#include <optional>

namespace wavelane::server {

/// Runs the server if the arguments are for a core file; see
/// wavelane/Protocol/Server/Packets.h.
/// \return The exit status; nullopt for other arguments.
std::optional<int> RunCoreServer(int argc, char *argv[]);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CORE_CORESERVER_H
