//===-- GPUCoupling.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUCoupling.h"
#include "Core/Record/HostTarget.h"
#include "Core/Support/BreakpointKinds.h"
#include "Core/Support/OtherSide.h"
#include "Core/Support/RelativeSources.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Process/AMDGPU/InterruptibleConnection.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Process/AMDGPU/ServerLink.h"
#include "UnheldConditions.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/ThreadPlan.h"
#include "lldb/Target/UnixSignals.h"
#include "lldb/Utility/Event.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "lldb/Utility/State.h"

#include <future>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// LLDB recognizes by the name that the listener isn't a user of the process:
// see Process::StateChangedIsExternallyHijacked.
static constexpr const char *kListenerName = "lldb.internal.wavelane.coupling";
static constexpr uint32_t kWakeBit = 1;
// Long enough for a stop to be printed first.
static constexpr auto kInputInterval = std::chrono::milliseconds(100);
static constexpr int kLooksAtInput = 10;
// How soon events are returned once LLDB has returned them.
static constexpr auto kReturnInterval = std::chrono::milliseconds(50);
// An exit is reported within a second.
static constexpr auto kLinkInterval = std::chrono::milliseconds(250);

thread_local const GPUCoupling *GPUCoupling::t_coupling = nullptr;

//===-- All couplings -----------------------------------------------------===//

// Neither is destroyed: threads may outlive main.
static std::mutex &GetRegistryMutex() {
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}

static std::vector<std::shared_ptr<GPUCoupling>> &GetRegistry() {
  static auto &registry = *new std::vector<std::shared_ptr<GPUCoupling>>;
  return registry;
}

void GPUCoupling::Initialize() {
  SetProgramCouplings(
      {[](Target &host_target) -> std::shared_ptr<ProgramCoupling> {
         return GetOrCreate(host_target);
       },
       [](Target &target) -> std::shared_ptr<ProgramCoupling> {
         return Find(target);
       }});
  SetOtherSide([](Target &target) -> TargetSP {
    std::shared_ptr<GPUCoupling> coupling_sp = Find(target);
    if (!coupling_sp)
      return nullptr;
    TargetSP host_sp = coupling_sp->GetHostTarget();
    return host_sp.get() == &target ? coupling_sp->GetGPUTarget() : host_sp;
  });
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
      m_wake(nullptr, "wavelane.coupling.wake"), m_machine(*this) {
  m_listener_sp->StartListeningForEvents(&m_wake, kWakeBit);
}

GPUCoupling::~GPUCoupling() { Stop(); }

TargetSP GPUCoupling::GetGPUTarget() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_gpu_wp.lock();
}

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

bool GPUCoupling::IsStopped() const {
  ProcessSP host_sp = GetHost();
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  return host_sp &&
         StateIsStoppedState(host_sp->GetState(), /*must_exist=*/true) &&
         (!gpu_sp || !gpu_sp->IsAlive() ||
          StateIsStoppedState(gpu_sp->GetState(), /*must_exist=*/true));
}

std::optional<GPUCoupling::Side>
GPUCoupling::GetSide(const Process &process) const {
  if (GetGPU().get() == &process)
    return Side::GPU;
  if (GetHost().get() == &process)
    return Side::Host;
  return std::nullopt;
}

ProcessSP GPUCoupling::GetProcess(Side side) const {
  return side == Side::Host ? GetHost() : ProcessSP(GetGPU());
}

//===-- The thread that reads the events that are taken -------------------===//

void GPUCoupling::Start() {
  if (!m_thread.joinable())
    m_thread =
        std::thread([coupling_wp = weak_from_this()] { Run(coupling_wp); });
}

void GPUCoupling::Stop() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_exit = true;
  }
  m_machine.Close();
  m_wake.BroadcastEvent(kWakeBit);
  if (!m_thread.joinable())
    return;
  if (IsOwnThread())
    m_thread.detach();
  else
    m_thread.join();
}

void GPUCoupling::Post(std::function<void()> work) {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_posted.push_back(std::move(work));
  }
  m_wake.BroadcastEvent(kWakeBit);
}

void GPUCoupling::SetLooks(std::function<void()> end_input,
                           std::function<void()> look_at_link,
                           std::function<void(bool)> look_at_overdue) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_end_input = std::move(end_input);
  m_look_at_link = std::move(look_at_link);
  m_look_at_overdue = std::move(look_at_overdue);
}

