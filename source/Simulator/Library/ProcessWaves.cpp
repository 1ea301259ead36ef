//===-- ProcessWaves.cpp - Suspending, and reading what waves there are ---===//

#include "WaveState.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::embedded {

Status Process::suspend() {
  if (core || exited || !runtimeUp || socketFd < 0)
    return Success;
  for (int round = 0; round < 3; ++round) {
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
    const int result = trap(
        a, ArrayRef(reinterpret_cast<uint8_t *>(ids.data()), ids.size() * 4),
        &out);
    if (result < 0) {
      if (exited || socketFd < 0)
        return Success;
      library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                    std::string("suspending queues: ") + strerror(-result));
      return Fatal;
    }
    bool invalid = false;
    std::vector<Queue *> fresh;
    for (size_t i = 0; i < ids.size() && (i + 1) * 4 <= out.size(); ++i) {
      const uint32_t id = support::endian::read32le(out.data() + i * 4);
      if (id & (kfd::QueueInvalidMask | kfd::QueueErrorMask)) {
        invalid = true;
        continue;
      }
      for (auto &entry : queues)
        if (entry.second->entry.queue_id == ids[i]) {
          entry.second->suspended = true;
          fresh.push_back(entry.second.get());
        }
    }
    for (Queue *queue : fresh)
      if (Status status = updateQueue(*queue))
        return status;
    removeGone();
    if (!invalid)
      return Success;
    // Queues have come or gone since the last look.
    if (Status status = loadQueues())
      return status;
  }
  return Success;
}

Status Process::resume() {
  if (core || exited || socketFd < 0)
    return Success;
  std::vector<uint32_t> ids;
  for (auto &entry : queues)
    if (entry.second->suspended) {
      ids.push_back(entry.second->entry.queue_id);
      entry.second->suspended = false;
    }
  if (ids.empty())
    return Success;
  if (Status status = saveAll())
    return status;
  kfd::DebugTrapArguments a = {};
  a.op = kfd::ResumeQueues;
  a.resume_queues.num_queues = uint32_t(ids.size());
  std::vector<uint8_t> out;
  const int result = trap(
      a, ArrayRef(reinterpret_cast<uint8_t *>(ids.data()), ids.size() * 4),
      &out);
  if (result < 0 && !exited && socketFd >= 0) {
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

bool Process::ttmpsValid(const Wave &wave) const {
  const ArchitectureInfo &a = archOf(wave);
  const bool always = wave.queue->agent->entry.debug_prop & 1u << 10;
  if (hasStatePriv(a))
    return wave.ttmps[8] & 1u << 31;
  return (runtime.ttmp_setup || always) && !(wave.ttmps[6] & NoTtmps);
}

Dispatch *Process::dispatchOf(Queue &queue, const Wave &wave, uint64_t mark,
                              Status &status) {
  const ArchitectureInfo &a = archOf(wave);
  const uint32_t low = hasStatePriv(a) ? wave.ttmps[8] & 0x1ffffff
                       : a.arch->family().PacketInTtmp11
                           ? wave.ttmps[11] >> 6 & 0x1ffffff
                           : wave.ttmps[6] & 0x1ffffff;
  const uint64_t packets = queue.entry.ring_size / 64;
  if (!packets || packets & (packets - 1)) {
    status = Fatal;
    return nullptr;
  }
  const uint64_t id = queue.readPacket + ((low - queue.readPacket) & (packets - 1));
  if (id >= queue.writePacket) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  "a wave's packet " + std::to_string(id) +
                      " is outside of the queue's [" +
                      std::to_string(queue.readPacket) + ", " +
                      std::to_string(queue.writePacket) + ")");
    status = Fatal;
    return nullptr;
  }
  for (auto &entry : dispatches)
    if (entry.second->queue == &queue && entry.second->packetId == id) {
      entry.second->mark = mark;
      return entry.second.get();
    }
  auto dispatch = std::make_unique<Dispatch>();
  dispatch->queue = &queue;
  dispatch->packetId = id;
  dispatch->mark = mark;
  if (Status read = readAll(queue.entry.ring_base_address +
                                id * 64 % queue.entry.ring_size,
                            dispatch->packet, 64)) {
    status = read;
    return nullptr;
  }
  dispatch->id = library().newId(Library::DispatchId);
  listChanged[DispatchList] = true;
  Dispatch *result = dispatch.get();
  dispatches[result->id] = std::move(dispatch);
  return result;
}

