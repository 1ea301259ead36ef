//===-- SvmRanges.h - what GPUs may do with the program's memory -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KFD's attributes of address ranges. A range that a GPU may access is moved
// into the shared file (UserPages.h), and the device maps it at the program's
// address. All memory is as near to a GPU as any other: nothing is copied for a
// migration, whose locations are only remembered and reported.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_SVMRANGES_H
#define WAVELANE_SIMULATOR_DRIVER_SVMRANGES_H

#include "SystemEvents.h"
#include "UserPages.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace wavelane::driver {

class SvmRanges {
public:
  /// Notifies the device. \return 0 or -errno.
  using Mapper = std::function<int(const simulator::driver::SvmMapping &,
                                   const std::vector<Segment> &)>;
  /// \param Gpus How many there are.
  SvmRanges(UserPages &Pages, SystemEvents &Events, unsigned Gpus, Mapper Map)
      : Pages(Pages), Events(Events), Gpus(Gpus), Map(std::move(Map)) {}

  /// The ioctl. \return 0 or -errno.
  int call(const kfd::SvmArguments &A, kfd::SvmAttribute *Attributes);
  /// A GPU waits for the page at \a Address. \return 0 or -errno.
  int fault(uint32_t GpuId, uint64_t Address, bool Write);
  /// The program is about to unmap these addresses, or to map others there.
  /// \param Keep As UserPages::releaseSvm() has it.
  void unmapping(uint64_t Address, uint64_t Size, bool Keep = true);
  /// The program has changed the protection of these addresses.
  void protectionChanged(uint64_t Address, uint64_t Size);
  /// Whether GPUs retry page faults, and so have access by default.
  void setRetries(bool On) { Retries = On; }
  /// Called in a forked child, which has no GPU yet.
  void forked();

private:
  struct Range {
    uint64_t End = 0;
    uint32_t Preferred = kfd::SvmUndefined, Prefetched = kfd::SvmUndefined;
    uint32_t Flags = kfd::SvmHostAccess | kfd::SvmCoherent;
    uint32_t Granularity = 9;         ///< log2 of pages
    uint64_t Access = 0, InPlace = 0; ///< a bit for each GPU
    uint64_t Denied = 0;              ///< GPUs that may not access it
    bool IsRetried = false;           ///< made for a page fault
    uint64_t gpus() const { return Access | InPlace; }
  };
  int set(uint64_t Begin, uint64_t End, const kfd::SvmAttribute *Attributes,
          uint32_t Count);
  int get(uint64_t Begin, uint64_t End, kfd::SvmAttribute *Attributes,
          uint32_t Count) const;
  bool isValid(const kfd::SvmAttribute &A) const;
  void apply(Range &R, const kfd::SvmAttribute &A) const;
  /// -1 for an unknown GPU.
  int gpuIndex(uint32_t Id) const;
  void splitAt(uint64_t Address);
  /// Gives the device the pages of \a R.
  int map(uint64_t Begin, const Range &R);
  /// Makes a range of what isn't one yet, at most \a Size bytes around a page.
  int mapAround(uint64_t Page, uint64_t Size, uint64_t Gpu);

  UserPages &Pages;
  SystemEvents &Events;
  const unsigned Gpus;
  const Mapper Map;
  std::atomic<bool> Retries = false;
  std::mutex Lock;
  std::map<uint64_t, Range> Ranges; ///< by address, not overlapping
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_SVMRANGES_H
