//===-- SavedWaves.cpp - The waves in context save areas ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SavedWaves.h"
#include "WaveState.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::library {

//===-- Queues ------------------------------------------------------------===//

Status SavedWaves::update(Queue &queue) {
  // amd_queue_t, by its read_dispatch_id.
  if (Status status = memory.readAll(queue.entry.read_pointer_address,
                                     &queue.readPacket, 8))
    return status;
  if (Status status = memory.readAll(queue.entry.write_pointer_address,
                                     &queue.writePacket, 8))
    return status;
  const uint64_t base =
      queue.entry.read_pointer_address - simulator::AmdQueueReadDispatchId;
  if (Status status = memory.readAll(
          base + simulator::AmdQueueComputeTmpringSize, &queue.tmpring, 4))
    return status;
  uint64_t scratch[2];
  if (Status status = memory.readAll(base + simulator::AmdQueueScratchLocation,
                                     scratch, 16))
    return status;
  queue.scratchLocation = scratch[0];
  queue.scratchBytes = scratch[1];

  queue.mark = objects.newMark();
  const uint32_t xccs = std::max(1u, std::min(64u, queue.agent->entry.num_xcc));
  for (uint32_t i = 0; i < xccs; ++i)
    if (Status status = readArea(
            queue, queue.entry.ctx_save_restore_address +
                       uint64_t(i) * queue.entry.ctx_save_restore_area_size))
      return status;
  return Success;
}

void SavedWaves::removeGone() {
  std::vector<uint64_t> gone;
  for (auto &entry : objects.waves)
    if (entry.second->mark != entry.second->queue->mark)
      gone.push_back(entry.first);
  for (uint64_t wave : gone)
    removeWave(wave);
  auto remove = [this](auto &table, ListKind kind) {
    for (auto it = table.begin(); it != table.end();)
      if (it->second->mark != it->second->queue->mark) {
        it = table.erase(it);
        objects.listChanged[kind] = true;
      } else {
        ++it;
      }
  };
  remove(objects.groups, WorkgroupList);
  remove(objects.dispatches, DispatchList);
}

void SavedWaves::removeWave(uint64_t id) {
  auto found = objects.waves.find(id);
  if (found == objects.waves.end())
    return;
  Wave &wave = *found->second;
  if (DisplacedStep *step = wave.displaced) {
    if (step->buffer && step->slot < wave.queue->buffersUsed.size())
      wave.queue->buffersUsed[step->slot] = false;
    objects.steps.erase(step->id);
  }
  if (wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP)
    events.post(AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED).wave = id;
  events.dropStopsOf(id);
  objects.waves.erase(found);
  objects.listChanged[WaveList] = true;
}

void SavedWaves::removeQueue(uint64_t id) {
  auto found = objects.queues.find(id);
  if (found == objects.queues.end())
    return;
  Queue *queue = found->second.get();
  std::vector<uint64_t> gone;
  for (auto &entry : objects.waves)
    if (entry.second->queue == queue)
      gone.push_back(entry.first);
  for (uint64_t wave : gone)
    removeWave(wave);
  auto remove = [queue](auto &table) {
    for (auto it = table.begin(); it != table.end();)
      it = it->second->queue == queue ? table.erase(it) : std::next(it);
  };
  remove(objects.groups);
  remove(objects.dispatches);
  objects.queues.erase(found);
  objects.listChanged[QueueList] = objects.listChanged[DispatchList] =
      objects.listChanged[WorkgroupList] = true;
}

//===-- Areas -------------------------------------------------------------===//

static Status fatal(const Queue &queue, Error error) {
  library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                "queue " + std::to_string(queue.entry.queue_id) + ": " +
                    toString(std::move(error)));
  return Fatal;
}

Status SavedWaves::readRecords(Queue &queue, uint64_t area,
                               const Header &header,
                               std::vector<WaveRecord> &records) {
  std::vector<uint32_t> stack(header.controlStackSize / 4);
  if (Status status = memory.readAll(area + header.controlStackOffset,
                                     stack.data(), header.controlStackSize))
    return status;
  const ArchitectureInfo &info = allArchitectures()[queue.agent->archIndex];
  Expected<std::vector<WaveRecord>> parsed = parse(*info.arch, header, stack);
  if (!parsed)
    return fatal(queue, parsed.takeError());
  records = std::move(*parsed);
  return Success;
}