Status Process::updateQueue(Queue &queue) {
  // amd_queue_t, by its read_dispatch_id.
  if (Status status = readAll(queue.entry.read_pointer_address,
                              &queue.readPacket, 8))
    return status;
  if (Status status = readAll(queue.entry.write_pointer_address,
                              &queue.writePacket, 8))
    return status;
  const uint64_t base =
      queue.entry.read_pointer_address - simulator::AmdQueueReadDispatchId;
  if (Status status = readAll(base + simulator::AmdQueueComputeTmpringSize,
                              &queue.tmpring, 4))
    return status;
  uint64_t scratch[2];
  if (Status status =
          readAll(base + simulator::AmdQueueScratchLocation, scratch, 16))
    return status;
  queue.scratchLocation = scratch[0];
  queue.scratchBytes = scratch[1];

  queue.mark = ++epoch;
  const uint32_t xccs = std::max(1u, std::min(64u, queue.agent->entry.num_xcc));
  for (uint32_t i = 0; i < xccs; ++i)
    if (Status status = updateArea(
            queue, queue.entry.ctx_save_restore_address +
                       uint64_t(i) * queue.entry.ctx_save_restore_area_size))
      return status;
  return Success;
}

void Process::removeGone() {
  std::vector<uint64_t> gone;
  for (auto &entry : waves)
    if (entry.second->mark != entry.second->queue->mark)
      gone.push_back(entry.first);
  for (uint64_t wave : gone)
    removeWave(wave);
  auto remove = [this](auto &table, ListKind kind) {
    for (auto it = table.begin(); it != table.end();)
      if (it->second->mark != it->second->queue->mark) {
        it = table.erase(it);
        listChanged[kind] = true;
      } else {
        ++it;
      }
  };
  remove(groups, WorkgroupList);
  remove(dispatches, DispatchList);
}

