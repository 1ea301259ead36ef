//===-- ShortFiles.cpp - mapped files that become shorter -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ShortFiles.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace wavelane::simulator {

static void replacePage(int Signal, siginfo_t *Info, void *) {
  static std::atomic<bool> Said = false;
  static constexpr char Text[] =
      "wavelane-gpu: a file used as GPU memory has become shorter: the GPU "
      "reads zeros beyond its end\n";
  const int Error = errno;
  const uintptr_t Page =
      reinterpret_cast<uintptr_t>(Info->si_addr) / PageSize * PageSize;
  if (Info->si_code != BUS_ADRERR ||
      mmap(reinterpret_cast<void *>(Page), PageSize, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    signal(Signal, SIG_DFL); // The instruction is repeated.
    return;
  }
  if (!Said.exchange(true))
    (void)!write(STDERR_FILENO, Text, sizeof(Text) - 1);
  errno = Error;
}

void surviveShortFiles() {
  struct sigaction Action = {};
  Action.sa_sigaction = replacePage;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &Action, nullptr);
}

} // namespace wavelane::simulator
