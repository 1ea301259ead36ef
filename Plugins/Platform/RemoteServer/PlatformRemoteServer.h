//===-- PlatformRemoteServer.h - a platform's lldb-server -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces LLDB's platforms remote-linux and remote-gdb-server, under their
// names: Ctrl-C ends the wait for an `lldb-server platform` that doesn't
// answer.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PLATFORM_REMOTESERVER_PLATFORMREMOTESERVER_H
#define WAVELANE_PLUGINS_PLATFORM_REMOTESERVER_PLATFORMREMOTESERVER_H

#include "Plugins/Platform/Linux/PlatformLinux.h"
#include "Plugins/Platform/gdb-server/PlatformRemoteGDBServer.h"

#include <memory>

namespace lldb_private {
namespace wavelane {

struct OwedAnswers;

/// The connection to the server.
class PlatformRemoteServer
    : public platform_gdb_server::PlatformRemoteGDBServer {
public:
  static void Initialize();
  static lldb::PlatformSP CreateInstance(bool force, const ArchSpec *arch);

  PlatformRemoteServer();

  Status ConnectRemote(Args &args) override;

private:
  const std::shared_ptr<OwedAnswers> m_owed_sp;
};

/// Another machine with Linux.
class PlatformRemoteLinux : public platform_linux::PlatformLinux {
public:
  static void Initialize();
  static lldb::PlatformSP CreateInstance(bool force, const ArchSpec *arch);

  PlatformRemoteLinux() : PlatformLinux(/*is_host=*/false) {}

  Status ConnectRemote(Args &args) override;
};

} // namespace wavelane
} // namespace lldb_private

#endif
