//===-- ProcessAMDGPU.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessAMDGPU.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/MachineCode/LineOfCode.h"
#include "Core/MachineCode/LoadedCode.h"
#include "Core/Progress/SlowProgress.h"
#include "Core/Support/LibraryCode.h"
#include "Core/Support/StopRecord.h"
#include "Core/Support/WavelaneLog.h"
#include "CoreServerProcess.h"
#include "HostActionText.h"
#include "HostCoupling.h"
#include "InterruptibleConnection.h"
#include "JSONPackets.h"
#include "LanguageRuntime/HIP/LanguageRuntimeHIP.h"
#include "LibraryFrames.h"
#include "MemoryRegions.h"
#include "PausedWaves.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "ProcessAMDGPUProperties.h"
#include "StepBack.h"
#include "ThreadAMDGPU.h"
#include "Unwind/AMDGPU/UnwindCache.h"
#include "UserHalt.h"
#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"
#include "wavelane/Protocol/Server/WaveMessages.h"

#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Breakpoint/WatchpointResource.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Target/DynamicLoader.h"
#include "lldb/Target/Language.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/ThreadPlan.h"
#include "lldb/Target/UnixSignals.h"
#include "lldb/Utility/State.h"
#include "lldb/Utility/StringExtractorGDBRemote.h"
#include "llvm/ADT/DenseMap.h"

#include <thread>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;
namespace protocol = ::wavelane::protocol;

//===-- The plugin --------------------------------------------------------===//

void ProcessAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Waves of AMD GPUs, hardware or simulated.",
                                CreateInstance, DebuggerInitialize);
}

void ProcessAMDGPU::DebuggerInitialize(Debugger &debugger) {
  GetProcessAMDGPUProperties().AddTo(debugger);
}

ProcessSP ProcessAMDGPU::CreateInstance(TargetSP target_sp,
                                        ListenerSP listener_sp,
                                        const FileSpec *crash_file_path,
                                        bool can_connect) {
  if (!crash_file_path && !can_connect)
    return nullptr;
  return std::make_shared<ProcessAMDGPU>(
      target_sp, listener_sp, crash_file_path ? *crash_file_path : FileSpec());
}

ProcessAMDGPU::ProcessAMDGPU(TargetSP target_sp, ListenerSP listener_sp,
                             const FileSpec &core_file)
    : WaveProcess(target_sp, listener_sp),
      m_owed_sp(std::make_shared<OwedAnswers>()), m_core(core_file),
      m_facts(*this), m_memory(m_gdb_comm), m_conditions(m_gdb_comm),
      m_unwind_cache_sp(std::make_shared<UnwindCache>()),
      m_position([this](const protocol::TimeRequest &request) {
        return SendTimePacket(*this, request);
      }) {
  UseLanes();
  // LLDB can't call code on a GPU: expressions are interpreted.
  SetCanJIT(false);
  SetCanRunCode(false);
  // Called at stops that the user will see, twice: then, and when their actions
  // are done.
  RegisterNotificationCallbacks(
      {this, nullptr, [](void *self, Process *process, StateType state) {
         if (StateIsStoppedState(state, /*must_exist=*/false))
           static_cast<ProcessAMDGPU *>(self)->m_held_waves.WillShow(
               /*has_acted=*/!process->CurrentThreadIsPrivateStateThread());
       }});
}

ProcessAMDGPU::~ProcessAMDGPU() {
  // Finalize calls functions of this class.
  Finalize(/*destructing=*/true);
}

bool ProcessAMDGPU::CanDebug(TargetSP target_sp,
                             bool plugin_specified_by_name) {
  if (plugin_specified_by_name || !m_core)
    return plugin_specified_by_name;
  auto core = ::wavelane::corefile::CoreFile::open(m_core.GetFile().GetPath());
  if (core)
    return (*core)->isGpuOnly();
  llvm::consumeError(core.takeError());
  // Accept a damaged core: the reason why it can't be shown is given when it is
  // opened.
  return m_core.GetFile().GetFilename().GetStringRef().starts_with("gpucore.");
}

//===-- Core files --------------------------------------------------------===//

Status ProcessAMDGPU::StartServer() {
  const std::weak_ptr<ProcessAMDGPU> this_wp =
      std::static_pointer_cast<ProcessAMDGPU>(shared_from_this());
  llvm::Expected<lldb::pid_t> pid =
      StartCoreServer(m_gdb_comm, m_core.GetFile(), m_core.GetHostCore(),
                      [this_wp](lldb::pid_t pid, std::string reason) {
                        if (auto process_sp = this_wp.lock())
                          process_sp->CoreServerEnded(pid, reason);
                      });
  if (!pid)
    return Status::FromError(pid.takeError());
  m_debugserver_pid = *pid;
  return Status();
}

void ProcessAMDGPU::CoreServerEnded(lldb::pid_t pid, llvm::StringRef reason) {
  if (m_debugserver_pid != pid)
    return;
  m_debugserver_pid = LLDB_INVALID_PROCESS_ID;
  switch (GetState()) {
  case eStateUnloaded:
  case eStateInvalid:
  case eStateConnected:
  case eStateExited:
  case eStateDetached:
    break;
  default:
    if (!m_finalizing)
      SetExitStatus(-1, reason);
  }
}

Status ProcessAMDGPU::DoLoadCore() {
  Debugger &debugger = GetTarget().GetDebugger();
  if (GetTarget().GetArchitecture().IsValid() &&
      GetTarget().GetArchitecture().GetMachine() != llvm::Triple::amdgcn) {
    Module *program = GetTarget().GetExecutableModulePointer();
    if (program)
      return Status::FromErrorStringWithFormat(
          "%s is the core file of a GPU only: open it without %s, and the "
          "host's core in a target of its own",
          m_core.GetFile().GetPath().c_str(),
          program->GetFileSpec().GetPath().c_str());
  }
  GetTarget().SetPlatform(debugger.GetPlatformList().GetOrCreate(
      PlatformAMDGPU::GetPluginNameStatic()));
  GetTarget().SetArchitecture(ArchSpec("amdgcn-amd-amdhsa"),
                              /*set_platform=*/false, /*merge=*/false);

  SlowCall call(debugger, "Opening the GPU's state in a core file");
  Status error = StartServer();
  if (error.Fail())
    return Status::FromErrorStringWithFormat("lldb-server can't be started: %s",
                                             error.AsCString());
  // It answers when the core is open; the wait also ends if the server exits.
  GDBRemoteCommunication::ScopedTimeout timeout(m_gdb_comm,
                                                std::chrono::minutes(10));
  error = DoConnectRemote(/*remote_url=*/"");
  if (error.Fail())
    return Status::FromErrorStringWithFormat(
        "the debug library or lldb-server has failed on the core file "
        "(%s)",
        error.AsCString("no answer"));
  StringExtractorGDBRemote response;
  if (m_gdb_comm.SendPacketAndWaitForResponse(
          ::wavelane::server::packets::CoreInfo, response) !=
      GDBRemoteCommunication::PacketResult::Success)
    return Status::FromErrorString(
        "the debug library or lldb-server has failed on the core file");
  if (response.IsErrorResponse()) {
    KillDebugserverProcess();
    return response.GetStatus();
  }
  auto facts = protocol::parse<protocol::CoreFacts>(response.GetStringRef(),
                                                    "the server's answer");
  if (!facts)
    return Status::FromError(facts.takeError());
  GetTarget().SetArchitecture(
      PlatformAMDGPU::MakeArch("amdgcn-amd-amdhsa", facts->Processor),
      /*set_platform=*/false, /*merge=*/false);
  for (const std::string &warning : facts->Warnings)
    Debugger::ReportWarning(warning, debugger.GetID());

  ArchSpec arch;
  DidAttach(arch);
  // Load modules before the stop is examined: unwinding needs them.
  RefreshModules();
  return Status();
}

