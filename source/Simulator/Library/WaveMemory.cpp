//===-- WaveMemory.cpp - Local and private memory of waves ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveMemory.h"
#include <algorithm>
#include <utility>

using namespace wavelane::savearea;

namespace wavelane::library {

std::optional<ScratchSlot> scratch(const Wave &wave) {
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
  const uint64_t location = wave.queue->scratchLocation +
                            (xcc < xccs ? xcc : 0) * wave.queue->scratchBytes;
  return scratchSlot(*archOf(wave).arch, wave.queue->tmpring, location, engines,
                     wave.record.shape.shaderEngine,
                     wave.record.shape.scratchSlot);
}

Status transferSegment(ProgramMemory &memory, const Wave &wave, uint32_t lane,
                       Space space, uint64_t address, uint64_t &size,
                       void *read, const void *write) {
  const uint64_t wanted = std::exchange(size, 0);
  uint64_t limit, base;
  if (space == Local) {
    base = wave.group->lds;
    limit = wave.group->ldsBytes;
  } else {
    std::optional<ScratchSlot> slot = scratch(wave);
    if (!slot)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    base = slot->address;
    limit = space == PrivateLane ? slot->size / wave.record.shape.lanes
                                 : slot->size;
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
        read ? memory.readAll(place, static_cast<uint8_t *>(read) + done, piece)
             : memory.writeAll(
                   place, static_cast<const uint8_t *>(write) + done, piece);
    if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS && done)
      break;
    if (status)
      return status;
    done += piece;
  }
  size = done;
  return Success;
}

} // namespace wavelane::library
