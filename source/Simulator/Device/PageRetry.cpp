//===-- PageRetry.cpp - page faults that are tried again ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PageRetry.h"

#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

bool PageRetry::shouldWait(unsigned Gpu, uint64_t Address, Access Kind) {
  // Code isn't run from such memory.
  if (!IsOn || Kind == Access::Execute)
    return false;
  const uint64_t Page = Address / PageSize * PageSize;
  if (Refused.erase({Gpu, Page}))
    return false;
  if (Asked)
    return true;
  Asked = {Gpu, Page, Kind};
  driver::PageRequest &R = Memory.control().wanted_page;
  R.address = Page;
  R.gpu_id = AgentId + Gpu;
  R.write = Kind != Access::Read;
  __atomic_add_fetch(&R.number, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &R.number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  return true;
}

void PageRetry::answer(const driver::PageAnswer &A) {
  if (!Asked || A.address != Asked->Page || A.gpu_id != AgentId + Asked->Gpu)
    return;
  if (A.error || !Memory.of(Asked->Gpu).resolve(Asked->Page, Asked->Kind).Host)
    Refused.insert({Asked->Gpu, Asked->Page});
  Asked.reset();
}
