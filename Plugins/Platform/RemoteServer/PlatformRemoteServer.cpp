//===-- PlatformRemoteServer.cpp ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlatformRemoteServer.h"

#include "Process/AMDGPU/InterruptibleConnection.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Core/PluginManager.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using lldb_private::platform_gdb_server::PlatformRemoteGDBServer;
using lldb_private::platform_linux::PlatformLinux;

void PlatformRemoteServer::Initialize() {
  if (!PluginManager::UnregisterPlugin(PlatformRemoteGDBServer::CreateInstance))
    return;
  PluginManager::RegisterPlugin(PlatformRemoteGDBServer::GetPluginNameStatic(),
                                PlatformRemoteGDBServer::GetDescriptionStatic(),
                                CreateInstance);
}

PlatformSP PlatformRemoteServer::CreateInstance(bool force,
                                                const ArchSpec *arch) {
  if (!PlatformRemoteGDBServer::CreateInstance(force, arch))
    return nullptr;
  return std::make_shared<PlatformRemoteServer>();
}

PlatformRemoteServer::PlatformRemoteServer()
    : m_owed_sp(std::make_shared<OwedAnswers>()) {}

/// A platform doesn't know its debugger: this is the one whose user has pressed
/// Ctrl-C, otherwise the first.
static DebuggerSP FindWaitingDebugger() {
  const size_t count = Debugger::GetNumDebuggers();
  for (size_t i = 0; i < count; ++i)
    if (DebuggerSP debugger_sp = Debugger::GetDebuggerAtIndex(i);
        debugger_sp && debugger_sp->InterruptRequested())
      return debugger_sp;
  return count ? Debugger::GetDebuggerAtIndex(0) : nullptr;
}

Status PlatformRemoteServer::ConnectRemote(Args &args) {
  Status error = PlatformRemoteGDBServer::ConnectRemote(args);
  if (error.Success() && m_gdb_client_up) {
    m_owed_sp->are_owed = false;
    InterruptibleConnection::Install(*m_gdb_client_up, FindWaitingDebugger,
                                     LLDB_INVALID_PROCESS_ID, m_owed_sp);
  }
  return error;
}

void PlatformRemoteLinux::Initialize() {
  if (!PluginManager::UnregisterPlugin(PlatformLinux::CreateInstance))
    return;
  PluginManager::RegisterPlugin(
      PlatformLinux::GetPluginNameStatic(/*is_host=*/false),
      PlatformLinux::GetPluginDescriptionStatic(/*is_host=*/false),
      CreateInstance);
}

PlatformSP PlatformRemoteLinux::CreateInstance(bool force,
                                               const ArchSpec *arch) {
  if (!PlatformLinux::CreateInstance(force, arch))
    return nullptr;
  return std::make_shared<PlatformRemoteLinux>();
}

Status PlatformRemoteLinux::ConnectRemote(Args &args) {
  // The base class makes one of LLDB's if there is none.
  if (!m_remote_platform_sp)
    m_remote_platform_sp = std::make_shared<PlatformRemoteServer>();
  return PlatformLinux::ConnectRemote(args);
}
