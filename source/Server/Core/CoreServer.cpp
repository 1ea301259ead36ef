//===-- CoreServer.cpp - lldb-server for a core file ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreServer.h"
#include "LLDBServerUtilities.h"
#include "Server/GPU/GPUServer.h"
#include "Server/Library/DeviceChoice.h"
#include "Server/Library/GPUSession.h"
#include "lldb/Host/ConnectionFileDescriptor.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "wavelane/Protocol/Server/Packets.h"
#include <csignal>
#include <unistd.h>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

namespace {

struct Arguments {
  int fd = -1, reason_fd = -1;
  std::string log_file;
  std::string log_channels;
  std::string core, host_core, code_objects, settings;
};

/// Reports to the client why the core can't be shown.
class FailedServer : public PacketServer {
public:
  FailedServer(MainLoop &loop, NativeProcessProtocol::Manager &manager,
               std::string reason)
      : PacketServer(loop, manager), m_reason(std::move(reason)) {}

protected:
  std::optional<PacketResult> HandlePacket(Extractor &packet) override {
    if (packet.GetStringRef() == packets::CoreInfo)
      return Fail(m_reason);
    return std::nullopt;
  }

private:
  const std::string m_reason;
};

class NoManager : public NativeProcessProtocol::Manager {
public:
  using NativeProcessProtocol::Manager::Manager;
  llvm::Expected<std::unique_ptr<NativeProcessProtocol>>
  Launch(ProcessLaunchInfo &,
         NativeProcessProtocol::NativeDelegate &) override {
    return Refuse();
  }
  llvm::Expected<std::unique_ptr<NativeProcessProtocol>>
  Attach(lldb::pid_t, NativeProcessProtocol::NativeDelegate &) override {
    return Refuse();
  }

private:
  static llvm::Error Refuse() {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "this server is for a core file");
  }
};

class CoreDelegate : public GPUSession::Delegate {
public:
  explicit CoreDelegate(int reason_fd) : m_reason_fd(reason_fd) {}
  void ReportToUser(const std::string &text) override {
    LLDB_LOG(GetLog(LLDBLog::Process), "{0}", text);
    if (m_reason_fd >= 0 && ::write(m_reason_fd, text.data(), text.size()) < 0)
      m_reason_fd = -1;
  }
  Status KillProgram() override { return Status(); }

private:
  int m_reason_fd;
};

} // namespace

static std::optional<Arguments> Parse(int argc, char *argv[]) {
  Arguments arguments;
  bool behind = false;
  for (int i = 1; i < argc; ++i) {
    StringRef text = argv[i];
    if (text == "--")
      behind = true;
    else if (!behind && text.consume_front("--fd="))
      (void)text.getAsInteger(10, arguments.fd);
    else if (!behind && text.consume_front("--log-file="))
      arguments.log_file = text.str();
    else if (!behind && text.consume_front("--log-channels="))
      arguments.log_channels = text.str();
    else if (behind && text.consume_front(packets::CoreArgument))
      arguments.core = text.str();
    else if (behind && text.consume_front(packets::HostCoreArgument))
      arguments.host_core = text.str();
    else if (behind && text.consume_front(packets::ReasonArgument))
      (void)text.getAsInteger(10, arguments.reason_fd);
    else if (behind && text.consume_front(packets::CodeObjectsArgument))
      arguments.code_objects = text.str();
    else if (behind && text.consume_front(packets::SettingsArgument))
      arguments.settings = text.str();
  }
  if (arguments.core.empty())
    return std::nullopt;
  return arguments;
}

/// \param text The argument; empty if there is none.
static llvm::Expected<Settings> ReadSettings(StringRef text) {
  if (text.empty())
    return CompleteByEnvironment(Settings());
  llvm::Expected<llvm::json::Value> value = wavelane::parseJSON(text);
  if (!value)
    return value.takeError();
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the server's settings aren't a JSON object");
  std::vector<protocol::WrongSetting> wrong;
  const Settings settings = protocol::readSettings(*object, wrong);
  if (llvm::Error error = protocol::toError(wrong))
    return std::move(error);
  return CompleteByEnvironment(settings);
}

static llvm::Expected<std::unique_ptr<GPUSession>>
OpenSession(MainLoop &loop, const Arguments &arguments,
            GPUSession::Delegate &delegate, GPUServer *&server) {
  auto core = corefile::CoreFile::open(arguments.core);
  if (!core)
    return core.takeError();
  GPUSession::Core files{std::move(*core), nullptr, arguments.code_objects};
  if (!arguments.host_core.empty()) {
    auto host = corefile::CoreFile::open(arguments.host_core);
    if (!host)
      return host.takeError();
    files.host = std::move(*host);
  }
  auto settings = ReadSettings(arguments.settings);
  if (!settings)
    return settings.takeError();
  // A core needs no device, so Wavelane's library is the default.
  auto library =
      OpenLibrary(settings->Device == protocol::WantedDevice::Hardware
                      ? debugapi::Device::Hardware
                      : debugapi::Device::Simulated,
                  settings->Library ? settings->Library->Path : std::string());
  if (!library)
    return library.takeError();
  return GPUSession::Create(loop, std::move(files), std::move(*library),
                            delegate, [&](GPUSession &session) {
                              auto made = GPUServer::Create(loop, session);
                              server = made.get();
                              return std::shared_ptr<GPUSession::Waves>(
                                  made, &made->GetProcess());
                            });
}

std::optional<int> RunCoreServer(int argc, char *argv[]) {
  std::optional<Arguments> arguments = Parse(argc, argv);
  if (!arguments)
    return std::nullopt;
  ::signal(SIGPIPE, SIG_IGN);
  // An interrupt from the terminal is for the client.
  ::setsid();
  if (!lldb_server::LLDBServerUtilities::SetupLogging(
          arguments->log_file, arguments->log_channels,
          LLDB_LOG_OPTION_PREPEND_TIMESTAMP))
    return 1;
  if (arguments->fd < 0)
    return 1;

  MainLoop loop;
  CoreDelegate delegate(arguments->reason_fd);
  GPUServer *server = nullptr; // owned by the session
  auto session = OpenSession(loop, *arguments, delegate, server);
  NoManager manager(loop);
  std::unique_ptr<FailedServer> failed;
  if (session) {
    server->Connect(arguments->fd);
  } else {
    failed = std::make_unique<FailedServer>(
        loop, manager, llvm::toString(session.takeError()));
    auto connection = std::make_unique<ConnectionFileDescriptor>(
        arguments->fd, /*owns_fd=*/true);
    if (failed->InitializeConnection(std::move(connection)).Fail())
      return 1;
  }
  return loop.Run().Fail() ? 1 : 0;
}

} // namespace wavelane::server
