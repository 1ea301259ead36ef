//===-- GPUCoupling.cpp ---------------------------------------------------===//

#include "GPUCoupling.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Event.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "lldb/Utility/State.h"
#include "llvm/ADT/ScopeExit.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// The name says to LLDB that the listener isn't a user of the process: see
// Process::StateChangedIsExternallyHijacked.
static constexpr const char *kListenerName = "lldb.internal.wavelane.coupling";
static constexpr uint32_t kWakeBit = 1;

// How long one halt may take before it is asked for again, and how often.
static constexpr auto kHaltPatience = std::chrono::seconds(2);
static constexpr int kHaltTries = 10;

//===-- All couplings -----------------------------------------------------===//

// Neither is destroyed: threads may outlive the end of main.
static std::mutex &GetRegistryMutex() {
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}

static std::vector<std::shared_ptr<GPUCoupling>> &GetRegistry() {
  static auto &registry = *new std::vector<std::shared_ptr<GPUCoupling>>;
  return registry;
}

std::shared_ptr<GPUCoupling> GPUCoupling::GetOrCreate(Target &host_target) {
  if (std::shared_ptr<GPUCoupling> coupling_sp = Find(host_target))
    return coupling_sp;
  std::lock_guard<std::mutex> guard(GetRegistryMutex());
  auto coupling_sp = std::make_shared<GPUCoupling>(host_target);
  GetRegistry().push_back(coupling_sp);
  return coupling_sp;
}

std::shared_ptr<GPUCoupling> GPUCoupling::Find(Target &target) {
  std::vector<std::shared_ptr<GPUCoupling>> gone;
  std::lock_guard<std::mutex> guard(GetRegistryMutex());
  for (auto it = GetRegistry().begin(); it != GetRegistry().end();) {
    TargetSP host_sp = (*it)->GetHostTarget();
    if (!host_sp || !host_sp->IsValid()) {
      gone.push_back(*it);
      it = GetRegistry().erase(it);
      continue;
    }
    if (host_sp.get() == &target || (*it)->GetGPUTarget().get() == &target)
      return *it;
    ++it;
  }
  return nullptr;
}

void GPUCoupling::Clear(Debugger *debugger) {
  std::vector<std::shared_ptr<GPUCoupling>> gone;
  {
    std::lock_guard<std::mutex> guard(GetRegistryMutex());
    for (auto it = GetRegistry().begin(); it != GetRegistry().end();) {
      TargetSP host_sp = (*it)->GetHostTarget();
      if (!host_sp || !debugger || &host_sp->GetDebugger() == debugger) {
        gone.push_back(*it);
        it = GetRegistry().erase(it);
      } else {
        ++it;
      }
    }
  }
  for (auto &coupling_sp : gone)
    coupling_sp->Stop();
}

GPUCoupling::GPUCoupling(Target &host_target)
    : m_host_wp(host_target.shared_from_this()),
      m_listener_sp(Listener::MakeListener(kListenerName)),
      m_wake(nullptr, "wavelane.coupling.wake") {
  m_listener_sp->StartListeningForEvents(&m_wake, kWakeBit);
}

GPUCoupling::~GPUCoupling() { Stop(); }

ProcessSP GPUCoupling::GetHost() const {
  TargetSP target_sp = GetHostTarget();
  ProcessSP process_sp = target_sp ? target_sp->GetProcessSP() : nullptr;
  return process_sp && process_sp->IsLiveDebugSession() ? process_sp : nullptr;
}

std::shared_ptr<ProcessAMDGPU> GPUCoupling::GetGPU() const {
  TargetSP target_sp = GetGPUTarget();
  return target_sp ? std::dynamic_pointer_cast<ProcessAMDGPU>(
                         target_sp->GetProcessSP())
                   : nullptr;
}

GPUCoupling::Side GPUCoupling::GetSide(const Process &process) const {
  if (GetGPU().get() == &process)
    return Side::GPU;
  if (GetHost().get() == &process)
    return Side::Host;
  return Side::None;
}

ProcessSP GPUCoupling::GetProcess(Side side) const {
  switch (side) {
  case Side::Host:
    return GetHost();
  case Side::GPU:
    return GetGPU();
  case Side::None:
    break;
  }
  return nullptr;
}