Status SavedWaves::readArea(Queue &queue, uint64_t area) {
  Header header;
  if (Status status = memory.readAll(area, &header, sizeof(header)))
    return status;
  // An XCC without waves has no stack and no records.
  if (Error error = check(header, queue.entry.ctx_save_restore_area_size))
    return fatal(queue, std::move(error));
  if (area == queue.entry.ctx_save_restore_address) {
    queue.debuggerMemory = area + header.debuggerMemoryOffset;
    queue.debuggerMemorySize = header.debuggerMemorySize;
    queue.buffersUsed.resize(
        std::min<uint32_t>(header.debuggerMemorySize / DisplacedBytes, 4096));
    if (Status status = memory.readAll(
            area + offsetof(kfd::ContextSaveAreaHeader, reserved1),
            &queue.startedGroups, sizeof(queue.startedGroups)))
      return status;
  }
  std::vector<WaveRecord> records;
  if (Status status = readRecords(queue, area, header, records))
    return status;

  // Hardware registers and ttmps stand together.
  constexpr size_t BlockWords = 32;
  std::vector<uint64_t> places;
  for (const WaveRecord &record : records)
    places.push_back(area + record.hwregs);
  std::vector<uint32_t> blocks(places.size() * BlockWords);
  if (Status status = memory.readEach(places, blocks.data(), BlockWords * 4))
    return status;
  Workgroup *group = nullptr;
  for (size_t i = 0; i < records.size(); ++i)
    if (Status status =
            readWave(queue, area, records[i], &blocks[i * BlockWords], group))
      return status;
  return Success;
}

//===-- Waves -------------------------------------------------------------===//

Status SavedWaves::readWave(Queue &queue, uint64_t area,
                            const WaveRecord &record, const uint32_t *block,
                            Workgroup *&group) {
  // The library leaves a wave's id in ttmp4 and ttmp5.
  const uint32_t *ttmps = block + 16;
  const uint64_t known = ttmps[4] | uint64_t(ttmps[5]) << 32;
  auto found = objects.waves.find(known);
  Wave *wave = found != objects.waves.end() && found->second->queue == &queue &&
                       found->second->mark != queue.mark
                   ? found->second.get()
                   : nullptr;
  if (record.shape.first)
    group = nullptr;
  std::unique_ptr<Wave> fresh;
  if (!wave) {
    fresh = std::make_unique<Wave>();
    wave = fresh.get();
    wave->queue = &queue;
  }
  wave->record = record;
  wave->area = area;
  wave->mark = queue.mark;
  memcpy(wave->hw, block, sizeof(wave->hw));
  memcpy(wave->ttmps, ttmps, sizeof(wave->ttmps));
  memcpy(wave->saved, block, sizeof(wave->saved));
  wave->sgprs.clear();

  if (fresh)
    if (Status status = addWave(queue, std::move(fresh), group))
      return status;
  group = wave->group;
  group->mark = queue.mark;
  group->lds = area + record.lds;
  group->ldsBytes = record.shape.ldsBytes;
  if (group->dispatch)
    group->dispatch->mark = queue.mark;
  lookAt(*wave, /*isNew=*/known == 0);
  return Success;
}

Status SavedWaves::addWave(Queue &queue, std::unique_ptr<Wave> fresh,
                           Workgroup *group) {
  Wave &wave = *fresh;
  const ArchitectureInfo &info = archOf(wave);
  wave.identified = ttmpsValid(wave);
  if (wave.identified)
    wave.indexInGroup =
        hasStatePriv(info) ? wave.ttmps[8] >> 25 & 31 : wave.ttmps[11] & 63;
  if (!group)
    if (Status status = addGroup(queue, wave, group))
      return status;
  wave.group = group;
  wave.id = library().newId(Library::WaveId);
  objects.listChanged[WaveList] = true;
  wave.ttmps[4] = uint32_t(wave.id);
  wave.ttmps[5] = uint32_t(wave.id >> 32);
  if (!facts.core)
    registers.noteChange(wave);
  objects.waves[wave.id] = std::move(fresh);
  return Success;
}

