//===-- AddressSpaces.h - numbers and apertures of spaces -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address spaces of AMD GPUs by name, and where a generic address refers to
// another space than global memory. Their names and sizes are in Processors.h.
// Sources: LLVM's AMDGPUUsage ("Address Space Identifier", "Memory Spaces").
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_ADDRESSSPACES_H
#define WAVELANE_GPU_ADDRESSSPACES_H

#include "wavelane/GPU/Processors.h"

#include <cstdint>
#include <optional>

namespace wavelane::gpu {

/// DWARF numbers of address spaces.
namespace space {
enum : uint64_t {
  Global = 0,
  Generic = 1,
  Region = 2,
  Local = 3,
  PrivateLane = 5,
  PrivateWave = 6,
};
} // namespace space

/// \return Null if no space has the number.
constexpr const AddressSpace *findSpace(uint64_t Number) {
  for (const AddressSpace &S : AddressSpaces)
    if (S.Number == Number)
      return &S;
  return nullptr;
}
static_assert(findSpace(space::Global)->Bits == 64 &&
              findSpace(space::Generic)->PerLane &&
              !findSpace(space::Region)->PerWorkgroup &&
              !findSpace(space::Local)->PerLane &&
              findSpace(space::PrivateLane)->PerLane &&
              !findSpace(space::PrivateWave)->PerLane);

/// Whose memory a space is: "process", "agent", "workgroup", "wave" or "lane".
/// Of a generic address it depends on the address.
constexpr const char *spaceOwner(uint64_t Number) {
  switch (Number) {
  case space::Global:
    return "process";
  case space::Region:
    return "agent";
  case space::Local:
    return "workgroup";
  case space::Generic:
  case space::PrivateLane:
    return "lane";
  default:
    return "wave";
  }
}

/// The apertures: generic addresses of local and private memory have these
/// upper halves (SRC_SHARED_BASE, SRC_PRIVATE_BASE), and an offset up to the
/// limit.
constexpr uint64_t LocalAperture = 0x0001'0000'0000'0000;
constexpr uint64_t PrivateAperture = 0x0002'0000'0000'0000;
constexpr uint64_t ApertureLimit = 0xffff'ffff;

/// The space to which a generic address refers by its aperture, in which the
/// lower half is the address; none for a global address.
constexpr std::optional<uint64_t> apertureSpace(uint64_t Generic) {
  switch (Generic & ~ApertureLimit) {
  case LocalAperture:
    return space::Local;
  case PrivateAperture:
    return space::PrivateLane;
  default:
    return std::nullopt;
  }
}

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_ADDRESSSPACES_H
