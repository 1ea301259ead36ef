//===-- Process.cpp - A program whose GPU waves are debugged --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process.h"
#include "CodeObjects.h"
#include "CoreState.h"
#include "WaveState.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

using namespace llvm;

namespace wavelane::library {

namespace {

constexpr Status Restricted = AMD_DBGAPI_STATUS_ERROR_RESTRICTION;

constexpr uint64_t QueueNewMask = kfd::exceptionMask(kfd::QueueNew);
/// Wave exceptions, new queues, the runtime.
constexpr uint64_t Enabled = 0x3f | QueueNewMask | RuntimeMask;

// Capabilities that debugging needs.
constexpr uint32_t DebugSupported = 1u << 15, FirmwareSupported = 1u << 29;
/// r_debug versions whose trap handler this library knows.
constexpr uint32_t OldestRDebug = 8, NewestRDebug = 10;

} // namespace

Library &library() {
  static Library instance;
  return instance;
}

void Library::log(amd_dbgapi_log_level_t level, const std::string &text) const {
  if (initialized && level <= logLevel)
    callbacks.log_message(level, text.c_str());
}

//===-- Attach and detach -------------------------------------------------===//

Status Process::attach() {
  amd_dbgapi_os_process_id_t osPid = 0;
  const Status status = library().callbacks.client_process_get_info(
      client, AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID, sizeof(osPid), &osPid);
  if (!connection.create())
    return Fatal;
  if (status == AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE)
    return attachCore();
  if (status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED) {
    memory.setEnded();
    return Success;
  }
  if (status != Success)
    return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
  pid = osPid;
  memory.open(pid);
  if (!connection.watchFor(pid))
    return Success;
  connection.open();
  return connection.isOpen() ? enableDebug() : Success;
}

Status Process::attachCore() {
  facts.core = true;
  amd_dbgapi_core_state_data_t data = {};
  const Status status = library().callbacks.client_process_get_info(
      client, AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE, sizeof(data), &data);
  if (status != Success)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_CLIENT_PROCESS_ID;
  const uint8_t *bytes = static_cast<const uint8_t *>(data.data);
  std::vector<uint8_t> note;
  if (bytes)
    note.assign(bytes, bytes + data.size);
  library().callbacks.deallocate_memory(const_cast<void *>(data.data));
  if (data.endianness != AMD_DBGAPI_ENDIAN_LITTLE)
    return Fatal;
  std::optional<CoreState> state;
  if (Status status = CoreState::parse(note, state))
    return status;
  if (!state)
    return Success;
  facts.runtime = state->runtime;
  for (const kfd::DeviceSnapshotEntry &entry : state->agents)
    addAgent(entry);
  if (facts.runtime.runtime_state == kfd::RuntimeDisabled)
    return Success;
  if (Status status = loadRuntime())
    return status;
  if (!runtimeUp)
    return Success;
  for (const kfd::QueueSnapshotEntry &entry : state->queues) {
    Agent *agent = findAgent(entry.gpu_id);
    if (!agent) {
      library().log(
          AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
          "damaged GPU core state: a queue names an agent that is not "
          "there");
      return Fatal;
    }
    if (!agent->supported)
      continue;
    Queue &made = addQueue(*agent, entry);
    if (made.isCompute() && saved.update(made) != Success)
      return Fatal;
  }
  return Success;
}

/// Leaves waves as if there had been no debugger.
void Process::letWavesGo() {
  setProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  if (suspend() == Success) {
    while (!watchpoints.empty())
      if (removeWatchpoint(watchpoints.begin()->first))
        break;
    setWaveCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
    for (auto &entry : waves) {
      Wave &wave = *entry.second;
      if (wave.displaced && wave.state == AMD_DBGAPI_WAVE_STATE_STOP)
        if (auto at = stepping.placeOf(wave, *wave.displaced))
          registers.setPC(wave, *at);
      if (wave.state == AMD_DBGAPI_WAVE_STATE_STOP || wave.hidden)
        registers.unhalt(wave, false);
      // The ids are this library's; the next debugger gives its own.
      registers.setTtmp(wave, 4, 0);
      registers.setTtmp(wave, 5, 0);
    }
  }
  progress = AMD_DBGAPI_PROGRESS_NORMAL;
  resume();
}

void Process::detach() {
  if (!isLive())
    return;
  frozen = false;
  connection.quiet = true; // nobody hears of events any more
  // Before any wave runs on: the program may get there at once.
  removeBreakpoint();
  if (connection.isOpen() && runtimeUp)
    letWavesGo();
  if (connection.isOpen()) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::Disable;
    connection.trap(a);
    connection.close();
  }
}

