//===-- ProcessAMDGPU.cpp -------------------------------------------------===//

#include "ProcessAMDGPU.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Host/Socket.h"
#include "Support/Processor.h"
#include "Support/WavelaneLog.h"
#include "Unwind/AMDGPU/CallFrameSection.h"
#include "Progress/SlowProgress.h"
#include "Condition/ConditionCompiler.h"
#include "Coupling/GPUCoupling.h"
#include "MachineCode/AMDGPUMachineCode.h"
#include "DynamicLoader/AMDGPU/DynamicLoaderAMDGPU.h"
#include "Format/LaneText.h"
#include "Lane/ProcessLanes.h"
#include "MemoryRegions.h"
#include "Process/GPUHost/ProcessGPUHost.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "ServerEnvironment.h"
#include "ThreadAMDGPU.h"
#include "wavelane/CoreFile/CoreFile.h"
#include "wavelane/Server/Packets.h"

#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Breakpoint/WatchpointResource.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Host/ConnectionFileDescriptor.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Host/ProcessLaunchInfo.h"
#include "lldb/Interpreter/OptionValueProperties.h"
#include "lldb/Symbol/Symtab.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/ThreadPlan.h"
#include "lldb/Target/ThreadSpec.h"
#include "lldb/Utility/Log.h"
#include "lldb/Utility/State.h"
#include "lldb/Utility/StringExtractorGDBRemote.h"
#include "llvm/ADT/ScopeExit.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

//===-- Settings ----------------------------------------------------------===//

namespace {
enum Device { eDeviceAuto, eDeviceSimulated, eDeviceHardware };

constexpr OptionEnumValueElement g_devices[] = {
    {eDeviceAuto, "auto",
     "The hardware where there is one (/dev/kfd and AMD's debug library), else "
     "the simulated GPU."},
    {eDeviceSimulated, "simulated", "The simulated GPU."},
    {eDeviceHardware, "hardware", "The hardware; an error where there is none."},
};

enum StepUnit { eStepLane, eStepWave };

constexpr OptionEnumValueElement g_step_units[] = {
    {eStepLane, "lane",
     "A step goes on while the focus lane is inactive, until that lane has come to "
     "another line."},
    {eStepWave, "wave",
     "A step ends at the next line that the wave comes to, for whichever lanes."},
};

enum {
  ePropertyDevice,
  ePropertyLibrary,
  ePropertyHostCore,
  ePropertyCodeObjects,
  ePropertyStepUnit,
  ePropertyStopOnKernelEntry,
  ePropertyStopOnModuleLoad,
  ePropertyStopOnHipError,
  ePropertyStopOnMemoryViolation,
  ePropertyStopOnIllegalInstruction,
  ePropertyStopOnArithmeticException,
  ePropertyStopOnAbort,
  ePropertyStopOnTrap,
  ePropertyPreciseMemory,
  ePropertyPreciseAlu,
  ePropertyLocalRange
};

constexpr PropertyDefinition g_properties[] = {
    {"device", OptionValue::eTypeEnum, /*global=*/true, eDeviceAuto, nullptr,
     OptionEnumValues(g_devices),
     "The GPU that programs started from now on are debugged on."},
    {"library", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "The debug library (ROCdbgapi) to use, for both kinds of device. Where it "
     "isn't set, librocm-dbgapi is searched for hardware, and Wavelane's own is "
     "used for the simulated GPU."},
    {"host-core", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "The core file with the host's memory, for a GPU's core that is opened next. "
     "Where it isn't set, core.PID beside a gpucore.PID is taken."},
    {"code-objects", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "The folder in which GPU code objects of a core file are searched by their "
     "build ID, where they aren't where they were: as .build-id/xx/yyyy.debug, or "
     "under any name."},
    {"step-unit", OptionValue::eTypeEnum, /*global=*/true, eStepLane, nullptr,
     OptionEnumValues(g_step_units),
     "Whose steps 'next', 'step' and 'thread until' are: the focus lane's or the "
     "wave's."},
    {"stop-on-kernel-entry", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Stop where a kernel begins, at the first wave of each dispatch."},
    {"stop-on-module-load", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Stop the program when GPU code objects have been loaded or unloaded."},
    {"stop-on-hip-error", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Stop the program where a call of HIP fails. Breakpoints on __hipOnError, with "
     "conditions like '*(int *)$arg1 == 101', stop the same way."},
    {"stop-on-memory-violation", OptionValue::eTypeBoolean, /*global=*/true, true,
     nullptr, {},
     "Stop where a wave reads or writes what it may not, or memory fails. Where it "
     "doesn't stop, the program gets the exception as it does without a debugger."},
    {"stop-on-illegal-instruction", OptionValue::eTypeBoolean, /*global=*/true,
     true, nullptr, {}, "Stop where a wave comes to an illegal instruction."},
    {"stop-on-arithmetic-exception", OptionValue::eTypeBoolean, /*global=*/true,
     true, nullptr, {},
     "Stop where a wave raises an arithmetic exception that the kernel has "
     "enabled."},
    {"stop-on-abort", OptionValue::eTypeBoolean, /*global=*/true, true, nullptr,
     {}, "Stop where an assertion of a kernel fails, or where it aborts."},
    {"stop-on-trap", OptionValue::eTypeBoolean, /*global=*/true, true, nullptr,
     {}, "Stop where a wave comes to a trap of the program's."},
    {"precise-memory", OptionValue::eTypeBoolean, /*global=*/true, false, nullptr,
     {},
     "Of programs started from now on: memory faults and watchpoints stop a wave "
     "right after the instruction that caused them. It slows the GPU down."},
    {"precise-alu-exceptions", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Of programs started from now on: arithmetic exceptions stop a wave right "
     "after the instruction that caused them, on GPUs that can do so."},
    {"local-range-exceptions", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Of programs started from now on: a wave that reads or writes beyond its "
     "workgroup's local memory stops. Without, such reads give 0 and writes do "
     "nothing, as GPUs have it. Hardware can report them since gfx1250, the simulated "
     "GPU always."},
};
} // namespace

ProcessAMDGPUProperties::ProcessAMDGPUProperties() {
  m_collection_sp = std::make_shared<OptionValueProperties>(
      ProcessAMDGPU::GetPluginNameStatic());
  m_collection_sp->Initialize(g_properties);
}

llvm::StringRef ProcessAMDGPUProperties::GetDevice() const {
  return g_devices[GetPropertyAtIndexAs<Device>(ePropertyDevice, eDeviceAuto)]
      .string_value;
}

FileSpec ProcessAMDGPUProperties::GetLibrary() const {
  return GetPropertyAtIndexAs<FileSpec>(ePropertyLibrary, {});
}

FileSpec ProcessAMDGPUProperties::GetHostCore() const {
  return GetPropertyAtIndexAs<FileSpec>(ePropertyHostCore, {});
}

FileSpec ProcessAMDGPUProperties::GetCodeObjects() const {
  return GetPropertyAtIndexAs<FileSpec>(ePropertyCodeObjects, {});
}

bool ProcessAMDGPUProperties::StepsFollowLane() const {
  return GetPropertyAtIndexAs<StepUnit>(ePropertyStepUnit, eStepLane) ==
         eStepLane;
}

bool ProcessAMDGPUProperties::StopsOnKernelEntry() const {
  return GetPropertyAtIndexAs<bool>(ePropertyStopOnKernelEntry, false);
}

bool ProcessAMDGPUProperties::StopsOnModuleLoad() const {
  return GetPropertyAtIndexAs<bool>(ePropertyStopOnModuleLoad, false);
}

bool ProcessAMDGPUProperties::StopsOnHipError() const {
  return GetPropertyAtIndexAs<bool>(ePropertyStopOnHipError, false);
}

bool ProcessAMDGPUProperties::StopsOnException(
    llvm::StringRef description) const {
  namespace packets = ::wavelane::packets;
  static constexpr struct {
    llvm::StringLiteral text;
    uint32_t property;
  } g_exceptions[] = {
      {packets::MemoryViolation, ePropertyStopOnMemoryViolation},
      {packets::AddressError, ePropertyStopOnMemoryViolation},
      {packets::MemoryError, ePropertyStopOnMemoryViolation},
      {packets::IllegalInstruction, ePropertyStopOnIllegalInstruction},
      {packets::FloatingPointException, ePropertyStopOnArithmeticException},
      {packets::DivisionByZero, ePropertyStopOnArithmeticException},
      {packets::AssertionOrAbort, ePropertyStopOnAbort},
      {packets::FatalHalt, ePropertyStopOnAbort},
      {packets::DebugTrap, ePropertyStopOnTrap},
      {packets::Trap, ePropertyStopOnTrap},
  };
  for (const auto &exception : g_exceptions)
    if (description.starts_with(exception.text))
      return GetPropertyAtIndexAs<bool>(exception.property, true);
  return true;
}

std::string ProcessAMDGPUProperties::GetExceptions() const {
  std::string names;
  for (auto [property, name] : {std::pair(ePropertyPreciseMemory, "memory"),
                                std::pair(ePropertyPreciseAlu, "alu"),
                                std::pair(ePropertyLocalRange, "local-range")})
    if (GetPropertyAtIndexAs<bool>(property, false))
      names += (names.empty() ? "" : ",") + std::string(name);
  return names;
}

ProcessAMDGPUProperties &lldb_private::wavelane::GetProcessAMDGPUProperties() {
  static ProcessAMDGPUProperties properties;
  return properties;
}

//===-- The plugin --------------------------------------------------------===//

void ProcessAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Waves of AMD GPUs, hardware or simulated.",
                                CreateInstance, DebuggerInitialize);
}