llvm::Expected<bool> ProcessAMDGPU::SaveCore(llvm::StringRef outfile) {
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  ProcessSP host_sp = coupling_sp ? coupling_sp->GetHost() : nullptr;
  if (!host_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   m_core ? "the process is a core file already"
                                          : "the host program is gone");
  return host_sp->SaveCore(outfile);
}

Status ProcessAMDGPU::DoGetMemoryRegionInfo(addr_t addr,
                                            MemoryRegionInfo &info) {
  std::optional<MemoryRegionInfo> region = DescribeMemory(*this, addr);
  // The server of a GPU knows of none.
  if (!region)
    return Status::FromErrorStringWithFormat(
        "nothing is known of memory at 0x%" PRIx64, addr);
  info = *region;
  return Status();
}

/// The server refuses it in the past.
static Status MakeNotRecorded(addr_t addr) {
  return Status::FromErrorStringWithFormat(
      "memory of the host at 0x%" PRIx64
      " isn't recorded: `gpu time now` goes to the present, where it can be "
      "read",
      addr);
}

size_t ProcessAMDGPU::ReadMemory(addr_t addr, void *buf, size_t size,
                                 Status &error) {
  // Waves that run write it.
  if (IsNonStop())
    m_memory_cache.Clear();
  return WaveProcess::ReadMemory(addr, buf, size, error);
}

size_t ProcessAMDGPU::DoReadMemory(addr_t addr, void *buf, size_t size,
                                   Status &error) {
  if (IsInWindow(addr))
    return LaneProcess::DoReadMemory(addr, buf, size, error);
  if (m_reads.Add(addr, size)) {
    error = Status::FromErrorString("the memory is read later");
    return 0;
  }
  const size_t done = ProcessGDBRemote::DoReadMemory(addr, buf, size, error);
  if (error.Success() || !IsAlive())
    return done;
  if (m_position.IsInThePast() && !m_position.IsRecorded(addr))
    error = MakeNotRecorded(addr);
  else if (!IsLiveDebugSession())
    error = Status::FromErrorStringWithFormat(
        "the core file has no memory at 0x%" PRIx64, addr);
  return done;
}

size_t ProcessAMDGPU::DoWriteMemory(addr_t addr, const void *buf, size_t size,
                                    Status &error) {
  if (IsInWindow(addr))
    return LaneProcess::DoWriteMemory(addr, buf, size, error);
  if (IsLiveDebugSession()) {
    error = PrepareWrite();
    if (error.Fail())
      return 0;
    const size_t done = ProcessGDBRemote::DoWriteMemory(addr, buf, size, error);
    m_memory.Clear();
    // LLDB's own invalidation ignores the sizes of blocks in its cache.
    m_memory_cache.Clear();
    NotifyOtherSide();
    return done;
  }
  error = Status::FromErrorString("memory of a core file can't be written");
  return 0;
}

Status ProcessAMDGPU::DoConnectRemote(llvm::StringRef remote_url) {
  // Create the window: it serves apertures of generic addresses.
  ProcessLanes::GetOrCreate(*this);
  HideLibraryFrames(GetTarget());
  AddLanguageRuntimes();
  Status error;
  // A core's server is connected already.
  if (!remote_url.empty()) {
    auto connection = std::make_unique<ConnectionFileDescriptor>();
    if (connection->Connect(remote_url, &error) != eConnectionStatusSuccess)
      return error;
    m_gdb_comm.SetConnection(std::move(connection));
  }
  // LLDB's first questions may go unanswered, too.
  InterruptibleConnection::Install(
      m_gdb_comm, GetTarget(), m_debugserver_pid, m_owed_sp, [this] {
        if (std::shared_ptr<HostCoupling> coupling_sp = GetCoupling())
          coupling_sp->LookAtOverdue();
      });
  error = ProcessGDBRemote::DoConnectRemote(remote_url);
  if (error.Fail())
    return error;
  // A live GPU's server always has a process, whose first stop the coupling
  // would wait for. A core's server says itself why it has none.
  if (!m_core && GetID() == LLDB_INVALID_PROCESS_ID) {
    const bool is_lost = !m_gdb_comm.IsConnected();
    m_gdb_comm.Disconnect();
    return Status::FromErrorString(is_lost ? "lost connection to lldb-server"
                                           : "the server names no process");
  }
  // The first reply has each wave.
  StringExtractorGDBRemote response;
  if (m_gdb_comm.SendPacketAndWaitForResponse(
          ::wavelane::server::packets::FoldStops, response) ==
          GDBRemoteCommunication::PacketResult::Success &&
      response.IsOKResponse() && m_gdb_comm.GetStopReply(response)) {
    SetLastStopPacket(response);
    m_jstopinfo_sp.reset();
  }
  return error;
}

void ProcessAMDGPU::AddLanguageRuntimes() {
  auto runtime_sp = std::make_shared<LanguageRuntimeHIP>(*this, m_calls);
  std::lock_guard<std::recursive_mutex> guard(m_language_runtimes_mutex);
  for (unsigned number = 0; number < eNumLanguageTypes; ++number)
    if (const auto language = LanguageType(number);
        Language::GetPrimaryLanguage(language) == eLanguageTypeC_plus_plus)
      m_language_runtimes[language] = runtime_sp;
}

void ProcessAMDGPU::DidAttach(ArchSpec &process_arch) {
  // A triple doesn't include the processor, and the base class collects triples
  // from the server.
  const ArchSpec arch = GetTarget().GetArchitecture();
  ProcessGDBRemote::DidAttach(process_arch);
  if (arch.IsValid() && arch.GetMachine() == llvm::Triple::amdgcn) {
    process_arch = arch;
    GetTarget().SetArchitecture(arch, /*set_platform=*/false, /*merge=*/false);
  }
}

DynamicLoader *ProcessAMDGPU::GetDynamicLoader() {
  if (!m_dyld_up)
    // Named like all plugins for AMD GPUs.
    m_dyld_up.reset(DynamicLoader::FindPlugin(this, GetPluginNameStatic()));
  return m_dyld_up.get();
}

void ProcessAMDGPU::RefreshModules() {
  // A loader reads the list of modules in DidAttach.
  if (DynamicLoader *loader = GetDynamicLoader())
    loader->DidAttach();
}

std::shared_ptr<process_gdb_remote::ThreadGDBRemote>
ProcessAMDGPU::CreateThread(lldb::tid_t tid) {
  return std::make_shared<ThreadAMDGPU>(*this, tid);
}

void ProcessAMDGPU::ReadStop() {
  if (!m_last_stop_packet ||
      m_stops.Read(GetStopID(), m_last_stop_packet->GetStringRef()))
    return;
  StringExtractorGDBRemote all;
  if (m_gdb_comm.GetStopReply(all)) {
    SetLastStopPacket(all);
    m_stops.Read(GetStopID(), all.GetStringRef());
  }
}