void Process::removeBreakpoint() {
  if (breakpoint)
    library().callbacks.remove_breakpoint(client, {breakpoint});
  breakpoint = 0;
}

Status Process::enableDebug() {
  kfd::DebugTrapArguments a = {};
  a.op = kfd::Enable;
  a.enable.exception_mask = Enabled;
  a.enable.rinfo_size = sizeof(facts.runtime);
  std::vector<uint8_t> out;
  const int result = connection.trap(a, {}, &out, /*passNotifier=*/true);
  if (result < 0) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  std::string("enabling debugging: ") + strerror(-result));
    connection.close();
    return result == -ESRCH ? Success : Restricted;
  }
  memcpy(&facts.runtime, out.data(),
         std::min(out.size(), sizeof(facts.runtime)));
  if (flags) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetFlags;
    a.set_flags.flags = flags;
    connection.trap(a);
  }
  if (Status status = loadAgents())
    return status;
  if (facts.runtime.runtime_state != kfd::RuntimeDisabled)
    return loadRuntime();
  return Success;
}

/// The device has gone, by itself or with its program.
void Process::deviceEnded() {
  connection.forgetLoss();
  connection.close();
  unloadRuntime();
}

//===-- Agents and queues -------------------------------------------------===//

void Process::addAgent(const kfd::DeviceSnapshotEntry &entry) {
  auto agent = std::make_unique<Agent>();
  agent->id = library().newId(Library::AgentId);
  agent->entry = entry;
  if (const savearea::Architecture *arch =
          savearea::findByTargetVersion(entry.gfx_target_version)) {
    agent->known = true;
    agent->archIndex = unsigned(arch - savearea::architectures().data());
  }
  agent->supported = agent->known && entry.capability & DebugSupported &&
                     entry.capability & FirmwareSupported;
  agents[agent->id] = std::move(agent);
  listChanged[AgentList] = true;
}

Agent *Process::findAgent(uint32_t gpuId) const {
  for (auto &entry : agents)
    if (entry.second->entry.gpu_id == gpuId)
      return entry.second.get();
  return nullptr;
}

Status Process::loadAgents() {
  uint32_t count = 16;
  std::vector<uint8_t> out;
  for (;;) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::GetDeviceSnapshot;
    a.device_snapshot.num_devices = count;
    a.device_snapshot.entry_size = sizeof(kfd::DeviceSnapshotEntry);
    if (connection.trap(a, {}, &out) < 0)
      return connection.isOpen() ? Fatal : Success;
    if (a.device_snapshot.num_devices <= count)
      break;
    count = a.device_snapshot.num_devices;
  }
  agents.clear();
  for (size_t at = 0; at + sizeof(kfd::DeviceSnapshotEntry) <= out.size();
       at += sizeof(kfd::DeviceSnapshotEntry)) {
    kfd::DeviceSnapshotEntry entry;
    memcpy(&entry, out.data() + at, sizeof(entry));
    addAgent(entry);
  }
  return Success;
}

Queue &Process::addQueue(Agent &agent, const kfd::QueueSnapshotEntry &entry) {
  auto made = std::make_unique<Queue>();
  made->id = library().newId(Library::QueueId);
  made->agent = &agent;
  made->entry = entry;
  Queue &result = *made;
  queues[result.id] = std::move(made);
  listChanged[QueueList] = true;
  return result;
}

Status
Process::readQueueSnapshot(std::vector<kfd::QueueSnapshotEntry> &entries) {
  uint32_t count = 64;
  std::vector<uint8_t> out;
  for (;;) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::GetQueueSnapshot;
    a.queue_snapshot.exception_mask = QueueNewMask;
    a.queue_snapshot.num_queues = count;
    a.queue_snapshot.entry_size = sizeof(kfd::QueueSnapshotEntry);
    if (connection.trap(a, {}, &out) < 0)
      return Fatal;
    if (a.queue_snapshot.num_queues <= count)
      break;
    count = a.queue_snapshot.num_queues + 16;
  }
  entries.resize(out.size() / sizeof(kfd::QueueSnapshotEntry));
  if (!entries.empty())
    memcpy(entries.data(), out.data(),
           entries.size() * sizeof(kfd::QueueSnapshotEntry));
  return Success;
}

