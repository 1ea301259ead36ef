//===-- GPUProcess.cpp - The waves of a program as a process --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUProcess.h"
#include "GPUThread.h"
#include "Server/Wave/CheckFindings.h"
#include "Server/Wave/StopKinds.h"
#include "Server/Wave/WaveSubject.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_set>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

GPUProcess::GPUProcess(GPUSession &session, NativeDelegate &delegate)
    : NativeProcessProtocol(session.GetPID(), /*terminal_fd=*/-1, delegate),
      m_session(session), m_arch("amdgcn-amd-amdhsa"), m_agents(session),
      m_code_objects(session, m_agents),
      m_reader(session, m_agents, m_code_objects),
      m_memory(session, m_agents, m_code_objects, m_reader),
      m_watchpoints(session, m_reader), m_reasons(session, m_reader, m_memory),
      m_groups(session, m_code_objects, m_reader, m_memory),
      m_runner(session, m_reader, m_memory, m_groups),
      m_folds(m_runner, m_reader, m_reasons, m_memory),
      m_time(session, m_memory, m_conditions) {
  m_state = lldb::eStateRunning;
  m_memory.SetCountReadable([this](uint64_t address, size_t size) {
    return m_time.CountRecorded(address, size);
  });
}

//===-- Settings of the library -------------------------------------------===//

void GPUProcess::SetProgress(amd_dbgapi_progress_t progress) {
  if (progress == m_progress || !m_session.IsAttached() || m_session.GetCore())
    return;
  if (m_session.Ok(
          m_session.fn().process_set_progress(m_session.id(), progress),
          "holding or releasing waves"))
    m_progress = progress;
}

void GPUProcess::SetCreation(amd_dbgapi_wave_creation_t creation) {
  if (creation == m_creation || !m_session.IsRuntimeUp() || m_session.GetCore())
    return;
  if (m_session.Ok(
          m_session.fn().process_set_wave_creation(m_session.id(), creation),
          "setting how waves begin"))
    m_creation = creation;
}

void GPUProcess::RuntimeLoaded() {
  m_code_objects.Changed();
  m_creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
  if (!IsAllowedToRun())
    SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
  if (!m_session.GetCoreFiles())
    m_time.Record();
}

void GPUProcess::RuntimeUnloaded() {
  m_code_objects.Changed();
  Forget();
  m_creation = AMD_DBGAPI_WAVE_CREATION_NORMAL;
}

void GPUProcess::Forget() {
  m_threads.clear();
  m_runner.Clear();
  m_memory.ForgetTraps();
  m_groups.Forget();
  m_conditions.Clear();
  m_watchpoints.Forget();
  m_reader.ForgetNames();
}

//===-- Events ------------------------------------------------------------===//

void GPUProcess::HandleEvents() {
  if (!m_session.IsAttached() || m_travels)
    return;
  // Suspend the queues only once for the following calls.
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  Drain();
  if (m_session.GetCore())
    FindStanding();
  if (m_runner.IsStopWanted() && m_attended && IsRunning()) {
    if (!IsNonStop())
      StopAll();
    ShowStop();
  }
  // No program goes on, so the end of a core's waves is a stop.
  if (m_attended && IsRunning() && m_session.IsSimulationOver()) {
    StopAll();
    ShowStop();
  }
  LetRun();
}

void GPUProcess::LetRun() {
  if (!IsAllowedToRun())
    return;
  // Their stops are events, with which they wait for the end of the step.
  std::vector<amd_dbgapi_wave_id_t> standing;
  if (IsNonStop())
    for (Wave *wave : m_runner.GetRunningBesideInLine())
      if (m_session.fn().wave_stop(wave->id) ==
          AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED)
        standing.push_back(wave->id);
  for (amd_dbgapi_wave_id_t id : standing)
    WaveStopped(id);
  SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
}

void GPUProcess::BeginPacket() {
  if (IsNonStop() && m_attended && !m_travels)
    SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
}

void GPUProcess::EndPacket() {
  if (IsNonStop())
    LetRun();
}

