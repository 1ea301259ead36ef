//===-- GPUProcess.cpp - The waves of a program as a process --------------===//

#include "GPUProcess.h"
#include "DispatchProgress.h"
#include "GPUThread.h"
#include "MemoryInstruction.h"
#include "WaveSubject.h"
#include "wavelane/Server/Packets.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

namespace {

struct Kind {
  uint32_t reasons;
  int signal;
  const char *text;
  uint32_t exception; ///< what the program is told when the wave goes on
};

/// In the order in which one of several is shown.
constexpr Kind Kinds[] = {
    {AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR, SIGBUS, packets::AddressError,
     AMD_DBGAPI_EXCEPTION_WAVE_ADDRESS_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION, SIGSEGV, packets::MemoryViolation,
     AMD_DBGAPI_EXCEPTION_WAVE_MEMORY_VIOLATION},
    {AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION, SIGILL,
     packets::IllegalInstruction, AMD_DBGAPI_EXCEPTION_WAVE_ILLEGAL_INSTRUCTION},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL, SIGFPE,
     "floating-point exception: denormal operand",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0, SIGFPE,
     "floating-point exception: division by zero",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW, SIGFPE,
     "floating-point exception: overflow", AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW, SIGFPE,
     "floating-point exception: underflow",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT, SIGFPE,
     "floating-point exception: inexact result",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION, SIGFPE,
     "floating-point exception: invalid operation",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0, SIGFPE,
     packets::DivisionByZero, AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP, SIGABRT, packets::AssertionOrAbort,
     AMD_DBGAPI_EXCEPTION_WAVE_ABORT},
    {AMD_DBGAPI_WAVE_STOP_REASON_ECC_ERROR, SIGBUS, packets::MemoryError, 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_FATAL_HALT, SIGABRT, packets::FatalHalt, 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP, SIGTRAP, packets::DebugTrap, 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_TRAP, SIGTRAP, packets::Trap, 0},
};

/// The kind that a stop is shown as, or null for those that are no exception.
const Kind *GetKind(uint32_t reasons) {
  for (const Kind &kind : Kinds)
    if (reasons & kind.reasons)
      return &kind;
  return nullptr;
}

} // namespace

