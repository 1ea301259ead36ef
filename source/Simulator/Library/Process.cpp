//===-- Process.cpp - Waves, queues and events of a process ---------------===//

#include "Process.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <utility>
#include <unistd.h>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::embedded {

namespace {

constexpr Status Success = AMD_DBGAPI_STATUS_SUCCESS;
constexpr Status Fatal = AMD_DBGAPI_STATUS_FATAL;

// ttmp6, as the trap handler leaves it.
constexpr uint32_t TrapIdShift = 25, SavedHalt = 1u << 29, Stopped = 1u << 30,
                   NoTtmps = 1u << 31;
constexpr uint32_t StatusHalt = 1u << 13, StatusSkipExport = 1u << 18;
constexpr uint32_t StatePrivHalt = 1u << 14;
constexpr uint32_t ModeStep = 1u << 11, ModeWatch = 1u << 19;
constexpr uint32_t TrapCtrlStep = 1u << 9, TrapCtrlWatch = 1u << 7;
constexpr unsigned DisplacedBytes = 32;

/// Exceptions that the debugger wants to hear of.
constexpr uint64_t WaveExceptions = 0x3f;
constexpr uint64_t RuntimeMask = kfd::exceptionMask(kfd::ProcessRuntime);

bool isGFX12(const ArchitectureInfo &a) {
  return a.arch->family == Family::GFX12;
}

} // namespace

Library &library() {
  static Library instance;
  return instance;
}

void Library::log(amd_dbgapi_log_level_t level, const std::string &text) const {
  if (initialized && level <= logLevel)
    callbacks.log_message(level, text.c_str());
}

//===-- Memory ------------------------------------------------------------===//

Status Process::transfer(uint64_t address, uint64_t &size, void *read,
                         const void *write) {
  const uint64_t wanted = size;
  size = 0;
  if (!wanted)
    return Success;
  if (!core && memoryFd >= 0) {
    const ssize_t done = read ? pread(memoryFd, read, wanted, off_t(address))
                              : pwrite(memoryFd, write, wanted, off_t(address));
    if (done > 0) {
      size = uint64_t(done);
      return Success;
    }
  }
  amd_dbgapi_size_t done = wanted;
  const Status status = library().callbacks.xfer_global_memory(
      client, address, &done, read, write);
  if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS)
    return status;
  if (status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED) {
    exited = true;
    return status;
  }
  if (status != Success || done > wanted)
    return Fatal;
  if (!done)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  size = done;
  return Success;
}

Status Process::limitToAllocated(uint64_t address, uint64_t &size) {
  using namespace simulator;
  constexpr uint64_t End = ArenaBase + ArenaSize, MaxPages = 4096;
  if (core || socketFd < 0 || !size || address < FirstAllocation ||
      address >= End)
    return Success;
  const uint64_t first = (address - ArenaBase) / PageSize;
  const uint64_t last =
      (address + std::min(size, End - address) - 1 - ArenaBase) / PageSize;
  std::vector<uint8_t> access(std::min(last - first + 1, MaxPages));
  if (Status status = readAll(ArenaBase + PageTableOffset + first,
                              access.data(), access.size()))
    return status;
  const uint64_t pages =
      std::find(access.begin(), access.end(), 0) - access.begin();
  if (!pages)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  size = std::min(size, ArenaBase + (first + pages) * PageSize - address);
  return Success;
}

Status Process::readAll(uint64_t address, void *data, uint64_t size) {
  uint8_t *at = static_cast<uint8_t *>(data);
  while (size) {
    uint64_t done = size;
    if (Status status = transfer(address, done, at, nullptr))
      return status;
    address += done, at += done, size -= done;
  }
  return Success;
}