void GPUProcess::Drain() {
  while (auto next = m_session.NextEvent()) {
    auto [event, kind] = *next;
    if (kind == AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED) {
      m_code_objects.Changed();
      m_reader.ForgetNames();
    }
    if (kind != AMD_DBGAPI_EVENT_KIND_WAVE_STOP &&
        kind != AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED) {
      m_session.HandleEvent(event, kind);
      continue;
    }
    auto wave = m_session.Get<amd_dbgapi_wave_id_t>(
        m_session.fn().event_get_info, event, AMD_DBGAPI_EVENT_INFO_WAVE);
    // A wave can't be resumed until its event has been processed.
    m_session.Ok(m_session.fn().event_processed(event), "ending an event");
    if (!wave)
      continue;
    // A step that was cut short by a stop request is also reported as
    // terminated.
    amd_dbgapi_wave_state_t state;
    if (kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP ||
        (m_session.fn().wave_get_info(*wave, AMD_DBGAPI_WAVE_INFO_STATE,
                                      sizeof(state),
                                      &state) == AMD_DBGAPI_STATUS_SUCCESS &&
         state == AMD_DBGAPI_WAVE_STATE_STOP))
      WaveStopped(*wave);
    else
      m_runner.Ended(*wave);
  }
}

void GPUProcess::MoveToBreakpoint(Wave &wave) {
  // The wave is past the instruction that stopped it.
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  if (!pc)
    return;
  const GPURegisters *registers = m_agents.GetRegisters();
  const uint64_t adjust = m_agents.GetTrapAdjust();
  const uint64_t address = *pc - adjust;
  if (registers && adjust &&
      m_session.Ok(m_session.fn().write_register(
                       wave.id,
                       registers->GetID(GPURegisters::PC,
                                        m_reader.GetArchitecture(wave)),
                       0, sizeof(address), &address),
                   "moving a wave back to its breakpoint"))
    wave.pc = address;
  // The trap was removed after the wave had hit it.
  if (!m_memory.FindTrap(address))
    wave.reasons &= ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT);
}

void GPUProcess::WaveStopped(amd_dbgapi_wave_id_t id) {
  auto reasons = m_session.Get<uint32_t>(m_session.fn().wave_get_info, id,
                                         AMD_DBGAPI_WAVE_INFO_STOP_REASON);
  if (!reasons)
    return; // the wave has ended since
  Wave &wave = m_runner.FindOrAdd(id);
  m_runner.SetRunning(wave, false);
  wave.stopped_now = true;
  wave.reasons = *reasons;
  wave.fault_ignored = false;
  wave.boundary.clear();
  wave.watch_address.reset();
  wave.all_watched.clear();
  wave.stop_lanes = 0;
  wave.stop.reset();
  wave.pc.reset();
  // A core has the state at the time of writing, with waves already moved back.
  if (m_session.GetCore())
    return FindFinding(m_session, wave);

  const bool was_running_on = IsAllowedToRun() && !m_runner.IsStopping();
  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) {
    MoveToBreakpoint(wave);
    if (!wave.reasons && was_running_on) {
      m_runner.Run(wave, wave.stepping);
      return;
    }
  }
  if (wave.reasons && m_session.fn().stop_lanes &&
      m_session.fn().stop_lanes(id, &wave.stop_lanes) !=
          AMD_DBGAPI_STATUS_SUCCESS)
    wave.stop_lanes = 0;
  FindFinding(m_session, wave);
  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT) {
    m_watchpoints.FindOf(wave);
    m_reasons.FindLanesOfWatched(wave, m_watchpoints);
    if (!wave.reasons && was_running_on && !m_runner.IsSteppingOver(wave)) {
      m_runner.Run(wave, wave.stepping);
      return;
    }
  }

  const bool was_over_breakpoint = m_runner.IsSteppingOver(wave);
  m_runner.EndStepOver(wave);

  if (!m_attended) {
    // Continue as without a debugger: the program gets the fault.
    m_runner.Run(wave, /*step=*/false);
    return;
  }
  if (was_over_breakpoint && !wave.stepping && !m_runner.IsStopping() &&
      wave.reasons == AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP) {
    // The client wants the wave to run, so this step only passed the
    // breakpoint.
    m_runner.RunAfterInLine(wave, /*step=*/false);
    return;
  }
  if (!wave.stepping)
    wave.reasons &= ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP);
  if (wave.reasons == AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT &&
      PassesBreakpoint(wave))
    return;
  if (!IsNonStop()) {
    if (wave.reasons)
      m_runner.WantStop();
  } else if (wave.reasons) {
    m_runner.AddUnshown(wave);
  } else if (!m_runner.IsStopping()) {
    m_runner.RunAfterInLine(wave, wave.stepping);
  }
}