//===-- The thread that reads the follower's events -----------------------===//

void GPUCoupling::Start() {
  if (!m_thread.joinable())
    m_thread = std::thread([this] { Run(); });
}

void GPUCoupling::Stop() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_exit = true;
  }
  Wake();
  m_changed.notify_all();
  if (!m_thread.joinable())
    return;
  if (m_thread.get_id() == std::this_thread::get_id())
    m_thread.detach();
  else
    m_thread.join();
}

void GPUCoupling::Wake() { m_wake.BroadcastEvent(kWakeBit); }

void GPUCoupling::Run() {
  while (true) {
    Timeout<std::micro> timeout(std::nullopt);
    Side wanted_stop;
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (m_exit)
        return;
      wanted_stop = m_wanted_stop;
      if (wanted_stop != Side::None || m_host_gone)
        timeout = std::chrono::seconds(1);
    }
    if (std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU())
      if (gpu_sp->CheckLoneWave())
        timeout = std::chrono::milliseconds(500);
    EventSP event_sp;
    const bool got = m_listener_sp->GetEvent(event_sp, timeout);
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (m_exit)
        return;
    }
    if (got && event_sp && !event_sp->BroadcasterIs(&m_wake)) {
      HandleEvent(event_sp);
      continue;
    }
    if (got)
      continue;

    // Nothing came for a second.
    bool host_gone;
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      host_gone = m_host_gone;
      m_host_gone = false;
      // It may have stopped meanwhile, and run again by the user's wish.
      if (m_wanted_stop != wanted_stop)
        wanted_stop = Side::None;
    }
    if (host_gone)
      FinishGPU("the host program has ended");
    // LLDB drops an interrupt that comes while a process is between two runs.
    if (wanted_stop != Side::None)
      if (ProcessSP process_sp = GetProcess(wanted_stop))
        if (StateIsRunningState(process_sp->GetState()))
          process_sp->SendAsyncInterrupt();
  }
}

namespace {
/// Keeps a script's next call from changing a breakpoint while it is being read. A
/// script that waits in a call for the program to stop holds the mutex for as long: then
/// nobody changes anything, and this goes on without it.
class ShortLock {
public:
  explicit ShortLock(std::recursive_mutex &mutex)
      : m_lock(mutex, std::try_to_lock) {
    for (int tries = 0; !m_lock.owns_lock() && tries < 3; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      (void)m_lock.try_lock();
    }
  }

private:
  std::unique_lock<std::recursive_mutex> m_lock;
};
} // namespace

void GPUCoupling::HandleEvent(const EventSP &event_sp) {
  if (Breakpoint::BreakpointEventData::GetEventDataFromEvent(event_sp.get())) {
    // The user may see both lists before anything runs.
    TargetSP host_sp = GetHostTarget(), gpu_sp = GetGPUTarget();
    if (host_sp && gpu_sp) {
      ShortLock host_lock(host_sp->GetAPIMutex());
      ShortLock gpu_lock(gpu_sp->GetAPIMutex());
      m_mirror.Synchronize(*host_sp, *gpu_sp);
    }
    return;
  }
  if (event_sp->GetType() != Process::eBroadcastBitStateChanged)
    return;
  ProcessSP process_sp =
      Process::ProcessEventData::GetProcessFromEvent(event_sp.get());
  if (!process_sp)
    return;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_pausing && GetSide(*process_sp) == Side::GPU) {
      const StateType state =
          Process::ProcessEventData::GetStateFromEvent(event_sp.get());
      const bool restarted =
          Process::ProcessEventData::GetRestartedFromEvent(event_sp.get());
      if (StateIsRunningState(state))
        m_pause_running = true;
      else if (!restarted)
        m_pause_stopped_sp = event_sp;
      m_changed.notify_all();
      return;
    }
  }
  switch (Process::ProcessEventData::GetStateFromEvent(event_sp.get())) {
  case eStateStopped:
  case eStateCrashed:
  case eStateSuspended:
    if (!Process::ProcessEventData::GetRestartedFromEvent(event_sp.get())) {
      FollowerStopped(process_sp, event_sp);
    } else {
      // A GPU that was found stopped for nothing and runs on.
      std::lock_guard<std::mutex> guard(m_mutex);
      m_connecting = false;
      m_changed.notify_all();
    }
    break;
  case eStateExited:
  case eStateDetached:
  case eStateUnloaded:
    FollowerEnded(process_sp, event_sp);
    break;
  default:
    break;
  }
}

