//===-- ApiWaves.cpp - ROCdbgapi: dispatches, workgroups, waves -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Displaced stepping, too.
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include <cstring>

using namespace wavelane::library;

//===-- Dispatches, work-groups, waves ------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_dispatch_get_info(
    amd_dbgapi_dispatch_id_t id, amd_dbgapi_dispatch_info_t query, size_t size,
    void *value) {
  NEEDS_LIBRARY();
  Found<Dispatch> found = findIn<Dispatch>(id.handle, &Process::dispatches);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID;
  const Dispatch &dispatch = *found.object;
  auto word = [&](unsigned at, auto &to) {
    memcpy(&to, dispatch.packet + at, sizeof(to));
  };
  uint16_t header = 0, setup = 0, groups[3];
  uint32_t grid[3], privateSize, groupSize;
  uint64_t kernel, arguments, completion;
  word(0, header), word(2, setup), word(4, groups), word(12, grid);
  word(24, privateSize), word(28, groupSize), word(32, kernel);
  word(40, arguments), word(56, completion);
  switch (query) {
  case AMD_DBGAPI_DISPATCH_INFO_QUEUE:
    return give(size, value, amd_dbgapi_queue_id_t{dispatch.queue->id});
  case AMD_DBGAPI_DISPATCH_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{dispatch.queue->agent->id});
  case AMD_DBGAPI_DISPATCH_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_DISPATCH_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*dispatch.queue->agent));
  case AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID:
    return give(size, value,
                amd_dbgapi_os_queue_packet_id_t(dispatch.packetId));
  case AMD_DBGAPI_DISPATCH_INFO_BARRIER:
    return give(size, value,
                header & 1 << 8 ? AMD_DBGAPI_DISPATCH_BARRIER_PRESENT
                                : AMD_DBGAPI_DISPATCH_BARRIER_NONE);
  case AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE:
    return give(size, value,
                amd_dbgapi_dispatch_fence_scope_t(header >> 9 & 3));
  case AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE:
    return give(size, value,
                amd_dbgapi_dispatch_fence_scope_t(header >> 11 & 3));
  case AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS:
    return give(size, value, uint32_t(setup & 3));
  case AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES:
    return give(size, value, groups);
  case AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES:
    return give(size, value, grid);
  case AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE:
    return give(size, value, amd_dbgapi_size_t(privateSize));
  case AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE:
    return give(size, value, amd_dbgapi_size_t(groupSize));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS:
    return give(size, value, amd_dbgapi_global_address_t(arguments));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS:
    return give(size, value, amd_dbgapi_global_address_t(kernel));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS: {
    int64_t offset = 0;
    if (Status status = found.process->readAll(kernel + 16, &offset, 8))
      return status;
    return give(size, value, amd_dbgapi_global_address_t(kernel + offset));
  }
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS:
    return give(size, value, amd_dbgapi_global_address_t(completion));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_dispatch_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_dispatch_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::dispatches, DispatchList, true, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_workgroup_get_info(
    amd_dbgapi_workgroup_id_t id, amd_dbgapi_workgroup_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<Workgroup> found = findIn<Workgroup>(id.handle, &Process::groups);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WORKGROUP_ID;
  const Workgroup &group = *found.object;
  switch (query) {
  case AMD_DBGAPI_WORKGROUP_INFO_DISPATCH:
    if (!group.dispatch)
      return Unavailable;
    return give(size, value, amd_dbgapi_dispatch_id_t{group.dispatch->id});
  case AMD_DBGAPI_WORKGROUP_INFO_QUEUE:
    return give(size, value, amd_dbgapi_queue_id_t{group.queue->id});
  case AMD_DBGAPI_WORKGROUP_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{group.queue->agent->id});
  case AMD_DBGAPI_WORKGROUP_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_WORKGROUP_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*group.queue->agent));
  case AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD:
    if (!group.dispatch)
      return Unavailable;
    return give(size, value, group.coordinates);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_workgroup_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_workgroup_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::groups, WorkgroupList, true, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_get_info(amd_dbgapi_wave_id_t id, amd_dbgapi_wave_info_t query,
                         size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const Wave &wave = *found.object;
  Process &process = *found.process;
  // For the client a wave is stopped once its event has been fetched.
  const bool stopped =
      wave.state == AMD_DBGAPI_WAVE_STATE_STOP && wave.reported;
  switch (query) {
  case AMD_DBGAPI_WAVE_INFO_STATE:
    return give(size, value,
                stopped ? AMD_DBGAPI_WAVE_STATE_STOP
                : wave.state == AMD_DBGAPI_WAVE_STATE_STOP
                    ? AMD_DBGAPI_WAVE_STATE_RUN
                    : wave.state);
  case AMD_DBGAPI_WAVE_INFO_STOP_REASON:
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(size, value, amd_dbgapi_wave_stop_reasons_t(wave.reasons));
  case AMD_DBGAPI_WAVE_INFO_WATCHPOINTS: {
    if (!value)
      return Invalid;
    if (size != sizeof(amd_dbgapi_watchpoint_list_t))
      return Incompatible;
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    std::vector<uint64_t> ids;
    for (auto &entry : process.watchpoints) {
      auto hardware =
          entry.second->hardware.find(wave.queue->agent->entry.gpu_id);
      if (hardware != entry.second->hardware.end() && hardware->second < 32 &&
          wave.watches >> hardware->second & 1)
        ids.push_back(entry.first);
    }
    amd_dbgapi_watchpoint_list_t list = {};
    if (Status status = giveList(&list.count, &list.watchpoint_ids, ids))
      return status;
    return give(size, value, list);
  }
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP:
    return give(size, value, amd_dbgapi_workgroup_id_t{wave.group->id});
  case AMD_DBGAPI_WAVE_INFO_DISPATCH:
    if (!wave.group->dispatch)
      return Unavailable;
    return give(size, value,
                amd_dbgapi_dispatch_id_t{wave.group->dispatch->id});
  case AMD_DBGAPI_WAVE_INFO_QUEUE:
    return give(size, value, amd_dbgapi_queue_id_t{wave.queue->id});
  case AMD_DBGAPI_WAVE_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{wave.queue->agent->id});
  case AMD_DBGAPI_WAVE_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{process.id});
  case AMD_DBGAPI_WAVE_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*wave.queue->agent));
  case AMD_DBGAPI_WAVE_INFO_PC:
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(size, value, amd_dbgapi_global_address_t(process.pc(wave)));
  case AMD_DBGAPI_WAVE_INFO_EXEC_MASK:
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(size, value, process.exec(wave));
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD:
    if (!wave.identified)
      return Unavailable;
    return give(size, value, wave.group->coordinates);
  case AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP:
    if (!wave.identified)
      return Unavailable;
    return give(size, value, wave.indexInGroup);
  case AMD_DBGAPI_WAVE_INFO_LANE_COUNT:
    return give(size, value, size_t(wave.record.shape.lanes));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_wave_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_wave_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::waves, WaveList, true, count, list, changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_stop(amd_dbgapi_wave_id_t id) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  return found.process->stopWave(id.handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_resume(amd_dbgapi_wave_id_t id, amd_dbgapi_resume_mode_t mode,
                       amd_dbgapi_exceptions_t exceptions) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if ((mode != AMD_DBGAPI_RESUME_MODE_NORMAL &&
       mode != AMD_DBGAPI_RESUME_MODE_SINGLE_STEP) ||
      uint32_t(exceptions) & ~0x3fu)
    return Invalid;
  return found.process->resumeWave(id.handle, mode, uint32_t(exceptions));
}

//===-- Displaced stepping ------------------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_get_info(
    amd_dbgapi_displaced_stepping_id_t id,
    amd_dbgapi_displaced_stepping_info_t query, size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<DisplacedStep> found =
      findIn<DisplacedStep>(id.handle, &Process::steps);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  if (query == AMD_DBGAPI_DISPLACED_STEPPING_INFO_PROCESS)
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_displaced_stepping_start(amd_dbgapi_wave_id_t id, const void *saved,
                                    amd_dbgapi_displaced_stepping_id_t *step) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!saved || !step)
    return Invalid;
  return found.process->startDisplaced(id.handle, saved, step->handle);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_complete(
    amd_dbgapi_wave_id_t id, amd_dbgapi_displaced_stepping_id_t step) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Found<DisplacedStep> object =
      findIn<DisplacedStep>(step.handle, &Process::steps);
  if (!object.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  return found.process->completeDisplaced(id.handle, *object.object);
}