bool ProcessAMDGPU::DoUpdateThreadList(ThreadList &old_thread_list,
                                       ThreadList &new_thread_list) {
  // LLDB takes an empty list for one that was never made: it would ask again
  // and again, and drop the state of the last waves.
  if (m_no_waves_at_stop == GetStopID())
    return false;
  ReadStop();
  if (auto stop_sp = m_stops.Get(GetStopID()))
    m_thread_ids = stop_sp->GetWaves();
  else if (m_thread_ids.empty() && !UpdateThreadIDList())
    return false;
  // At most stops, the waves are the same as at the last one.
  m_held_waves.ListAll();
  ThreadList::ThreadIterable old_threads = old_thread_list.Threads();
  size_t same = 0;
  for (const ThreadSP &thread_sp : old_threads) {
    if (same == m_thread_ids.size() ||
        thread_sp->GetProtocolID() != m_thread_ids[same])
      break;
    ++same;
  }
  llvm::DenseMap<lldb::tid_t, ThreadSP> old;
  if (same != m_thread_ids.size() ||
      same != old_thread_list.GetSize(/*can_update=*/false)) {
    m_held_waves.LetGo();
    for (const ThreadSP &thread_sp : old_threads)
      old[thread_sp->GetProtocolID()] = thread_sp;
    for (lldb::tid_t tid : m_thread_ids) {
      auto found = old.find(tid);
      new_thread_list.AddThreadSortedByIndexID(
          found == old.end() ? CreateThread(tid) : found->second);
      if (found != old.end())
        old.erase(found);
    }
  } else {
    for (const ThreadSP &thread_sp : old_threads)
      new_thread_list.AddThreadSortedByIndexID(thread_sp);
  }
  // Waves that have ended have no use for their numbers, but those that run on,
  // or that a travel in the recording leaves behind, will be seen again.
  if (!IsNonStop() && !m_position.IsInThePast() && !m_position.Travels())
    for (auto &[tid, thread_sp] : old)
      m_thread_id_to_index_id_map.erase(tid);
  if (new_thread_list.GetSize(/*can_update=*/false) == 0)
    m_no_waves_at_stop = GetStopID();
  return true;
}

//===-- Running and stopping ----------------------------------------------===//

Status ProcessAMDGPU::PrepareWrite() {
  llvm::Expected<bool> has_forked = m_position.Fork();
  if (!has_forked)
    return Status::FromError(has_forked.takeError());
  if (*has_forked)
    Debugger::ReportWarning(
        "this changes the past, so everything recorded after this point is "
        "discarded. The host is not rewound: it goes on from where it is",
        GetTarget().GetDebugger().GetID());
  return Status();
}

static constexpr char kCannotGoBack[] =
    "in non-stop mode, waves can't go back, because others run on: 'settings "
    "set plugin.process.amdgpu.non-stop false', and 'continue', stop all";

static constexpr char kAllEnded[] =
    "all waves have finished; 'reverse-continue' goes back to them";

bool ProcessAMDGPU::HasEndedSimulation() {
  return m_core.Simulates() && GetThreadList().GetSize() == 0;
}

Status ProcessAMDGPU::BeginSimulation() {
  auto begun = m_core.Simulate([this] {
    return AskServer<protocol::Simulation>(
        m_gdb_comm, ::wavelane::server::packets::Simulate,
        GetProcessAMDGPUProperties().GetServerSettings());
  });
  if (!begun)
    return Status::FromError(begun.takeError());
  if (!*begun)
    return Status();
  Debugger &debugger = GetTarget().GetDebugger();
  for (const std::string &warning : (*begun)->Warnings)
    Debugger::ReportWarning(warning, debugger.GetID());
  debugger.GetAsyncOutputStream()->PutCString(m_core.Describe(**begun));
  return Status();
}

namespace {
/// Whether a stop that has been looked at is one: only StopInfo's children may
/// ask.
struct StopQuestion : StopInfo {
  static bool Ask(StopInfo &info) {
    return (info.*&StopQuestion::ShouldStop)(nullptr);
  }
};
} // namespace

/// LLDB goes on by itself from a stop that is none, as at a watchpoint whose
/// value is the same, or a breakpoint whose script says so: then in the same
/// direction.
void ProcessAMDGPU::KeepDirection() {
  if (!m_position.TakeWentBack())
    return;
  bool has_stopped = false, should_stop = false;
  for (const ThreadSP &thread_sp : GetThreadList().Threads())
    if (StopInfoSP info_sp = thread_sp->GetPrivateStopInfo();
        info_sp && (info_sp->GetStopReason() == eStopReasonWatchpoint ||
                    info_sp->GetStopReason() == eStopReasonBreakpoint)) {
      has_stopped = true;
      should_stop |= StopQuestion::Ask(*info_sp);
    }
  if (has_stopped && !should_stop)
    SetBaseDirection(eRunReverse);
}

Status ProcessAMDGPU::WillHalt() {
  m_is_halting = true;
  m_user_halts = IsUserHalt(GetHijackingListenerName());
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  if (coupling_sp && m_user_halts)
    coupling_sp->WillHalt(*this);
  return Status();
}

Status ProcessAMDGPU::WillResume() {
  KeepDirection();
  if (Status error = CheckDirection("waves"); error.Fail())
    return error;
  if (Status error = m_owed_sp->CheckResume(); error.Fail())
    return error;
  if (Status error = BeginSimulation(); error.Fail())
    return error;
  ThreadSP lone_sp = FindLoneWave();
  if (lone_sp && m_held_waves.AreOthersHeld())
    m_held_waves.Hold(*lone_sp);
  const bool goes_back = WillGoBack();
  if (goes_back && IsNonStop()) {
    SetBaseDirection(eRunForward);
    return Status::FromErrorString(kCannotGoBack);
  }
  m_position.WillResume(goes_back);
  if (!m_position.Travels() && HasEndedSimulation())
    return Status::FromErrorString(kAllEnded);
  if (std::shared_ptr<HostCoupling> coupling_sp = GetCoupling())
    coupling_sp->WillResume(*this);
  m_kernel_entries.Update(GetTarget(),
                          GetProcessAMDGPUProperties().StopsOnKernelEntry());
  m_memory.Clear();
  if (!m_position.Travels())
    m_lone_wave.WillResume(GetThreadList(),
                           /*by_user=*/!CurrentThreadIsPrivateStateThread(),
                           /*others_may_run=*/!IsNonStop());
  if (!lone_sp || m_position.Travels() || OthersRunAlong()) {
    m_held_waves.LetGo();
    m_held_waves.NotePlans();
  } else {
    m_held_waves.Hold(*lone_sp);
  }
  // Of a step by instructions, LLDB would keep "trace" as a held wave's reason.
  for (const ThreadSP &thread_sp : GetThreadList().Threads())
    if (thread_sp->GetCompletedPlan())
      thread_sp->SetStopInfo(thread_sp->GetStopInfo());
  m_preparing_resume = true;
  ThreadSP selected_sp = GetThreadList().GetSelectedThread();
  m_selected = selected_sp ? selected_sp->GetID() : LLDB_INVALID_THREAD_ID;
  return ProcessGDBRemote::WillResume();
}

