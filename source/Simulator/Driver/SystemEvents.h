//===-- SystemEvents.h - what happens to the program's memory ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KFD's events for profilers, as lines of text that a descriptor yields. The
// program writes a mask of the events that it wants to the descriptor.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_SYSTEMEVENTS_H
#define WAVELANE_SIMULATOR_DRIVER_SYSTEMEVENTS_H

#include "wavelane/Simulator/KfdIoctl.h"

#include <cstdint>
#include <list>
#include <mutex>

namespace wavelane::driver {

class SystemEvents {
public:
  /// The ioctl. \return 0 or -errno.
  int open(kfd::SmiEventsArguments &A);
  /// A range was prefetched. Locations are gpu_ids; 0 is the system's memory.
  void prefetched(uint64_t Begin, uint64_t End, uint32_t From, uint32_t To,
                  uint32_t Preferred);

private:
  enum Number : uint32_t { MigrateStart = 5, MigrateEnd = 6 };
  struct Reader {
    int Fd;
    uint64_t Wanted = 0; ///< bit N - 1: event N
  };
  void notify(Number Event, const char *Text);

  std::mutex Lock;
  std::list<Reader> Readers;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_SYSTEMEVENTS_H
