//===-- Process.cpp - A program whose GPU waves are debugged --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process.h"
#include "CodeObjectList.h"
#include "CoreState.h"
#include "Simulator/Common/StartDevice.h"
#include "WaveState.h"
#include "wavelane/Protocol/Device/CoreMessages.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace wavelane::library {

namespace {

constexpr Status Restricted = AMD_DBGAPI_STATUS_ERROR_RESTRICTION;

/// Wave exceptions, new queues, the runtime.
constexpr uint64_t Enabled = 0x3f | QueueNewMask | RuntimeMask;

/// A device whose events don't end isn't believed.
constexpr unsigned MostEvents = 1u << 16, MostRuntimeEvents = 16;

} // namespace

Library &library() {
  static Library Instance;
  return Instance;
}

void Library::log(amd_dbgapi_log_level_t Level, const std::string &Text) const {
  if (Initialized && Level <= LogLevel)
    Callbacks.log_message(Level, Text.c_str());
}

//===-- Attach and detach -------------------------------------------------===//

Status Process::attach() {
  amd_dbgapi_os_process_id_t OsPid = 0;
  const Status Outcome = library().Callbacks.client_process_get_info(
      Client, AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID, sizeof(OsPid), &OsPid);
  if (!Conn.create())
    return Fatal;
  if (Outcome == AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE)
    return attachCore();
  if (Outcome == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED) {
    Memory.setEnded();
    return Success;
  }
  if (Outcome != Success)
    return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
  Pid = OsPid;
  Memory.open(Pid);
  if (!Conn.watchFor(Pid))
    return Success;
  Conn.open();
  return Conn.isOpen() ? enableDebug() : Success;
}

Status Process::attachCore() {
  Facts.Core = true;
  amd_dbgapi_core_state_data_t Data = {};
  const Status Outcome = library().Callbacks.client_process_get_info(
      Client, AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE, sizeof(Data), &Data);
  if (Outcome != Success)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_CLIENT_PROCESS_ID;
  const uint8_t *Bytes = static_cast<const uint8_t *>(Data.data);
  std::vector<uint8_t> Note;
  if (Bytes)
    Note.assign(Bytes, Bytes + Data.size);
  library().Callbacks.deallocate_memory(const_cast<void *>(Data.data));
  if (Data.endianness != AMD_DBGAPI_ENDIAN_LITTLE)
    return Fatal;
  std::optional<CoreState> State;
  if (Status Outcome = CoreState::parse(Note, State))
    return Outcome;
  if (!State)
    return Success;
  Facts.Runtime = State->Runtime;
  for (const kfd::DeviceSnapshotEntry &Entry : State->Agents)
    Hardware.addAgent(Entry);
  if (Facts.Runtime.runtime_state == kfd::RuntimeDisabled)
    return Success;
  if (Status Outcome = loadRuntime())
    return Outcome;
  if (!RuntimeUp)
    return Success;
  for (const kfd::QueueSnapshotEntry &Entry : State->Queues) {
    Agent *A = Hardware.findAgent(Entry.gpu_id);
    if (!A) {
      library().log(
          AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
          "damaged GPU core state: a queue names an agent that is not "
          "there");
      return Fatal;
    }
    if (!A->Supported)
      continue;
    Queue &Made = Hardware.addQueue(*A, Entry);
    if (Made.isCompute() && Saved.update(Made) != Success)
      return Fatal;
  }
  return Success;
}

//===-- A core that runs on -----------------------------------------------===//

Expected<std::string> Process::describeCore(StringRef Files) const {
  Expected<protocol::CoreFiles> Known =
      protocol::parse<protocol::CoreFiles>(Files, "files");
  if (!Known)
    return Known.takeError();
  protocol::LoadCoreRequest Request;
  static_cast<protocol::CoreFiles &>(Request) = std::move(*Known);
  for (auto &Entry : Agents)
    Request.Agents.push_back({Entry.second->Entry});
  for (auto &Entry : Queues) {
    const Queue &One = *Entry.second;
    std::vector<const Wave *> Own;
    for (auto &Each : Waves)
      if (Each.second->Q == &One)
        Own.push_back(Each.second.get());
    llvm::sort(Own, [](const Wave *A, const Wave *B) {
      return std::tie(A->Area, A->Index) < std::tie(B->Area, B->Index);
    });
    protocol::CoreQueue &Described = Request.Queues.emplace_back();
    Described.Queue.Value = One.Entry;
    for (const Wave *W : Own)
      Described.Waves.push_back(W->Id);
  }
  Request.Runtime.Value = Facts.Runtime;
  return protocol::getText(Request);
}

