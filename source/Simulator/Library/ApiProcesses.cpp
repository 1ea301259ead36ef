//===-- ApiProcesses.cpp - ROCdbgapi: processes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include <cstring>

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_process_get_info(
    amd_dbgapi_process_id_t id, amd_dbgapi_process_info_t query, size_t size,
    void *value) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  switch (query) {
  case AMD_DBGAPI_PROCESS_INFO_NOTIFIER:
    return give(size, value, process->notifier());
  case AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT:
    return give(size, value, process->watchpointCount());
  case AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_SHARE:
    return give(size, value,
                process->watchpointCount()
                    ? AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSHARED
                    : AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSUPPORTED);
  case AMD_DBGAPI_PROCESS_INFO_PRECISE_MEMORY_SUPPORTED:
    return give(size, value,
                process->canPreciseMemory()
                    ? AMD_DBGAPI_MEMORY_PRECISION_PRECISE
                    : AMD_DBGAPI_MEMORY_PRECISION_NONE);
  case AMD_DBGAPI_PROCESS_INFO_PRECISE_ALU_EXCEPTIONS_SUPPORTED:
    return give(size, value,
                process->canPreciseAlu()
                    ? AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE
                    : AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE);
  case AMD_DBGAPI_PROCESS_INFO_OS_ID:
    if (process->isCore())
      return Unavailable;
    return give(size, value, amd_dbgapi_os_process_id_t(process->osPid()));
  case AMD_DBGAPI_PROCESS_INFO_CORE_STATE: {
    if (!value)
      return Invalid;
    if (size != sizeof(amd_dbgapi_core_state_data_t))
      return Incompatible;
    if (!process->isFrozen())
      return AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN;
    const std::vector<uint8_t> note = process->coreState();
    void *copy = allocate(note.size());
    if (!copy)
      return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
    memcpy(copy, note.data(), note.size());
    return give(size, value,
                amd_dbgapi_core_state_data_t{AMD_DBGAPI_ENDIAN_LITTLE,
                                             note.size(), copy});
  }
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_attach(
    amd_dbgapi_client_process_id_t client, amd_dbgapi_process_id_t *id) {
  NEEDS_LIBRARY();
  if (!id)
    return Invalid;
  *id = AMD_DBGAPI_PROCESS_NONE;
  for (auto &entry : library().processes)
    if (entry.second->client == client)
      return AMD_DBGAPI_STATUS_ERROR_ALREADY_ATTACHED;
  const uint64_t number = library().newId(Library::ProcessId);
  auto process = std::make_unique<Process>(number, client);
  if (Status status = process->attach()) {
    process->detach();
    return status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED ||
                   status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS
               ? AMD_DBGAPI_STATUS_FATAL
               : status;
  }
  library().processes[number] = std::move(process);
  id->handle = number;
  return Success;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_detach(amd_dbgapi_process_id_t id) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  process->detach();
  library().processes.erase(id.handle);
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_set_progress(
    amd_dbgapi_process_id_t id, amd_dbgapi_progress_t progress) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (progress != AMD_DBGAPI_PROGRESS_NORMAL &&
      progress != AMD_DBGAPI_PROGRESS_NO_FORWARD)
    return Invalid;
  return process->setProgress(progress);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_set_wave_creation(
    amd_dbgapi_process_id_t id, amd_dbgapi_wave_creation_t creation) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (creation != AMD_DBGAPI_WAVE_CREATION_NORMAL &&
      creation != AMD_DBGAPI_WAVE_CREATION_STOP)
    return Invalid;
  return process->setWaveCreation(creation);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_freeze(amd_dbgapi_process_id_t id) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  return process ? process->freeze()
                 : AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_unfreeze(amd_dbgapi_process_id_t id) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  return process ? process->unfreeze()
                 : AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
}
