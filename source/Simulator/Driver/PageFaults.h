//===-- PageFaults.h - pages that GPUs wait for -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With xnack on, GPUs may access all memory of the program. A page that none of
// them has yet is mapped when a wave waits for it, by a thread: the kernel's
// part, which nobody in the program calls.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_PAGEFAULTS_H
#define WAVELANE_SIMULATOR_DRIVER_PAGEFAULTS_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <functional>
#include <mutex>

namespace wavelane::driver {

class PageFaults {
public:
  using Request = simulator::driver::PageRequest;
  /// \param Serve Maps a page; the answer goes to the device.
  PageFaults(Request &Wanted, std::function<void(const Request &)> Serve)
      : Wanted(Wanted), Serve(std::move(Serve)) {}

  /// Starts the thread, once.
  void start();

private:
  void run(uint32_t Seen);

  Request &Wanted; ///< written by the device
  const std::function<void(const Request &)> Serve;
  std::once_flag Started;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_PAGEFAULTS_H
