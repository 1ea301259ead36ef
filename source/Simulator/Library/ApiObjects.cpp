//===-- ApiObjects.cpp - ROCdbgapi: code objects, agents, queues ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_code_object_get_info(
    amd_dbgapi_code_object_id_t id, amd_dbgapi_code_object_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<CodeObject> found =
      findIn<CodeObject>(id.handle, &Process::codeObjects);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_CODE_OBJECT_ID;
  switch (query) {
  case AMD_DBGAPI_CODE_OBJECT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME:
    return giveString(size, value, found.object->uri);
  case AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS:
    return give(size, value, found.object->bias);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_code_object_list(
    amd_dbgapi_process_id_t id, size_t *count,
    amd_dbgapi_code_object_id_t **list, amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::codeObjects, CodeObjectList, false, count,
                     list, changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_agent_get_info(
    amd_dbgapi_agent_id_t id, amd_dbgapi_agent_info_t query, size_t size,
    void *value) {
  NEEDS_LIBRARY();
  Found<Agent> found = findIn<Agent>(id.handle, &Process::agents);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_AGENT_ID;
  const Agent &agent = *found.object;
  const wavelane::kfd::DeviceSnapshotEntry &e = agent.entry;
  switch (query) {
  case AMD_DBGAPI_AGENT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_AGENT_INFO_NAME: {
    std::string name = "AMD GPU";
    if (agent.known)
      name += std::string(" ") + allArchitectures()[agent.archIndex].arch->Name;
    return giveString(size, value, name);
  }
  case AMD_DBGAPI_AGENT_INFO_ARCHITECTURE:
    if (!agent.known)
      return Unavailable;
    return give(size, value, archHandle(agent));
  case AMD_DBGAPI_AGENT_INFO_STATE:
    return give(size, value,
                agent.supported ? AMD_DBGAPI_AGENT_STATE_SUPPORTED
                                : AMD_DBGAPI_AGENT_STATE_NOT_SUPPORTED);
  case AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN:
    return give(size, value, uint16_t(e.location_id >> 16));
  case AMD_DBGAPI_AGENT_INFO_PCI_SLOT:
    return give(size, value, uint16_t(e.location_id));
  case AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID:
    return give(size, value, e.vendor_id);
  case AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID:
    return give(size, value, e.device_id);
  case AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT:
    return give(size, value, size_t(e.simd_count));
  case AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT:
    return give(size, value, size_t(e.max_waves_per_simd));
  case AMD_DBGAPI_AGENT_INFO_OS_ID:
    return give(size, value, amd_dbgapi_os_agent_id_t(e.gpu_id));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_agent_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_agent_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::agents, AgentList, false, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_queue_get_info(
    amd_dbgapi_queue_id_t id, amd_dbgapi_queue_info_t query, size_t size,
    void *value) {
  NEEDS_LIBRARY();
  Found<Queue> found = findIn<Queue>(id.handle, &Process::queues);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  const Queue &queue = *found.object;
  switch (query) {
  case AMD_DBGAPI_QUEUE_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{queue.agent->id});
  case AMD_DBGAPI_QUEUE_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_QUEUE_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*queue.agent));
  case AMD_DBGAPI_QUEUE_INFO_TYPE: {
    static constexpr amd_dbgapi_os_queue_type_t Types[] = {
        AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4, AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA,
        AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL,
        AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI};
    return give(size, value,
                queue.entry.queue_type < std::size(Types)
                    ? Types[queue.entry.queue_type]
                    : AMD_DBGAPI_OS_QUEUE_TYPE_UNKNOWN);
  }
  case AMD_DBGAPI_QUEUE_INFO_STATE:
  case AMD_DBGAPI_QUEUE_INFO_ERROR_REASON:
    return AMD_DBGAPI_STATUS_ERROR_NOT_IMPLEMENTED;
  case AMD_DBGAPI_QUEUE_INFO_ADDRESS:
    return give(size, value,
                amd_dbgapi_global_address_t(queue.entry.ring_base_address));
  case AMD_DBGAPI_QUEUE_INFO_SIZE:
    return give(size, value, amd_dbgapi_size_t(queue.entry.ring_size));
  case AMD_DBGAPI_QUEUE_INFO_OS_ID:
    return give(size, value, amd_dbgapi_os_queue_id_t(queue.entry.queue_id));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_queue_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_queue_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::queues, QueueList, true, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_queue_packet_list(
    amd_dbgapi_queue_id_t id, amd_dbgapi_os_queue_packet_id_t *readId,
    amd_dbgapi_os_queue_packet_id_t *writeId, size_t *size, void **bytes) {
  NEEDS_LIBRARY();
  Found<Queue> found = findIn<Queue>(id.handle, &Process::queues);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  if (!readId || !writeId || !size)
    return Invalid;
  Suspended scope(*found.process);
  if (scope.status)
    return scope.status;
  found = findIn<Queue>(id.handle, &Process::queues);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  const Queue &queue = *found.object;
  if (!queue.isCompute())
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  uint64_t from = 0, to = 0;
  Process &process = *found.process;
  if (Status status =
          process.readAll(queue.entry.read_pointer_address, &from, 8))
    return status;
  if (Status status =
          process.readAll(queue.entry.write_pointer_address, &to, 8))
    return status;
  const uint64_t room = queue.entry.ring_size / 64;
  if (!room || to < from || to - from > room)
    return AMD_DBGAPI_STATUS_ERROR;
  std::vector<uint8_t> packets((to - from) * 64);
  if (bytes) {
    for (uint64_t i = from; i < to; ++i)
      if (Status status =
              process.readAll(queue.entry.ring_base_address + i % room * 64,
                              packets.data() + (i - from) * 64, 64))
        return status;
    *bytes = nullptr;
    if (!packets.empty())
      if (Status status =
              giveBytes(sizeof(void *), bytes, packets.data(), packets.size()))
        return status;
  }
  *readId = from;
  *writeId = to;
  *size = packets.size();
  return Success;
}