bool GPUProcess::PassesBreakpoint(Wave &wave) {
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  if (!pc || !m_memory.FindTrap(*pc))
    return false;
  const bool is_of_client = !m_groups.IsOnlyTrap(*pc);
  if (is_of_client && !m_conditions.Has(*pc))
    return false;
  if (m_runner.IsStopping()) {
    // The wave hasn't hit the breakpoint yet: it will when it runs.
    wave.reasons = 0;
    return true;
  }
  if (is_of_client) {
    WaveSubject subject(m_session, m_reader, m_memory, wave);
    const Condition::Outcome outcome = m_conditions.Test(*pc, subject);
    wave.stop_lanes = outcome.unknown ? 0 : wave.stop_lanes | outcome.lanes;
    // A single-stepped wave always stops.
    if (outcome.unknown || outcome.holds || wave.stepping ||
        m_runner.IsInLine())
      return false;
  }
  if (m_runner.IsStopWanted() && !IsNonStop()) {
    // Another wave has stopped for a reason. It may be of this wave's group,
    // and running it on would lose that.
    wave.reasons = 0;
    return true;
  }
  if (m_groups.HasTrap(*pc) && !m_groups.IsEnd(*pc)) {
    wave.reasons = 0;
    m_runner.RunCompanions(wave);
    if (m_runner.IsInLine() || !m_memory.FindTrap(*pc)) {
      m_runner.RunAfterInLine(wave, wave.stepping);
      return true;
    }
  }
  if (m_runner.StepOver(wave, *pc))
    return true;
  if (IsNonStop()) {
    m_runner.BeginMore({{wave.id, false}});
    return true;
  }
  // The instruction can only be executed in place, by resuming all waves.
  if (is_of_client)
    return false;
  const bool ends = m_groups.IsEnd(*pc);
  m_groups.Remove();
  // The end of a step is reported.
  m_runner.Run(wave, wave.stepping || ends);
  return true;
}

void GPUProcess::FindStanding() {
  m_runner.ReadList();
  std::vector<amd_dbgapi_wave_id_t> standing;
  for (auto &[id, wave] : m_runner.GetWaves())
    if (wave.running &&
        m_session.Get<amd_dbgapi_wave_state_t>(
            m_session.fn().wave_get_info, wave.id,
            AMD_DBGAPI_WAVE_INFO_STATE) == AMD_DBGAPI_WAVE_STATE_STOP)
      standing.push_back(wave.id);
  for (amd_dbgapi_wave_id_t id : standing)
    WaveStopped(id);
}

//===-- Stopping ----------------------------------------------------------===//

void GPUProcess::StopAll() {
  // Don't wait longer, or the stop would never be reported; waves still running
  // aren't shown.
  constexpr int Tries = 50, Milliseconds = 100;
  m_runner.BeginStopping();
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
  m_runner.ReadList();
  std::vector<amd_dbgapi_wave_id_t> standing;
  for (Wave *wave : m_runner.GetChanged()) {
    if (!wave->running)
      continue;
    const amd_dbgapi_status_t status = m_session.fn().wave_stop(wave->id);
    if (status == AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED)
      standing.push_back(wave->id);
    else if (status != AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP &&
             status != AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID)
      m_session.Ok(status, "stopping a wave");
  }
  // AMD's library has no events for these waves.
  for (amd_dbgapi_wave_id_t id : standing)
    WaveStopped(id);
  for (int i = 0; i < Tries && m_session.IsAttached(); ++i) {
    Drain();
    if (!m_runner.IsAnyRunning())
      break;
    // Some may have ended, which no event reports unless requested.
    m_runner.ReadList();
    if (!m_runner.IsAnyRunning())
      break;
    m_session.WaitForNotifier(Milliseconds);
  }
  m_runner.EndStopping();
}

Wave *GPUProcess::ChooseStopped() {
  // First waves that stopped at the client's request, then faults, breakpoints,
  // and any other wave that has run.
  auto rank = [this](const Wave &wave) {
    if (!IsShown(wave))
      return 0;
    if (!wave.stopped_now)
      return 1;
    if (GetStopKind(wave.reasons))
      return 6;
    if (wave.reasons & (AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT |
                        AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT))
      return wave.stepping ? 5 : 4;
    if (wave.reasons)
      return 5;
    return wave.stepping ? 3 : 2;
  };
  Wave *chosen = nullptr;
  auto consider = [&](Wave &wave) {
    if (rank(wave) > (chosen ? rank(*chosen) : 0))
      chosen = &wave;
  };
  for (Wave *wave : m_runner.GetChanged())
    consider(*wave);
  if (!chosen || !chosen->stopped_now) {
    chosen = nullptr;
    for (auto &[id, wave] : m_runner.GetWaves())
      consider(wave);
  }
  // Prefer the user's current wave if it ranks equally.
  if (Wave *current = m_runner.Find(m_current_thread_id))
    if (chosen && rank(*current) == rank(*chosen))
      chosen = current;
  return chosen;
}