void GPUCoupling::EndFollowing(std::unique_lock<std::mutex> &lock) {
  ProcessSP process_sp = GetProcess(m_follower);
  m_follower = Side::None;
  m_halting = false;
  if (process_sp)
    process_sp->RestoreProcessEvents();
  lock.unlock();
  m_changed.notify_all();
}

static bool HasReason(Process &process) {
  for (const ThreadSP &thread_sp : process.GetThreadList().Threads()) {
    switch (thread_sp->GetStopReason()) {
    case eStopReasonInvalid:
    case eStopReasonNone:
    case eStopReasonSignal:
      break;
    default:
      return true;
    }
  }
  return false;
}

/// LLDB takes an interrupted stop as it is. Where the interrupt met a breakpoint,
/// its condition has not been asked, and the wave would go on past it for good. So
/// the stop is looked at again, as one without an interrupt.
/// \return Whether the process runs again: no condition held.
static bool RunsOnAfterAll(const ProcessSP &process_sp, const EventSP &event_sp) {
  if (!Process::ProcessEventData::GetInterruptedFromEvent(event_sp.get()))
    return false;
  bool at_breakpoint = false;
  for (const ThreadSP &thread_sp : process_sp->GetThreadList().Threads())
    at_breakpoint |= thread_sp->GetStopReason() == eStopReasonBreakpoint;
  if (!at_breakpoint)
    return false;
  Broadcaster broadcaster(nullptr, "wavelane.coupling.again");
  ListenerSP listener_sp = Listener::MakeListener("wavelane.coupling.again");
  listener_sp->StartListeningForEvents(&broadcaster,
                                       Process::eBroadcastBitStateChanged);
  EventSP again_sp = std::make_shared<Event>(
      Process::eBroadcastBitStateChanged,
      new Process::ProcessEventData(process_sp, eStateStopped));
  Process::ProcessEventData::SetUpdateStateOnRemoval(again_sp.get());
  broadcaster.BroadcastEvent(again_sp);
  EventSP taken_sp;
  return listener_sp->GetEvent(taken_sp, std::chrono::seconds(0)) && taken_sp &&
         Process::ProcessEventData::GetRestartedFromEvent(taken_sp.get());
}

void GPUCoupling::FollowerStopped(const ProcessSP &process_sp,
                                  const EventSP &event_sp) {
  std::unique_lock<std::mutex> lock(m_mutex);
  if (m_connecting) {
    m_connecting = false;
    lock.unlock();
    m_changed.notify_all();
    return;
  }
  const Side side = m_follower;
  if (side == Side::None || GetProcess(side) != process_sp)
    return;
  if (m_halting) {
    lock.unlock();
    if (RunsOnAfterAll(process_sp, event_sp)) {
      process_sp->SendAsyncInterrupt();
      return;
    }
    lock.lock();
    m_showing = true;
    auto shown = llvm::scope_exit([this] { Shown(); });
    EndFollowing(lock);
    // The halt may have met a stop of its own, which the user must see.
    if (HasReason(*process_sp))
      Show(*process_sp, event_sp);
    return;
  }

  const Side leader = side == Side::GPU ? Side::Host : Side::GPU;
  m_wanted_stop = leader;
  m_showing = true;
  auto shown = llvm::scope_exit([this] { Shown(); });
  TargetSP target_sp = process_sp->CalculateTarget();
  EndFollowing(lock);
  if (target_sp->RunStopHooks())
    return;
  // An interrupt that went to this side is not about it: what the user looks at
  // stays.
  if (!Process::ProcessEventData::GetInterruptedFromEvent(event_sp.get()) ||
      HasReason(*process_sp)) {
    target_sp->GetDebugger().GetTargetList().SetSelectedTarget(target_sp);
    Show(*process_sp, event_sp);
  }
  if (ProcessSP leader_sp = GetProcess(leader))
    leader_sp->SendAsyncInterrupt();
}

void GPUCoupling::Shown() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_showing = false;
  }
  m_changed.notify_all();
}