Status Process::takeSimulation(StringRef Answer, std::string &Error) {
  auto Reply =
      protocol::parseAnswer<protocol::LoadCoreAnswer>(Answer, "answer");
  if (!Reply) {
    Error = toString(Reply.takeError());
    return AMD_DBGAPI_STATUS_ERROR;
  }
  Error = Reply->Warning;
  for (const auto &Queue : Reply->Queues)
    for (auto &Known : Queues)
      if (Known.second->Entry.queue_id == Queue.Value.queue_id)
        Known.second->Entry = Queue.Value;
  // The device has one set of save areas.
  for (auto &Entry : Agents)
    Entry.second->Entry.num_xcc = 1;
  kfd::DebugTrapArguments A = {};
  A.op = kfd::Enable;
  A.enable.exception_mask = Enabled;
  A.enable.rinfo_size = sizeof(Facts.Runtime);
  std::vector<uint8_t> Out;
  std::vector<kfd::QueueSnapshotEntry> Entries;
  if (Conn.trap(A, {}, &Out, /*passNotifier=*/true) < 0) {
    Error = "the simulated GPU can't be debugged";
    return AMD_DBGAPI_STATUS_ERROR;
  }
  Pid = getpid();
  Facts.Core = false;
  Simulated = true;
  Progress = AMD_DBGAPI_PROGRESS_NO_FORWARD;
  Facts.Creation = AMD_DBGAPI_WAVE_CREATION_STOP;
  A = {};
  A.op = kfd::SetWaveLaunchMode;
  A.launch_mode.launch_mode = kfd::LaunchHalt;
  Conn.trap(A);
  Memory.use(
      [this](uint64_t Address, uint64_t &Size, void *Read, const void *Write) {
        const int Done =
            Conn.isOpen() ? Conn.transfer(Address, Size, Read, Write) : -1;
        Size = uint64_t(std::max(Done, 0));
        return Done > 0;
      });
  // None of the queues is new.
  if (Status Outcome = Hardware.readQueueSnapshot(Entries))
    return Outcome;
  for (auto &Entry : Queues)
    for (const kfd::QueueSnapshotEntry &E : Entries)
      if (E.queue_id == Entry.second->Entry.queue_id) {
        Entry.second->TheSuspended = true;
        if (Status Outcome = Saved.update(*Entry.second))
          return Outcome;
      }
  return Success;
}

Status Process::simulateCore(StringRef Files, std::string &Error) {
  if (!Facts.Core || !RuntimeUp)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  Expected<std::string> Request = describeCore(Files);
  if (!Request) {
    Error = toString(Request.takeError());
    return AMD_DBGAPI_STATUS_ERROR;
  }
  int Socket = -1;
  if (Request->size() > simulator::MaxMessageSize) {
    Error = "the core has too many ranges of memory or waves";
    return AMD_DBGAPI_STATUS_ERROR;
  }
  if (!simulator::startCoreDevice(Socket, Error))
    return AMD_DBGAPI_STATUS_ERROR;
  std::string Answer;
  Status Outcome = AMD_DBGAPI_STATUS_ERROR;
  if (!Conn.adopt(Socket) || Conn.loadCore(*Request, Answer) < 0)
    Error = "the simulated GPU has ended";
  else
    Outcome = takeSimulation(Answer, Error);
  if (Outcome != Success && !Simulated)
    Conn.closeEnded();
  return Outcome;
}

/// Leaves waves as if there hadn't been a debugger.
void Process::letWavesGo() {
  setProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  if (suspend() == Success) {
    while (!TheWatchpoints.empty())
      if (removeWatchpoint(TheWatchpoints.begin()->first))
        break;
    setWaveCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
    for (auto &Entry : Waves) {
      Wave &W = *Entry.second;
      if (W.Displaced && W.State == AMD_DBGAPI_WAVE_STATE_STOP)
        if (auto At = Stepping.placeOf(W, *W.Displaced))
          Registers.setPC(W, *At);
      if (W.State == AMD_DBGAPI_WAVE_STATE_STOP || W.Hidden)
        Registers.unhalt(W, false);
      // The ids are this library's own; the next debugger assigns others.
      Registers.setTtmp(W, 4, 0);
      Registers.setTtmp(W, 5, 0);
    }
  }
  Progress = AMD_DBGAPI_PROGRESS_NORMAL;
  resume(/*All=*/true);
}

