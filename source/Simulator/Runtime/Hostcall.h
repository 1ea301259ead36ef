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

/// The buffer in which waves ask the host for services, and the host's side of
/// it.
class Hostcalls {
public:
  Hostcalls(Arena &Memory, Connection &Device)
      : Memory(Memory), Device(Device) {}

  /// The buffer's address for kernels, created on first use; null if there is
  /// no device memory.
  uint8_t *buffer();
  /// Answers pending requests.
  void drain();
  /// Answers until the device is gone.
  void serve();

private:
  /// One for each wave that can exist at a time.
  uint32_t packets() const;
  void takeMessage(uint64_t *Slot);

  Arena &Memory;
  Connection &Device;
  std::mutex BufferLock;
  uint8_t *Buffer = nullptr;
  std::mutex MessagesLock;
  /// Messages in several packets, by the number that this class assigned.
  std::map<uint64_t, std::vector<uint64_t>> Open;
};

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_HOSTCALL_H