void GPUCoupling::FollowerEnded(const ProcessSP &process_sp,
                                const EventSP &event_sp) {
  std::unique_lock<std::mutex> lock(m_mutex);
  const Side side = m_follower;
  if (m_connecting) {
    m_connecting = false;
    lock.unlock();
    m_changed.notify_all();
    return;
  }
  if (side == Side::None || GetProcess(side) != process_sp)
    return;
  m_wanted_stop = Side::None;
  EndFollowing(lock);
  if (side == Side::Host) {
    TargetSP target_sp = process_sp->CalculateTarget();
    target_sp->GetDebugger().GetTargetList().SetSelectedTarget(target_sp);
    FlushOutput(*process_sp);
    Show(*process_sp, event_sp);
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      m_host_gone = true;
      m_host_end_shown = true;
    }
    m_changed.notify_all();
    return;
  }
  // The GPU goes with its program, which tells of its end itself. Alone it goes
  // only when its device or its server has died.
  ProcessSP host_sp = GetHost();
  if (process_sp->GetExitStatus() != 0 && host_sp && host_sp->IsAlive())
    Show(*process_sp, event_sp);
}

void GPUCoupling::Show(Process &process, const EventSP &event_sp) {
  Debugger &debugger = process.GetTarget().GetDebugger();
  if (debugger.GetAsyncExecution()) {
    // Whoever listens to the process gets the event, as having been acted upon.
    Process::ProcessEventData::SetUpdateStateOnRemoval(event_sp.get());
    EventSP again_sp = event_sp;
    process.BroadcastEvent(again_sp);
    return;
  }
  // In synchronous mode nobody listens; the command that waits for the leader
  // shows only the leader's stop.
  StreamSP stream_sp;
  if (debugger.IsHandlingEvents())
    stream_sp = debugger.GetAsyncOutputStream();
  bool pop_process_io_handler = true;
  Process::HandleProcessStateChangedEvent(event_sp, stream_sp.get(),
                                          SelectMostRelevantFrame,
                                          pop_process_io_handler);
  if (stream_sp)
    stream_sp->Flush();
}

void GPUCoupling::FlushOutput(Process &process) {
  Debugger &debugger = process.GetTarget().GetDebugger();
  if (!debugger.IsHandlingEvents())
    return;
  StreamSP stream_sp = debugger.GetAsyncOutputStream();
  char buffer[1024];
  Status error;
  while (size_t size = process.GetSTDOUT(buffer, sizeof(buffer), error))
    stream_sp->Write(buffer, size);
  stream_sp->Flush();
}

//===-- What the processes tell -------------------------------------------===//

void GPUCoupling::WillResume(Process &process) {
  if (process.GetModID().IsRunningExpression())
    return;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_stopped_early = Side::None;
  }
  TargetSP host_sp = GetHostTarget(), gpu_sp = GetGPUTarget();
  if (host_sp && gpu_sp && !process.CurrentThreadIsPrivateStateThread())
    m_mirror.Synchronize(*host_sp, *gpu_sp);
}

/// Whether a user, not LLDB itself, lets the process run: LLDB takes the public
/// run lock for the user only.
static bool IsResumedByUser(Process &process) {
  if (process.CurrentThreadIsPrivateStateThread())
    return false;
  ProcessRunLock &run_lock = process.GetRunLock();
  if (!run_lock.ReadTryLock())
    return true;
  run_lock.ReadUnlock();
  return false;
}

void GPUCoupling::DidResume(Process &process) {
  if (process.GetModID().IsRunningExpression())
    return;
  const Side side = GetSide(process);
  if (side == Side::GPU)
    Wake(); // It may be a wave alone, which is watched.
  const Side other = side == Side::Host ? Side::GPU : Side::Host;
  ProcessSP other_sp = GetProcess(other);
  if (side == Side::None || !other_sp || !other_sp->IsAlive())
    return;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_follower != Side::None || m_exit ||
        m_resuming == std::this_thread::get_id())
      return; // The other one runs already, or this is the follower.
    if (m_stopped_early == side)
      return; // Nothing would stop the other one.
    if (IsResumedByUser(process)) {
      m_wanted_stop = Side::None;
    } else if (m_wanted_stop == side) {
      // A stop that turned out to be none, while this side was to stop for the
      // other's.
      process.SendAsyncInterrupt();
      return;
    } else if (!m_other_runs_along) {
      return;
    }
    m_other_runs_along = false;
    if (other_sp->GetState() != eStateStopped)
      return;
    m_follower = other;
    m_halting = false;
    m_resuming = std::this_thread::get_id();
  }
  other_sp->HijackProcessEvents(m_listener_sp);
  Status error = other_sp->Resume();
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_resuming = std::thread::id();
  }
  if (error.Success())
    return;
  other_sp->RestoreProcessEvents();
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_follower = Side::None;
  }
  m_changed.notify_all();
  other_sp->GetTarget().GetDebugger().GetAsyncErrorStream()->Printf(
      "error: the %s side of the program can't be resumed: %s\n",
      other == Side::GPU ? "GPU" : "host", error.AsCString("unknown error"));
}