void Process::detach() {
  if (!isLive())
    return;
  Frozen = false;
  Conn.Quiet = true; // no more events are reported
  if (Simulated)     // its waves go nowhere
    return Conn.close();
  // Do this before any wave continues: the program may reach it immediately.
  Hook.remove();
  if (Conn.isOpen() && RuntimeUp)
    letWavesGo();
  if (Conn.isOpen()) {
    kfd::DebugTrapArguments A = {};
    A.op = kfd::Disable;
    Conn.trap(A);
    Conn.close();
  }
}

Status Process::enableDebug() {
  kfd::DebugTrapArguments A = {};
  A.op = kfd::Enable;
  A.enable.exception_mask = Enabled;
  A.enable.rinfo_size = sizeof(Facts.Runtime);
  std::vector<uint8_t> Out;
  const int Result = Conn.trap(A, {}, &Out, /*passNotifier=*/true);
  if (Result < 0) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  std::string("enabling debugging: ") + strerror(-Result));
    Conn.close();
    return Result == -ESRCH ? Success : Restricted;
  }
  memcpy(&Facts.Runtime, Out.data(),
         std::min(Out.size(), sizeof(Facts.Runtime)));
  if (Flags) {
    kfd::DebugTrapArguments A = {};
    A.op = kfd::SetFlags;
    A.set_flags.flags = Flags;
    Conn.trap(A);
  }
  Registers.saveOnRequest();
  if (Status Outcome = Hardware.loadAgents())
    return Outcome;
  if (Facts.Runtime.runtime_state != kfd::RuntimeDisabled)
    return loadRuntime();
  return Success;
}

/// The device is gone, by itself or with its program.
void Process::deviceEnded() {
  Conn.closeEnded();
  unloadRuntime();
}

//===-- Runtime -----------------------------------------------------------===//

Status Process::loadRuntime() {
  bool Good = Facts.Runtime.runtime_state == kfd::RuntimeEnabled;
  if (Good) {
    if (!Facts.Core)
      Memory.open(Pid);
    if (Status Outcome = Hook.insert(Good))
      return Outcome;
  }
  RuntimeUp = Good;
  Q.post(AMD_DBGAPI_EVENT_KIND_RUNTIME).Runtime =
      Good ? AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS
           : AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION;
  RuntimeWaits = true;
  if (!Good)
    return Success;
  bool Consistent;
  if (Status Outcome = readCodeObjects(Memory, Facts, *this, Consistent))
    return Outcome;
  if (Facts.Core)
    return Success;
  if (Facts.Creation == AMD_DBGAPI_WAVE_CREATION_STOP) {
    kfd::DebugTrapArguments A = {};
    A.op = kfd::SetWaveLaunchMode;
    A.launch_mode.launch_mode = kfd::LaunchHalt;
    Conn.trap(A);
  }
  if (Status Outcome = Hardware.loadQueues())
    return Outcome;
  // Report waves that are already stopped.
  if (!Queues.empty()) {
    // Their events need a separate wake-up.
    const bool Was = std::exchange(Conn.Quiet, false);
    {
      Suspended Scope(*this);
    }
    Conn.Quiet = Was;
  }
  return Success;
}

void Process::unloadRuntime() {
  const bool Was = std::exchange(RuntimeUp, false);
  RuntimeWaits = false;
  Facts.Runtime = {};
  while (!Queues.empty())
    Saved.removeQueue(Queues.begin()->first);
  if (!CodeObjects.empty())
    ListChanged[CodeObjectList] = true;
  CodeObjects.clear();
  TheWatchpoints.clear();
  if (!Was)
    return;
  Hook.remove();
  Q.post(AMD_DBGAPI_EVENT_KIND_RUNTIME).Runtime =
      AMD_DBGAPI_RUNTIME_STATE_UNLOADED;
}

Status Process::breakpointHit(amd_dbgapi_client_thread_id_t Thread,
                              amd_dbgapi_breakpoint_action_t &Action) {
  Action = AMD_DBGAPI_BREAKPOINT_ACTION_RESUME;
  if (!RuntimeUp)
    return Success;
  bool Consistent = false;
  if (Status Outcome = readCodeObjects(Memory, Facts, *this, Consistent))
    return Outcome;
  if (!Consistent) // the list is being changed, and will be hit again
                   // afterwards
    return Success;
  Event &E = Q.post(AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED);
  E.Breakpoint.handle = Hook.id();
  E.Thread = Thread;
  Action = AMD_DBGAPI_BREAKPOINT_ACTION_HALT;
  return Success;
}