void GPUProcess::ShowStop() {
  m_groups.Remove();
  if (IsNonStop())
    m_runner.ReadList();
  m_runner.Show([this](const Wave &wave) { return m_runner.IsDue(wave); });
  // A wave that was stopped at a breakpoint on its way counts as having hit it.
  auto note_hit = [this](Wave &wave) {
    if (IsShown(wave) && !wave.reasons && m_reasons.IsAtTrap(wave) &&
        !m_conditions.Has(*m_reader.GetPC(wave))) {
      wave.reasons = AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
      m_runner.NoteChange(wave);
    }
  };
  for (Wave *wave : m_folds.GetAffected())
    note_hit(*wave);

  const bool interrupt = m_interrupt_wanted;
  m_interrupt_wanted = false;
  m_runner.ClearStopWanted();
  Wave *chosen = ChooseStopped();
  if (chosen && interrupt && !(chosen->stopped_now && chosen->reasons))
    chosen->interrupted = true;
  m_is_interrupt_of_none = interrupt && !chosen;
  MakeThreads();
  m_current_thread_id =
      chosen ? lldb::tid_t(chosen->id.handle) : LLDB_INVALID_THREAD_ID;
  SetState(lldb::eStateStopped, /*notify_delegates=*/true);
  for (Wave *wave : m_runner.GetChanged())
    if (!wave->running || !IsNonStop())
      wave->stepping = false;
}

WaveFolds &GPUProcess::GetFolds() {
  m_folds.Update();
  return m_folds;
}

void GPUProcess::MakeThreads() {
  // A thread has nothing that changes.
  if (!m_runner.IsAnyRunning() &&
      std::exchange(m_threads_version, m_runner.GetListVersion()) ==
          m_runner.GetListVersion() &&
      m_threads.size() == m_runner.GetWaves().size())
    return;
  m_threads.clear();
  if (const GPURegisters *registers = m_agents.GetRegisters())
    for (auto &[id, wave] : m_runner.GetWaves())
      if (IsShown(wave))
        m_threads.push_back(std::make_unique<GPUThread>(
            *this,
            WaveParts{m_session, m_runner, m_reader, m_reasons, m_time,
                      *registers},
            id));
}

Status GPUProcess::Interrupt() {
  if (!IsRunning())
    return Status();
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  m_interrupt_wanted = true;
  if (m_travels) {
    ShowArrival(m_time.Interrupt());
    return Status();
  }
  if (IsNonStop())
    Drain();
  else
    StopAll();
  ShowStop();
  LetRun();
  m_session.EndIfFailed();
  return Status();
}

void GPUProcess::HoldAll() {
  if (!IsNonStop() || IsRunning() || !m_session.IsAttached())
    return;
  StopAll();
  // New waves run.
  SetCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
  // Stops are reported with the next resume. A step is given up.
  m_runner.Show([](const Wave &wave) {
    return wave.reasons == AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;
  });
  m_runner.ClearStopWanted();
  Wave *chosen = ChooseStopped();
  MakeThreads();
  m_current_thread_id =
      chosen ? lldb::tid_t(chosen->id.handle) : LLDB_INVALID_THREAD_ID;
  for (Wave *wave : m_runner.GetChanged())
    if (!wave->running)
      wave->stepping = false;
  m_session.EndIfFailed();
}

void GPUProcess::EndLastStop() {
  // It is over, also for waves that don't run now.
  std::vector<Wave *> interrupted;
  for (Wave *wave : m_runner.GetChanged()) {
    if (std::exchange(wave->interrupted, false))
      interrupted.push_back(wave);
    if (IsNonStop() ? IsShown(*wave) : !m_runner.IsStopWanted())
      wave->stopped_now = false;
  }
  if (m_runner.IsStopWanted() && !IsNonStop())
    return;
  if (!m_folds.HasAllChanges())
    m_folds.Forget(); // nobody has asked for them
  m_runner.ForgetChanges();
  for (Wave *wave : interrupted)
    m_runner.NoteChange(*wave);
}

