//===-- GPUProcess.cpp - The waves of a program as a process --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUProcess.h"
#include "GPUThread.h"
#include "StopKinds.h"
#include "WaveSubject.h"
#include "wavelane/Server/Packets.h"

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

GPUProcess::GPUProcess(GPUSession &session, NativeDelegate &delegate)
    : NativeProcessProtocol(session.GetPID(), /*terminal_fd=*/-1, delegate),
      m_session(session), m_arch("amdgcn-amd-amdhsa"), m_code_objects(session) {
  m_state = lldb::eStateRunning;
}

//===-- What the library is told ------------------------------------------===//

llvm::Error GPUProcess::CheckLive(const char *what) const {
  if (!m_session.GetCore())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::Twine(what) +
                                     ": the waves are those of a core file");
}

void GPUProcess::SetProgress(amd_dbgapi_progress_t progress) {
  if (progress == m_progress || !m_session.IsAttached() || m_session.GetCore())
    return;
  if (m_session.Ok(fn().process_set_progress(m_session.id(), progress),
                   "holding or releasing waves"))
    m_progress = progress;
}

void GPUProcess::SetCreation(amd_dbgapi_wave_creation_t creation) {
  if (creation == m_creation || !m_session.IsRuntimeUp() || m_session.GetCore())
    return;
  if (m_session.Ok(fn().process_set_wave_creation(m_session.id(), creation),
                   "setting how waves begin"))
    m_creation = creation;
}

void GPUProcess::RuntimeLoaded() {
  m_code_objects.Changed();
  m_creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
  if (!IsAllowedToRun())
    SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
}

void GPUProcess::RuntimeUnloaded() {
  m_code_objects.Changed();
  m_waves.clear();
  m_threads.clear();
  m_breakpoints.clear();
  m_barrier_traps.clear();
  m_groups.clear();
  m_conditions.clear();
  m_watchpoints.clear();
  m_kernels.clear();
  m_workgroups.clear();
  m_in_line.clear();
  m_in_line_wave.reset();
  m_after_in_line.clear();
  m_waiting.clear();
  m_creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
}

//===-- Events ------------------------------------------------------------===//

void GPUProcess::HandleEvents() {
  if (!m_session.IsAttached())
    return;
  // One suspension of the queues for all that follows.
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  Drain();
  if (m_session.GetCore())
    FindStanding();
  if (m_stop_wanted && m_attended && IsRunning()) {
    StopAll();
    ShowStop();
  }
  if (IsAllowedToRun())
    SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
}

void GPUProcess::Drain() {
  while (auto next = m_session.NextEvent()) {
    auto [event, kind] = *next;
    if (kind == AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED) {
      m_code_objects.Changed();
      m_kernels.clear();
      m_workgroups.clear();
    }
    if (kind != AMD_DBGAPI_EVENT_KIND_WAVE_STOP &&
        kind != AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED) {
      m_session.HandleEvent(event, kind);
      continue;
    }
    auto wave = m_session.Get<amd_dbgapi_wave_id_t>(fn().event_get_info, event,
                                                    AMD_DBGAPI_EVENT_INFO_WAVE);
    // Before it has been processed the wave can't be resumed.
    m_session.Ok(fn().event_processed(event), "ending an event");
    if (!wave)
      continue;
    // A step that a request to stop has cut short is told as terminated, too.
    amd_dbgapi_wave_state_t state;
    if (kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP ||
        (fn().wave_get_info(*wave, AMD_DBGAPI_WAVE_INFO_STATE, sizeof(state),
                            &state) == AMD_DBGAPI_STATUS_SUCCESS &&
         state == AMD_DBGAPI_WAVE_STATE_STOP))
      WaveStopped(*wave);
    else
      WaveEnded(*wave);
  }
}