void GPUCoupling::SetInterrupt(std::function<void()> did_interrupt) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_did_interrupt = std::move(did_interrupt);
}

void GPUCoupling::PollInput() {
  if (m_looks_at_input <= 0)
    return;
  --m_looks_at_input;
  std::function<void()> end_input;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    end_input = m_end_input;
  }
  if (end_input)
    end_input();
}

/// What the thread keeps alive while it works. A script may delete the targets
/// at any time: a process has only a weak reference to its target, and doesn't
/// check it. The coupling may end with its host target.
struct GPUCoupling::KeepAlive {
  explicit KeepAlive(const std::weak_ptr<GPUCoupling> &coupling_wp)
      : coupling_sp(coupling_wp.lock()) {
    if (!coupling_sp)
      return;
    host_sp = coupling_sp->GetHostTarget();
    gpu_sp = coupling_sp->GetGPUTarget();
  }
  // Released in the opposite order.
  const std::shared_ptr<GPUCoupling> coupling_sp;
  TargetSP host_sp, gpu_sp;
};

void GPUCoupling::Run(const std::weak_ptr<GPUCoupling> &coupling_wp) {
  while (true) {
    Timeout<std::micro> timeout(std::nullopt);
    ListenerSP listener_sp;
    {
      const KeepAlive alive(coupling_wp);
      if (!alive.coupling_sp || !alive.coupling_sp->RunPosted(timeout))
        return;
      listener_sp = alive.coupling_sp->m_listener_sp;
    }
    EventSP event_sp;
    const bool has_event = listener_sp->GetEvent(event_sp, timeout);
    const KeepAlive alive(coupling_wp);
    if (!alive.coupling_sp)
      return;
    if (!has_event) {
      alive.coupling_sp->PollInput();
      alive.coupling_sp->PollLinks();
    } else if (event_sp &&
               !event_sp->BroadcasterIs(&alive.coupling_sp->m_wake)) {
      alive.coupling_sp->HandleEvent(event_sp);
    }
  }
}

bool GPUCoupling::RunPosted(Timeout<std::micro> &timeout) {
  t_coupling = this;
  std::deque<std::function<void()>> work;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_exit)
      return false;
    work.swap(m_posted);
  }
  for (const auto &one : work)
    one();
  if (!ReturnOwedEvents())
    timeout = kReturnInterval;
  if (std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU())
    if (const Timeout<std::micro> check = gpu_sp->CheckLoneWave();
        check && (!timeout || *timeout > *check))
      timeout = check;
  if (m_looks_at_input > 0 && (!timeout || *timeout > kInputInterval))
    timeout = kInputInterval;
  if (IsStopped() && (!timeout || *timeout > kLinkInterval))
    timeout = kLinkInterval;
  return true;
}