void GPUProcess::Attend() {
  m_attended = true;
  if (!m_session.IsAttached()) {
    m_state = lldb::eStateExited;
    return;
  }
  // the client requests the stop
  m_state = lldb::eStateRunning;
  Wave *chosen = nullptr;
  if (m_session.GetCore()) {
    chosen = ChooseStopped();
  } else {
    StopAll();
    for (auto &[id, wave] : m_runner.GetWaves())
      wave.reasons = 0;
    m_folds.Forget();
    m_runner.ClearStopWanted();
  }
  MakeThreads();
  m_current_thread_id = chosen              ? lldb::tid_t(chosen->id.handle)
                        : m_threads.empty() ? LLDB_INVALID_THREAD_ID
                                            : m_threads.front()->GetID();
  SetState(lldb::eStateStopped, /*notify_delegates=*/false);
  m_session.EndIfFailed();
}

//===-- Running -----------------------------------------------------------===//

Status GPUProcess::Resume(const ResumeActionList &actions) {
  if (llvm::Error error = m_session.Simulate())
    return Status::FromError(std::move(error));
  if (!m_session.IsAttached())
    return Status::FromErrorString("GPU debugging has ended");
  llvm::DenseMap<lldb::tid_t, lldb::StateType> wanted;
  lldb::StateType others = lldb::eStateStopped;
  for (size_t i = 0; i < actions.GetSize(); ++i) {
    const ResumeAction &action = actions.GetFirst()[i];
    if (action.tid == LLDB_INVALID_THREAD_ID)
      others = action.state;
    else if (action.tid != 0 &&
             action.tid < std::numeric_limits<lldb::tid_t>::max() - 1)
      wanted.try_emplace(action.tid, action.state);
  }

  const bool all_run =
      others == lldb::eStateRunning || others == lldb::eStateStepping;
  if (m_time.IsAway()) {
    TimeTravel::Travel travel;
    if (!all_run)
      travel.waves.emplace();
    for (const auto &[id, state] : wanted)
      if (state == lldb::eStateStepping)
        travel.step = id;
      else if (travel.waves)
        travel.waves->insert(id);
    return Travel(std::move(travel));
  }

  EndLastStop();
  std::vector<WaveStart> starts;
  m_groups.Remove();
  auto add = [&](Wave &wave, lldb::StateType state) {
    if (!IsShown(wave) ||
        (state != lldb::eStateStepping && state != lldb::eStateRunning))
      return;
    starts.push_back({wave.id, state == lldb::eStateStepping});
    if (!all_run && !IsNonStop())
      m_groups.Add(wave);
  };
  if (all_run) {
    for (auto &[id, wave] : m_runner.GetWaves()) {
      auto found = wanted.find(id);
      add(wave, found == wanted.end() ? others : found->second);
    }
  } else {
    std::map<uint64_t, lldb::StateType> sorted(wanted.begin(), wanted.end());
    for (const auto &[id, state] : sorted)
      if (Wave *wave = m_runner.Find(id))
        add(*wave, state);
  }
  // A step over a barrier ends when the other waves have arrived there.
  if (!m_groups.GetGroups().empty()) {
    std::unordered_set<uint64_t> started;
    for (const WaveStart &start : starts)
      started.insert(start.wave.handle);
    for (Wave *wave : m_runner.GetHeldCompanions())
      if (started.insert(wave->id.handle).second)
        starts.push_back({wave->id, false});
  }

  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  m_interrupt_wanted = m_is_interrupt_of_none = false;
  SetState(lldb::eStateRunning, /*notify_delegates=*/false);
  if (IsNonStop()) {
    // A step of the only wave that is held is one of all threads.
    std::set<uint64_t> named;
    if (!all_run || m_keeps_others)
      for (const WaveStart &start : starts)
        named.insert(start.wave.handle);
    BeginSome(std::move(starts), std::move(named));
    return Status();
  }
  if (m_runner.IsStopWanted()) {
    // A wave has stopped since the last stop was reported: report that first.
    ShowStop();
    return Status();
  }
  SetCreation(all_run ? AMD_DBGAPI_WAVE_CREATION_NORMAL
                      : AMD_DBGAPI_WAVE_CREATION_STOP);
  m_runner.SetOthersHeld(!all_run);
  if (!all_run)
    for (const WaveStart &start : starts)
      // The other waves of a stepping wave's group run from the start.
      if (Wave *wave = m_runner.Find(start.wave.handle);
          wave && !start.step && !m_groups.Contains(*wave))
        m_groups.SetTraps(*wave);
  m_runner.Begin(std::move(starts));
  if (m_runner.IsStopWanted()) {
    StopAll();
    ShowStop();
  } else {
    SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
  }
  m_session.EndIfFailed();
  return Status();
}

