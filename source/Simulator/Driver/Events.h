//===-- Events.h - KFD's events ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events exist in the program: the device only marks them as signalled in
// shared memory, so neither signalling nor waiting needs a message.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_EVENTS_H
#define WAVELANE_SIMULATOR_DRIVER_EVENTS_H

#include "wavelane/Simulator/KfdIoctl.h"
#include "wavelane/Simulator/Protocol.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace wavelane::driver {

class Events {
public:
  /// \param DeviceHasEnded Called now and then by waiting threads.
  Events(simulator::driver::Control &Shared,
         std::function<bool()> DeviceHasEnded)
      : Shared(Shared), DeviceHasEnded(std::move(DeviceHasEnded)) {}

  // The ioctls; each returns 0 or -errno.
  int create(kfd::CreateEventArguments &A);
  int destroy(uint32_t Id);
  int set(uint32_t Id);
  int reset(uint32_t Id);
  int wait(kfd::WaitEventsArguments &A);

private:
  struct Event {
    uint32_t Type = 0;
    bool AutoReset = false;
    bool Signalled = false;
    uint64_t Age = 1; ///< counts its signals
    kfd::MemoryExceptionData Memory = {};
  };
  void signal(Event &E);
  /// Takes over the device's marks.
  void takeMarks();
  void wake();

  simulator::driver::Control &Shared;
  std::function<bool()> DeviceHasEnded;
  std::mutex Lock;
  std::map<uint32_t, Event> All;
  bool ToldOfEnd = false;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_EVENTS_H
