//===-- GPUProcessRun.cpp - Waves that run, alone and together ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUProcess.h"
#include "StopKinds.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/DenseMap.h"

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

uint32_t GPUProcess::GetExceptions(const Wave &wave) {
  uint32_t exceptions = 0;
  if (!wave.fault_ignored)
    for (const StopKind &kind : GetStopKinds())
      if (wave.reasons & kind.reasons)
        exceptions |= kind.exception;
  return exceptions;
}

bool GPUProcess::IsAtBreakpoint(Wave &wave) {
  if (m_breakpoints.empty())
    return false;
  std::optional<uint64_t> pc = GetPC(wave);
  return pc && m_breakpoints.count(*pc);
}

GPUProcess::Barrier GPUProcess::GetBarrierAt(Wave &wave) {
  std::optional<uint64_t> pc = GetPC(wave);
  if (!pc)
    return Barrier::None;
  const Barrier barrier = GetBarrier(wave, *pc);
  return barrier == Barrier::None ? GetBarrierWaitedAt(wave) : barrier;
}

GPUProcess::Barrier GPUProcess::GetBarrierWaitedAt(Wave &wave) {
  constexpr uint32_t InBarrier = 1u << 12;
  const gpu::Processor *processor = gpu::findByName(GetProcessorOf(wave));
  const std::vector<uint8_t> status = ReadRegisterByName(wave, "status");
  const bool told =
      status.size() == 4 && !(processor && processor->family().HasStatePriv);
  if (told && !(llvm::support::endian::read32le(status.data()) & InBarrier))
    return Barrier::None;
  // A wave that waits stands past the instruction.
  std::optional<uint64_t> pc = GetPC(wave);
  const Barrier barrier =
      pc ? GetBarrier(wave, *pc, /*before=*/true) : Barrier::None;
  return told && barrier == Barrier::None ? Barrier::Workgroup : barrier;
}