llvm::Error GPUProcess::SetNonStop(bool on, bool keeps_others) {
  if (on && m_session.GetCoreFiles())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the waves of a core file stop together");
  if (on && m_time.IsAway())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the waves are in the past: 'gpu time now' goes to the present");
  m_keeps_others = keeps_others;
  if (on == IsNonStop() || !m_session.IsAttached())
    return llvm::Error::success();
  if (!on) {
    StopAll();
    if (m_runner.GetUnshown().empty())
      m_runner.ClearStopWanted();
    else
      m_runner.WantStop();
    m_runner.Show([](const Wave &) { return true; });
    MakeThreads();
  }
  m_runner.SetOthersHeld(false);
  m_runner.SetNonStop(on);
  m_time.SetNonStop(on);
  return llvm::Error::success();
}

void GPUProcess::BeginSome(std::vector<WaveStart> starts,
                           std::set<uint64_t> named) {
  SetCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
  m_runner.SetNamed(std::move(named), m_keeps_others);
  m_runner.ClearStopWanted();
  m_runner.BeginMore(std::move(starts));
  if (m_runner.IsAnyDue() || m_runner.IsStopWanted())
    ShowStop();
  LetRun();
  m_session.EndIfFailed();
}

//===-- In the recording --------------------------------------------------===//

Status GPUProcess::Travel(TimeTravel::Travel travel) {
  if (llvm::Error error = m_time.CheckPossible())
    return Status::FromError(std::move(error));
  if (llvm::Error error = m_time.CheckAllHeld())
    return Status::FromError(std::move(error));
  if (!m_session.IsAttached())
    return Status::FromErrorString("GPU debugging has ended");
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  if (!m_time.IsAway()) {
    m_present_reasons.clear();
    for (const auto &[id, wave] : m_runner.GetWaves())
      m_present_reasons[id] = wave.reasons;
  }
  m_groups.Remove();
  m_time.Begin(std::move(travel));
  m_travels = true;
  SetState(lldb::eStateRunning, /*notify_delegates=*/false);
  ContinueTravel();
  return Status();
}

void GPUProcess::ContinueTravel() {
  if (!m_travels)
    return;
  auto test = [this](uint64_t id, uint64_t pc, uint64_t &lanes) {
    ForgetStops();
    Wave *wave = m_runner.Find(id);
    if (!wave)
      return false;
    WaveSubject subject(m_session, m_reader, m_memory, *wave);
    const Condition::Outcome outcome = m_conditions.Test(pc, subject);
    lanes = outcome.unknown ? 0 : outcome.lanes;
    return outcome.unknown || outcome.holds;
  };
  if (std::optional<TimeTravel::Arrival> arrival = m_time.Advance(test))
    return ShowArrival(*arrival);
  // Let the client interrupt.
  m_session.GetMainLoop().AddPendingCallback(
      [this](MainLoopBase &) { ContinueTravel(); });
}

void GPUProcess::ForgetStops() {
  // Waves that are there again have events, but haven't stopped by themselves.
  while (auto next = m_session.NextEvent()) {
    auto [event, kind] = *next;
    if (kind != AMD_DBGAPI_EVENT_KIND_WAVE_STOP &&
        kind != AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED)
      m_session.HandleEvent(event, kind);
    else
      m_session.Ok(m_session.fn().event_processed(event), "ending an event");
  }
  m_runner.ReadList();
  m_runner.ClearStopWanted();
  m_folds.Forget();
  for (auto &[id, wave] : m_runner.GetWaves()) {
    m_runner.SetRunning(wave, false);
    wave.stepping = wave.interrupted = false;
    wave.stopped_now = wave.fault_ignored = false;
    wave.reasons = 0;
    wave.stop_lanes = 0;
    wave.boundary.clear();
    wave.finding.reset();
    wave.watch_address.reset();
    wave.all_watched.clear();
    wave.stop.reset();
    wave.pc.reset();
  }
}