GPUProcess::GPUProcess(GPUSession &session, NativeDelegate &delegate)
    : NativeProcessProtocol(session.GetPID(), /*terminal_fd=*/-1, delegate),
      m_session(session), m_arch("amdgcn-amd-amdhsa"),
      m_code_objects(session) {
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
  if (creation == m_creation || !m_session.IsRuntimeUp() ||
      m_session.GetCore())
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
    auto wave = m_session.Get<amd_dbgapi_wave_id_t>(
        fn().event_get_info, event, AMD_DBGAPI_EVENT_INFO_WAVE);
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
          m_session.Ok(fn().write_register(id, *register_id, 0,
                                           sizeof(address), &address),
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
  const uint64_t workgroup =
      m_session
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
  auto conditions = pc ? m_conditions.find(*pc) : m_conditions.end();
  auto breakpoint = pc ? m_breakpoints.find(*pc) : m_breakpoints.end();
  if (conditions == m_conditions.end() || breakpoint == m_breakpoints.end())
    return false;
  if (m_stopping) {
    // Not hit yet: it comes to the breakpoint again when it goes on.
    wave.reasons = 0;
    return true;
  }
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
  amd_dbgapi_displaced_stepping_id_t displaced;
  switch (fn().displaced_stepping_start(
      wave.id, breakpoint->second.original.data(), &displaced)) {
  case AMD_DBGAPI_STATUS_SUCCESS:
    wave.displaced = displaced;
    wave.displaced_from = *pc;
    RunWave(wave, /*step=*/true);
    return true;
  case AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE:
    if (llvm::none_of(m_waves,
                      [](auto &entry) { return entry.second.displaced; }))
      return false;
    wave.reasons = 0;
    m_waiting.push_back({wave.id, false});
    return true;
  default:
    // The instruction must be executed where it stands, by a resume of all.
    return false;
  }
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

//===-- Stopping ----------------------------------------------------------===//

void GPUProcess::StopAll() {
  // A wave that doesn't stop in that time isn't shown, rather than no stop at all.
  constexpr int Tries = 50, Milliseconds = 100;
  m_stopping = true;
  m_after_in_line.clear();
  m_waiting.clear();
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  SetCreation(AMD_DBGAPI_WAVE_CREATION_STOP);
  ReadWaveList();
  for (auto &[id, wave] : m_waves) {
    if (!wave.running)
      continue;
    const amd_dbgapi_status_t status = fn().wave_stop(wave.id);
    if (status != AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP &&
        status != AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID &&
        status != AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED)
      m_session.Ok(status, "stopping a wave");
  }
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
    if (GetKind(wave.reasons))
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
        m_threads.push_back(
            std::make_unique<GPUThread>(*this, *registers, id));
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

//===-- Running -----------------------------------------------------------===//

uint32_t GPUProcess::GetExceptions(const Wave &wave) {
  uint32_t exceptions = 0;
  if (!wave.fault_ignored)
    for (const Kind &kind : Kinds)
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
  // A wave that waits may stand past the instruction.
  const Barrier barrier = GetBarrier(wave, *pc);
  return barrier == Barrier::None ? GetBarrier(wave, *pc, /*before=*/true)
                                  : barrier;
}

GPUProcess::Barrier GPUProcess::GetBarrierWaitedAt(Wave &wave) {
  constexpr uint32_t InBarrier = 1u << 12;
  const std::string processor = GetProcessorOf(wave);
  const std::vector<uint8_t> status = ReadRegisterByName(wave, "status");
  const bool told =
      status.size() == 4 && !StringRef(processor).starts_with("gfx12");
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

void GPUProcess::LookForBarriers() {
  constexpr size_t MaxWaves = 16;
  constexpr int MaxDelay = 500;
  if (!m_attended || !IsRunning() || !m_barrier_delay || m_in_line_wave ||
      !m_waiting.empty() || !m_session.IsAttached())
    return;
  SetProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
  Drain();
  std::vector<uint64_t> running;
  for (auto &[id, wave] : m_waves)
    if (wave.running && !wave.displaced && running.size() < MaxWaves)
      running.push_back(id);
  // Where a wave is can be seen of one that stands only.
  m_stopping = true;
  for (uint64_t id : running)
    fn().wave_stop({id});
  Drain();
  m_stopping = false;
  std::vector<Companions> groups;
  for (uint64_t id : running)
    if (Wave *wave = FindWave(id))
      if (!wave->running && !wave->reasons)
        if (std::optional<Companions> companions = GetCompanions(*wave))
          groups.push_back(*companions);
  if (!m_stop_wanted) {
    for (uint64_t id : running)
      if (Wave *wave = FindWave(id))
        if (!wave->running)
          RunWave(*wave, wave->stepping);
    std::vector<Start> starts;
    for (auto &[id, wave] : m_waves)
      if (!wave.running && !groups.empty() && IsCompanion(wave, groups))
        starts.push_back({wave.id, false});
    if (!starts.empty())
      Begin(std::move(starts));
  }
  if (m_stop_wanted) {
    StopAll();
    ShowStop();
    return;
  }
  SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
  m_barrier_delay = std::min(m_barrier_delay * 2, MaxDelay);
  m_session.StartTimer(m_barrier_delay);
}

Status GPUProcess::Resume(const ResumeActionList &actions) {
  if (llvm::Error error = CheckLive("nothing can be run"))
    return Status(std::move(error));
  if (!m_session.IsAttached())
    return Status("GPU debugging has ended");
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
  std::vector<Companions> groups;
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
      if (!others_run)
        if (std::optional<Companions> companions = GetCompanions(wave))
          groups.push_back(*companions);
    } else if (state == lldb::eStateRunning) {
      starts.push_back({wave.id, false});
    }
  }
  // A step over a barrier ends when the wave's companions have come to it.
  if (!groups.empty()) {
    std::vector<uint64_t> started;
    for (const Start &start : starts)
      started.push_back(start.wave.handle);
    for (auto &[id, wave] : m_waves)
      if (!wave.running && !llvm::is_contained(started, id) &&
          IsCompanion(wave, groups))
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
  Begin(std::move(starts));
  if (m_stop_wanted) {
    StopAll();
    ShowStop();
  } else {
    SetProgress(AMD_DBGAPI_PROGRESS_NORMAL);
    constexpr int FirstDelay = 10;
    m_barrier_delay = others_run ? 0 : FirstDelay;
    if (m_barrier_delay)
      m_session.StartTimer(m_barrier_delay);
  }
  m_session.EndIfFailed();
  return Status();
}

void GPUProcess::Begin(std::vector<Start> starts) {
  m_in_line.clear();
  m_in_line_wave.reset();
  m_after_in_line.clear();
  m_waiting.clear();
  for (const Start &start : starts) {
    auto found = m_waves.find(start.wave.handle);
    if (found == m_waves.end())
      continue;
    Wave &wave = found->second;
    wave.stepping = start.step;
    wave.interrupted = false;
    // A wave that has told no reason hasn't hit what it stands at.
    if (!wave.reasons && !wave.fault_ignored) {
      m_after_in_line.push_back(start);
      continue;
    }
    auto breakpoint = wave.pc || GetPC(wave)
                          ? m_breakpoints.find(*GetPC(wave))
                          : m_breakpoints.end();
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
    } else if (status ==
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
  const amd_dbgapi_status_t status = fn().wave_resume(
      wave.id,
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
  if (fn().displaced_stepping_start(next.id,
                                    breakpoint->second.original.data(),
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
  // A stop of this wave stops all: those that waited begin with the next resume.
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
  llvm::Error error = m_session.Check(fn().process_freeze(m_session.id()),
                                      "freezing the GPU");
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
  return Status("waves take no signals");
}

Status GPUProcess::Kill() {
  if (m_session.GetCore())
    return Status();
  return m_session.GetDelegate().KillProgram();
}

//===-- Facts -------------------------------------------------------------===//

std::vector<amd_dbgapi_agent_id_t> GPUProcess::GetAgents() {
  auto agents = m_session.List<amd_dbgapi_agent_id_t>(
      [&](size_t *count, amd_dbgapi_agent_id_t **items) {
        return fn().process_agent_list(m_session.id(), count, items, nullptr);
      });
  // Libraries give them in any order.
  llvm::sort(agents, [](amd_dbgapi_agent_id_t a, amd_dbgapi_agent_id_t b) {
    return a.handle < b.handle;
  });
  return agents;
}

std::optional<amd_dbgapi_architecture_id_t> GPUProcess::GetGPUArchitecture() {
  for (amd_dbgapi_agent_id_t agent : GetAgents())
    if (auto architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
            fn().agent_get_info, agent, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
      if (architecture->handle)
        return architecture;
  return std::nullopt;
}

amd_dbgapi_architecture_id_t GPUProcess::GetArchitectureOf(Wave &wave) {
  if (!wave.architecture)
    wave.architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
        fn().wave_get_info, wave.id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
  return wave.architecture.value_or(amd_dbgapi_architecture_id_t{0});
}

const GPURegisters *GPUProcess::GetRegisters() {
  if (m_registers)
    return m_registers.get();
  m_architectures.clear();
  std::vector<amd_dbgapi_architecture_id_t> ids;
  for (amd_dbgapi_agent_id_t agent : GetAgents()) {
    auto id = m_session.Get<amd_dbgapi_architecture_id_t>(
        fn().agent_get_info, agent, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE);
    if (!id || !id->handle || llvm::any_of(ids, [&](auto known) {
          return known.handle == id->handle;
        }))
      continue;
    ids.push_back(*id);
    Architecture architecture;
    architecture.id = *id;
    architecture.name =
        m_session
            .GetString(fn().architecture_get_info, *id,
                       AMD_DBGAPI_ARCHITECTURE_INFO_NAME)
            .value_or("");
    architecture.machine =
        m_session
            .Get<uint32_t>(fn().architecture_get_info, *id,
                           AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE)
            .value_or(0);
    auto size = m_session.Get<amd_dbgapi_size_t>(
        fn().architecture_get_info, *id,
        AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE);
    auto bytes = m_session.Get<uint8_t *>(
        fn().architecture_get_info, *id,
        AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION);
    if (size && bytes && *bytes)
      architecture.trap.assign(*bytes, *bytes + *size);
    if (bytes)
      std::free(*bytes);
    m_architectures.push_back(std::move(architecture));
  }
  if (ids.empty())
    return nullptr;
  m_registers = GPURegisters::Create(m_session, ids);
  m_processor = m_architectures.front().name;
  m_trap_adjust =
      m_session
          .Get<amd_dbgapi_size_t>(
              fn().architecture_get_info, ids.front(),
              AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST)
          .value_or(0);
  return m_registers.get();
}

/// Of code for a generic target: what the names of its GPUs begin with.
static StringRef GetGeneration(uint32_t machine) {
  switch (machine) {
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_GENERIC:
    return "gfx9";
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_1_GENERIC:
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_3_GENERIC:
    return "gfx10";
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX11_GENERIC:
    return "gfx11";
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX12_GENERIC:
    return "gfx12";
  default:
    return "none";
  }
}

std::string GPUProcess::DescribeForeignCode(uint32_t machine,
                                            StringRef processor) {
  if (!GetRegisters())
    return {};
  std::string names;
  for (const Architecture &architecture : m_architectures) {
    if (architecture.machine == machine ||
        StringRef(architecture.name).starts_with(GetGeneration(machine)))
      return {};
    names += (names.empty() ? "" : ", ") + architecture.name;
  }
  return llvm::formatv("it is for {0}, and the core's GPU is {1}", processor,
                       names);
}

llvm::ArrayRef<uint8_t> GPUProcess::GetTrapAt(uint64_t address) {
  if (!GetRegisters() || m_architectures.empty())
    return {};
  if (m_architectures.size() > 1) {
    const uint32_t machine = m_code_objects.GetMachine(address);
    for (const Architecture &architecture : m_architectures)
      if (machine == architecture.machine)
        return architecture.trap;
    const llvm::StringRef generation = GetGeneration(machine);
    for (const Architecture &architecture : m_architectures)
      if (StringRef(architecture.name).starts_with(generation))
        return architecture.trap;
  }
  return m_architectures.front().trap;
}

std::string GPUProcess::GetProcessor() {
  GetRegisters();
  return m_processor;
}

std::string GPUProcess::GetProcessorOf(Wave &wave) {
  GetRegisters();
  for (const Architecture &architecture : m_architectures)
    if (architecture.id.handle == GetArchitectureOf(wave).handle)
      return architecture.name;
  return {};
}

std::optional<DispatchShape> GPUProcess::GetDispatchShape(Wave &wave) {
  const WaveFacts &facts = GetFacts(wave);
  if (!facts.dispatch)
    return std::nullopt;
  const amd_dbgapi_dispatch_id_t dispatch{facts.dispatch};
  auto workgroup = m_session.Get<std::array<uint16_t, 3>>(
      fn().dispatch_get_info, dispatch,
      AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES);
  auto grid = m_session.Get<std::array<uint32_t, 3>>(
      fn().dispatch_get_info, dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES);
  if (!workgroup || !grid)
    return std::nullopt;
  return DispatchShape{*workgroup, *grid};
}

Wave *GPUProcess::FindWave(lldb::tid_t tid) {
  auto found = m_waves.find(tid);
  return found == m_waves.end() ? nullptr : &found->second;
}

std::optional<uint64_t> GPUProcess::GetPC(Wave &wave) {
  if (!wave.pc && !wave.running)
    wave.pc = m_session.Get<uint64_t>(fn().wave_get_info, wave.id,
                                      AMD_DBGAPI_WAVE_INFO_PC);
  return wave.pc;
}

void GPUProcess::PCWritten(Wave &wave) {
  wave.pc.reset();
  wave.fault_ignored = true;
}

void GPUProcess::DescribeCore() {
  const std::vector<amd_dbgapi_agent_id_t> agents = GetAgents();
  size_t supported = 0;
  for (amd_dbgapi_agent_id_t agent : agents) {
    auto get = fn().agent_get_info;
    auto state = m_session.Get<amd_dbgapi_agent_state_t>(
        get, agent, AMD_DBGAPI_AGENT_INFO_STATE);
    if (state == AMD_DBGAPI_AGENT_STATE_SUPPORTED) {
      ++supported;
      continue;
    }
    m_session.AddWarning(
        "waves of the GPU '" +
        m_session.GetString(get, agent, AMD_DBGAPI_AGENT_INFO_NAME)
            .value_or("unknown") +
        "' can't be shown: its kind, driver or firmware isn't supported" +
        (m_session.IsSimulated() ? " by Wavelane's debug library; AMD's can be "
                                   "named in plugin.process.amdgpu.library"
                                 : ""));
  }
  if (supported && m_waves.empty())
    m_session.AddWarning("the core has no waves");
  m_code_objects.DescribeCore();
}

const std::string &
GPUProcess::GetKernelName(amd_dbgapi_dispatch_id_t dispatch) {
  auto [found, is_new] = m_kernels.try_emplace(dispatch.handle);
  if (!is_new)
    return found->second;
  if (auto entry = m_session.Get<uint64_t>(
          fn().dispatch_get_info, dispatch,
          AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS)) {
    found->second = m_code_objects.GetFunction(*entry);
    if (found->second.empty())
      found->second = llvm::formatv("{0:x}", *entry).str();
  }
  return found->second;
}

std::shared_ptr<const WorkgroupFacts>
GPUProcess::GetWorkgroupFacts(Wave &wave) {
  if (wave.workgroup)
    return wave.workgroup;
  auto handle = [&](amd_dbgapi_wave_info_t query) {
    return m_session.Get<uint64_t>(fn().wave_get_info, wave.id, query)
        .value_or(0);
  };
  const uint64_t id = handle(AMD_DBGAPI_WAVE_INFO_WORKGROUP);
  auto known = m_workgroups.find(id);
  if (id && known != m_workgroups.end())
    return wave.workgroup = known->second;
  auto facts = std::make_shared<WorkgroupFacts>();
  facts->workgroup_id = id;
  facts->agent = handle(AMD_DBGAPI_WAVE_INFO_AGENT);
  facts->queue = handle(AMD_DBGAPI_WAVE_INFO_QUEUE);
  facts->dispatch = handle(AMD_DBGAPI_WAVE_INFO_DISPATCH);
  facts->lane_count =
      m_session
          .Get<size_t>(fn().wave_get_info, wave.id,
                       AMD_DBGAPI_WAVE_INFO_LANE_COUNT)
          .value_or(0);
  if (auto group = m_session.Get<std::array<uint32_t, 3>>(
          fn().wave_get_info, wave.id,
          AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD)) {
    facts->has_position = true;
    llvm::copy(*group, facts->workgroup);
  }
  if (facts->dispatch)
    facts->kernel = GetKernelName(amd_dbgapi_dispatch_id_t{facts->dispatch});
  // Those of groups that have ended.
  if (m_workgroups.size() > m_waves.size())
    m_workgroups.clear();
  if (id)
    m_workgroups[id] = facts;
  return wave.workgroup = facts;
}

const WaveFacts &GPUProcess::GetFacts(Wave &wave) {
  if (wave.facts)
    return *wave.facts;
  wave.facts = std::make_unique<WaveFacts>();
  WaveFacts &facts = *wave.facts;
  static_cast<WorkgroupFacts &>(facts) = *GetWorkgroupFacts(wave);
  auto number = m_session.Get<uint32_t>(
      fn().wave_get_info, wave.id,
      AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP);
  facts.has_position &= bool(number);
  facts.wave_in_workgroup = number.value_or(0);
  const std::string kernel = facts.kernel.empty() ? "wave" : facts.kernel;
  if (facts.has_position)
    facts.name = llvm::formatv("{0} ({1},{2},{3})/{4}", kernel,
                               facts.workgroup[0], facts.workgroup[1],
                               facts.workgroup[2], facts.wave_in_workgroup);
  else
    facts.name = llvm::formatv("{0} {1}", kernel, wave.id.handle);
  return facts;
}

llvm::json::Array
GPUProcess::GroupThreads(const char *name,
                         llvm::function_ref<std::string(Wave &)> key) {
  std::map<std::string, std::vector<std::pair<uint64_t, uint64_t>>> groups;
  if (!IsRunning())
    for (const auto &thread : m_threads) {
      const uint64_t tid = thread->GetID();
      Wave *wave = FindWave(tid);
      if (!wave)
        continue;
      auto &runs = groups[key(*wave)];
      if (!runs.empty() && runs.back().first + runs.back().second == tid)
        ++runs.back().second;
      else
        runs.emplace_back(tid, 1);
    }
  llvm::json::Array result;
  for (const auto &[text, runs] : groups) {
    llvm::json::Array threads;
    for (auto [first, count] : runs) {
      threads.push_back(first);
      threads.push_back(count);
    }
    result.push_back(llvm::json::Object{
        {name, text}, {packets::wave::Threads, std::move(threads)}});
  }
  return result;
}

std::string GPUProcess::DescribeInstruction(Wave &wave) {
  std::optional<uint64_t> pc = GetPC(wave);
  if (!pc)
    return {};
  uint8_t bytes[32];
  size_t read = 0;
  if (ReadMemory(*pc, bytes, sizeof(bytes), read).Fail())
    return {};
  amd_dbgapi_size_t size = read;
  char *text = nullptr;
  std::string result;
  if (fn().disassemble_instruction(GetArchitectureOf(wave), *pc, &size, bytes, &text,
                                   nullptr,
                                   nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      text)
    result = StringRef(text).trim().str();
  else if (read >= 4)
    result = llvm::formatv("{0:x-8} {1:x-8}", llvm::support::endian::read32le(bytes),
                           read >= 8 ? llvm::support::endian::read32le(bytes + 4)
                                     : 0);
  std::free(text);
  return result;
}

std::vector<uint8_t> GPUProcess::ReadRegisterByName(Wave &wave,
                                                    StringRef name) {
  const GPURegisters *registers = GetRegisters();
  std::optional<uint32_t> index;
  // A register of two forms has the wave's own.
  if (registers && GetFacts(wave).lane_count == 64)
    index = registers->Find((name + "_w64").str());
  if (registers && !index)
    index = registers->Find(name);
  if (!index)
    return {};
  std::vector<uint8_t> bytes(registers->GetInfo(*index)->byte_size);
  if (fn().read_register(wave.id,
                         registers->GetID(*index, GetArchitectureOf(wave)), 0,
                         bytes.size(),
                         bytes.data()) != AMD_DBGAPI_STATUS_SUCCESS)
    return {};
  return bytes;
}

/// " (lanes 0-3)"; nothing for none.
static std::string ListLanes(uint64_t lanes) {
  if (!lanes)
    return {};
  return llvm::formatv(" (lane{0} {1})", llvm::has_single_bit(lanes) ? "" : "s",
                       FormatLanes(lanes));
}

/// " at 0x10 (lanes 0-3), 'global_load_dword ...'"; what isn't known is left out.
std::string GPUProcess::DescribeViolation(Wave &wave) {
  using llvm::support::endian::read32le;
  const std::string text = DescribeInstruction(wave);
  const std::string quoted = text.empty() ? "" : ", '" + text + "'";
  uint64_t told;
  if (fn().stop_address &&
      fn().stop_address(wave.id, &told) == AMD_DBGAPI_STATUS_SUCCESS)
    return " at " + FormatAddress(told) + ListLanes(wave.stop_lanes) + quoted;
  std::optional<MemoryInstruction> instruction = MemoryInstruction::Parse(text);
  auto exec = m_session.Get<uint64_t>(fn().wave_get_info, wave.id,
                                      AMD_DBGAPI_WAVE_INFO_EXEC_MASK);
  if (!instruction || !exec)
    return {};
  bool known = true;
  auto lane_value = [&](unsigned number, unsigned lane) -> uint64_t {
    const std::vector<uint8_t> bytes =
        ReadRegisterByName(wave, "v" + std::to_string(number));
    if (bytes.size() < (lane + 1) * 4) {
      known = false;
      return 0;
    }
    return read32le(bytes.data() + lane * 4);
  };
  auto scalar_value = [&](unsigned number) -> uint64_t {
    const std::vector<uint8_t> bytes =
        ReadRegisterByName(wave, "s" + std::to_string(number));
    if (bytes.size() < 4) {
      known = false;
      return 0;
    }
    return read32le(bytes.data());
  };
  uint64_t base = uint64_t(instruction->offset);
  if (instruction->scalar)
    base += scalar_value(*instruction->scalar) |
            scalar_value(*instruction->scalar + 1) << 32;
  if (instruction->scalar_offset)
    base += scalar_value(*instruction->scalar_offset);
  uint64_t lanes = 0;
  std::optional<uint64_t> address;
  std::map<uint64_t, bool> pages;
  for (unsigned lane = 0; known && lane < 64; ++lane) {
    if (instruction->vector && !(*exec >> lane & 1))
      continue;
    uint64_t place = base;
    if (instruction->vector) {
      place += lane_value(*instruction->vector, lane);
      if (instruction->is_vector_pair)
        place += lane_value(*instruction->vector + 1, lane) << 32;
    }
    auto [page, is_new] = pages.try_emplace(place >> 12);
    if (is_new) {
      uint8_t byte;
      amd_dbgapi_size_t size = 1;
      page->second =
          fn().read_memory(m_session.id(), AMD_DBGAPI_WAVE_NONE,
                           AMD_DBGAPI_LANE_NONE,
                           AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, place, &size,
                           &byte) == AMD_DBGAPI_STATUS_SUCCESS &&
          size == 1;
    }
    if (!page->second) {
      lanes |= uint64_t(1) << lane;
      if (!address)
        address = place;
    }
    if (!instruction->vector)
      break;
  }
  std::string result;
  if (known && address) {
    result = " at " + FormatAddress(*address);
    if (instruction->vector)
      result += ListLanes(lanes);
  }
  return result + quoted;
}

std::string GPUProcess::Describe(Wave &wave) {
  const Kind *kind = GetKind(wave.reasons);
  if (!kind)
    return {};
  std::string text = kind->text;
  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION &&
      kind->signal == SIGILL) {
    const std::string instruction = DescribeInstruction(wave);
    if (!instruction.empty())
      text += " '" + instruction + "'";
    if (auto pc = GetPC(wave))
      text += llvm::formatv(" at {0:x}", *pc);
    const WaveFacts &facts = GetFacts(wave);
    if (!facts.kernel.empty())
      text += " in kernel " + facts.kernel;
    const std::string processor = GetProcessorOf(wave);
    if (!processor.empty())
      text += " on " + processor;
    text += ListLanes(m_session
                          .Get<uint64_t>(fn().wave_get_info, wave.id,
                                         AMD_DBGAPI_WAVE_INFO_EXEC_MASK)
                          .value_or(0));
  }
  if (kind->reasons & (AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
                       AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR))
    text += DescribeViolation(wave);
  if (kind->signal == SIGFPE || kind->signal == SIGABRT ||
      kind->signal == SIGTRAP) {
    // A trap is every active lane's, an arithmetic exception that of some operands.
    const uint64_t lanes =
        kind->signal == SIGFPE
            ? wave.stop_lanes
            : m_session
                  .Get<uint64_t>(fn().wave_get_info, wave.id,
                                 AMD_DBGAPI_WAVE_INFO_EXEC_MASK)
                  .value_or(0);
    if (auto pc = GetPC(wave))
      text += llvm::formatv(kind->signal == SIGFPE ? " before {0:x}" : " at {0:x}",
                            *pc);
    text += ListLanes(lanes);
  }
  return text;
}

void GPUProcess::GetStopInfo(Wave &wave, ThreadStopInfo &info,
                             std::string &description) {
  info = {};
  info.reason = lldb::eStopReasonNone;
  description.clear();
  if (wave.interrupted) {
    info.reason = lldb::eStopReasonSignal;
    info.signo = SIGINT;
  } else if (const Kind *kind = GetKind(wave.reasons)) {
    info.reason = lldb::eStopReasonException;
    info.signo = kind->signal;
    if (!wave.description)
      wave.description = Describe(wave);
    description = *wave.description;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT) {
    if (m_session.GetCore()) {
      info.reason = lldb::eStopReasonException;
      info.signo = SIGTRAP;
      description = "watchpoint";
      return;
    }
    info.reason = lldb::eStopReasonWatchpoint;
    info.signo = SIGTRAP;
    if (wave.watch_address)
      description = llvm::formatv("{0} 0 {0}", *wave.watch_address);
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) {
    // A wave that has stayed keeps its reason as long as there is one.
    if (!wave.stopped_now && !IsAtBreakpoint(wave))
      return;
    if (m_session.GetCore()) {
      // A client takes a breakpoint for one of its own.
      info.reason = lldb::eStopReasonException;
      info.signo = SIGTRAP;
      description = "breakpoint";
      return;
    }
    info.reason = lldb::eStopReasonBreakpoint;
    info.signo = SIGTRAP;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP) {
    info.reason = lldb::eStopReasonTrace;
    info.signo = SIGTRAP;
  }
}

//===-- Memory ------------------------------------------------------------===//

llvm::Expected<size_t>
GPUProcess::Transfer(amd_dbgapi_address_space_id_t space,
                     amd_dbgapi_wave_id_t wave, uint32_t lane,
                     uint64_t address, size_t size, void *read,
                     const void *write) {
  if (!m_session.IsAttached())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "GPU debugging has ended");
  if (write)
    if (llvm::Error error = CheckLive("memory can't be written"))
      return std::move(error);
  size_t done = 0;
  while (done < size) {
    amd_dbgapi_size_t part = size - done;
    const amd_dbgapi_status_t status =
        read ? fn().read_memory(m_session.id(), wave, lane, space,
                                address + done, &part,
                                static_cast<uint8_t *>(read) + done)
             : fn().write_memory(m_session.id(), wave, lane, space,
                                 address + done, &part,
                                 static_cast<const uint8_t *>(write) + done);
    if (status != AMD_DBGAPI_STATUS_SUCCESS || part == 0) {
      if (done)
        break;
      if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS && m_session.GetCore())
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "memory at 0x%" PRIx64 " isn't in the core file", address + done);
      if (status == AMD_DBGAPI_STATUS_SUCCESS)
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "no memory there");
      return m_session.Check(status, read ? "reading memory" : "writing memory");
    }
    done += std::min<size_t>(part, size - done);
  }
  return done;
}

Status GPUProcess::ReadMemory(lldb::addr_t address, void *buffer, size_t size,
                              size_t &bytes_read) {
  bytes_read = 0;
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, size, buffer, nullptr);
  if (!done)
    return Status(done.takeError());
  bytes_read = *done;
  // Nobody is to see breakpoints.
  uint8_t *bytes = static_cast<uint8_t *>(buffer);
  auto it = m_breakpoints.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_breakpoints.end() && it->first < address + bytes_read; ++it)
    for (size_t i = 0; it->second.inserted && i < it->second.original.size();
         ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < bytes_read)
        bytes[at - address] = it->second.original[i];
    }
  return Status();
}

Status GPUProcess::WriteMemory(lldb::addr_t address, const void *buffer,
                               size_t size, size_t &bytes_written) {
  bytes_written = 0;
  const uint8_t *given = static_cast<const uint8_t *>(buffer);
  std::vector<uint8_t> bytes(given, given + size);
  // Breakpoints stay; what is written under them counts when they go.
  auto it = m_breakpoints.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_breakpoints.end() && it->first < address + size; ++it)
    for (size_t i = 0; it->second.inserted && i < it->second.original.size();
         ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < size)
        bytes[at - address] = it->second.trap[i];
    }
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, size, nullptr, bytes.data());
  if (!done)
    return Status(done.takeError());
  bytes_written = *done;
  it = m_breakpoints.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_breakpoints.end() && it->first < address + bytes_written; ++it)
    for (size_t i = 0; i < it->second.original.size(); ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < bytes_written)
        it->second.original[i] = given[at - address];
    }
  return Status();
}

