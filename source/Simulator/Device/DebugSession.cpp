//===-- DebugSession.cpp - what a debugger has asked for ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugSession.h"

#include <poll.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

void DebugSession::notify() const {
  // A full pipe has already woken the debugger; don't block the device.
  pollfd Room = {Notifier, POLLOUT, 0};
  const char Byte = 0;
  if (Notifier >= 0 && poll(&Room, 1, 0) == 1 && (Room.revents & POLLOUT))
    (void)!write(Notifier, &Byte, 1);
}

void DebugSession::raise(Queue &Q, uint64_t Mask) const {
  Q.ExceptionStatus |= Mask;
  if (attached() && (Q.ExceptionStatus & ExceptionsEnabled))
    notify();
}

void DebugSession::raiseViolation(Agent &On,
                                  const kfd::MemoryExceptionData &Of) const {
  if (!attached())
    return;
  On.Violation = Of;
  On.ExceptionStatus |= kfd::exceptionMask(kfd::DeviceMemoryViolation);
  if (On.ExceptionStatus & ExceptionsEnabled)
    notify();
}
