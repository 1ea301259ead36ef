//===-- RenderJobs.cpp - jobs of the render nodes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RenderJobs.h"

#include <cerrno>

using namespace wavelane;
using namespace wavelane::simulator;

// A fence's low byte is its GPU's index.
static constexpr uint64_t Step = 256;
static_assert(MaxAgents <= Step);
static constexpr size_t MaxWaiting = 4096;

Jobs::Ring *Jobs::ringOf(uint64_t Fence) const {
  const uint64_t Index = Fence % Step;
  return Index < Rings.size() ? Rings[Index].get() : nullptr;
}

int Jobs::submit(kfd::JobArguments &A) {
  if (A.gpu >= All.size() || !A.bytes || A.bytes % 4 || A.address % 4)
    return -EINVAL;
  while (Rings.size() < All.size()) {
    auto R = std::make_unique<Ring>();
    R->Done = Rings.size();
    R->Q.Kind = QueueKind::Sdma;
    R->Q.Agent = All[Rings.size()].get();
    Rings.push_back(std::move(R));
  }
  Ring &R = *Rings[A.gpu];
  if (R.Waiting.size() >= MaxWaiting)
    return -ENOMEM;
  A.fence = (R.Waiting.empty() ? R.Done : R.Waiting.back().Fence) + Step;
  R.Waiting.push_back({A.fence, A.address, A.bytes});
  return 0;
}

int Jobs::query(const kfd::JobArguments &A) const {
  const Ring *R = ringOf(A.fence);
  if (!R)
    return -EINVAL;
  return A.fence > R->Done ? -EBUSY : 0;
}

Scheduler::Round Jobs::run() {
  Scheduler::Round All;
  for (const auto &R : Rings) {
    if (R->Waiting.empty())
      continue;
    const Job &J = R->Waiting.front();
    const bool IsDone = Engine.runBuffer(R->Q, J.Address, J.Bytes);
    All.Worked |= IsDone;
    All.Waiting |= !IsDone;
    if (!IsDone)
      continue;
    // As after a reset, a job that failed has ended, and others go on.
    R->Q.Failed = false;
    R->Done = J.Fence;
    R->Waiting.pop_front();
    Memory.interrupt(0);
  }
  return All;
}
