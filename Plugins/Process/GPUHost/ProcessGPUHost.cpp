//===-- ProcessGPUHost.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessGPUHost.h"
#include "BreakpointMoves.h"
#include "Core/Lane/LaneCondition.h"
#include "Core/Progress/SlowProgress.h"
#include "Core/Support/RelativeSources.h"
#include "Core/Support/StopRecord.h"
#include "Process/AMDGPU/InterruptibleConnection.h"
#include "Process/AMDGPU/JSONPackets.h"
#include "Process/AMDGPU/PausedWaves.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Process/AMDGPU/ServerLink.h"
#include "Process/AMDGPU/UserHalt.h"
#include "ProgramCoupling.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"
#include "wavelane/Protocol/Server/SettingsMessages.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointList.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/IOHandler.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Host/Host.h"
#include "lldb/Target/Platform.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/UnixSignals.h"
#include "lldb/Utility/State.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <thread>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

void ProcessGPUHost::Initialize() {
  if (!PluginManager::UnregisterPlugin(ProcessGDBRemote::CreateInstance))
    return;
  PluginManager::RegisterPlugin(ProcessGDBRemote::GetPluginNameStatic(),
                                ProcessGDBRemote::GetPluginDescriptionStatic(),
                                CreateInstance,
                                ProcessGDBRemote::DebuggerInitialize);
}

ProcessSP ProcessGPUHost::CreateInstance(TargetSP target_sp,
                                         ListenerSP listener_sp,
                                         const FileSpec *crash_file_path,
                                         bool can_connect) {
  if (crash_file_path)
    return nullptr;
  MapRelativeSources(*target_sp);
  return std::make_shared<ProcessGPUHost>(target_sp, listener_sp);
}

ProcessGPUHost::ProcessGPUHost(TargetSP target_sp, ListenerSP listener_sp)
    : LaneProcess(target_sp, listener_sp),
      m_owed_sp(std::make_shared<OwedAnswers>()) {}

ProcessGPUHost::~ProcessGPUHost() {
  // Finalize calls functions of this class.
  Finalize(/*destructing=*/true);
}

void ProcessGPUHost::Install() {
  if (m_installed && m_gdb_comm.GetConnection() == m_installed)
    return;
  InterruptibleConnection::Install(
      m_gdb_comm, GetTarget(), m_debugserver_pid, m_owed_sp, [this] {
        if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
          coupling_sp->LookAtOverdue();
        else
          LookAtOverdue(/*stop_is_reported=*/false);
      });
  m_installed = m_gdb_comm.GetConnection();
}

void ProcessGPUHost::SetDeviceProcess(lldb::pid_t pid) {
  m_owed_sp->device = pid;
  std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
  if (auto gpu_sp = coupling_sp ? coupling_sp->GetGPU() : nullptr)
    gpu_sp->GetOwedAnswers().device = pid;
}

Status ProcessGPUHost::Connect(const ProcessInfo &info) {
  PlatformSP platform_sp = GetTarget().GetPlatform();
  const bool has_server =
      m_gdb_comm.IsConnected() || (platform_sp && !platform_sp->IsHost());
  Status error =
      has_server ? EstablishConnectionIfNeeded(info) : StartServer(info);
  if (error.Fail())
    return error;
  if (has_server)
    Install();
  SendSettings();
  return error;
}

/// Whether the program's file has code for GPUs.
static bool HasGPUCode(Target &target) {
  Module *program = target.GetExecutableModulePointer();
  SectionList *sections = program ? program->GetSectionList() : nullptr;
  return sections && sections->FindSectionByName(ConstString(".hip_fatbin"));
}

llvm::json::Object ProcessGPUHost::GetServerSettings() {
  llvm::json::Object settings =
      GetProcessAMDGPUProperties().GetServerSettings();
  Status error;
  OptionValueSP inherits =
      GetTarget().GetPropertyValue(nullptr, "inherit-env", error);
  if (inherits && !inherits->GetValueAs<bool>().value_or(true))
    settings[::wavelane::server::packets::setting::LeaveEnvironment] = true;
  return settings;
}

