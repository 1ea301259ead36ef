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
  /// \param CanAsk  Whether the device's replies are being read, so that it can
  ///     be asked for something.
  void drain(bool CanAsk = true);
  /// Answers until the device is gone.
  void serve();

private:
  /// One for each wave that can exist at a time.
  uint32_t packets() const;
  void takeMessage(uint64_t *Slot);
  /// Lets the device do what it has to know of (simulator::HostAccess).
  /// \return false if it is gone.
  bool takeWord(uint64_t &Word, uint64_t &Old);
  bool write(void *Slots, const void *Answers, uint32_t &Control);

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
