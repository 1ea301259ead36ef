//===-- Agent.h - the simulated GPUs as KFD describes them ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_COMMON_AGENT_H
#define WAVELANE_SIMULATOR_COMMON_AGENT_H

#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/GPU/VisibleDevices.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Device/RunOptions.h"

#include <cstring>
#include <string>
#include <vector>

namespace wavelane::simulator {

constexpr unsigned DefaultComputeUnits = 4;
/// The size of a GPU's own memory in bytes.
constexpr uint64_t VideoMemory = uint64_t(16) << 30;
/// The gpu_id of the first agent; the others follow.
constexpr uint32_t AgentId = 0x5741;

/// What identifies an agent, as amdgpu's unique_id does.
constexpr uint64_t uniqueId(unsigned Index) { return 0x57410000 + Index; }

/// A GPU of the table; those with isModeled() can be simulated.
using gpu::Processor;

using gpu::modeledProcessors;
using gpu::parseProcessors;
static_assert(MaxAgents == gpu::MaxDevices);

/// Of a GPU with one XCC (accelerator complex die), or of each of several. The
/// queue's scratch registers have 12 bits for the waves of an XCC.
constexpr unsigned maxUnitsOfXcc(const Processor &P) {
  const unsigned Units =
      P.family().maxEngines() * P.family().maxUnitsPerEngine();
  return Units < 120 ? Units : 120;
}

/// As many as an MI300X has.
constexpr unsigned MostXccs = 8;

/// \param SeveralXccs  Whether the program's runtime knows GPUs with several.
constexpr unsigned maxComputeUnits(const Processor &P,
                                   bool SeveralXccs = true) {
  return maxUnitsOfXcc(P) * (SeveralXccs && P.family().HasXccId ? MostXccs : 1);
}

/// "a simulated gfx90a has at most 120 compute units", if one of the GPUs can't
/// have \a ComputeUnits; else empty.
inline std::string whyTooManyUnits(const std::vector<const Processor *> &Gpus,
                                   unsigned long ComputeUnits,
                                   bool SeveralXccs) {
  for (const Processor *P : Gpus)
    if (const unsigned Most = maxComputeUnits(*P, SeveralXccs);
        ComputeUnits > Most)
      return "a simulated " + std::string(P->Name) + " has at most " +
             std::to_string(Most) + " compute units";
  return {};
}

/// For a GPU with at most maxComputeUnits().
constexpr unsigned numberOfXccs(const Processor &P, unsigned ComputeUnits) {
  return ComputeUnits > maxUnitsOfXcc(P) ? MostXccs : 1;
}

/// The shader engines of each XCC.
constexpr unsigned shaderEngines(const Processor &P, unsigned ComputeUnits) {
  const unsigned Xccs = numberOfXccs(P, ComputeUnits);
  ComputeUnits = (ComputeUnits + Xccs - 1) / Xccs;
  const unsigned PerEngine = P.family().maxUnitsPerEngine();
  const unsigned Wanted = (ComputeUnits + PerEngine - 1) / PerEngine;
  return Wanted > 2 ? Wanted : ComputeUnits > 1 ? 2 : 1;
}

/// The description of the process's GPU \a Index with that number of compute
/// units.
inline kfd::DeviceSnapshotEntry
describeAgent(const Processor &P, unsigned ComputeUnits, unsigned Index) {
  kfd::DeviceSnapshotEntry D = {};
  D.lds_base = gpu::LocalAperture;
  D.lds_limit = gpu::LocalAperture + gpu::ApertureLimit;
  D.scratch_base = gpu::PrivateAperture;
  D.scratch_limit = gpu::PrivateAperture + gpu::ApertureLimit;
  D.gpuvm_base = ArenaBase;
  D.gpuvm_limit = ArenaBase + ArenaSize - 1;
  D.gpu_id = AgentId + Index;
  D.location_id = 0x300 + 0x100 * Index;
  D.vendor_id = 0x1002;
  D.device_id = P.PciDevice;
  D.revision_id = 2;
  D.subsystem_vendor_id = 0x1002;
  D.subsystem_device_id = 0x0c34;
  D.fw_version = 71;
  D.gfx_target_version = P.TargetVersion;
  D.simd_count = ComputeUnits * P.family().SimdsPerUnit;
  D.max_waves_per_simd = P.family().WavesPerSimd;
  D.array_count = shaderEngines(P, ComputeUnits);
  D.simd_arrays_per_engine = 1;
  D.num_xcc = numberOfXccs(P, ComputeUnits);
  // Supports debugging (also the firmware), precise memory, four watchpoints.
  D.capability = 1u << 15 | 1u << 29 | 1u << 18 | 1u << 7 | 2u << 8;
  // Attributes of ranges of the program's memory (SVM).
  D.capability |= 1u << 27;
  // 64-bit doorbells, and error correction if code requires it.
  D.capability |= 2u << 12;
  if (P.targetId().find("sramecc+") != std::string::npos)
    D.capability |= 1u << 26;
  // Bits 7 to 29 of a watch mask are significant; ttmps are always set up.
  D.debug_prop = 7u | 29u << 4 | 1u << 10;
  return D;
}

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_AGENT_H