/// The settings of a key that the server has.
static llvm::StringRef GetSettingName(llvm::StringRef key) {
  namespace setting = ::wavelane::server::packets::setting;
  if (key == setting::LeaveEnvironment)
    return "set-environment";
  if (key == setting::Exceptions)
    return "precise-memory, precise-alu-exceptions or local-range-exceptions";
  return key;
}

void ProcessGPUHost::SendSettings() {
  llvm::json::Object settings = GetServerSettings();
  m_sent_settings = settings;
  const bool none = GetProcessAMDGPUProperties().GetServerSettings().empty() &&
                    !m_has_sent_settings;
  if (settings.empty() && !m_has_sent_settings && !HasGPUCode(GetTarget()))
    return;
  m_has_sent_settings = true;
  StringExtractorGDBRemote response;
  if (SendEscapedPacket(
          m_gdb_comm,
          ::wavelane::server::packets::Make(
              ::wavelane::server::packets::Settings, std::move(settings)),
          response) != GDBRemoteCommunication::PacketResult::Success ||
      response.IsOKResponse())
    return; // the next packet will report the lost connection
  if (none) {
    if (response.IsUnsupportedResponse() && HasGPUCode(GetTarget()))
      Debugger::ReportWarning(
          "the program's GPU code runs without the debugger: the server isn't "
          "Wavelane's lldb-server, and can't debug GPUs",
          GetTarget().GetDebugger().GetID());
    return;
  }
  const user_id_t debugger = GetTarget().GetDebugger().GetID();
  auto wrong =
      ReadAnswer<std::vector<::wavelane::protocol::WrongSetting>>(response);
  if (!wrong) {
    std::string why = llvm::toString(wrong.takeError());
    if (response.IsUnsupportedResponse())
      why = "the server isn't Wavelane's lldb-server, and can't debug GPUs";
    Debugger::ReportWarning(
        "the settings plugin.process.amdgpu have no effect: " + why, debugger);
    return;
  }
  for (const ::wavelane::protocol::WrongSetting &each : *wrong)
    Debugger::ReportWarning(llvm::formatv("plugin.process.amdgpu.{0} {1}",
                                          GetSettingName(each.Name), each.Why),
                            debugger);
}

void ProcessGPUHost::SetCoupling(
    const std::shared_ptr<ProgramCoupling> &coupling_sp) {
  auto calls = [weak_wp = weak_from_this()](auto what) {
    return [weak_wp, what](auto... arguments) {
      if (ProcessSP process_sp = weak_wp.lock())
        (static_cast<ProcessGPUHost &>(*process_sp).*what)(arguments...);
    };
  };
  if (coupling_sp)
    coupling_sp->SetLooks(calls(&ProcessGPUHost::EndInput),
                          calls(&ProcessGPUHost::LookAtLink),
                          calls(&ProcessGPUHost::LookAtOverdue));
  std::atomic_store(&m_coupling_sp, coupling_sp);
}

void ProcessGPUHost::EndInput() {
  if (!StateIsStoppedState(GetPrivateState(), /*must_exist=*/true))
    return;
  std::lock_guard<std::mutex> guard(m_process_input_reader_mutex);
  if (m_process_input_reader && !m_process_input_reader->GetIsDone())
    m_process_input_reader->Cancel();
}

Status ProcessGPUHost::ConnectTo(llvm::StringRef url) {
  // As ProcessGDBRemote::ConnectToDebugserver, whose first questions couldn't
  // be interrupted.
  constexpr int tries = 50;
  constexpr std::chrono::milliseconds interval(100);
  auto connection = std::make_unique<ConnectionFileDescriptor>();
  Status error;
  for (int i = 0; i < tries && !m_gdb_comm.IsConnected(); ++i) {
    if (connection->Connect(url, &error) == eConnectionStatusSuccess) {
      m_gdb_comm.SetConnection(std::move(connection));
      m_installed = nullptr;
      Install();
      return Status();
    }
    if (GetTarget().GetDebugger().InterruptRequested())
      break;
    std::this_thread::sleep_for(interval);
  }
  return error;
}

