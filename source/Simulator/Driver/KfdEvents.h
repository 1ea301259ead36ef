//===-- KfdEvents.h - KFD's events ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events exist in the program: the device only marks them as signaled in
// shared memory, so neither signaling nor waiting needs a message.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_KFDEVENTS_H
#define WAVELANE_SIMULATOR_DRIVER_KFDEVENTS_H

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <vector>

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

  /// Waits until \a IsDone, which the device's interrupts change, or until
  /// \a Deadline of CLOCK_MONOTONIC in nanoseconds.
  /// \return false after the deadline, or if the device has ended.
  bool waitUntil(const std::function<bool()> &IsDone, uint64_t Deadline);

private:
  struct Event {
    uint32_t Type = 0;
    bool AutoReset = false;
    bool Signaled = false;
    uint64_t Age = 1; ///< counts its signals
    kfd::MemoryExceptionData Memory = {};
  };
  /// What a waiting thread waits for. As in KFD, a signal activates every
  /// waiter that is there: another thread's wait doesn't take it away.
  struct Waiter {
    uint32_t Id = 0;
    bool IsActivated = false;
    bool IsGone = false; ///< the event has been destroyed
  };
  using Waiters = std::vector<Waiter>;

  /// A copy of the program's array.
  using WantedEvents = std::vector<kfd::EventData>;

  /// Makes a waiter of each event.
  /// \return false if one of them doesn't exist.
  bool startWaiting(const WantedEvents &Wanted, Waiters &Own);
  /// Sets the result of \a A and the events' data if the wait is over.
  bool isOver(kfd::WaitEventsArguments &A, WantedEvents &Wanted,
              const Waiters &Own);
  /// Sleeps until an interrupt after \a Seen, at most for \a Left.
  void sleep(uint32_t Seen, std::chrono::nanoseconds Left);
  void signal(uint32_t Id, Event &E);
  /// Takes over the device's marks.
  void takeMarks();
  void wake();

  simulator::driver::Control &Shared;
  std::function<bool()> DeviceHasEnded;
  std::mutex Lock;
  std::map<uint32_t, Event> ById;
  std::list<Waiters *> Waiting; ///< one for each thread in wait()
  bool EndIsReported = false;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_KFDEVENTS_H