void ProcessAMDGPU::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

void ProcessAMDGPU::DebuggerInitialize(Debugger &debugger) {
  if (!PluginManager::GetSettingForProcessPlugin(debugger,
                                                 GetPluginNameStatic()))
    PluginManager::CreateSettingForProcessPlugin(
        debugger, GetProcessAMDGPUProperties().GetValueProperties(),
        "Settings of GPU debugging.", /*is_global_property=*/true);
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
    : LaneProcess(target_sp, listener_sp), m_core_file(core_file) {
  // No code can be called on a GPU by LLDB: expressions are interpreted.
  SetCanJIT(false);
  SetCanRunCode(false);
}

ProcessAMDGPU::~ProcessAMDGPU() {
  // What Finalize calls are functions of this class.
  Finalize(/*destructing=*/true);
}

bool ProcessAMDGPU::CanDebug(TargetSP target_sp,
                             bool plugin_specified_by_name) {
  if (plugin_specified_by_name || !m_core_file)
    return plugin_specified_by_name;
  auto core = ::wavelane::corefile::CoreFile::Open(m_core_file.GetPath());
  if (core)
    return (*core)->IsGPUOnly();
  llvm::consumeError(core.takeError());
  // A damaged one has its reason told when it is opened.
  return m_core_file.GetFilename().GetStringRef().starts_with("gpucore.");
}

//===-- Core files --------------------------------------------------------===//

FileSpec ProcessAMDGPU::FindHostCore() {
  if (m_host_core)
    return m_host_core == m_core_file ? FileSpec() : m_host_core;
  if (FileSpec named = GetProcessAMDGPUProperties().GetHostCore())
    return named;
  // AMD's runtime writes gpucore.PID.
  llvm::StringRef name = m_core_file.GetFilename().GetStringRef();
  if (name.consume_front("gpu")) {
    FileSpec beside = m_core_file.CopyByRemovingLastPathComponent();
    beside.AppendPathComponent(name);
    if (FileSystem::Instance().Exists(beside))
      return beside;
  }
  return FileSpec();
}

Status ProcessAMDGPU::StartCoreServer() {
  ServerEnvironment environment;
  Args arguments;
  auto add = [&](const char *name, const FileSpec &file) {
    if (!file)
      return;
    FileSpec absolute(file);
    FileSystem::Instance().MakeAbsolute(absolute);
    arguments.AppendArgument(name + absolute.GetPath());
  };
  add(::wavelane::packets::CoreArgument, m_core_file);
  add(::wavelane::packets::HostCoreArgument, FindHostCore());
  add(::wavelane::packets::CodeObjectsArgument,
      GetProcessAMDGPUProperties().GetCodeObjects());

  llvm::Expected<Socket::Pair> sockets = Socket::CreatePair();
  if (!sockets)
    return Status::FromError(sockets.takeError());
  Status error;
  SharedSocket server_socket(sockets->first.get(), error);
  if (error.Fail())
    return error;
  int reason[2];
  if (::pipe(reason) != 0)
    return Status::FromErrno();
  auto close_reason = llvm::scope_exit([&] { ::close(reason[1]); });
  ::fcntl(reason[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(reason[0], F_SETFL, O_NONBLOCK);
  const std::shared_ptr<int> reason_sp(new int(reason[0]), [](int *fd) {
    ::close(*fd);
    delete fd;
  });
  arguments.AppendArgument(::wavelane::packets::ReasonArgument +
                           std::to_string(reason[1]));
  ProcessLaunchInfo info;
  FileSpec server = HostInfo::GetSupportExeDir();
  server.AppendPathComponent("lldb-server");
  info.SetExecutableFile(server, /*add_exe_file_as_first_arg=*/true);
  info.SetLaunchInSeparateProcessGroup(true);
  info.AppendDuplicateFileAction(reason[1], reason[1]);
  const std::weak_ptr<ProcessAMDGPU> this_wp =
      std::static_pointer_cast<ProcessAMDGPU>(shared_from_this());
  info.SetMonitorProcessCallback([this_wp, reason_sp](lldb::pid_t pid, int signo,
                                                      int status) {
    char buffer[4096];
    const ssize_t size = ::read(*reason_sp, buffer, sizeof(buffer));
    std::string text =
        size > 0 ? std::string(buffer, size_t(size))
        : signo  ? "lldb-server, or the debug library in it, has crashed"
                 : "lldb-server has ended";
    if (auto process_sp = this_wp.lock())
      process_sp->CoreServerEnded(pid, llvm::StringRef(text).trim());
  });
  error = m_gdb_comm.StartDebugserverProcess(server_socket.GetSendableFD(), info,
                                             &arguments);
  if (error.Fail())
    return error;
  m_debugserver_pid = info.GetProcessID();
  server_socket.CompleteSending(m_debugserver_pid);
  m_gdb_comm.SetConnection(
      std::make_unique<ConnectionFileDescriptor>(std::move(sockets->second)));
  return error;
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
      return Status::FromErrorStringWithFormat("%s is a core of a GPU alone: open it without %s, and the "
                    "host's core in a target of its own",
                    m_core_file.GetPath().c_str(),
                    program->GetFileSpec().GetPath().c_str());
  }
  GetTarget().SetPlatform(debugger.GetPlatformList().GetOrCreate(
      PlatformAMDGPU::GetPluginNameStatic()));
  GetTarget().SetArchitecture(ArchSpec("amdgcn-amd-amdhsa"),
                              /*set_platform=*/false, /*merge=*/false);

  SlowCall call(debugger, "Opening the GPU's state in a core file");
  Status error = StartCoreServer();
  if (error.Fail())
    return Status::FromErrorStringWithFormat("lldb-server can't be started: %s", error.AsCString());
  // It answers when the core is open; if it ends, so does the waiting.
  GDBRemoteCommunication::ScopedTimeout timeout(m_gdb_comm,
                                                std::chrono::minutes(10));
  error = DoConnectRemote(/*remote_url=*/"");
  if (error.Fail())
    return Status::FromErrorStringWithFormat("the debug library or lldb-server has failed on the core file "
                  "(%s)",
                  error.AsCString("no answer"));
  StringExtractorGDBRemote response;
  if (m_gdb_comm.SendPacketAndWaitForResponse(::wavelane::packets::CoreInfo,
                                              response) !=
      GDBRemoteCommunication::PacketResult::Success)
    return Status::FromErrorString("the debug library or lldb-server has failed on the core file");
  if (response.IsErrorResponse()) {
    KillDebugserverProcess();
    return response.GetStatus();
  }
  llvm::Expected<StructuredData::ObjectSP> answer =
      ParseJSONResponse(::wavelane::packets::CoreInfo, response);
  if (!answer)
    return Status::FromError(answer.takeError());
  StructuredData::Dictionary *info = (*answer)->GetAsDictionary();
  llvm::StringRef processor;
  if (info)
    info->GetValueForKeyAsString("processor", processor);
  GetTarget().SetArchitecture(
      PlatformAMDGPU::MakeArch("amdgcn-amd-amdhsa", processor),
      /*set_platform=*/false, /*merge=*/false);
  StructuredData::Array *warnings = nullptr;
  if (info && info->GetValueForKeyAsArray("warnings", warnings) && warnings)
    warnings->ForEach([&](StructuredData::Object *warning) {
      if (auto *text = warning->GetAsString())
        Debugger::ReportWarning(text->GetValue().str(), debugger.GetID());
      return true;
    });

  ArchSpec arch;
  DidAttach(arch);
  // Before the stop is looked at: frames want modules.
  GetDynamicLoader()->DidAttach();
  return Status();
}

llvm::Expected<bool> ProcessAMDGPU::SaveCore(llvm::StringRef outfile) {
  std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling();
  std::shared_ptr<ProcessGPUHost> host_sp =
      coupling_sp ? coupling_sp->GetHost() : nullptr;
  if (!host_sp)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        m_core_file ? "the waves are those of a core file already"
                    : "the host program is gone");
  return host_sp->SaveCore(outfile);
}

Status ProcessAMDGPU::DoGetMemoryRegionInfo(addr_t addr, MemoryRegionInfo &info) {
  std::optional<MemoryRegionInfo> region = DescribeMemory(*this, addr);
  if (!region)
    return ProcessGDBRemote::DoGetMemoryRegionInfo(addr, info);
  info = *region;
  return Status();
}

size_t ProcessAMDGPU::DoReadMemory(addr_t addr, void *buf, size_t size,
                                   Status &error) {
  if (IsInWindow(addr))
    return LaneProcess::DoReadMemory(addr, buf, size, error);
  const size_t done = ProcessGDBRemote::DoReadMemory(addr, buf, size, error);
  if (m_core_file && error.Fail() && IsAlive())
    error = Status::FromErrorStringWithFormat(
        "the core file has no memory at 0x%" PRIx64, addr);
  return done;
}

size_t ProcessAMDGPU::DoWriteMemory(addr_t addr, const void *buf, size_t size,
                                    Status &error) {
  if (IsInWindow(addr))
    return LaneProcess::DoWriteMemory(addr, buf, size, error);
  if (!m_core_file) {
    const size_t done = ProcessGDBRemote::DoWriteMemory(addr, buf, size, error);
    m_segments.Clear();
    return done;
  }
  error = Status::FromErrorString("memory of a core file can't be written");
  return 0;
}

Status ProcessAMDGPU::DoConnectRemote(llvm::StringRef remote_url) {
  // Apertures of generic addresses are served by the window.
  ProcessLanes::GetOrCreate(*this);
  return ProcessGDBRemote::DoConnectRemote(remote_url);
}

void ProcessAMDGPU::DidAttach(ArchSpec &process_arch) {
  // A triple doesn't hold the processor, and what the base class gathers from the
  // server are triples.
  const ArchSpec arch = GetTarget().GetArchitecture();
  ProcessGDBRemote::DidAttach(process_arch);
  if (arch.IsValid() && arch.GetMachine() == llvm::Triple::amdgcn) {
    process_arch = arch;
    GetTarget().SetArchitecture(arch, /*set_platform=*/false, /*merge=*/false);
  }
}

DynamicLoader *ProcessAMDGPU::GetDynamicLoader() {
  if (!m_dyld_up)
    m_dyld_up.reset(DynamicLoader::FindPlugin(
        this, DynamicLoaderAMDGPU::GetPluginNameStatic()));
  return m_dyld_up.get();
}

std::shared_ptr<process_gdb_remote::ThreadGDBRemote>
ProcessAMDGPU::CreateThread(lldb::tid_t tid) {
  return std::make_shared<ThreadAMDGPU>(*this, tid);
}

bool ProcessAMDGPU::DoUpdateThreadList(ThreadList &old_thread_list,
                                       ThreadList &new_thread_list) {
  // For LLDB an empty list is one that was never made: it would make it again
  // while it throws away what belonged to the last waves, without end.
  if (m_no_waves_at_stop == GetStopID())
    return false;
  if (m_thread_ids.empty() && !UpdateThreadIDList())
    return false;
  // LLDB searches the old list for each thread, and gives each its address.
  m_stops.SetAddresses(GetStopID(), m_thread_ids, m_thread_pcs);
  m_thread_pcs.clear();
  // At most stops they are those of the last one.
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
  for (auto &[tid, thread_sp] : old)
    m_thread_id_to_index_id_map.erase(tid);
  if (new_thread_list.GetSize(/*can_update=*/false) == 0)
    m_no_waves_at_stop = GetStopID();
  return true;
}

/// The suffix of packets about memory of an address space.
static std::string GetPlace(lldb::tid_t tid, uint32_t lane, uint64_t space) {
  return llvm::formatv(";address_space:{0:x-};lane:{1:x-};thread:{2:x-4};",
                       space, lane, tid)
      .str();
}

//===-- Running and stopping ----------------------------------------------===//

// For so long a wave runs alone, then the others run along.
static constexpr auto kAlone = std::chrono::seconds(1);

static int64_t Now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

Status ProcessAMDGPU::WillResume() {
  if (m_core_file)
    return Status::FromErrorString("the waves of a core file can't be run");
  if (std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling())
    coupling_sp->WillResume(*this);
  SetKernelEntryBreakpoints();
  if (!CurrentThreadIsPrivateStateThread())
    m_resumed_by_user = std::chrono::steady_clock::now();

  m_segments.Clear();
  std::vector<std::pair<ThreadAMDGPU *, bool>> waves; // and who wants to be alone
  bool alone = false, at_barrier = false;
  m_alone_wave = LLDB_INVALID_THREAD_ID;
  ThreadList &threads = GetThreadList();
  std::lock_guard<std::recursive_mutex> guard(threads.GetMutex());
  for (const ThreadSP &thread_sp : threads.Threads()) {
    auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
    if (!wave || wave->GetResumeState() == eStateSuspended)
      continue;
    waves.emplace_back(wave, wave->WantsToRunAlone());
    if (waves.back().second) {
      alone = true;
      m_alone_wave = wave->GetID();
      m_alone_name = wave->GetWaveName();
      at_barrier |= wave->StandsAtBarrier();
    }
  }
  // The waves that Thread::SetupForResume is called for next.
  for (auto [wave, wants_alone] : waves)
    if (!alone || wants_alone)
      wave->LeaveStepOverToServer();
  m_others_run_along =
      alone && (at_barrier || std::chrono::steady_clock::now() -
                                      m_resumed_by_user >
                                  kAlone);
  m_alone_since = alone && !m_others_run_along ? Now() : 0;
  m_preparing_resume = true;
  return ProcessGDBRemote::WillResume();
}

Status ProcessAMDGPU::DoResume(RunDirection direction) {
  m_preparing_resume = false;
  if (direction == eRunReverse)
    return Status::FromErrorString(
        "waves can't run backwards: nothing has been recorded");
  SendConditions();
  return ProcessGDBRemote::DoResume(direction);
}

static constexpr char kKernelEntry[] = "kernel entry";

void ProcessAMDGPU::SetKernelEntryBreakpoints() {
  Target &target = GetTarget();
  if (!GetProcessAMDGPUProperties().StopsOnKernelEntry()) {
    for (auto &[address, id] : m_kernel_entries)
      target.RemoveBreakpointByID(id);
    m_kernel_entries.clear();
    m_modules_changed = true;
    return;
  }
  if (!std::exchange(m_modules_changed, false))
    return;
  std::map<addr_t, break_id_t> entries;
  auto add = [&](Module &module, llvm::StringRef kernel) {
    SymbolContextList functions;
    module.FindSymbolsWithNameAndType(ConstString(kernel), eSymbolTypeCode,
                                      functions);
    for (const SymbolContext &function : functions) {
      const addr_t address = function.symbol->GetLoadAddress(&target);
      if (address == LLDB_INVALID_ADDRESS || entries.count(address))
        continue;
      auto known = m_kernel_entries.find(address);
      if (known != m_kernel_entries.end()) {
        entries.insert(*known);
        continue;
      }
      BreakpointSP breakpoint_sp = target.CreateBreakpoint(
          address, /*internal=*/true, /*request_hardware=*/false);
      if (!breakpoint_sp)
        continue;
      breakpoint_sp->SetBreakpointKind(kKernelEntry);
      entries[address] = breakpoint_sp->GetID();
    }
  };
  for (const ModuleSP &module_sp : target.GetImages().Modules()) {
    Symtab *symbols = module_sp->GetSymtab();
    // A kernel is what has a descriptor.
    for (size_t i = 0; symbols && i < symbols->GetNumSymbols(); ++i) {
      const Mangled &mangled = symbols->SymbolAtIndex(i)->GetMangled();
      llvm::StringRef name =
          mangled.GetName(Mangled::ePreferMangled).GetStringRef();
      if (name.consume_back(".kd"))
        add(*module_sp, name);
    }
  }
  for (auto &[address, id] : m_kernel_entries)
    if (!entries.count(address))
      target.RemoveBreakpointByID(id);
  m_kernel_entries = std::move(entries);
}

/// Whether the breakpoint is of the setting stop-on-kernel-entry.
static bool IsKernelEntry(BreakpointLocation &location) {
  const char *kind = location.GetBreakpoint().GetBreakpointKind();
  return kind && llvm::StringRef(kind) == kKernelEntry;
}

/// One of a site's owners as a condition for the server; nullopt where LLDB must
/// see every stop.
static std::optional<llvm::json::Object>
MakeCondition(BreakpointLocation &location) {
  const ThreadSpec *spec = location.GetOptionsSpecifyingKind(
      BreakpointOptions::eThreadSpec).GetThreadSpecNoCreate();
  std::optional<lldb::tid_t> tid;
  if (spec && spec->HasSpecification()) {
    if (spec->GetTID() != LLDB_INVALID_THREAD_ID)
      tid = spec->GetTID();
    else
      return std::nullopt;
  }
  llvm::json::Object object;
  if (IsKernelEntry(location)) {
    object["once_per_dispatch"] = true;
    return std::move(object);
  }
  if (const std::string text = location.GetCondition().GetText().str();
      !text.empty()) {
    llvm::Expected<llvm::json::Object> compiled =
        CompileCondition(text, location.GetAddress());
    if (!compiled) {
      LLDB_LOG_ERROR(GetLog(WavelaneLog::Breakpoints), compiled.takeError(),
                     "a condition is left to LLDB: {0}");
      return std::nullopt;
    }
    object = std::move(*compiled);
  } else if (!tid) {
    return std::nullopt;
  }
  if (tid)
    object["thread"] = *tid;
  return std::move(object);
}

void ProcessAMDGPU::SendConditions() {
  struct Wanted {
    std::string key;
    std::vector<BreakpointLocationSP> owners;
  };
  std::map<addr_t, Wanted> sites;
  GetBreakpointSiteList().ForEach([&](BreakpointSite *site) {
    Wanted wanted;
    BreakpointLocationCollection owners;
    const size_t count = site->CopyConstituentsList(owners);
    for (size_t i = 0; i < count; ++i) {
      wanted.owners.push_back(owners.GetByIndex(i));
      BreakpointLocation &location = *wanted.owners.back();
      std::string text = location.GetCondition().GetText().str();
      const ThreadSpec *spec = location.GetOptionsSpecifyingKind(
          BreakpointOptions::eThreadSpec).GetThreadSpecNoCreate();
      const bool is_for_thread =
          spec && spec->GetTID() != LLDB_INVALID_THREAD_ID;
      if (IsKernelEntry(location))
        text = kKernelEntry;
      if (text.empty() && !is_for_thread) {
        wanted.key.clear();
        break;
      }
      wanted.key += llvm::formatv("{0}|{1};", is_for_thread ? spec->GetTID() : 0,
                                  text);
    }
    // Most have none, and the server has been told nothing of them.
    if (!wanted.key.empty() ||
        m_sent_conditions.count(site->GetLoadAddress()))
      sites.emplace(site->GetLoadAddress(), std::move(wanted));
  });
  for (auto it = m_sent_conditions.begin(); it != m_sent_conditions.end();)
    it = sites.count(it->first) ? std::next(it) : m_sent_conditions.erase(it);
  for (auto &[address, wanted] : sites) {
    auto sent = m_sent_conditions.find(address);
    if (sent != m_sent_conditions.end() && sent->second == wanted.key)
      continue;
    llvm::json::Array conditions;
    if (wanted.key.empty())
      wanted.owners.clear();
    for (const BreakpointLocationSP &owner_sp : wanted.owners) {
      auto condition = MakeCondition(*owner_sp);
      if (!condition) {
        conditions.clear();
        break;
      }
      conditions.push_back(std::move(*condition));
    }
    m_sent_conditions[address] = wanted.key;
    llvm::json::Object packet{{"address", address},
                              {"any", std::move(conditions)}};
    StringExtractorGDBRemote response;
    StreamGDBRemote escaped;
    std::string text =
        llvm::formatv("jWavelaneConditions:{0}",
                      llvm::json::Value(std::move(packet)));
    escaped.PutEscapedBytes(text.data(), text.size());
    if (m_gdb_comm.SendPacketAndWaitForResponse(escaped.GetString(), response) !=
            GDBRemoteCommunication::PacketResult::Success ||
        !response.IsOKResponse())
      LLDB_LOG(GetLog(WavelaneLog::Breakpoints),
               "the server decides no conditions at {0:x}: {1}", address,
               response.GetStringRef());
  }
}

void ProcessAMDGPU::ReadStopLanes() {
  m_stop_lanes.clear();
  llvm::Expected<StructuredData::ObjectSP> answer =
      SendJSONPacket("jWavelaneObjects:{\"kind\":\"stop\"}");
  if (!answer) {
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                   "the lanes of a stop aren't known: {0}");
    return;
  }
  StructuredData::Array *waves = (*answer)->GetAsArray();
  for (size_t i = 0; waves && i < waves->GetSize(); ++i) {
    StructuredData::ObjectSP item_sp = waves->GetItemAtIndex(i);
    StructuredData::Dictionary *wave = item_sp->GetAsDictionary();
    uint64_t tid = 0, lanes = 0;
    if (!wave || !wave->GetValueForKeyAsInteger("thread", tid) ||
        !wave->GetValueForKeyAsInteger("lanes", lanes) || !lanes)
      continue;
    m_stop_lanes[tid] = lanes;
    ProcessLanes::GetOrCreate(*this)->SetFocus(*this, tid,
                                               llvm::countr_zero(lanes));
  }
}

