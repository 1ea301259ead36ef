//===-- ApiExtensions.cpp - ROCdbgapi: what ROCdbgapi has no word for -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include "wavelane/DebugAPI/Extensions.h"

using namespace wavelane::library;

/// What the trap handler has left in two registers from \p ttmp on, of a wave
/// that has stopped for one of \p reasons.
static amd_dbgapi_status_t getNote(amd_dbgapi_wave_id_t id, uint32_t reasons,
                                   unsigned ttmp, uint64_t *value) {
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!value)
    return Invalid;
  if (wave.object->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (wave.process->isCore() || !(wave.object->reasons & reasons))
    return Unavailable;
  const uint32_t *ttmps = wave.object->ttmps + ttmp;
  *value = ttmps[0] | uint64_t(ttmps[1]) << 32;
  return Success;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_stop_address(amd_dbgapi_wave_id_t id,
                                                        uint64_t *address) {
  NEEDS_LIBRARY();
  return getNote(id,
                 AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
                     AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR,
                 wavelane::simulator::StopAddressTtmp, address);
}

EXPORT amd_dbgapi_status_t
wavelane_dbgapi_set_local_range_exceptions(amd_dbgapi_process_id_t id, int on) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  return process->setFlag(wavelane::kfd::LocalOutOfRange, on);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_stop_lanes(amd_dbgapi_wave_id_t id,
                                                      uint64_t *lanes) {
  NEEDS_LIBRARY();
  constexpr uint32_t WithLanes =
      AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT |
      AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
      AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR |
      AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0 |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0 |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION;
  return getNote(id, WithLanes, wavelane::simulator::StopLanesTtmp, lanes);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_dispatch_started(
    amd_dbgapi_dispatch_id_t id, uint64_t *workgroups) {
  NEEDS_LIBRARY();
  Found<Dispatch> dispatch = findIn<Dispatch>(id.handle, &Process::dispatches);
  if (!dispatch.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID;
  if (!workgroups)
    return Invalid;
  // A queue has one dispatch at a time on this device.
  if (!dispatch.object->queue->startedGroups)
    return Unavailable;
  *workgroups = dispatch.object->queue->startedGroups;
  return Success;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_watch_address(
    amd_dbgapi_wave_id_t id, amd_dbgapi_lane_id_t lane, int isLocal,
    uint64_t offset, uint64_t *address, uint64_t *contiguous) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!address || !contiguous)
    return Invalid;
  const unsigned lanes = wave.object->record.shape.lanes;
  if (isLocal) {
    if (offset >= wave.object->group->ldsBytes)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    *address = wavelane::simulator::LocalAperture + offset;
    *contiguous = wave.object->group->ldsBytes - offset;
    return Success;
  }
  if (lane >= lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  std::optional<wavelane::savearea::ScratchSlot> slot = scratch(*wave.object);
  if (!slot || offset >= slot->size / lanes)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  // Words of a lane are a wave's width apart.
  *address =
      slot->address + offset / 4 * lanes * 4 + uint64_t(lane) * 4 + offset % 4;
  *contiguous = 4 - offset % 4;
  return Success;
}