namespace {
/// Keeps a script's next call from changing a breakpoint while it is read. A
/// script that waits in a call for the program to stop holds the mutex all the
/// time: then nothing can change, and this continues without it.
class ShortLock {
public:
  explicit ShortLock(std::recursive_mutex &mutex)
      : m_lock(mutex, std::try_to_lock) {
    for (int tries = 0; !m_lock.owns_lock() && tries < 3; ++tries) {
      // LLDB's mutex has no try_lock_for.
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
    // The user may look at both lists while the program is stopped.
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
  std::optional<Side> side = process_sp ? GetSide(*process_sp) : std::nullopt;
  if (!side)
    return;
  using Taking = CouplingMachine::Taking;
  const StateType state =
      Process::ProcessEventData::GetStateFromEvent(event_sp.get());
  switch (state) {
  case eStateStopped:
  case eStateCrashed:
  case eStateSuspended:
    if (Process::ProcessEventData::GetRestartedFromEvent(event_sp.get()))
      m_machine.Took(*side, Taking::Restart);
    else
      HandleStop(*side, process_sp, event_sp);
    break;
  case eStateExited:
  case eStateDetached:
  case eStateUnloaded:
    KeepEvent(*side, event_sp);
    m_machine.Took(*side, Taking::End);
    break;
  default:
    if (StateIsRunningState(state))
      m_machine.Took(*side, Taking::Run);
    break;
  }
}

void GPUCoupling::KeepEvent(Side side, const EventSP &event_sp) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_events[size_t(side)] = event_sp;
}

EventSP GPUCoupling::GetEvent(Side side) {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_events[size_t(side)];
}

/// Whether a thread is only at a breakpoint of LLDB's by which it learns of
/// libraries and code objects. An interrupt that comes at the same time makes
/// that a stop.
static bool IsAtLoadersBreakpoint(Process &process, const StopInfo &info) {
  if (process.GetStopOnSharedLibraryEvents() ||
      GetProcessAMDGPUProperties().StopsOnModuleLoad())
    return false;
  BreakpointSiteSP site_sp =
      process.GetBreakpointSiteList().FindByID(break_id_t(info.GetValue()));
  if (!site_sp || !site_sp->GetNumberOfConstituents())
    return false;
  for (size_t i = 0; i < site_sp->GetNumberOfConstituents(); ++i) {
    BreakpointLocationSP location_sp = site_sp->GetConstituentAtIndex(i);
    const char *kind = location_sp
                           ? location_sp->GetBreakpoint().GetBreakpointKind()
                           : nullptr;
    if (!kind || (llvm::StringRef(kind) != "shared-library-event" &&
                  llvm::StringRef(kind) != kCodeObjectsBreakpoint))
      return false;
  }
  return true;
}

bool GPUCoupling::HasReason(Process &process) const {
  // An interrupt is a SIGSTOP on the host, and a SIGINT on one wave.
  const bool is_gpu = dynamic_cast<ProcessAMDGPU *>(&process);
  const UnixSignalsSP &signals_sp = process.GetUnixSignals();
  const uint64_t interrupt =
      signals_sp
          ? signals_sp->GetSignalNumberFromName(is_gpu ? "SIGINT" : "SIGSTOP")
          : 0;
  for (const ThreadSP &thread_sp : process.GetThreadList().Threads()) {
    // A wave that was held still has the reason of an earlier stop.
    if (thread_sp->GetTemporaryResumeState() == eStateSuspended)
      continue;
    switch (thread_sp->GetStopReason()) {
    case eStopReasonInvalid:
    case eStopReasonNone:
    // A part of a step, or of stepping over a breakpoint: a step that is done
    // has its plan as its reason.
    case eStopReasonTrace:
      break;
    case eStopReasonSignal:
      if (thread_sp->GetStopInfo()->GetValue() == interrupt)
        break;
      return true;
    case eStopReasonBreakpoint:
      // A step's own breakpoint, which may be its end. Other internal ones stop
      // for the user, as those at kernels' entries do.
      if (!thread_sp->GetStopInfo()->ShouldSelect() &&
          !thread_sp->GetCompletedPlan() &&
          !thread_sp->GetCurrentPlan()->IsBasePlan())
        break;
      if (IsAtLoadersBreakpoint(process, *thread_sp->GetStopInfo()))
        break;
      return true;
    default:
      return true;
    }
  }
  return false;
}

/// LLDB doesn't examine an interrupted stop. If the interrupt coincided with a
/// breakpoint, its condition hasn't been evaluated, and the wave would run past
/// it. So evaluate the stop again, as one without an interrupt. \return Whether
/// the process runs again: no condition held.
static bool RunsOnAfterAll(const ProcessSP &process_sp,
                           const EventSP &event_sp) {
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

void GPUCoupling::HandleStop(Side side, const ProcessSP &process_sp,
                             const EventSP &event_sp) {
  using Taking = CouplingMachine::Taking;
  if (m_machine.IsInterrupted(side) && RunsOnAfterAll(process_sp, event_sp))
    return m_machine.Took(side, Taking::Restart);
  KeepEvent(side, event_sp);
  if (side == Side::Host)
    m_looks_at_input = kLooksAtInput;
  m_machine.Took(side,
                 HasReason(*process_sp) ? Taking::Stop : Taking::Interrupt);
}

//===-- What the machine wants --------------------------------------------===//

void GPUCoupling::TakeEvents(Side side) {
  ProcessSP process_sp = GetProcess(side);
  if (m_taken[size_t(side)].lock() == process_sp)
    return;
  ReturnEvents(side);
  bool is_owed;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    is_owed = llvm::count(m_owed, process_sp);
    llvm::erase(m_owed, process_sp);
  }
  if (is_owed || process_sp->HijackProcessEvents(m_listener_sp))
    m_taken[size_t(side)] = process_sp;
}

/// LLDB returns the events of the last listener that has taken them. That isn't
/// the coupling while LLDB waits for a stop, to halt or to kill the process.
static bool CanReturnEvents(Process &process) {
  return !process.StateChangedIsExternallyHijacked();
}

void GPUCoupling::ReturnEvents(Side side) {
  ProcessSP process_sp = std::exchange(m_taken[size_t(side)], {}).lock();
  if (!process_sp)
    return;
  if (CanReturnEvents(*process_sp)) {
    process_sp->RestoreProcessEvents();
    return;
  }
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_owed.push_back(process_sp);
  }
  m_wake.BroadcastEvent(kWakeBit);
}

bool GPUCoupling::ReturnOwedEvents() {
  std::vector<ProcessSP> owed;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    owed.swap(m_owed);
  }
  // A process may end here, with its last reference.
  llvm::erase_if(owed, [](const ProcessSP &process_sp) {
    if (!CanReturnEvents(*process_sp))
      return false;
    process_sp->RestoreProcessEvents();
    return true;
  });
  std::lock_guard<std::mutex> guard(m_mutex);
  llvm::append_range(m_owed, owed);
  return m_owed.empty();
}