ThreadSP ProcessAMDGPU::FindLoneWave() {
  ThreadList &threads = GetThreadList();
  // A step may consist of several runs.
  ThreadSP thread_sp = CurrentThreadIsPrivateStateThread()
                           ? m_lone_wave.Find(threads)
                           : threads.GetSelectedThread();
  auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
  const bool is_forward = !m_position.IsInThePast() &&
                          GetBaseDirection() == eRunForward && wave &&
                          wave->GetCurrentPlan()->GetDirection() == eRunForward;
  return is_forward && wave->WantsToRunAlone() ? thread_sp : nullptr;
}

bool ProcessAMDGPU::WillGoBack() {
  if (GetBaseDirection() == eRunReverse)
    return true;
  for (const ThreadSP &thread_sp : GetThreadList().Threads())
    if (thread_sp->GetCurrentPlan()->GetDirection() == eRunReverse)
      return true;
  return false;
}

void ProcessAMDGPU::SendRecordSettings() {
  const ProcessAMDGPUProperties &properties = GetProcessAMDGPUProperties();
  // The ranks of a job share what one program may use.
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  m_position.SendSettings(
      properties.GetRecord(),
      properties.GetRecordLimit() /
          std::max(coupling_sp ? coupling_sp->CountGPUs() : 1U, 1U));
}

Status ProcessAMDGPU::DoResume(RunDirection direction) {
  m_preparing_resume = m_user_halts = false;
  if (Status error = m_non_stop.Send(*this, m_lone_wave.IsAlone());
      error.Fail())
    return error;
  m_conditions.Send(*this);
  m_check_stops.Send(*this);
  SendRecordSettings();
  m_position.Resumes();
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  // The host stands still while its GPU is somewhere in the recording.
  if (m_position.Travels())
    coupling_sp = nullptr;
  if (coupling_sp)
    coupling_sp->Resumes(*this);
  // Then LLDB's packet is the one with which it goes on from an interrupt.
  m_all_run = direction == eRunForward && !m_position.Travels() &&
              !m_held_waves.AreOthersHeld() && m_continue_C_tids.empty() &&
              m_continue_s_tids.empty() && m_continue_S_tids.empty() &&
              (m_continue_c_tids.empty() ||
               m_continue_c_tids.size() == GetThreadList().GetSize());
  Status error = ProcessGDBRemote::DoResume(direction);
  if (coupling_sp)
    coupling_sp->Resumed(*this, error.Success());
  return error;
}

size_t ProcessAMDGPU::GetThreadStatus(Stream &strm,
                                      bool only_threads_with_stop_reason,
                                      uint32_t start_frame, uint32_t num_frames,
                                      uint32_t num_frames_with_source,
                                      bool stop_format) {
  const size_t count = GetThreadList().GetSize();
  ThreadSP selected_sp = GetThreadList().GetSelectedThread();
  const bool is_pause = m_pause.IsOf(GetStopID());
  // For `thread list`: where each wave is in the user's code.
  if (!only_threads_with_stop_reason && !num_frames) {
    for (const ThreadSP &thread_sp : GetThreadList().Threads()) {
      StackFrameSP own_sp = GetOwnFrame(*thread_sp);
      thread_sp->GetStatus(strm, own_sp ? own_sp->GetFrameIndex() : 0,
                           num_frames, num_frames_with_source, stop_format,
                           /*show_hidden=*/true);
    }
    return count;
  }
  if (!only_threads_with_stop_reason || (count < 2 && !is_pause) ||
      !selected_sp)
    return Process::GetThreadStatus(strm, only_threads_with_stop_reason,
                                    start_frame, num_frames,
                                    num_frames_with_source, stop_format);
  selected_sp->GetStatus(strm, start_frame, num_frames, num_frames_with_source,
                         stop_format, /*show_hidden=*/num_frames <= 1);
  strm.PutCString(m_pause.DescribeOthers(GetStopID(), count ? count - 1 : 0));
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  ProcessSP host_sp =
      is_pause && coupling_sp ? coupling_sp->GetHost() : nullptr;
  if (const std::string host = host_sp ? DescribeHost(*host_sp) : "";
      !host.empty())
    strm.Format("  the host's {0} ('target select {1}' shows it)\n", host,
                GetTarget().GetDebugger().GetTargetList().GetIndexOfTarget(
                    host_sp->GetTarget().shared_from_this()));
  return 1;
}

Status ProcessAMDGPU::AskToHoldAll() {
  StringExtractorGDBRemote response;
  if (m_gdb_comm.SendPacketAndWaitForResponse(
          ::wavelane::server::packets::HoldAll, response) !=
          GDBRemoteCommunication::PacketResult::Success ||
      !response.IsOKResponse() || !m_gdb_comm.GetStopReply(response))
    return Status::FromErrorString("the server doesn't answer");
  m_held_waves.LetGo();
  SetLastStopPacket(response);
  m_jstopinfo_sp.reset();
  m_thread_ids.clear();
  m_stops.Forget();
  m_facts.Clear();
  m_no_waves_at_stop = UINT32_MAX;
  return Status();
}

Status ProcessAMDGPU::HoldAll() {
  std::lock_guard<std::recursive_mutex> guard(m_thread_list.GetMutex());
  ThreadSP selected_sp = m_thread_list.GetSelectedThread();
  if (Status error = AskToHoldAll(); error.Fail())
    return error;
  // LLDB lists the threads again.
  m_thread_list.SetStopID(GetStopID() - 1);
  UpdateThreadListIfNeeded();
  if (selected_sp)
    m_thread_list.SetSelectedThreadByID(selected_sp->GetID());
  return Status();
}

bool ProcessAMDGPU::SelectPausedWave() {
  if (IsNonStop())
    if (Status error = HoldAll(); error.Fail())
      return false;
  const PausedWaves waves = PausedWaves::Read(*this);
  // The user looks at the wave whose step was interrupted.
  ThreadSP chosen_sp = m_lone_wave.Find(GetThreadList());
  if (!chosen_sp)
    chosen_sp = waves.Choose(GetThreadList().FindThreadByID(m_selected));
  if (!chosen_sp)
    return false;
  const uint64_t signal = GetUnixSignals()->GetSignalNumberFromName("SIGINT");
  for (const ThreadSP &thread_sp : GetThreadList().Threads()) {
    // The server reports the signal for an arbitrary wave; others may be at a
    // part of a step. Those that were held keep what they have.
    if (thread_sp->GetTemporaryResumeState() != eStateSuspended)
      thread_sp->SetStopInfo(StopInfoSP());
    // The user has given up its step: otherwise the next resume would run this
    // wave alone, to the step's end.
    thread_sp->DiscardThreadPlans(/*force=*/true);
  }
  protocol::Stop stop;
  stop.Kind = protocol::StopKind::Interrupt;
  stop.Signal = uint8_t(signal);
  stop.WaitsAtBarrier = waves.IsWaiting(*chosen_sp);
  StopInfoSP info_sp = StopInfo::CreateStopReasonWithSignal(
      *chosen_sp, int(signal), protocol::describe(stop).c_str());
  SetStopRecord(*info_sp, stop);
  chosen_sp->SetStopInfo(info_sp);
  m_pause.Set(GetStopID(), waves.DescribeOthers(*chosen_sp));
  GetThreadList().SetSelectedThreadByID(chosen_sp->GetID());
  return true;
}

