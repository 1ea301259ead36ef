//===-- ProgramRuntime.h - the program's HIP runtime ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_PROGRAMRUNTIME_H
#define WAVELANE_SIMULATOR_DEVICE_PROGRAMRUNTIME_H

#include "../Common/Wire.h"

#include "wavelane/Simulator/Protocol.h"

#include <cstdint>
#include <optional>

namespace wavelane::simulator {

/// What the device knows of the runtime, which may wait for a debugger before
/// it comes up.
struct ProgramRuntime {
  int Program = -1; ///< its socket
  kfd::RuntimeInfo Info = {};
  uint64_t Exceptions = 0;               ///< of the process, not of a queue
  std::optional<uint32_t> PendingEnable; ///< sequence to answer
  uint64_t Deadline = 0; ///< ms, until when it waits; 0: it doesn't

  bool isUp() const { return Info.runtime_state == kfd::RuntimeEnabled; }
  /// The runtime is up, and hears so if it waits.
  void comeUp() {
    Info.runtime_state = kfd::RuntimeEnabled;
    if (PendingEnable)
      sendMessage(Program, MessageType::Reply, *PendingEnable, 0);
    PendingEnable.reset();
    Deadline = 0;
  }
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PROGRAMRUNTIME_H
