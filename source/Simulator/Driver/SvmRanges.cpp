//===-- SvmRanges.cpp - what GPUs may do with the program's memory --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SvmRanges.h"

#include "Simulator/Common/Agent.h"

#include <algorithm>
#include <cerrno>
#include <utility>

using namespace wavelane;
using namespace wavelane::driver;
using simulator::PageSize;

int SvmRanges::gpuIndex(uint32_t Id) const {
  return Id - simulator::AgentId < Gpus ? int(Id - simulator::AgentId) : -1;
}

bool SvmRanges::isValid(const kfd::SvmAttribute &A) const {
  switch (A.type) {
  case kfd::SvmPreferredLocation:
  case kfd::SvmPrefetchLocation:
    return A.value == kfd::SvmSystemMemory || A.value == kfd::SvmUndefined ||
           gpuIndex(A.value) >= 0;
  case kfd::SvmAccess:
  case kfd::SvmAccessInPlace:
  case kfd::SvmNoAccess:
    return gpuIndex(A.value) >= 0;
  case kfd::SvmSetFlags:
  case kfd::SvmClearFlags:
  case kfd::SvmGranularity:
    return true;
  default:
    return false;
  }
}

void SvmRanges::apply(Range &R, const kfd::SvmAttribute &A) const {
  switch (A.type) {
  case kfd::SvmPreferredLocation:
    R.Preferred = A.value;
    break;
  case kfd::SvmPrefetchLocation:
    R.Prefetched = A.value;
    break;
  case kfd::SvmAccess:
  case kfd::SvmAccessInPlace:
  case kfd::SvmNoAccess: {
    const uint64_t Bit = uint64_t(1) << gpuIndex(A.value);
    R.Access &= ~Bit;
    R.InPlace &= ~Bit;
    R.Denied &= ~Bit;
    if (A.type == kfd::SvmAccess)
      R.Access |= Bit;
    else if (A.type == kfd::SvmAccessInPlace)
      R.InPlace |= Bit;
    else
      R.Denied |= Bit;
    break;
  }
  case kfd::SvmSetFlags:
    R.Flags |= A.value;
    break;
  case kfd::SvmClearFlags:
    R.Flags &= ~A.value;
    break;
  case kfd::SvmGranularity:
    R.Granularity = std::min(A.value, 0x3fu);
    break;
  }
}

int SvmRanges::call(const kfd::SvmArguments &A, kfd::SvmAttribute *Attributes) {
  if (!A.start_addr || !A.size || A.start_addr % PageSize ||
      A.size % PageSize || A.start_addr + A.size < A.start_addr)
    return -EINVAL;
  const uint64_t End = A.start_addr + A.size;
  if (!Pages.isMapped(A.start_addr, End))
    return A.op == kfd::SvmSet ? -EFAULT : -EINVAL;
  std::lock_guard<std::mutex> Guard(Lock);
  switch (A.op) {
  case kfd::SvmSet:
    return set(A.start_addr, End, Attributes, A.nattr);
  case kfd::SvmGet:
    return get(A.start_addr, End, Attributes, A.nattr);
  default:
    return -EINVAL;
  }
}

void SvmRanges::splitAt(uint64_t Address) {
  auto It = Ranges.upper_bound(Address);
  if (It == Ranges.begin())
    return;
  --It;
  if (It->first == Address || It->second.End <= Address)
    return;
  const Range Upper = It->second;
  It->second.End = Address;
  Ranges[Address] = Upper;
}

int SvmRanges::map(uint64_t Begin, const Range &R) {
  simulator::driver::SvmMapping M = {Begin, R.End - Begin, R.gpus(), R.gpus(),
                                     0,     R.IsRetried};
  std::vector<Segment> Segments;
  if (!M.gpus) {
    const int Error = Map(M, Segments);
    Pages.releaseSvm(Begin, M.size, /*Keep=*/false);
    return Error;
  }
  if (const int Error =
          Pages.share(Begin, M.size, Segments, UserPages::For::Svm))
    return Error;
  // Each part with the program's protection.
  uint64_t At = Begin;
  for (const Segment &S : Segments) {
    const int Protection = Pages.protection(At);
    M.address = At;
    M.size = S.size;
    M.access = simulator::PageRead;
    if (Protection & 2 && !(R.Flags & kfd::SvmGpuReadOnly))
      M.access |= simulator::PageWrite;
    if (R.Flags & kfd::SvmGpuExecute)
      M.access |= simulator::PageExecute;
    if (const int Error = Map(M, {S}))
      return Error;
    At += S.size;
  }
  Pages.remapped(Begin, R.End);
  return 0;
}

int SvmRanges::set(uint64_t Begin, uint64_t End,
                   const kfd::SvmAttribute *Attributes, uint32_t Count) {
  if (!std::all_of(Attributes, Attributes + Count,
                   [this](const kfd::SvmAttribute &A) { return isValid(A); }))
    return -EINVAL;
  splitAt(Begin);
  splitAt(End);
  // New ranges where there are none.
  for (uint64_t At = Begin; At < End;) {
    auto It = Ranges.lower_bound(At);
    if (It != Ranges.end() && It->first == At) {
      At = It->second.End;
      continue;
    }
    const uint64_t Stop = It == Ranges.end() ? End : std::min(End, It->first);
    Ranges[At].End = Stop;
    At = Stop;
  }
  for (auto It = Ranges.lower_bound(Begin);
       It != Ranges.end() && It->first < End; ++It) {
    Range &R = It->second;
    const Range Old = R;
    for (uint32_t I = 0; I < Count; ++I)
      apply(R, Attributes[I]);
    if (R.Prefetched != Old.Prefetched && R.Prefetched != kfd::SvmUndefined)
      Events.prefetched(It->first, R.End,
                        Old.Prefetched == kfd::SvmUndefined ? 0
                                                            : Old.Prefetched,
                        R.Prefetched, R.Preferred);
    if (!Old.gpus() && !R.gpus())
      continue;
    if (const int Error = map(It->first, R)) {
      R = Old;
      return Error;
    }
  }
  return 0;
}