void GPUCoupling::Interrupt(Side side) {
  if (ProcessSP process_sp = GetProcess(side))
    process_sp->SendAsyncInterrupt();
}

/// "the GPU side of the program", "the host side of rank 1".
static std::string DescribeSide(CouplingMachine::Side side,
                                const TargetSP &host_sp) {
  const std::string label = host_sp ? host_sp->GetLabel() : "";
  return std::string("the ") +
         (side == CouplingMachine::Side::GPU ? "GPU" : "host") + " side of " +
         (label.empty() ? "the program" : label);
}

bool GPUCoupling::Resume(Side side) {
  ProcessSP process_sp = GetProcess(side);
  if (!process_sp || !process_sp->IsAlive())
    return true; // its end is reported
  Status error = process_sp->Resume();
  if (error.Success())
    return true;
  process_sp->GetTarget().GetDebugger().GetAsyncErrorStream()->Printf(
      "error: %s can't be resumed: %s\n",
      DescribeSide(side, GetHostTarget()).c_str(),
      error.AsCString("unknown error"));
  return false;
}

bool GPUCoupling::ResumeAfterPause(Side side) {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  return side == Side::GPU && gpu_sp && gpu_sp->ResumeAfterPause().Success();
}

void GPUCoupling::ResumeLater(Side side) {
  Post([this] { m_machine.ResumeFollowerNow(); });
}

void GPUCoupling::ShowStop(Side side, bool alone) {
  EventSP event_sp = GetEvent(side);
  ProcessSP process_sp =
      Process::ProcessEventData::GetProcessFromEvent(event_sp.get());
  if (!process_sp)
    return;
  if (alone) {
    if (m_shown_alone == event_sp)
      return;
    m_shown_alone = event_sp;
    TargetSP target_sp = process_sp->CalculateTarget();
    if (target_sp->RunStopHooks())
      return;
    // An interrupt of this side isn't about it, so keep the selection.
    if (Process::ProcessEventData::GetInterruptedFromEvent(event_sp.get()) &&
        !HasReason(*process_sp))
      return;
    target_sp->GetDebugger().GetTargetList().SetSelectedTarget(target_sp);
    // An editor has been notified of it.
    if (m_reader_sp && m_shown_too == event_sp)
      return;
  } else {
    m_shown_too = event_sp;
  }
  Show(*process_sp, event_sp);
}

namespace {
/// Takes the last event of a process while it lives, so that the program's end
/// is reported once, for its host.
class QuietEnd {
public:
  explicit QuietEnd(std::shared_ptr<ProcessAMDGPU> process_sp)
      : m_process_sp(std::move(process_sp)),
        m_listener_sp(Listener::MakeListener(kListenerName)) {
    m_process_sp->HijackProcessEvents(m_listener_sp);
  }
  ~QuietEnd() {
    EventSP event_sp;
    // The process learns its state when the event is taken.
    while (m_listener_sp->GetEvent(event_sp, std::chrono::seconds(1)) &&
           Process::ProcessEventData::GetStateFromEvent(event_sp.get()) !=
               m_process_sp->GetRealState())
      ;
    m_process_sp->RestoreProcessEvents();
  }
  QuietEnd(const QuietEnd &) = delete;
  QuietEnd &operator=(const QuietEnd &) = delete;

private:
  std::shared_ptr<ProcessAMDGPU> m_process_sp;
  ListenerSP m_listener_sp;
};
} // namespace