llvm::Expected<size_t> GPUProcess::TransferSpace(uint64_t number, Wave *wave,
                                                 uint32_t lane,
                                                 uint64_t address, size_t size,
                                                 void *read,
                                                 const void *write) {
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  auto architecture = wave ? std::optional(GetArchitectureOf(*wave))
                           : GetGPUArchitecture();
  if (!architecture)
    return fail("there is no GPU");
  amd_dbgapi_address_space_id_t space;
  if (llvm::Error error = m_session.Check(
          fn().dwarf_address_space_to_address_space(*architecture, number,
                                                    &space),
          "finding the address space"))
    return std::move(error);
  if (space.handle == AMD_DBGAPI_ADDRESS_SPACE_GLOBAL.handle) {
    size_t done = 0;
    Status error = read ? ReadMemory(address, read, size, done)
                        : WriteMemory(address, write, size, done);
    if (error.Fail())
      return error.ToError();
    return done;
  }
  if (!wave)
    return fail("the address space needs a wave");
  if (wave->running)
    return fail("the wave is running");
  if (lane != AMD_DBGAPI_LANE_NONE && lane >= GetFacts(*wave).lane_count)
    return fail("the wave has no lane " + llvm::Twine(lane));
  return Transfer(space, wave->id, lane, address, size, read, write);
}

