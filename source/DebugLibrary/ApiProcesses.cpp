//===-- ApiProcesses.cpp - ROCdbgapi: processes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include <cstring>

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_process_get_info(
    amd_dbgapi_process_id_t Id, amd_dbgapi_process_info_t Query, size_t Size,
    void *Value) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  switch (Query) {
  case AMD_DBGAPI_PROCESS_INFO_NOTIFIER:
    return give(Size, Value, Proc->notifier());
  case AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT:
    return give(Size, Value, Proc->watchpointCount());
  case AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_SHARE:
    return give(Size, Value,
                Proc->watchpointCount()
                    ? AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSHARED
                    : AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSUPPORTED);
  case AMD_DBGAPI_PROCESS_INFO_PRECISE_MEMORY_SUPPORTED:
    return give(Size, Value,
                Proc->canPreciseMemory() ? AMD_DBGAPI_MEMORY_PRECISION_PRECISE
                                         : AMD_DBGAPI_MEMORY_PRECISION_NONE);
  case AMD_DBGAPI_PROCESS_INFO_PRECISE_ALU_EXCEPTIONS_SUPPORTED:
    return give(Size, Value,
                Proc->canPreciseAlu()
                    ? AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE
                    : AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE);
  case AMD_DBGAPI_PROCESS_INFO_OS_ID:
    if (Proc->isCore())
      return Unavailable;
    return give(Size, Value, amd_dbgapi_os_process_id_t(Proc->osPid()));
  case AMD_DBGAPI_PROCESS_INFO_CORE_STATE: {
    if (!Value)
      return Invalid;
    if (Size != sizeof(amd_dbgapi_core_state_data_t))
      return Incompatible;
    if (!Proc->isFrozen())
      return AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN;
    const std::vector<uint8_t> Note = Proc->coreState();
    void *Copy = allocate(Note.size());
    if (!Copy)
      return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
    memcpy(Copy, Note.data(), Note.size());
    return give(Size, Value,
                amd_dbgapi_core_state_data_t{AMD_DBGAPI_ENDIAN_LITTLE,
                                             Note.size(), Copy});
  }
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_attach(
    amd_dbgapi_client_process_id_t Client, amd_dbgapi_process_id_t *Id) {
  NEEDS_LIBRARY();
  if (!Id)
    return Invalid;
  *Id = AMD_DBGAPI_PROCESS_NONE;
  for (auto &Entry : library().Processes)
    if (Entry.second->Client == Client)
      return AMD_DBGAPI_STATUS_ERROR_ALREADY_ATTACHED;
  const uint64_t Number = library().newId(Library::ProcessId);
  auto Proc = std::make_unique<Process>(Number, Client);
  if (Status Outcome = Proc->attach()) {
    Proc->detach();
    return Outcome == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED ||
                   Outcome == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS
               ? AMD_DBGAPI_STATUS_FATAL
               : Outcome;
  }
  library().Processes[Number] = std::move(Proc);
  Id->handle = Number;
  return Success;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_detach(amd_dbgapi_process_id_t Id) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  Proc->detach();
  library().Processes.erase(Id.handle);
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_set_progress(
    amd_dbgapi_process_id_t Id, amd_dbgapi_progress_t Progress) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (Progress != AMD_DBGAPI_PROGRESS_NORMAL &&
      Progress != AMD_DBGAPI_PROGRESS_NO_FORWARD)
    return Invalid;
  return Proc->setProgress(Progress);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_set_wave_creation(
    amd_dbgapi_process_id_t Id, amd_dbgapi_wave_creation_t Creation) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (Creation != AMD_DBGAPI_WAVE_CREATION_NORMAL &&
      Creation != AMD_DBGAPI_WAVE_CREATION_STOP)
    return Invalid;
  return Proc->setWaveCreation(Creation);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_freeze(amd_dbgapi_process_id_t Id) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  return Proc ? Proc->freeze() : AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_unfreeze(amd_dbgapi_process_id_t Id) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  return Proc ? Proc->unfreeze() : AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
}
