//===-- ApiEvents.cpp - ROCdbgapi: events ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_process_next_pending_event(
    amd_dbgapi_process_id_t id, amd_dbgapi_event_id_t *eventId,
    amd_dbgapi_event_kind_t *kind) {
  NEEDS_LIBRARY();
  if (!eventId || !kind)
    return Invalid;
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  Event *event = nullptr;
  if (Status status = process->nextEvent(event))
    return status;
  *eventId = {event ? event->id : 0};
  *kind = event ? event->kind : AMD_DBGAPI_EVENT_KIND_NONE;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_event_get_info(
    amd_dbgapi_event_id_t id, amd_dbgapi_event_info_t query, size_t size,
    void *value) {
  NEEDS_LIBRARY();
  Found<Event> found = findIn<Event>(id.handle, &Process::events);
  if (!found.object || !found.object->fetched)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID;
  const Event &event = *found.object;
  switch (query) {
  case AMD_DBGAPI_EVENT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_EVENT_INFO_KIND:
    return give(size, value, event.kind);
  case AMD_DBGAPI_EVENT_INFO_WAVE:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_WAVE_STOP &&
        event.kind != AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED)
      return Incompatible;
    return give(size, value, amd_dbgapi_wave_id_t{event.wave});
  case AMD_DBGAPI_EVENT_INFO_BREAKPOINT:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME)
      return Incompatible;
    return give(size, value, event.breakpoint);
  case AMD_DBGAPI_EVENT_INFO_CLIENT_THREAD:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME)
      return Incompatible;
    return give(size, value, event.thread);
  case AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_RUNTIME)
      return Incompatible;
    return give(size, value, event.runtime);
  case AMD_DBGAPI_EVENT_INFO_QUEUE:
    return Incompatible; // no event has one
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_event_processed(amd_dbgapi_event_id_t id) {
  NEEDS_LIBRARY();
  Found<Event> found = findIn<Event>(id.handle, &Process::events);
  if (!found.object || !found.object->fetched)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID;
  return found.process->eventProcessed(*found.object);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_breakpoint_get_info(
    amd_dbgapi_breakpoint_id_t id, amd_dbgapi_breakpoint_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  for (auto &entry : library().processes)
    if (entry.second->hasBreakpoint(id.handle)) {
      if (query != AMD_DBGAPI_BREAKPOINT_INFO_PROCESS)
        return Invalid;
      return give(size, value, amd_dbgapi_process_id_t{entry.second->id});
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_report_breakpoint_hit(
    amd_dbgapi_breakpoint_id_t id, amd_dbgapi_client_thread_id_t thread,
    amd_dbgapi_breakpoint_action_t *action) {
  NEEDS_LIBRARY();
  if (!action)
    return Invalid;
  for (auto &entry : library().processes)
    if (entry.second->hasBreakpoint(id.handle))
      return entry.second->breakpointHit(thread, *action);
  return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
}