bool GPUProcess::WriteCode(uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, bytes.size(), nullptr,
               bytes.data());
  if (!done) {
    llvm::consumeError(done.takeError());
    return false;
  }
  return *done == bytes.size();
}

llvm::json::Array GPUProcess::GetAddressSpaces() {
  llvm::json::Array result;
  auto architecture = GetGPUArchitecture();
  if (!architecture)
    return result;
  auto spaces = m_session.List<amd_dbgapi_address_space_id_t>(
      [&](size_t *count, amd_dbgapi_address_space_id_t **items) {
        return fn().architecture_address_space_list(*architecture, count,
                                                    items);
      });
  for (amd_dbgapi_address_space_id_t space : spaces) {
    auto name = m_session.GetString(fn().address_space_get_info, space,
                                    AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME);
    auto number = m_session.Get<uint64_t>(fn().address_space_get_info, space,
                                          AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF);
    if (!name || !number)
      continue;
    auto bits =
        m_session.Get<uint64_t>(fn().address_space_get_info, space,
                                AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE);
    auto null = m_session.Get<uint64_t>(
        fn().address_space_get_info, space,
        AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS);
    // Generic addresses depend on which space they lead to, which is a wave's.
    constexpr const char *Dependencies[] = {"",          "lane",  "wave",
                                            "workgroup", "agent", "process"};
    const char *dependency = llvm::StringSwitch<const char *>(*name)
                                 .Case("global", "process")
                                 .Case("generic", "lane")
                                 .Case("private_lane", "lane")
                                 .Case("private_wave", "wave")
                                 .Case("local", "workgroup")
                                 .Case("region", "agent")
                                 .Default("wave");
    amd_dbgapi_segment_address_dependency_t value;
    if (*name != "generic" &&
        m_session.api().addressDependency(m_session.id(), AMD_DBGAPI_WAVE_NONE,
                                          space, 0, &value) ==
            AMD_DBGAPI_STATUS_SUCCESS &&
        value > 0 && size_t(value) < std::size(Dependencies))
      dependency = Dependencies[value];
    const bool shared = StringRef(dependency) == "agent" ||
                        StringRef(dependency) == "process";
    llvm::json::Object object{{"name", *name},
                              {"space_id", *number},
                              {"is_thread_specific", !shared},
                              {"depends_on", dependency}};
    if (bits)
      object["address_bits"] = *bits;
    if (null)
      object["null"] = *null;
    result.push_back(std::move(object));
  }
  return result;
}

