//===-- Dispatch.h - from an AQL packet to waves ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packets, kernel descriptors and the initial state of a wave according to
// LLVM's AMDGPU usage page (code object versions 3 to 6).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DISPATCH_H
#define WAVELANE_SIMULATOR_DEVICE_DISPATCH_H

#include "wavelane/Simulator/ISA/ISA.h"

#include <bitset>
#include <cstdint>
#include <string>

namespace wavelane::simulator {

/// hsa_kernel_dispatch_packet_t.
struct KernelPacket {
  uint16_t Header;
  uint16_t Setup; ///< bits 0-1: number of dimensions
  uint16_t WorkgroupSize[3];
  uint16_t Reserved0;
  uint32_t GridSize[3]; ///< in work-items
  uint32_t PrivateSize; ///< bytes per lane
  uint32_t GroupSize;   ///< bytes of LDS, static and dynamic
  uint64_t KernelObject;
  uint64_t Kernarg;
  uint64_t Reserved1;
  uint64_t Completion;
};
static_assert(sizeof(KernelPacket) == 64);

/// hsa_barrier_and_packet_t, hsa_barrier_or_packet_t.
struct BarrierPacket {
  uint16_t Header;
  uint16_t Reserved0;
  uint32_t Reserved1;
  uint64_t Dependency[5];
  uint64_t Reserved2;
  uint64_t Completion;
};
static_assert(sizeof(BarrierPacket) == 64);

enum PacketType : uint8_t {
  PacketVendor = 0,
  PacketInvalid = 1,
  PacketKernel = 2,
  PacketBarrierAnd = 3,
  PacketAgent = 4,
  PacketBarrierOr = 5
};

/// The kernel descriptor as in memory (64 bytes).
struct KernelDescriptor {
  uint32_t GroupSize;
  uint32_t PrivateSize;
  uint32_t KernargSize;
  uint32_t Reserved0;
  int64_t EntryOffset;
  uint8_t Reserved1[20];
  uint32_t Rsrc3;
  uint32_t Rsrc1;
  uint32_t Rsrc2;
  uint16_t Properties;
  uint16_t KernargPreload;
  uint32_t Reserved2;
};
static_assert(sizeof(KernelDescriptor) == 64);

/// The setup that all waves of a dispatch share.
struct KernelSetup {
  uint64_t Entry = 0;
  uint32_t Rsrc1 = 0, Rsrc2 = 0;
  uint16_t Properties = 0;
  unsigned UserSgprs = 0;
  isa::Target Target = gpu::DefaultDevice;
  unsigned Lanes = 64;
  unsigned ArchVgprs = 0, AccVgprs = 0;
  bool Scratch = false;
  uint32_t Preload[16] = {}; ///< kernel arguments preloaded into SGPRs
  unsigned PreloadCount = 0;
  uint32_t KernargSize = 0; ///< bytes

  /// \param Address The descriptor's address in device memory.
  /// \return false with \a Error set if it requires something that doesn't
  ///     exist.
  bool decode(isa::Target T, const KernelDescriptor &D, uint64_t Address,
              std::string &Error);
};

/// The setup that is different for each wave.
struct WavePlace {
  uint32_t Workgroup[3];
  uint32_t
      GroupSize[3]; ///< this workgroup's size in work-items (it may be partial)
  uint32_t WaveInGroup;
  uint64_t PacketAddress, QueueAddress, PacketId;
  uint32_t RingPackets;
  uint64_t ScratchBase; ///< of the queue
  uint64_t ScratchSize; ///< of the queue
  uint32_t WaveScratch; ///< byte offset of this wave's scratch
  uint32_t WaveScratchSize;
  uint32_t TrapMask; ///< MODE bits set by the debugger's launch override
};

/// The general registers that a wave begins with. The others have no defined
/// value.
struct InitialRegisters {
  std::bitset<isa::scalar::Count> Scalars;
  unsigned Vectors = 0; ///< the first so many
};

/// What a wave begins with in a scalar register; null if it is undefined.
const char *nameInitialScalar(const KernelSetup &Kernel, unsigned Sgpr);

/// Fills in \a State but for vector registers; the caller sets processor, lane
/// count and LDS.
InitialRegisters initializeScalars(isa::WaveState &State,
                                   const KernelSetup &Kernel,
                                   const KernelPacket &Packet,
                                   const WavePlace &Place);
/// Allocates and fills in the vector registers.
/// \param GroupSize  The workgroup's, in work-items.
void initializeVectors(isa::WaveState &State, const KernelSetup &Kernel,
                       const uint32_t (&GroupSize)[3], uint32_t WaveInGroup);
/// Both.
InitialRegisters initializeWave(isa::WaveState &State,
                                const KernelSetup &Kernel,
                                const KernelPacket &Packet,
                                const WavePlace &Place);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DISPATCH_H
