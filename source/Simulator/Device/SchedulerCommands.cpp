//===-- SchedulerCommands.cpp - PM4 queues and packets of AMD's own -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PacketWords.h"
#include "Scheduler.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

/// COMPUTE_* registers, as offsets of SET_SH_REG packets.
namespace {
enum Register : uint32_t {
  NumThreadX = 0x207, ///< and Y, Z
  PgmLo = 0x20c,
  PgmHi = 0x20d,
  ScratchBaseLo = 0x210,
  ScratchBaseHi = 0x211,
  Rsrc1 = 0x212,
  Rsrc2 = 0x213,
  TmpringSize = 0x218,
  Rsrc3OfGfx10 = 0x228,
  Rsrc3OfGfx9 = 0x22d,
  UserData0 = 0x240,
};
} // namespace

/// Bits of a dispatch's initiator.
static constexpr uint32_t UseThreadDimensions = 1u << 5, Wave32 = 1u << 15;

static constexpr unsigned MaxUserSgprs = 16;

bool Scheduler::vendorPacket(Queue &Q, uint64_t Id, const uint8_t *Packet) {
  enum Format : uint8_t { Pm4Buffer = 1, BarrierValue = 2 };
  const uint8_t Kind = Packet[2];
  if (Kind == BarrierValue) {
    // hsa_amd_barrier_value_packet_t.
    uint64_t Signal;
    int64_t Wanted, Mask;
    uint32_t Condition;
    memcpy(&Signal, Packet + 8, 8);
    memcpy(&Wanted, Packet + 16, 8);
    memcpy(&Mask, Packet + 24, 8);
    memcpy(&Condition, Packet + 32, 4);
    const auto *P =
        Memory.object<uint64_t>(Signal + AmdSignalValue, Access::Read);
    const int64_t Value = P ? int64_t(loadAcquire(P)) & Mask : Wanted;
    switch (Condition) {
    case 0:
      return Value == Wanted;
    case 1:
      return Value != Wanted;
    case 2:
      return Value < Wanted;
    default:
      return Value >= Wanted;
    }
  }
  std::string Why = "vendor packet of format " + std::to_string(Kind);
  if (Kind == Pm4Buffer) {
    // An INDIRECT_BUFFER packet is in words 1 to 4.
    uint32_t Jump[4];
    memcpy(Jump, Packet + 4, sizeof(Jump));
    const uint64_t Address = (Jump[1] & ~3u) | uint64_t(Jump[2]) << 32;
    const uint64_t Words = Jump[3] & 0xfffff;
    switch (Words ? Commands.run(Q, Address, Words, Q.InIndirect, Words, Why)
                  : Pm4::Outcome::Done) {
    case Pm4::Outcome::Done:
      Q.InIndirect = 0;
      return true;
    case Pm4::Outcome::Wait:
      return false;
    case Pm4::Outcome::Dispatch:
      Why = "a dispatch in a vendor packet";
      break;
    case Pm4::Outcome::Error:
      break;
    }
  }
  packetError(Q, kfd::QueuePacketVendorUnsupported, Id, Why);
  return false;
}

bool Scheduler::processCommands(Queue &Q) {
  Q.IsBlocked = false;
  const auto *Write = Memory.object<uint64_t>(Q.WriteIndex, Access::Read);
  auto *Read = Memory.object<uint32_t>(Q.ReadIndex, Access::Atomic);
  const uint64_t Words = Q.RingSize / 4;
  if (Q.Current || !Write || !Read || !Words)
    return false;
  // The program's index counts words and never wraps; the device's wraps.
  const uint64_t End = loadAcquire(Write), Start = Q.WordsDone;
  if (End <= Start)
    return false;
  if (End - Start > Words) {
    packetError(Q, kfd::QueuePacketUnsupported, Start,
                "the write index is beyond the ring");
    return true;
  }
  std::string Why;
  const Pm4::Outcome R =
      Commands.run(Q, Q.Ring, Words, Q.WordsDone, End, Why, Read);
  switch (R) {
  case Pm4::Outcome::Done:
    break;
  case Pm4::Outcome::Wait:
    Q.IsBlocked = true;
    return Q.WordsDone != Start;
  case Pm4::Outcome::Dispatch:
    startCommand(Q);
    break;
  case Pm4::Outcome::Error:
    packetError(Q, kfd::QueuePacketUnsupported, Q.WordsDone, Why);
    break;
  }
  return true;
}

