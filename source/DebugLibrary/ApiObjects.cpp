//===-- ApiObjects.cpp - ROCdbgapi: code objects, agents, queues ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_code_object_get_info(
    amd_dbgapi_code_object_id_t Id, amd_dbgapi_code_object_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  Found<CodeObject> Match =
      findIn<CodeObject>(Id.handle, &Process::CodeObjects);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_CODE_OBJECT_ID;
  switch (Query) {
  case AMD_DBGAPI_CODE_OBJECT_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME:
    return giveString(Size, Value, Match.Object->Uri);
  case AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS:
    return give(Size, Value, Match.Object->Bias);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_code_object_list(
    amd_dbgapi_process_id_t Id, size_t *Count,
    amd_dbgapi_code_object_id_t **List, amd_dbgapi_changed_t *Changed) {
  return processList(Id, &Process::CodeObjects, CodeObjectList, false, Count,
                     List, Changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_agent_get_info(
    amd_dbgapi_agent_id_t Id, amd_dbgapi_agent_info_t Query, size_t Size,
    void *Value) {
  NEEDS_LIBRARY();
  Found<Agent> Match = findIn<Agent>(Id.handle, &Process::Agents);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_AGENT_ID;
  const Agent &A = *Match.Object;
  const wavelane::kfd::DeviceSnapshotEntry &E = A.Entry;
  switch (Query) {
  case AMD_DBGAPI_AGENT_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_AGENT_INFO_NAME: {
    std::string Name = "AMD GPU";
    if (A.Known)
      Name += std::string(" ") + allArchitectures()[A.ArchIndex].Arch->Name;
    return giveString(Size, Value, Name);
  }
  case AMD_DBGAPI_AGENT_INFO_ARCHITECTURE:
    if (!A.Known)
      return Unavailable;
    return give(Size, Value, archHandle(A));
  case AMD_DBGAPI_AGENT_INFO_STATE:
    return give(Size, Value,
                A.Supported ? AMD_DBGAPI_AGENT_STATE_SUPPORTED
                            : AMD_DBGAPI_AGENT_STATE_NOT_SUPPORTED);
  case AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN:
    return give(Size, Value, uint16_t(E.location_id >> 16));
  case AMD_DBGAPI_AGENT_INFO_PCI_SLOT:
    return give(Size, Value, uint16_t(E.location_id));
  case AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID:
    return give(Size, Value, E.vendor_id);
  case AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID:
    return give(Size, Value, E.device_id);
  case AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT:
    return give(Size, Value, size_t(E.simd_count));
  case AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT:
    return give(Size, Value, size_t(E.max_waves_per_simd));
  case AMD_DBGAPI_AGENT_INFO_OS_ID:
    return give(Size, Value, amd_dbgapi_os_agent_id_t(E.gpu_id));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_agent_list(
    amd_dbgapi_process_id_t Id, size_t *Count, amd_dbgapi_agent_id_t **List,
    amd_dbgapi_changed_t *Changed) {
  return processList(Id, &Process::Agents, AgentList, false, Count, List,
                     Changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_queue_get_info(
    amd_dbgapi_queue_id_t Id, amd_dbgapi_queue_info_t Query, size_t Size,
    void *Value) {
  NEEDS_LIBRARY();
  Found<Queue> Match = findIn<Queue>(Id.handle, &Process::Queues);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  const Queue &Q = *Match.Object;
  switch (Query) {
  case AMD_DBGAPI_QUEUE_INFO_AGENT:
    return give(Size, Value, amd_dbgapi_agent_id_t{Q.A->Id});
  case AMD_DBGAPI_QUEUE_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_QUEUE_INFO_ARCHITECTURE:
    return give(Size, Value, archHandle(*Q.A));
  case AMD_DBGAPI_QUEUE_INFO_TYPE: {
    static constexpr amd_dbgapi_os_queue_type_t Types[] = {
        AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4, AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA,
        AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL,
        AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI};
    return give(Size, Value,
                Q.Entry.queue_type < std::size(Types)
                    ? Types[Q.Entry.queue_type]
                    : AMD_DBGAPI_OS_QUEUE_TYPE_UNKNOWN);
  }
  case AMD_DBGAPI_QUEUE_INFO_STATE:
  case AMD_DBGAPI_QUEUE_INFO_ERROR_REASON:
    return AMD_DBGAPI_STATUS_ERROR_NOT_IMPLEMENTED;
  case AMD_DBGAPI_QUEUE_INFO_ADDRESS:
    return give(Size, Value,
                amd_dbgapi_global_address_t(Q.Entry.ring_base_address));
  case AMD_DBGAPI_QUEUE_INFO_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(Q.Entry.ring_size));
  case AMD_DBGAPI_QUEUE_INFO_OS_ID:
    return give(Size, Value, amd_dbgapi_os_queue_id_t(Q.Entry.queue_id));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_queue_list(
    amd_dbgapi_process_id_t Id, size_t *Count, amd_dbgapi_queue_id_t **List,
    amd_dbgapi_changed_t *Changed) {
  return processList(Id, &Process::Queues, QueueList, true, Count, List,
                     Changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_queue_packet_list(
    amd_dbgapi_queue_id_t Id, amd_dbgapi_os_queue_packet_id_t *ReadId,
    amd_dbgapi_os_queue_packet_id_t *WriteId, size_t *Size, void **Bytes) {
  NEEDS_LIBRARY();
  Found<Queue> Match = findIn<Queue>(Id.handle, &Process::Queues);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  if (!ReadId || !WriteId || !Size)
    return Invalid;
  Suspended Scope(*Match.Proc);
  if (Scope.Outcome)
    return Scope.Outcome;
  Match = findIn<Queue>(Id.handle, &Process::Queues);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  const Queue &Q = *Match.Object;
  if (!Q.isCompute())
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  uint64_t From = 0, To = 0;
  Process &Proc = *Match.Proc;
  if (Status Outcome = Proc.readAll(Q.Entry.read_pointer_address, &From, 8))
    return Outcome;
  if (Status Outcome = Proc.readAll(Q.Entry.write_pointer_address, &To, 8))
    return Outcome;
  const uint64_t Room = Q.Entry.ring_size / 64;
  if (!Room || To < From || To - From > Room)
    return AMD_DBGAPI_STATUS_ERROR;
  std::vector<uint8_t> Packets((To - From) * 64);
  if (Bytes) {
    for (uint64_t I = From; I < To; ++I)
      if (Status Outcome =
              Proc.readAll(Q.Entry.ring_base_address + I % Room * 64,
                           Packets.data() + (I - From) * 64, 64))
        return Outcome;
    *Bytes = nullptr;
    if (!Packets.empty())
      if (Status Outcome =
              giveBytes(sizeof(void *), Bytes, Packets.data(), Packets.size()))
        return Outcome;
  }
  *ReadId = From;
  *WriteId = To;
  *Size = Packets.size();
  return Success;
}
