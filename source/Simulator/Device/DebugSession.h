//===-- DebugSession.h - what a debugger has asked for ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_DEBUGSESSION_H
#define WAVELANE_SIMULATOR_DEVICE_DEBUGSESSION_H

#include "Queue.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cstdint>

namespace wavelane::simulator {

/// The state that KFD keeps for a process's debugger. The scheduler uses it to
/// start waves, and reports exceptions to it.
struct DebugSession {
  int ClientFd = -1; ///< -1: no debugger
  int Notifier = -1;
  uint64_t ExceptionsEnabled = 0;
  /// The client attached after the runtime had started, and hasn't been
  /// notified yet: until then, it sees no queues.
  bool RuntimeIsNews = false;
  kfd::LaunchMode LaunchMode = kfd::LaunchNormal;
  uint32_t TrapMask = 0; ///< MODE bits
  uint32_t Flags = 0;
  /// The client asks for the registers that it needs (WavesWanted).
  bool AsksForRegisters = false;

  bool attached() const { return ClientFd >= 0; }
  /// Wakes the debugger.
  void notify() const;
  /// Raises an exception of a queue.
  void raise(Queue &Q, uint64_t Mask) const;
  /// Raises the memory violation of a GPU itself, which a wave's or an engine's
  /// access to a missing page is as well.
  void raiseViolation(Agent &On, const kfd::MemoryExceptionData &Of) const;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEBUGSESSION_H