Status Process::loadQueues() {
  std::vector<kfd::QueueSnapshotEntry> entries;
  if (Status status = readQueueSnapshot(entries))
    return connection.isOpen() ? status : Success;
  auto isSame = [](const kfd::QueueSnapshotEntry &a,
                   const kfd::QueueSnapshotEntry &b) {
    return a.queue_id == b.queue_id && a.gpu_id == b.gpu_id;
  };
  std::vector<uint64_t> gone;
  for (auto &known : queues) {
    const bool there = std::any_of(
        entries.begin(), entries.end(), [&](const kfd::QueueSnapshotEntry &e) {
          // A number used again is another queue.
          return isSame(e, known.second->entry) &&
                 !(e.exception_status & QueueNewMask);
        });
    if (!there)
      gone.push_back(known.first);
  }
  for (uint64_t id : gone)
    saved.removeQueue(id);
  for (const kfd::QueueSnapshotEntry &entry : entries) {
    const bool known = std::any_of(queues.begin(), queues.end(), [&](auto &q) {
      return isSame(q.second->entry, entry);
    });
    Agent *agent = findAgent(entry.gpu_id);
    if (!known && agent && agent->supported)
      addQueue(*agent, entry);
  }
  return Success;
}

//===-- Runtime -----------------------------------------------------------===//

Status Process::checkRuntime(bool &good) {
  good = false;
  int32_t version = 0;
  uint64_t address = 0;
  auto read = [&](uint64_t from, void *to, uint64_t size) {
    const Status status = memory.readAll(from, to, size);
    return status && facts.core ? Fatal : status;
  };
  if (Status status = read(facts.runtime.r_debug, &version, sizeof(version)))
    return status;
  if (Status status = read(facts.runtime.r_debug + 16, &address, 8))
    return status;
  facts.rdebugVersion = uint32_t(version);
  if (version < int32_t(OldestRDebug) || version > int32_t(NewestRDebug)) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "r_debug version " + std::to_string(version) + ", " +
                      std::to_string(OldestRDebug) + " to " +
                      std::to_string(NewestRDebug) + " are known");
    return Success;
  }
  if (!facts.core) {
    const uint64_t made = library().newId(Library::BreakpointId);
    if (library().callbacks.insert_breakpoint(client, address, {made}) !=
        Success) {
      library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                    "the client cannot put a breakpoint on the runtime's "
                    "code-object hook");
      return Success;
    }
    breakpoint = made;
  }
  good = true;
  return Success;
}

Status Process::loadRuntime() {
  bool good = facts.runtime.runtime_state == kfd::RuntimeEnabled;
  if (good) {
    if (!facts.core)
      memory.open(pid);
    if (Status status = checkRuntime(good))
      return status;
  }
  runtimeUp = good;
  queue.post(AMD_DBGAPI_EVENT_KIND_RUNTIME).runtime =
      good ? AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS
           : AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION;
  runtimeWaits = true;
  if (!good)
    return Success;
  bool consistent;
  if (Status status = readCodeObjects(memory, facts, *this, consistent))
    return status;
  if (facts.core)
    return Success;
  if (facts.creation == AMD_DBGAPI_WAVE_CREATION_STOP) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetWaveLaunchMode;
    a.launch_mode.launch_mode = kfd::LaunchHalt;
    connection.trap(a);
  }
  if (Status status = loadQueues())
    return status;
  // Waves that already are stopped say so.
  if (!queues.empty()) {
    // Their events need a wake-up of their own.
    const bool was = std::exchange(connection.quiet, false);
    {
      Suspended scope(*this);
    }
    connection.quiet = was;
  }
  return Success;
}

void Process::unloadRuntime() {
  const bool was = std::exchange(runtimeUp, false);
  runtimeWaits = false;
  facts.runtime = {};
  while (!queues.empty())
    saved.removeQueue(queues.begin()->first);
  if (!codeObjects.empty())
    listChanged[CodeObjectList] = true;
  codeObjects.clear();
  watchpoints.clear();
  if (!was)
    return;
  removeBreakpoint();
  queue.post(AMD_DBGAPI_EVENT_KIND_RUNTIME).runtime =
      AMD_DBGAPI_RUNTIME_STATE_UNLOADED;
}

