//===-- ProgramRuntime.h - the program's HIP runtime ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_PROGRAMRUNTIME_H
#define WAVELANE_SIMULATOR_DEVICE_PROGRAMRUNTIME_H

#include "Simulator/Common/Wire.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace wavelane::simulator {

struct Queue;

/// The state of the program's runtime, which may wait for a debugger before it
/// comes up.
struct ProgramRuntime {
  int Program = -1; ///< its socket
  kfd::RuntimeInfo Info = {};
  uint64_t Exceptions = 0;               ///< of the process, not of a queue
  std::optional<uint32_t> PendingEnable; ///< the sequence number to answer
  /// The same for a runtime that ends while a debugger is attached.
  std::optional<uint32_t> PendingDisable;
  /// Whether the program changes signals without a message.
  bool WritesQuietly = false;
  /// The device does the work of the program's trap handler: that of an older
  /// runtime leaves stopped waves in another way than debuggers expect.
  bool KeepsTraps = false;
  std::vector<uint8_t> PendingReply; ///< the answer
  /// Reports to the program that a queue has ended permanently.
  std::function<void(const Queue &, const QueueErrorEvent &)> ReportError;
  uint64_t Deadline = 0; ///< in ms, until when it waits; 0 if it doesn't

  bool isUp() const { return Info.runtime_state == kfd::RuntimeEnabled; }
  /// No kernel may start before the runtime has notified the debugger; a
  /// runtime that never does may run kernels anyway.
  bool mayRun() const { return isUp() || (WritesQuietly && !PendingEnable); }
  /// The runtime is up; answers it if it is waiting.
  void comeUp() {
    Info.runtime_state = kfd::RuntimeEnabled;
    if (PendingEnable)
      sendMessage(Program, MessageType::Reply, *PendingEnable, 0,
                  PendingReply.data(), PendingReply.size());
    PendingEnable.reset();
    Deadline = 0;
  }
  /// The debugger knows that the runtime has ended; answers it if it waits.
  void goneDown() {
    if (PendingDisable)
      sendMessage(Program, MessageType::Reply, *PendingDisable, 0,
                  PendingReply.data(), PendingReply.size());
    PendingDisable.reset();
  }
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PROGRAMRUNTIME_H