bool GPUCoupling::IsPrinted(Process &process) const {
  Debugger &debugger = process.GetTarget().GetDebugger();
  return !m_reader_sp && debugger.IsHandlingEvents() &&
         process.GetPrimaryListener() == debugger.GetListener();
}

void GPUCoupling::ShowEnd(Side side) {
  EventSP event_sp = GetEvent(side);
  ProcessSP process_sp =
      Process::ProcessEventData::GetProcessFromEvent(event_sp.get());
  if (!process_sp)
    return;
  if (side == Side::Host) {
    SelectHostTarget();
    FlushOutput(*process_sp);
    const bool is_synchronous =
        !m_reader_sp &&
        !process_sp->GetTarget().GetDebugger().GetAsyncExecution();
    if (std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
        gpu_sp && gpu_sp->GetRealState() != eStateExited &&
        (IsPrinted(*process_sp) || is_synchronous)) {
      // The GPU leads, and its end, which follows, is the program's.
      bool pop_process_io_handler = true;
      Process::HandleProcessStateChangedEvent(event_sp, /*stream=*/nullptr,
                                              DoNoSelectMostRelevantFrame,
                                              pop_process_io_handler);
      std::lock_guard<std::mutex> guard(m_mutex);
      m_gpu_reports_end = true;
      return;
    }
  } else if (ProcessSP host_sp = GetHost();
             llvm::StringRef(process_sp->GetExitDescription()).empty() ||
             !host_sp || !host_sp->IsAlive()) {
    // The GPU ends with its program, whose end is reported. It ends alone only
    // if its device or its server has died, and says so.
    return;
  }
  Show(*process_sp, event_sp);
}

void GPUCoupling::Show(Process &process, const EventSP &event_sp) {
  Debugger &debugger = process.GetTarget().GetDebugger();
  if (debugger.GetAsyncExecution() || m_reader_sp) {
    // The process's listener gets the event, marked as handled.
    Process::ProcessEventData::SetUpdateStateOnRemoval(event_sp.get());
    EventSP again_sp = event_sp;
    process.BroadcastEvent(again_sp);
    return;
  }
  // In synchronous mode there is no listener; the command that waits for the
  // leader only shows the leader's stop, and a script gets this one with it.
  StreamString text;
  StreamSP stream_sp;
  if (debugger.IsHandlingEvents())
    stream_sp = debugger.GetAsyncOutputStream();
  bool pop_process_io_handler = true;
  Process::HandleProcessStateChangedEvent(
      event_sp, stream_sp ? stream_sp.get() : &text, SelectMostRelevantFrame,
      pop_process_io_handler);
  if (stream_sp) {
    stream_sp->Flush();
    return;
  }
  // What is shown selects the user's own frame.
  if (ThreadSP thread_sp = process.GetThreadList().GetSelectedThread())
    thread_sp->GetSelectedFrame(SelectMostRelevantFrame);
  std::lock_guard<std::mutex> guard(m_mutex);
  m_shown_stop = text.GetString().str();
}

std::string GPUCoupling::TakeShownStop() {
  std::lock_guard<std::mutex> guard(m_mutex);
  return std::exchange(m_shown_stop, "");
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

void GPUCoupling::ReportStop(Side side) {
  EventSP event_sp = GetEvent(side);
  ProcessSP process_sp =
      Process::ProcessEventData::GetProcessFromEvent(event_sp.get());
  if (!process_sp)
    return;
  // The event has been handled.
  Process::ProcessEventData::SetUpdateStateOnRemoval(event_sp.get());
  process_sp->BroadcastEvent(event_sp);
}

void GPUCoupling::ReportStuck(Side side) {
  if (ProcessSP process_sp = GetProcess(side))
    process_sp->GetTarget().GetDebugger().GetAsyncErrorStream()->Printf(
        "error: %s doesn't stop\n",
        DescribeSide(side, GetHostTarget()).c_str());
}

void GPUCoupling::PollLinks() {
  if (!IsStopped())
    return;
  std::function<void()> look_at_link;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    look_at_link = m_look_at_link;
  }
  if (look_at_link)
    look_at_link();
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  if (!GetHost() || !gpu_sp || !gpu_sp->IsAlive())
    return;
  std::optional<ReportedEnd> end = ReadUnaskedEnd(
      gpu_sp->GetGDBRemote(), *gpu_sp->GetUnixSignals(), /*asks=*/true);
  gpu_sp->GetOwedAnswers().LookAt(*gpu_sp);
  // With the server, the host ends as well.
  if (end && end->status != -1)
    DeviceEnds(gpu_sp, end->status, end->how);
}

