//===-- ApiWatchpoints.cpp - ROCdbgapi: watchpoints and precision ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_watchpoint_get_info(
    amd_dbgapi_watchpoint_id_t id, amd_dbgapi_watchpoint_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<Watchpoint> found =
      findIn<Watchpoint>(id.handle, &Process::watchpoints);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  switch (query) {
  case AMD_DBGAPI_WATCHPOINT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS:
    return give(size, value,
                amd_dbgapi_global_address_t(found.object->address));
  case AMD_DBGAPI_WATCHPOINT_INFO_SIZE:
    return give(size, value, amd_dbgapi_size_t(found.object->size));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_watchpoint(
    amd_dbgapi_process_id_t id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t size, amd_dbgapi_watchpoint_kind_t kind,
    amd_dbgapi_watchpoint_id_t *watchpoint) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!watchpoint || !size || kind < AMD_DBGAPI_WATCHPOINT_KIND_LOAD ||
      kind > AMD_DBGAPI_WATCHPOINT_KIND_ALL)
    return Invalid;
  return process->setWatchpoint(address, size, kind, watchpoint->handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_remove_watchpoint(amd_dbgapi_watchpoint_id_t id) {
  NEEDS_LIBRARY();
  Found<Watchpoint> found =
      findIn<Watchpoint>(id.handle, &Process::watchpoints);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  return found.process->removeWatchpoint(id.handle);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_memory_precision(
    amd_dbgapi_process_id_t id, amd_dbgapi_memory_precision_t precision) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (precision != AMD_DBGAPI_MEMORY_PRECISION_NONE &&
      precision != AMD_DBGAPI_MEMORY_PRECISION_PRECISE)
    return Invalid;
  return process->setFlag(wavelane::kfd::SingleMemoryOperation,
                          precision == AMD_DBGAPI_MEMORY_PRECISION_PRECISE);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_alu_exceptions_precision(
    amd_dbgapi_process_id_t id,
    amd_dbgapi_alu_exceptions_precision_t precision) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (precision != AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE &&
      precision != AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE)
    return Invalid;
  return process->setFlag(wavelane::kfd::SingleAluOperation,
                          precision ==
                              AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE);
}
