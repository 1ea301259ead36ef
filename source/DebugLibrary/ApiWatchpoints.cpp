//===-- ApiWatchpoints.cpp - ROCdbgapi: watchpoints and precision ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_watchpoint_get_info(
    amd_dbgapi_watchpoint_id_t Id, amd_dbgapi_watchpoint_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  Found<Watchpoint> Match =
      findIn<Watchpoint>(Id.handle, &Process::TheWatchpoints);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  switch (Query) {
  case AMD_DBGAPI_WATCHPOINT_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS:
    return give(Size, Value,
                amd_dbgapi_global_address_t(Match.Object->Address));
  case AMD_DBGAPI_WATCHPOINT_INFO_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(Match.Object->Size));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_watchpoint(
    amd_dbgapi_process_id_t Id, amd_dbgapi_global_address_t Address,
    amd_dbgapi_size_t Size, amd_dbgapi_watchpoint_kind_t Kind,
    amd_dbgapi_watchpoint_id_t *Watch) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!Watch || !Size || Kind < AMD_DBGAPI_WATCHPOINT_KIND_LOAD ||
      Kind > AMD_DBGAPI_WATCHPOINT_KIND_ALL)
    return Invalid;
  return Proc->setWatchpoint(Address, Size, Kind, Watch->handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_remove_watchpoint(amd_dbgapi_watchpoint_id_t Id) {
  NEEDS_LIBRARY();
  Found<Watchpoint> Match =
      findIn<Watchpoint>(Id.handle, &Process::TheWatchpoints);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  return Match.Proc->removeWatchpoint(Id.handle);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_memory_precision(
    amd_dbgapi_process_id_t Id, amd_dbgapi_memory_precision_t Precision) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (Precision != AMD_DBGAPI_MEMORY_PRECISION_NONE &&
      Precision != AMD_DBGAPI_MEMORY_PRECISION_PRECISE)
    return Invalid;
  return Proc->setFlag(wavelane::kfd::SingleMemoryOperation,
                       Precision == AMD_DBGAPI_MEMORY_PRECISION_PRECISE);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_alu_exceptions_precision(
    amd_dbgapi_process_id_t Id,
    amd_dbgapi_alu_exceptions_precision_t Precision) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (Precision != AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE &&
      Precision != AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE)
    return Invalid;
  return Proc->setFlag(wavelane::kfd::SingleAluOperation,
                       Precision ==
                           AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE);
}
