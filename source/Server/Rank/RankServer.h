//===-- RankServer.h - lldb-server for a rank of a job ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serves a process that a launcher has started: it isn't this server's child,
// and keeps its files, signals and parent. wavelane-rank starts the server.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_RANK_RANKSERVER_H
#define WAVELANE_SERVER_RANK_RANKSERVER_H

#include <optional>

namespace wavelane::server {

/// Serves if the arguments have packets::RankArgument.
/// \return The exit code; nullopt if they haven't.
std::optional<int> RunRankServer(int argc, char *argv[]);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_RANK_RANKSERVER_H