size_t ProcessAMDGPU::GetThreadStatus(Stream &strm,
                                      bool only_threads_with_stop_reason,
                                      uint32_t start_frame, uint32_t num_frames,
                                      uint32_t num_frames_with_source,
                                      bool stop_format) {
  const size_t count = GetThreadList().GetSize();
  ThreadSP selected_sp = GetThreadList().GetSelectedThread();
  if (!only_threads_with_stop_reason || count < 2 || !selected_sp)
    return Process::GetThreadStatus(strm, only_threads_with_stop_reason,
                                    start_frame, num_frames,
                                    num_frames_with_source, stop_format);
  selected_sp->GetStatus(strm, start_frame, num_frames, num_frames_with_source,
                         stop_format, /*show_hidden=*/num_frames <= 1);
  strm.Format("  {0} more {1} stopped ('thread list' shows {2})\n", count - 1,
              count == 2 ? "wave is" : "waves are", count == 2 ? "it" : "them");
  return 1;
}

Status ProcessAMDGPU::ResumeAfterPause() {
  // Who resumed it may not have taken the event of that: then LLDB holds it to run,
  // which is right again now.
  m_public_run_lock.SetRunning();
  return PrivateResume();
}

bool ProcessAMDGPU::CheckLoneWave() {
  const int64_t since = m_alone_since;
  if (!since)
    return false;
  if (std::chrono::steady_clock::duration(Now() - since) < kAlone)
    return true;
  m_alone_since = 0;
  LLDB_LOG(GetLog(WavelaneLog::Waves),
           "a wave has run alone for long: the others run along");
  {
    ThreadList &threads = GetThreadList();
    std::lock_guard<std::recursive_mutex> guard(threads.GetMutex());
    for (const ThreadSP &thread_sp : threads.Threads())
      if (auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get()))
        if (wave->GetTemporaryResumeState() == eStateSuspended &&
            wave->GetResumeState() != eStateSuspended)
          wave->RunAlong();
  }
  // Who takes the connection from a running process has it go on with all its
  // threads afterwards.
  GDBRemoteClientBase::Lock lock(m_gdb_comm, std::chrono::seconds(5));
  return false;
}

