//===-- RankServer.cpp - lldb-server for a rank of a job ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankServer.h"
#include "LLDBServerUtilities.h"
#include "Plugins/Process/Linux/NativeProcessLinux.h"
#include "Server/Host/HostServer.h"
#include "lldb/Host/ConnectionFileDescriptor.h"
#include "lldb/Host/Debug.h"
#include "lldb/Host/common/NativeThreadProtocol.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Protocol/Server/Packets.h"
#include <csignal>
#include <set>
#include <sys/ptrace.h>
#include <unistd.h>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

/// A process that doesn't stop in this time is left as it is.
static constexpr auto StopTimeout = std::chrono::seconds(10);

namespace {

struct Arguments {
  int fd = -1, attached_fd = -1;
  lldb::pid_t pid = 0;
  bool ends_with_client = false;
};

class RankServer : public HostServer {
public:
  RankServer(MainLoop &loop, NativeProcessProtocol::Manager &manager,
             const Arguments &arguments)
      : HostServer(loop, manager), m_arguments(arguments) {}

  /// Attaches, and lets the process execute its program.
  /// \return Whether the program is there, stopped at its beginning.
  bool Start();
  /// The client has gone: ends the process, or lets it run on.
  void Release();

  void ProcessStateChanged(NativeProcessProtocol *process,
                           lldb::StateType state) override;
  void DidExec(NativeProcessProtocol *process) override;

protected:
  std::optional<PacketResult> HandlePacket(Extractor &packet) override;

private:
  /// From the attaching to the program's first instruction, and in the end,
  /// there is no client.
  enum class Phase { Waits, Executed, Serves, Released };

  bool Resume(lldb::StateType action);

  const Arguments m_arguments;
  Phase m_phase = Phase::Waits;
  /// Software breakpoints of the client.
  std::set<lldb::addr_t> m_breakpoints;
  bool m_detached = false;
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
    else if (behind && text.consume_front(packets::RankArgument))
      (void)text.getAsInteger(10, arguments.pid);
    else if (behind && text.consume_front(packets::AttachedArgument))
      (void)text.getAsInteger(10, arguments.attached_fd);
    else if (behind && text == packets::EndsArgument)
      arguments.ends_with_client = true;
  }
  if (!arguments.pid)
    return std::nullopt;
  return arguments;
}

//===-- Before there is a client ------------------------------------------===//

bool RankServer::Resume(lldb::StateType action) {
  ResumeActionList actions;
  actions.Append({m_current_process->GetID(), action, /*signal=*/0});
  if (m_current_process->Resume(actions).Success())
    return true;
  m_mainloop.RequestTermination();
  return false;
}

/// Lets the kernel kill the program if this server ends without detaching, as
/// if the server had launched it. Its thread \p tid must be stopped; its later
/// ones follow.
static void EndWithServer(lldb::tid_t tid) {
  ::ptrace(PTRACE_SETOPTIONS, ::pid_t(tid), nullptr,
           PTRACE_O_TRACEEXIT | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
               PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
               PTRACE_O_TRACEVFORKDONE | PTRACE_O_EXITKILL);
}

bool RankServer::Start() {
  if (Status error = AttachToProcess(m_arguments.pid); error.Fail()) {
    LLDB_LOG(GetLog(LLDBLog::Process), "{0}", error);
    return false;
  }
  if (m_arguments.ends_with_client)
    for (const NativeThreadProtocol &thread : m_current_process->Threads())
      EndWithServer(thread.GetID());
  if (m_arguments.attached_fd < 0) {
    m_phase = Phase::Serves;
    return true;
  }
  if (::write(m_arguments.attached_fd, "", 1) != 1)
    return false;
  ::close(m_arguments.attached_fd);
  if (!Resume(lldb::eStateRunning) || m_mainloop.Run().Fail())
    return false;
  return m_phase == Phase::Serves;
}

void RankServer::ProcessStateChanged(NativeProcessProtocol *process,
                                     lldb::StateType state) {
  if (m_phase == Phase::Serves)
    return HostServer::ProcessStateChanged(process, state);
  if (state == lldb::eStateExited)
    return m_mainloop.RequestTermination();
  if (state != lldb::eStateStopped)
    return;
  if (m_phase == Phase::Released)
    return m_mainloop.RequestTermination();
  if (m_phase == Phase::Waits) { // a signal
    (void)Resume(lldb::eStateRunning);
    return;
  }
  // A client takes a stop for exec as a change of program.
  ThreadStopInfo info;
  std::string description;
  if (process->GetThreadAtIndex(0)->GetStopReason(info, description) &&
      info.reason == lldb::eStopReasonExec) {
    (void)Resume(lldb::eStateStepping);
    return;
  }
  m_phase = Phase::Serves;
  m_mainloop.RequestTermination();
}

void RankServer::DidExec(NativeProcessProtocol *process) {
  if (m_phase == Phase::Serves)
    return HostServer::DidExec(process);
  m_phase = Phase::Executed;
}

//===-- The client --------------------------------------------------------===//

std::optional<RankServer::PacketResult>
RankServer::HandlePacket(Extractor &packet) {
  StringRef text = packet.GetStringRef();
  lldb::addr_t address = 0;
  if (text.starts_with("Z0,") || text.starts_with("z0,")) {
    if (!text.drop_front(3).split(',').first.getAsInteger(16, address)) {
      if (text[0] == 'Z')
        m_breakpoints.insert(address);
      else
        m_breakpoints.erase(address);
    }
  }
  if (packet.GetServerPacketType() == Extractor::eServerPacketType_D)
    m_detached = true;
  return HostServer::HandlePacket(packet);
}

void RankServer::Release() {
  if (m_detached || !m_current_process || !m_current_process->IsAlive())
    return;
  if (m_arguments.ends_with_client) {
    (void)m_current_process->Kill();
    return;
  }
  // Breakpoints can be removed from a stopped process only.
  if (m_current_process->IsRunning()) {
    m_phase = Phase::Released;
    if (m_current_process->Interrupt().Success()) {
      m_mainloop.AddCallback(
          [](MainLoopBase &loop) { loop.RequestTermination(); }, StopTimeout);
      (void)m_mainloop.Run();
    }
  }
  for (lldb::addr_t address : m_breakpoints)
    (void)m_current_process->RemoveBreakpoint(address);
  (void)m_current_process->Detach();
}

std::optional<int> RunRankServer(int argc, char *argv[]) {
  std::optional<Arguments> arguments = Parse(argc, argv);
  if (!arguments)
    return std::nullopt;
  if (arguments->fd < 0)
    return 1;
  ::signal(SIGPIPE, SIG_IGN);
  // For finding faults: lldb-server has no other output.
  const char *log_file = ::getenv("WAVELANE_RANK_LOG");
  if (log_file && *log_file &&
      !lldb_server::LLDBServerUtilities::SetupLogging(
          std::string(log_file) + "." + std::to_string(arguments->pid),
          "lldb process:gdb-remote packets", LLDB_LOG_OPTION_PREPEND_TIMESTAMP))
    return 1;
  MainLoop loop;
  process_linux::NativeProcessLinux::Manager manager(loop);
  RankServer server(loop, manager, *arguments);
  if (!server.Start())
    return 1;
  auto connection = std::make_unique<ConnectionFileDescriptor>(
      arguments->fd, /*owns_fd=*/true);
  // The job's secret has been asked for.
  if (server.PacketServer::InitializeConnection(std::move(connection)).Fail())
    return 1;
  const bool failed = loop.Run().Fail();
  server.Release();
  return failed ? 1 : 0;
}

} // namespace wavelane::server