void GPUProcess::WaveStopped(amd_dbgapi_wave_id_t id) {
  auto reasons = m_session.Get<uint32_t>(fn().wave_get_info, id,
                                         AMD_DBGAPI_WAVE_INFO_STOP_REASON);
  if (!reasons)
    return; // It has ended since.
  Wave &wave = m_waves.try_emplace(id.handle, id).first->second;
  wave.running = false;
  wave.stopped_now = true;
  wave.reasons = *reasons;
  wave.fault_ignored = false;
  wave.watch_address.reset();
  wave.stop_lanes = 0;
  wave.description.reset();
  wave.pc.reset();
  // As it was when the core was written: whoever wrote it has moved it back.
  if (m_session.GetCore())
    return;

  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) {
    // The wave stands past the instruction that stopped it.
    if (auto pc = GetPC(wave)) {
      const uint64_t address = *pc - m_trap_adjust;
      auto register_id = m_registers
                             ? std::optional(m_registers->GetID(
                                   GPURegisters::PC, GetArchitectureOf(wave)))
                             : std::nullopt;
      if (register_id && m_trap_adjust &&
          m_session.Ok(fn().write_register(id, *register_id, 0, sizeof(address),
                                           &address),
                       "moving a wave back to its breakpoint"))
        wave.pc = address;
      if (!m_breakpoints.count(address)) {
        // It was taken out after the wave had come to it.
        wave.reasons &= ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT);
        if (!wave.reasons && !m_stopping && IsAllowedToRun()) {
          RunWave(wave, wave.stepping);
          return;
        }
      }
    }
  }
  if (wave.reasons && fn().stop_lanes &&
      fn().stop_lanes(id, &wave.stop_lanes) != AMD_DBGAPI_STATUS_SUCCESS)
    wave.stop_lanes = 0;
  const bool was_running_on = IsAllowedToRun() && !m_stopping;
  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT) {
    FindWatchpoint(wave);
    if (!wave.reasons && was_running_on && !wave.displaced &&
        m_in_line_wave != id.handle) {
      RunWave(wave, wave.stepping);
      return;
    }
  }

  const bool was_in_line = m_in_line_wave == id.handle;
  const bool was_over_breakpoint = was_in_line || wave.displaced;
  if (wave.displaced)
    EndDisplacedStep(wave);
  if (was_in_line)
    EndInLine(wave);

  if (!m_attended) {
    // As if no debugger were there: faults are the program's.
    RunWave(wave, /*step=*/false);
    return;
  }
  if (was_over_breakpoint && !wave.stepping && !m_stopping &&
      wave.reasons == AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP) {
    // Only the step over the breakpoint; the client wants it to run.
    if (was_in_line && m_in_line_wave)
      m_after_in_line.push_back({id, false});
    else if (m_in_line_wave)
      m_after_in_line.push_back({id, false});
    else
      RunWave(wave, /*step=*/false);
    return;
  }
  if (!wave.stepping)
    wave.reasons &= ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP);
  if (wave.reasons == AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT &&
      PassesBreakpoint(wave))
    return;
  if (wave.reasons)
    m_stop_wanted = true;
}

void GPUProcess::FindWatchpoint(Wave &wave) {
  auto list = m_session.Get<amd_dbgapi_watchpoint_list_t>(
      fn().wave_get_info, wave.id, AMD_DBGAPI_WAVE_INFO_WATCHPOINTS);
  const uint64_t workgroup = m_session
                                 .Get<uint64_t>(fn().wave_get_info, wave.id,
                                                AMD_DBGAPI_WAVE_INFO_WORKGROUP)
                                 .value_or(0);
  bool is_other_group = false;
  for (size_t i = 0; list && i < list->count; ++i)
    for (const auto &[address, watchpoint] : m_watchpoints)
      for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids) {
        if (id.handle != list->watchpoint_ids[i].handle)
          continue;
        if (watchpoint.workgroup && watchpoint.workgroup != workgroup)
          is_other_group = true;
        else
          wave.watch_address = address;
      }
  if (list)
    std::free(list->watchpoint_ids);
  if (is_other_group && !wave.watch_address) {
    wave.reasons &= ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT);
    wave.stop_lanes = 0;
  }
}

