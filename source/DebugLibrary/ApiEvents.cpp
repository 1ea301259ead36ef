//===-- ApiEvents.cpp - ROCdbgapi: events ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_process_next_pending_event(
    amd_dbgapi_process_id_t Id, amd_dbgapi_event_id_t *EventId,
    amd_dbgapi_event_kind_t *Kind) {
  NEEDS_LIBRARY();
  if (!EventId || !Kind)
    return Invalid;
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  Event *E = nullptr;
  if (Status Outcome = Proc->nextEvent(E))
    return Outcome;
  *EventId = {E ? E->Id : 0};
  *Kind = E ? E->Kind : AMD_DBGAPI_EVENT_KIND_NONE;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_event_get_info(
    amd_dbgapi_event_id_t Id, amd_dbgapi_event_info_t Query, size_t Size,
    void *Value) {
  NEEDS_LIBRARY();
  Found<Event> Match = findIn<Event>(Id.handle, &Process::TheEvents);
  if (!Match.Object || !Match.Object->Fetched)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID;
  const Event &E = *Match.Object;
  switch (Query) {
  case AMD_DBGAPI_EVENT_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_EVENT_INFO_KIND:
    return give(Size, Value, E.Kind);
  case AMD_DBGAPI_EVENT_INFO_WAVE:
    if (E.Kind != AMD_DBGAPI_EVENT_KIND_WAVE_STOP &&
        E.Kind != AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED)
      return Incompatible;
    return give(Size, Value, amd_dbgapi_wave_id_t{E.W});
  case AMD_DBGAPI_EVENT_INFO_BREAKPOINT:
    if (E.Kind != AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME)
      return Incompatible;
    return give(Size, Value, E.Breakpoint);
  case AMD_DBGAPI_EVENT_INFO_CLIENT_THREAD:
    if (E.Kind != AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME)
      return Incompatible;
    return give(Size, Value, E.Thread);
  case AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE:
    if (E.Kind != AMD_DBGAPI_EVENT_KIND_RUNTIME)
      return Incompatible;
    return give(Size, Value, E.Runtime);
  case AMD_DBGAPI_EVENT_INFO_QUEUE:
    return Incompatible; // no event has this information
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_event_processed(amd_dbgapi_event_id_t Id) {
  NEEDS_LIBRARY();
  Found<Event> Match = findIn<Event>(Id.handle, &Process::TheEvents);
  if (!Match.Object || !Match.Object->Fetched)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID;
  return Match.Proc->eventProcessed(*Match.Object);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_breakpoint_get_info(
    amd_dbgapi_breakpoint_id_t Id, amd_dbgapi_breakpoint_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  for (auto &Entry : library().Processes)
    if (Entry.second->hasBreakpoint(Id.handle)) {
      if (Query != AMD_DBGAPI_BREAKPOINT_INFO_PROCESS)
        return Invalid;
      return give(Size, Value, amd_dbgapi_process_id_t{Entry.second->Id});
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_report_breakpoint_hit(
    amd_dbgapi_breakpoint_id_t Id, amd_dbgapi_client_thread_id_t Thread,
    amd_dbgapi_breakpoint_action_t *Action) {
  NEEDS_LIBRARY();
  if (!Action)
    return Invalid;
  for (auto &Entry : library().Processes)
    if (Entry.second->hasBreakpoint(Id.handle))
      return Entry.second->breakpointHit(Thread, *Action);
  return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
}
