//===-- PageFaults.cpp - pages that GPUs wait for -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PageFaults.h"

#include <csignal>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace wavelane::driver;

void PageFaults::start() {
  std::call_once(Started, [this] {
    // The program's signals aren't for this thread.
    sigset_t All, Old;
    sigfillset(&All);
    pthread_sigmask(SIG_SETMASK, &All, &Old);
    const uint32_t Seen = __atomic_load_n(&Wanted.number, __ATOMIC_SEQ_CST);
    std::thread([this, Seen] { run(Seen); }).detach();
    pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  });
}

void PageFaults::run(uint32_t Seen) {
  while (true) {
    const uint32_t Number = __atomic_load_n(&Wanted.number, __ATOMIC_SEQ_CST);
    if (Number == Seen) {
      syscall(SYS_futex, &Wanted.number, FUTEX_WAIT, Seen, nullptr, nullptr, 0);
      continue;
    }
    Seen = Number;
    Serve(Wanted);
  }
}