int SvmRanges::get(uint64_t Begin, uint64_t End, kfd::SvmAttribute *Attributes,
                   uint32_t Count) const {
  auto It = Ranges.upper_bound(Begin);
  if (It != Ranges.begin() && std::prev(It)->second.End > Begin)
    --It;
  // What all of the ranges have in common; without any, the defaults.
  Range All;
  uint32_t AnyFlags = All.Flags;
  bool First = true;
  for (; It != Ranges.end() && It->first < End; ++It) {
    const Range &R = It->second;
    if (std::exchange(First, false)) {
      All = R;
      AnyFlags = R.Flags;
      continue;
    }
    if (All.Preferred != R.Preferred)
      All.Preferred = kfd::SvmUndefined;
    if (All.Prefetched != R.Prefetched)
      All.Prefetched = kfd::SvmUndefined;
    All.Access &= R.Access;
    All.InPlace &= R.InPlace;
    All.Flags &= R.Flags;
    AnyFlags |= R.Flags;
    All.Granularity = std::min(All.Granularity, R.Granularity);
  }
  if (First && Retries)
    All.Access = ~uint64_t(0);
  for (uint32_t I = 0; I < Count; ++I) {
    kfd::SvmAttribute &A = Attributes[I];
    switch (A.type) {
    case kfd::SvmPreferredLocation:
      A.value = All.Preferred;
      break;
    case kfd::SvmPrefetchLocation:
      A.value = All.Prefetched;
      break;
    case kfd::SvmAccess: {
      const int Gpu = gpuIndex(A.value);
      if (Gpu < 0)
        return -EINVAL;
      A.type = All.Access >> Gpu & 1    ? kfd::SvmAccess
               : All.InPlace >> Gpu & 1 ? kfd::SvmAccessInPlace
                                        : kfd::SvmNoAccess;
      break;
    }
    case kfd::SvmSetFlags:
      A.value = All.Flags;
      break;
    case kfd::SvmClearFlags:
      A.value = ~AnyFlags;
      break;
    case kfd::SvmGranularity:
      A.value = All.Granularity;
      break;
    default:
      return -EINVAL;
    }
  }
  return 0;
}

int SvmRanges::mapAround(uint64_t Page, uint64_t Size, uint64_t Gpu) {
  const Area A = UserPages::areaAt(Page);
  uint64_t Begin = std::max(Page / Size * Size, A.Begin);
  Range R;
  R.End = std::min(Page / Size * Size + Size, A.End);
  R.InPlace = Gpu;
  R.IsRetried = true;
  auto Next = Ranges.upper_bound(Page);
  if (Next != Ranges.end())
    R.End = std::min(R.End, Next->first);
  if (Next != Ranges.begin())
    Begin = std::max(Begin, std::prev(Next)->second.End);
  if (const int Error = map(Begin, R)) {
    Pages.releaseSvm(Begin, R.End - Begin, /*Keep=*/false);
    return Error;
  }
  Ranges[Begin] = R;
  return 0;
}

int SvmRanges::fault(uint32_t GpuId, uint64_t Address, bool Write) {
  const int Gpu = gpuIndex(GpuId);
  const uint64_t Page = Address / PageSize * PageSize;
  const int Protection = Pages.protection(Page);
  if (Gpu < 0 || !(Protection & 1) || (Write && !(Protection & 2)) ||
      Pages.isDevices(Page))
    return -EFAULT;
  const uint64_t Bit = uint64_t(1) << Gpu;
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Ranges.upper_bound(Page);
  if (It != Ranges.begin() && std::prev(It)->second.End > Page) {
    --It;
    Range &R = It->second;
    if (R.Denied & Bit)
      return -EPERM;
    if (!(R.gpus() & Bit))
      R.InPlace |= Bit;
    if (map(It->first, R) == 0)
      return 0;
    if (!R.IsRetried)
      return -EFAULT;
    // The program has unmapped some of it meanwhile.
    Map({It->first, R.End - It->first, 0, 0, 0, 0}, {});
    Pages.releaseSvm(It->first, R.End - It->first, /*Keep=*/false);
    Ranges.erase(It);
  }
  // A large block, unless something else in it is registered.
  constexpr uint64_t Block = 2 << 20;
  return mapAround(Page, Block, Bit) == 0 ? 0 : mapAround(Page, PageSize, Bit);
}

void SvmRanges::unmapping(uint64_t Address, uint64_t Size, bool Keep) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Ranges.empty())
    return;
  const uint64_t End = Address + (Size + PageSize - 1) / PageSize * PageSize;
  splitAt(Address);
  splitAt(End);
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < End; It = Ranges.erase(It))
    if (It->second.gpus()) {
      const uint64_t Bytes = It->second.End - It->first;
      Map({It->first, Bytes, 0, 0, 0, 0}, {});
      Pages.releaseSvm(It->first, Bytes, Keep);
    }
}

void SvmRanges::protectionChanged(uint64_t Address, uint64_t Size) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Ranges.empty())
    return;
  const uint64_t End = Address + (Size + PageSize - 1) / PageSize * PageSize;
  splitAt(Address);
  splitAt(End);
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < End; ++It)
    if (It->second.gpus())
      map(It->first, It->second);
}

void SvmRanges::forked() { Ranges.clear(); }