Status ProcessAMDGPU::ResumeAfterPause() {
  // The client may not have consumed the running event yet, so take the public
  // run lock here.
  m_public_run_lock.SetRunning();
  return PrivateResume();
}

Timeout<std::micro> ProcessAMDGPU::CheckLoneWave() {
  return m_lone_wave.Check(GetThreadList(), m_held_waves, m_gdb_comm);
}

Status ProcessAMDGPU::DisableBreakpointSite(BreakpointSite *bp_site) {
  // LLDB removes breakpoints for a step, but the server doesn't need that: see
  // packets::StepOver. Do remove those without owners; plans that were given up
  // end here, too.
  if (m_preparing_resume && bp_site->IsEnabled() &&
      bp_site->GetNumberOfConstituents() != 0) {
    m_step_breakpoints.Keep(bp_site->GetLoadAddress());
    bp_site->SetEnabled(false);
    return Status();
  }
  if (m_step_breakpoints.Take(bp_site->GetLoadAddress()))
    bp_site->SetEnabled(true);
  // The server forgets conditions with the breakpoint.
  m_conditions.Forget(bp_site->GetLoadAddress());
  return ProcessGDBRemote::DisableBreakpointSite(bp_site);
}

Status ProcessAMDGPU::EnableBreakpointSite(BreakpointSite *bp_site) {
  if (m_step_breakpoints.Take(bp_site->GetLoadAddress())) {
    bp_site->SetEnabled(true);
    return Status();
  }
  // Line tables may be wrong, and the breakpoint would overwrite part of an
  // instruction.
  if (!bp_site->IsInternal() &&
      IsInsideInstruction(GetTarget(), bp_site->GetLoadAddress()))
    return Status::FromErrorString(
        "it is inside an instruction: the debug information is wrong, or "
        "belongs to other code");
  return ProcessGDBRemote::EnableBreakpointSite(bp_site);
}

// Don't let LLDB round the range to what it thinks is the hardware's unit:
// accesses to neighboring memory would stop waves. The server knows the real
// unit.
Status ProcessAMDGPU::EnableWatchpoint(WatchpointSP wp_sp, bool notify) {
  std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(*this);
  const addr_t key = wp_sp ? wp_sp->GetLoadAddress() : LLDB_INVALID_ADDRESS;
  if (!wp_sp || wp_sp->IsEnabled() || !wp_sp->GetByteSize())
    return ProcessGDBRemote::EnableWatchpoint(wp_sp, notify);
  if (Status error = BeginSimulation(); error.Fail())
    return error;
  const bool read = wp_sp->WatchpointRead();
  const bool write = wp_sp->WatchpointWrite() || wp_sp->WatchpointModify();
  // Another kind of watchpoint may need the same hardware.
  if (WatchpointResourceSP other_sp =
          m_watchpoint_resource_list.FindByAddress(key);
      other_sp && other_sp->GetByteSize() == wp_sp->GetByteSize() &&
      other_sp->WatchpointResourceRead() == read &&
      other_sp->WatchpointResourceWrite() == write) {
    other_sp->AddConstituent(wp_sp);
    wp_sp->SetEnabled(true, notify);
    return Status();
  }
  std::string packet = llvm::formatv("Z{0},", read && write ? 4 : read ? 3 : 2);
  Status error;
  if (lanes && lanes->Contains(key)) {
    if (EntryAddress::Decode(key))
      return Status::FromErrorString(
          "it is in a register, and registers can't be watched");
    std::optional<ProcessLanes::SpacePlace> place =
        lanes->FindSpacePlace(*this, key, error);
    if (!place)
      return error;
    packet += llvm::formatv("{0:x-},{1:x-}{2}{3}{4:x-};", place->offset,
                            wp_sp->GetByteSize(),
                            SegmentMemory::Place{place->tid, place->lane,
                                                 place->space, place->offset}
                                .GetSuffix(),
                            ::wavelane::server::packets::KeySuffix, key);
  } else {
    packet += llvm::formatv("{0:x-},{1:x-}", key, wp_sp->GetByteSize());
  }
  StringExtractorGDBRemote response;
  if (m_gdb_comm.SendPacketAndWaitForResponse(packet, response) !=
      GDBRemoteCommunication::PacketResult::Success) {
    error = Status::FromErrorString("the server doesn't answer");
    return error;
  }
  if (!response.IsOKResponse()) {
    if (response.IsErrorResponse())
      return response.GetStatus();
    error = Status::FromErrorString("the server can't watch that memory");
    return error;
  }
  wp_sp->SetEnabled(true, notify);
  auto resource_sp = std::make_shared<WatchpointResource>(
      key, wp_sp->GetByteSize(), read, write);
  resource_sp->AddConstituent(wp_sp);
  m_watchpoint_resource_list.Add(resource_sp);
  ForgetRegisters();
  return error;
}

Status ProcessAMDGPU::DisableWatchpoint(WatchpointSP wp_sp, bool notify) {
  Status error = ProcessGDBRemote::DisableWatchpoint(wp_sp, notify);
  ForgetRegisters();
  return error;
}

void ProcessAMDGPU::ForgetRegisters() {
  for (const ThreadSP &thread_sp : GetThreadList().Threads())
    static_cast<ThreadAMDGPU &>(*thread_sp).ForgetRegisters();
}

/// LLDB goes on after a store that doesn't change the value it knows, which is
/// that of another time here. At a watchpoint, it has read the new one.
void ProcessAMDGPU::RefreshWatchedValues() {
  ThreadSP selected_sp = GetThreadList().GetSelectedThread();
  WatchpointList &list = GetTarget().GetWatchpointList();
  if (!selected_sp || !list.GetSize() ||
      llvm::any_of(GetThreadList().Threads(), [](const ThreadSP &thread_sp) {
        return thread_sp->GetStopReason() == eStopReasonWatchpoint;
      }))
    return;
  ExecutionContext context;
  selected_sp->CalculateExecutionContext(context);
  for (size_t i = 0; i < list.GetSize(); ++i)
    if (WatchpointSP wp_sp = list.GetByIndex(uint32_t(i)))
      wp_sp->CaptureWatchedValue(context);
}

/// LLDB forgets which wave was selected whenever it lists the waves again. Then
/// it would show the first one, since a held wave keeps its last stop's reason.
void ProcessAMDGPU::SelectAgain() {
  ThreadList &threads = GetThreadList();
  ThreadSP chosen_sp = threads.FindThreadByID(m_selected);
  if (chosen_sp && chosen_sp->GetTemporaryResumeState() == eStateSuspended)
    for (const ThreadSP &thread_sp : threads.Threads())
      if (thread_sp->GetTemporaryResumeState() != eStateSuspended) {
        StopInfoSP info_sp = thread_sp->GetStopInfo();
        if (info_sp && info_sp->IsValid()) {
          chosen_sp = thread_sp;
          break;
        }
      }
  if (chosen_sp)
    threads.SetSelectedThreadByID(chosen_sp->GetID());
}

