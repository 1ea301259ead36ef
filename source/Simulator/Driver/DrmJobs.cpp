//===-- DrmJobs.cpp - DRM's jobs ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DrmJobs.h"
#include "KfdEvents.h"
#include "LogOnce.h"
#include "UserMemory.h"

#include <cerrno>
#include <cstring>
#include <ctime>

using namespace wavelane;
using namespace wavelane::driver;
using namespace wavelane::simulator;

namespace {

/// _IOC_NR of DRM's ioctls.
enum Number : unsigned {
  Context = 0x42,
  BufferList = 0x43,
  Submit = 0x44,
  WaitJob = 0x49,
};

union ContextArguments {
  struct {
    uint32_t Op; ///< 1: create, 2: free, 3 and 4: query
    uint32_t Flags, Id;
    int32_t Priority;
  } In;
  struct {
    uint32_t Id, Pad;
  } Out;
  struct {
    uint64_t Flags;
    uint32_t Hangs, ResetStatus;
  } State;
};
union ListArguments {
  struct {
    uint32_t Op; ///< 0: create, 1: free, 2: update
    uint32_t Id, Count, EntrySize;
    uint64_t Entries;
  } In;
  struct {
    uint32_t Id, Pad;
  } Out;
};
struct Chunk {
  uint32_t Id, Words;
  uint64_t Data;
};
union SubmitArguments {
  struct {
    uint32_t Context, List, Count, Flags;
    uint64_t Chunks; ///< the addresses of Count chunks
  } In;
  uint64_t OutFence;
};
struct BufferChunk {
  uint32_t Pad, Flags;
  uint64_t Address;
  uint32_t Bytes, Engine, Instance, Ring;
};
union WaitArguments {
  struct {
    uint64_t Fence;
    uint64_t Timeout; ///< in ns, of CLOCK_MONOTONIC
    uint32_t Engine, Instance, Ring, Context;
  } In;
  uint64_t OutIsBusy;
};
enum : uint32_t { BufferChunkId = 1, EngineDma = 2, MaxChunks = 64 };

template <typename T> T &as(void *Argument) {
  return *static_cast<T *>(Argument);
}

} // namespace

std::optional<int> Jobs::call(unsigned Gpu, unsigned Number, void *Argument) {
  switch (Number) {
  case Context:
    return context(Argument);
  case BufferList:
    return list(Argument);
  case Submit:
    return submit(Gpu, Argument);
  case WaitJob:
    return wait(Argument);
  default:
    return std::nullopt;
  }
}

int Jobs::context(void *Argument) {
  auto &A = as<ContextArguments>(Argument);
  std::lock_guard<std::mutex> Guard(Lock);
  switch (A.In.Op) {
  case 1:
    Contexts[NextId] = 0;
    A.Out = {NextId++, 0};
    return 0;
  case 2:
    return Contexts.erase(A.In.Id) ? 0 : -EINVAL;
  case 3:
  case 4:
    if (!Contexts.count(A.In.Id))
      return -EINVAL;
    A.State = {};
    return 0;
  default:
    return -EINVAL;
  }
}

int Jobs::list(void *Argument) {
  // Memory is never moved, so nobody has to know what a job uses.
  auto &A = as<ListArguments>(Argument);
  std::lock_guard<std::mutex> Guard(Lock);
  switch (A.In.Op) {
  case 0:
    Lists.insert(NextId);
    A.Out = {NextId++, 0};
    return 0;
  case 1:
    return Lists.erase(A.In.Id) ? 0 : -EINVAL;
  case 2:
    return Lists.count(A.In.Id) ? 0 : -ENOENT;
  default:
    return -EINVAL;
  }
}

int Jobs::submit(unsigned Gpu, void *Argument) {
  auto &A = as<SubmitArguments>(Argument);
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Contexts.find(A.In.Context);
  if (It == Contexts.end() || (A.In.List && !Lists.count(A.In.List)))
    return It == Contexts.end() ? -EINVAL : -ENOENT;
  if (!A.In.Count || A.In.Count > MaxChunks || !A.In.Chunks)
    return -EINVAL;
  uint64_t Fence = 0;
  for (uint32_t I = 0; I < A.In.Count; ++I) {
    uint64_t Place;
    Chunk C;
    if (!copyObject(Place, A.In.Chunks + I * sizeof(Place)) ||
        !copyObject(C, Place))
      return -EFAULT;
    if (C.Id != BufferChunkId)
      continue; // fences and dependencies: jobs are done in their order
    BufferChunk B;
    if (uint64_t(C.Words) * 4 < sizeof(B) || !C.Data)
      return -EINVAL;
    if (!copyObject(B, C.Data))
      return -EFAULT;
    if (B.Engine != EngineDma) {
      logOnce("DRM's jobs of graphics and compute engines aren't modeled");
      return -EINVAL;
    }
    kfd::JobArguments Job = {B.Address, B.Bytes, Gpu, 0};
    if (const int Error =
            Ask(kfd::Call::SubmitJob, &Job, sizeof(Job), nullptr, 0))
      return Error;
    Fence = Job.fence;
  }
  if (!Fence)
    return -EINVAL;
  It->second = A.OutFence = Fence;
  return 0;
}

bool Jobs::isDone(uint64_t Fence) {
  kfd::JobArguments Job = {};
  Job.fence = Fence;
  return Ask(kfd::Call::QueryJob, &Job, sizeof(Job), nullptr, 0) != -EBUSY;
}

int Jobs::wait(void *Argument) {
  auto &A = as<WaitArguments>(Argument);
  uint64_t Fence = A.In.Fence;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    auto It = Contexts.find(A.In.Context);
    if (It == Contexts.end())
      return -EINVAL;
    if (Fence == ~uint64_t(0))
      Fence = It->second;
  }
  const bool IsDone =
      Waits.waitUntil([&] { return !Fence || isDone(Fence); }, A.In.Timeout);
  A.OutIsBusy = !IsDone;
  return 0;
}
