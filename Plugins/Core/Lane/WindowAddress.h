//===-- WindowAddress.h - addresses of what has no address ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB shows, walks into and writes objects by address. A DWARF location other
// than plain memory (a lane's slice of a register, private memory of a lane, a
// composite) gets an address in a window that no process uses, served by
// ProcessLanes through LaneProcess.h. Two forms, distinguished by bits 60-63:
//
//   6: memory of an address space of 32 bits, computed, so that pointer
//      arithmetic stays right:
//        63..60  59..56  55..40     39..34  33..32  31..0
//        6       space   wave slot  lane    0       byte address
//   7: any other location, an entry of a table that lives until the process
//   runs:
//        63..60  59..32    31..0
//        7       entry id  byte offset
//
// On an AMD GPU, the window also includes the apertures of generic addresses:
// 2^32 bytes from 2^48 are the work-group's local memory, those from 2^49 the
// lane's private memory (dwarf-locations, address spaces).
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_LANE_WINDOWADDRESS_H
#define WAVELANE_CORE_LANE_WINDOWADDRESS_H

#include "wavelane/GPU/AddressSpaces.h"

#include <cstdint>
#include <optional>

namespace lldb_private {
namespace wavelane {

/// DWARF numbers of AMDGPU's address spaces.
enum AddressSpace : uint64_t {
  eSpaceGlobal = ::wavelane::gpu::space::Global,
  eSpaceGeneric = ::wavelane::gpu::space::Generic,
  eSpaceRegion = ::wavelane::gpu::space::Region,
  eSpaceLocal = ::wavelane::gpu::space::Local,
  eSpacePrivateLane = ::wavelane::gpu::space::PrivateLane,
  eSpacePrivateWave = ::wavelane::gpu::space::PrivateWave,
};

struct SpaceAddress {
  uint64_t space = 0;
  /// Index in ProcessLanes' table of threads.
  uint32_t slot = 0;
  uint32_t lane = 0;
  uint32_t offset = 0;

  static constexpr uint32_t kMaxSlot = 0xffff;
  static constexpr uint32_t kMaxLane = 0x3f;

  uint64_t Encode() const {
    return uint64_t(6) << 60 | (space & 0xf) << 56 | uint64_t(slot) << 40 |
           uint64_t(lane) << 34 | offset;
  }
  /// \return nullopt for other addresses, and for those that arithmetic has
  ///     moved out of their space.
  static std::optional<SpaceAddress> Decode(uint64_t addr) {
    if (addr >> 60 != 6 || (addr >> 32 & 3))
      return std::nullopt;
    SpaceAddress result;
    result.space = addr >> 56 & 0xf;
    result.slot = addr >> 40 & kMaxSlot;
    result.lane = addr >> 34 & kMaxLane;
    result.offset = uint32_t(addr);
    return result;
  }
};

struct EntryAddress {
  uint32_t id = 0;
  uint32_t offset = 0;

  static constexpr uint32_t kMaxId = 0x0fffffff;

  uint64_t Encode() const {
    return uint64_t(7) << 60 | uint64_t(id) << 32 | offset;
  }
  static std::optional<EntryAddress> Decode(uint64_t addr) {
    if (addr >> 60 != 7)
      return std::nullopt;
    EntryAddress result;
    result.id = addr >> 32 & kMaxId;
    result.offset = uint32_t(addr);
    return result;
  }
};

/// The first address after the window.
constexpr uint64_t WindowEnd = uint64_t(8) << 60;

inline bool IsWindowAddress(uint64_t addr) {
  return addr >> 60 == 6 || addr >> 60 == 7;
}

/// The space that a generic address of an AMD GPU refers to by its aperture;
/// nullopt for a global address.
inline std::optional<AddressSpace> ApertureSpace(uint64_t generic) {
  if (const auto space = ::wavelane::gpu::apertureSpace(generic))
    return AddressSpace(*space);
  return std::nullopt;
}

} // namespace wavelane
} // namespace lldb_private

#endif
