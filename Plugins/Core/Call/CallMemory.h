//===-- CallMemory.h - a wave's memory during a call ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_CALL_CALLMEMORY_H
#define WAVELANE_CORE_CALL_CALLMEMORY_H

#include "Core/Lane/Wave.h"
#include "lldb/Utility/Status.h"
#include "wavelane/Simulator/ISA/ISA.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

namespace lldb_private {
class Process;

namespace wavelane {

/// What a call reads and writes: copies of the program's memory, the lane's
/// private memory with room after it for the call's stack, the workgroup's
/// local memory, and the objects that only the call has. Commit writes to the
/// program what has changed.
class CallMemory : public ::wavelane::isa::MemoryAccess {
public:
  CallMemory(Process &process, Wave &wave, uint32_t lane);

  // Addresses that no program has: beyond a process's half of the address
  // space, and within the 48 bits of a buffer's descriptor.
  static constexpr uint64_t kScratchBase = 0x0000800010000000;
  static constexpr uint64_t kReturnAddress = 0x0000800020000000;
  static constexpr uint64_t kPacketAddress = 0x0000800030000000;
  /// Bytes of a lane for the call's stack.
  static constexpr uint32_t kStackSize = 64 * 1024;

  ::wavelane::isa::MemorySpan resolve(uint64_t address,
                                      ::wavelane::isa::Access kind) override;

  /// The first byte of private memory that the lane's own frames don't have.
  uint32_t GetStackBegin() const;
  uint32_t GetLaneSize() const { return GetStackBegin() + kStackSize; }
  /// A byte of the lane's private memory; \a offset is below GetLaneSize.
  uint8_t &At(uint32_t offset);
  /// An object of the call alone, in global memory.
  void SetPacket(std::vector<uint8_t> bytes) { m_packet = std::move(bytes); }
  std::vector<uint8_t> &GetLocal() { return m_local; }

  /// Bytes at a generic address as the call sees them.
  /// \return False if there are fewer.
  bool Read(uint64_t address, void *buf, size_t size);

  /// Why memory can't be accessed: the server's words for the last address.
  const Status &GetError() const { return m_error; }

  Status Commit();

private:
  struct Page {
    std::vector<uint8_t> now, before;
  };

  Process &m_process;
  Wave &m_wave;
  const uint32_t m_lane;
  const uint32_t m_lanes;
  std::map<uint64_t, Page> m_pages;
  std::vector<uint8_t> m_private_before, m_local, m_local_before;
  struct Free {
    void operator()(uint8_t *bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t, Free> m_scratch;
  size_t m_scratch_size = 0;
  std::vector<uint8_t> m_packet;
  Status m_error;
};

} // namespace wavelane
} // namespace lldb_private

#endif