Status ProcessGPUHost::DoConnectRemote(llvm::StringRef remote_url) {
  Status error;
  if (!remote_url.empty())
    error = ConnectTo(remote_url);
  if (error.Success())
    error = ProcessGDBRemote::DoConnectRemote(remote_url);
  if (m_owed_sp->are_owed) {
    m_gdb_comm.Disconnect();
    m_owed_sp->are_owed = false;
    return Status::FromErrorString("lldb-server doesn't answer");
  }
  // A server without a program will be asked when it has one.
  if (error.Success() && GetID() != LLDB_INVALID_PROCESS_ID)
    SendSettings();
  return error;
}

/// LLDB's loader leaves its breakpoint at the program's entry behind if the
/// program ends before it gets there. The next program would call an object
/// that is gone.
static void RemoveLoadersBreakpoints(Target &target) {
  BreakpointList &list = target.GetBreakpointList(/*internal=*/true);
  for (size_t i = list.GetSize(); i-- > 0;) {
    BreakpointSP breakpoint_sp = list.GetBreakpointAtIndex(i);
    const char *kind =
        breakpoint_sp ? breakpoint_sp->GetBreakpointKind() : nullptr;
    if (kind && llvm::StringRef(kind) == "shared-library-event")
      target.RemoveBreakpointByID(breakpoint_sp->GetID());
  }
}

Status ProcessGPUHost::DoLaunch(Module *exe_module,
                                ProcessLaunchInfo &launch_info) {
  if (const std::string path = launch_info.GetExecutableFile().GetPath();
      HasGoneWithProcess(path))
    return Status::FromErrorStringWithFormatv(
        "Cannot launch '{0}': its process has ended, and the file with it; "
        "choose the program with `target create FILE`",
        path);
  m_is_launched = true;
  RemoveLoadersBreakpoints(GetTarget());
  Status error = Connect(launch_info);
  if (error.Fail())
    return ExplainStart(std::move(error));
  error = ProcessGDBRemote::DoLaunch(exe_module, launch_info);
  // LLDB would wait for the first stop of a program whose server is lost, or
  // names the packet, see GDBRemoteCommunicationClient::LaunchProcess.
  if (!m_gdb_comm.IsConnected() && GetPrivateState() != eStateExited &&
      (error.Success() ||
       llvm::StringRef(error.AsCString()).ends_with("packet failed")))
    error = Status::FromErrorString(
        "lost connection to lldb-server; use 'run' to restart");
  return ExplainStart(std::move(error));
}

Status ProcessGPUHost::DoAttachToProcessWithID(lldb::pid_t pid,
                                               const ProcessAttachInfo &info) {
  Status error = Connect(info);
  if (error.Success())
    error = ProcessGDBRemote::DoAttachToProcessWithID(pid, info);
  return ExplainStart(std::move(error));
}

Status
ProcessGPUHost::DoAttachToProcessWithName(const char *name,
                                          const ProcessAttachInfo &info) {
  Status error = Connect(info);
  if (error.Success())
    error = ProcessGDBRemote::DoAttachToProcessWithName(name, info);
  return ExplainStart(std::move(error));
}

void ProcessGPUHost::DidAttach(ArchSpec &process_arch) {
  ProcessGDBRemote::DidAttach(process_arch);
  // LLDB has started the server, so the program runs on this machine.
  if (m_started_server == LLDB_INVALID_PROCESS_ID)
    return;
  m_changed_program = FindChangedProgram(GetID());
  if (m_changed_program)
    Debugger::ReportWarning(
        llvm::formatv(
            "{0} {1} process {2} started; using the running file, {3}",
            m_changed_program->path,
            m_changed_program->is_missing ? "was deleted after"
                                          : "has changed since",
            GetID(), m_changed_program->running.GetPath()),
        GetTarget().GetDebugger().GetID());
}

bool ProcessGPUHost::GetProcessInfo(ProcessInstanceInfo &info) {
  if (!ProcessGDBRemote::GetProcessInfo(info))
    return false;
  if (m_changed_program) {
    info.SetExecutableFile(m_changed_program->running,
                           /*add_exe_file_as_first_arg=*/false);
    // LLDB has read the architecture from the file at the old path.
    info.SetArchitecture(GetTarget().GetArchitecture());
  }
  return true;
}