//===-- Events ------------------------------------------------------------===//

Status Process::nextEvent(Event *&E) {
  E = nullptr;
  if (Q.empty() && isLive())
    if (Status Outcome = pump())
      return Outcome;
  E = Q.take();
  if (E && E->Kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP) {
    auto W = Waves.find(E->W);
    if (W != Waves.end())
      W->second->Reported = true;
  }
  return Success;
}

Status Process::eventProcessed(Event &E) {
  switch (E.Kind) {
  case AMD_DBGAPI_EVENT_KIND_WAVE_STOP: {
    auto W = Waves.find(E.W);
    if (W != Waves.end())
      W->second->Processed = true;
    break;
  }
  case AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED:
    // Let the thread that waits at r_brk continue.
    if (E.Thread || E.Breakpoint.handle) {
      Event &Resume = Q.post(AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME);
      Resume.Breakpoint = E.Breakpoint;
      Resume.Thread = E.Thread;
    }
    break;
  case AMD_DBGAPI_EVENT_KIND_RUNTIME:
    if (std::exchange(RuntimeWaits, false) && !Facts.Core)
      resumeRuntime();
    break;
  default:
    break;
  }
  TheEvents.erase(E.Id);
  return Success;
}

/// The program's runtime waits when it comes up and when it ends.
void Process::resumeRuntime() {
  kfd::DebugTrapArguments A = {};
  A.op = kfd::SendRuntimeEvent;
  A.send_runtime_event.exception_mask = RuntimeMask;
  Conn.trap(A);
}

/// The runtime has come up or ended.
Status Process::takeRuntimeEvent() {
  kfd::DebugTrapArguments Q = {};
  Q.op = kfd::QueryExceptionInfo;
  Q.query_exception_info.info_size = sizeof(Facts.Runtime);
  Q.query_exception_info.exception_code = kfd::ProcessRuntime;
  Q.query_exception_info.clear_exception = 1;
  std::vector<uint8_t> Out;
  if (Conn.trap(Q, {}, &Out) < 0)
    return Conn.isOpen() ? Fatal : Success;
  kfd::RuntimeInfo Info = {};
  memcpy(&Info, Out.data(), std::min(Out.size(), sizeof(Info)));
  if (Info.runtime_state == kfd::RuntimeDisabled) {
    // The client ends the event of a runtime that it knows. One that can't be
    // debugged ends without an event.
    const bool Was = RuntimeUp;
    unloadRuntime();
    RuntimeWaits = Was;
    if (!Was)
      resumeRuntime();
    return Success;
  }
  if (RuntimeUp)
    unloadRuntime();
  Facts.Runtime = Info;
  return loadRuntime();
}

/// \param[out] look Whether there are queues or waves to update.
Status Process::takeDeviceEvents(bool &Look) {
  unsigned Count = 0, RuntimeEvents = 0;
  while (Conn.isOpen()) {
    if (++Count > MostEvents || RuntimeEvents > MostRuntimeEvents)
      return Fatal;
    kfd::DebugTrapArguments A = {};
    A.op = kfd::QueryDebugEvent;
    // Asking for new queues and the runtime clears their exceptions.
    A.query_debug_event.exception_mask = ~(QueueNewMask | RuntimeMask);
    const int Result = Conn.trap(A);
    if (Result == -EAGAIN || !Conn.isOpen())
      return Success;
    if (Result < 0)
      return Fatal;
    const uint64_t Mask = A.query_debug_event.exception_mask;
    Status Outcome = Success;
    if (Mask & RuntimeMask && !A.query_debug_event.queue_id) {
      ++RuntimeEvents;
      Outcome = takeRuntimeEvent();
    } else {
      Look = true;
      if (Mask & QueueNewMask)
        Outcome = Hardware.loadQueues();
    }
    if (Outcome)
      return Outcome;
  }
  return Success;
}

Status Process::pump() {
  Conn.drain();
  Conn.Quiet = true;
  Status Outcome = Success;
  if (Conn.wasLost() || Conn.hasHungUp())
    deviceEnded();
  if (!Conn.isOpen()) {
    Conn.open();
    if (Conn.isOpen()) {
      Outcome = enableDebug();
      if (Outcome == Restricted) {
        Q.post(AMD_DBGAPI_EVENT_KIND_RUNTIME).Runtime =
            AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION;
        Outcome = Success;
      }
    }
  }
  bool Look = false;
  if (!Outcome)
    Outcome = takeDeviceEvents(Look);
  if (!Outcome && Look) {
    Suspended Scope(*this);
    Outcome = Scope.Outcome;
  }
  if (Conn.wasLost())
    deviceEnded();
  Conn.Quiet = false;
  return Outcome == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED ? Success : Outcome;
}

