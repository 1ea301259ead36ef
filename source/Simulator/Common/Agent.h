//===-- Agent.h - the simulated GPUs as KFD describes them ------*- C++ -*-===//

#ifndef WAVELANE_SIMULATOR_COMMON_AGENT_H
#define WAVELANE_SIMULATOR_COMMON_AGENT_H

#include "wavelane/Simulator/Protocol.h"

#include <cstring>
#include <string>
#include <vector>

namespace wavelane {
namespace simulator {

constexpr unsigned DefaultComputeUnits = 4;
constexpr uint32_t LDSPerUnit = 65536;
/// gpu_id of the first agent; the others follow it.
constexpr uint32_t AgentId = 0x5741;

/// A GPU that can be simulated. Every compute unit holds 32 waves.
struct Processor {
  const char *Name;        ///< "gfx90a"
  const char *TargetId;    ///< "gfx90a:sramecc+:xnack-"
  const char *Generic;     ///< the generic target it belongs to, or null
  const char *Product;     ///< as hipDeviceProp_t names it
  uint32_t ElfMachine;     ///< EF_AMDGPU_MACH
  uint32_t GenericMachine; ///< of the generic target; 0: none
  uint32_t TargetVersion;  ///< KFD's: major*10000 + minor*100 + stepping
  uint32_t PciDevice;
  uint8_t Wavefront; ///< lanes of a wave where code can choose
  uint8_t SimdsPerUnit, WavesPerSimd;
  /// The save area has bits for so many shader engines, and for the waves of so
  /// many compute units in each.
  uint8_t MaxEngines, UnitsPerEngine;
  bool HasFeatures; ///< xnack and sramecc are told apart
};

constexpr Processor Processors[] = {
    {"gfx90a", "gfx90a:sramecc+:xnack-", nullptr, "AMD Instinct MI200", 0x3f, 0,
     90010, 0x740f, 64, 4, 8, 8, 16, true},
    {"gfx942", "gfx942:sramecc+:xnack-", nullptr, "AMD Instinct MI300X", 0x4c, 0,
     90402, 0x74a1, 64, 4, 8, 4, 16, true},
    {"gfx1030", "gfx1030", "gfx10-3-generic", "AMD Radeon RX 6900 XT", 0x36,
     0x53, 100300, 0x73bf, 32, 2, 16, 4, 32, false},
    {"gfx1100", "gfx1100", "gfx11-generic", "AMD Radeon RX 7900 XTX", 0x41, 0x54,
     110000, 0x744c, 32, 2, 16, 8, 32, false},
    {"gfx1201", "gfx1201", "gfx12-generic", "AMD Radeon RX 9070 XT", 0x4e, 0x59,
     120001, 0x7550, 32, 2, 16, 8, 32, false},
};

inline const Processor *findProcessor(const std::string &Name) {
  for (const Processor &P : Processors)
    if (Name == P.Name)
      return &P;
  return nullptr;
}

/// "gfx90a,gfx1100". \return false with \a Error set.
inline bool parseProcessors(const std::string &List,
                            std::vector<const Processor *> &Out,
                            std::string &Error) {
  Out.clear();
  for (size_t At = 0; At <= List.size();) {
    size_t End = List.find(',', At);
    End = End == std::string::npos ? List.size() : End;
    const std::string Name = List.substr(At, End - At);
    At = End + 1;
    const Processor *P = findProcessor(Name);
    if (!P) {
      Error = "there is no simulated " + (Name.empty() ? "GPU" : Name) +
              "; devices can be";
      for (const Processor &Known : Processors)
        Error += std::string(&Known == Processors ? " " : ", ") + Known.Name;
      return false;
    }
    Out.push_back(P);
  }
  if (Out.size() > MaxAgents) {
    Error = "there can be at most " + std::to_string(MaxAgents) + " devices";
    return false;
  }
  return true;
}

/// The queue's scratch registers have 12 bits for the waves of the whole GPU.
constexpr unsigned maxComputeUnits(const Processor &P) {
  const unsigned Units = P.MaxEngines * P.UnitsPerEngine;
  return Units < 120 ? Units : 120;
}

/// Of a GPU with at most maxComputeUnits() of them.
constexpr unsigned shaderEngines(const Processor &P, unsigned ComputeUnits) {
  const unsigned Wanted =
      (ComputeUnits + P.UnitsPerEngine - 1) / P.UnitsPerEngine;
  return Wanted > 2 ? Wanted : ComputeUnits > 1 ? 2 : 1;
}

/// Whether the GPU of that version has the global wave sync: not from gfx12 on.
constexpr bool hasWaveSync(uint32_t TargetVersion) {
  return TargetVersion < 120000;
}

/// A GPU with so many compute units, the \a Index-th of the process.
inline kfd::DeviceSnapshotEntry
describeAgent(const Processor &P, unsigned ComputeUnits, unsigned Index) {
  kfd::DeviceSnapshotEntry D = {};
  D.lds_base = LocalAperture;
  D.lds_limit = LocalAperture + ApertureLimit;
  D.scratch_base = PrivateAperture;
  D.scratch_limit = PrivateAperture + ApertureLimit;
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
  D.simd_count = ComputeUnits * P.SimdsPerUnit;
  D.max_waves_per_simd = P.WavesPerSimd;
  D.array_count = shaderEngines(P, ComputeUnits);
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