//===-- Breakpoints and watchpoints ---------------------------------------===//

Status GPUProcess::SetBreakpoint(lldb::addr_t address, uint32_t size,
                                 bool hardware) {
  if (hardware)
    return Status("GPUs have no hardware breakpoints");
  if (llvm::Error error = CheckLive("no breakpoint can be set"))
    return Status(std::move(error));
  auto known = m_breakpoints.find(address);
  if (known != m_breakpoints.end()) {
    ++known->second.users;
    return Status();
  }
  const llvm::ArrayRef<uint8_t> trap = GetTrapAt(address);
  if (trap.empty())
    return Status("the GPU's breakpoint instruction isn't known");
  if (address % 4)
    return Status("0x%" PRIx64 " is no address of a GPU instruction", address);
  Breakpoint breakpoint;
  breakpoint.users = 1;
  breakpoint.trap = trap.vec();
  breakpoint.original.resize(trap.size());
  size_t done = 0;
  Status error = ReadMemory(address, breakpoint.original.data(),
                            breakpoint.original.size(), done);
  if (error.Fail())
    return error;
  if (done != trap.size() || !WriteCode(address, trap))
    return Status("no GPU code can be written at 0x%" PRIx64, address);
  breakpoint.inserted = true;
  m_breakpoints.emplace(address, std::move(breakpoint));
  return Status();
}