Status Process::updateArea(Queue &queue, uint64_t area) {
  const uint64_t mark = queue.mark;
  const ArchitectureInfo &info = allArchitectures()[queue.agent->archIndex];
  auto fatal = [&](Error error) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  "queue " + std::to_string(queue.entry.queue_id) + ": " +
                      toString(std::move(error)));
    return Fatal;
  };
  Header header;
  if (Status status = readAll(area, &header, sizeof(header)))
    return status;
  // An XCC without waves has no stack and no records.
  if (Error error = check(header, queue.entry.ctx_save_restore_area_size))
    return fatal(std::move(error));
  if (area == queue.entry.ctx_save_restore_address) {
    queue.debuggerMemory = area + header.debuggerMemoryOffset;
    queue.debuggerMemorySize = header.debuggerMemorySize;
    queue.buffersUsed.resize(
        std::min<uint32_t>(header.debuggerMemorySize / DisplacedBytes, 4096));
    if (Status status =
            readAll(area + offsetof(kfd::ContextSaveAreaHeader, reserved1),
                    &queue.startedGroups, sizeof(queue.startedGroups)))
      return status;
  }
  std::vector<uint32_t> stack(header.controlStackSize / 4);
  if (Status status = readAll(area + header.controlStackOffset, stack.data(),
                              header.controlStackSize))
    return status;
  Expected<std::vector<WaveRecord>> records =
      parse(*info.arch, header, stack);
  if (!records)
    return fatal(records.takeError());

  // Hardware registers and ttmps stand together.
  constexpr size_t BlockWords = 32;
  std::vector<uint64_t> places;
  for (const WaveRecord &record : *records)
    places.push_back(area + record.hwregs);
  std::vector<uint32_t> blocks(places.size() * BlockWords);
  if (Status status = readEach(places, blocks.data(), BlockWords * 4))
    return status;

  Workgroup *group = nullptr;
  for (size_t i = 0; i < records->size(); ++i) {
    const WaveRecord &record = (*records)[i];
    const uint32_t *block = &blocks[i * BlockWords];
    const uint32_t *ttmps = block + 16;
    const uint64_t known = ttmps[4] | uint64_t(ttmps[5]) << 32;
    auto found = waves.find(known);
    Wave *wave = found != waves.end() && found->second->queue == &queue &&
                         found->second->mark != mark
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
    wave->mark = mark;
    memcpy(wave->hw, block, sizeof(wave->hw));
    memcpy(wave->ttmps, ttmps, sizeof(wave->ttmps));
    memcpy(wave->saved, block, sizeof(wave->saved));
    wave->sgprs.clear();

    if (fresh) {
      wave->identified = ttmpsValid(*wave);
      if (wave->identified) {
        const uint32_t *t = wave->ttmps;
        wave->indexInGroup = hasStatePriv(info) ? t[8] >> 25 & 31 : t[11] & 63;
      }
      if (!group) {
        auto made = std::make_unique<Workgroup>();
        made->queue = &queue;
        if (wave->identified) {
          Status status = Success;
          made->dispatch = dispatchOf(queue, *wave, mark, status);
          if (status)
            return status;
          const uint32_t *t = wave->ttmps;
          made->coordinates[0] = t[hasStatePriv(info) ? 9 : 8];
          if (!hasStatePriv(info)) {
            made->coordinates[1] = t[9];
            made->coordinates[2] = t[10];
          } else if (t[8] >> 30 & 1) {
            made->coordinates[1] = t[7] & 0xffff;
            made->coordinates[2] = t[7] >> 16;
          }
        }
        made->id = library().newId(Library::WorkgroupId);
        group = made.get();
        groups[group->id] = std::move(made);
        listChanged[WorkgroupList] = true;
      }
      wave->group = group;
      wave->id = library().newId(Library::WaveId);
      listChanged[WaveList] = true;
    }
    group = wave->group;
    group->mark = mark;
    group->lds = area + record.lds;
    group->ldsBytes = record.shape.ldsBytes;
    if (group->dispatch)
      group->dispatch->mark = mark;

    Wave &w = *wave;
    if (fresh) {
      w.ttmps[4] = uint32_t(w.id);
      w.ttmps[5] = uint32_t(w.id >> 32);
      if (!core)
        noteChange(w);
      waves[w.id] = std::move(fresh);
    }

    if (w.state == AMD_DBGAPI_WAVE_STATE_STOP || !w.visible())
      continue;
    const bool halted =
        hasStatePriv(info) ? hw(w, HwReg::StatePriv) & StatePrivHalt
                      : hw(w, HwReg::Status) & StatusHalt;
    if (w.ttmps[6] & Stopped && (halted || core)) {
      noteStop(w);
    } else if (core && halted && w.group->dispatch &&
               pc(w) == kernelEntry(*w.group->dispatch)) {
      w.hidden = true; // halted at its launch: it has not begun
    } else if (core) {
      // Stopped by this library, as a live wave would be; here in its copy.
      const uint64_t at = pc(w);
      w.ttmps[6] |= Stopped;
      if (info.arch->family().parks(rdebugVersion)) {
        w.ttmps[hasStatePriv(info) ? 10 : 7] = uint32_t(at);
        w.ttmps[11] = (w.ttmps[11] & ~(0xffffu << 7)) |
                      (uint32_t(at >> 32) & 0xffff) << 7;
      }
      w.state = AMD_DBGAPI_WAVE_STATE_STOP;
      w.reasons = 0;
      post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = w.id;
    } else if (halted && creation == AMD_DBGAPI_WAVE_CREATION_STOP &&
               !w.stopRequested && w.state == AMD_DBGAPI_WAVE_STATE_RUN &&
               known == 0) {
      w.hidden = true;
    }
  }
  return Success;
}

/// Address of a dispatch's first instruction; 0 if its descriptor can't be read.
uint64_t Process::kernelEntry(const Dispatch &dispatch) {
  uint64_t descriptor;
  int64_t offset = 0;
  memcpy(&descriptor, dispatch.packet + 32, sizeof(descriptor));
  if (readAll(descriptor + 16, &offset, sizeof(offset)) != Success)
    return 0;
  return descriptor + uint64_t(offset);
}

