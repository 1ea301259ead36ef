//===-- Dispatch.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dispatch.h"
#include "PacketWords.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;

// KERNEL_CODE_PROPERTIES.
enum : uint16_t {
  PropPrivateBuffer = 1 << 0,
  PropDispatchPtr = 1 << 1,
  PropQueuePtr = 1 << 2,
  PropKernargPtr = 1 << 3,
  PropDispatchId = 1 << 4,
  PropFlatScratchInit = 1 << 5,
  PropPrivateSize = 1 << 6,
  PropWave32 = 1 << 10,
};

bool KernelSetup::decode(isa::Target T, const KernelDescriptor &D,
                         uint64_t Address, std::string &Error) {
  Target = T;
  Entry = Address + uint64_t(D.EntryOffset);
  if (Entry % 256) {
    Error = "the kernel's entry is not aligned to 256 bytes";
    return false;
  }
  Rsrc1 = D.Rsrc1;
  Rsrc2 = D.Rsrc2;
  Properties = D.Properties;
  KernargSize = D.KernargSize;
  UserSgprs = bits(Rsrc2, 1, 5);
  Lanes = Properties & PropWave32 ? 32 : 64;
  if (Lanes == 32 && !isa::hasWave32(T)) {
    Error = "the kernel is for waves of 32 lanes";
    return false;
  }
  const gpu::Family &Family = gpu::get(T).family();
  ArchVgprs = (bits(Rsrc1, 0, 6) + 1) * Family.vgprUnit(Lanes);
  AccVgprs = 0;
  switch (Family.Acc) {
  case gpu::AccRegisters::None:
    break;
  case gpu::AccRegisters::Twin:
    AccVgprs = ArchVgprs;
    break;
  case gpu::AccRegisters::Unified: {
    const unsigned Vgprs = ArchVgprs;
    ArchVgprs = std::min((bits(D.Rsrc3, 0, 6) + 1) * 4, Vgprs);
    AccVgprs = Vgprs - ArchVgprs;
    break;
  }
  }
  if (gpu::features(Target).HasSharedVgprs && bits(D.Rsrc3, 0, 4)) {
    Error = "the kernel asks for VGPRs shared between the halves of a wave";
    return false;
  }
  if (ArchVgprs > 256) {
    Error = "the kernel asks for more than 256 VGPRs";
    return false;
  }
  Scratch = Rsrc2 & 1;
  PreloadCount = D.KernargPreload & 0x7f;
  if (PreloadCount > 16) {
    Error = "the kernel preloads more than 16 SGPRs of arguments";
    return false;
  }
  // Code that preloads arguments has a prologue of 256 bytes for firmware that
  // can't.
  if (PreloadCount)
    Entry += 256;
  return true;
}

const char *simulator::nameInitialScalar(const KernelSetup &Kernel,
                                         unsigned Sgpr) {
  const gpu::Family &Family = gpu::get(Kernel.Target).family();
  const bool Architected = Family.HasArchitectedScratch;
  static constexpr const char *Groups[] = {"blockIdx.x", "blockIdx.y",
                                           "blockIdx.z"};
  if (Sgpr >= isa::scalar::TTMP0) {
    const unsigned Ttmp = Sgpr - isa::scalar::TTMP0;
    if (Family.HasStatePriv)
      return Ttmp == 9   ? "blockIdx.x"
             : Ttmp == 7 ? "blockIdx.y and blockIdx.z"
                         : nullptr;
    return Ttmp >= 8 && Ttmp <= 10 ? Groups[Ttmp - 8] : nullptr;
  }
  // As initializeWave() puts them.
  const auto Has = [&](unsigned Property) {
    return (Kernel.Properties & Property) != 0;
  };
  const struct {
    bool Exists;
    unsigned Count;
    const char *Name;
  } User[] = {
      {Has(PropPrivateBuffer), 4, "descriptor of private memory"},
      {Has(PropDispatchPtr), 2, "address of the launch's packet"},
      {Has(PropQueuePtr), 2, "address of the queue"},
      {Has(PropKernargPtr), 2, "address of the kernel's arguments"},
      {Has(PropDispatchId), 2, "number of the launch"},
      {Has(PropFlatScratchInit) && !Architected, 2, "base of private memory"},
      {Has(PropPrivateSize), 1, "size of private memory"},
      {Kernel.PreloadCount != 0, Kernel.PreloadCount, "kernel argument"},
  };
  unsigned S = 0;
  for (const auto &Each : User) {
    S += Each.Exists ? Each.Count : 0;
    if (Each.Exists && Sgpr < S)
      return Each.Name;
  }
  S = Kernel.UserSgprs;
  for (unsigned D = 0; D < 3; ++D)
    if (gpu::features(Kernel.Target).HasWorkgroupIdSgprs &&
        bits(Kernel.Rsrc2, 7 + D, 1) && S++ == Sgpr)
      return Groups[D];
  if (bits(Kernel.Rsrc2, 10, 1) && S++ == Sgpr)
    return "place in the workgroup";
  return Kernel.Scratch && !Architected && S == Sgpr ? "base of private memory"
                                                     : nullptr;
}