Status ProcessAMDGPU::DisableBreakpointSite(BreakpointSite *bp_site) {
  // Taken out for a step: the server does without, see Packets.h, StepOver. One
  // that nobody wants any more goes: plans that were given up end here, too.
  if (m_preparing_resume && bp_site->IsEnabled() &&
      bp_site->GetNumberOfConstituents() != 0) {
    m_taken_out.insert(bp_site->GetLoadAddress());
    bp_site->SetEnabled(false);
    return Status();
  }
  if (m_taken_out.erase(bp_site->GetLoadAddress()))
    bp_site->SetEnabled(true);
  // The server forgets them with the breakpoint.
  m_sent_conditions.erase(bp_site->GetLoadAddress());
  return ProcessGDBRemote::DisableBreakpointSite(bp_site);
}

Status ProcessAMDGPU::EnableBreakpointSite(BreakpointSite *bp_site) {
  if (m_taken_out.erase(bp_site->GetLoadAddress())) {
    bp_site->SetEnabled(true);
    return Status();
  }
  // Line tables may lie, and half an instruction would be overwritten.
  if (!bp_site->IsInternal() && IsInsideInstruction(bp_site->GetLoadAddress()))
    return Status::FromErrorString("it is inside an instruction: the debug information there is "
                  "wrong, or isn't of this code");
  return ProcessGDBRemote::EnableBreakpointSite(bp_site);
}

