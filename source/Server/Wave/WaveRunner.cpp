//===-- WaveRunner.cpp - The waves of a program, and their runs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveRunner.h"
#include "StopKinds.h"

namespace wavelane::server {

//===-- The list of waves -------------------------------------------------===//

Wave *WaveRunner::Find(uint64_t id) {
  auto found = m_index.find(id);
  return found == m_index.end() ? nullptr : found->second;
}

void WaveRunner::Ended(amd_dbgapi_wave_id_t id) {
  auto found = m_waves.find(id.handle);
  if (found == m_waves.end())
    return;
  if (found->second.stepping)
    m_stop_wanted = true;
  m_unshown.erase(id.handle);
  if (m_named.erase(id.handle) && m_named.empty())
    m_stop_wanted = true;
  Forget(found);
  // Nothing else would stop those that are held.
  if (m_are_others_held && !m_running && m_waiting.empty() &&
      m_in_line.empty() && m_after_in_line.empty())
    m_stop_wanted = true;
}

void WaveRunner::Forget(Waves::iterator wave) {
  const uint64_t id = wave->first;
  if (m_in_line_wave == id)
    EndInLine(wave->second);
  m_running -= wave->second.running;
  m_displaced -= wave->second.displaced.has_value();
  ++m_list_version;
  m_changed_waves.reset();
  m_groups.Ended(wave->second);
  m_index.erase(id);
  m_waves.erase(wave);
}

Wave &WaveRunner::FindOrAdd(amd_dbgapi_wave_id_t id) {
  Wave *&wave = m_index[id.handle];
  if (!wave) {
    wave = &m_waves.try_emplace(m_waves.end(), id.handle, id)->second;
    ++m_list_version;
    ++m_running;
    m_groups.Began(id.handle);
    NoteChange(*wave);
  }
  return *wave;
}

void WaveRunner::SetRunning(Wave &wave, bool running) {
  m_running += running;
  m_running -= wave.running;
  wave.running = running;
  NoteChange(wave);
}

void WaveRunner::NoteChange(Wave &wave) {
  ++m_change_version;
  if (std::exchange(wave.changed, true))
    return;
  if (m_changed.size() > 2 * m_waves.size())
    llvm::erase_if(m_changed, [this](uint64_t id) { return !Find(id); });
  m_changed.push_back(wave.id.handle);
  m_changed_waves.reset();
}

std::vector<Wave *> WaveRunner::GetChanged() {
  if (!m_changed_waves)
    m_changed_waves = FindChanged();
  return *m_changed_waves;
}

std::vector<Wave *> WaveRunner::FindChanged() {
  std::vector<Wave *> changed;
  if (m_changed.size() > m_waves.size() / 4) {
    for (auto &[id, wave] : m_waves)
      if (wave.changed)
        changed.push_back(&wave);
    return changed;
  }
  for (uint64_t id : m_changed)
    if (Wave *wave = Find(id))
      changed.push_back(wave);
  llvm::sort(changed, [](const Wave *a, const Wave *b) {
    return a->id.handle < b->id.handle;
  });
  return changed;
}

void WaveRunner::ForgetChanges() {
  std::vector<uint64_t> running;
  for (uint64_t id : m_changed)
    if (Wave *wave = Find(id)) {
      wave->changed = wave->running;
      if (wave->running)
        running.push_back(id);
    }
  m_changed = std::move(running);
  m_changed_waves.reset();
}

void WaveRunner::ReadList() {
  if (!m_session.IsRuntimeUp())
    return;
  size_t count = 0;
  amd_dbgapi_wave_id_t *items = nullptr;
  amd_dbgapi_changed_t changed = AMD_DBGAPI_CHANGED_YES;
  if (!m_session.Ok(
          m_session.fn().process_wave_list(m_session.id(), &count, &items,
                                           m_has_list ? &changed : nullptr),
          "listing waves"))
    return;
  if (changed == AMD_DBGAPI_CHANGED_NO)
    return;
  m_has_list = true;
  std::vector<uint64_t> present;
  present.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    present.push_back(items[i].handle);
    FindOrAdd(items[i]);
  }
  std::free(items);
  llvm::sort(present);
  std::vector<amd_dbgapi_wave_id_t> ended;
  for (const auto &[id, wave] : m_waves)
    if (!std::binary_search(present.begin(), present.end(), id))
      ended.push_back(wave.id);
  for (amd_dbgapi_wave_id_t id : ended)
    Ended(id);
}