Status GPUProcess::RemoveBreakpoint(lldb::addr_t address, bool hardware) {
  auto known = m_breakpoints.find(address);
  if (hardware || known == m_breakpoints.end())
    return Status("there is no breakpoint at 0x%" PRIx64, address);
  if (--known->second.users)
    return Status();
  // Where the code is gone there is nothing to restore.
  const bool inserted = known->second.inserted;
  const std::vector<uint8_t> original = std::move(known->second.original);
  m_breakpoints.erase(known);
  m_conditions.erase(address);
  if (inserted && !WriteCode(address, original))
    LLDB_LOG(GetLog(LLDBLog::Breakpoints),
             "the code of the breakpoint at {0:x} is gone", address);
  return Status();
}

std::optional<std::pair<uint32_t, uint32_t>>
GPUProcess::GetHardwareDebugSupportInfo() const {
  auto count = m_session.Get<size_t>(fn().process_get_info, m_session.id(),
                                     AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT);
  return std::make_pair(0u, uint32_t(count.value_or(0)));
}

llvm::Expected<amd_dbgapi_watchpoint_id_t>
GPUProcess::Watch(uint64_t address, size_t size, uint32_t flags) {
  constexpr uint32_t Write = 1, Read = 2;
  const amd_dbgapi_watchpoint_kind_t kind =
      flags == Read    ? AMD_DBGAPI_WATCHPOINT_KIND_LOAD
      : flags == Write ? AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW
                       : AMD_DBGAPI_WATCHPOINT_KIND_ALL;
  amd_dbgapi_watchpoint_id_t id;
  const amd_dbgapi_status_t status =
      fn().set_watchpoint(m_session.id(), address, size, kind, &id);
  if (status == AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "none of the GPU's watch registers is free for %zu bytes", size);
  if (llvm::Error error = m_session.Check(status, "setting a watchpoint"))
    return std::move(error);
  // Hardware may watch another range than was asked.
  auto start = m_session.Get<uint64_t>(fn().watchpoint_get_info, id,
                                       AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS);
  auto length = m_session.Get<uint64_t>(fn().watchpoint_get_info, id,
                                        AMD_DBGAPI_WATCHPOINT_INFO_SIZE);
  if (!start || !length || *start > address ||
      address - *start + size > *length) {
    m_session.Ok(fn().remove_watchpoint(id), "removing a watchpoint");
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the GPU can't watch %zu bytes at 0x%" PRIx64,
                                   size, address);
  }
  return id;
}

Status GPUProcess::SetWatchpoint(lldb::addr_t address, size_t size,
                                 uint32_t flags, bool hardware) {
  if (m_watchpoints.count(address))
    return Status("0x%" PRIx64 " is watched already", address);
  if (!m_session.IsRuntimeUp())
    return Status("the program has no GPU runtime");
  auto id = Watch(address, size, flags);
  if (!id)
    return Status(id.takeError());
  m_watchpoints[address].ids.push_back(*id);
  return Status();
}