bool ProcessAMDGPU::IsInsideInstruction(addr_t address) {
  Address resolved;
  constexpr addr_t MaxSize = 16 << 20;
  if (!GetTarget().ResolveLoadAddress(address, resolved))
    return false;
  Symbol *symbol = resolved.CalculateSymbolContextSymbol();
  if (!symbol || !symbol->ValueIsAddress())
    return false;
  const addr_t start = symbol->GetLoadAddress(&GetTarget());
  std::shared_ptr<AMDGPUMachineCode> code =
      AMDGPUMachineCode::Get(GetProcessorName(GetArchitectureAt(address)));
  if (!code || start > address || address - start > MaxSize)
    return false;
  // From the file where possible: memory may hold breakpoints.
  constexpr size_t MaxInstruction = 24;
  std::vector<uint8_t> bytes(address - start + MaxInstruction);
  Status error;
  bytes.resize(GetTarget().ReadMemory(symbol->GetAddressRef(), bytes.data(),
                                      bytes.size(), error,
                                      /*force_live=*/false));
  addr_t at = start;
  while (at < address && at - start < bytes.size()) {
    auto instruction = code->Decode(
        llvm::ArrayRef<uint8_t>(bytes).drop_front(at - start), at);
    if (!instruction)
      return false; // Between functions, or of a kind that LLVM doesn't know.
    at += instruction->size;
  }
  return at > address;
}

