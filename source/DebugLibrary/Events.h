//===-- Events.h - What the client hasn't heard of --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_EVENTS_H
#define WAVELANE_DEBUGLIBRARY_EVENTS_H

#include "DeviceConnection.h"
#include "Objects.h"
#include <deque>

namespace wavelane::library {

/// The events of a process, in order.
class Events {
public:
  Events(Objects &List, Connection &Conn) : List(List), Conn(Conn) {}

  /// Adds an event, and wakes the client.
  Event &post(amd_dbgapi_event_kind_t Kind) {
    auto E = std::make_unique<Event>();
    E->Id = library().newId(Library::EventId);
    E->Kind = Kind;
    Event &Result = *E;
    List.TheEvents[Result.Id] = std::move(E);
    Pending.push_back(Result.Id);
    // Once woken, a client asks until there are no more.
    if (Pending.size() == 1)
      Conn.notify();
    return Result;
  }
  bool empty() const { return Pending.empty(); }
  /// The first event that hasn't been taken; null if there is none.
  Event *take() {
    if (Pending.empty())
      return nullptr;
    Event *E = List.TheEvents[Pending.front()].get();
    Pending.pop_front();
    E->Fetched = true;
    return E;
  }
  /// Drops stops of a wave that is gone, if they haven't been taken.
  void dropStopsOf(uint64_t W) {
    for (auto It = Pending.begin(); It != Pending.end();) {
      const Event &E = *List.TheEvents[*It];
      if (E.Kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP && E.W == W) {
        List.TheEvents.erase(*It);
        It = Pending.erase(It);
      } else {
        ++It;
      }
    }
  }

private:
  Objects &List;
  Connection &Conn;
  std::deque<uint64_t> Pending;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_EVENTS_H