Status Process::breakpointHit(amd_dbgapi_client_thread_id_t thread,
                              amd_dbgapi_breakpoint_action_t &action) {
  action = AMD_DBGAPI_BREAKPOINT_ACTION_RESUME;
  if (!runtimeUp)
    return Success;
  bool consistent = false;
  if (Status status = readCodeObjects(memory, facts, *this, consistent))
    return status;
  if (!consistent) // the list is being changed: it is hit again afterwards
    return Success;
  Event &event = queue.post(AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED);
  event.breakpoint.handle = breakpoint;
  event.thread = thread;
  action = AMD_DBGAPI_BREAKPOINT_ACTION_HALT;
  return Success;
}

//===-- Events ------------------------------------------------------------===//

Status Process::nextEvent(Event *&event) {
  event = nullptr;
  if (queue.empty() && isLive())
    if (Status status = pump())
      return status;
  event = queue.take();
  if (event && event->kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP) {
    auto wave = waves.find(event->wave);
    if (wave != waves.end())
      wave->second->reported = true;
  }
  return Success;
}

Status Process::eventProcessed(Event &event) {
  switch (event.kind) {
  case AMD_DBGAPI_EVENT_KIND_WAVE_STOP: {
    auto wave = waves.find(event.wave);
    if (wave != waves.end())
      wave->second->processed = true;
    break;
  }
  case AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED:
    // The thread that waits at r_brk may go on.
    if (event.thread || event.breakpoint.handle) {
      Event &resume = queue.post(AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME);
      resume.breakpoint = event.breakpoint;
      resume.thread = event.thread;
    }
    break;
  case AMD_DBGAPI_EVENT_KIND_RUNTIME:
    if (runtimeWaits && !facts.core) {
      runtimeWaits = false;
      kfd::DebugTrapArguments a = {};
      a.op = kfd::SendRuntimeEvent;
      a.send_runtime_event.exception_mask = RuntimeMask;
      connection.trap(a);
    }
    break;
  default:
    break;
  }
  events.erase(event.id);
  return Success;
}

/// The runtime has come or gone.
Status Process::takeRuntimeEvent() {
  kfd::DebugTrapArguments q = {};
  q.op = kfd::QueryExceptionInfo;
  q.query_exception_info.info_size = sizeof(facts.runtime);
  q.query_exception_info.exception_code = kfd::ProcessRuntime;
  q.query_exception_info.clear_exception = 1;
  std::vector<uint8_t> out;
  if (connection.trap(q, {}, &out) < 0)
    return connection.isOpen() ? Fatal : Success;
  kfd::RuntimeInfo info = {};
  memcpy(&info, out.data(), std::min(out.size(), sizeof(info)));
  if (info.runtime_state == kfd::RuntimeDisabled) {
    unloadRuntime();
    // The program waits to be let go here as well.
    runtimeWaits = true;
    return Success;
  }
  if (runtimeUp)
    unloadRuntime();
  facts.runtime = info;
  return loadRuntime();
}

/// \param[out] look  whether there are queues or waves to be looked at.
Status Process::takeDeviceEvents(bool &look) {
  while (connection.isOpen()) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::QueryDebugEvent;
    // New queues and the runtime are cleared by asking for them.
    a.query_debug_event.exception_mask = ~(QueueNewMask | RuntimeMask);
    const int result = connection.trap(a);
    if (result == -EAGAIN || !connection.isOpen())
      return Success;
    if (result < 0)
      return Fatal;
    const uint64_t mask = a.query_debug_event.exception_mask;
    Status status = Success;
    if (mask & RuntimeMask && !a.query_debug_event.queue_id) {
      status = takeRuntimeEvent();
    } else {
      look = true;
      if (mask & QueueNewMask)
        status = loadQueues();
    }
    if (status)
      return status;
  }
  return Success;
}

Status Process::pump() {
  connection.drain();
  connection.quiet = true;
  Status status = Success;
  if (connection.wasLost() || connection.hasHungUp())
    deviceEnded();
  if (!connection.isOpen()) {
    connection.open();
    if (connection.isOpen()) {
      status = enableDebug();
      if (status == Restricted) {
        queue.post(AMD_DBGAPI_EVENT_KIND_RUNTIME).runtime =
            AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION;
        status = Success;
      }
    }
  }
  bool look = false;
  if (!status)
    status = takeDeviceEvents(look);
  if (!status && look) {
    Suspended scope(*this);
    status = scope.status;
  }
  if (connection.wasLost())
    deviceEnded();
  connection.quiet = false;
  return status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED ? Success : status;
}