Status Process::readEach(ArrayRef<uint64_t> addresses, void *data,
                         uint64_t size) {
  constexpr size_t MaxAtOnce = 512; // IOV_MAX is 1024
  uint8_t *at = static_cast<uint8_t *>(data);
  while (!addresses.empty()) {
    const size_t count = std::min(addresses.size(), MaxAtOnce);
    iovec remote[MaxAtOnce];
    for (size_t i = 0; i < count; ++i)
      remote[i] = {reinterpret_cast<void *>(addresses[i]), size};
    const iovec local = {at, count * size};
    ssize_t got = -1;
    if (!core && memoryFd >= 0)
      got = process_vm_readv(pid_t(pid), &local, 1, remote, count, 0);
    // What it can't have, or only in part, is read as anything else.
    const size_t done = got > 0 ? size_t(got) / size : 0;
    for (size_t i = done; i < count; ++i)
      if (Status status = readAll(addresses[i], at + i * size, size))
        return status;
    addresses = addresses.drop_front(count);
    at += count * size;
  }
  return Success;
}

Status Process::writeAll(uint64_t address, const void *data, uint64_t size) {
  const uint8_t *at = static_cast<const uint8_t *>(data);
  while (size) {
    uint64_t done = size;
    if (Status status = transfer(address, done, nullptr, at))
      return status;
    address += done, at += done, size -= done;
  }
  return Success;
}

//===-- Events ------------------------------------------------------------===//

Event &Process::post(amd_dbgapi_event_kind_t kind) {
  auto event = std::make_unique<Event>();
  event->id = library().newId(Library::EventId);
  event->process = this;
  event->kind = kind;
  Event &result = *event;
  events[result.id] = std::move(event);
  pending.push_back(result.id);
  // Whoever has been woken asks until there is no more.
  if (!pumping && pending.size() == 1)
    notify();
  return result;
}

Status Process::nextEvent(Event *&event) {
  event = nullptr;
  if (pending.empty() && !core && !exited)
    if (Status status = pump())
      return status;
  if (pending.empty())
    return Success;
  event = events[pending.front()].get();
  pending.pop_front();
  event->fetched = true;
  if (event->kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP) {
    auto wave = waves.find(event->wave);
    if (wave != waves.end())
      wave->second->reported = true;
  }
  return Success;
}

Status Process::eventProcessed(Event &event) {
  Status status = Success;
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
      Event &resume = post(AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME);
      resume.breakpoint = event.breakpoint;
      resume.thread = event.thread;
    }
    break;
  case AMD_DBGAPI_EVENT_KIND_RUNTIME:
    if (runtimeWaits && !core) {
      runtimeWaits = false;
      kfd::DebugTrapArguments a = {};
      a.op = kfd::SendRuntimeEvent;
      a.send_runtime_event.exception_mask = RuntimeMask;
      trap(a, {}, nullptr);
    }
    break;
  default:
    break;
  }
  events.erase(event.id);
  return status;
}

//===-- Suspending, and reading what waves there are ----------------------===//

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
  if (a.arch->family == Family::GFX12)
    return wave.ttmps[8] & 1u << 31;
  return (runtime.ttmp_setup || always) && !(wave.ttmps[6] & NoTtmps);
}