Status ProcessGPUHost::WillResume() {
  if (Status error = CheckDirection("the program"); error.Fail())
    return error;
  if (Status error = m_owed_sp->CheckResume(); error.Fail())
    return error;
  if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
    if (auto gpu_sp = coupling_sp->GetGPU();
        gpu_sp && gpu_sp->GetRecordingPosition().IsInThePast())
      return Status::FromErrorString(
          "the program's waves are in the past: `gpu time now`, in the GPU's "
          "target, brings them back");
  if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
    coupling_sp->WillResume(*this);
  // Whatever has set breakpoints, in code that may have been loaded meanwhile.
  RefuseMoves(GetTarget());
  return ProcessGDBRemote::WillResume();
}

Status ProcessGPUHost::DoResume(RunDirection direction) {
  std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
  // A program that hasn't used its GPU yet can still get other checks.
  if (!(coupling_sp && coupling_sp->GetGPU()) &&
      m_sent_settings != GetServerSettings())
    SendSettings();
  if (coupling_sp)
    coupling_sp->Resumes(*this);
  Status error = ProcessGDBRemote::DoResume(direction);
  if (coupling_sp)
    coupling_sp->Resumed(*this, error.Success());
  if (error.Fail() && GetPrivateState() == eStateExited)
    error = ExplainStart(Status::FromErrorString("the program has ended"));
  return error;
}

void ProcessGPUHost::RefreshStateAfterStop() {
  ProcessGDBRemote::RefreshStateAfterStop();
  // Breakpoints may have been set while the program ran.
  LaneCondition::Install(GetTarget());
  std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
  if (!coupling_sp || !coupling_sp->StopsForTheOther(*this))
    return;
  // LLDB stops a process by this signal, which means nothing to users.
  ::wavelane::protocol::Stop stop;
  stop.Kind = ::wavelane::protocol::StopKind::WithGPU;
  for (const ThreadSP &thread_sp : GetThreadList().Threads()) {
    StopInfoSP info_sp = thread_sp->GetPrivateStopInfo();
    if (info_sp && info_sp->GetStopReason() == eStopReasonSignal &&
        info_sp->GetValue() ==
            uint64_t(GetUnixSignals()->GetSignalNumberFromName("SIGSTOP"))) {
      stop.Signal = uint8_t(info_sp->GetValue());
      info_sp->SetDescription(::wavelane::protocol::describe(stop).c_str());
      SetStopRecord(*info_sp, stop);
    }
  }
}

void ProcessGPUHost::WillPublicStop() {
  m_is_unanswered = false;
  m_owed_sp->Changed();
  ProcessGDBRemote::WillPublicStop();
  if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
    coupling_sp->WillPublicStop(*this);
}

bool ProcessGPUHost::TellsStopInBackground() {
  std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
  if (coupling_sp && coupling_sp->HasReason(*this))
    ReportBackgroundStop(*this);
  return !coupling_sp;
}

//===-- The end -----------------------------------------------------------===//

void ProcessGPUHost::LookAtLink() {
  if (std::optional<ReportedEnd> end =
          ReadUnaskedEnd(m_gdb_comm, *GetUnixSignals(), /*asks=*/false))
    SetExitStatus(end->status, end->how);
  m_owed_sp->LookAt(*this);
}

bool ProcessGPUHost::IsUnanswered() const {
  auto owes = [this](const OwedAnswers &answers) {
    return answers.are_owed || (answers.is_overdue && m_is_overdue_at_stop);
  };
  if (m_is_unanswered || owes(*m_owed_sp))
    return true;
  std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      coupling_sp ? coupling_sp->GetGPU() : nullptr;
  return gpu_sp && owes(gpu_sp->GetOwedAnswers());
}

static constexpr char KilledWithServer[] =
    "killed, with its lldb-server, which didn't answer";