/// Frames at which steps have ended have looked their exact lines up.
static void ShowLinesOfSteps(ThreadList &threads) {
  std::lock_guard<std::recursive_mutex> guard(threads.GetMutex());
  for (const ThreadSP &thread_sp : threads.Threads()) {
    StopInfoSP info_sp = thread_sp->GetPrivateStopInfo(/*calculate=*/false);
    const StopReason reason =
        info_sp ? info_sp->GetStopReason() : eStopReasonNone;
    if (reason != eStopReasonTrace && reason != eStopReasonPlanComplete)
      continue;
    if (StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(0))
      ShowLineOfCode(*frame_sp);
  }
}

void ProcessAMDGPU::WillPublicStop() {
  m_held_waves.WillShow(/*has_acted=*/false);
  SelectAgain();
  ShowLinesOfSteps(m_thread_list);
  if (HasEndedSimulation())
    GetTarget().GetDebugger().GetAsyncOutputStream()->Format(
        "Process {0}: {1}\n", GetID(), kAllEnded);
  // Don't call the base class: it asks for registers and name of every wave.
  if (m_position.Travels()) {
    // The direction is for one command, not for those after it.
    m_position.WillShow(/*was_reverse=*/GetBaseDirection() == eRunReverse);
    SetBaseDirection(eRunForward);
    RefreshWatchedValues();
    return;
  }
  if (std::shared_ptr<HostCoupling> coupling_sp = GetCoupling())
    coupling_sp->WillPublicStop(*this);
}

bool ProcessAMDGPU::TellsStopInBackground() {
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  if (coupling_sp && coupling_sp->HasReason(*this))
    ReportBackgroundStop(*this);
  return !coupling_sp; // else LLDB's words: "Target 1: (a.co) stopped."
}

/// The thread that a stop reply is about.
static std::optional<tid_t> FindStoppedThread(llvm::StringRef reply) {
  // T and the signal's number, then its fields.
  StringExtractor fields(reply.drop_front(std::min<size_t>(reply.size(), 3)));
  llvm::StringRef name, value, thread;
  while (thread.empty() && fields.GetNameColonValue(name, value))
    if (name == "thread")
      thread = value;
  if (thread.contains('.')) // the process's first
    thread = thread.split('.').second;
  tid_t tid;
  return thread.getAsInteger(16, tid) ? std::nullopt : std::optional(tid);
}

bool ProcessAMDGPU::IsStopOfLoneWave() {
  if (!m_last_stop_packet || m_is_halting.exchange(false))
    return false;
  ReadStop();
  const std::optional<tid_t> tid =
      FindStoppedThread(m_last_stop_packet->GetStringRef());
  return m_stops.HasSameWaves(GetStopID()) && tid &&
         m_thread_list.FindThreadByID(*tid, /*can_update=*/false);
}

void ProcessAMDGPU::ListFirst() {
  // With more, the list would be long.
  constexpr size_t kMost = 64;
  if (!m_last_stop_packet)
    return;
  ReadStop();
  std::shared_ptr<const FoldedStop> stop_sp = m_stops.Get(GetStopID());
  if (!stop_sp || !m_stops.HasSameWaves(GetStopID()) ||
      stop_sp->GetWaves().size() < HeldWaves::kFewest)
    return;
  // A wave at a breakpoint may not have hit it yet: LLDB has to look at it.
  using ::wavelane::server::StoppedWaves;
  std::optional<std::vector<tid_t>> waves =
      stop_sp->Select(kMost, [&](const StoppedWaves &fold) {
        return fold.stop ||
               (fold.address &&
                GetBreakpointSiteList().FindByAddress(*fold.address));
      });
  if (!waves)
    return;
  llvm::append_range(*waves, llvm::ArrayRef(stop_sp->GetWaves()).take_front(2));
  if (m_selected != LLDB_INVALID_THREAD_ID)
    waves->push_back(m_selected);
  std::lock_guard<std::recursive_mutex> guard(m_thread_list.GetMutex());
  m_held_waves.ListFirst(std::move(*waves));
  if (m_held_waves.IsShort())
    m_thread_list.SetStopID(GetStopID()); // the list is right
}

void ProcessAMDGPU::DoubtFocus(ProcessLanes &lanes) {
  ReadStop();
  std::shared_ptr<const FoldedStop> stop_sp = GetFoldedStop();
  for (tid_t tid : lanes.GetThreads()) {
    // A wave that has ended would be looked for among all.
    if (stop_sp && !stop_sp->Find(tid))
      continue;
    // Held waves haven't run.
    ThreadSP thread_sp =
        m_held_waves.AreOthersHeld()
            ? m_thread_list.FindThreadByID(tid, /*can_update=*/false)
            : m_held_waves.Find(tid);
    if (thread_sp && thread_sp->GetTemporaryResumeState() != eStateSuspended)
      lanes.DoubtFocus(tid);
  }
}

void ProcessAMDGPU::ShowDestination(
    Thread &wave, const RecordingPosition::Destination &destination) {
  StopInfoSP info_sp = wave.GetPrivateStopInfo(/*calculate=*/false);
  if (info_sp->GetStopReason() != eStopReasonTrace)
    return; // the travel has ended before
  info_sp->SetDescription(destination.name.c_str());
  if (destination.lane)
    SetFocusLane(wave, *destination.lane);
}

void ProcessAMDGPU::RefreshStateAfterStop() {
  // What follows from a stop is decided by the lines that code really has.
  if (CurrentThreadIsPrivateStateThread())
    ExactLines::KeepInThread();
  if (m_user_halts.exchange(false) && IsNonStop())
    if (Status error = AskToHoldAll(); error.Fail())
      LLDB_LOG(GetLog(WavelaneLog::Waves), "can't hold the waves: {0}", error);
  if (m_held_waves.IsShort()) {
    std::lock_guard<std::recursive_mutex> guard(m_thread_list.GetMutex());
    if (IsStopOfLoneWave())
      m_thread_list.SetStopID(GetStopID()); // the list is right
    else
      m_held_waves.ListAll();
  } else if (!m_position.Travels()) {
    ListFirst();
  }
  m_lone_wave.DidStop();
  m_preparing_resume = false;
  m_facts.Clear();
  if (const auto crossed = m_position.DidStop())
    ReportCrossedActions(*this, crossed->first, crossed->second);
  if (std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(*this))
    DoubtFocus(*lanes);
  m_stop_lanes.Set(ReadStopLanes(*this, m_gdb_comm));
  std::optional<tid_t> stopped;
  if (m_last_stop_packet)
    stopped = FindStoppedThread(m_last_stop_packet->GetStringRef());
  ProcessGDBRemote::RefreshStateAfterStop();
  // LLDB makes that wave's reason of the reply, and asks for it no more: this
  // adds the record.
  const auto destination = m_position.TakeDestination();
  if (ThreadSP thread_sp =
          stopped ? GetThreadList().FindThreadByID(*stopped) : nullptr)
    if (thread_sp->GetPrivateStopInfo(/*calculate=*/false) && destination)
      ShowDestination(*thread_sp, *destination);
  DescribeStopLanes(*this, m_stop_lanes.GetAll());
  m_lone_wave.ShowEnd(
      *this, [this](tid_t tid) { return IsNonStop() && GetWaveInfo(tid); });
}

