//===-- DebugSession.h - what a debugger has asked for ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_DEBUGSESSION_H
#define WAVELANE_SIMULATOR_DEVICE_DEBUGSESSION_H

#include "Queue.h"

#include "wavelane/Simulator/Protocol.h"

#include <cstdint>

namespace wavelane::simulator {

/// The state that KFD keeps for the process's debugger. The scheduler asks it
/// how waves begin, and tells it of exceptions.
struct DebugSession {
  int ClientFd = -1; ///< -1: no debugger
  int Notifier = -1;
  uint64_t ExceptionsEnabled = 0;
  /// The client came after the runtime and hasn't taken in yet that it is up:
  /// to it there are no queues before.
  bool RuntimeIsNews = false;
  kfd::LaunchMode LaunchMode = kfd::LaunchNormal;
  uint32_t TrapMask = 0; ///< MODE bits
  uint32_t Flags = 0;

  bool attached() const { return ClientFd >= 0; }
  /// Wakes the debugger.
  void notify() const;
  /// An exception of a queue.
  void raise(Queue &Q, uint64_t Mask) const;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEBUGSESSION_H