bool GPUProcess::PassesBreakpoint(Wave &wave) {
  std::optional<uint64_t> pc = GetPC(wave);
  auto breakpoint = pc ? m_breakpoints.find(*pc) : m_breakpoints.end();
  if (breakpoint == m_breakpoints.end())
    return false;
  auto conditions = m_conditions.find(*pc);
  const bool is_barrier = m_barrier_traps.count(*pc);
  const bool is_of_client = !IsBarrierTrapOnly(*pc);
  if (is_of_client && conditions == m_conditions.end())
    return false;
  if (m_stopping) {
    // Not hit yet: it comes to the breakpoint again when it goes on.
    wave.reasons = 0;
    return true;
  }
  if (is_of_client) {
    WaveSubject subject(*this, wave);
    bool holds = false, unknown = false;
    for (Condition &condition : conditions->second) {
      const Condition::Outcome outcome = condition.Test(subject);
      holds |= outcome.holds;
      wave.stop_lanes |= outcome.lanes;
      unknown |= outcome.unknown;
    }
    if (unknown)
      wave.stop_lanes = 0;
    // A wave that is being stepped tells where it has come to.
    if (unknown || holds || wave.stepping || m_in_line_wave)
      return false;
  }
  if (is_barrier) {
    wave.reasons = 0;
    RunCompanions(wave);
    breakpoint = m_breakpoints.find(*pc);
    if (m_in_line_wave) {
      m_after_in_line.push_back({wave.id, wave.stepping});
      return true;
    }
    if (breakpoint == m_breakpoints.end()) {
      RunWave(wave, wave.stepping);
      return true;
    }
  }
  amd_dbgapi_displaced_stepping_id_t displaced;
  const amd_dbgapi_status_t status = fn().displaced_stepping_start(
      wave.id, breakpoint->second.original.data(), &displaced);
  if (status == AMD_DBGAPI_STATUS_SUCCESS) {
    wave.displaced = displaced;
    wave.displaced_from = *pc;
    RunWave(wave, /*step=*/true);
    return true;
  }
  if (status ==
          AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE &&
      llvm::any_of(m_waves,
                   [](auto &entry) { return entry.second.displaced; })) {
    wave.reasons = 0;
    m_waiting.push_back({wave.id, false});
    return true;
  }
  // The instruction must be executed where it stands, by a resume of all.
  if (is_of_client)
    return false;
  RemoveBarrierTraps();
  RunWave(wave, wave.stepping);
  return true;
}

llvm::Error GPUProcess::SetConditions(uint64_t address,
                                      const llvm::json::Array &conditions) {
  std::vector<Condition> parsed;
  for (const llvm::json::Value &value : conditions) {
    const llvm::json::Object *object = value.getAsObject();
    if (!object)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "a condition is no JSON object");
    llvm::Expected<Condition> condition = Condition::Parse(*object);
    if (!condition)
      return condition.takeError();
    parsed.push_back(std::move(*condition));
  }
  if (parsed.empty())
    m_conditions.erase(address);
  else
    m_conditions[address] = std::move(parsed);
  return llvm::Error::success();
}

void GPUProcess::WaveEnded(amd_dbgapi_wave_id_t id) {
  auto found = m_waves.find(id.handle);
  if (found == m_waves.end())
    return;
  // The client waits for the end of the step.
  if (found->second.stepping)
    m_stop_wanted = true;
  Forget(found);
}

void GPUProcess::Forget(Waves::iterator wave) {
  const uint64_t id = wave->first;
  const bool was_in_line = m_in_line_wave == id;
  if (was_in_line)
    EndInLine(wave->second);
  llvm::erase_if(m_waiting,
                 [id](const Start &start) { return start.wave.handle == id; });
  m_waves.erase(wave);
}

void GPUProcess::ReadWaveList() {
  if (!m_session.IsRuntimeUp())
    return;
  size_t count = 0;
  amd_dbgapi_wave_id_t *items = nullptr;
  if (!m_session.Ok(fn().process_wave_list(m_session.id(), &count, &items,
                                           /*changed=*/nullptr),
                    "listing waves"))
    return;
  std::vector<uint64_t> present;
  present.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    present.push_back(items[i].handle);
    m_waves.try_emplace(items[i].handle, items[i]);
  }
  std::free(items);
  llvm::sort(present);
  for (auto it = m_waves.begin(); it != m_waves.end();) {
    auto next = std::next(it);
    if (!std::binary_search(present.begin(), present.end(), it->first)) {
      if (it->second.stepping)
        m_stop_wanted = true;
      Forget(it);
    }
    it = next;
  }
}

void GPUProcess::FindStanding() {
  ReadWaveList();
  std::vector<amd_dbgapi_wave_id_t> standing;
  for (auto &[id, wave] : m_waves)
    if (wave.running &&
        m_session.Get<amd_dbgapi_wave_state_t>(fn().wave_get_info, wave.id,
                                               AMD_DBGAPI_WAVE_INFO_STATE) ==
            AMD_DBGAPI_WAVE_STATE_STOP)
      standing.push_back(wave.id);
  for (amd_dbgapi_wave_id_t id : standing)
    WaveStopped(id);
}

//===-- Stopping ----------------------------------------------------------===//

