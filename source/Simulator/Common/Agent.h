//===-- Agent.h - the simulated GPU as KFD describes it ---------*- C++ -*-===//

#ifndef WAVELANE_SIMULATOR_COMMON_AGENT_H
#define WAVELANE_SIMULATOR_COMMON_AGENT_H

#include "wavelane/Simulator/Protocol.h"

namespace wavelane {
namespace simulator {

constexpr unsigned DefaultComputeUnits = 4;
constexpr unsigned MaxComputeUnits = 64;
constexpr unsigned SimdsPerUnit = 4;
constexpr unsigned WavesPerSimd = 8;
constexpr uint32_t LDSPerUnit = 65536;
constexpr uint32_t AgentId = 0x5741;

constexpr unsigned shaderEngines(unsigned ComputeUnits) {
  return ComputeUnits % 2 ? 1 : 2;
}

/// A gfx90a with so many compute units.
inline kfd::DeviceSnapshotEntry describeAgent(unsigned ComputeUnits) {
  kfd::DeviceSnapshotEntry D = {};
  D.lds_base = LocalAperture;
  D.lds_limit = LocalAperture + ApertureLimit;
  D.scratch_base = PrivateAperture;
  D.scratch_limit = PrivateAperture + ApertureLimit;
  D.gpuvm_base = ArenaBase;
  D.gpuvm_limit = ArenaBase + ArenaSize - 1;
  D.gpu_id = AgentId;
  D.location_id = 0x300;
  D.vendor_id = 0x1002;
  D.device_id = 0x740f;
  D.revision_id = 2;
  D.subsystem_vendor_id = 0x1002;
  D.subsystem_device_id = 0x0c34;
  D.fw_version = 71;
  D.gfx_target_version = 90010;
  D.simd_count = ComputeUnits * SimdsPerUnit;
  D.max_waves_per_simd = WavesPerSimd;
  D.array_count = shaderEngines(ComputeUnits);
  D.simd_arrays_per_engine = 1;
  D.num_xcc = 1;
  // Debugging and its firmware, precise memory, four watchpoints.
  D.capability = 1u << 15 | 1u << 29 | 1u << 18 | 1u << 7 | 2u << 8;
  // Bits 7 to 29 of a watch mask count; ttmps are always set up.
  D.debug_prop = 7u | 29u << 4 | 1u << 10;
  return D;
}

} // namespace simulator
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_COMMON_AGENT_H