GPUProcess::Barrier GPUProcess::GetBarrier(Wave &wave, uint64_t address,
                                           bool before) {
  constexpr uint64_t GroupSize = 4, GridSize = 8;
  auto read_at = [&](uint64_t from, uint8_t (&bytes)[32]) {
    size_t read = 0;
    return ReadMemory(from, bytes, sizeof(bytes), read).Fail() ? 0 : read;
  };
  uint8_t bytes[32];
  const uint64_t group_at = before ? address - GroupSize : address;
  amd_dbgapi_size_t size = read_at(group_at, bytes);
  amd_dbgapi_instruction_kind_t kind = AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN;
  if (size &&
      fn().classify_instruction(GetArchitectureOf(wave), group_at, &size, bytes,
                                &kind, nullptr,
                                nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      kind == AMD_DBGAPI_INSTRUCTION_KIND_BARRIER)
    return Barrier::Workgroup;
  // The library has no kind for the grid's.
  const uint64_t grid_at = before ? address - GridSize : address;
  size = read_at(grid_at, bytes);
  char *text = nullptr;
  const bool is_grid =
      size &&
      fn().disassemble_instruction(GetArchitectureOf(wave), grid_at, &size,
                                   bytes, &text, nullptr,
                                   nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      size == GridSize && text &&
      StringRef(text).trim().starts_with("ds_gws_barrier");
  std::free(text);
  return is_grid ? Barrier::Grid : Barrier::None;
}

std::optional<GPUProcess::Companions> GPUProcess::GetCompanions(Wave &wave) {
  const Barrier barrier = GetBarrierAt(wave);
  if (barrier == Barrier::None)
    return std::nullopt;
  const WaveFacts &facts = GetFacts(wave);
  return Companions{barrier, barrier == Barrier::Grid ? facts.dispatch
                                                      : facts.workgroup_id};
}

bool GPUProcess::IsCompanion(Wave &wave, llvm::ArrayRef<Companions> groups) {
  const WaveFacts &facts = GetFacts(wave);
  return llvm::any_of(groups, [&](const Companions &group) {
    return group.id == (group.barrier == Barrier::Grid ? facts.dispatch
                                                       : facts.workgroup_id);
  });
}

void GPUProcess::SetBarrierTraps(llvm::ArrayRef<Start> starts) {
  for (const Start &start : starts) {
    Wave *wave = FindWave(start.wave.handle);
    std::optional<uint64_t> pc = wave ? GetPC(*wave) : std::nullopt;
    // A wave that steps has its companions from the start.
    if (!pc || start.step || IsCompanion(*wave, m_groups))
      continue;
    const amd_dbgapi_dispatch_id_t dispatch{GetFacts(*wave).dispatch};
    auto entry = dispatch.handle
                     ? m_session.Get<uint64_t>(
                           fn().dispatch_get_info, dispatch,
                           AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS)
                     : std::nullopt;
    for (uint64_t address : m_code_objects.GetBarriers(*pc, entry))
      if (!m_barrier_traps.count(address) &&
          SetBreakpoint(address, /*size=*/0, /*hardware=*/false).Success())
        m_barrier_traps.insert(address);
  }
}

void GPUProcess::RemoveBarrierTraps() {
  for (uint64_t address : std::exchange(m_barrier_traps, {}))
    RemoveBreakpoint(address, /*hardware=*/false);
  m_groups.clear();
}

bool GPUProcess::IsBarrierTrapOnly(uint64_t address) const {
  auto breakpoint = m_breakpoints.find(address);
  return m_barrier_traps.count(address) && breakpoint != m_breakpoints.end() &&
         breakpoint->second.users == 1;
}

void GPUProcess::RunCompanions(Wave &wave) {
  std::optional<Companions> companions = GetCompanions(wave);
  if (companions && llvm::none_of(m_groups, [&](const Companions &group) {
        return group.barrier == companions->barrier &&
               group.id == companions->id;
      }))
    m_groups.push_back(*companions);
  std::vector<Start> starts;
  bool covered = true;
  for (auto &[id, other] : m_waves) {
    const bool is_companion = IsCompanion(other, m_groups);
    if (other.running)
      covered &= is_companion;
    else if (is_companion && id != wave.id.handle)
      starts.push_back({other.id, false});
  }
  if (covered)
    RemoveBarrierTraps();
  if (!starts.empty())
    BeginMore(std::move(starts));
}

Status GPUProcess::Resume(const ResumeActionList &actions) {
  if (llvm::Error error = CheckLive("nothing can be run"))
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

  if (!m_stop_wanted)
    for (auto &[id, wave] : m_waves)
      wave.stopped_now = false;
  std::vector<Start> starts;
  RemoveBarrierTraps();
  const bool others_run =
      others == lldb::eStateRunning || others == lldb::eStateStepping;
  for (auto &[id, wave] : m_waves) {
    if (wave.running)
      continue;
    auto found = wanted.find(id);
    const lldb::StateType state =
        found == wanted.end() ? others : found->second;
    if (state == lldb::eStateStepping) {
      starts.push_back({wave.id, true});
    } else if (state == lldb::eStateRunning) {
      starts.push_back({wave.id, false});
    } else {
      continue;
    }
    if (!others_run)
      if (std::optional<Companions> companions = GetCompanions(wave))
        m_groups.push_back(*companions);
  }
  // A step over a barrier ends when the wave's companions have come to it.
  if (!m_groups.empty()) {
    std::vector<uint64_t> started;
    for (const Start &start : starts)
      started.push_back(start.wave.handle);
    for (auto &[id, wave] : m_waves)
      if (!wave.running && !llvm::is_contained(started, id) &&
          IsCompanion(wave, m_groups))
        starts.push_back({wave.id, false});
  }

  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  m_interrupt_wanted = false;
  SetState(lldb::eStateRunning, /*notify_delegates=*/false);
  if (m_stop_wanted) {
    // A wave has stopped since the others were shown: it is shown first.
    ShowStop();
    return Status();
  }
  SetCreation(others_run ? AMD_DBGAPI_WAVE_CREATION_NORMAL
                         : AMD_DBGAPI_WAVE_CREATION_STOP);
  if (!others_run)
    SetBarrierTraps(starts);
  Begin(std::move(starts));
  if (m_stop_wanted) {
    StopAll();
    ShowStop();
  } else {
    SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
  }
  m_session.EndIfFailed();
  return Status();
}

void GPUProcess::Begin(std::vector<Start> starts) {
  m_in_line.clear();
  m_in_line_wave.reset();
  m_after_in_line.clear();
  m_waiting.clear();
  BeginMore(std::move(starts));
}

void GPUProcess::BeginMore(std::vector<Start> starts) {
  for (const Start &start : starts) {
    auto found = m_waves.find(start.wave.handle);
    if (found == m_waves.end())
      continue;
    Wave &wave = found->second;
    wave.stepping = start.step;
    wave.interrupted = false;
    std::optional<uint64_t> pc = GetPC(wave);
    // A wave that has told no reason hasn't hit what it stands at, unless that
    // is a trap of the server's own, which nobody is told of.
    if (!wave.reasons && !wave.fault_ignored &&
        !(pc && IsBarrierTrapOnly(*pc))) {
      m_after_in_line.push_back(start);
      continue;
    }
    auto breakpoint = pc ? m_breakpoints.find(*pc) : m_breakpoints.end();
    if (breakpoint == m_breakpoints.end() || GetExceptions(wave)) {
      m_after_in_line.push_back(start);
      continue;
    }
    amd_dbgapi_displaced_stepping_id_t displaced;
    const amd_dbgapi_status_t status = fn().displaced_stepping_start(
        wave.id, breakpoint->second.original.data(), &displaced);
    if (status == AMD_DBGAPI_STATUS_SUCCESS) {
      wave.displaced = displaced;
      wave.displaced_from = breakpoint->first;
      m_after_in_line.push_back(start);
    } else if (
        status ==
        AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE) {
      m_waiting.push_back(start);
    } else {
      // The instruction must be executed where it stands.
      if (status != AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION)
        m_session.Ok(status, "stepping over a breakpoint out of line");
      m_in_line.push_back(start);
    }
  }
  // Where all places are taken by no one, there is nobody to wait for.
  if (llvm::none_of(m_waves,
                    [](auto &entry) { return entry.second.displaced; })) {
    m_in_line.insert(m_in_line.end(), m_waiting.begin(), m_waiting.end());
    m_waiting.clear();
  }
  if (!m_in_line_wave)
    BeginInLine();
}

void GPUProcess::BeginInLine() {
  // One after the other, alone, with the breakpoint taken out.
  while (!m_in_line.empty()) {
    const Start start = m_in_line.front();
    m_in_line.erase(m_in_line.begin());
    auto found = m_waves.find(start.wave.handle);
    if (found == m_waves.end())
      continue;
    Wave &wave = found->second;
    std::optional<uint64_t> pc = GetPC(wave);
    auto breakpoint = pc ? m_breakpoints.find(*pc) : m_breakpoints.end();
    if (breakpoint == m_breakpoints.end()) {
      m_after_in_line.push_back(start);
      continue;
    }
    if (!WriteCode(*pc, breakpoint->second.original))
      continue;
    breakpoint->second.inserted = false;
    m_in_line_wave = start.wave.handle;
    m_in_line_address = *pc;
    RunWave(wave, /*step=*/true);
    return;
  }
  std::vector<Start> starts = std::exchange(m_after_in_line, {});
  for (const Start &start : starts)
    BeginOne(start);
}

void GPUProcess::BeginOne(const Start &start) {
  auto found = m_waves.find(start.wave.handle);
  if (found == m_waves.end() || found->second.running)
    return;
  Wave &wave = found->second;
  RunWave(wave, start.step || wave.displaced);
}

void GPUProcess::RunWave(Wave &wave, bool step) {
  const uint32_t exceptions = GetExceptions(wave);
  // A wave whose fault is told to the program doesn't come back.
  const amd_dbgapi_status_t status =
      fn().wave_resume(wave.id,
                       step && !exceptions ? AMD_DBGAPI_RESUME_MODE_SINGLE_STEP
                                           : AMD_DBGAPI_RESUME_MODE_NORMAL,
                       amd_dbgapi_exceptions_t(exceptions));
  if (status == AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID) {
    if (wave.stepping)
      m_stop_wanted = true;
    Forget(m_waves.find(wave.id.handle));
    return;
  }
  if (!m_session.Ok(status, "resuming a wave"))
    return;
  wave.running = true;
  wave.reasons = 0;
  wave.interrupted = false;
  wave.fault_ignored = false;
  wave.watch_address.reset();
  wave.description.reset();
  wave.pc.reset();
}

void GPUProcess::EndDisplacedStep(Wave &wave) {
  m_session.Ok(fn().displaced_stepping_complete(wave.id, *wave.displaced),
               "ending a step over a breakpoint");
  wave.displaced.reset();
  wave.pc.reset();
  // The place is free for another wave.
  if (m_waiting.empty() || m_stopping || m_in_line_wave)
    return;
  const Start start = m_waiting.front();
  auto found = m_waves.find(start.wave.handle);
  if (found == m_waves.end()) {
    m_waiting.erase(m_waiting.begin());
    return;
  }
  Wave &next = found->second;
  std::optional<uint64_t> pc = GetPC(next);
  auto breakpoint = pc ? m_breakpoints.find(*pc) : m_breakpoints.end();
  amd_dbgapi_displaced_stepping_id_t displaced;
  if (breakpoint == m_breakpoints.end()) {
    m_waiting.erase(m_waiting.begin());
    BeginOne(start);
    return;
  }
  if (fn().displaced_stepping_start(next.id, breakpoint->second.original.data(),
                                    &displaced) != AMD_DBGAPI_STATUS_SUCCESS)
    return;
  m_waiting.erase(m_waiting.begin());
  next.displaced = displaced;
  next.displaced_from = *pc;
  BeginOne(start);
}

void GPUProcess::EndInLine(Wave &wave) {
  m_in_line_wave.reset();
  auto breakpoint = m_breakpoints.find(m_in_line_address);
  if (breakpoint != m_breakpoints.end() && !breakpoint->second.inserted)
    breakpoint->second.inserted =
        WriteCode(m_in_line_address, breakpoint->second.trap);
  if (m_stopping)
    return;
  // A stop of this wave stops all: those that waited begin with the next
  // resume.
  if (wave.stepping ||
      (wave.reasons & ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP)))
    return;
  BeginInLine();
}

void GPUProcess::LetGo() {
  if (!m_session.IsAttached() || m_session.GetCore())
    return;
  if (m_attended && IsRunning())
    StopAll();
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  for (auto &[address, breakpoint] : m_breakpoints)
    if (breakpoint.inserted)
      WriteCode(address, breakpoint.original);
  m_breakpoints.clear();
  m_barrier_traps.clear();
  m_groups.clear();
  m_conditions.clear();
  for (auto &[address, watchpoint] : m_watchpoints)
    for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids)
      m_session.Ok(fn().remove_watchpoint(id), "removing a watchpoint");
  m_watchpoints.clear();
  m_attended = false;
  m_stop_wanted = m_interrupt_wanted = false;
  m_in_line.clear();
  m_waiting.clear();
  m_after_in_line.clear();
  SetCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
  std::vector<uint64_t> ids;
  for (auto &[id, wave] : m_waves)
    if (!wave.running)
      ids.push_back(id);
  for (uint64_t id : ids) {
    auto found = m_waves.find(id);
    if (found == m_waves.end())
      continue;
    found->second.stepping = false;
    RunWave(found->second, /*step=*/false);
  }
  m_threads.clear();
  m_current_thread_id = LLDB_INVALID_THREAD_ID;
  m_state = lldb::eStateRunning;
  SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
}