// LLDB would round what is watched to what it takes for the hardware's units, and
// neighbours would stop waves: the server knows better.
Status ProcessAMDGPU::EnableWatchpoint(WatchpointSP wp_sp, bool notify) {
  std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(*this);
  const addr_t key = wp_sp ? wp_sp->GetLoadAddress() : LLDB_INVALID_ADDRESS;
  if (!wp_sp || wp_sp->IsEnabled() || !wp_sp->GetByteSize())
    return ProcessGDBRemote::EnableWatchpoint(wp_sp, notify);
  const bool read = wp_sp->WatchpointRead();
  const bool write = wp_sp->WatchpointWrite() || wp_sp->WatchpointModify();
  std::string packet = llvm::formatv("Z{0},", read && write ? 4 : read ? 3 : 2);
  if (lanes && lanes->Contains(key)) {
    Status error;
    if (EntryAddress::Decode(key))
      return Status::FromErrorString(
          "it is in a register, and registers can't be watched");
    std::optional<ProcessLanes::SpacePlace> place =
        lanes->FindSpacePlace(*this, key, error);
    if (!place)
      return error;
    packet += llvm::formatv("{0:x-},{1:x-}{2}key:{3:x-};", place->offset,
                            wp_sp->GetByteSize(),
                            GetPlace(place->tid, place->lane, place->space), key);
  } else {
    packet += llvm::formatv("{0:x-},{1:x-}", key, wp_sp->GetByteSize());
  }
  Status error;
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
  return error;
}

void ProcessAMDGPU::DescribeStopLanes() {
  for (auto &[tid, lanes] : m_stop_lanes) {
    ThreadSP thread_sp = GetThreadList().FindThreadByID(tid);
    StopInfoSP info_sp = thread_sp ? thread_sp->GetStopInfo() : nullptr;
    if (!info_sp || info_sp->GetStopReason() != eStopReasonWatchpoint)
      continue;
    std::vector<uint32_t> numbers;
    for (uint32_t lane = 0; lane < 64; ++lane)
      if (lanes >> lane & 1)
        numbers.push_back(lane);
    info_sp->SetDescription(
        llvm::formatv("watchpoint {0}, {1}", info_sp->GetValue(), NameLanes(numbers))
            .str()
            .c_str());
  }
}

void ProcessAMDGPU::DidResume() {
  if (std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling())
    coupling_sp->DidResume(*this);
}

void ProcessAMDGPU::WillPublicStop() {
  // The base class asks for registers and name of every wave.
  if (std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling())
    coupling_sp->WillPublicStop(*this);
}

void ProcessAMDGPU::RefreshStateAfterStop() {
  m_alone_since = 0;
  m_preparing_resume = false;
  {
    std::lock_guard<std::mutex> guard(m_wave_info_mutex);
    m_wave_info.clear();
  }
  ReadStopLanes();
  ProcessGDBRemote::RefreshStateAfterStop();
  DescribeStopLanes();
  ShowEndOfSteppedWave();
}

bool ProcessAMDGPU::SetStopInfoOf(ThreadAMDGPU &wave) {
  if (!m_jstopinfo_sp)
    return CalculateThreadStopInfo(&wave);
  StructuredData::Dictionary *info =
      m_stops.FindReason(m_jstopinfo_sp, wave.GetProtocolID());
  llvm::StringRef name, reason, description;
  uint64_t signal = 0;
  if (info) {
    info->GetValueForKeyAsString("name", name);
    info->GetValueForKeyAsString("reason", reason);
    info->GetValueForKeyAsString("description", description);
    info->GetValueForKeyAsInteger("signal", signal);
  }
  if (!name.empty())
    wave.SetName(name.str().c_str());
  if (m_core_file) {
    wave.SetStopInfo(description.empty()
                         ? StopInfoSP()
                         : StopInfo::CreateStopReasonWithException(
                               wave, description.str().c_str()));
    return true;
  }
  // Those that many waves have at once; LLDB searches all for each of the others.
  const bool none = reason.empty() && !signal && description.empty();
  if (!none && reason != "breakpoint" && reason != "trace" &&
      reason != "exception")
    return bool(SetThreadStopInfo(info));
  // A wave that hasn't run keeps what it had, if only nothing: a breakpoint where it
  // stands isn't asked again.
  StopInfoSP current_sp = wave.GetPrivateStopInfo(/*calculate=*/false);
  if (wave.GetTemporaryResumeState() == eStateSuspended &&
      (current_sp || none)) {
    wave.SetStopInfo(current_sp);
    return true;
  }
  if (reason == "exception") {
    wave.SetStopInfo(StopInfo::CreateStopReasonWithException(
        wave, description.str().c_str()));
    return true;
  }
  // A wave that stands at a breakpoint has that as its reason, also when it hasn't
  // executed it.
  std::optional<addr_t> address = GetStopAddress(wave.GetProtocolID());
  if (!none && !address)
    return bool(SetThreadStopInfo(info));
  BreakpointSiteSP site_sp =
      address ? GetBreakpointSiteList().FindByAddress(*address) : nullptr;
  if (reason == "breakpoint" && !site_sp)
    return bool(SetThreadStopInfo(info));
  if (site_sp && site_sp->ValidForThisThread(wave))
    wave.SetStopInfo(
        StopInfo::CreateStopReasonWithBreakpointSiteID(wave, site_sp->GetID()));
  else
    wave.SetStopInfo(reason == "trace" ? StopInfo::CreateStopReasonToTrace(wave)
                                       : StopInfoSP());
  return true;
}