//===-- Queues that run and stand -----------------------------------------===//

/// Suspends the queues that are known. \param[out] complete  false where some
/// have come or gone since the last look.
Status Process::suspendOnce(bool &complete) {
  complete = true;
  std::vector<uint32_t> ids;
  for (auto &entry : queues)
    if (!entry.second->suspended && entry.second->isCompute() &&
        entry.second->agent->supported)
      ids.push_back(entry.second->entry.queue_id);
  if (ids.empty())
    return Success;
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SuspendQueues;
  // What the waves say of themselves replaces the queues' notes of it.
  a.suspend_queues.exception_mask = WaveExceptions;
  a.suspend_queues.num_queues = uint32_t(ids.size());
  std::vector<uint8_t> out;
  const int result = connection.trap(
      a, ArrayRef(reinterpret_cast<uint8_t *>(ids.data()), ids.size() * 4),
      &out);
  if (result < 0) {
    if (!isLive() || !connection.isOpen())
      return Success;
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  std::string("suspending queues: ") + strerror(-result));
    return Fatal;
  }
  std::vector<Queue *> fresh;
  for (size_t i = 0; i < ids.size() && (i + 1) * 4 <= out.size(); ++i) {
    const uint32_t answer = support::endian::read32le(out.data() + i * 4);
    if (answer & (kfd::QueueInvalidMask | kfd::QueueErrorMask)) {
      complete = false;
      continue;
    }
    for (auto &entry : queues)
      if (entry.second->entry.queue_id == ids[i]) {
        entry.second->suspended = true;
        fresh.push_back(entry.second.get());
      }
  }
  for (Queue *one : fresh)
    if (Status status = saved.update(*one))
      return status;
  saved.removeGone();
  return Success;
}

Status Process::suspend() {
  if (!isLive() || !runtimeUp || !connection.isOpen())
    return Success;
  for (int round = 0; round < 3; ++round) {
    bool complete;
    if (Status status = suspendOnce(complete))
      return status;
    if (complete)
      return Success;
    if (Status status = loadQueues())
      return status;
  }
  return Success;
}

Status Process::resume() {
  if (!isLive() || !connection.isOpen())
    return Success;
  std::vector<uint32_t> ids;
  for (auto &entry : queues)
    if (entry.second->suspended) {
      ids.push_back(entry.second->entry.queue_id);
      entry.second->suspended = false;
    }
  if (ids.empty())
    return Success;
  if (Status status = registers.saveAll())
    return status;
  kfd::DebugTrapArguments a = {};
  a.op = kfd::ResumeQueues;
  a.resume_queues.num_queues = uint32_t(ids.size());
  std::vector<uint8_t> out;
  const int result = connection.trap(
      a, ArrayRef(reinterpret_cast<uint8_t *>(ids.data()), ids.size() * 4),
      &out);
  if (result < 0 && isLive() && connection.isOpen()) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  std::string("resuming queues: ") + strerror(-result));
    return Fatal;
  }
  return Success;
}

Status Process::refresh() {
  Suspended scope(*this);
  return scope.status;
}

Status Process::setProgress(amd_dbgapi_progress_t mode) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  progress = mode;
  return mode == AMD_DBGAPI_PROGRESS_NORMAL ? resume() : Success;
}