std::string ProcessGPUHost::DescribeEnd(int &exit_status, llvm::StringRef how) {
  if (m_ends_without_server) {
    exit_status = SIGKILL;
    return KilledWithServer;
  }
  if (exit_status != -1) {
    std::lock_guard<std::recursive_mutex> guard(m_last_stop_packet_mutex);
    if (!how.empty() || !m_last_stop_packet ||
        !m_last_stop_packet->GetStringRef().starts_with("X"))
      return how.str();
    if (std::optional<ReportedEnd> end =
            ParseEnd(*m_last_stop_packet, *GetUnixSignals()))
      return end->how;
    return {};
  }
  std::string server_end;
  {
    std::lock_guard<std::mutex> guard(m_end_mutex);
    server_end = m_server_end.value_or("");
  }
  if (how == LostConnection) {
    if (server_end.empty())
      return "lost connection to lldb-server";
  } else if (how.consume_front("lldb-server died with signal ")) {
    server_end = ("lldb-server was killed by " + how).str();
  } else if (how.consume_front("lldb-server died with ")) {
    if (server_end.empty())
      server_end = ("lldb-server has ended with " + how).str();
  } else {
    return how.str();
  }
  // A server whose program ends says so, and ends. Another thread may have read
  // that, as its answer or without having reported it yet.
  std::optional<ReportedEnd> end = ParseEnd(
      StringExtractorGDBRemote(m_owed_sp->GetEnd()), *GetUnixSignals());
  if (!end)
    end = ReadUnaskedEnd(m_gdb_comm, *GetUnixSignals(), /*asks=*/false);
  if (end && end->status != -1) {
    exit_status = end->status;
    return end->how;
  }
  return server_end;
}

bool ProcessGPUHost::SetExitStatus(int exit_status, llvm::StringRef how) {
  // The connection ends before the thread that waits for the server process
  // knows how that has ended. If it has in order, that thread reports it
  // half a second later, see ProcessGDBRemote::MonitorDebugserverProcess.
  constexpr auto patience = std::chrono::milliseconds(1500);
  if (exit_status == -1 && how == LostConnection && !m_ends_without_server &&
      m_debugserver_pid != LLDB_INVALID_PROCESS_ID) {
    std::unique_lock<std::mutex> lock(m_end_mutex);
    m_end_reported.wait_for(lock, patience, [this] {
      return GetPrivateState() == eStateExited ||
             !m_server_end.value_or("").empty();
    });
  }
  std::string text = DescribeEnd(exit_status, how);
  if (exit_status == -1 ||
      llvm::StringRef(text).starts_with(ProgramWasKilled)) {
    if (m_is_launched)
      text += "; use 'run' to restart";
    if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
        coupling_sp && GetPrivateState() != eStateExited)
      coupling_sp->HostIsLost({exit_status, text});
  }
  const bool is_new = ProcessGDBRemote::SetExitStatus(exit_status, text);
  {
    std::lock_guard<std::mutex> guard(m_end_mutex);
  }
  m_end_reported.notify_all();
  return is_new;
}

void ProcessGPUHost::GiveBackPrompt(llvm::StringRef limit) {
  // A rank of a job has one.
  const llvm::StringRef label = GetTarget().GetLabel();
  GetTarget().GetDebugger().GetAsyncErrorStream()->Format(
      "{0}{1}lldb-server doesn't answer the interrupt{2}; `process kill` ends "
      "the program.\n",
      label, label.empty() ? "" : ": ", limit);
  m_is_unanswered = true;
  PopProcessIOHandler();
}

void ProcessGPUHost::LookAtOverdue(bool stop_is_reported) {
  LookAtInterrupt();
  // Where a stop can't be printed, the keyboard is still the program's.
  m_is_overdue_at_stop =
      stop_is_reported || StateIsStoppedState(GetState(), /*must_exist=*/true);
  if (m_is_overdue_at_stop)
    EndInput();
}

void ProcessGPUHost::LookAtInterrupt() {
  // The thread that handles stops takes interrupts between them.
  if (m_is_unanswered ||
      !m_private_state_listener_sp->PeekAtNextEventForBroadcasterWithType(
          &m_private_state_broadcaster, eBroadcastBitInterrupt))
    return;
  GiveBackPrompt("");
}

Status ProcessGPUHost::WillHalt() {
  // A rank of a job has a coupling before it uses its GPU.
  if (IsUserHalt(GetHijackingListenerName()))
    if (auto coupling_sp = GetProgramCouplings().find(GetTarget()))
      coupling_sp->WillHalt(*this);
  return Status();
}

