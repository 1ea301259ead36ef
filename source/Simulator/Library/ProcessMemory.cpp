//===-- ProcessMemory.cpp - Watchpoints, and memory of waves --------------===//

#include "WaveState.h"
#include <algorithm>
#include <cerrno>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::embedded {

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
          hasStatePriv(archOf(wave))
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
