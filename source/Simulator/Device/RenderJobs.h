//===-- RenderJobs.h - jobs of the render nodes -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job is a buffer of packets for a copy engine. Each GPU executes its jobs in
// the order of their fences.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_RENDERJOBS_H
#define WAVELANE_SIMULATOR_DEVICE_RENDERJOBS_H

#include "CopyEngine.h"

#include "wavelane/Simulator/KfdIoctl.h"

#include <deque>
#include <memory>
#include <vector>

namespace wavelane::simulator {

class Jobs {
public:
  Jobs(FileMemory &Memory, const Agents &All, CopyEngine &Engine)
      : Memory(Memory), All(All), Engine(Engine) {}

  // SUBMIT_JOB and QUERY_JOB: 0 or -errno, -EBUSY for a job that isn't done.
  int submit(kfd::JobArguments &A);
  int query(const kfd::JobArguments &A) const;
  /// Gives each GPU's first job a turn.
  Scheduler::Round run();

private:
  struct Job {
    uint64_t Fence, Address, Bytes;
  };
  /// The engine's queue of a GPU for jobs.
  struct Ring {
    Queue Q;
    std::deque<Job> Waiting;
    uint64_t Done = 0; ///< the last fence
  };
  Ring *ringOf(uint64_t Fence) const;

  FileMemory &Memory;
  const Agents &All;
  CopyEngine &Engine;
  std::vector<std::unique_ptr<Ring>> Rings; ///< by GPU, once there is a job
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_RENDERJOBS_H
