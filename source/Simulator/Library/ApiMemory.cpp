//===-- ApiMemory.cpp - ROCdbgapi: address classes, spaces and memory -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include <limits>

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_address_class_get_info(
    amd_dbgapi_address_class_id_t id, amd_dbgapi_address_class_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *owner;
  const ClassInfo *info = find(id, owner);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID;
  switch (query) {
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_NAME:
    return giveString(size, value, info->name);
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_ADDRESS_SPACE:
    return give(size, value, spaceHandle(*owner, info->space));
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_DWARF:
    return give(size, value, info->dwarf);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_address_class_list(
    amd_dbgapi_architecture_id_t id, size_t *count,
    amd_dbgapi_address_class_id_t **list) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < ClassCount; ++i)
    ids.push_back(partHandle(*info, i));
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_address_class_to_address_class(
    amd_dbgapi_architecture_id_t id, uint64_t dwarf,
    amd_dbgapi_address_class_id_t *result) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!result)
    return Invalid;
  for (unsigned i = 0; i < ClassCount; ++i)
    if (Classes[i].dwarf == dwarf) {
      result->handle = partHandle(*info, i);
      return Success;
    }
  return Incompatible;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_space_get_info(
    amd_dbgapi_address_space_id_t id, amd_dbgapi_address_space_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *owner;
  const SpaceInfo *info = find(id, owner);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  switch (query) {
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME:
    return giveString(size, value, info->name);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE:
    return give(size, value, amd_dbgapi_size_t(info->bits));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS:
    return give(size, value, amd_dbgapi_segment_address_t(info->null));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ACCESS:
    return give(size, value, AMD_DBGAPI_ADDRESS_SPACE_ACCESS_ALL);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF:
    return give(size, value, info->dwarf);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_address_space_list(
    amd_dbgapi_architecture_id_t id, size_t *count,
    amd_dbgapi_address_space_id_t **list) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < SpaceCount; ++i)
    ids.push_back(spaceHandle(*info, i).handle);
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_address_space_to_address_space(
    amd_dbgapi_architecture_id_t id, uint64_t dwarf,
    amd_dbgapi_address_space_id_t *result) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!result)
    return Invalid;
  for (unsigned i = 0; i < SpaceCount; ++i)
    if (Spaces[i].dwarf == dwarf) {
      *result = spaceHandle(*info, i);
      return Success;
    }
  return Incompatible;
}

namespace {

constexpr uint64_t Apertures = uint64_t(0xffff) << 48;

/// An address without generic: apertures lead to local and private_lane.
struct Lowered {
  Space space;
  uint64_t address;
};
Lowered lower(const SpaceInfo &space, uint64_t address) {
  if (space.dwarf != Generic)
    return {Space(space.dwarf),
            space.bits == 32 ? address & 0xffffffff : address};
  if ((address & Apertures) == wavelane::simulator::LocalAperture)
    return {Local, address & 0xffffffff};
  if ((address & Apertures) == wavelane::simulator::PrivateAperture)
    return {PrivateLane, address & 0xffffffff};
  return {Global, address};
}

} // namespace