Status ProcessGPUHost::DoHalt(bool &caused_stop) {
  constexpr std::chrono::milliseconds patience(1500);
  DelayedCall overdue(patience, [&] {
    GiveBackPrompt(llvm::formatv(". It has {0} s "
                                 "(target.process.interrupt-timeout) until it "
                                 "counts as lost",
                                 GetInterruptTimeout().count())
                       .str());
  });
  Status error = ProcessGDBRemote::DoHalt(caused_stop);
  m_is_unanswered = false;
  m_owed_sp->Changed();
  return error;
}

bool ProcessGPUHost::DestroyRequiresHalt() {
  // A server that was only slow answers now. Its stop must not come while the
  // process is being destroyed.
  return m_owed_sp->WaitUntil(std::chrono::milliseconds(500),
                              [this] { return !IsUnanswered(); });
}

Status ProcessGPUHost::DoDestroy() {
  // The server wouldn't take a packet that kills the program. Both run on this
  // machine if LLDB has started the server.
  // A program that was attached to goes on.
  m_ends_without_server = !GetShouldDetach() && IsUnanswered();
  if (m_ends_without_server) {
    if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
      coupling_sp->HostIsLost({SIGKILL, KilledWithServer});
    if (m_debugserver_pid != LLDB_INVALID_PROCESS_ID) {
      // Without a program, the number would be that of LLDB's own group.
      if (GetID() != LLDB_INVALID_PROCESS_ID)
        Host::Kill(GetID(), SIGKILL);
      Host::Kill(m_debugserver_pid, SIGKILL);
    }
    m_gdb_comm.Disconnect();
  } else if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling()) {
    if (std::shared_ptr<ProcessAMDGPU> gpu_sp = coupling_sp->GetGPU();
        gpu_sp && gpu_sp->IsAlive())
      gpu_sp->KeepFindings();
  }
  return ProcessGDBRemote::DoDestroy();
}

void ProcessGPUHost::DidExit() {
  ProcessGDBRemote::DidExit();
  if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
    coupling_sp->DidExit(*this);
}

Status ProcessGPUHost::WillDetach() {
  if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
    coupling_sp->DetachGPU();
  return ProcessGDBRemote::WillDetach();
}

void ProcessGPUHost::DidDestroy() {
  ProcessGDBRemote::DidDestroy();
  if (std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling())
    coupling_sp->HostIsGone();
}

llvm::Expected<bool> ProcessGPUHost::SaveCore(llvm::StringRef outfile) {
  std::shared_ptr<ProgramCoupling> coupling_sp = GetCoupling();
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      coupling_sp ? coupling_sp->GetGPU() : nullptr;
  if (!gpu_sp || !gpu_sp->IsAlive())
    return ProcessGDBRemote::SaveCore(outfile);
  if (StateIsRunningState(GetState()) ||
      StateIsRunningState(gpu_sp->GetState()))
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the program is running: interrupt it first");
  ::wavelane::protocol::CorePath path;
  path.Path = outfile.str();
  const std::string packet =
      std::string(::wavelane::server::packets::SaveCore) + ":" +
      ::wavelane::protocol::getText(path);
  StringExtractorGDBRemote response;
  GDBRemoteCommunication::ScopedTimeout timeout(m_gdb_comm,
                                                std::chrono::minutes(30));
  SlowCall call(GetTarget().GetDebugger(), "Saving a core file");
  if (SendEscapedPacket(m_gdb_comm, packet, response) !=
      GDBRemoteCommunication::PacketResult::Success)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no answer from lldb-server");
  if (response.IsErrorResponse())
    return response.GetStatus().ToError();
  if (response.IsUnsupportedResponse())
    return ProcessGDBRemote::SaveCore(outfile);
  // The file is on the server's machine.
  Platform &platform = *GetTarget().GetPlatform();
  if (platform.IsRemote()) {
    Status error = platform.GetFile(FileSpec(outfile), FileSpec(outfile));
    platform.Unlink(FileSpec(outfile));
    if (error.Fail())
      return error.ToError();
  }
  return true;
}