void ProcessAMDGPU::ReadOfAllWaves(
    llvm::StringRef kind,
    llvm::function_ref<void(StructuredData::Dictionary &,
                            llvm::ArrayRef<ThreadAMDGPU *>)>
        take) {
  llvm::Expected<StructuredData::ObjectSP> answer = SendJSONPacket(
      llvm::formatv("jWavelaneObjects:{{\"kind\":\"{0}\"}", kind).str());
  if (!answer) {
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                   "what all waves are isn't known: {0}");
    return;
  }
  llvm::DenseMap<lldb::tid_t, ThreadAMDGPU *> known;
  for (const ThreadSP &thread_sp : GetThreadList().Threads())
    if (auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get()))
      known[wave->GetProtocolID()] = wave;
  StructuredData::Array *objects = (*answer)->GetAsArray();
  for (size_t i = 0; objects && i < objects->GetSize(); ++i) {
    StructuredData::ObjectSP item_sp = objects->GetItemAtIndex(i);
    StructuredData::Dictionary *object = item_sp->GetAsDictionary();
    StructuredData::Array *threads = nullptr;
    if (!object || !object->GetValueForKeyAsArray("threads", threads))
      continue;
    std::vector<ThreadAMDGPU *> waves;
    for (size_t run = 0; run + 1 < threads->GetSize(); run += 2) {
      auto first = threads->GetItemAtIndexAsInteger<uint64_t>(run);
      auto count = threads->GetItemAtIndexAsInteger<uint64_t>(run + 1);
      // No more than there are, whatever the server says.
      for (uint64_t n = 0; first && count && n < *count && n < known.size(); ++n)
        waves.push_back(known.lookup(*first + n));
    }
    take(*object, waves);
  }
}

void ProcessAMDGPU::FindKernels() {
  ReadOfAllWaves("wave_kernel", [](StructuredData::Dictionary &object,
                                   llvm::ArrayRef<ThreadAMDGPU *> waves) {
    llvm::StringRef text;
    object.GetValueForKeyAsString("kernel", text);
    const ConstString kernel(text.empty() ? "wave" : text);
    for (ThreadAMDGPU *wave : waves)
      if (wave)
        wave->SetKernel(kernel);
  });
  // What hasn't been told isn't asked for again.
  for (const ThreadSP &thread_sp : GetThreadList().Threads())
    if (auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
        wave && !wave->HasKernel())
      wave->SetKernel(ConstString("wave"));
}

void ProcessAMDGPU::NameWaves(ThreadAMDGPU &wave) {
  constexpr unsigned kOneByOne = 4;
  {
    std::lock_guard<std::mutex> guard(m_wave_info_mutex);
    if (m_named.first != GetStopID())
      m_named = {GetStopID(), 0};
    ++m_named.second;
  }
  if (m_named.second != kOneByOne) {
    StructuredData::ObjectSP info_sp = GetWaveInfo(wave.GetProtocolID());
    StructuredData::Dictionary *info = info_sp ? info_sp->GetAsDictionary() : nullptr;
    llvm::StringRef name;
    if (info && info->GetValueForKeyAsString("name", name))
      wave.SetName(name.str().c_str());
    return;
  }
  ReadOfAllWaves("wave_name", [](StructuredData::Dictionary &object,
                                 llvm::ArrayRef<ThreadAMDGPU *> waves) {
    llvm::StringRef names;
    object.GetValueForKeyAsString("names", names);
    for (ThreadAMDGPU *wave : waves) {
      auto [name, rest] = names.split('\n');
      if (wave && !name.empty())
        wave->SetName(name.str().c_str());
      names = rest;
    }
  });
}

void ProcessAMDGPU::ShowEndOfSteppedWave() {
  if (m_alone_wave == LLDB_INVALID_THREAD_ID ||
      GetThreadList().FindThreadByID(m_alone_wave))
    return;
  m_alone_wave = LLDB_INVALID_THREAD_ID;
  const std::string text = "wave " + m_alone_name + " has ended";
  // The plan that was under way has gone with its wave, and nobody would stop for
  // it; the waves that were held would run on, past where they stand.
  ThreadAMDGPU *next = nullptr;
  for (const ThreadSP &thread_sp : GetThreadList().Threads()) {
    auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
    if (wave && wave->GetResumeState() != eStateSuspended) {
      next = wave;
      break;
    }
  }
  if (!next) {
    StreamSP stream_sp = GetTarget().GetDebugger().GetAsyncOutputStream();
    stream_sp->Printf("%s, and no other is there\n", text.c_str());
    stream_sp->Flush();
    return;
  }
  next->RunAlong();
  next->SetStopInfo(StopInfo::CreateStopReasonWithException(*next, text.c_str()));
}

bool ProcessAMDGPU::SetExitStatus(int exit_status, llvm::StringRef reason) {
  if (std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling())
    coupling_sp->WaitForHostsEnd();
  return ProcessGDBRemote::SetExitStatus(exit_status, reason);
}

void ProcessAMDGPU::DidExit() {
  ProcessGDBRemote::DidExit();
  if (std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling())
    coupling_sp->DidExit(*this);
}

Status ProcessAMDGPU::DoDetach(bool keep_stopped) {
  return ProcessGDBRemote::DoDetach(keep_stopped);
}

Status ProcessAMDGPU::DoDestroy() {
  // There is no killing a GPU: its program is killed. Where only this object
  // goes away (a deleted target), the program is left to run.
  std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling();
  if (coupling_sp && !m_finalizing)
    coupling_sp->KillHost();
  Finish(m_core_file ? "the core file is closed" : "the host program has ended");
  StopAsyncThread();
  return Status();
}

void ProcessAMDGPU::Finish(llvm::StringRef reason) {
  // A target that is being destroyed has nobody left to tell.
  const StateType state = GetPrivateState();
  if (state != eStateExited && state != eStateDetached && CalculateTarget())
    SetExitStatus(0, reason);
}

//===-- Packets -----------------------------------------------------------===//

llvm::Expected<StructuredData::ObjectSP>
lldb_private::wavelane::ParseJSONResponse(llvm::StringRef packet,
                            StringExtractorGDBRemote &response) {
  const llvm::StringRef name = packet.take_until(
      [](char c) { return c == ':' || c == '{'; });
  if (response.IsUnsupportedResponse())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the server doesn't know the packet %s",
                                   name.str().c_str());
  if (response.IsErrorResponse())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "the server refused %s: %s",
        name.str().c_str(), response.GetStatus().AsCString("unknown error"));
  StructuredData::ObjectSP result_sp =
      StructuredData::ParseJSON(response.GetStringRef());
  if (!result_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the server's answer to %s is no JSON",
                                   name.str().c_str());
  return result_sp;
}

llvm::Expected<StructuredData::ObjectSP>
ProcessAMDGPU::SendJSONPacket(llvm::StringRef packet) {
  // JSON may hold the characters that the protocol frames packets with.
  StreamGDBRemote escaped;
  escaped.PutEscapedBytes(packet.data(), packet.size());
  StringExtractorGDBRemote response;
  if (m_gdb_comm.SendPacketAndWaitForResponse(escaped.GetString(), response) !=
      GDBRemoteCommunication::PacketResult::Success)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "no answer from the server to %s",
        packet.take_until([](char c) { return c == ':'; }).str().c_str());
  return ParseJSONResponse(packet, response);
}