EXPORT amd_dbgapi_status_t amd_dbgapi_convert_address_space(
    amd_dbgapi_wave_id_t id, amd_dbgapi_lane_id_t lane,
    amd_dbgapi_address_space_id_t fromId, amd_dbgapi_segment_address_t address,
    amd_dbgapi_address_space_id_t toId, amd_dbgapi_segment_address_t *result,
    amd_dbgapi_size_t *contiguous) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!result || !contiguous)
    return Invalid;
  const unsigned lanes = wave.object->record.shape.lanes;
  if (lane != AMD_DBGAPI_LANE_NONE && lane >= lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  const ArchitectureInfo *fromOwner, *toOwner;
  const SpaceInfo *from = find(fromId, fromOwner);
  const SpaceInfo *to = find(toId, toOwner);
  if (!from || !to)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  const ArchitectureInfo *own = &archOf(*wave.object);
  if ((fromOwner && fromOwner != own) || (toOwner && toOwner != own))
    return Incompatible;
  const Status impossible =
      AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_CONVERSION;
  const uint64_t all = std::numeric_limits<uint64_t>::max();

  if (from == to) {
    *result = address;
    *contiguous = from->bits == 32 ? (uint64_t(1) << 32) - address
                  : address        ? all - address + 1
                                   : all;
    return Success;
  }
  // Null is null everywhere.
  if (address == from->null) {
    *result = to->null;
    *contiguous = 1;
    return Success;
  }
  const Lowered low = lower(*from, address);
  const uint64_t room =
      low.space == Global ? all - address : (uint64_t(1) << 32) - low.address;
  if (to->dwarf == Generic) {
    switch (low.space) {
    case Global: {
      const uint64_t top = address & Apertures;
      if (top == wavelane::simulator::LocalAperture ||
          top == wavelane::simulator::PrivateAperture)
        return impossible;
      *result = address;
      *contiguous =
          top ? all - address : wavelane::simulator::LocalAperture - address;
      return Success;
    }
    case Local:
      *result = wavelane::simulator::LocalAperture | low.address;
      *contiguous = room;
      return Success;
    case PrivateLane:
      *result = wavelane::simulator::PrivateAperture | low.address;
      *contiguous = room;
      return Success;
    default:
      return impossible;
    }
  }
  if (low.space == Space(to->dwarf)) {
    *result = low.address;
    *contiguous = room;
    return Success;
  }
  if (low.space == PrivateLane && to->dwarf == PrivateWave) {
    if (lane == AMD_DBGAPI_LANE_NONE)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
    *result = low.address / 4 * lanes * 4 + lane * 4 + low.address % 4;
    *contiguous = 4 - low.address % 4;
    return Success;
  }
  if (low.space == PrivateWave && to->dwarf == PrivateLane) {
    // Only where the word is this lane's.
    if (lane == AMD_DBGAPI_LANE_NONE)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
    if (low.address / 4 % lanes != lane)
      return impossible;
    *result = low.address / (lanes * 4) * 4 + low.address % 4;
    *contiguous = 4 - low.address % 4;
    return Success;
  }
  return impossible;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_dependency(
    amd_dbgapi_address_space_id_t id, amd_dbgapi_segment_address_t address,
    amd_dbgapi_segment_address_dependency_t *dependency) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *owner;
  const SpaceInfo *space = find(id, owner);
  if (!space)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  if (!dependency)
    return Invalid;
  const Lowered low = lower(*space, address);
  for (const SpaceInfo &candidate : Spaces)
    if (candidate.dwarf == uint64_t(low.space))
      *dependency = candidate.dependency;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_is_in_address_class(
    amd_dbgapi_wave_id_t id, amd_dbgapi_lane_id_t lane,
    amd_dbgapi_address_space_id_t spaceId, amd_dbgapi_segment_address_t address,
    amd_dbgapi_address_class_id_t classId,
    amd_dbgapi_address_class_state_t *state) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (lane != AMD_DBGAPI_LANE_NONE && lane >= wave.object->record.shape.lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  const ArchitectureInfo *spaceOwner, *classOwner;
  const SpaceInfo *space = find(spaceId, spaceOwner);
  if (!space)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  const ClassInfo *addressClass = find(classId, classOwner);
  if (!addressClass)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID;
  if (!state)
    return Invalid;
  const ArchitectureInfo *own = &archOf(*wave.object);
  if (classOwner != own || (spaceOwner && spaceOwner != own))
    return Incompatible;
  const uint64_t wanted = Spaces[addressClass->space].dwarf;
  const bool member = wanted == space->dwarf ||
                      wanted == uint64_t(lower(*space, address).space);
  *state = member ? AMD_DBGAPI_ADDRESS_CLASS_STATE_MEMBER
                  : AMD_DBGAPI_ADDRESS_CLASS_STATE_NOT_MEMBER;
  return Success;
}

//===-- Memory ------------------------------------------------------------===//

static Status
transferMemory(amd_dbgapi_process_id_t id, amd_dbgapi_wave_id_t waveId,
               amd_dbgapi_lane_id_t lane, amd_dbgapi_address_space_id_t spaceId,
               amd_dbgapi_segment_address_t address, amd_dbgapi_size_t *size,
               void *read, const void *write) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!size || (!read && !write))
    return Invalid;
  const ArchitectureInfo *owner;
  const SpaceInfo *space = find(spaceId, owner);
  if (!space)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  Wave *wave = nullptr;
  if (waveId.handle) {
    Found<Wave> found = find(waveId);
    if (!found.object || found.process != process)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
    wave = found.object;
    if (owner && owner != &archOf(*wave))
      return Incompatible;
    if (lane != AMD_DBGAPI_LANE_NONE && lane >= wave->record.shape.lanes)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  } else if (lane != AMD_DBGAPI_LANE_NONE) {
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  }
  const Lowered low = lower(*space, address);
  if (low.space == Global) {
    uint64_t done = *size;
    const Status status = process->transfer(low.address, done, read, write);
    *size = done;
    return status;
  }
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (low.space == PrivateLane && lane == AMD_DBGAPI_LANE_NONE)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  if (write && process->isFrozen())
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  uint64_t done = *size;
  const Status status = process->transferSegment(
      waveId.handle, lane, low.space, low.address, done, read, write);
  *size = done;
  return status;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_read_memory(
    amd_dbgapi_process_id_t id, amd_dbgapi_wave_id_t wave,
    amd_dbgapi_lane_id_t lane, amd_dbgapi_address_space_id_t space,
    amd_dbgapi_segment_address_t address, amd_dbgapi_size_t *size,
    void *value) {
  return transferMemory(id, wave, lane, space, address, size, value, nullptr);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_write_memory(
    amd_dbgapi_process_id_t id, amd_dbgapi_wave_id_t wave,
    amd_dbgapi_lane_id_t lane, amd_dbgapi_address_space_id_t space,
    amd_dbgapi_segment_address_t address, amd_dbgapi_size_t *size,
    const void *value) {
  return transferMemory(id, wave, lane, space, address, size, nullptr, value);
}