/// Of the watchpoints that an access has hit, the one that LLDB looks at: if
/// nothing has changed in that of a watchpoint for changes, it goes on.
static uint64_t ChooseWatched(Thread &wave, const protocol::Stop &stop) {
  const TargetSP target_sp = wave.CalculateTarget();
  const ExecutionContext context(wave.shared_from_this());
  for (const protocol::WatchedAccess &one : stop.AllWatched) {
    WatchpointSP wp_sp =
        target_sp->GetWatchpointList().FindByAddress(one.Watched);
    if (wp_sp &&
        (!wp_sp->WatchpointModify() || wp_sp->WatchedValueReportable(context)))
      return one.Watched;
  }
  return *stop.Watched;
}

/// What LLDB itself makes of a stop.
static void AddStopForLLDB(Thread &wave, const protocol::Stop &stop,
                           StructuredData::Dictionary &info) {
  info.AddIntegerItem("signal", uint64_t(stop.Signal));
  switch (stop.Kind) {
  case protocol::StopKind::Breakpoint:
    return info.AddStringItem("reason", "breakpoint");
  case protocol::StopKind::Trace:
    return info.AddStringItem("reason", "trace");
  case protocol::StopKind::Watchpoint:
    info.AddStringItem("reason", "watchpoint");
    if (stop.Watched)
      info.AddStringItem(
          "description",
          llvm::formatv("{0} 0 {0}", ChooseWatched(wave, stop)).str());
    return;
  default:
    return info.AddStringItem("reason", "signal");
  }
}

bool ProcessAMDGPU::SetStopInfoOf(WaveThread &wave) {
  std::shared_ptr<const FoldedStop> stop_sp = m_stops.Get(GetStopID());
  if (!stop_sp)
    return CalculateThreadStopInfo(&wave);
  const ::wavelane::server::StoppedWaves *fold =
      stop_sp->Find(wave.GetProtocolID());
  const protocol::Stop *stop = fold && fold->stop ? &*fold->stop : nullptr;
  const auto set = [&](StopInfoSP info_sp) {
    if (info_sp && stop)
      SetStopRecord(*info_sp, *stop);
    wave.SetStopInfo(info_sp);
    return true;
  };
  const auto set_exception = [&] {
    return set(StopInfo::CreateStopReasonWithException(
        wave, protocol::describe(*stop).c_str()));
  };
  if (!IsLiveDebugSession()) {
    const bool is_shown = stop && stop->Kind != protocol::StopKind::Trace &&
                          stop->Kind != protocol::StopKind::Interrupt;
    return is_shown ? set_exception() : set(StopInfoSP());
  }
  // Handle the reasons that many waves have at once; for others, LLDB searches
  // all threads.
  const auto leave_to_lldb = [&] {
    StructuredData::Dictionary info;
    info.AddIntegerItem("tid", wave.GetProtocolID());
    AddStopForLLDB(wave, *stop, info);
    const bool is_set = bool(SetThreadStopInfo(&info));
    if (StopInfoSP info_sp = wave.GetPrivateStopInfo(/*calculate=*/false))
      SetStopRecord(*info_sp, *stop);
    return is_set;
  };
  if (stop && (stop->Kind == protocol::StopKind::Watchpoint ||
               stop->Kind == protocol::StopKind::Interrupt))
    return leave_to_lldb();
  // A wave that hasn't run keeps its reason, or lack of one: a breakpoint at
  // its address isn't evaluated again.
  StopInfoSP current_sp = wave.GetPrivateStopInfo(/*calculate=*/false);
  if (m_position.Travels() && !stop) {
    // Everything has moved. A breakpoint at its address isn't hit yet.
    if (std::optional<addr_t> address = GetStopAddress(wave.GetProtocolID()))
      wave.SetThreadStoppedAtUnexecutedBP(*address);
    return set(StopInfoSP());
  }
  if (wave.GetTemporaryResumeState() == eStateSuspended &&
      (current_sp || !stop)) {
    wave.SetStopInfo(current_sp);
    return true;
  }
  if (stop && stop->Kind == protocol::StopKind::HistoryBoundary)
    return set(StopInfo::CreateStopReasonHistoryBoundary(
        wave, stop->Explanation.c_str()));
  if (stop && protocol::isException(stop->Kind))
    return set_exception();
  // A wave at a breakpoint gets that as its reason, even if it hasn't executed
  // it.
  std::optional<addr_t> address = GetStopAddress(wave.GetProtocolID());
  if (stop && !address)
    return leave_to_lldb();
  BreakpointSiteSP site_sp =
      address ? GetBreakpointSiteList().FindByAddress(*address) : nullptr;
  if (stop && stop->Kind == protocol::StopKind::Breakpoint && !site_sp)
    return leave_to_lldb();
  if (site_sp && site_sp->ValidForThisThread(wave))
    return set(
        StopInfo::CreateStopReasonWithBreakpointSiteID(wave, site_sp->GetID()));
  return set(stop && stop->Kind == protocol::StopKind::Trace
                 ? StopInfo::CreateStopReasonToTrace(wave)
                 : StopInfoSP());
}

std::optional<addr_t> ProcessAMDGPU::GetStopAddress(lldb::tid_t tid) {
  std::shared_ptr<const FoldedStop> stop_sp = m_stops.Get(GetStopID());
  const ::wavelane::server::StoppedWaves *stop =
      stop_sp ? stop_sp->Find(tid) : nullptr;
  return stop ? stop->address : std::nullopt;
}

bool ProcessAMDGPU::SetExitStatus(int exit_status, llvm::StringRef reason) {
  std::optional<ReportedEnd> programs;
  if (std::shared_ptr<HostCoupling> coupling_sp = GetCoupling())
    programs = coupling_sp->WillExit(*this);
  return programs
             ? ProcessGDBRemote::SetExitStatus(programs->status, programs->how)
             : ProcessGDBRemote::SetExitStatus(exit_status, reason);
}

void ProcessAMDGPU::DidExit() {
  m_held_waves.LetGo();
  ProcessGDBRemote::DidExit();
  if (std::shared_ptr<HostCoupling> coupling_sp = GetCoupling())
    coupling_sp->DidExit(*this);
}

bool ProcessAMDGPU::DestroyRequiresHalt() {
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  ProcessSP host_sp = coupling_sp ? coupling_sp->GetHost() : nullptr;
  return !host_sp || host_sp->DestroyRequiresHalt();
}

Status ProcessAMDGPU::WillDetach() {
  KeepFindings();
  return ProcessGDBRemote::WillDetach();
}

void ProcessAMDGPU::KeepFindings() {
  if (m_core || GetProcessAMDGPUProperties().GetChecks().empty())
    return;
  llvm::Expected<StructuredData::ObjectSP> answer =
      SendJSONPacket(::wavelane::server::packets::Make(
          ::wavelane::server::packets::Objects,
          llvm::json::Object{
              {"kind", ::wavelane::server::packets::objects::Finding}}));
  std::lock_guard<std::mutex> guard(m_findings_mutex);
  if (!answer)
    llvm::consumeError(answer.takeError());
  else if ((*answer)->GetAsArray())
    m_last_findings = std::static_pointer_cast<StructuredData::Array>(*answer);
}

