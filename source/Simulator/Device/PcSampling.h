//===-- PcSampling.h - samples of program counters --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As KFD does it ("host traps"): at intervals, waves are interrupted, and the
// program's own trap handler writes the samples.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_PCSAMPLING_H
#define WAVELANE_SIMULATOR_DEVICE_PCSAMPLING_H

#include "Queue.h"
#include "Scheduler.h"

#include "wavelane/Simulator/KfdIoctl.h"

#include <map>
#include <vector>

namespace wavelane::simulator {

class PcSampling {
public:
  PcSampling(const Agents &All, const Queues &TheQueues, Scheduler &Waves)
      : All(All), TheQueues(TheQueues), Waves(Waves) {}

  /// The ioctl on the GPU with this index.
  /// \param Info The bytes of its array, which are changed.
  /// \return 0 or -errno.
  int call(unsigned Gpu, kfd::PcSampleArguments &A, std::vector<uint8_t> &Info);
  /// Interrupts waves if it is time.
  void tick();
  /// Whether a session is on.
  bool areTaken() const;

private:
  struct Session {
    unsigned Gpu = 0;
    uint64_t IntervalNs = 0;
    uint64_t Due = 0;
    bool IsOn = false;
  };
  int query(unsigned Gpu, kfd::PcSampleArguments &A,
            std::vector<uint8_t> &Info) const;
  int create(unsigned Gpu, kfd::PcSampleArguments &A,
             const std::vector<uint8_t> &Info);
  void interrupt(unsigned Gpu);

  const Agents &All;
  const Queues &TheQueues;
  Scheduler &Waves;
  std::map<uint32_t, Session> Sessions; ///< by trace id
  uint32_t NextId = 1;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PCSAMPLING_H
