//===-- HostAccesses.cpp - the host's own accesses ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostAccesses.h"

#include "Simulator/Common/CoreDumps.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane::runtime;
using namespace wavelane::simulator;

int HostWatch::start(int ArenaFile) {
  // System calls of the program access this memory, too: without
  // UFFD_USER_MODE_ONLY, which users without privileges would need.
  const int File = int(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  uffdio_api Api = {UFFD_API,
                    UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_MISSING_SHMEM |
                        UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_EXACT_ADDRESS,
                    0};
  if (File < 0)
    return -1;
  void *Second = ioctl(File, UFFDIO_API, &Api) == 0
                     ? mmap(nullptr, ArenaSize, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE, ArenaFile, 0)
                     : MAP_FAILED;
  if (Second == MAP_FAILED) {
    close(File);
    return -1;
  }
  leaveOutOfCore(Second, ArenaSize);
  Alias = static_cast<uint8_t *>(Second);
  return File;
}

void HostWatch::add(uint64_t Address, uint64_t Size) {
  if (!Alias)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  Ranges[Address] = (Size + PageSize - 1) / PageSize * PageSize;
}

void HostWatch::remove(uint64_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  Ranges.erase(Address);
}

void HostWatch::arm() {
  std::lock_guard<std::mutex> Guard(Lock);
  for (const auto &[Address, Size] : Ranges)
    madvise(reinterpret_cast<void *>(Address), Size, MADV_DONTNEED);
}

void *HostWatch::unseen(const void *Address) const {
  const uint64_t Offset = reinterpret_cast<uint64_t>(Address) - ArenaBase;
  return Alias && Offset < ArenaSize ? Alias + Offset
                                     : const_cast<void *>(Address);
}