void GPUCoupling::DeviceEnds(const std::shared_ptr<ProcessAMDGPU> &gpu_sp,
                             int status, const std::string &how) {
  {
    std::optional<QuietEnd> quiet;
    if (IsPrinted(*gpu_sp))
      quiet.emplace(gpu_sp);
    gpu_sp->SetExitStatus(status, how);
  }
  SelectHostTarget();
  Debugger::ReportError(
      how + "; use 'process continue' to go on without it, or 'run' to restart",
      gpu_sp->GetTarget().GetDebugger().GetID());
}

void GPUCoupling::FinishGPU() {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  if (!gpu_sp)
    return;
  bool reports_end;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    reports_end = m_gpu_reports_end;
  }
  std::optional<QuietEnd> quiet;
  // A script in synchronous mode takes no events.
  const bool is_synchronous =
      !m_reader_sp && !gpu_sp->GetTarget().GetDebugger().GetAsyncExecution();
  if (!reports_end && (IsPrinted(*gpu_sp) || is_synchronous) &&
      StateIsStoppedState(gpu_sp->GetRealState(), /*must_exist=*/true))
    quiet.emplace(gpu_sp);
  gpu_sp->Finish("the host program has ended");
}

void GPUCoupling::Log(const std::string &text) {
  LLDB_LOG(GetLog(LLDBLog::Process), "{0}", text);
}

//===-- Events of the processes -------------------------------------------===//

void GPUCoupling::WillResume(Process &process) {
  if (process.GetModID().IsRunningExpression())
    return;
  TargetSP host_sp = GetHostTarget(), gpu_sp = GetGPUTarget();
  if (host_sp && gpu_sp && !process.CurrentThreadIsPrivateStateThread())
    m_mirror.Synchronize(*host_sp, *gpu_sp);
}

/// Whether a user, rather than LLDB itself, resumes the process: LLDB takes the
/// public run lock for the user only.
static bool IsResumedByUser(Process &process) {
  if (process.CurrentThreadIsPrivateStateThread())
    return false;
  ProcessRunLock &run_lock = process.GetRunLock();
  if (!run_lock.ReadTryLock())
    return true;
  run_lock.ReadUnlock();
  return false;
}

void GPUCoupling::Resumes(Process &process) {
  if (process.GetModID().IsRunningExpression())
    return;
  if (std::optional<Side> side = GetSide(process))
    m_machine.Resumes(*side, IsResumedByUser(process));
}

void GPUCoupling::Resumed(Process &process, bool success) {
  if (process.GetModID().IsRunningExpression())
    return;
  std::optional<Side> side = GetSide(process);
  if (!side)
    return;
  m_machine.Resumed(*side, success);
  // If it is a lone wave, it is monitored.
  if (side == Side::GPU)
    m_wake.BroadcastEvent(kWakeBit);
}

void GPUCoupling::WillHalt(Process &process) {
  std::function<void()> did_interrupt;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    did_interrupt = m_did_interrupt;
  }
  if (did_interrupt)
    did_interrupt();
}

void GPUCoupling::WillPublicStop(Process &process) {
  // The coupling itself reports the events that it has taken to the machine.
  if (process.GetModID().IsRunningExpression() || IsOwnThread())
    return;
  std::optional<Side> side = GetSide(process);
  if (!side)
    return;
  bool for_reason = true;
  if (m_machine.GetLeader() == *side) {
    if (m_machine.GetState() == CouplingMachine::State::Interrupting)
      ForgetUnheldConditions(process);
  } else {
    // Process::Halt reports the stop once more, to the coupling; for LLDB's
    // other listeners the process ends.
    if (process.StateChangedIsExternallyHijacked())
      return;
    for_reason = HasReason(process);
  }
  m_machine.StopsPublicly(*side, for_reason);
  ShowPause(*side, process);
  if (side == Side::Host) {
    m_looks_at_input = kLooksAtInput;
    m_wake.BroadcastEvent(kWakeBit);
  }
}