StructuredData::ObjectSP ProcessAMDGPU::GetWaveInfo(lldb::tid_t tid) {
  std::lock_guard<std::mutex> guard(m_wave_info_mutex);
  if (m_wave_info_stop_id != GetStopID()) {
    m_wave_info.clear();
    m_wave_info_stop_id = GetStopID();
  }
  auto found = m_wave_info.find(tid);
  if (found != m_wave_info.end())
    return found->second;
  llvm::Expected<StructuredData::ObjectSP> info = SendJSONPacket(
      llvm::formatv("jWavelaneWaveInfo:{{\"thread\":{0}}", tid).str());
  StructuredData::ObjectSP info_sp;
  if (info)
    info_sp = *info;
  else
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), info.takeError(),
                   "no information on a wave: {0}");
  m_wave_info[tid] = info_sp;
  return info_sp;
}

void ProcessAMDGPU::ModulesDidLoad(ModuleList &module_list) {
  {
    std::lock_guard<std::mutex> guard(m_functions_mutex);
    m_functions.clear();
    m_call_frames.clear();
  }
  m_modules_changed = true;
  ProcessGDBRemote::ModulesDidLoad(module_list);
}

ArchSpec ProcessAMDGPU::GetArchitectureAt(addr_t address) {
  Address resolved;
  if (GetTarget().ResolveLoadAddress(address, resolved))
    if (ModuleSP module_sp = resolved.GetModule())
      if (module_sp->GetArchitecture().GetMachine() == llvm::Triple::amdgcn)
        return module_sp->GetArchitecture();
  return GetTarget().GetArchitecture();
}

std::shared_ptr<FunctionUnwind>
ProcessAMDGPU::GetFunctionUnwind(addr_t start, addr_t end) {
  std::lock_guard<std::mutex> guard(m_functions_mutex);
  auto found = m_functions.find(start);
  if (found != m_functions.end() && found->second.first >= end)
    return found->second.second;
  std::shared_ptr<FunctionUnwind> result;
  std::shared_ptr<AMDGPUMachineCode> code =
      AMDGPUMachineCode::Get(GetProcessorName(GetArchitectureAt(start)));
  std::vector<uint8_t> bytes(end > start ? end - start : 0);
  Status error;
  Address address;
  // From the file where possible: memory may hold breakpoints.
  if (code && !bytes.empty() && GetTarget().ResolveLoadAddress(start, address))
    if (const size_t size = GetTarget().ReadMemory(
            address, bytes.data(), bytes.size(), error, /*force_live=*/false))
      result = std::make_shared<FunctionUnwind>(
          *code, start, llvm::ArrayRef<uint8_t>(bytes.data(), size));
  m_functions[start] = {end, result};
  return result;
}

std::shared_ptr<CallFrameSection>
ProcessAMDGPU::GetCallFrameSection(const ModuleSP &module_sp) {
  std::lock_guard<std::mutex> guard(m_functions_mutex);
  auto [it, is_new] = m_call_frames.try_emplace(module_sp);
  if (is_new && module_sp)
    it->second = CallFrameSection::Create(*module_sp);
  return it->second;
}

//===-- Memory by address space -------------------------------------------===//

// The server answers one packet with so much at most.
static constexpr size_t kMaxTransfer = 4096;

size_t ProcessAMDGPU::ReadAddressSpace(lldb::tid_t tid, uint32_t lane,
                                       uint64_t space, uint64_t address,
                                       void *buf, size_t size, Status &error) {
  error.Clear();
  std::shared_ptr<GPUCoupling> coupling_sp = GetCoupling();
  std::shared_ptr<ProcessGPUHost> host_sp =
      coupling_sp ? coupling_sp->GetHost() : nullptr;
  const ProcessModID host = host_sp ? host_sp->GetModID() : ProcessModID();
  // Not this process's memory id, which a change of lane raises, too: what writes
  // clears.
  const SegmentCache::Version version = {GetStopID(), host.GetStopID(),
                                         host.GetMemoryID()};
  uint64_t lane_count = 0;
  if (space == eSpacePrivateLane)
    if (StructuredData::ObjectSP info_sp = GetWaveInfo(tid))
      if (StructuredData::Dictionary *info = info_sp->GetAsDictionary())
        info->GetValueForKeyAsInteger("lane_count", lane_count);
  if (StateIsStoppedState(GetRealState(), /*must_exist=*/true) &&
      m_segments.Read(version, tid, lane, lane_count, space, address, buf, size,
                      [&](uint64_t space, uint64_t address, void *buf, size_t size) {
                        Status unused;
                        return ReadSegment(tid, /*lane=*/0, space, address, buf,
                                           size, unused);
                      }))
    return size;
  return ReadSegment(tid, lane, space, address, buf, size, error);
}

size_t ProcessAMDGPU::ReadSegment(lldb::tid_t tid, uint32_t lane, uint64_t space,
                                  uint64_t address, void *buf, size_t size,
                                  Status &error) {
  error.Clear();
  size_t done = 0;
  while (done < size) {
    const size_t wanted = std::min(size - done, kMaxTransfer);
    const std::string packet =
        llvm::formatv("m{0:x-},{1:x-}{2}", address + done, wanted,
                      GetPlace(tid, lane, space))
            .str();
    StringExtractorGDBRemote response;
    if (m_gdb_comm.SendPacketAndWaitForResponse(packet, response) !=
            GDBRemoteCommunication::PacketResult::Success ||
        !response.IsNormalResponse()) {
      error = Status::FromErrorStringWithFormat(
          "no memory at 0x%" PRIx64 " of address space %" PRIu64,
          address + done, space);
      break;
    }
    const size_t got = response.GetHexBytes(
        llvm::MutableArrayRef<uint8_t>(static_cast<uint8_t *>(buf) + done,
                                       wanted),
        '\0');
    const size_t sent = response.GetStringRef().size() / 2;
    done += std::min(got, sent);
    if (std::min(got, sent) < wanted) {
      error = Status::FromErrorStringWithFormat(
          "no memory at 0x%" PRIx64 " of address space %" PRIu64,
          address + done, space);
      break;
    }
  }
  return done;
}

size_t ProcessAMDGPU::WriteAddressSpace(lldb::tid_t tid, uint32_t lane,
                                        uint64_t space, uint64_t address,
                                        const void *buf, size_t size,
                                        Status &error) {
  error.Clear();
  m_segments.Clear();
  size_t done = 0;
  if (m_core_file) {
    error = Status::FromErrorString("memory of a core file can't be written");
    return done;
  }
  while (done < size) {
    const size_t wanted = std::min(size - done, kMaxTransfer);
    llvm::ArrayRef<uint8_t> bytes(static_cast<const uint8_t *>(buf) + done,
                                  wanted);
    const std::string packet =
        llvm::formatv("M{0:x-},{1:x-}:{2}{3}", address + done, wanted,
                      llvm::toHex(bytes, /*LowerCase=*/true),
                      GetPlace(tid, lane, space))
            .str();
    StringExtractorGDBRemote response;
    if (m_gdb_comm.SendPacketAndWaitForResponse(packet, response) !=
            GDBRemoteCommunication::PacketResult::Success ||
        !response.IsOKResponse()) {
      error = Status::FromErrorStringWithFormat(
          "can't write memory at 0x%" PRIx64 " of address space %" PRIu64,
          address + done, space);
      break;
    }
    done += wanted;
  }
  m_segments.Clear();
  return done;
}