Status GPUProcess::SetSpaceWatchpoint(lldb::addr_t key, uint64_t space,
                                      Wave *wave, uint32_t lane,
                                      uint64_t offset, size_t size,
                                      uint32_t flags) {
  constexpr uint64_t Local = 3, PrivateLane = 5;
  constexpr size_t MaxSize = 64;
  if (m_watchpoints.count(key))
    return Status("0x%" PRIx64 " is watched already", key);
  if (!wave || wave->running)
    return Status("local and private memory are a stopped wave's");
  if (space != Local && space != PrivateLane)
    return Status("memory of address space %" PRIu64 " can't be watched", space);
  if (!fn().watch_address)
    return Status("the watch registers of this GPU are for global memory: local "
                  "and private memory can be watched on a simulated GPU only");
  if (!size || size > MaxSize)
    return Status("%zu bytes can't be watched", size);
  Watchpoint watchpoint;
  if (space == Local)
    watchpoint.workgroup = GetFacts(*wave).workgroup_id;
  Status error;
  for (size_t done = 0; done < size && error.Success();) {
    uint64_t address = 0, contiguous = 0;
    if (llvm::Error failed = m_session.Check(
            fn().watch_address(wave->id, lane, space == Local, offset + done,
                               &address, &contiguous),
            "finding what to watch")) {
      error = Status(std::move(failed));
      break;
    }
    const size_t here = std::min<uint64_t>(size - done, contiguous);
    auto id = Watch(address, here, flags);
    if (!id) {
      error = Status(id.takeError());
      break;
    }
    watchpoint.ids.push_back(*id);
    done += here;
  }
  if (error.Fail()) {
    for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids)
      m_session.Ok(fn().remove_watchpoint(id), "removing a watchpoint");
    return error;
  }
  m_watchpoints.emplace(key, std::move(watchpoint));
  return Status();
}

Status GPUProcess::RemoveWatchpoint(lldb::addr_t address) {
  auto known = m_watchpoints.find(address);
  if (known == m_watchpoints.end())
    return Status("0x%" PRIx64 " isn't watched", address);
  llvm::Error error = llvm::Error::success();
  for (amd_dbgapi_watchpoint_id_t id : known->second.ids)
    error = llvm::joinErrors(
        std::move(error),
        m_session.Check(fn().remove_watchpoint(id), "removing a watchpoint"));
  m_watchpoints.erase(known);
  return Status(std::move(error));
}

//===-- Objects for the client --------------------------------------------===//

llvm::json::Object GPUProcess::GetWaveObject(Wave &wave) {
  namespace key = packets::wave;
  const WaveFacts &facts = GetFacts(wave);
  llvm::json::Object object{{"id", int64_t(wave.id.handle)},
                            {key::Thread, int64_t(wave.id.handle)},
                            {key::Name, facts.name},
                            {key::LaneCount, int64_t(facts.lane_count)},
                            {key::Agent, int64_t(facts.agent)},
                            {key::Queue, int64_t(facts.queue)},
                            {key::Wave, int64_t(wave.id.handle)},
                            {key::State, wave.running ? "running" : "stopped"}};
  if (facts.dispatch)
    object[key::Dispatch] = int64_t(facts.dispatch);
  if (facts.workgroup_id)
    object[key::WorkgroupId] = int64_t(facts.workgroup_id);
  if (!facts.kernel.empty())
    object[key::Kernel] = facts.kernel;
  if (facts.has_position) {
    object[key::Workgroup] = llvm::json::Array{
        facts.workgroup[0], facts.workgroup[1], facts.workgroup[2]};
    object[key::WaveInWorkgroup] = facts.wave_in_workgroup;
  }
  if (!wave.running) {
    if (auto pc = GetPC(wave))
      object[key::Pc] = *pc;
    ThreadStopInfo info;
    std::string description;
    GetStopInfo(wave, info, description);
    switch (info.reason) {
    case lldb::eStopReasonException:
      break;
    case lldb::eStopReasonWatchpoint:
      description = "watchpoint";
      break;
    case lldb::eStopReasonBreakpoint:
      description = "breakpoint";
      break;
    case lldb::eStopReasonTrace:
      description = "trace";
      break;
    case lldb::eStopReasonSignal:
      description = "interrupt";
      break;
    default:
      description.clear();
      break;
    }
    object[key::StopReason] = description;
  }
  return object;
}

llvm::Expected<llvm::json::Value> GPUProcess::GetWaveInfo(lldb::tid_t tid) {
  namespace key = packets::wave;
  Wave *wave = FindWave(tid);
  if (!wave)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "there is no wave %" PRIu64, tid);
  llvm::json::Object object = GetWaveObject(*wave);
  if (!wave->running)
    if (auto exec = m_session.Get<uint64_t>(fn().wave_get_info, wave->id,
                                            AMD_DBGAPI_WAVE_INFO_EXEC_MASK))
      object[key::Exec] = *exec;
  if (std::optional<DispatchShape> shape = GetDispatchShape(*wave)) {
    object[key::WorkgroupSize] = llvm::json::Array{
        shape->workgroup[0], shape->workgroup[1], shape->workgroup[2]};
    object[key::GridSize] =
        llvm::json::Array{shape->grid[0], shape->grid[1], shape->grid[2]};
  }
  return llvm::json::Value(std::move(object));
}