Dispatch *Process::dispatchOf(Queue &queue, const Wave &wave, uint64_t mark,
                              Status &status) {
  const ArchitectureInfo &a = archOf(wave);
  const uint32_t low = isGFX12(a) ? wave.ttmps[8] & 0x1ffffff
                       : a.arch->family == Family::GFX94X
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
        wave->indexInGroup = isGFX12(info) ? t[8] >> 25 & 31 : t[11] & 63;
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
          made->coordinates[0] = t[isGFX12(info) ? 9 : 8];
          if (!isGFX12(info)) {
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
        isGFX12(info) ? hw(w, HwReg::StatePriv) & StatePrivHalt
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
      if (info.arch->parks(rdebugVersion)) {
        w.ttmps[isGFX12(info) ? 10 : 7] = uint32_t(at);
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
  const Family family = info.arch->family;
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
  if (family == Family::GFX12) {
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
    stepped = family == Family::GFX94X  ? status >> 25 & 1
              : family == Family::GFX11 ? status >> 20 & 1
                                        : 0;
    if (core && family != Family::GFX94X && family != Family::GFX11)
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
    if (family == Family::GFX12)
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

//===-- Hardware registers of a record ------------------------------------===//

uint32_t Process::hw(const Wave &wave, HwReg reg) const {
  std::optional<unsigned> word = archOf(wave).arch->word(reg);
  return word ? wave.hw[*word] : 0;
}

Status Process::setHw(Wave &wave, HwReg reg, uint32_t value) {
  std::optional<unsigned> word = archOf(wave).arch->word(reg);
  if (!word)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  wave.hw[*word] = value;
  noteChange(wave);
  return Success;
}

Status Process::setTtmp(Wave &wave, unsigned index, uint32_t value) {
  wave.ttmps[index] = value;
  noteChange(wave);
  return Success;
}

void Process::noteChange(Wave &wave) {
  if (!wave.changed)
    changedWaves.push_back(wave.id);
  wave.changed = true;
}

Status Process::save(Wave &wave) {
  if (!wave.changed || core)
    return Success;
  uint32_t block[32];
  memcpy(block, wave.hw, sizeof(wave.hw));
  memcpy(block + 16, wave.ttmps, sizeof(wave.ttmps));
  wave.changed = false;
  unsigned first = 0, end = 32;
  while (first < end && block[first] == wave.saved[first])
    ++first;
  while (end > first && block[end - 1] == wave.saved[end - 1])
    --end;
  if (first == end)
    return Success;
  memcpy(wave.saved, block, sizeof(block));
  return writeAll(wave.area + wave.record.hwregs + first * 4, block + first,
                  (end - first) * 4);
}

Status Process::saveAll() {
  Status result = Success;
  for (uint64_t id : std::exchange(changedWaves, {})) {
    auto found = waves.find(id);
    if (found == waves.end() || !found->second->changed)
      continue;
    if (Status status = save(*found->second))
      result = status;
  }
  return result;
}

uint64_t Process::pc(const Wave &wave) const {
  const ArchitectureInfo &a = archOf(wave);
  if (wave.ttmps[6] & Stopped && a.arch->parks(rdebugVersion))
    return wave.ttmps[isGFX12(a) ? 10 : 7] |
           uint64_t(wave.ttmps[11] >> 7 & 0xffff) << 32;
  return hw(wave, HwReg::PCLo) | uint64_t(hw(wave, HwReg::PCHi)) << 32;
}

Status Process::setPC(Wave &wave, uint64_t pc) {
  const ArchitectureInfo &a = archOf(wave);
  if (Status status = setHw(wave, HwReg::PCLo, uint32_t(pc)))
    return status;
  if (Status status = setHw(wave, HwReg::PCHi, uint32_t(pc >> 32) & 0xffff))
    return status;
  if (!(wave.ttmps[6] & Stopped) || !a.arch->parks(rdebugVersion))
    return Success;
  if (Status status = setTtmp(wave, isGFX12(a) ? 10 : 7, uint32_t(pc)))
    return status;
  return setTtmp(wave, 11,
                 (wave.ttmps[11] & ~(0xffffu << 7)) |
                     (uint32_t(pc >> 32) & 0xffff) << 7);
}

uint64_t Process::exec(const Wave &wave) const {
  uint64_t value = hw(wave, HwReg::ExecLo);
  if (wave.record.shape.lanes == 64)
    value |= uint64_t(hw(wave, HwReg::ExecHi)) << 32;
  return value;
}

/// Stops a wave that runs, as the trap handler would.
Status Process::haltWave(Wave &wave) {
  const ArchitectureInfo &a = archOf(wave);
  const uint64_t at = pc(wave);
  const bool gfx12 = isGFX12(a);
  const HwReg reg = gfx12 ? HwReg::StatePriv : HwReg::Status;
  const uint32_t bit = gfx12 ? StatePrivHalt : StatusHalt;
  const uint32_t old = hw(wave, reg);
  if (Status status = setTtmp(wave, 6,
                              (wave.ttmps[6] & ~(0x1fu << TrapIdShift)) |
                                  Stopped | (old & bit ? SavedHalt : 0)))
    return status;
  if (Status status =
          setHw(wave, reg, old | bit | (gfx12 ? 0 : StatusSkipExport)))
    return status;
  return setPC(wave, at);
}

Status Process::unhaltWave(Wave &wave, bool step) {
  const ArchitectureInfo &a = archOf(wave);
  const bool gfx12 = isGFX12(a);
  const uint64_t at = pc(wave);
  const bool savedHalt = wave.ttmps[6] & SavedHalt;
  const uint32_t trapsts = hw(wave, HwReg::TrapSts);
  // What has been reported does not count again.
  const uint32_t reported =
      gfx12 ? 0x185fu : 0x7fu | 1u << 7 | 1u << 8 | 1u << 11 | 7u << 12 | 1u << 28 |
                  (a.arch->family == Family::GFX94X  ? 1u << 25
                   : a.arch->family == Family::GFX11 ? 1u << 20
                                                     : 0);
  if (trapsts & reported)
    if (Status status = setHw(wave, HwReg::TrapSts, trapsts & ~reported))
      return status;
  if (gfx12) {
    if (Status status =
            setHw(wave, HwReg::ExcpFlagUser, hw(wave, HwReg::ExcpFlagUser) & ~0x7fu))
      return status;
    const uint32_t control = hw(wave, HwReg::TrapCtrl) & ~TrapCtrlStep;
    if (Status status = setHw(wave, HwReg::TrapCtrl,
                              control | (step ? TrapCtrlStep : 0)))
      return status;
    const uint32_t priv = hw(wave, HwReg::StatePriv) & ~StatePrivHalt;
    if (Status status = setHw(wave, HwReg::StatePriv,
                              priv | (savedHalt ? StatePrivHalt : 0)))
      return status;
  } else {
    const uint32_t mode = hw(wave, HwReg::Mode) & ~ModeStep;
    if (Status status =
            setHw(wave, HwReg::Mode, mode | (step ? ModeStep : 0)))
      return status;
    const uint32_t value =
        hw(wave, HwReg::Status) & ~(StatusHalt | StatusSkipExport);
    if (Status status = setHw(wave, HwReg::Status,
                              value | (savedHalt ? StatusHalt : 0)))
      return status;
  }
  if (Status status = setTtmp(wave, 6,
                              wave.ttmps[6] &
                                  ~(15u << TrapIdShift | SavedHalt | Stopped)))
    return status;
  return setPC(wave, at);
}

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
    if (isGFX12(archOf(wave)))
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
      const bool gfx12 = isGFX12(archOf(wave));
      const bool scc = gfx12 ? hw(wave, HwReg::StatePriv) >> 9 & 1
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

//===-- Watchpoints and precision -----------------------------------------===//

bool Process::allAgentsCan(uint32_t capability) const {
  if (agents.empty())
    return false;
  for (auto &entry : agents)
    if (entry.second->supported && !(entry.second->entry.capability & capability))
      return false;
  return true;
}

size_t Process::watchpointCount() const {
  size_t count = 0;
  bool any = false;
  for (auto &entry : agents) {
    const kfd::DeviceSnapshotEntry &e = entry.second->entry;
    if (!entry.second->supported)
      continue;
    const size_t here =
        e.capability & 1u << 7 ? size_t(1) << (e.capability >> 8 & 15) : 0;
    count = any ? std::min(count, here) : here;
    any = true;
  }
  return count;
}

Status Process::setWatchpoint(uint64_t address, uint64_t size,
                              amd_dbgapi_watchpoint_kind_t kind, uint64_t &id) {
  if (core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  if (!runtimeUp || watchpoints.size() >= watchpointCount())
    return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
  unsigned high = 63;
  for (auto &entry : agents)
    if (entry.second->supported)
      high = std::min(high, entry.second->entry.debug_prop >> 4 & 63);
  // The smallest aligned power of two that covers the range. The device compares
  // every bit of its mask, where hardware leaves the lowest out and hits for
  // neighbours as well.
  unsigned bits = 0;
  const uint64_t last = address + size - 1;
  if (last < address)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  while (bits <= high + 1 && bits < 64 && address >> bits != last >> bits)
    ++bits;
  if (bits > high + 1 || bits >= 64)
    return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
  auto watch = std::make_unique<Watchpoint>();
  watch->address = address >> bits << bits;
  watch->size = uint64_t(1) << bits;

  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  for (auto &entry : agents) {
    if (!entry.second->supported)
      continue;
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetNodeAddressWatch;
    a.set_node_address_watch.address = watch->address;
    a.set_node_address_watch.mode = uint32_t(kind) - 1;
    a.set_node_address_watch.mask = uint32_t(~(watch->size - 1));
    a.set_node_address_watch.gpu_id = entry.second->entry.gpu_id;
    const int result = trap(a, {}, nullptr);
    if (result < 0)
      return result == -ENOMEM ? AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE
                               : Fatal;
    watch->hardware[a.set_node_address_watch.gpu_id] =
        a.set_node_address_watch.id;
  }
  if (watchpoints.empty()) {
    // Waves to come, and those that are there, trap on watches.
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetWaveLaunchOverride;
    a.launch_override.override_mode = kfd::OverrideOr;
    a.launch_override.enable_mask = kfd::TrapAddressWatch;
    a.launch_override.support_request_mask = kfd::TrapAddressWatch;
    if (trap(a, {}, nullptr) < 0)
      return Fatal;
    for (auto &entry : waves) {
      Wave &wave = *entry.second;
      const Status status =
          isGFX12(archOf(wave))
              ? setHw(wave, HwReg::TrapCtrl,
                      hw(wave, HwReg::TrapCtrl) | TrapCtrlWatch)
              : setHw(wave, HwReg::Mode, hw(wave, HwReg::Mode) | ModeWatch);
      if (status)
        return status;
    }
  }
  watch->id = id = library().newId(Library::WatchpointId);
  watchpoints[id] = std::move(watch);
  return Success;
}

Status Process::removeWatchpoint(uint64_t id) {
  auto found = watchpoints.find(id);
  if (found == watchpoints.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  for (auto &entry : found->second->hardware) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::ClearNodeAddressWatch;
    a.clear_node_address_watch.gpu_id = entry.first;
    a.clear_node_address_watch.id = entry.second;
    trap(a, {}, nullptr);
  }
  watchpoints.erase(found);
  if (watchpoints.empty()) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetWaveLaunchOverride;
    a.launch_override.override_mode = kfd::OverrideOr;
    a.launch_override.support_request_mask = kfd::TrapAddressWatch;
    trap(a, {}, nullptr);
  }
  return Success;
}

Status Process::setFlag(uint32_t flag, bool on) {
  if (core)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  const bool can = flag == kfd::SingleMemoryOperation ? canPreciseMemory()
                   : flag == kfd::SingleAluOperation  ? canPreciseAlu()
                                                      : true;
  if (on && !can)
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  flags = on ? flags | flag : flags & ~flag;
  if (socketFd < 0)
    return Success; // sent when the device comes up
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SetFlags;
  a.set_flags.flags = flags;
  return trap(a, {}, nullptr) < 0 && socketFd >= 0 ? Fatal : Success;
}

//===-- Registers ---------------------------------------------------------===//

bool Process::exists(const Wave &wave, const Register &reg) const {
  const WaveShape &shape = wave.record.shape;
  const ArchitectureInfo &info = archOf(wave);
  if (reg.lanes && reg.lanes != shape.lanes)
    return false;
  const unsigned shadowed = shape.sgprs >= 108 ? 102 : shape.sgprs >= 6 ? shape.sgprs - 6 : 0;
  switch (reg.kind) {
  case RegisterKind::Vector:
    return reg.index < shape.vgprs + (shape.lanes == 64 ? shape.sharedVgprs / 2 : 0) &&
           !(info.arch->family >= Family::GFX11 &&
             hw(wave, HwReg::Status) & 1u << 24);
  case RegisterKind::AccVector:
    return reg.index < shape.accVgprs;
  case RegisterKind::Scalar:
    return info.arch->isGFX9() ? reg.index < shadowed : reg.index < 106;
  case RegisterKind::ScalarAlias:
    return info.arch->isGFX9() && reg.index >= shadowed &&
           reg.index < shape.sgprs;
  case RegisterKind::XnackMask:
    return info.arch->isGFX9() || shape.lanes == 32;
  default:
    return true;
  }
}

Status Process::readSgpr(Wave &wave, unsigned index, unsigned count,
                         uint32_t *value) {
  const unsigned all = wave.record.shape.sgprs;
  if (index + count > all)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (wave.sgprs.empty() && all) {
    wave.sgprs.resize(all);
    if (Status status = readAll(wave.area + wave.record.sgprs,
                                wave.sgprs.data(), uint64_t(all) * 4)) {
      wave.sgprs.clear();
      return status;
    }
  }
  memcpy(value, wave.sgprs.data() + index, count * 4);
  return Success;
}

/// Where a register's bytes stand, if they stand together.
Status Process::registerPlace(Wave &wave, const Register &reg,
                              uint64_t &address) {
  const WaveRecord &r = wave.record;
  const Architecture &arch = *archOf(wave).arch;
  auto word = [&](HwReg which) {
    address = wave.area + r.hwregs + uint64_t(*arch.word(which)) * 4;
    return Success;
  };
  switch (reg.kind) {
  case RegisterKind::Vector:
    if (reg.index < r.shape.vgprs)
      address = wave.area + r.vgprs + uint64_t(reg.index) * r.shape.lanes * 4;
    else // two rows of 32 lanes each
      address = wave.area + r.sharedVgprs +
                uint64_t(reg.index - r.shape.vgprs) * 256;
    return Success;
  case RegisterKind::AccVector:
    address = wave.area + r.accVgprs + uint64_t(reg.index) * r.shape.lanes * 4;
    return Success;
  case RegisterKind::Scalar:
  case RegisterKind::ScalarAlias:
    address = wave.area + r.sgprs + uint64_t(reg.index) * 4;
    return Success;
  case RegisterKind::Trap:
    address = wave.area + r.ttmps + uint64_t(reg.index) * 4;
    return Success;
  case RegisterKind::Hardware:
    return word(HwReg(reg.index));
  case RegisterKind::PC:
    return word(HwReg::PCLo);
  case RegisterKind::XnackMask:
    return word(HwReg::XnackMaskLo);
  case RegisterKind::FlatScratch:
    if (!arch.isGFX9())
      return word(HwReg::FlatScratchLo);
    address = wave.area + r.sgprs +
              uint64_t(flatScratchIndex(arch, r.shape.sgprs)) * 4;
    return Success;
  case RegisterKind::Status:
    return word(HwReg::Status);
  case RegisterKind::Exec:
    return word(HwReg::ExecLo);
  case RegisterKind::Vcc:
    address =
        wave.area + r.sgprs + uint64_t(vccIndex(arch, r.shape.sgprs)) * 4;
    return Success;
  }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
}

Status Process::readRegister(uint64_t id, const Register &reg, uint64_t offset,
                             uint64_t size, void *value) {
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave *wave = found->second.get();
  if (wave->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (!exists(*wave, reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  const Architecture &arch = *archOf(*wave).arch;

  // What a stopped wave's summary holds costs nothing.
  uint8_t bytes[8];
  bool small = true;
  switch (reg.kind) {
  case RegisterKind::PC: {
    const uint64_t v = pc(*wave);
    memcpy(bytes, &v, 8);
    break;
  }
  case RegisterKind::Exec: {
    const uint64_t v = exec(*wave);
    memcpy(bytes, &v, 8);
    break;
  }
  case RegisterKind::Trap:
    memcpy(bytes, &wave->ttmps[reg.index], 4);
    break;
  case RegisterKind::Status:
  case RegisterKind::Hardware: {
    const HwReg which = reg.kind == RegisterKind::Status ? HwReg::Status
                                                         : HwReg(reg.index);
    uint32_t v = hw(*wave, which);
    // Debugging's own bits are not the wave's.
    const bool saved = wave->ttmps[6] & SavedHalt;
    if (wave->ttmps[6] & Stopped) {
      if (which == HwReg::Status && arch.family != Family::GFX12)
        v = (v & ~(StatusHalt | StatusSkipExport)) | (saved ? StatusHalt : 0);
      if (which == HwReg::StatePriv)
        v = (v & ~StatePrivHalt) | (saved ? StatePrivHalt : 0);
    }
    memcpy(bytes, &v, 4);
    break;
  }
  case RegisterKind::XnackMask: {
    const uint64_t v = hw(*wave, HwReg::XnackMaskLo) |
                       uint64_t(hw(*wave, HwReg::XnackMaskHi)) << 32;
    memcpy(bytes, &v, 8);
    break;
  }
  case RegisterKind::FlatScratch:
    small = !arch.isGFX9();
    if (small) {
      const uint64_t v = hw(*wave, HwReg::FlatScratchLo) |
                         uint64_t(hw(*wave, HwReg::FlatScratchHi)) << 32;
      memcpy(bytes, &v, 8);
    }
    break;
  default:
    small = false;
    break;
  }
  if (small) {
    memcpy(value, bytes + offset, size);
    return Success;
  }

  const bool scalar = reg.kind == RegisterKind::Scalar ||
                      reg.kind == RegisterKind::ScalarAlias ||
                      reg.kind == RegisterKind::Vcc ||
                      reg.kind == RegisterKind::FlatScratch;
  auto fromCache = [&]() {
    uint32_t words[2] = {};
    unsigned index = reg.index;
    if (reg.kind == RegisterKind::Vcc)
      index = vccIndex(arch, wave->record.shape.sgprs);
    if (reg.kind == RegisterKind::FlatScratch)
      index = flatScratchIndex(arch, wave->record.shape.sgprs);
    const Status status = readSgpr(*wave, index, reg.size / 4, words);
    if (!status)
      memcpy(value, reinterpret_cast<uint8_t *>(words) + offset, size);
    return status;
  };
  if (scalar && !wave->sgprs.empty())
    return fromCache();

  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  wave = found->second.get();
  if (scalar)
    return fromCache();
  uint64_t address = 0;
  if (Status status = registerPlace(*wave, reg, address))
    return status;
  if (Status status = save(*wave))
    return status;
  return readAll(address + offset, value, size);
}

Status Process::writeRegister(uint64_t id, const Register &reg, uint64_t offset,
                              uint64_t size, const void *value) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (found->second->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (!exists(*found->second, reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (core) // a core's memory is what it is
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;
  const Architecture &arch = *archOf(wave).arch;
  auto merged = [&](uint64_t old) {
    memcpy(reinterpret_cast<uint8_t *>(&old) + offset, value, size);
    return old;
  };
  switch (reg.kind) {
  case RegisterKind::PC:
    // Instructions are aligned to words, in 48 bits of address.
    return setPC(wave, merged(pc(wave)) & 0xfffffffffffc);
  case RegisterKind::Status:
  case RegisterKind::Hardware: {
    const HwReg which = reg.kind == RegisterKind::Status ? HwReg::Status
                                                         : HwReg(reg.index);
    uint32_t writable = ~0u;
    if (which == HwReg::Status)
      writable = arch.family == Family::GFX12 ? 0 : 1; // SCC
    else if (which == HwReg::StatePriv)
      writable = 1u << 9;
    else if (which == HwReg::Mode)
      writable = ~(ModeStep | 1u << 19); // not steps and watchpoints
    else if (which == HwReg::TrapCtrl)
      writable = 0x7f;
    const uint32_t old = hw(wave, which);
    const uint32_t wanted = uint32_t(merged(old));
    return setHw(wave, which, (old & ~writable) | (wanted & writable));
  }
  case RegisterKind::Exec: {
    const uint64_t v = merged(exec(wave));
    if (Status status = setHw(wave, HwReg::ExecLo, uint32_t(v)))
      return status;
    if (reg.size == 8)
      return setHw(wave, HwReg::ExecHi, uint32_t(v >> 32));
    return Success;
  }
  case RegisterKind::Trap:
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  default:
    break;
  }
  uint64_t address = 0;
  if (Status status = registerPlace(wave, reg, address))
    return status;
  if (Status status = save(wave))
    return status;
  if (Status status = writeAll(address + offset, value, size))
    return status;
  wave.sgprs.clear();
  // Keep the summary true.
  uint32_t block[32];
  if (Status status =
          readAll(wave.area + wave.record.hwregs, block, sizeof(block)))
    return status;
  memcpy(wave.hw, block, sizeof(wave.hw));
  memcpy(wave.ttmps, block + 16, sizeof(wave.ttmps));
  memcpy(wave.saved, block, sizeof(block));
  return Success;
}

//===-- Memory of waves ---------------------------------------------------===//

std::optional<ScratchSlot> Process::scratch(const Wave &wave) {
  const kfd::DeviceSnapshotEntry &e = wave.queue->agent->entry;
  if (!wave.record.shape.scratch)
    return std::nullopt;
  unsigned engines = 1;
  if (e.simd_arrays_per_engine)
    engines = e.array_count / e.simd_arrays_per_engine;
  const uint32_t xccs = std::max(1u, e.num_xcc);
  const uint64_t xcc =
      wave.queue->entry.ctx_save_restore_area_size
          ? (wave.area - wave.queue->entry.ctx_save_restore_address) /
                wave.queue->entry.ctx_save_restore_area_size
          : 0;
  const uint64_t location =
      wave.queue->scratchLocation +
      (xcc < xccs ? xcc : 0) * wave.queue->scratchBytes;
  return scratchSlot(*archOf(wave).arch, wave.queue->tmpring, location, engines,
                     wave.record.shape.shaderEngine,
                     wave.record.shape.scratchSlot);
}

Status Process::transferSegment(uint64_t id, uint32_t lane, Space space,
                                uint64_t address, uint64_t &size, void *read,
                                const void *write) {
  const uint64_t wanted = size;
  size = 0;
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (found->second->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;

  uint64_t limit, base;
  if (space == Local) {
    base = wave.group->lds;
    limit = wave.group->ldsBytes;
  } else {
    std::optional<ScratchSlot> slot = scratch(wave);
    if (!slot)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    base = slot->address;
    limit = space == PrivateLane ? slot->size / wave.record.shape.lanes : slot->size;
  }
  if (address >= limit)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  const uint64_t todo = std::min(wanted, limit - address);

  uint64_t done = 0;
  while (done < todo) {
    const uint64_t at = address + done;
    uint64_t place = base + at, piece = todo - done;
    if (space == PrivateLane) {
      // Words of a lane are a wave's width apart.
      place = base + at / 4 * wave.record.shape.lanes * 4 + uint64_t(lane) * 4 +
              at % 4;
      piece = std::min(piece, 4 - at % 4);
    }
    Status status =
        read ? readAll(place, static_cast<uint8_t *>(read) + done, piece)
             : writeAll(place, static_cast<const uint8_t *>(write) + done, piece);
    if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS && done)
      break;
    if (status)
      return status;
    done += piece;
  }
  size = done;
  return Success;
}

} // namespace wavelane::embedded