llvm::Error GPUProcess::WithCoreState(
    llvm::function_ref<llvm::Error(llvm::ArrayRef<uint8_t>,
                                   const MemoryPatches &)>
        write) {
  if (llvm::Error error = CheckLive("no core can be written"))
    return error;
  if (!m_session.IsRuntimeUp())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the program uses no GPU");
  const amd_dbgapi_progress_t progress = m_progress;
  const amd_dbgapi_wave_creation_t creation = m_creation;
  // The library freezes what stands only.
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
  llvm::Error error =
      m_session.Check(fn().process_freeze(m_session.id()), "freezing the GPU");
  if (!error) {
    auto state = m_session.Get<amd_dbgapi_core_state_data_t>(
        fn().process_get_info, m_session.id(),
        AMD_DBGAPI_PROCESS_INFO_CORE_STATE);
    MemoryPatches patches;
    for (const auto &[address, breakpoint] : m_breakpoints)
      if (breakpoint.inserted)
        patches.emplace_back(address, breakpoint.original);
    if (state) {
      error = write(llvm::ArrayRef(static_cast<const uint8_t *>(state->data),
                                   state->size),
                    patches);
      std::free(const_cast<void *>(state->data));
    } else {
      error = llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "the GPU debug library gives no GPU core state");
    }
    m_session.Ok(fn().process_unfreeze(m_session.id()), "unfreezing the GPU");
  }
  SetCreation(creation);
  SetProgress(progress);
  m_session.EndIfFailed();
  return error;
}

void GPUProcess::End(StringRef failure, std::optional<WaitStatus> program) {
  m_failure = failure.str();
  m_waves.clear();
  m_threads.clear();
  m_breakpoints.clear();
  m_barrier_traps.clear();
  m_groups.clear();
  m_conditions.clear();
  m_watchpoints.clear();
  m_current_thread_id = LLDB_INVALID_THREAD_ID;
  if (m_state == lldb::eStateExited)
    return;
  // Of a process that stands nothing is told: the client asks when it goes on.
  const bool was_running = IsRunning();
  // The program's own end is the GPU's, whichever of the two a user looks at.
  SetExitStatus(program ? *program
                        : WaitStatus(WaitStatus::Exit, failure.empty() ? 0 : 1),
                /*bNotifyStateChange=*/was_running);
}

Status GPUProcess::Detach() {
  LetGo();
  m_session.EndIfFailed();
  return Status();
}

Status GPUProcess::Signal(int signo) {
  return Status::FromErrorString("waves take no signals");
}

Status GPUProcess::Kill() {
  if (m_session.GetCore())
    return Status();
  return m_session.GetDelegate().KillProgram();
}

} // namespace wavelane::server
