//===-- Hostcall.h - printf and assert from kernels -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_HOSTCALL_H
#define WAVELANE_SIMULATOR_RUNTIME_HOSTCALL_H

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace wavelane {
namespace runtime {

class Arena;
class Connection;

/// The buffer in which waves ask the host for something, and who answers.
class Hostcalls {
public:
  Hostcalls(Arena &Memory, Connection &Device)
      : Memory(Memory), Device(Device) {}

  /// The buffer's address for kernels, made when first asked for; null if there
  /// is no device memory.
  uint8_t *buffer();
  /// Answers what has been asked.
  void drain();
  /// Answers until the device is gone.
  void serve();

private:
  /// One for each wave that there can be at a time.
  uint32_t packets() const;
  void takeMessage(uint64_t *Slot);

  Arena &Memory;
  Connection &Device;
  std::mutex BufferLock;
  uint8_t *Buffer = nullptr;
  std::mutex MessagesLock;
  /// Messages that come in several packets, by the number that we gave them.
  std::map<uint64_t, std::vector<uint64_t>> Open;
};

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_HOSTCALL_H