void ProcessAMDGPU::HandleAsyncStructuredDataPacket(llvm::StringRef data) {
  StructuredData::ObjectSP object_sp =
      data.consume_front(::wavelane::server::packets::AsyncData)
          ? StructuredData::ParseJSON(data)
          : nullptr;
  StructuredData::Dictionary *object =
      object_sp ? object_sp->GetAsDictionary() : nullptr;
  llvm::StringRef type;
  StructuredData::ObjectSP findings_sp =
      object && object->GetValueForKeyAsString("type", type) &&
              type == ::wavelane::server::packets::LastFindings
          ? object->GetValueForKey("findings")
          : nullptr;
  std::lock_guard<std::mutex> guard(m_findings_mutex);
  if (findings_sp && findings_sp->GetAsArray())
    m_last_findings =
        std::static_pointer_cast<StructuredData::Array>(findings_sp);
}

StructuredData::ArraySP ProcessAMDGPU::GetLastFindings() const {
  std::lock_guard<std::mutex> guard(m_findings_mutex);
  return m_last_findings;
}

Status ProcessAMDGPU::DoDestroy() {
  KeepFindings();
  m_held_waves.LetGo();
  // A GPU can't be killed, only its program. If only this object goes away (a
  // deleted target), the program is left running.
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  if (coupling_sp && !m_finalizing)
    coupling_sp->KillHost();
  Finish(m_core ? "the core file is closed" : "the host program has ended");
  StopAsyncThread();
  return Status();
}

void ProcessAMDGPU::Finish(llvm::StringRef reason) {
  // No listener needs to know about a target that is being destroyed.
  const StateType state = GetPrivateState();
  if (state != eStateExited && state != eStateDetached && CalculateTarget())
    SetExitStatus(0, reason);
}

llvm::Expected<StructuredData::ObjectSP>
ProcessAMDGPU::SendJSONPacket(llvm::StringRef packet) {
  return wavelane::SendJSONPacket(m_gdb_comm, packet);
}

llvm::Expected<StructuredData::ObjectSP>
ProcessAMDGPU::SendWhileRunning(llvm::StringRef packet, bool &did_run) {
  did_run = StateIsRunningState(GetRealState());
  if (!did_run)
    return SendJSONPacket(packet);
  // The client resumes all of them behind the packet.
  if (!m_all_run)
    return llvm::createStringError(
        "only some of the waves run, and the others would go on with them: "
        "stop them with 'process interrupt' first");
  std::lock_guard<std::mutex> guard(m_sample_mutex);
  llvm::Expected<StructuredData::ObjectSP> answer =
      wavelane::SendJSONPacket(m_gdb_comm, packet, GetInterruptTimeout());
  // LLDB's other thread is about to resume the waves. It would lose an
  // interrupt that comes before: the connection isn't in use then.
  auto is_in_use = [this] { return !GDBRemoteClientBase::Lock(m_gdb_comm); };
  while (StateIsRunningState(GetRealState()) && !is_in_use())
    std::this_thread::yield();
  return answer;
}

Status ProcessAMDGPU::DoHalt(bool &caused_stop) {
  std::lock_guard<std::mutex> guard(m_sample_mutex);
  return ProcessGDBRemote::DoHalt(caused_stop);
}

void ProcessAMDGPU::ModulesDidLoad(ModuleList &module_list) {
  m_unwind_cache_sp->Clear();
  m_kernel_entries.ModulesChanged();
  ProcessGDBRemote::ModulesDidLoad(module_list);
}

//===-- Memory by address space -------------------------------------------===//

size_t ProcessAMDGPU::ReadAddressSpace(lldb::tid_t tid, uint32_t lane,
                                       uint64_t space, uint64_t address,
                                       void *buf, size_t size, Status &error) {
  std::shared_ptr<HostCoupling> coupling_sp = GetCoupling();
  ProcessSP host_sp = coupling_sp ? coupling_sp->GetHost() : nullptr;
  const ProcessModID host = host_sp ? host_sp->GetModID() : ProcessModID();
  // Don't use this process's memory ID, which also changes with the focus lane:
  // writes clear the cache.
  std::optional<SegmentCache::Version> version;
  if (!IsNonStop() && StateIsStoppedState(GetRealState(), /*must_exist=*/true))
    version = {GetStopID(), host.GetStopID(), host.GetMemoryID()};
  uint64_t lane_count = 0;
  if (space == eSpacePrivateLane)
    if (StructuredData::ObjectSP info_sp = GetWaveInfo(tid))
      if (StructuredData::Dictionary *info = info_sp->GetAsDictionary())
        info->GetValueForKeyAsInteger("lane_count", lane_count);
  const size_t done = m_memory.Read({tid, lane, space, address}, version,
                                    lane_count, buf, size, error);
  if (error.Fail() && space == eSpaceGeneric && m_position.IsInThePast() &&
      !m_position.IsRecorded(address))
    error = MakeNotRecorded(address);
  return done;
}

size_t ProcessAMDGPU::ReadNoted() {
  const std::set<NotedReads::Read> noted = m_reads.Take();
  size_t got = 0;
  for (const auto &[address, size] : noted)
    got += size;
  std::vector<uint8_t> buffer(got);
  std::vector<SegmentMemory::Piece> pieces;
  llvm::MutableArrayRef<uint8_t> left = buffer;
  for (const auto &[address, size] : noted) {
    pieces.push_back({address, left.take_front(size)});
    left = left.drop_front(size);
  }
  m_memory.ReadPieces(/*suffix=*/"", pieces);
  got = 0;
  for (const SegmentMemory::Piece &piece : pieces) {
    if (!piece.bytes.empty())
      m_memory_cache.AddL1CacheData(piece.address, piece.bytes.data(),
                                    piece.bytes.size());
    got += piece.bytes.size();
  }
  return got;
}

llvm::Expected<llvm::DenseMap<tid_t, EvaluatesInLanes::Answer>>
ProcessAMDGPU::EvaluateInLanes(Question question) {
  using namespace ::wavelane::protocol;
  EvaluateRequest request;
  request.Expression.Tree = std::move(question.expression);
  request.Threads.assign(question.threads.begin(), question.threads.end());
  request.Lanes = question.lanes;
  request.WantsValues = question.wants_values;
  auto waves = AskServer<std::vector<EvaluatedWave>>(
      m_gdb_comm, ::wavelane::server::packets::Evaluate, toJSON(request));
  if (!waves)
    return waves.takeError();
  llvm::DenseMap<tid_t, Answer> answers;
  for (const EvaluatedWave &wave : *waves) {
    Answer answer;
    answer.known = wave.Known;
    answer.holds = wave.True;
    const llvm::StringRef bits =
        wave.Bits ? llvm::StringRef(wave.Bits->Data) : "";
    for (size_t at = 0; at + sizeof(uint64_t) <= bits.size();
         at += sizeof(uint64_t))
      answer.values.push_back(
          llvm::support::endian::read64le(bits.data() + at));
    answers[wave.Thread] = std::move(answer);
  }
  return answers;
}

size_t ProcessAMDGPU::WriteAddressSpace(lldb::tid_t tid, uint32_t lane,
                                        uint64_t space, uint64_t address,
                                        const void *buf, size_t size,
                                        Status &error) {
  if (IsLiveDebugSession()) {
    error = PrepareWrite();
    if (error.Fail())
      return 0;
    return m_memory.Write({tid, lane, space, address}, buf, size, error);
  }
  error = Status::FromErrorString("memory of a core file can't be written");
  return 0;
}