void WaveRunner::Clear() {
  m_groups.AllEnded();
  m_index.clear();
  m_waves.clear();
  m_changed.clear();
  m_changed_waves.reset();
  m_has_list = false;
  m_named.clear();
  m_unshown.clear();
  m_running = m_displaced = 0;
  ++m_list_version;
  DropStarts();
  m_in_line_wave.reset();
}

//===-- Stops of some waves -----------------------------------------------===//

void WaveRunner::SetNamed(std::set<uint64_t> named, bool keeps_others) {
  m_named = std::move(named);
  m_keeps_others = keeps_others && !m_named.empty();
}

void WaveRunner::AddUnshown(const Wave &wave) {
  m_unshown.insert(wave.id.handle);
  m_stop_wanted |= IsDue(wave);
}

void WaveRunner::Show(llvm::function_ref<bool(const Wave &)> is_shown) {
  std::vector<uint64_t> shown;
  for (uint64_t id : m_unshown)
    if (Wave *wave = Find(id); !wave || is_shown(*wave))
      shown.push_back(id);
  for (uint64_t id : shown) {
    m_unshown.erase(id);
    if (Wave *wave = Find(id))
      NoteChange(*wave);
  }
}

bool WaveRunner::IsAnyDue() {
  return llvm::any_of(m_unshown, [this](uint64_t id) {
    Wave *wave = Find(id);
    return wave && IsDue(*wave);
  });
}

//===-- Running -----------------------------------------------------------===//

/// The exceptions that the program gets when a faulting wave continues.
static uint32_t GetExceptions(const Wave &wave) {
  uint32_t exceptions = 0;
  if (!wave.fault_ignored)
    for (const StopKind &kind : GetStopKinds())
      if (wave.reasons & kind.reasons)
        exceptions |= kind.exception;
  return exceptions;
}

void WaveRunner::Run(Wave &wave, bool step) {
  const uint32_t exceptions = GetExceptions(wave);
  // If its fault is passed to the program, a wave ends.
  const amd_dbgapi_status_t status = m_session.fn().wave_resume(
      wave.id,
      step && !exceptions ? AMD_DBGAPI_RESUME_MODE_SINGLE_STEP
                          : AMD_DBGAPI_RESUME_MODE_NORMAL,
      amd_dbgapi_exceptions_t(exceptions));
  if (status == AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID) {
    Ended(wave.id);
    return;
  }
  if (!m_session.Ok(status, "resuming a wave"))
    return;
  SetRunning(wave, true);
  m_unshown.erase(wave.id.handle);
  wave.reasons = 0;
  wave.interrupted = false;
  wave.boundary.clear();
  wave.fault_ignored = false;
  wave.watch_address.reset();
  wave.all_watched.clear();
  wave.stop.reset();
  wave.pc.reset();
}

void WaveRunner::RunAfterInLine(Wave &wave, bool step) {
  if (m_in_line_wave)
    Wait(wave, step, m_after_in_line);
  else
    Run(wave, step);
}

void WaveRunner::Wait(Wave &wave, bool step, Starts &where) {
  wave.waits = true;
  where.push_back({wave.id, step});
}

void WaveRunner::Drop(Starts &starts) {
  for (const WaveStart &start : std::exchange(starts, {}))
    if (Wave *wave = Find(start.wave.handle)) {
      wave->waits = false;
      NoteChange(*wave);
    }
}

