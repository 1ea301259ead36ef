//===-- SystemEvents.cpp - what happens to the program's memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SystemEvents.h"
#include "Next.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;
using simulator::PageSize;

int SystemEvents::open(kfd::SmiEventsArguments &A) {
  int Fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Fds) != 0)
    return -errno;
  std::lock_guard<std::mutex> Guard(Lock);
  Readers.push_back({Fds[1]});
  A.anon_fd = uint32_t(Fds[0]);
  return 0;
}

void SystemEvents::notify(Number Event, const char *Text) {
  std::lock_guard<std::mutex> Guard(Lock);
  static auto *const Close = next<int(int)>("close");
  for (auto It = Readers.begin(); It != Readers.end();) {
    uint64_t Mask;
    while (recv(It->Fd, &Mask, sizeof(Mask), MSG_DONTWAIT) ==
           ssize_t(sizeof(Mask)))
      It->Wanted = Mask;
    // A reader that doesn't read loses events.
    if (It->Wanted >> (Event - 1) & 1 &&
        send(It->Fd, Text, strlen(Text), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        errno == EPIPE) {
      Close(It->Fd);
      It = Readers.erase(It);
    } else {
      ++It;
    }
  }
}

void SystemEvents::prefetched(uint64_t Begin, uint64_t End, uint32_t From,
                              uint32_t To, uint32_t Preferred) {
  timespec Boot;
  clock_gettime(CLOCK_BOOTTIME, &Boot);
  const long long Now = Boot.tv_sec * 1000000000ll + Boot.tv_nsec;
  const auto First = static_cast<unsigned long>(Begin / PageSize);
  const auto Pages = static_cast<unsigned long>((End - Begin) / PageSize);
  char Text[256];
  // The trigger 0: a prefetch.
  snprintf(Text, sizeof(Text), "%x %lld -%d @%lx(%lx) %x->%x %x:%x 0\n",
           MigrateStart, Now, getpid(), First, Pages, From, To, To, Preferred);
  notify(MigrateStart, Text);
  snprintf(Text, sizeof(Text), "%x %lld -%d @%lx(%lx) %x->%x 0 0\n", MigrateEnd,
           Now, getpid(), First, Pages, From, To);
  notify(MigrateEnd, Text);
}