bool GPUProcess::EndsAtBreakpoint(Wave &wave) {
  if (m_time.IsAway() || !m_time.IsAlone(wave.id.handle) ||
      GetStopKind(wave.reasons) || !m_reasons.IsAtTrap(wave))
    return false;
  const uint64_t pc = *m_reader.GetPC(wave);
  if (!m_conditions.Has(pc))
    return true;
  WaveSubject subject(m_session, m_reader, m_memory, wave);
  const Condition::Outcome outcome = m_conditions.Test(pc, subject);
  return outcome.holds && !outcome.unknown;
}

void GPUProcess::ShowArrival(const TimeTravel::Arrival &arrival) {
  m_travels = false;
  ForgetStops();
  if (!m_time.IsAway())
    for (const auto &[id, reasons] : m_present_reasons)
      if (Wave *wave = m_runner.Find(id))
        wave->reasons = reasons;
  m_folds.Forget();
  Wave *shown =
      m_runner.Find(arrival.wave.value_or(uint64_t(m_current_thread_id)));
  if (!shown && !m_runner.GetWaves().empty())
    shown = &m_runner.GetWaves().begin()->second;
  if (shown) {
    m_runner.NoteChange(*shown);
    shown->stopped_now = true;
    if (arrival.reasons && arrival.wave == shown->id.handle)
      shown->reasons = arrival.reasons;
    shown->stop_lanes = arrival.lanes;
    // In the present, a wave that has failed shows that, and a step ends at its
    // breakpoint.
    if (EndsAtBreakpoint(*shown))
      shown->reasons |= AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
    else if (m_time.IsAway() || !GetStopKind(shown->reasons))
      shown->boundary = arrival.boundary;
    shown->interrupted = std::exchange(m_interrupt_wanted, false) &&
                         !arrival.reasons && arrival.boundary.empty();
    if (shown->reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT)
      m_watchpoints.FindOf(*shown);
  }
  MakeThreads();
  m_current_thread_id =
      shown ? lldb::tid_t(shown->id.handle) : LLDB_INVALID_THREAD_ID;
  SetState(lldb::eStateStopped, /*notify_delegates=*/true);
}

void GPUProcess::ReturnToPresent() {
  m_travels = false;
  if (!m_time.IsAway())
    return;
  m_time.ReturnToPresent();
  ForgetStops();
  for (const auto &[id, reasons] : m_present_reasons)
    if (Wave *wave = m_runner.Find(id))
      wave->reasons = reasons;
  m_folds.Forget();
}

void GPUProcess::LetGo() {
  if (!m_session.IsAttached() || m_session.GetCoreFiles())
    return;
  ReturnToPresent();
  if (m_attended && (IsRunning() || IsNonStop()))
    StopAll();
  m_runner.SetNonStop(false);
  m_time.SetNonStop(false);
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  m_memory.RemoveTraps();
  m_groups.Forget();
  m_conditions.Clear();
  m_watchpoints.RemoveAll();
  m_attended = false;
  m_interrupt_wanted = false;
  m_runner.ClearStopWanted();
  m_runner.DropStarts();
  SetCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
  std::vector<uint64_t> ids;
  for (auto &[id, wave] : m_runner.GetWaves())
    if (!wave.running)
      ids.push_back(id);
  for (uint64_t id : ids) {
    Wave *wave = m_runner.Find(id);
    if (!wave)
      continue;
    wave->stepping = false;
    m_runner.Run(*wave, /*step=*/false);
  }
  m_threads.clear();
  m_current_thread_id = LLDB_INVALID_THREAD_ID;
  m_state = lldb::eStateRunning;
  SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
}

//===-- Cores and ends ----------------------------------------------------===//

llvm::Error GPUProcess::WithCoreState(
    llvm::function_ref<llvm::Error(llvm::ArrayRef<uint8_t>,
                                   const MemoryPatches &)>
        write) {
  if (llvm::Error error = m_session.CheckLive("no core can be written"))
    return error;
  if (!m_session.IsRuntimeUp())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the program uses no GPU");
  if (IsNonStop()) {
    m_runner.ReadList();
    if (m_runner.IsAnyRunning())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "some waves run: 'process interrupt' in the GPU's target holds them");
  }
  const amd_dbgapi_progress_t progress = m_progress;
  const amd_dbgapi_wave_creation_t creation = m_creation;
  // The library can only freeze stopped waves.
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
  llvm::Error error = m_session.Check(
      m_session.fn().process_freeze(m_session.id()), "freezing the GPU");
  if (!error) {
    auto state = m_session.Get<amd_dbgapi_core_state_data_t>(
        m_session.fn().process_get_info, m_session.id(),
        AMD_DBGAPI_PROCESS_INFO_CORE_STATE);
    if (state) {
      error = write(llvm::ArrayRef(static_cast<const uint8_t *>(state->data),
                                   state->size),
                    m_memory.GetHiddenCode());
      std::free(const_cast<void *>(state->data));
    } else {
      error = llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "the GPU debug library doesn't provide GPU core state");
    }
    m_session.Ok(m_session.fn().process_unfreeze(m_session.id()),
                 "unfreezing the GPU");
  }
  SetCreation(creation);
  SetProgress(progress);
  m_session.EndIfFailed();
  return error;
}