bool GPUCoupling::HaltFollower() {
  std::unique_lock<std::mutex> lock(m_mutex);
  const Side side = m_follower;
  if (side == Side::None)
    return true;
  m_halting = true;
  for (int i = 0; i < kHaltTries && m_follower == side && !m_exit; ++i) {
    ProcessSP process_sp = GetProcess(side);
    if (!process_sp)
      break;
    lock.unlock();
    process_sp->SendAsyncInterrupt();
    lock.lock();
    m_changed.wait_for(lock, kHaltPatience,
                       [&] { return m_follower != side || m_exit; });
  }
  if (m_follower != side)
    return true;
  m_halting = false;
  lock.unlock();
  if (ProcessSP process_sp = GetProcess(side))
    process_sp->GetTarget().GetDebugger().GetAsyncErrorStream()->Printf(
        "error: the %s side of the program doesn't stop\n",
        side == Side::GPU ? "GPU" : "host");
  return false;
}

void GPUCoupling::WillPublicStop(Process &process) {
  if (process.GetModID().IsRunningExpression() ||
      std::this_thread::get_id() == m_thread.get_id())
    return;
  const Side side = GetSide(process);
  {
    std::unique_lock<std::mutex> lock(m_mutex);
    if (side == Side::None || side == m_follower)
      return;
    // A command that waits for this stop goes on with it: the other side's stop
    // is shown before, whole.
    m_changed.wait_for(lock, kHaltPatience,
                       [&] { return !m_showing || m_exit; });
    if (m_wanted_stop == side) {
      m_wanted_stop = Side::None;
      return;
    }
    if (m_follower == Side::None) {
      m_stopped_early = side;
      return;
    }
    m_other_runs_along = true;
  }
  HaltFollower();
}

bool GPUCoupling::StopsForTheOther(Process &process) {
  const Side side = GetSide(process);
  std::lock_guard<std::mutex> guard(m_mutex);
  return side != Side::None &&
         (m_wanted_stop == side || (m_halting && m_follower == side));
}

void GPUCoupling::DidExit(Process &process) {
  const Side side = GetSide(process);
  std::lock_guard<std::mutex> guard(m_mutex);
  if (m_wanted_stop == side)
    m_wanted_stop = Side::None;
  if (side != Side::Host)
    return;
  // The server says the GPU's end as well; it is only helped along where it
  // doesn't. This is a thread of the host process that mustn't wait.
  m_host_gone = true;
  Wake();
}

void GPUCoupling::WaitForHostsEnd() {
  std::unique_lock<std::mutex> lock(m_mutex);
  if (m_follower == Side::Host &&
      std::this_thread::get_id() != m_thread.get_id())
    m_changed.wait_for(lock, std::chrono::seconds(1),
                       [&] { return m_host_end_shown || m_exit; });
}

//===-- Connecting --------------------------------------------------------===//