void GPUCoupling::ShowPause(Side side, Process &process) {
  using State = CouplingMachine::State;
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  // LLDB also stops processes for its own purposes, such as to detach.
  const bool is_seen = !process.StateChangedIsExternallyHijacked() ||
                       process.StateChangedIsHijackedForSynchronousResume();
  if (!is_seen || !gpu_sp || !gpu_sp->IsAlive() ||
      m_machine.GetLeader() != side || HasReason(process) || HasReason(*gpu_sp))
    return;
  // Ctrl-C may go to either side.
  const State state = m_machine.GetState();
  if ((state != State::StoppedForLeader &&
       state != State::StoppedForFollower) ||
      !gpu_sp->SelectPausedWave())
    return;
  if (side == Side::GPU)
    return; // it is shown like every stop of a leader
  TargetSP target_sp = gpu_sp->CalculateTarget();
  target_sp->GetDebugger().GetTargetList().SetSelectedTarget(target_sp);
  EventSP event_sp = GetEvent(Side::GPU);
  if (event_sp &&
      Process::ProcessEventData::GetProcessFromEvent(event_sp.get()) == gpu_sp)
    Show(*gpu_sp, event_sp);
}

void GPUCoupling::LookAtOverdue() {
  using State = CouplingMachine::State;
  std::function<void(bool)> look_at_overdue;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    look_at_overdue = m_look_at_overdue;
  }
  const State state = m_machine.GetState();
  if (look_at_overdue)
    look_at_overdue(state == State::StoppedForLeader ||
                    state == State::StoppedForFollower ||
                    state == State::ShowingBoth ||
                    state == State::Interrupting);
}

bool GPUCoupling::StopsForTheOther(Process &process) {
  std::optional<Side> side = GetSide(process);
  return side && m_machine.StopsForTheOther(*side);
}

std::optional<ReportedEnd> GPUCoupling::WillExit(Process &process) {
  if (!IsOwnThread() && GetSide(process) == Side::GPU)
    m_machine.WaitForHostsEnd();
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_lost_host;
}

void GPUCoupling::HostIsLost(const ReportedEnd &end) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_lost_host = end;
}

void GPUCoupling::DidExit(Process &process) {
  // This thread of the process mustn't wait. It may be a different process when
  // the coupling's thread handles this.
  Post([this, id = process.GetUniqueID()] {
    for (Side side : {Side::Host, Side::GPU})
      if (ProcessSP process_sp = GetProcess(side);
          process_sp && process_sp->GetUniqueID() == id)
        m_machine.Exits(side);
  });
}

