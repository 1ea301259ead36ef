//===-- ProcessGPUHostServer.cpp - starting lldb-server -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As ProcessGDBRemote::LaunchAndConnectToDebugserver, which isn't virtual. That
// keeps the server's end of the connection open until the server has answered,
// so it doesn't notice a server that dies before, and Ctrl-C has no effect on
// its wait.
//
//===----------------------------------------------------------------------===//

#include "Process/AMDGPU/InterruptibleConnection.h"
#include "ProcessGPUHost.h"
#include "wavelane/Protocol/Server/ServerEnd.h"

#include "lldb/Host/FileSystem.h"
#include "lldb/Host/Host.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Host/ProcessLaunchInfo.h"
#include "lldb/Host/Socket.h"
#include "lldb/Target/Platform.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/UnixSignals.h"

#include <csignal>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

/// Where LLDB looks for it.
static FileSpec FindServer(Platform &platform) {
  FileSpec server(Host::GetEnvironment().lookup("LLDB_DEBUGSERVER_PATH"));
  if (server && FileSystem::Instance().Exists(server))
    return server;
  server = HostInfo::GetSupportExeDir();
  server.AppendPathComponent("lldb-server");
  return FileSystem::Instance().Exists(server)
             ? server
             : platform.LocateExecutable("lldb-server");
}

Status ProcessGPUHost::StartServer(const ProcessInfo &process_info) {
  // The start of a program that waits for the disk or for a processor.
  constexpr std::chrono::seconds patience(20);
  const FileSpec server = FindServer(*GetTarget().GetPlatform());
  if (!FileSystem::Instance().Exists(server))
    return Status::FromErrorString("lldb-server is missing");
  llvm::Expected<Socket::Pair> ends = Socket::CreatePair();
  if (!ends)
    return Status::FromError(ends.takeError());
  Status error;
  SharedSocket shared(ends->first.get(), error);
  if (error.Fail())
    return error;

  ProcessLaunchInfo info;
  // Ctrl-C is LLDB's.
  info.SetLaunchInSeparateProcessGroup(true);
  info.SetUserID(process_info.GetUserID());
  info.SetExecutableFile(server, /*add_exe_file_as_first_arg=*/true);
  info.SetMonitorProcessCallback(
      [weak_wp = std::weak_ptr<ProcessGDBRemote>(
           std::static_pointer_cast<ProcessGDBRemote>(shared_from_this()))](
          lldb::pid_t pid, int signal, int status) {
        if (auto process_sp = weak_wp.lock())
          static_cast<ProcessGPUHost &>(*process_sp)
              .ServerEnded(signal, status);
        MonitorDebugserverProcess(weak_wp, pid, signal, status);
      });
  error = m_gdb_comm.StartDebugserverProcess(shared.GetSendableFD(), info,
                                             /*inferior_args=*/nullptr);
  if (error.Fail())
    return error;
  m_debugserver_pid = m_started_server = info.GetProcessID();
  shared.CompleteSending(m_debugserver_pid);
  ends->first.reset();
  m_gdb_comm.SetConnection(
      std::make_unique<ConnectionFileDescriptor>(std::move(ends->second)));
  Install();
  StartAsyncThread();
  GDBRemoteCommunication::ScopedTimeout timeout(m_gdb_comm, patience);
  return ConnectToDebugserver("");
}

void ProcessGPUHost::ServerEnded(int signal, int status) {
  std::string end;
  // LLDB itself ends its server by SIGINT.
  if (signal && signal != SIGINT) {
    const llvm::StringRef name = GetUnixSignals()->GetSignalAsStringRef(signal);
    end = "lldb-server was killed by " +
          (name.empty() ? "signal " + std::to_string(signal) : name.str());
  } else if (!signal && status == ::wavelane::server::MemoryLimitStatus) {
    end = std::string("lldb-server has ended, because it had taken more memory "
                      "than it may; ") +
          ::wavelane::server::MemoryLimitVariable + "=MIB lets it take more";
  } else if (!signal && status) {
    end = "lldb-server has ended with status " + std::to_string(status);
  }
  {
    std::lock_guard<std::mutex> guard(m_end_mutex);
    m_server_end = std::move(end);
  }
  m_end_reported.notify_all();
}

Status ProcessGPUHost::ExplainStart(Status error) {
  // Its thread learns of it a moment after the connection's end.
  constexpr std::chrono::milliseconds patience(500);
  if (error.Success() || m_started_server == LLDB_INVALID_PROCESS_ID)
    return error;
  if (m_owed_sp->are_owed) {
    m_gdb_comm.Disconnect();
    m_owed_sp->are_owed = false;
    Host::Kill(m_started_server, SIGKILL);
    return Status::FromErrorString("lldb-server didn't answer, and was killed");
  }
  if (m_gdb_comm.IsConnected())
    return error;
  std::unique_lock<std::mutex> lock(m_end_mutex);
  m_end_reported.wait_for(lock, patience,
                          [this] { return m_server_end.has_value(); });
  // If it was ended in order, the error says why.
  if (!m_server_end || m_server_end->empty())
    return error;
  return Status::FromErrorStringWithFormatv(
      "{0}{1}", *m_server_end, m_is_launched ? "; use 'run' to restart" : "");
}