llvm::Expected<TargetSP> GPUCoupling::MakeGPUTarget(Target &host_target,
                                                    const ArchSpec &arch) {
  Debugger &debugger = host_target.GetDebugger();
  TargetList &targets = debugger.GetTargetList();
  TargetSP gpu_target_sp = GetGPUTarget();
  if (!gpu_target_sp || !gpu_target_sp->IsValid()) {
    TargetSP selected_sp = targets.GetSelectedTarget();
    PlatformSP platform_sp = debugger.GetPlatformList().GetOrCreate(
        PlatformAMDGPU::GetPluginNameStatic());
    Status error = targets.CreateTarget(debugger, /*user_exe_path=*/"", arch,
                                        eLoadDependentsNo, platform_sp,
                                        gpu_target_sp);
    if (selected_sp)
      targets.SetSelectedTarget(selected_sp);
    if (error.Fail() || !gpu_target_sp)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "no GPU target can be made: %s",
                                     error.AsCString("unknown error"));
    const TargetSP host_target_sp = host_target.shared_from_this();
    llvm::consumeError(gpu_target_sp->SetLabel(
        llvm::formatv("gpu of target {0}",
                      targets.GetIndexOfTarget(host_target_sp))
            .str()));
    m_gpu_wp = gpu_target_sp;
    for (const TargetSP &target_sp : {host_target_sp, gpu_target_sp})
      m_listener_sp->StartListeningForEvents(
          target_sp.get(), Target::eBroadcastBitBreakpointChanged);
  }
  gpu_target_sp->SetArchitecture(arch, /*set_platform=*/false,
                                 /*merge=*/false);
  return gpu_target_sp;
}

llvm::Error GPUCoupling::OpenCore(const FileSpec &core,
                                  const FileSpec &host_core) {
  TargetSP host_target_sp = GetHostTarget();
  if (!host_target_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the host target is gone");
  Debugger &debugger = host_target_sp->GetDebugger();
  llvm::Expected<TargetSP> made =
      MakeGPUTarget(*host_target_sp, ArchSpec("amdgcn-amd-amdhsa"));
  if (!made)
    return made.takeError();
  TargetSP gpu_target_sp = *made;
  TargetList &targets = debugger.GetTargetList();
  auto gpu_sp = std::dynamic_pointer_cast<ProcessAMDGPU>(
      gpu_target_sp->CreateProcess(debugger.GetListener(),
                                   ProcessAMDGPU::GetPluginNameStatic(), &core,
                                   /*can_connect=*/false));
  Status error;
  if (!gpu_sp) {
    error = Status::FromErrorString("the GPU process plugin is missing");
  } else {
    gpu_sp->SetCoupling(shared_from_this());
    gpu_sp->SetHostCore(host_core);
    error = gpu_sp->LoadCore();
  }
  if (error.Fail()) {
    targets.DeleteTarget(gpu_target_sp);
    return error.ToError();
  }
  const size_t waves = gpu_sp->GetThreadList().GetSize();
  debugger.GetAsyncOutputStream()->Printf(
      "The core has %zu wave%s of a GPU, in target %u.\n", waves,
      waves == 1 ? "" : "s", targets.GetIndexOfTarget(gpu_target_sp));
  if (HasReason(*gpu_sp))
    targets.SetSelectedTarget(gpu_target_sp);
  return llvm::Error::success();
}

llvm::Error GPUCoupling::Connect(const ArchSpec &arch, llvm::StringRef url) {
  TargetSP host_target_sp = GetHostTarget();
  if (!host_target_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the host target is gone");
  Debugger &debugger = host_target_sp->GetDebugger();
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    Start();
    m_host_gone = false;
    m_host_end_shown = false;
    m_wanted_stop = Side::None;
  }

  llvm::Expected<TargetSP> gpu_target = MakeGPUTarget(*host_target_sp, arch);
  if (!gpu_target)
    return gpu_target.takeError();
  TargetSP gpu_target_sp = *gpu_target;

  ProcessSP process_sp = gpu_target_sp->CreateProcess(
      debugger.GetListener(), ProcessAMDGPU::GetPluginNameStatic(), nullptr,
      /*can_connect=*/true);
  auto gpu_sp = std::dynamic_pointer_cast<ProcessAMDGPU>(process_sp);
  if (!gpu_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the GPU process plugin is missing");
  gpu_sp->SetCoupling(shared_from_this());
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_connecting = true;
  }
  gpu_sp->HijackProcessEvents(m_listener_sp);
  Status error = gpu_sp->ConnectRemote(url);
  if (error.Success()) {
    std::unique_lock<std::mutex> lock(m_mutex);
    m_changed.wait_for(lock, std::chrono::seconds(10),
                       [&] { return !m_connecting || m_exit; });
  }
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_connecting = false;
    m_other_runs_along = true;
    m_halting = false;
    if (error.Success() && StateIsRunningState(gpu_sp->GetRealState())) {
      m_follower = Side::GPU;
    } else {
      m_follower = Side::None;
      gpu_sp->RestoreProcessEvents();
    }
  }
  if (error.Fail())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "can't connect to the GPU at %s: %s",
                                   url.str().c_str(),
                                   error.AsCString("unknown error"));
  m_mirror.Synchronize(*host_target_sp, *gpu_target_sp);
  return llvm::Error::success();
}