//===-- Queues that run and stand -----------------------------------------===//

/// Suspends the known queues.
/// \param[out] complete False if queues have been created or destroyed
///     since the last update.
Status Process::suspendOnce(bool &Complete) {
  Complete = true;
  std::vector<uint32_t> Ids;
  for (auto &Entry : Queues)
    if (!Entry.second->TheSuspended && Entry.second->isCompute() &&
        Entry.second->A->Supported)
      Ids.push_back(Entry.second->Entry.queue_id);
  if (Ids.empty())
    return Success;
  kfd::DebugTrapArguments A = {};
  A.op = kfd::SuspendQueues;
  // The waves' own reports replace the queues' exceptions.
  A.suspend_queues.exception_mask = WaveExceptions;
  A.suspend_queues.num_queues = uint32_t(Ids.size());
  std::vector<uint8_t> Out;
  const int Result = Conn.trap(
      A, ArrayRef(reinterpret_cast<uint8_t *>(Ids.data()), Ids.size() * 4),
      &Out);
  if (Result < 0) {
    if (!isLive() || !Conn.isOpen())
      return Success;
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  std::string("suspending queues: ") + strerror(-Result));
    return Fatal;
  }
  std::vector<Queue *> Fresh;
  for (size_t I = 0; I < Ids.size() && (I + 1) * 4 <= Out.size(); ++I) {
    const uint32_t Answer = support::endian::read32le(Out.data() + I * 4);
    if (Answer & (kfd::QueueInvalidMask | kfd::QueueErrorMask)) {
      Complete = false;
      continue;
    }
    for (auto &Entry : Queues)
      if (Entry.second->Entry.queue_id == Ids[I]) {
        Entry.second->TheSuspended = true;
        Fresh.push_back(Entry.second.get());
      }
  }
  for (Queue *One : Fresh)
    if (Status Outcome = Saved.update(*One))
      return Outcome;
  Saved.removeGone();
  return Success;
}

Status Process::suspend() {
  if (!isLive() || !RuntimeUp || !Conn.isOpen())
    return Success;
  for (int Round = 0; Round < 3; ++Round) {
    bool Complete;
    if (Status Outcome = suspendOnce(Complete))
      return Outcome;
    if (Complete)
      return Success;
    if (Status Outcome = Hardware.loadQueues())
      return Outcome;
  }
  return Success;
}

Status Process::resume(bool All) {
  if (!isLive() || !Conn.isOpen())
    return Success;
  std::vector<uint32_t> Ids;
  std::vector<Queue *> Resumed;
  for (auto &Entry : Queues)
    if (Entry.second->TheSuspended && (All || !Entry.second->standsStill())) {
      Ids.push_back(Entry.second->Entry.queue_id);
      Resumed.push_back(Entry.second.get());
      Entry.second->TheSuspended = false;
    }
  if (Ids.empty())
    return Success;
  if (Status Outcome = Registers.saveAll())
    return Outcome;
  for (Queue *One : Resumed)
    Saved.markChanged(*One);
  kfd::DebugTrapArguments A = {};
  A.op = kfd::ResumeQueues;
  A.resume_queues.num_queues = uint32_t(Ids.size());
  std::vector<uint8_t> Out;
  const int Result = Conn.trap(
      A, ArrayRef(reinterpret_cast<uint8_t *>(Ids.data()), Ids.size() * 4),
      &Out);
  if (Result < 0 && isLive() && Conn.isOpen()) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  std::string("resuming queues: ") + strerror(-Result));
    return Fatal;
  }
  return Success;
}

Status Process::refresh() {
  Suspended Scope(*this);
  return Scope.Outcome;
}

Status Process::setProgress(amd_dbgapi_progress_t Mode) {
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Progress = Mode;
  return Mode == AMD_DBGAPI_PROGRESS_NORMAL ? resume() : Success;
}