void GPUCoupling::WaitForEnd() {
  constexpr auto kMostTime = std::chrono::seconds(10);
  const auto begin = std::chrono::steady_clock::now();
  ProcessSP host_sp = GetHost();
  if (IsOwnThread() || (host_sp && host_sp->IsAlive()))
    return;
  // The host's end is handled, and the GPU's is taken, by this object's thread:
  // each round of it may be about either. A core has no program that ends.
  for (std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
       gpu_sp && !gpu_sp->GetCoreFile() && gpu_sp->GetState() != eStateExited &&
       gpu_sp->GetState() != eStateDetached &&
       std::chrono::steady_clock::now() - begin < kMostTime;
       gpu_sp = GetGPU()) {
    auto done = std::make_shared<std::promise<void>>();
    Post([done] { done->set_value(); });
    (void)done->get_future().wait_for(kMostTime);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

//===-- Connecting --------------------------------------------------------===//

llvm::Expected<TargetSP> GPUCoupling::MakeGPUTarget(Target &host_target,
                                                    const ArchSpec &arch) {
  Debugger &debugger = host_target.GetDebugger();
  TargetList &targets = debugger.GetTargetList();
  TargetSP gpu_target_sp = GetGPUTarget();
  // A new target is selected for a moment. The ranks of a job get theirs at
  // once.
  static std::mutex &mutex = *new std::mutex;
  std::lock_guard<std::mutex> making(mutex);
  if (!gpu_target_sp || !gpu_target_sp->IsValid()) {
    TargetSP selected_sp = targets.GetSelectedTarget();
    PlatformSP platform_sp = debugger.GetPlatformList().GetOrCreate(
        PlatformAMDGPU::GetPluginNameStatic());
    Status error =
        targets.CreateTarget(debugger, /*user_exe_path=*/"", arch,
                             eLoadDependentsNo, platform_sp, gpu_target_sp);
    if (selected_sp)
      targets.SetSelectedTarget(selected_sp);
    if (error.Fail() || !gpu_target_sp)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "can't create a GPU target: %s",
                                     error.AsCString("unknown error"));
    m_mirror.Adopt(host_target, *gpu_target_sp);
    CopySourceMap(host_target, *gpu_target_sp);
    gpu_target_sp->SetPreloadSymbols(host_target.GetPreloadSymbols());
    ProcessLaunchInfo launch_info = gpu_target_sp->GetProcessLaunchInfo();
    launch_info.SetLaunchEventData(
        GetHostTargetData(host_target.GetGloballyUniqueID()).c_str());
    gpu_target_sp->SetProcessLaunchInfo(launch_info);
    const TargetSP host_target_sp = host_target.shared_from_this();
    const llvm::StringRef host_label = host_target.GetLabel();
    llvm::consumeError(gpu_target_sp->SetLabel(
        host_label.empty()
            ? llvm::formatv("gpu of target {0}",
                            targets.GetIndexOfTarget(host_target_sp))
                  .str()
            : ("gpu of " + host_label).str()));
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      m_gpu_wp = gpu_target_sp;
    }
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
  auto gpu_sp =
      std::dynamic_pointer_cast<ProcessAMDGPU>(gpu_target_sp->CreateProcess(
          debugger.GetListener(), ProcessAMDGPU::GetPluginNameStatic(), &core,
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
  constexpr auto kFirstStop = std::chrono::seconds(10);
  TargetSP host_target_sp = GetHostTarget();
  if (!host_target_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the host target is gone");
  Debugger &debugger = host_target_sp->GetDebugger();
  Start();

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
    m_lost_host.reset();
    m_gpu_reports_end = false;
  }
  if (m_reader_sp)
    gpu_sp->HijackProcessEvents(m_reader_sp);
  m_machine.Connect();
  Status error = gpu_sp->ConnectRemote(url);
  if (error.Fail()) {
    m_machine.ConnectFailed();
    // WaitForEnd would wait for this process, which never ran.
    gpu_sp.reset();
    process_sp.reset();
    gpu_target_sp->DeleteCurrentProcess();
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "can't connect to the GPU at %s: %s",
        url.str().c_str(), error.AsCString("unknown error"));
  }
  if (!m_machine.WaitForConnection(kFirstStop))
    m_machine.Took(Side::GPU, StateIsRunningState(gpu_sp->GetRealState())
                                  ? CouplingMachine::Taking::Restart
                                  : CouplingMachine::Taking::Interrupt);
  m_mirror.Synchronize(*host_target_sp, *gpu_target_sp);
  return llvm::Error::success();
}

void GPUCoupling::SynchronizeBreakpoints() {
  TargetSP host_sp = GetHostTarget(), gpu_sp = GetGPUTarget();
  if (host_sp && gpu_sp)
    m_mirror.Synchronize(*host_sp, *gpu_sp);
}

void GPUCoupling::RefreshModules() {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  TargetSP host_target_sp = GetHostTarget(), gpu_target_sp = GetGPUTarget();
  if (!gpu_sp || !gpu_sp->IsAlive() || !host_target_sp || !m_machine.Hold())
    return;
  gpu_sp->RefreshModules();
  m_mirror.Synchronize(*host_target_sp, *gpu_target_sp);
  m_machine.LetGo(HasReason(*gpu_sp));
}

//===-- The end -----------------------------------------------------------===//

void GPUCoupling::DetachGPU() {
  std::shared_ptr<ProcessAMDGPU> gpu_sp = GetGPU();
  if (!gpu_sp || !gpu_sp->IsAlive())
    return;
  // Breakpoints are removed from GPU code while it is stopped. If the GPU
  // leads, Detach stops it like any process.
  const bool holds = m_machine.GetLeader() == Side::Host && m_machine.Hold();
  {
    std::optional<QuietEnd> quiet;
    if (IsPrinted(*gpu_sp))
      quiet.emplace(gpu_sp);
    gpu_sp->Detach(/*keep_stopped=*/false);
  }
  m_machine.Detached();
  if (holds)
    m_machine.LetGo(/*gpu_has_reason=*/false);
}

void GPUCoupling::HostIsGone() {
  m_machine.HostDestroyed();
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