void GPUProcess::DescribeCore() {
  for (const std::string &mistyped : protocol::findMistyped())
    m_session.AddWarning(mistyped);
  if (m_agents.DescribeCore() && m_runner.GetWaves().empty())
    m_session.AddWarning("the core has no waves");
  m_code_objects.DescribeCore();
}

void GPUProcess::SimulationBegan() {
  m_progress = AMD_DBGAPI_PROGRESS_NO_FORWARD;
  m_creation = AMD_DBGAPI_WAVE_CREATION_STOP;
  m_memory.InsertTraps();
  m_time.Record();
}

void GPUProcess::End(StringRef failure, std::optional<WaitStatus> program) {
  m_failure = failure.str();
  Forget();
  m_current_thread_id = LLDB_INVALID_THREAD_ID;
  if (m_state == lldb::eStateExited)
    return;
  // While stopped, the client expects no report, but learns that it should
  // ask if the device has died.
  const bool was_running = IsRunning();
  m_ended_while_stopped = !was_running;
  // The GPU's process ends like the program, whichever of the two the user has
  // selected.
  SetExitStatus(program ? *program
                        : WaitStatus(WaitStatus::Exit, failure.empty() ? 0 : 1),
                /*bNotifyStateChange=*/was_running || !failure.empty());
}

Status GPUProcess::Detach() {
  LetGo();
  m_session.EndIfFailed();
  return Status();
}

Status GPUProcess::Signal(int signo) {
  return Status::FromErrorString("waves can't receive signals");
}

Status GPUProcess::Kill() {
  if (m_session.GetCoreFiles())
    return Status();
  return m_session.GetDelegate().KillProgram();
}

//===-- Memory, breakpoints and watchpoints -------------------------------===//

Status GPUProcess::ReadMemory(lldb::addr_t address, void *buffer, size_t size,
                              size_t &bytes_read) {
  return m_memory.Read(address, buffer, size, bytes_read);
}

Status GPUProcess::WriteMemory(lldb::addr_t address, const void *buffer,
                               size_t size, size_t &bytes_written) {
  if (Status error = m_time.CheckPresent(); error.Fail())
    return error;
  return m_memory.Write(address, buffer, size, bytes_written);
}

Status GPUProcess::SetBreakpoint(lldb::addr_t address, uint32_t size,
                                 bool hardware) {
  if (hardware)
    return Status::FromErrorString("GPUs have no hardware breakpoints");
  if (llvm::Error error = m_session.CheckSimulation())
    return Status::FromError(std::move(error));
  return m_memory.SetTrap(address);
}

Status GPUProcess::RemoveBreakpoint(lldb::addr_t address, bool hardware) {
  if (hardware || !m_memory.FindTrap(address))
    return Status::FromErrorStringWithFormat(
        "there is no breakpoint at 0x%" PRIx64, address);
  if (!m_memory.RemoveTrap(address))
    return Status();
  m_conditions.Remove(address);
  // Waves have hit it, and no stop has shown them.
  const std::set<uint64_t> unshown = m_runner.GetUnshown();
  for (uint64_t id : unshown)
    if (Wave *wave = m_runner.Find(id);
        wave && wave->reasons == AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT &&
        m_reader.GetPC(*wave) == address)
      m_runner.RunAfterInLine(*wave, wave->stepping);
  return Status();
}

std::optional<std::pair<uint32_t, uint32_t>>
GPUProcess::GetHardwareDebugSupportInfo() const {
  return std::make_pair(0u, m_watchpoints.GetRegisterCount());
}

Status GPUProcess::RemoveWatchpoint(lldb::addr_t address) {
  return m_watchpoints.Remove(address);
}

Status GPUProcess::GetLoadedModuleFileSpec(const char *path, FileSpec &spec) {
  return Status::FromErrorStringWithFormat("GPU code objects are listed by %s",
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