Status SavedWaves::addGroup(Queue &queue, const Wave &wave, Workgroup *&group) {
  auto made = std::make_unique<Workgroup>();
  made->queue = &queue;
  if (wave.identified) {
    if (Status status = findDispatch(queue, wave, made->dispatch))
      return status;
    const uint32_t *t = wave.ttmps;
    const bool statePriv = hasStatePriv(archOf(wave));
    made->coordinates[0] = t[statePriv ? 9 : 8];
    if (!statePriv) {
      made->coordinates[1] = t[9];
      made->coordinates[2] = t[10];
    } else if (t[8] >> 30 & 1) {
      made->coordinates[1] = t[7] & 0xffff;
      made->coordinates[2] = t[7] >> 16;
    }
  }
  made->id = library().newId(Library::WorkgroupId);
  group = made.get();
  objects.groups[group->id] = std::move(made);
  objects.listChanged[WorkgroupList] = true;
  return Success;
}

bool SavedWaves::ttmpsValid(const Wave &wave) const {
  const bool always = wave.queue->agent->entry.debug_prop & 1u << 10;
  if (hasStatePriv(archOf(wave)))
    return wave.ttmps[8] & 1u << 31;
  return (facts.runtime.ttmp_setup || always) && !(wave.ttmps[6] & NoTtmps);
}

Status SavedWaves::findDispatch(Queue &queue, const Wave &wave,
                                Dispatch *&found) {
  const ArchitectureInfo &a = archOf(wave);
  const uint32_t low = hasStatePriv(a) ? wave.ttmps[8] & 0x1ffffff
                       : a.arch->family().PacketInTtmp11
                           ? wave.ttmps[11] >> 6 & 0x1ffffff
                           : wave.ttmps[6] & 0x1ffffff;
  const uint64_t packets = queue.entry.ring_size / 64;
  if (!packets || packets & (packets - 1))
    return Fatal;
  const uint64_t id =
      queue.readPacket + ((low - queue.readPacket) & (packets - 1));
  if (id >= queue.writePacket) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  "a wave's packet " + std::to_string(id) +
                      " is outside of the queue's [" +
                      std::to_string(queue.readPacket) + ", " +
                      std::to_string(queue.writePacket) + ")");
    return Fatal;
  }
  for (auto &entry : objects.dispatches)
    if (entry.second->queue == &queue && entry.second->packetId == id) {
      found = entry.second.get();
      found->mark = queue.mark;
      return Success;
    }
  auto dispatch = std::make_unique<Dispatch>();
  dispatch->queue = &queue;
  dispatch->packetId = id;
  dispatch->mark = queue.mark;
  if (Status status = memory.readAll(queue.entry.ring_base_address +
                                         id * 64 % queue.entry.ring_size,
                                     dispatch->packet, 64))
    return status;
  dispatch->id = library().newId(Library::DispatchId);
  objects.listChanged[DispatchList] = true;
  found = dispatch.get();
  objects.dispatches[found->id] = std::move(dispatch);
  return Success;
}

/// Address of a dispatch's first instruction; 0 if its descriptor can't be
/// read.
uint64_t SavedWaves::kernelEntry(const Dispatch &dispatch) {
  uint64_t descriptor;
  int64_t offset = 0;
  memcpy(&descriptor, dispatch.packet + 32, sizeof(descriptor));
  if (memory.readAll(descriptor + 16, &offset, sizeof(offset)) != Success)
    return 0;
  return descriptor + uint64_t(offset);
}

//===-- Stops -------------------------------------------------------------===//

void SavedWaves::lookAt(Wave &wave, bool isNew) {
  if (wave.state == AMD_DBGAPI_WAVE_STATE_STOP || !wave.visible())
    return;
  const bool halted = hasStatePriv(archOf(wave))
                          ? registers.hw(wave, HwReg::StatePriv) & StatePrivHalt
                          : registers.hw(wave, HwReg::Status) & StatusHalt;
  if (wave.ttmps[6] & Stopped && (halted || facts.core)) {
    noteStop(wave);
  } else if (facts.core && halted && wave.group->dispatch &&
             registers.pc(wave) == kernelEntry(*wave.group->dispatch)) {
    wave.hidden = true; // halted at its launch: it has not begun
  } else if (facts.core) {
    stopInCore(wave);
  } else if (halted && facts.creation == AMD_DBGAPI_WAVE_CREATION_STOP &&
             wave.state == AMD_DBGAPI_WAVE_STATE_RUN && isNew) {
    wave.hidden = true;
  }
}

