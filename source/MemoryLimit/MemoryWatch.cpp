//===-- MemoryWatch.cpp - ends a process that eats the machine ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/MemoryLimit/MemoryWatch.h"
#include "wavelane/MemoryLimit/MemoryShare.h"

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
#include <utility>

namespace wavelane::memorylimit {

static std::atomic<uint64_t> Limit = 0; ///< 0: not watched
/// Lives as long as the process, whose threads may end after its objects.
static const Watched *Own = nullptr;

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

/// Says why, without taking memory, and ends.
[[noreturn]] static void end(uint64_t Taken, uint64_t Most) {
  char Reason[256], Text[512];
  snprintf(Reason, sizeof(Reason),
           "it has taken %llu MiB of memory for itself, and may take %llu; "
           "%s=MIB lets it take more",
           static_cast<unsigned long long>(Taken >> 20),
           static_cast<unsigned long long>(Most >> 20), Own->Variable);
  const int Size = snprintf(Text, sizeof(Text), "%s: it ends, because %s\n",
                            Own->Program, Reason);
  (void)!write(STDERR_FILENO, Text, size_t(Size));
  if (!Own->Note.empty()) {
    const int Fd =
        open(Own->Note.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    (void)!write(Fd, Reason, strlen(Reason));
  }
  _exit(Own->Status);
}

static void *watch(void *) {
  sigset_t All;
  sigfillset(&All);
  pthread_sigmask(SIG_BLOCK, &All, nullptr);
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    if (const uint64_t Taken = ownMemory(), Most = Limit; Taken > Most)
      end(Taken, Most);
}

void watchMemory(Watched Process) {
  Limit = Process.Chosen.value_or(Process.Share);
  Own = new Watched(std::move(Process));
  // Where a process may have no more threads, nothing is watched.
  pthread_t Watch;
  if (pthread_create(&Watch, nullptr, watch, nullptr) == 0)
    pthread_detach(Watch);
}

void allowMemory(uint64_t Bytes) {
  constexpr uint64_t Rest = uint64_t(2) << 30;
  if (Own && !Own->Chosen)
    Limit = std::max<uint64_t>(Limit, std::min(Bytes + Rest, mostOfMachine()));
}

} // namespace wavelane::memorylimit