bool Scheduler::startCommand(Queue &Q) {
  auto Get = [&](uint32_t Register) {
    auto It = Q.ShaderRegisters.find(Register);
    return It == Q.ShaderRegisters.end() ? 0u : It->second;
  };
  auto Refuse = [&](kfd::Exception Code, const std::string &Why) {
    packetError(Q, Code, Q.WordsDone, Why);
    return false;
  };
  const Processor &GPU = Q.Agent->Info;
  const uint32_t Initiator = Q.Pm4Dispatch[3];
  auto D = std::make_unique<Dispatch>();
  D->Started = Memory.timestamp();
  D->PacketId = Q.WordsDone;
  D->PacketAddress = Q.Ring;
  KernelPacket &P = D->Packet;
  P.Setup = 3;
  uint64_t Items = 1;
  D->GroupCount = 1;
  for (unsigned I = 0; I < 3; ++I) {
    const uint32_t Threads = Get(NumThreadX + I) & 0xffff;
    const uint64_t Groups =
        Initiator & UseThreadDimensions
            ? (uint64_t(Q.Pm4Dispatch[I]) + Threads - 1) / std::max(Threads, 1u)
            : Q.Pm4Dispatch[I];
    const uint64_t Size =
        Initiator & UseThreadDimensions ? Q.Pm4Dispatch[I] : Groups * Threads;
    if (!Threads || Groups > UINT32_MAX || Size > UINT32_MAX)
      return Refuse(kfd::QueuePacketDispatchDimInvalid,
                    "a dimension of the grid or the workgroup is invalid");
    // As on hardware, a dispatch without work-items does nothing.
    if (!Size)
      return true;
    P.WorkgroupSize[I] = uint16_t(Threads);
    P.GridSize[I] = uint32_t(Size);
    D->Groups[I] = uint32_t(Groups);
    D->GroupCount *= Groups;
    Items *= Threads;
  }
  if (Items > 1024)
    return Refuse(kfd::QueuePacketDispatchWorkGroupSizeInvalid,
                  "a workgroup of " + std::to_string(Items) +
                      " work-items (the device takes 1024)");
  KernelDescriptor Descriptor = {};
  const uint64_t Entry = (Get(PgmLo) | uint64_t(Get(PgmHi) & 0xff) << 32) << 8;
  Descriptor.EntryOffset = int64_t(Entry);
  Descriptor.Rsrc1 = Get(Rsrc1);
  Descriptor.Rsrc2 = Get(Rsrc2);
  Descriptor.Rsrc3 = Get(
      gpu::features(Q.Agent->Info).HasRsrc3OfGfx9 ? Rsrc3OfGfx9 : Rsrc3OfGfx10);
  Descriptor.Properties = Initiator & Wave32 ? 1u << 10 : 0;
  std::string Why;
  if (!D->Kernel.decode(Q.Agent->Target, Descriptor, 0, Why))
    return Refuse(kfd::QueuePacketDispatchCodeInvalid, Why);
  D->Kernel.PreloadCount = std::min(D->Kernel.UserSgprs, MaxUserSgprs);
  for (unsigned I = 0; I < D->Kernel.PreloadCount; ++I)
    D->Kernel.Preload[I] = Get(UserData0 + I);
  D->Lanes = D->Kernel.Lanes;
  D->WavesPerGroup = unsigned((Items + D->Lanes - 1) / D->Lanes);
  P.GroupSize = bits(Descriptor.Rsrc2, 15, 9) * 512;
  D->LDSSize =
      (P.GroupSize + GPU.LocalUnit - 1) / GPU.LocalUnit * GPU.LocalUnit;
  if (D->LDSSize > GPU.LocalBytes)
    return Refuse(kfd::QueuePacketDispatchGroupSegmentSizeInvalid,
                  std::to_string(P.GroupSize) +
                      " bytes of LDS (the device has " +
                      std::to_string(GPU.LocalBytes) + ")");
  D->setScratchRing(Get(TmpringSize), *Q.Agent);
  if (D->Kernel.Scratch) {
    P.PrivateSize = D->WaveScratchSize / D->Lanes;
    D->ScratchBase =
        (Get(ScratchBaseLo) | uint64_t(Get(ScratchBaseHi) & 0xff) << 32) << 8;
    if (P.PrivateSize && D->ScratchSlots < D->WavesPerGroup)
      return Refuse(kfd::QueuePacketDispatchRegisterInvalid,
                    "the queue has too little scratch memory");
  }
  begin(Q, std::move(D));
  return true;
}