void SavedWaves::stopInCore(Wave &wave) {
  const uint64_t at = registers.pc(wave);
  const ArchitectureInfo &info = archOf(wave);
  wave.ttmps[6] |= Stopped;
  if (info.arch->family().parks(facts.rdebugVersion)) {
    wave.ttmps[hasStatePriv(info) ? 10 : 7] = uint32_t(at);
    wave.ttmps[11] =
        (wave.ttmps[11] & ~(0xffffu << 7)) | (uint32_t(at >> 32) & 0xffff) << 7;
  }
  wave.state = AMD_DBGAPI_WAVE_STATE_STOP;
  wave.reasons = 0;
  events.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = wave.id;
}

namespace {
/// The exceptions that a wave's registers note.
struct NotedExceptions {
  uint32_t watches = 0;    ///< by watch register
  uint32_t arithmetic = 0; ///< those that are enabled
  bool violation = false, address = false, illegal = false, stepped = false;
};
} // namespace

static NotedExceptions readExceptions(const WaveRegisters &registers,
                                      const Wave &wave) {
  const gpu::Family &family = archOf(wave).arch->family();
  const uint32_t status = registers.hw(wave, HwReg::TrapSts);
  NotedExceptions noted;
  if (family.HasStatePriv) {
    const uint32_t control = registers.hw(wave, HwReg::TrapCtrl);
    noted.watches = control & TrapCtrlWatch ? status & 15 : 0;
    noted.arithmetic = registers.hw(wave, HwReg::ExcpFlagUser) & control & 0x7f;
    noted.address = status >> 4 & 1;
    noted.illegal = status >> 6 & 1;
    noted.stepped = status >> 11 & 1;
    noted.violation = status >> 12 & 1;
    return noted;
  }
  const uint32_t mode = registers.hw(wave, HwReg::Mode);
  if (mode & ModeWatch)
    noted.watches = (status >> 7 & 1) | (status >> 12 & 7) << 1;
  noted.arithmetic = status & mode >> 12 & 0x7f;
  noted.address = status >> 8 & 1;
  noted.illegal = status >> 11 & 1;
  noted.violation = status >> 28 & 1;
  noted.stepped = family.StepFlag >= 0 && (status >> family.StepFlag & 1);
  return noted;
}

static uint32_t reasonOfTrap(uint32_t id) {
  switch (id) {
  case 0:
    return 0;
  case 1:
    return AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
  case 2:
    return AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP;
  case 3:
    return AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP;
  default:
    return AMD_DBGAPI_WAVE_STOP_REASON_TRAP;
  }
}

/// A wave that the trap handler has stopped: why, and tell the client.
void SavedWaves::noteStop(Wave &wave) {
  const gpu::Family &family = archOf(wave).arch->family();
  const bool stepping = wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP;
  uint32_t reasons = reasonOfTrap(wave.ttmps[6] >> TrapIdShift & 15);
  NotedExceptions noted = readExceptions(registers, wave);
  if (facts.core && !family.HasStatePriv && family.StepFlag < 0)
    noted.stepped = (registers.hw(wave, HwReg::Mode) & ModeStep) && !reasons;
  // In the order of the flags' bits.
  static constexpr uint32_t Arithmetic[7] = {
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT,
      AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0};
  for (unsigned i = 0; i < 7; ++i)
    if (noted.arithmetic & 1u << i)
      reasons |= Arithmetic[i];
  if (noted.violation)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION;
  else if (noted.address)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR;
  if (noted.illegal)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION;
  if (noted.watches)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT;
  if (noted.stepped || (stepping && (reasons == 0 || noted.watches)))
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;

  wave.state = AMD_DBGAPI_WAVE_STATE_STOP;
  wave.reasons = reasons;
  wave.watches = noted.watches;
  wave.reported = wave.processed = false;
  wave.hidden = false;
  if (!facts.core && stepping)
    registers.endStep(wave);
  events.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = wave.id;
}

} // namespace wavelane::library