/// Of a work-item's number: less one.
static unsigned itemDimensions(const KernelSetup &Kernel) {
  return bits(Kernel.Rsrc2, 11, 2);
}

static uint32_t itemsOf(const uint32_t (&GroupSize)[3]) {
  return GroupSize[0] * GroupSize[1] * GroupSize[2];
}

/// How many lanes of a wave have a work-item.
static unsigned activeLanes(const isa::WaveState &State,
                            const uint32_t (&GroupSize)[3],
                            uint32_t WaveInGroup) {
  const uint64_t Items = itemsOf(GroupSize),
                 First = uint64_t(WaveInGroup) * State.LaneCount;
  return unsigned(
      std::min<uint64_t>(Items - std::min(Items, First), State.LaneCount));
}

void simulator::initializeVectors(isa::WaveState &State,
                                  const KernelSetup &Kernel,
                                  const uint32_t (&GroupSize)[3],
                                  uint32_t WaveInGroup) {
  State.allocateVGPRs(Kernel.ArchVgprs, Kernel.AccVgprs);
  const unsigned Dims = itemDimensions(Kernel);
  const bool IsPacked = gpu::get(Kernel.Target).family().PacksWorkItemIds;
  const uint32_t First = WaveInGroup * State.LaneCount;
  uint32_t X = First % GroupSize[0], Y = First / GroupSize[0] % GroupSize[1],
           Z = First / GroupSize[0] / GroupSize[1];
  const unsigned Count = activeLanes(State, GroupSize, WaveInGroup);
  for (unsigned Lane = 0; Lane < Count;) {
    // Those with the same y and z.
    const auto Row =
        unsigned(std::min<uint32_t>(Count - Lane, GroupSize[0] - X));
    const uint32_t Above =
        IsPacked ? (Dims >= 1 ? Y << 10 : 0u) | (Dims >= 2 ? Z << 20 : 0u) : 0;
    uint32_t *To = &State.vgpr(0, Lane);
    for (unsigned N = 0; N < Row; ++N)
      To[N] = (X + N) | Above;
    if (!IsPacked && Dims >= 1)
      std::fill_n(&State.vgpr(1, Lane), Row, Y);
    if (!IsPacked && Dims >= 2)
      std::fill_n(&State.vgpr(2, Lane), Row, Z);
    Lane += Row;
    X = 0;
    if (++Y < GroupSize[1])
      continue;
    Y = 0;
    ++Z;
  }
}

InitialRegisters simulator::initializeWave(isa::WaveState &State,
                                           const KernelSetup &Kernel,
                                           const KernelPacket &Packet,
                                           const WavePlace &Place) {
  initializeVectors(State, Kernel, Place.GroupSize, Place.WaveInGroup);
  return initializeScalars(State, Kernel, Packet, Place);
}