std::optional<WaveStart> WaveRunner::TakeNext(Starts &starts) {
  while (!starts.empty()) {
    const WaveStart start = starts.front();
    starts.pop_front();
    if (Wave *wave = Find(start.wave.handle)) {
      wave->waits = false;
      return start;
    }
  }
  return std::nullopt;
}

void WaveRunner::DropStarts() {
  Drop(m_in_line);
  Drop(m_after_in_line);
  Drop(m_waiting);
}

void WaveRunner::Begin(std::vector<WaveStart> starts) {
  DropStarts();
  m_in_line_wave.reset();
  BeginMore(std::move(starts));
}

const GPUMemory::Trap *WaveRunner::GetTrapAt(Wave &wave) {
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
  return pc ? m_memory.FindTrap(*pc) : nullptr;
}

amd_dbgapi_status_t WaveRunner::StartOutOfLine(Wave &wave,
                                               const GPUMemory::Trap &trap) {
  amd_dbgapi_displaced_stepping_id_t displaced;
  const amd_dbgapi_status_t status = m_session.fn().displaced_stepping_start(
      wave.id, trap.original.data(), &displaced);
  if (status == AMD_DBGAPI_STATUS_SUCCESS) {
    m_displaced += !wave.displaced;
    wave.displaced = displaced;
  }
  return status;
}

void WaveRunner::BeginMore(std::vector<WaveStart> starts) {
  for (const WaveStart &start : starts) {
    Wave *wave = Find(start.wave.handle);
    if (!wave)
      continue;
    wave->stepping = start.step;
    NoteChange(*wave);
    std::optional<uint64_t> pc = m_reader.GetPC(*wave);
    // A wave without a reason hasn't hit the trap at its address, unless that
    // is one of the server's own, which clients don't know.
    const bool has_hit = wave->reasons || wave->fault_ignored ||
                         (pc && m_groups.IsOnlyTrap(*pc));
    const GPUMemory::Trap *trap = GetTrapAt(*wave);
    if (!has_hit || !trap || GetExceptions(*wave)) {
      Wait(*wave, start.step, m_after_in_line);
      continue;
    }
    const amd_dbgapi_status_t status = StartOutOfLine(*wave, *trap);
    if (status == AMD_DBGAPI_STATUS_SUCCESS) {
      Wait(*wave, start.step, m_after_in_line);
    } else if (
        status ==
        AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE) {
      Wait(*wave, start.step, m_waiting);
    } else {
      // The instruction must be executed in place.
      if (status != AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION)
        m_session.Ok(status, "stepping over a breakpoint out of line");
      Wait(*wave, start.step, m_in_line);
    }
  }
  // There is no wave whose buffer these could wait for.
  if (!IsAnyOutOfLine()) {
    m_in_line.insert(m_in_line.end(), m_waiting.begin(), m_waiting.end());
    m_waiting.clear(); // they still wait
  }
  if (!m_in_line_wave)
    BeginInLine();
}

void WaveRunner::BeginInLine() {
  // Step them one after the other, alone, with the breakpoint removed.
  while (std::optional<WaveStart> start = TakeNext(m_in_line)) {
    Wave &wave = *Find(start->wave.handle);
    if (!GetTrapAt(wave)) {
      Wait(wave, start->step, m_after_in_line);
      continue;
    }
    const uint64_t address = *m_reader.GetPC(wave);
    if (!m_memory.TakeOut(address))
      continue;
    m_in_line_wave = start->wave.handle;
    m_in_line_address = address;
    Run(wave, /*step=*/true);
    return;
  }
  Starts starts = std::exchange(m_after_in_line, {});
  while (std::optional<WaveStart> start = TakeNext(starts))
    BeginOne(*start);
}

void WaveRunner::BeginOne(const WaveStart &start) {
  Wave *wave = Find(start.wave.handle);
  if (wave && !wave->running)
    Run(*wave, start.step || wave->displaced);
}

std::vector<Wave *> WaveRunner::GetRunningBesideInLine() {
  std::vector<Wave *> beside;
  if (m_in_line_wave)
    for (Wave *wave : GetChanged())
      // Those that step out of line stop by themselves.
      if (wave->running && !wave->displaced &&
          wave->id.handle != *m_in_line_wave)
        beside.push_back(wave);
  return beside;
}

