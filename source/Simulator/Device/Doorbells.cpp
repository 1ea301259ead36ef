//===-- Doorbells.cpp - hearing a program's doorbells ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Doorbells.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace wavelane::simulator;

Doorbells::~Doorbells() {
  if (File >= 0)
    close(File);
}

bool wavelane::simulator::isUserfaultfd(int Fd) {
  char Target[64];
  const ssize_t Size = readlink(("/proc/self/fd/" + std::to_string(Fd)).c_str(),
                                Target, sizeof(Target));
  return Size > 0 && std::string(Target, size_t(Size)).find("[userfaultfd]") !=
                         std::string::npos;
}

void Doorbells::add(const DoorbellRange &Range, int Fd) {
  if (Fd >= 0 && !isUserfaultfd(Fd)) {
    close(Fd);
  } else if (Fd >= 0) {
    if (File >= 0)
      close(File);
    File = Fd;
    fcntl(File, F_SETFL, O_NONBLOCK);
  }
  disarm();
  Ranges.push_back(Range);
}

void Doorbells::protect(bool On) {
  for (size_t I = 0; I < Ranges.size();) {
    uffdio_writeprotect P = {};
    P.range.start = Ranges[I].address;
    P.range.len = Ranges[I].size;
    P.mode = On ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
    int Result;
    do
      Result = ioctl(File, UFFDIO_WRITEPROTECT, &P);
    while (Result != 0 && (errno == EAGAIN || errno == EINTR));
    // the program has unmapped it
    if (Result != 0)
      Ranges.erase(Ranges.begin() + long(I));
    else
      ++I;
  }
}

bool Doorbells::arm(uint64_t Idle) {
  constexpr uint64_t ListenFirst = 10000000;
  const bool HasEffect = !Ranges.empty() && File >= 0;
  if (Armed || (HasEffect && Idle < ListenFirst))
    return false;
  if (File >= 0)
    protect(true);
  Armed = true;
  return true;
}

void Doorbells::disarm() {
  if (File >= 0 && Armed)
    protect(false);
  Armed = false;
}

void Doorbells::takeEvents() {
  uffd_msg Message;
  while (read(File, &Message, sizeof(Message)) > 0)
    ;
  disarm();
}
