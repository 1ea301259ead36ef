//===-- MemoryWatch.cpp - ends a device that eats the machine -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryWatch.h"

#include "wavelane/Protocol/Device/MemoryLimit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace wavelane::simulator {

static constexpr uint64_t GiB = uint64_t(1) << 30;
static std::atomic<uint64_t> Limit = 0; ///< 0: not watched
static bool IsChosen = false;

/// A line of /proc/self/status, in bytes.
static uint64_t valueOf(const char *Status, const char *Name) {
  const char *Line = strstr(Status, Name);
  return Line ? strtoull(Line + strlen(Name), nullptr, 10) << 10 : 0;
}

/// The memory that only this process has. Takes none itself.
static uint64_t ownMemory() {
  char Status[8192];
  const int Fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t Size = Fd < 0 ? -1 : read(Fd, Status, sizeof(Status) - 1);
  if (Fd >= 0)
    close(Fd);
  if (Size <= 0)
    return 0;
  Status[Size] = 0;
  return valueOf(Status, "\nRssAnon:") + valueOf(Status, "\nVmSwap:");
}

static void *watch(void *) {
  sigset_t All;
  sigfillset(&All);
  pthread_sigmask(SIG_BLOCK, &All, nullptr);
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
    const uint64_t Own = ownMemory(), Most = Limit;
    if (Own <= Most)
      continue;
    // Without taking memory.
    char Text[256];
    const int Size = snprintf(
        Text, sizeof(Text),
        "wavelane-gpu: it ends, because it has taken %llu MiB of memory for "
        "itself, and may take %llu; %s=MIB lets it take more\n",
        static_cast<unsigned long long>(Own >> 20),
        static_cast<unsigned long long>(Most >> 20), MemoryLimitVariable);
    (void)!write(STDERR_FILENO, Text, size_t(Size));
    _exit(1);
  }
}

void watchMemory(std::optional<uint64_t> Bytes) {
  const uint64_t Machine =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  IsChosen = Bytes.has_value();
  Limit = Bytes.value_or(std::max(Machine / 4, 3 * GiB));
  // Where a process may have no more threads, nothing is watched.
  pthread_t Watch;
  if (pthread_create(&Watch, nullptr, watch, nullptr) == 0)
    pthread_detach(Watch);
}

void allowMemory(uint64_t Bytes) {
  if (Limit && !IsChosen)
    Limit = std::max<uint64_t>(Limit, Bytes + 2 * GiB);
}

} // namespace wavelane::simulator