void GPUCoupling::RefreshModules() {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  TargetSP host_target_sp = GetHostTarget(), gpu_target_sp = GetGPUTarget();
  if (!gpu_sp || !gpu_sp->IsAlive() || !host_target_sp)
    return;
  if (!PauseGPU())
    return;
  gpu_sp->RefreshModules();
  m_mirror.Synchronize(*host_target_sp, *gpu_target_sp);
  ContinueGPU();
}

bool GPUCoupling::PauseGPU() {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_follower != Side::Host) {
      // It follows, or stands.
      m_other_runs_along = true;
    } else {
      if (gpu_sp->GetRealState() == eStateStopped)
        return true;
      m_pausing = true;
      m_pause_stopped_sp.reset();
      m_pause_running = false;
    }
  }
  if (!m_pausing)
    return HaltFollower();

  gpu_sp->HijackProcessEvents(m_listener_sp);
  std::unique_lock<std::mutex> lock(m_mutex);
  for (int i = 0; i < kHaltTries && !m_pause_stopped_sp && !m_exit; ++i) {
    lock.unlock();
    gpu_sp->SendAsyncInterrupt();
    lock.lock();
    m_changed.wait_for(lock, kHaltPatience,
                       [&] { return m_pause_stopped_sp || m_exit; });
  }
  if (m_pause_stopped_sp)
    return true;
  m_pausing = false;
  lock.unlock();
  gpu_sp->RestoreProcessEvents();
  gpu_sp->GetTarget().GetDebugger().GetAsyncErrorStream()->Printf(
      "error: the GPU side of the program doesn't stop\n");
  return false;
}

void GPUCoupling::ContinueGPU() {
  std::unique_lock<std::mutex> lock(m_mutex);
  if (!m_pausing)
    return; // It runs on with the host.
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  EventSP stopped_sp = m_pause_stopped_sp;
  const bool ended = Process::ProcessEventData::GetStateFromEvent(
                         stopped_sp.get()) != eStateStopped;
  if (!ended && !HasReason(*gpu_sp)) {
    m_pause_running = false;
    lock.unlock();
    Status error = gpu_sp->ResumeAfterPause();
    lock.lock();
    if (error.Success()) {
      m_changed.wait_for(lock, kHaltPatience,
                         [&] { return m_pause_running || m_exit; });
      m_pausing = false;
      lock.unlock();
      gpu_sp->RestoreProcessEvents();
      return;
    }
  }
  // A stop of its own has come first: it is for the one who waits, and the host is
  // to stop as well.
  m_pausing = false;
  m_wanted_stop = Side::Host;
  lock.unlock();
  gpu_sp->RestoreProcessEvents();
  Process::ProcessEventData::SetUpdateStateOnRemoval(stopped_sp.get());
  gpu_sp->BroadcastEvent(stopped_sp);
}

//===-- The end -----------------------------------------------------------===//

void GPUCoupling::DetachGPU() {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  if (!gpu_sp || !gpu_sp->IsAlive())
    return;
  // Breakpoints are taken out of GPU code while it stands.
  HaltFollower();
  gpu_sp->Detach(/*keep_stopped=*/false);
}

void GPUCoupling::FinishGPU(const char *reason) {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  if (gpu_sp)
    gpu_sp->Finish(reason);
}

void GPUCoupling::HostIsGone() {
  FinishGPU("the host program has ended");
  SelectHostTarget();
}

void GPUCoupling::KillHost() {
  ProcessSP host_sp = GetHost();
  if (host_sp && host_sp->IsAlive())
    host_sp->Destroy(/*force_kill=*/true);
}

void GPUCoupling::SelectHostTarget() {
  if (TargetSP target_sp = GetHostTarget())
    target_sp->GetDebugger().GetTargetList().SetSelectedTarget(target_sp);
}
