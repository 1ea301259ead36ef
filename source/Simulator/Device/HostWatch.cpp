//===-- HostWatch.cpp - the program's own accesses ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostWatch.h"

#include "Doorbells.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <linux/userfaultfd.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace wavelane::simulator;

HostWatch::~HostWatch() {
  if (File >= 0)
    close(File);
}

bool HostWatch::start(int Fd) {
  if (File >= 0 || !isUserfaultfd(Fd)) {
    if (Fd >= 0)
      close(Fd);
    return false;
  }
  File = Fd;
  fcntl(File, F_SETFL, O_NONBLOCK);
  return true;
}

void HostWatch::add(uint64_t Address, uint64_t Size) {
  if (File < 0)
    return;
  uffdio_register R = {};
  R.range.start = Address / PageSize * PageSize;
  R.range.len =
      (Address % PageSize + Size + PageSize - 1) / PageSize * PageSize;
  R.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR;
  // The program may have unmapped it; then there is nothing to see.
  (void)ioctl(File, UFFDIO_REGISTER, &R);
}

/// Where a thread that waits in the kernel is: the last two numbers.
static void findThread(pid_t Program, uint32_t Thread,
                       HostWatch::Access &Into) {
  std::ifstream In("/proc/" + std::to_string(Program) + "/task/" +
                   std::to_string(Thread) + "/syscall");
  std::string Line;
  if (!std::getline(In, Line))
    return; // a debugger's
  const size_t Last = Line.rfind(' ');
  const size_t Before = Last ? Line.rfind(' ', Last - 1) : Last;
  if (Last == std::string::npos || Before == std::string::npos)
    return;
  Into.SP = strtoull(Line.c_str() + Before, nullptr, 16);
  Into.PC = strtoull(Line.c_str() + Last, nullptr, 16);
}

/// Maps a page, with its content or, if it has none yet, with zeros.
void HostWatch::let(uint64_t Page) {
  uffdio_continue C = {};
  C.range = {Page, PageSize};
  int Result;
  do
    Result = ioctl(File, UFFDIO_CONTINUE, &C);
  while (Result != 0 && errno == EAGAIN);
  if (Result == 0)
    return;
  uffdio_zeropage Z = {};
  Z.range = {Page, PageSize};
  if (errno == EFAULT) {
    do
      Result = ioctl(File, UFFDIO_ZEROPAGE, &Z);
    while (Result != 0 && errno == EAGAIN);
    if (Result == 0)
      return;
  }
  // Another thread's access has mapped it, or the device has filled it.
  if (ioctl(File, UFFDIO_CONTINUE, &C) != 0)
    (void)ioctl(File, UFFDIO_WAKE, &C.range);
}

void HostWatch::takeEvents(llvm::function_ref<void(const Access &)> Report) {
  uffd_msg M;
  while (read(File, &M, sizeof(M)) == ssize_t(sizeof(M))) {
    if (M.event != UFFD_EVENT_PAGEFAULT)
      continue;
    Access A = {M.arg.pagefault.address,
                (M.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE) != 0, 0, 0};
    findThread(Program, M.arg.pagefault.feat.ptid, A);
    if (A.PC)
      Report(A);
    let(A.Address / PageSize * PageSize);
  }
}
