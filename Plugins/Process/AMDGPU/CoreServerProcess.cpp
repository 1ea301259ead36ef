//===-- CoreServerProcess.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreServerProcess.h"
#include "ProcessAMDGPUProperties.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "GDBRemoteCommunicationClient.h"
#include "lldb/Host/ConnectionFileDescriptor.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Host/ProcessLaunchInfo.h"
#include "lldb/Host/Socket.h"
#include "llvm/ADT/ScopeExit.h"

#include <fcntl.h>
#include <unistd.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

FileSpec lldb_private::wavelane::FindHostCore(const FileSpec &core) {
  if (FileSpec named = GetProcessAMDGPUProperties().GetHostCore())
    return named;
  // AMD's runtime writes gpucore.PID.
  llvm::StringRef name = core.GetFilename().GetStringRef();
  if (name.consume_front("gpu")) {
    FileSpec beside = core.CopyByRemovingLastPathComponent();
    beside.AppendPathComponent(name);
    if (FileSystem::Instance().Exists(beside))
      return beside;
  }
  return FileSpec();
}

static Args MakeArguments(const FileSpec &core, const FileSpec &host_core) {
  Args arguments;
  auto add = [&](const char *name, const FileSpec &file) {
    if (!file)
      return;
    FileSpec absolute(file);
    (void)FileSystem::Instance().MakeAbsolute(absolute);
    arguments.AppendArgument(name + absolute.GetPath());
  };
  add(::wavelane::server::packets::CoreArgument, core);
  add(::wavelane::server::packets::HostCoreArgument, host_core);
  add(::wavelane::server::packets::CodeObjectsArgument,
      GetProcessAMDGPUProperties().GetCodeObjects());
  llvm::json::Object settings =
      GetProcessAMDGPUProperties().GetServerSettings();
  if (!settings.empty())
    arguments.AppendArgument(
        llvm::formatv("{0}{1}", ::wavelane::server::packets::SettingsArgument,
                      llvm::json::Value(std::move(settings)))
            .str());
  return arguments;
}

llvm::Expected<lldb::pid_t> lldb_private::wavelane::StartCoreServer(
    GDBRemoteCommunicationClient &client, const FileSpec &core,
    const FileSpec &host_core,
    std::function<void(lldb::pid_t, std::string)> ended) {
  Args arguments = MakeArguments(core, host_core);
  llvm::Expected<Socket::Pair> sockets = Socket::CreatePair();
  if (!sockets)
    return sockets.takeError();
  Status error;
  SharedSocket server_socket(sockets->first.get(), error);
  if (error.Fail())
    return error.takeError();
  // The server writes its reason for ending to this pipe.
  int reason[2];
  if (::pipe(reason) != 0)
    return Status::FromErrno().takeError();
  auto close_reason = llvm::scope_exit([&] { ::close(reason[1]); });
  ::fcntl(reason[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(reason[0], F_SETFL, O_NONBLOCK);
  const std::shared_ptr<int> reason_sp(new int(reason[0]), [](int *fd) {
    ::close(*fd);
    delete fd;
  });
  arguments.AppendArgument(::wavelane::server::packets::ReasonArgument +
                           std::to_string(reason[1]));
  ProcessLaunchInfo info;
  FileSpec server = HostInfo::GetSupportExeDir();
  server.AppendPathComponent("lldb-server");
  info.SetExecutableFile(server, /*add_exe_file_as_first_arg=*/true);
  info.SetLaunchInSeparateProcessGroup(true);
  info.AppendDuplicateFileAction(reason[1], reason[1]);
  info.SetMonitorProcessCallback([ended = std::move(ended), reason_sp](
                                     lldb::pid_t pid, int signo, int status) {
    char buffer[4096];
    const ssize_t size = ::read(*reason_sp, buffer, sizeof(buffer));
    const std::string text =
        size > 0 ? std::string(buffer, size_t(size))
        : signo  ? "lldb-server, or the debug library in it, has crashed"
                 : "lldb-server has ended";
    ended(pid, llvm::StringRef(text).trim().str());
  });
  error = GDBRemoteCommunication::StartDebugserverProcess(
      server_socket.GetSendableFD(), info, &arguments);
  if (error.Fail())
    return error.takeError();
  server_socket.CompleteSending(info.GetProcessID());
  client.SetConnection(
      std::make_unique<ConnectionFileDescriptor>(std::move(sockets->second)));
  return info.GetProcessID();
}