/// A wave that the trap handler has stopped: why, and tell the client.
void Process::noteStop(Wave &wave) {
  const ArchitectureInfo &info = archOf(wave);
  const gpu::Family &family = info.arch->family();
  const bool stepping = wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP;
  uint32_t reasons = 0;
  switch (wave.ttmps[6] >> TrapIdShift & 15) {
  case 0:
    break;
  case 1:
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
    break;
  case 2:
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP;
    break;
  case 3:
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP;
    break;
  default:
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_TRAP;
    break;
  }
  const uint32_t status = hw(wave, HwReg::TrapSts);
  uint32_t watches = 0, arithmetic, enabled;
  bool violation, address, illegal, stepped;
  if (family.HasStatePriv) {
    watches = status & 15;
    address = status >> 4 & 1;
    illegal = status >> 6 & 1;
    stepped = status >> 11 & 1;
    violation = status >> 12 & 1;
    arithmetic = hw(wave, HwReg::ExcpFlagUser) & 0x7f;
    enabled = hw(wave, HwReg::TrapCtrl);
    if (!(enabled & TrapCtrlWatch))
      watches = 0;
    enabled &= 0x7f;
  } else {
    const uint32_t mode = hw(wave, HwReg::Mode);
    watches = (status >> 7 & 1) | (status >> 12 & 7) << 1;
    if (!(mode & ModeWatch))
      watches = 0;
    address = status >> 8 & 1;
    illegal = status >> 11 & 1;
    violation = status >> 28 & 1;
    arithmetic = status & 0x7f;
    enabled = mode >> 12 & 0x7f;
    stepped = family.StepFlag >= 0 && (status >> family.StepFlag & 1);
    if (core && family.StepFlag < 0)
      stepped = (mode & ModeStep) && !reasons;
  }
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
    if (arithmetic & enabled & 1u << i)
      reasons |= Arithmetic[i];
  if (violation)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION;
  else if (address)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR;
  if (illegal)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION;
  if (watches)
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT;
  if (stepped || (stepping && (reasons == 0 || watches)))
    reasons |= AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;

  wave.state = AMD_DBGAPI_WAVE_STATE_STOP;
  wave.reasons = reasons;
  wave.watches = watches;
  wave.reported = wave.processed = wave.stopRequested = false;
  wave.hidden = false;
  if (!core && stepping) {
    if (family.HasStatePriv)
      setHw(wave, HwReg::TrapCtrl, hw(wave, HwReg::TrapCtrl) & ~TrapCtrlStep);
    else
      setHw(wave, HwReg::Mode, hw(wave, HwReg::Mode) & ~ModeStep);
  }
  post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).wave = wave.id;
}

void Process::removeWave(uint64_t id) {
  auto found = waves.find(id);
  if (found == waves.end())
    return;
  Wave &wave = *found->second;
  if (DisplacedStep *step = wave.displaced) {
    if (step->buffer && step->slot < wave.queue->buffersUsed.size())
      wave.queue->buffersUsed[step->slot] = false;
    steps.erase(step->id);
  }
  if (wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP || wave.stopRequested)
    post(AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED).wave = id;
  // A stop that nobody has heard of means nothing for a wave that is no more.
  for (auto it = pending.begin(); it != pending.end();) {
    Event &event = *events[*it];
    if (event.kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP && event.wave == id) {
      events.erase(*it);
      it = pending.erase(it);
    } else {
      ++it;
    }
  }
  waves.erase(found);
  listChanged[WaveList] = true;
}

void Process::removeQueue(uint64_t id) {
  auto found = queues.find(id);
  if (found == queues.end())
    return;
  Queue *queue = found->second.get();
  std::vector<uint64_t> gone;
  for (auto &entry : waves)
    if (entry.second->queue == queue)
      gone.push_back(entry.first);
  for (uint64_t wave : gone)
    removeWave(wave);
  for (auto it = groups.begin(); it != groups.end();)
    it = it->second->queue == queue ? groups.erase(it) : std::next(it);
  for (auto it = dispatches.begin(); it != dispatches.end();)
    it = it->second->queue == queue ? dispatches.erase(it) : std::next(it);
  queues.erase(found);
  listChanged[QueueList] = listChanged[DispatchList] =
      listChanged[WorkgroupList] = true;
}

} // namespace wavelane::embedded
