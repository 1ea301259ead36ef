//===-- Events.h - KFD's events ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events are the program's: the device only marks them as signalled, in memory
// that both share, so that no message is needed to signal or to wait.
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
  /// \param DeviceHasEnded asked now and then by threads that wait.
  Events(simulator::driver::Control &Shared,
         std::function<bool()> DeviceHasEnded)
      : Shared(Shared), DeviceHasEnded(std::move(DeviceHasEnded)) {}

  // What the ioctls do; each gives 0 or -errno.
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
  /// Takes in what the device has marked.
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