bool WaveRunner::StepOver(Wave &wave, uint64_t address) {
  const GPUMemory::Trap *trap = m_memory.FindTrap(address);
  if (!trap)
    return false;
  const amd_dbgapi_status_t status = StartOutOfLine(wave, *trap);
  if (status == AMD_DBGAPI_STATUS_SUCCESS) {
    Run(wave, /*step=*/true);
    return true;
  }
  if (status !=
          AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE ||
      !IsAnyOutOfLine())
    return false;
  wave.reasons = 0;
  Wait(wave, /*step=*/false, m_waiting);
  return true;
}

const std::set<uint64_t> &WaveRunner::GetMembers(BarrierGroups::Group group) {
  return m_groups.GetMembers(group, [this](uint64_t id) { return Find(id); });
}

void WaveRunner::AddHeld(BarrierGroups::Group group,
                         std::vector<Wave *> &held) {
  for (uint64_t id : GetMembers(group))
    if (Wave *wave = Find(id); !wave->running && !wave->waits)
      held.push_back(wave);
}

std::vector<Wave *> WaveRunner::GetHeldCompanions() {
  std::vector<Wave *> held;
  for (BarrierGroups::Group group : m_groups.GetGroups())
    AddHeld(group, held);
  return held;
}

void WaveRunner::RunCompanions(Wave &wave) {
  std::vector<WaveStart> starts;
  if (std::optional<BarrierGroups::Group> group = m_groups.FindGroup(wave)) {
    const bool is_new = m_groups.Add(*group);
    // A grid's waves are too many to look at again for each that arrives.
    if (is_new || group->first == BarrierGroups::Barrier::Workgroup) {
      m_groups.Cover(GetMembers(*group));
      std::vector<Wave *> held;
      AddHeld(*group, held);
      for (Wave *other : held)
        if (other != &wave)
          starts.push_back({other->id, false});
    }
  }
  if (m_groups.IsEveryWaveCovered())
    m_groups.RemoveBarriers();
  if (!starts.empty())
    BeginMore(std::move(starts));
}

//===-- Ends of steps, and stops ------------------------------------------===//

void WaveRunner::EndStepOver(Wave &wave) {
  const bool was_in_line = m_in_line_wave == wave.id.handle;
  if (wave.displaced)
    EndOutOfLine(wave);
  if (was_in_line)
    EndInLine(wave);
}

void WaveRunner::EndOutOfLine(Wave &wave) {
  m_session.Ok(
      m_session.fn().displaced_stepping_complete(wave.id, *wave.displaced),
      "ending a step over a breakpoint");
  wave.displaced.reset();
  --m_displaced;
  wave.pc.reset();
  // The buffer is free for another wave.
  if (m_stopping || m_in_line_wave)
    return;
  std::optional<WaveStart> start = TakeNext(m_waiting);
  if (!start)
    return;
  Wave &next = *Find(start->wave.handle);
  const GPUMemory::Trap *trap = GetTrapAt(next);
  if (!trap || StartOutOfLine(next, *trap) == AMD_DBGAPI_STATUS_SUCCESS)
    return BeginOne(*start);
  next.waits = true;
  m_waiting.push_front(*start);
}

void WaveRunner::EndInLine(Wave &wave) {
  m_in_line_wave.reset();
  m_memory.PutBack(m_in_line_address);
  if (m_stopping)
    return;
  // This wave's stop stops all: those that waited begin with the next resume.
  if (!m_non_stop &&
      (wave.stepping ||
       (wave.reasons & ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP))))
    return;
  BeginInLine();
}

void WaveRunner::BeginStopping() {
  m_stopping = true;
  Drop(m_after_in_line);
  Drop(m_waiting);
}

void WaveRunner::EndStopping() {
  Drop(m_in_line);
  m_stopping = false;
}

} // namespace wavelane::server