Status Process::setWaveCreation(amd_dbgapi_wave_creation_t Mode) {
  if (Facts.Core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (Mode == Facts.Creation)
    return Success;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  Facts.Creation = Mode;
  if (!RuntimeUp || !isLive() || !Conn.isOpen())
    return Success; // applied when the runtime comes up
  kfd::DebugTrapArguments A = {};
  A.op = kfd::SetWaveLaunchMode;
  A.launch_mode.launch_mode = Mode == AMD_DBGAPI_WAVE_CREATION_STOP
                                  ? kfd::LaunchHalt
                                  : kfd::LaunchNormal;
  if (Conn.trap(A) < 0 && Conn.isOpen())
    return Fatal;
  if (Mode == AMD_DBGAPI_WAVE_CREATION_NORMAL)
    for (auto &Entry : Waves)
      if (Entry.second->Hidden) {
        Entry.second->Hidden = false;
        ListChanged[WaveList] = true;
        if (Status Outcome = Registers.unhalt(*Entry.second, false))
          return Outcome;
      }
  return Success;
}

Status Process::freeze() {
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_ALREADY_FROZEN;
  if (Facts.Core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (Progress != AMD_DBGAPI_PROGRESS_NO_FORWARD ||
      Facts.Creation != AMD_DBGAPI_WAVE_CREATION_STOP)
    return AMD_DBGAPI_STATUS_ERROR_INCOMPATIBLE_PROCESS_STATE;
  if (Status Outcome = suspend())
    return Outcome;
  if (Status Outcome = Registers.saveAll())
    return Outcome;
  // The client is going to read all memory, in its own way.
  for (auto &Entry : Queues)
    if (Entry.second->TheSuspended)
      if (Status Outcome = Registers.fetchAll(*Entry.second))
        return Outcome;
  Frozen = true;
  return Success;
}

Status Process::unfreeze() {
  if (!Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN;
  Frozen = false;
  return Success;
}

std::vector<uint8_t> Process::coreState() const {
  CoreState State;
  State.Runtime = Facts.Runtime;
  for (auto &Entry : Agents)
    State.Agents.push_back(Entry.second->Entry);
  for (auto &Entry : Queues)
    State.Queues.push_back(Entry.second->Entry);
  return State.write();
}

//===-- Waves -------------------------------------------------------------===//

Wave *Process::findWave(uint64_t Of, Status &Outcome) const {
  auto Match = Waves.find(Of);
  if (Match != Waves.end())
    return Match->second.get();
  Outcome = AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  return nullptr;
}

Wave *Process::findStopped(uint64_t Of, Status &Outcome) const {
  Wave *W = findWave(Of, Outcome);
  if (!W || W->State == AMD_DBGAPI_WAVE_STATE_STOP)
    return W;
  Outcome = AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  return nullptr;
}

Status Process::stopWave(uint64_t Of) {
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Status Outcome = Success;
  Wave *W = findWave(Of, Outcome);
  if (!W)
    return Outcome;
  if (W->State == AMD_DBGAPI_WAVE_STATE_STOP)
    return W->Reported ? AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED
                       : AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  if (!(W = findWave(Of, Outcome)))
    return Outcome;
  if (W->State == AMD_DBGAPI_WAVE_STATE_STOP)
    return Success; // it has stopped by itself meanwhile: that event is the
                    // answer
  if (W->State == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP)
    Registers.endStep(*W);
  if ((Outcome = Registers.halt(*W)))
    return Outcome;
  W->setState(AMD_DBGAPI_WAVE_STATE_STOP);
  W->Hidden = false;
  W->Reasons = 0;
  W->Watches = 0;
  W->Reported = W->Processed = false;
  Q.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).W = Of;
  return Success;
}

/// The program's runtime takes over, so the wave stays where it is.
Status Process::deliverExceptions(Wave &W, uint32_t Exceptions) {
  W.setState(AMD_DBGAPI_WAVE_STATE_RUN);
  kfd::DebugTrapArguments A = {};
  A.op = kfd::SendRuntimeEvent;
  A.send_runtime_event.exception_mask = Exceptions;
  A.send_runtime_event.gpu_id = W.Q->A->Entry.gpu_id;
  A.send_runtime_event.queue_id = W.Q->Entry.queue_id;
  return Conn.trap(A) < 0 && Conn.isOpen() ? Fatal : Success;
}

bool Process::isAtEnd(const Wave &W) {
  uint8_t Bytes[4];
  InstructionDecoder *Decoder = InstructionDecoder::get(*archOf(W).Arch);
  const uint64_t At = Registers.pc(W);
  if (!Decoder || Memory.readAll(At, Bytes, sizeof(Bytes)) != Success)
    return false;
  std::optional<Instruction> Inst = Decoder->decode(At, Bytes, false);
  return Inst && Inst->Kind == AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE;
}

Status Process::resumeWave(uint64_t Of, amd_dbgapi_resume_mode_t Mode,
                           uint32_t Exceptions) {
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Status Outcome = Success;
  Wave *W = findStopped(Of, Outcome);
  if (!W)
    return Outcome;
  if (!W->Reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (!W->Processed)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_RESUMABLE;
  const bool Step = Mode == AMD_DBGAPI_RESUME_MODE_SINGLE_STEP;
  if (W->Displaced && !Step)
    return AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  if (!(W = findWave(Of, Outcome)))
    return Outcome;
  W->Reported = W->Processed = false;
  W->Watches = 0;
  if (Exceptions && !Facts.Core && !Simulated)
    return deliverExceptions(*W, Exceptions);
  if (W->Displaced && W->Displaced->Simulate) {
    if ((Outcome = Stepping.simulate(*W)))
      return Outcome;
    W->Reasons = AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;
    Q.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).W = Of;
    return Success;
  }
  W->setState(Step ? AMD_DBGAPI_WAVE_STATE_SINGLE_STEP
                   : AMD_DBGAPI_WAVE_STATE_RUN);
  if (Facts.Core)
    return Success;
  if (Step && isAtEnd(*W)) {
    // A wave's end isn't reported, so report it here and let the wave go.
    W->setState(AMD_DBGAPI_WAVE_STATE_RUN);
    W->Ending = true;
    ListChanged[WaveList] = true;
    Q.post(AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED).W = Of;
    return Registers.unhalt(*W, false);
  }
  return Registers.unhalt(*W, Step);
}

Status Process::startDisplaced(uint64_t Of, const void *Bytes, uint64_t &Step) {
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (Facts.Core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  Status Outcome = Success;
  Wave *W = findStopped(Of, Outcome);
  if (!W)
    return Outcome;
  if (!W->Reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (W->Displaced)
    return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_ACTIVE;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  W = findWave(Of, Outcome);
  return W ? Stepping.start(*W, Bytes, Step) : Outcome;
}

Status Process::completeDisplaced(uint64_t Of, DisplacedStep &Step) {
  Status Outcome = Success;
  Wave *W = findWave(Of, Outcome);
  if (!W)
    return Outcome;
  if (W->Displaced != &Step)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  if (W->State != AMD_DBGAPI_WAVE_STATE_STOP || !W->Reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  W = findWave(Of, Outcome);
  return W ? Stepping.complete(*W, Step) : Outcome;
}

Status Process::readRegister(uint64_t Of, const Register &Reg, uint64_t Offset,
                             uint64_t Size, void *Value) {
  Status Outcome = Success;
  Wave *W = findStopped(Of, Outcome);
  if (!W)
    return Outcome;
  if (!Registers.exists(*W, Reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (auto Known = Registers.readKnown(*W, Reg, Offset, Size, Value))
    return *Known;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  W = findWave(Of, Outcome);
  return W ? Registers.read(*W, Reg, Offset, Size, Value) : Outcome;
}

Status Process::writeRegister(uint64_t Of, const Register &Reg, uint64_t Offset,
                              uint64_t Size, const void *Value) {
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Status Outcome = Success;
  Wave *W = findStopped(Of, Outcome);
  if (!W)
    return Outcome;
  if (!Registers.exists(*W, Reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (Facts.Core) // a core's memory doesn't change
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  W = findWave(Of, Outcome);
  return W ? Registers.write(*W, Reg, Offset, Size, Value) : Outcome;
}

//===-- Memory, watchpoints and precision ---------------------------------===//

void Process::noteWrite(uint64_t Address, uint64_t Size, const void *Bytes) {
  // It is executable memory, or a block too large to be a variable.
  constexpr uint64_t Largest = 1 << 20;
  if (!Records || !isLive() || !Conn.isOpen() || !Size || Size > Largest)
    return;
  protocol::WroteRequest Request;
  Request.Address = Address;
  Request.Data.Data.assign(static_cast<const char *>(Bytes), size_t(Size));
  std::string Answer;
  Conn.askHistory(protocol::getText(protocol::HistoryRequest(Request)), Answer);
}

Status Process::askHistory(StringRef Request, std::string &Answer) {
  if (Facts.Core || !isLive() || !Conn.isOpen())
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  Expected<protocol::HistoryRequest> Asked =
      protocol::parse<protocol::HistoryRequest>(Request, "request");
  if (!Asked) {
    consumeError(Asked.takeError());
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  }
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  if (Status Outcome = Registers.saveAll())
    return Outcome;
  if (Conn.askHistory(Request, Answer) < 0)
    return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
  if (const auto *Record = std::get_if<protocol::RecordRequest>(&*Asked))
    Records = Record->On;
  const auto *Go = std::get_if<protocol::GoRequest>(&*Asked);
  if (!Go)
    return Success;
  Expected<protocol::GoAnswer> Place =
      protocol::parseAnswer<protocol::GoAnswer>(Answer, "answer");
  if (!Place) {
    // The client reads the answer as well.
    consumeError(Place.takeError());
    return Success;
  }
  Facts.Traveled = true;
  for (auto &Entry : Queues)
    if (Entry.second->TheSuspended)
      if (Status Outcome = Saved.update(*Entry.second))
        return Outcome;
  Saved.removeGone();
  for (auto &Entry : Waves) {
    Wave &W = *Entry.second;
    if (!Place->Queue || !Place->Index ||
        W.Q->Entry.queue_id != *Place->Queue || W.Index != *Place->Index)
      continue;
    Place->Wave = W.Id;
    W.Watches = Go->Watches;
    W.Reasons = W.Watches ? AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT
                          : AMD_DBGAPI_WAVE_STOP_REASON_NONE;
  }
  Answer = protocol::getText(*Place);
  return Success;
}

Status Process::transfer(uint64_t Address, uint64_t &Size, void *Read,
                         const void *Write) {
  if (!Facts.Core && !Simulated && Conn.isOpen())
    if (Status Outcome = Memory.limitToAllocated(Address, Size))
      return Outcome;
  for (auto &Entry : Queues) {
    Queue &One = *Entry.second;
    const uint64_t Area = One.Entry.ctx_save_restore_address;
    if (Address >= Area + One.saveAreaBytes() || Area >= Address + Size)
      continue;
    if (One.TheSuspended)
      if (Status Outcome = Registers.fetchAll(One))
        return Outcome;
    One.AreaWritten |= Write != nullptr;
  }
  if (Write)
    noteWrite(Address, Size, Write);
  return Memory.transfer(Address, Size, Read, Write);
}

Status Process::transferSegment(uint64_t Of, uint32_t Lane, Space AS,
                                uint64_t Address, uint64_t &Size, void *Read,
                                const void *Write) {
  const uint64_t Wanted = std::exchange(Size, 0);
  Status Outcome = Success;
  if (!findStopped(Of, Outcome))
    return Outcome;
  Suspended Scope(*this);
  if (Scope.Outcome)
    return Scope.Outcome;
  Wave *W = findWave(Of, Outcome);
  if (!W)
    return Outcome;
  if (AS == Local) {
    if ((Outcome = Registers.fetch(*W)))
      return Outcome;
    if (Write)
      Registers.noteWrite(*W);
  }
  Size = Wanted;
  return library::transferSegment(
      Memory, *W, Lane, AS, Address, Size, Read, Write,
      [this](uint64_t Place, uint64_t Bytes, const void *From) {
        noteWrite(Place, Bytes, From);
      });
}

bool Process::allAgentsCan(uint32_t Capability) const {
  if (Agents.empty())
    return false;
  for (auto &Entry : Agents)
    if (Entry.second->Supported &&
        !(Entry.second->Entry.capability & Capability))
      return false;
  return true;
}

Status Process::setWatchpoint(uint64_t Address, uint64_t Size,
                              amd_dbgapi_watchpoint_kind_t Kind,
                              uint64_t &Made) {
  if (Facts.Core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (Frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (!RuntimeUp || TheWatchpoints.size() >= Watches.count())
    return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
  Suspended Scope(*this);
  return Scope.Outcome ? Scope.Outcome : Watches.set(Address, Size, Kind, Made);
}

Status Process::removeWatchpoint(uint64_t Of) {
  if (!TheWatchpoints.count(Of))
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  Suspended Scope(*this);
  return Scope.Outcome ? Scope.Outcome : Watches.remove(Of);
}

Status Process::setFlag(uint32_t Flag, bool On) {
  if (Facts.Core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  const bool Can = Flag == kfd::SingleMemoryOperation ? canPreciseMemory()
                   : Flag == kfd::SingleAluOperation  ? canPreciseAlu()
                                                      : true;
  if (On && !Can)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  Flags = On ? Flags | Flag : Flags & ~Flag;
  if (!Conn.isOpen())
    return Success; // sent when the device comes up
  kfd::DebugTrapArguments A = {};
  A.op = kfd::SetFlags;
  A.set_flags.flags = Flags;
  return Conn.trap(A) < 0 && Conn.isOpen() ? Fatal : Success;
}

} // namespace wavelane::library