llvm::Expected<llvm::json::Value> GPUProcess::GetObjects(StringRef kind) {
  llvm::json::Array result;
  llvm::json::Object object;
  // Adds what the library tells; what it can't is left out.
  auto add = [&](const char *name, auto value) {
    if (!value)
      return;
    using T = std::decay_t<decltype(*value)>;
    if constexpr (std::is_same_v<T, std::string>) {
      object[name] = *value;
    } else if constexpr (std::is_integral_v<T>) {
      object[name] = uint64_t(*value);
    } else if constexpr (std::is_enum_v<T>) {
      object[name] = int64_t(*value);
    } else {
      llvm::json::Array items;
      for (auto item : *value)
        items.push_back(int64_t(item));
      object[name] = std::move(items);
    }
  };
  auto begin = [&](uint64_t id) {
    object = llvm::json::Object{{"id", id}};
  };
  auto end = [&] { result.push_back(std::move(object)); };

  if (kind == "code_object")
    return llvm::json::Value(m_code_objects.GetObjects());
  if (kind == "stop") {
    for (auto &[id, wave] : m_waves)
      if (!wave.running && wave.stopped_now && wave.reasons && wave.stop_lanes)
        result.push_back(llvm::json::Object{{packets::wave::Thread, id},
                                            {"lanes", wave.stop_lanes}});
    return llvm::json::Value(std::move(result));
  }
  if (kind == "wave_name") {
    // Every name is another one.
    std::string names;
    llvm::json::Array all = GroupThreads("names", [&](Wave &wave) {
      names += GetFacts(wave).name + '\n';
      return std::string();
    });
    if (!all.empty())
      (*all.front().getAsObject())["names"] = std::move(names);
    return llvm::json::Value(std::move(all));
  }
  if (kind == "wave_kernel")
    return llvm::json::Value(GroupThreads("kernel", [&](Wave &wave) {
      return GetWorkgroupFacts(wave)->kernel;
    }));
  if (kind == "wave") {
    if (!IsRunning())
      for (const auto &thread : m_threads)
        if (Wave *wave = FindWave(thread->GetID())) {
          object = GetWaveObject(*wave);
          if (!wave->running)
            add(packets::wave::Exec,
                m_session.Get<uint64_t>(fn().wave_get_info, wave->id,
                                        AMD_DBGAPI_WAVE_INFO_EXEC_MASK));
          end();
        }
    return llvm::json::Value(std::move(result));
  }
  if (kind == "agent") {
    for (amd_dbgapi_agent_id_t id : GetAgents()) {
      auto get = fn().agent_get_info;
      begin(id.handle);
      add("name", m_session.GetString(get, id, AMD_DBGAPI_AGENT_INFO_NAME));
      if (auto architecture = m_session.Get<amd_dbgapi_architecture_id_t>(
              get, id, AMD_DBGAPI_AGENT_INFO_ARCHITECTURE))
        add("architecture",
            m_session.GetString(fn().architecture_get_info, *architecture,
                                AMD_DBGAPI_ARCHITECTURE_INFO_NAME));
      if (auto state = m_session.Get<amd_dbgapi_agent_state_t>(
              get, id, AMD_DBGAPI_AGENT_INFO_STATE))
        object["state"] = *state == AMD_DBGAPI_AGENT_STATE_SUPPORTED
                              ? "supported"
                              : "not supported";
      add("pci_domain", m_session.Get<uint16_t>(
                            get, id, AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN));
      add("pci_slot",
          m_session.Get<uint16_t>(get, id, AMD_DBGAPI_AGENT_INFO_PCI_SLOT));
      add("vendor_id", m_session.Get<uint32_t>(
                           get, id, AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID));
      add("device_id", m_session.Get<uint32_t>(
                           get, id, AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID));
      add("execution_units",
          m_session.Get<size_t>(get, id,
                                AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT));
      add("waves_per_execution_unit",
          m_session.Get<size_t>(
              get, id, AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT));
      add("os_id",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_AGENT_INFO_OS_ID));
      end();
    }
  } else if (kind == "queue") {
    for (auto id : m_session.List<amd_dbgapi_queue_id_t>(
             [&](size_t *count, amd_dbgapi_queue_id_t **items) {
               return fn().process_queue_list(m_session.id(), count, items,
                                              nullptr);
             })) {
      auto get = fn().queue_get_info;
      begin(id.handle);
      add("agent", m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_AGENT));
      if (auto type = m_session.Get<amd_dbgapi_os_queue_type_t>(
              get, id, AMD_DBGAPI_QUEUE_INFO_TYPE))
        object["type"] =
            *type == AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL          ? "HSA AQL"
            : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4        ? "PM4"
            : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA       ? "SDMA"
            : *type == AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI ? "SDMA XGMI"
                                                               : "unknown";
      add("address",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_ADDRESS));
      add("size", m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_SIZE));
      add("os_id",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_QUEUE_INFO_OS_ID));
      uint64_t read = 0, write = 0;
      size_t size = 0;
      void *packets = nullptr;
      if (fn().queue_packet_list(id, &read, &write, &size, &packets) ==
          AMD_DBGAPI_STATUS_SUCCESS) {
        object["read_packet"] = read;
        object["write_packet"] = write;
      }
      std::free(packets);
      end();
    }
  } else if (kind == "dispatch") {
    DispatchProgress progress(m_session);
    for (auto id : m_session.List<amd_dbgapi_dispatch_id_t>(
             [&](size_t *count, amd_dbgapi_dispatch_id_t **items) {
               return fn().process_dispatch_list(m_session.id(), count, items,
                                                 nullptr);
             })) {
      auto get = fn().dispatch_get_info;
      auto number = [&](const char *name, amd_dbgapi_dispatch_info_t query) {
        add(name, m_session.Get<uint64_t>(get, id, query));
      };
      begin(id.handle);
      number("queue", AMD_DBGAPI_DISPATCH_INFO_QUEUE);
      number("agent", AMD_DBGAPI_DISPATCH_INFO_AGENT);
      number("packet", AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID);
      object["kernel"] = GetKernelName(id);
      if (auto done = progress.Get(id))
        object["progress"] = std::move(*done);
      add("grid_size",
          m_session.Get<std::array<uint32_t, 3>>(
              get, id, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES));
      add("workgroup_size",
          m_session.Get<std::array<uint16_t, 3>>(
              get, id, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES));
      add("dimensions",
          m_session.Get<uint32_t>(get, id,
                                  AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS));
      add("barrier",
          m_session.Get<uint32_t>(get, id, AMD_DBGAPI_DISPATCH_INFO_BARRIER));
      add("acquire_fence",
          m_session.Get<uint32_t>(get, id,
                                  AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE));
      add("release_fence",
          m_session.Get<uint32_t>(get, id,
                                  AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE));
      number("private_size", AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE);
      number("group_size", AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE);
      number("kernarg",
             AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS);
      number("descriptor", AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS);
      number("entry", AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS);
      number("completion", AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS);
      end();
    }
  } else if (kind == "workgroup") {
    std::map<uint64_t, std::vector<Wave *>> waves;
    for (auto &[id, wave] : m_waves)
      waves[GetFacts(wave).workgroup_id].push_back(&wave);
    for (auto id : m_session.List<amd_dbgapi_workgroup_id_t>(
             [&](size_t *count, amd_dbgapi_workgroup_id_t **items) {
               return fn().process_workgroup_list(m_session.id(), count, items,
                                                  nullptr);
             })) {
      auto get = fn().workgroup_get_info;
      begin(id.handle);
      add("dispatch",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_DISPATCH));
      add("queue",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_QUEUE));
      add("agent",
          m_session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_AGENT));
      add("workgroup", m_session.Get<std::array<uint32_t, 3>>(
                           get, id, AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD));
      auto members = waves.find(id.handle);
      if (members != waves.end()) {
        object["waves"] = members->second.size();
        // Who waits at the workgroup's barrier, and for whom, by number in it.
        llvm::json::Array waiting, missing, at_grid;
        for (Wave *wave : members->second) {
          const WaveFacts &facts = GetFacts(*wave);
          if (wave->running || !facts.has_position)
            continue;
          const Barrier barrier = GetBarrierWaitedAt(*wave);
          (barrier == Barrier::Workgroup ? waiting : missing)
              .push_back(facts.wave_in_workgroup);
          if (barrier == Barrier::Grid)
            at_grid.push_back(facts.wave_in_workgroup);
        }
        if (!at_grid.empty())
          object["at_grid_barrier"] = std::move(at_grid);
        if (!waiting.empty()) {
          object["at_barrier"] = std::move(waiting);
          object["not_arrived"] = std::move(missing);
        }
      }
      end();
    }
  } else {
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "no objects of kind '" + kind +
            "': there are agent, queue, dispatch, workgroup, wave and "
            "code_object");
  }
  return llvm::json::Value(std::move(result));
}

Status GPUProcess::GetLoadedModuleFileSpec(const char *path, FileSpec &spec) {
  return Status("GPU code objects are told by %s",
                packets::AcceleratorLibraryInfo);
}

Status GPUProcess::GetFileLoadAddress(const StringRef &name,
                                      lldb::addr_t &address) {
  std::optional<int64_t> found = m_code_objects.GetLoadAddress(name);
  if (!found)
    return Status("no GPU code object is loaded from '%s'", name.str().c_str());
  address = *found;
  return Status();
}

} // namespace wavelane::server
