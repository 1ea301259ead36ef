//===-- DeviceMemory.h - the device's view of memory ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_DEVICEMEMORY_H
#define WAVELANE_SIMULATOR_DEVICE_DEVICEMEMORY_H

#include "Simulator/Check/Check.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/ISA/ISA.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <string>

namespace wavelane::simulator {

/// The bits of an arena's page table that an access needs.
uint8_t neededAccess(isa::Access Kind);

/// From now on, the file never becomes smaller: the device would end when it
/// accesses pages that are gone.
/// \return false with \a Error set if that can't be.
bool keepSize(int Fd, std::string &Error);

/// Memory as the queues' hardware sees it: anything that a GPU of the program
/// may access. An address outside of allocated memory resolves to nothing: a
/// memory violation.
class DeviceMemory : public isa::MemoryAccess {
public:
  /// \return The host address of [Address, Address + Size), or null if any
  ///     of it doesn't allow that access.
  uint8_t *get(uint64_t Address, uint64_t Size, isa::Access Kind);
  template <typename T> T *object(uint64_t Address, isa::Access Kind) {
    if (Address % alignof(T))
      return nullptr;
    return reinterpret_cast<T *>(get(Address, sizeof(T), Kind));
  }

  /// Calls the function with all that GPUs may access.
  virtual void forEachRange(
      llvm::function_ref<void(uint64_t Begin, uint64_t End, uint8_t *Host)>) {}
  /// Without a program, lets the device access what the program has freed.
  virtual void allow(uint64_t, uint64_t, isa::Access) {}

  /// The memory as seen by the GPU with this index.
  virtual isa::MemoryAccess &of(unsigned Index) = 0;
  /// Wakes the program.
  /// \param Event One of KFD's events, or 0.
  virtual void interrupt(uint32_t Event) = 0;
  /// In the unit of a signal's start and end times.
  virtual uint64_t timestamp() = 0;
  /// Whether the program's threads wait for the device.
  virtual check::HostState hostState() = 0;
  /// Whether the program has to report its copies.
  virtual void setRecorded(bool) {}

  uint64_t epoch() const override { return Epoch; }
  /// What resolve() has returned may no longer hold.
  void forgetSpans() { ++Epoch; }

private:
  uint64_t Epoch = 1;
};

/// The arena, mapped at ArenaBase, with its page table, and the host pages that
/// the program has registered. All GPUs see the same.
class ArenaMemory : public DeviceMemory {
public:
  /// Maps the arena file. \return false with \a Error set.
  bool map(int ArenaFd, std::string &Error);

  isa::MemorySpan resolve(uint64_t Address, isa::Access Kind) override;
  isa::MemoryAccess &of(unsigned) override { return *this; }
  void interrupt(uint32_t Event) override;
  uint64_t timestamp() override; ///< nanoseconds
  check::HostState hostState() override;
  void setRecorded(bool On) override;

  void forEachRange(llvm::function_ref<void(uint64_t Begin, uint64_t End,
                                            uint8_t *Host)>) override;
  void allow(uint64_t Address, uint64_t Size, isa::Access Kind) override;

  /// \return 0 or -errno.
  int mapHost(uint64_t Address, uint64_t Size, uint64_t Arena);
  int unmapHost(uint64_t Address, uint64_t Size);

private:
  struct HostRange {
    uint64_t Size;
    uint64_t Arena;
  };
  const uint8_t *PageTable = nullptr;
  ArenaHeader *Header = nullptr;
  std::map<uint64_t, HostRange> Host; ///< by program address, not overlapping
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEVICEMEMORY_H