InitialRegisters simulator::initializeScalars(isa::WaveState &State,
                                              const KernelSetup &Kernel,
                                              const KernelPacket &Packet,
                                              const WavePlace &Place) {
  const gpu::Family &Family = gpu::get(Kernel.Target).family();
  const gpu::Features &Features = gpu::features(Kernel.Target);
  const bool Architected = Family.HasArchitectedScratch;
  State.PC = Kernel.Entry;
  State.Mode =
      bits(Kernel.Rsrc1, 12, 8) |
      (Features.HasDx10ClampMode && bits(Kernel.Rsrc1, 21, 1)
           ? isa::mode::DX10Clamp
           : 0u) |
      (Features.HasIeeeMode && bits(Kernel.Rsrc1, 23, 1) ? isa::mode::IEEE
                                                         : 0u) |
      (bits(Kernel.Rsrc1, 26, 1) ? isa::mode::FP16Ovfl : 0u) |
      bits(Kernel.Rsrc2, 24, 7) << isa::mode::ExcpEnShift | Place.TrapMask;
  State.Status = isa::status::Valid | isa::status::TrapEn;
  State.TrapSts = 0;
  State.ScratchLaneSize = Kernel.Scratch ? Packet.PrivateSize : 0;

  const uint32_t Items = itemsOf(Place.GroupSize);
  if (Items > State.LaneCount)
    State.Status |= isa::status::InThreadgroup;

  // User SGPRs, in this order.
  InitialRegisters Set;
  unsigned S = 0;
  auto Put = [&](uint32_t Value) {
    if (S >= 102)
      return;
    Set.Scalars.set(S);
    State.Scalar[S++] = Value;
  };
  auto PutPair = [&](uint64_t Value) {
    Put(uint32_t(Value));
    Put(uint32_t(Value >> 32));
  };
  if (Kernel.Properties & PropPrivateBuffer) {
    // A swizzled buffer: stride 0, elements of 4 bytes, the wave's lanes as
    // index stride, the lane added to the index. gfx10 encodes its format
    // differently, and must not check the index.
    const uint32_t Stride = State.LaneCount == 32 ? 2u : 3u;
    Put(uint32_t(Place.ScratchBase));
    Put((uint32_t(Place.ScratchBase >> 32) & 0xffff) | 1u << 31);
    Put(uint32_t(std::min<uint64_t>(Place.ScratchSize, 0xffffffff)));
    Put(4u | 5u << 3 | 6u << 6 | 7u << 9 | Stride << 21 | 1u << 23 |
        Features.ScratchFormat);
  }
  if (Kernel.Properties & PropDispatchPtr)
    PutPair(Place.PacketAddress);
  if (Kernel.Properties & PropQueuePtr)
    PutPair(Place.QueueAddress);
  if (Kernel.Properties & PropKernargPtr)
    PutPair(Packet.Kernarg);
  if (Kernel.Properties & PropDispatchId)
    PutPair(Place.PacketId);
  if ((Kernel.Properties & PropFlatScratchInit) && !Architected)
    PutPair(Place.ScratchBase);
  if (Kernel.Properties & PropPrivateSize)
    Put(Packet.PrivateSize);
  for (unsigned I = 0; I < Kernel.PreloadCount; ++I)
    Put(Kernel.Preload[I]);

  // System SGPRs follow the user SGPRs that the descriptor declares.
  S = Kernel.UserSgprs;
  // gfx12 has the workgroup's position in ttmps instead.
  for (unsigned D = 0; D < 3; ++D)
    if (Features.HasWorkgroupIdSgprs && bits(Kernel.Rsrc2, 7 + D, 1))
      Put(Place.Workgroup[D]);
  if (bits(Kernel.Rsrc2, 10, 1)) {
    const uint32_t Waves = (Items + State.LaneCount - 1) / State.LaneCount;
    Put((Place.WaveInGroup == 0 ? 1u << 31 : 0u) | Place.WaveInGroup << 20 |
        Waves);
  }
  if (Kernel.Scratch && !Architected)
    Put(Place.WaveScratch);
  State.setFlatScratch(Place.ScratchBase + Place.WaveScratch);

  Set.Vectors = Family.PacksWorkItemIds ? 1 : itemDimensions(Kernel) + 1;
  const unsigned Active =
      activeLanes(State, Place.GroupSize, Place.WaveInGroup);
  State.setExec(Active == 64 ? ~uint64_t(0) : (uint64_t(1) << Active) - 1);

  // For the debugger and the trap handler.
  uint32_t *T = State.ttmp();
  std::fill(T, T + 16, 0);
  const uint32_t Packet25 =
      uint32_t(Place.PacketId % Place.RingPackets) & 0x1ffffff;
  if (Family.HasStatePriv) {
    // Bit 30: y and z are present; bit 31: the debugger's mark.
    T[7] = (Place.Workgroup[1] & 0xffff) | Place.Workgroup[2] << 16;
    T[8] = Packet25 | (Place.WaveInGroup & 31) << 25 | 3u << 30;
    T[9] = Place.Workgroup[0];
    return Set;
  }
  for (unsigned D = 0; D < 3; ++D)
    T[8 + D] = Place.Workgroup[D];
  T[11] = Place.WaveInGroup & 0x3f;
  if (Family.PacketInTtmp11)
    T[11] |= Packet25 << 6 | 1u << 31;
  else
    T[6] = Packet25;
  return Set;
}