Status Process::setWaveCreation(amd_dbgapi_wave_creation_t mode) {
  if (facts.core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (mode == facts.creation)
    return Success;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  facts.creation = mode;
  if (!runtimeUp || !isLive() || !connection.isOpen())
    return Success; // applied when the runtime comes up
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SetWaveLaunchMode;
  a.launch_mode.launch_mode = mode == AMD_DBGAPI_WAVE_CREATION_STOP
                                  ? kfd::LaunchHalt
                                  : kfd::LaunchNormal;
  if (connection.trap(a) < 0 && connection.isOpen())
    return Fatal;
  if (mode == AMD_DBGAPI_WAVE_CREATION_NORMAL)
    for (auto &entry : waves)
      if (entry.second->hidden) {
        entry.second->hidden = false;
        listChanged[WaveList] = true;
        if (Status status = registers.unhalt(*entry.second, false))
          return status;
      }
  return Success;
}

Status Process::freeze() {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_ALREADY_FROZEN;
  if (facts.core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (progress != AMD_DBGAPI_PROGRESS_NO_FORWARD ||
      facts.creation != AMD_DBGAPI_WAVE_CREATION_STOP)
    return AMD_DBGAPI_STATUS_ERROR_INCOMPATIBLE_PROCESS_STATE;
  if (Status status = suspend())
    return status;
  if (Status status = registers.saveAll())
    return status;
  frozen = true;
  return Success;
}

Status Process::unfreeze() {
  if (!frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN;
  frozen = false;
  return Success;
}

std::vector<uint8_t> Process::coreState() const {
  CoreState state;
  state.runtime = facts.runtime;
  for (auto &entry : agents)
    state.agents.push_back(entry.second->entry);
  for (auto &entry : queues)
    state.queues.push_back(entry.second->entry);
  return state.write();
}

//===-- Waves -------------------------------------------------------------===//

Wave *Process::findWave(uint64_t of, Status &status) const {
  auto found = waves.find(of);
  if (found != waves.end())
    return found->second.get();
  status = AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  return nullptr;
}

Wave *Process::findStopped(uint64_t of, Status &status) const {
  Wave *wave = findWave(of, status);
  if (!wave || wave->state == AMD_DBGAPI_WAVE_STATE_STOP)
    return wave;
  status = AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  return nullptr;
}

Status Process::stopWave(uint64_t of) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Status status = Success;
  Wave *wave = findWave(of, status);
  if (!wave)
    return status;
  if (wave->state == AMD_DBGAPI_WAVE_STATE_STOP)
    return wave->reported ? AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED
                          : AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  if (!(wave = findWave(of, status)))
    return status;
  if (wave->state == AMD_DBGAPI_WAVE_STATE_STOP)
    return Success; // it stopped by itself meanwhile: that event is the answer
  if (wave->state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP)
    registers.endStep(*wave);
  if ((status = registers.halt(*wave)))
    return status;
  wave->state = AMD_DBGAPI_WAVE_STATE_STOP;
  wave->hidden = false;
  wave->reasons = 0;
  wave->watches = 0;
  wave->reported = wave->processed = false;
  queue.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = of;
  return Success;
}

/// The program's runtime takes over: the wave stays where it is.
Status Process::deliverExceptions(Wave &wave, uint32_t exceptions) {
  wave.state = AMD_DBGAPI_WAVE_STATE_RUN;
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SendRuntimeEvent;
  a.send_runtime_event.exception_mask = exceptions;
  a.send_runtime_event.gpu_id = wave.queue->agent->entry.gpu_id;
  a.send_runtime_event.queue_id = wave.queue->entry.queue_id;
  return connection.trap(a) < 0 && connection.isOpen() ? Fatal : Success;
}

bool Process::isAtEnd(const Wave &wave) {
  uint8_t bytes[4];
  InstructionDecoder *decoder = InstructionDecoder::get(*archOf(wave).arch);
  const uint64_t at = registers.pc(wave);
  if (!decoder || memory.readAll(at, bytes, sizeof(bytes)) != Success)
    return false;
  std::optional<Instruction> instruction = decoder->decode(at, bytes, false);
  return instruction &&
         instruction->kind == AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE;
}

Status Process::resumeWave(uint64_t of, amd_dbgapi_resume_mode_t mode,
                           uint32_t exceptions) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Status status = Success;
  Wave *wave = findStopped(of, status);
  if (!wave)
    return status;
  if (!wave->reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (!wave->processed)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_RESUMABLE;
  const bool step = mode == AMD_DBGAPI_RESUME_MODE_SINGLE_STEP;
  if (wave->displaced && !step)
    return AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  if (!(wave = findWave(of, status)))
    return status;
  wave->reported = wave->processed = false;
  wave->watches = 0;
  if (exceptions && !facts.core)
    return deliverExceptions(*wave, exceptions);
  if (wave->displaced && wave->displaced->simulate) {
    if ((status = stepping.simulate(*wave)))
      return status;
    wave->reasons = AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;
    queue.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = of;
    return Success;
  }
  wave->state =
      step ? AMD_DBGAPI_WAVE_STATE_SINGLE_STEP : AMD_DBGAPI_WAVE_STATE_RUN;
  if (facts.core)
    return Success;
  if (step && isAtEnd(*wave)) {
    // A wave's end tells nobody: it is told here, and the wave is let go.
    wave->state = AMD_DBGAPI_WAVE_STATE_RUN;
    wave->ending = true;
    listChanged[WaveList] = true;
    queue.post(AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED).wave = of;
    return registers.unhalt(*wave, false);
  }
  return registers.unhalt(*wave, step);
}

Status Process::startDisplaced(uint64_t of, const void *bytes, uint64_t &step) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (facts.core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  Status status = Success;
  Wave *wave = findStopped(of, status);
  if (!wave)
    return status;
  if (!wave->reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (wave->displaced)
    return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_ACTIVE;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  wave = findWave(of, status);
  return wave ? stepping.start(*wave, bytes, step) : status;
}

Status Process::completeDisplaced(uint64_t of, DisplacedStep &step) {
  Status status = Success;
  Wave *wave = findWave(of, status);
  if (!wave)
    return status;
  if (wave->displaced != &step)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  if (wave->state != AMD_DBGAPI_WAVE_STATE_STOP || !wave->reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  wave = findWave(of, status);
  return wave ? stepping.complete(*wave, step) : status;
}

Status Process::readRegister(uint64_t of, const Register &reg, uint64_t offset,
                             uint64_t size, void *value) {
  Status status = Success;
  Wave *wave = findStopped(of, status);
  if (!wave)
    return status;
  if (!registers.exists(*wave, reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (auto known = registers.readKnown(*wave, reg, offset, size, value))
    return *known;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  wave = findWave(of, status);
  return wave ? registers.read(*wave, reg, offset, size, value) : status;
}

Status Process::writeRegister(uint64_t of, const Register &reg, uint64_t offset,
                              uint64_t size, const void *value) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  Status status = Success;
  Wave *wave = findStopped(of, status);
  if (!wave)
    return status;
  if (!registers.exists(*wave, reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (facts.core) // a core's memory is what it is
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  wave = findWave(of, status);
  return wave ? registers.write(*wave, reg, offset, size, value) : status;
}

//===-- Memory, watchpoints and precision ---------------------------------===//

Status Process::transfer(uint64_t address, uint64_t &size, void *read,
                         const void *write) {
  if (!facts.core && connection.isOpen())
    if (Status status = memory.limitToAllocated(address, size))
      return status;
  return memory.transfer(address, size, read, write);
}

Status Process::transferSegment(uint64_t of, uint32_t lane, Space space,
                                uint64_t address, uint64_t &size, void *read,
                                const void *write) {
  const uint64_t wanted = std::exchange(size, 0);
  Status status = Success;
  if (!findStopped(of, status))
    return status;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  const Wave *wave = findWave(of, status);
  if (!wave)
    return status;
  size = wanted;
  return library::transferSegment(memory, *wave, lane, space, address, size,
                                  read, write);
}

bool Process::allAgentsCan(uint32_t capability) const {
  if (agents.empty())
    return false;
  for (auto &entry : agents)
    if (entry.second->supported &&
        !(entry.second->entry.capability & capability))
      return false;
  return true;
}

Status Process::setWatchpoint(uint64_t address, uint64_t size,
                              amd_dbgapi_watchpoint_kind_t kind,
                              uint64_t &made) {
  if (facts.core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (!runtimeUp || watchpoints.size() >= watches.count())
    return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
  Suspended scope(*this);
  return scope.status ? scope.status : watches.set(address, size, kind, made);
}

Status Process::removeWatchpoint(uint64_t of) {
  if (!watchpoints.count(of))
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  Suspended scope(*this);
  return scope.status ? scope.status : watches.remove(of);
}

Status Process::setFlag(uint32_t flag, bool on) {
  if (facts.core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  const bool can = flag == kfd::SingleMemoryOperation ? canPreciseMemory()
                   : flag == kfd::SingleAluOperation  ? canPreciseAlu()
                                                      : true;
  if (on && !can)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  flags = on ? flags | flag : flags & ~flag;
  if (!connection.isOpen())
    return Success; // sent when the device comes up
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SetFlags;
  a.set_flags.flags = flags;
  return connection.trap(a) < 0 && connection.isOpen() ? Fatal : Success;
}

} // namespace wavelane::library