void GPUProcess::StopAll() {
  // A wave that doesn't stop in that time isn't shown, rather than no stop at
  // all.
  constexpr int Tries = 50, Milliseconds = 100;
  m_stopping = true;
  m_after_in_line.clear();
  m_waiting.clear();
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
  ReadWaveList();
  std::vector<amd_dbgapi_wave_id_t> standing;
  for (auto &[id, wave] : m_waves) {
    if (!wave.running)
      continue;
    const amd_dbgapi_status_t status = fn().wave_stop(wave.id);
    if (status == AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED)
      standing.push_back(wave.id);
    else if (status != AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP &&
             status != AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID)
      m_session.Ok(status, "stopping a wave");
  }
  // AMD's library tells of them by no event.
  for (amd_dbgapi_wave_id_t id : standing)
    WaveStopped(id);
  auto is_running = [](auto &entry) { return entry.second.running; };
  for (int i = 0; i < Tries && m_session.IsAttached(); ++i) {
    Drain();
    if (llvm::none_of(m_waves, is_running))
      break;
    // Some may have ended, which gives no event without a request.
    ReadWaveList();
    if (llvm::none_of(m_waves, is_running))
      break;
    m_session.WaitForNotifier(Milliseconds);
  }
  m_in_line.clear();
  m_stopping = false;
}

Wave *GPUProcess::ChooseStopped() {
  // What the client asked for, faults, breakpoints, and then any wave.
  auto rank = [](const Wave &wave) {
    if (wave.running)
      return 0;
    if (!wave.stopped_now)
      return 1;
    if (GetStopKind(wave.reasons))
      return 5;
    if (wave.reasons & (AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT |
                        AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT))
      return wave.stepping ? 4 : 3;
    if (wave.reasons)
      return 4;
    return wave.stepping ? 2 : 1;
  };
  Wave *chosen = nullptr;
  for (auto &[id, wave] : m_waves)
    if (rank(wave) > (chosen ? rank(*chosen) : 0))
      chosen = &wave;
  // The wave that the user looks at, if it is as good as any.
  if (Wave *current = FindWave(m_current_thread_id))
    if (chosen && rank(*current) == rank(*chosen))
      chosen = current;
  return chosen;
}

void GPUProcess::ShowStop() {
  RemoveBarrierTraps();
  // A wave that was stopped on its way at a breakpoint has as good as hit it.
  for (auto &[id, wave] : m_waves)
    if (!wave.running && !wave.reasons && IsAtBreakpoint(wave) &&
        !m_conditions.count(*GetPC(wave)))
      wave.reasons = AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;

  const bool interrupt = m_interrupt_wanted;
  m_stop_wanted = m_interrupt_wanted = false;
  Wave *chosen = ChooseStopped();
  if (chosen && interrupt && !(chosen->stopped_now && chosen->reasons))
    chosen->interrupted = true;
  MakeThreads();
  m_current_thread_id =
      chosen ? lldb::tid_t(chosen->id.handle) : LLDB_INVALID_THREAD_ID;
  SetState(lldb::eStateStopped, /*notify_delegates=*/true);
  for (auto &[id, wave] : m_waves)
    wave.stepping = false;
}

void GPUProcess::MakeThreads() {
  m_threads.clear();
  if (const GPURegisters *registers = GetRegisters())
    for (auto &[id, wave] : m_waves)
      if (!wave.running)
        m_threads.push_back(std::make_unique<GPUThread>(*this, *registers, id));
}

Status GPUProcess::Interrupt() {
  if (!IsRunning())
    return Status();
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  m_interrupt_wanted = true;
  StopAll();
  ShowStop();
  m_session.EndIfFailed();
  return Status();
}

void GPUProcess::Attend() {
  m_attended = true;
  if (!m_session.IsAttached()) {
    m_state = lldb::eStateExited;
    return;
  }
  // The client asks for the stop itself.
  m_state = lldb::eStateRunning;
  Wave *chosen = nullptr;
  if (m_session.GetCore()) {
    chosen = ChooseStopped();
  } else {
    StopAll();
    for (auto &[id, wave] : m_waves)
      wave.reasons = 0;
    m_stop_wanted = false;
  }
  MakeThreads();
  m_current_thread_id = chosen              ? lldb::tid_t(chosen->id.handle)
                        : m_threads.empty() ? LLDB_INVALID_THREAD_ID
                                            : m_threads.front()->GetID();
  SetState(lldb::eStateStopped, /*notify_delegates=*/false);
  m_session.EndIfFailed();
}

Status GPUProcess::GetLoadedModuleFileSpec(const char *path, FileSpec &spec) {
  return Status::FromErrorStringWithFormat("GPU code objects are told by %s",
                                           packets::AcceleratorLibraryInfo);
}

Status GPUProcess::GetFileLoadAddress(const StringRef &name,
                                      lldb::addr_t &address) {
  std::optional<int64_t> found = m_code_objects.GetLoadAddress(name);
  if (!found)
    return Status::FromErrorStringWithFormat(
        "no GPU code object is loaded from '%s'", name.str().c_str());
  address = *found;
  return Status();
}

} // namespace wavelane::server
