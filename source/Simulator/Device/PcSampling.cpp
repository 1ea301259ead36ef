//===-- PcSampling.cpp - samples of program counters ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PcSampling.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;

static constexpr kfd::PcSampleInfo Supported = {
    0, 1, ~uint64_t(0), 0, kfd::SampleHostTrap, kfd::SampleMicroseconds};
static constexpr uint64_t MaxInterval = UINT64_MAX / 1000;

int PcSampling::query(unsigned Gpu, kfd::PcSampleArguments &A,
                      std::vector<uint8_t> &Info) const {
  kfd::PcSampleInfo I = Supported;
  // A session that runs has chosen the interval for others as well.
  for (const auto &[Id, S] : Sessions)
    if (S.Gpu == Gpu && S.IsOn)
      I.interval = S.IntervalNs / 1000;
  const uint32_t Room = A.num_sample_info;
  A.num_sample_info = 1;
  if (!A.sample_info_ptr)
    return 0;
  if (!Room || Info.size() < sizeof(I))
    return -ENOSPC;
  memcpy(Info.data(), &I, sizeof(I));
  return 0;
}

int PcSampling::create(unsigned Gpu, kfd::PcSampleArguments &A,
                       const std::vector<uint8_t> &Info) {
  kfd::PcSampleInfo I;
  if (Info.size() < sizeof(I))
    return -EINVAL;
  memcpy(&I, Info.data(), sizeof(I));
  if (I.method != Supported.method || I.type != Supported.type ||
      I.interval < Supported.interval_min || I.interval > MaxInterval)
    return -EINVAL;
  while (!NextId || Sessions.count(NextId))
    ++NextId;
  A.trace_id = NextId;
  Sessions[NextId++] = {Gpu, I.interval * 1000, 0, false};
  return 0;
}

int PcSampling::call(unsigned Gpu, kfd::PcSampleArguments &A,
                     std::vector<uint8_t> &Info) {
  if (!gpu::features(All[Gpu]->Info).HasPcSampling)
    return -EOPNOTSUPP;
  if (A.op == kfd::SampleQuery)
    return query(Gpu, A, Info);
  if (A.op == kfd::SampleCreate)
    return create(Gpu, A, Info);
  auto It = Sessions.find(A.trace_id);
  if (It == Sessions.end() || It->second.Gpu != Gpu)
    return -EINVAL;
  Session &S = It->second;
  switch (A.op) {
  case kfd::SampleDestroy:
    if (S.IsOn)
      return -EBUSY;
    Sessions.erase(It);
    return 0;
  case kfd::SampleStart:
    if (S.IsOn)
      return -EALREADY;
    S.IsOn = true;
    S.Due = nowNs() + S.IntervalNs;
    return 0;
  case kfd::SampleStop:
    if (!S.IsOn)
      return -EALREADY;
    S.IsOn = false;
    return 0;
  default:
    return -EINVAL;
  }
}

void PcSampling::interrupt(unsigned Gpu) {
  for (const auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (Q.Agent->Index != Gpu || !Q.Current || Q.Failed || Q.Suspended ||
        Q.Paused)
      continue;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves)
        if (!Q.Failed)
          Waves.interruptWave(Q, *W);
  }
}

bool PcSampling::areTaken() const {
  return llvm::any_of(Sessions,
                      [](const auto &Entry) { return Entry.second.IsOn; });
}

void PcSampling::tick() {
  for (auto &[Id, S] : Sessions) {
    if (!S.IsOn)
      continue;
    const uint64_t Now = nowNs();
    if (Now < S.Due)
      continue;
    S.Due = Now + S.IntervalNs;
    interrupt(S.Gpu);
  }
}
