//===-- DrmJobs.h - DRM's jobs ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts, lists of buffers and submitted commands of the render nodes. Only
// the copy engines execute jobs.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_DRMJOBS_H
#define WAVELANE_SIMULATOR_DRIVER_DRMJOBS_H

#include "DeviceCall.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace wavelane::driver {

class Events;

class Jobs {
public:
  Jobs(DeviceCall Ask, Events &Waits) : Ask(std::move(Ask)), Waits(Waits) {}

  /// An ioctl for jobs on the GPU with this index.
  /// \return 0 or -errno; nullopt for any other ioctl.
  std::optional<int> call(unsigned Gpu, unsigned Number, void *Argument);

private:
  int context(void *Argument);
  int list(void *Argument);
  int submit(unsigned Gpu, void *Argument);
  int wait(void *Argument);
  bool isDone(uint64_t Fence);

  const DeviceCall Ask;
  Events &Waits;
  std::mutex Lock;
  uint32_t NextId = 1;
  std::map<uint32_t, uint64_t> Contexts; ///< the last fence of each
  std::set<uint32_t> Lists;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_DRMJOBS_H
