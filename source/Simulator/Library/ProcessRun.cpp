//===-- ProcessRun.cpp - Running and stopping waves -----------------------===//

#include "WaveState.h"
#include <cstring>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::embedded {

//===-- Running and stopping ----------------------------------------------===//

Status Process::setProgress(amd_dbgapi_progress_t mode) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  progress = mode;
  return mode == AMD_DBGAPI_PROGRESS_NORMAL ? resume() : Success;
}

Status Process::setWaveCreation(amd_dbgapi_wave_creation_t mode) {
  if (core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (mode == creation)
    return Success;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  creation = mode;
  if (!runtimeUp || exited || socketFd < 0)
    return Success; // applied when the runtime comes up
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SetWaveLaunchMode;
  a.launch_mode.launch_mode = mode == AMD_DBGAPI_WAVE_CREATION_STOP
                                  ? kfd::LaunchHalt
                                  : kfd::LaunchNormal;
  if (trap(a, {}, nullptr) < 0 && socketFd >= 0)
    return Fatal;
  if (mode == AMD_DBGAPI_WAVE_CREATION_NORMAL)
    for (auto &entry : waves)
      if (entry.second->hidden) {
        entry.second->hidden = false;
        listChanged[WaveList] = true;
        if (Status status = unhaltWave(*entry.second, false))
          return status;
      }
  return Success;
}

Status Process::freeze() {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_ALREADY_FROZEN;
  if (core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (progress != AMD_DBGAPI_PROGRESS_NO_FORWARD ||
      creation != AMD_DBGAPI_WAVE_CREATION_STOP)
    return AMD_DBGAPI_STATUS_ERROR_INCOMPATIBLE_PROCESS_STATE;
  if (Status status = suspend())
    return status;
  if (Status status = saveAll())
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

Status Process::coreState(std::vector<uint8_t> &note) {
  auto put = [&](const void *data, size_t size) {
    const uint8_t *p = static_cast<const uint8_t *>(data);
    note.insert(note.end(), p, p + size);
  };
  auto put32 = [&](uint32_t value) { put(&value, 4); };
  auto put64 = [&](uint64_t value) { put(&value, 8); };
  put64(1);
  put32(kfd::InterfaceMajor);
  put32(kfd::InterfaceMinor);
  put64(sizeof(runtime));
  put32(uint32_t(agents.size()));
  put32(sizeof(kfd::DeviceSnapshotEntry));
  put32(uint32_t(queues.size()));
  put32(sizeof(kfd::QueueSnapshotEntry));
  put(&runtime, sizeof(runtime));
  for (auto &entry : agents)
    put(&entry.second->entry, sizeof(entry.second->entry));
  for (auto &entry : queues)
    put(&entry.second->entry, sizeof(entry.second->entry));
  return Success;
}

Status Process::stopWave(uint64_t id) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  auto outstanding = [&]() -> Status {
    auto found = waves.find(id);
    if (found == waves.end())
      return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
    const Wave &wave = *found->second;
    if (wave.state == AMD_DBGAPI_WAVE_STATE_STOP)
      return wave.reported ? AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED
                           : AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP;
    return Success;
  };
  if (Status status = outstanding())
    return status;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;
  if (wave.state == AMD_DBGAPI_WAVE_STATE_STOP)
    return Success; // it stopped by itself meanwhile: that event is the answer
  const bool stepping = wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP;
  if (stepping) {
    if (hasStatePriv(archOf(wave)))
      setHw(wave, HwReg::TrapCtrl, hw(wave, HwReg::TrapCtrl) & ~TrapCtrlStep);
    else
      setHw(wave, HwReg::Mode, hw(wave, HwReg::Mode) & ~ModeStep);
  }
  if (Status status = haltWave(wave))
    return status;
  wave.state = AMD_DBGAPI_WAVE_STATE_STOP;
  wave.hidden = false;
  wave.reasons = 0;
  wave.watches = 0;
  wave.reported = wave.processed = false;
  post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = id;
  return Success;
}

Status Process::resumeWave(uint64_t id, amd_dbgapi_resume_mode_t mode,
                           uint32_t exceptions) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  {
    const Wave &wave = *found->second;
    if (wave.state != AMD_DBGAPI_WAVE_STATE_STOP || !wave.reported)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    if (!wave.processed)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_RESUMABLE;
    if (wave.displaced && mode != AMD_DBGAPI_RESUME_MODE_SINGLE_STEP)
      return AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING;
  }
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;
  wave.reported = wave.processed = false;
  wave.watches = 0;

  if (exceptions && !core) {
    // The program's runtime takes over: the wave stays where it is.
    wave.state = AMD_DBGAPI_WAVE_STATE_RUN;
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SendRuntimeEvent;
    a.send_runtime_event.exception_mask = exceptions;
    a.send_runtime_event.gpu_id = wave.queue->agent->entry.gpu_id;
    a.send_runtime_event.queue_id = wave.queue->entry.queue_id;
    if (trap(a, {}, nullptr) < 0 && socketFd >= 0)
      return Fatal;
    return Success;
  }

  if (wave.displaced && wave.displaced->simulate) {
    const Instruction i = *wave.displaced->simulate;
    using Flow = Instruction::Flow;
    using Condition = Instruction::Condition;
    const uint64_t next = wave.displaced->from + i.size;
    uint64_t target = next;
    auto readPair = [&](unsigned pair, uint64_t &value) {
      uint32_t words[2] = {};
      const Status status = readSgpr(
          wave, pair == PairVcc ? vccIndex(*archOf(wave).arch, wave.record.shape.sgprs)
                                : pair,
          2, words);
      value = words[0] | uint64_t(words[1]) << 32;
      return status;
    };
    auto writePair = [&](unsigned pair, uint64_t value) {
      const unsigned index =
          pair == PairVcc ? vccIndex(*archOf(wave).arch, wave.record.shape.sgprs)
                          : pair;
      const uint32_t words[2] = {uint32_t(value), uint32_t(value >> 32)};
      wave.sgprs.clear();
      return writeAll(wave.area + wave.record.sgprs + index * 4, words, 8);
    };
    switch (i.flow) {
    case Flow::Branch:
      target = i.target;
      break;
    case Flow::ConditionalBranch: {
      uint64_t vcc = 0;
      if (Status status = readPair(PairVcc, vcc))
        return status;
      if (wave.record.shape.lanes == 32)
        vcc = uint32_t(vcc);
      const bool statePriv = hasStatePriv(archOf(wave));
      const bool scc = statePriv ? hw(wave, HwReg::StatePriv) >> 9 & 1
                             : hw(wave, HwReg::Status) & 1;
      bool taken = false;
      switch (i.condition) {
      case Condition::Scc0: taken = !scc; break;
      case Condition::Scc1: taken = scc; break;
      case Condition::VccZ: taken = vcc == 0; break;
      case Condition::VccNZ: taken = vcc != 0; break;
      case Condition::ExecZ: taken = exec(wave) == 0; break;
      case Condition::ExecNZ: taken = exec(wave) != 0; break;
      default: break;
      }
      if (taken)
        target = i.target;
      break;
    }
    case Flow::IndirectBranch:
      if (Status status = readPair(i.source, target))
        return status;
      break;
    case Flow::DirectCall:
      target = i.target;
      if (Status status = writePair(i.destination, next))
        return status;
      break;
    case Flow::IndirectCall:
      if (Status status = readPair(i.source, target))
        return status;
      if (Status status = writePair(i.destination, next))
        return status;
      break;
    case Flow::GetPC:
      if (Status status = writePair(i.destination, next))
        return status;
      break;
    default:
      return Fatal;
    }
    if (Status status = setPC(wave, target & ~uint64_t(3)))
      return status;
    wave.reasons = AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;
    post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = id;
    return Success;
  }

  const bool step = mode == AMD_DBGAPI_RESUME_MODE_SINGLE_STEP;
  wave.state =
      step ? AMD_DBGAPI_WAVE_STATE_SINGLE_STEP : AMD_DBGAPI_WAVE_STATE_RUN;
  if (core)
    return Success;
  if (step) {
    // A wave's end tells nobody: it is told here, and the wave is let go.
    uint8_t bytes[4];
    InstructionDecoder *decoder = InstructionDecoder::get(*archOf(wave).arch);
    std::optional<Instruction> instruction;
    if (decoder && readAll(pc(wave), bytes, sizeof(bytes)) == Success)
      instruction = decoder->decode(pc(wave), bytes, false);
    if (instruction &&
        instruction->kind == AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE) {
      wave.state = AMD_DBGAPI_WAVE_STATE_RUN;
      wave.ending = true;
      listChanged[WaveList] = true;
      post(AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED).wave = id;
      return unhaltWave(wave, false);
    }
  }
  return unhaltWave(wave, step);
}

//===-- Displaced stepping ------------------------------------------------===//

Status Process::startDisplaced(uint64_t id, const void *saved,
                               uint64_t &stepId) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (found->second->state != AMD_DBGAPI_WAVE_STATE_STOP ||
      !found->second->reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (found->second->displaced)
    return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_ACTIVE;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;
  const ArchitectureInfo &info = archOf(wave);
  const uint64_t from = pc(wave);

  uint8_t bytes[DisplacedBytes] = {};
  uint64_t size = info.largestInstruction;
  // The instruction may be the last of its memory.
  while (size > 4 && readAll(from, bytes, size) != Success)
    size -= 4;
  if (size == 4)
    if (Status status = readAll(from, bytes, size))
      return status;
  memcpy(bytes, saved, 4);
  InstructionDecoder *decoder = InstructionDecoder::get(*info.arch);
  std::optional<Instruction> instruction;
  if (decoder)
    instruction = decoder->decode(from, ArrayRef(bytes, size), false);
  if (!instruction || instruction->flow == Instruction::Flow::Other ||
      instruction->size + 4 > DisplacedBytes)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;

  auto step = std::make_unique<DisplacedStep>();
  step->wave = id;
  step->from = from;
  if (instruction->flow != Instruction::Flow::Sequential) {
    const unsigned limit = wave.record.shape.sgprs;
    auto bad = [&](unsigned pair) {
      return pair != PairVcc && pair + 2 > limit;
    };
    using Flow = Instruction::Flow;
    const bool source = instruction->flow == Flow::IndirectBranch ||
                        instruction->flow == Flow::IndirectCall;
    const bool destination = instruction->flow == Flow::DirectCall ||
                             instruction->flow == Flow::IndirectCall ||
                             instruction->flow == Flow::GetPC;
    if ((source && bad(instruction->source)) ||
        (destination && bad(instruction->destination)))
      return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    step->simulate = *instruction;
  } else {
    Queue &queue = *wave.queue;
    unsigned slot = 0;
    while (slot < queue.buffersUsed.size() && queue.buffersUsed[slot])
      ++slot;
    if (slot == queue.buffersUsed.size())
      return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE;
    step->slot = slot;
    step->buffer = queue.debuggerMemory + uint64_t(slot) * DisplacedBytes;
    memcpy(bytes + instruction->size, &info.breakpoint, 4);
    if (Status status = writeAll(step->buffer, bytes, instruction->size + 4))
      return status;
    if (Status status = setPC(wave, step->buffer))
      return status;
    queue.buffersUsed[slot] = true;
  }
  step->id = stepId = library().newId(Library::StepId);
  wave.displaced = step.get();
  steps[stepId] = std::move(step);
  return Success;
}

Status Process::completeDisplaced(uint64_t id, DisplacedStep &step) {
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (found->second->displaced != &step)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  if (found->second->state != AMD_DBGAPI_WAVE_STATE_STOP ||
      !found->second->reported)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;
  if (step.buffer) {
    const uint64_t at = pc(wave);
    if (at >= step.buffer && at < step.buffer + DisplacedBytes)
      if (Status status = setPC(wave, step.from + (at - step.buffer)))
        return status;
    wave.queue->buffersUsed[step.slot] = false;
  }
  wave.displaced = nullptr;
  steps.erase(step.id);
  return Success;
}

} // namespace wavelane::embedded
