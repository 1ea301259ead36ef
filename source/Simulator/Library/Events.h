//===-- Events.h - What the client hasn't heard of --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_EVENTS_H
#define WAVELANE_SIMULATOR_LIBRARY_EVENTS_H

#include "Connection.h"
#include "Objects.h"
#include <deque>

namespace wavelane::library {

/// The events of a process, in order.
class Events {
public:
  Events(Objects &objects, Connection &connection)
      : objects(objects), connection(connection) {}

  /// A new event; the client is woken.
  Event &post(amd_dbgapi_event_kind_t kind) {
    auto event = std::make_unique<Event>();
    event->id = library().newId(Library::EventId);
    event->kind = kind;
    Event &result = *event;
    objects.events[result.id] = std::move(event);
    pending.push_back(result.id);
    // A client that has been woken asks until there is no more.
    if (pending.size() == 1)
      connection.notify();
    return result;
  }
  bool empty() const { return pending.empty(); }
  /// The first that hasn't been taken; null if there is none.
  Event *take() {
    if (pending.empty())
      return nullptr;
    Event *event = objects.events[pending.front()].get();
    pending.pop_front();
    event->fetched = true;
    return event;
  }
  /// A stop that hasn't been taken means nothing for a wave that is gone.
  void dropStopsOf(uint64_t wave) {
    for (auto it = pending.begin(); it != pending.end();) {
      const Event &event = *objects.events[*it];
      if (event.kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP && event.wave == wave) {
        objects.events.erase(*it);
        it = pending.erase(it);
      } else {
        ++it;
      }
    }
  }

private:
  Objects &objects;
  Connection &connection;
  std::deque<uint64_t> pending;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_EVENTS_H
