//===-- Scheduler.cpp - packets, workgroups and waves ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scheduler.h"
#include "SaveContext.h"
#include "wavelane/Protocol/Device/FaultNotes.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using isa::StepResult;

/// The effects of changing the signal at \a S.
void Scheduler::interruptSignal(uint8_t *S) {
  uint64_t Mailbox;
  uint32_t Event;
  memcpy(&Mailbox, S + AmdSignalMailbox, sizeof(Mailbox));
  memcpy(&Event, S + AmdSignalEvent, sizeof(Event));
  if (auto *Slot =
          Mailbox ? Memory.object<uint64_t>(Mailbox, Access::Write) : nullptr)
    __atomic_store_n(Slot, Event, __ATOMIC_SEQ_CST);
  Memory.interrupt(Mailbox ? Event : 0);
}

void Scheduler::completeSignal(uint64_t Signal, uint64_t Started) {
  if (!Signal)
    return;
  uint8_t *S = Memory.get(Signal, 64, Access::Atomic);
  if (!S || Signal % 64)
    return;
  const uint64_t Ended = Memory.timestamp();
  memcpy(S + AmdSignalStart, &Started, 8);
  memcpy(S + AmdSignalEnd, &Ended, 8);
  __atomic_sub_fetch(reinterpret_cast<int64_t *>(S + AmdSignalValue), 1,
                     __ATOMIC_SEQ_CST);
  interruptSignal(S);
}

uint64_t *Scheduler::indexAt(uint64_t Address, Access Kind) {
  if (Address % alignof(uint64_t))
    return nullptr;
  if (Memory.epoch() != Indices.Epoch)
    Indices = {Memory.epoch(), {}, {}};
  isa::MemorySpan &S =
      Kind == Access::Read ? Indices.ForReading : Indices.ForChanges;
  if (Address - S.Begin >= S.End - S.Begin)
    S = Memory.resolve(Address, Kind);
  return S.Host && S.End - Address >= sizeof(uint64_t)
             ? reinterpret_cast<uint64_t *>(S.Host + (Address - S.Begin))
             : nullptr;
}

bool Scheduler::processPackets(Queue &Q) {
  bool Did = false;
  auto *Write = indexAt(Q.WriteIndex, Access::Read);
  auto *Read = indexAt(Q.ReadIndex, Access::Atomic);
  Q.IsBlocked = Q.WantsScratch && !hasScratch(Q);
  if (Q.IsBlocked)
    return false;
  while (!Q.Current && !Q.Suspended && !Q.Failed && Write && Read) {
    const uint64_t Id = *Read;
    if (Id >= loadAcquire(Write))
      return Did;
    const uint64_t Address = Q.Ring + Id * 64 % Q.RingSize;
    auto *Slot =
        reinterpret_cast<uint16_t *>(Memory.get(Address, 64, Access::Atomic));
    if (!Slot)
      return Did;
    const uint16_t Header = __atomic_load_n(Slot, __ATOMIC_ACQUIRE);
    switch (Header & 0xff) {
    case PacketInvalid:
      return Did; // not written yet
    case PacketKernel:
      if (!Runtime.mayRun())
        return Did;
      Did = true;
      if (!startDispatch(Q, Id, Address) && Q.WantsScratch) {
        Q.IsBlocked = true;
        return Did;
      }
      break;
    case PacketBarrierAnd:
    case PacketBarrierOr: {
      BarrierPacket P;
      memcpy(&P, Slot, sizeof(P));
      bool All = true, Any = false, Some = false;
      for (uint64_t Signal : P.Dependency) {
        if (!Signal)
          continue;
        Some = true;
        auto *Value = Memory.object<uint64_t>(Signal + 8, Access::Read);
        const bool Done = !Value || loadAcquire(Value) == 0;
        All &= Done;
        Any |= Done;
      }
      const bool Ready =
          (Header & 0xff) == PacketBarrierAnd ? All : (Any || !Some);
      if (!Ready) {
        Q.IsBlocked = true;
        return Did;
      }
      Did = true;
      __atomic_store_n(Slot, uint16_t(PacketInvalid), __ATOMIC_RELEASE);
      __atomic_store_n(Read, Id + 1, __ATOMIC_RELEASE);
      completeSignal(P.Completion, Memory.timestamp());
      break;
    }
    case PacketVendor: {
      uint8_t P[64];
      memcpy(P, Slot, sizeof(P));
      if (!vendorPacket(Q, Id, P)) {
        Q.IsBlocked = !Q.Failed;
        return Did;
      }
      Did = true;
      __atomic_store_n(Slot, uint16_t(PacketInvalid), __ATOMIC_RELEASE);
      __atomic_store_n(Read, Id + 1, __ATOMIC_RELEASE);
      uint64_t Completion;
      memcpy(&Completion, P + 56, sizeof(Completion));
      completeSignal(Completion, Memory.timestamp());
      break;
    }
    default:
      packetError(Q, kfd::QueuePacketUnsupported, Id,
                  "packet of type " + std::to_string(Header & 0xff));
      return true;
    }
  }
  return Did;
}

/// The packet needs more private memory than the queue has: asks AMD's runtime
/// for it, which answers by setting the signal to 0.
bool Scheduler::wantScratch(Queue &Q, uint64_t Id, unsigned Lanes) {
  const auto *Field = amdQueueField<uint64_t>(Q, AmdQueueInactiveSignal);
  const uint64_t Signal = Field ? loadAcquire(Field) : 0;
  uint8_t *S = Signal && Signal % 64 == 0
                   ? Memory.get(Signal, 64, Access::Atomic)
                   : nullptr;
  if (!S) {
    packetError(Q, kfd::QueuePacketDispatchRegisterInvalid, Id,
                "the queue has too little scratch memory");
    return false;
  }
  Q.WantsScratch = true;
  __atomic_store_n(reinterpret_cast<int64_t *>(S + AmdSignalValue),
                   Lanes == 64 ? 1 : 0x400, __ATOMIC_SEQ_CST);
  interruptSignal(S);
  return false;
}

/// \return true when the runtime has answered wantScratch().
bool Scheduler::hasScratch(Queue &Q) {
  const auto *Signal = amdQueueField<uint64_t>(Q, AmdQueueInactiveSignal);
  const auto *Value =
      Signal ? Memory.object<uint64_t>(*Signal + AmdSignalValue, Access::Read)
             : nullptr;
  if (Value && loadAcquire(Value) != 0)
    return false;
  Q.WantsScratch = false;
  return true;
}

/// The grid and the workgroups of a packet.
static bool readGrid(Dispatch &D, uint64_t &Items, kfd::Exception &Code,
                     std::string &Why) {
  KernelPacket &P = D.Packet;
  const unsigned Dims = P.Setup & 3;
  Items = D.GroupCount = 1;
  Code = kfd::QueuePacketDispatchDimInvalid;
  for (unsigned I = 0; I < 3; ++I) {
    if (I >= Dims) {
      P.WorkgroupSize[I] = 1;
      P.GridSize[I] = 1;
    }
    if (!P.WorkgroupSize[I] || !P.GridSize[I]) {
      Why = "a dimension of the grid or the workgroup is 0";
      return false;
    }
    Items *= P.WorkgroupSize[I];
    D.Groups[I] = uint32_t((uint64_t(P.GridSize[I]) + P.WorkgroupSize[I] - 1) /
                           P.WorkgroupSize[I]);
    D.GroupCount *= D.Groups[I];
  }
  if (!Dims) {
    Why = "the packet has no dimension";
    return false;
  }
  if (Items > 1024) {
    Code = kfd::QueuePacketDispatchWorkGroupSizeInvalid;
    Why = "a workgroup of " + std::to_string(Items) +
          " work-items (the device takes 1024)";
    return false;
  }
  return true;
}

std::unique_ptr<Dispatch> Scheduler::readDispatch(const Queue &Q, uint64_t Id,
                                                  uint64_t Address,
                                                  kfd::Exception &Code,
                                                  std::string &Why) {
  auto D = std::make_unique<Dispatch>();
  Code = kfd::QueuePacketDispatchCodeInvalid;
  const uint8_t *Packet = Memory.get(Address, 64, Access::Read);
  if (!Packet) {
    Why = "the packet can't be read";
    return nullptr;
  }
  memcpy(&D->Packet, Packet, 64);
  D->PacketId = Id;
  D->PacketAddress = Address;
  D->Started = Memory.timestamp();
  KernelPacket &P = D->Packet;
  uint64_t Items;
  if (!readGrid(*D, Items, Code, Why))
    return nullptr;
  Code = kfd::QueuePacketDispatchCodeInvalid;
  const uint8_t *Raw = Memory.get(P.KernelObject, 64, Access::Read);
  KernelDescriptor Descriptor;
  Why = "there is no kernel descriptor at the packet's address";
  if (Raw && P.KernelObject % 64 == 0)
    memcpy(&Descriptor, Raw, 64);
  if (!Raw || P.KernelObject % 64 ||
      !D->Kernel.decode(Q.Agent->Target, Descriptor, P.KernelObject, Why))
    return nullptr;
  if (unsigned N = D->Kernel.PreloadCount) {
    const uint64_t From = P.Kernarg + 4 * (Descriptor.KernargPreload >> 7);
    const uint8_t *Arguments = Memory.get(From, 4 * N, Access::Read);
    if (!Arguments) {
      Why = "the preloaded arguments cannot be read";
      return nullptr;
    }
    memcpy(D->Kernel.Preload, Arguments, 4 * N);
  }
  const Processor &GPU = Q.Agent->Info;
  D->LDSSize =
      (P.GroupSize + GPU.LocalUnit - 1) / GPU.LocalUnit * GPU.LocalUnit;
  if (P.GroupSize > GPU.LocalBytes) {
    Code = kfd::QueuePacketDispatchGroupSegmentSizeInvalid;
    Why = std::to_string(P.GroupSize) + " bytes of LDS (the device has " +
          std::to_string(GPU.LocalBytes) + ")";
    return nullptr;
  }
  D->Lanes = D->Kernel.Lanes;
  D->WavesPerGroup = unsigned((Items + D->Lanes - 1) / D->Lanes);
  const auto *Ring = amdQueueField<uint32_t>(Q, AmdQueueComputeTmpringSize);
  const auto *Size = amdQueueField<uint64_t>(Q, AmdQueueScratchSize);
  D->setScratchRing(Ring ? __atomic_load_n(Ring, __ATOMIC_RELAXED) : 0,
                    *Q.Agent, Size ? *Size : 0);
  if (const auto *Scratch = amdQueueField<uint64_t>(Q, AmdQueueScratchLocation))
    D->ScratchBase = *Scratch;
  D->GridCounter = uint32_t(D->GroupCount - 1);
  return D;
}

bool Scheduler::startDispatch(Queue &Q, uint64_t Id, uint64_t Address) {
  kfd::Exception Code;
  std::string Why;
  std::unique_ptr<Dispatch> D = readDispatch(Q, Id, Address, Code, Why);
  if (!D) {
    packetError(Q, Code, Id, Why);
    return false;
  }
  const KernelPacket &P = D->Packet;
  if (D->Kernel.Scratch && P.PrivateSize &&
      (uint64_t(P.PrivateSize) * D->Lanes > D->WaveScratchSize ||
       D->ScratchSlots < std::min(D->WavesPerGroup, Q.Agent->SlotsPerEngine)))
    return wantScratch(Q, Id, D->Lanes);
  begin(Q, std::move(D));
  return true;
}

void Scheduler::begin(Queue &Q, std::unique_ptr<Dispatch> D) {
  D->GridCounter = uint32_t(D->GroupCount - 1);
  Q.Current = std::move(D);
  Q.NextWave = 0;
  if (Retry)
    Retry->refresh();
  if (!Order.isUsual())
    chooseOrder(Q);
  if (BeforeDispatch)
    BeforeDispatch();
  checkLaunch(Q);
  if (TheRecorder)
    TheRecorder->starts(Q);
  launchGroups(Q);
}

void Scheduler::launchGroups(Queue &Q) {
  if (Debug.attached() && !Runtime.isUp())
    return;
  Dispatch &D = *Q.Current;
  while (D.NextGroup < D.GroupCount && launchGroup(Q))
    ++D.NextGroup;
}

bool Scheduler::launchGroup(Queue &Q) {
  Dispatch &D = *Q.Current;
  Agent &A = *Q.Agent;
  std::vector<Agent::UnitUse> &Units = A.Units;
  const unsigned Engines = A.Engines;
  // Registers limit the number of waves in a SIMD.
  const gpu::Family &Family = A.Info.family();
  const unsigned Vgprs = D.Kernel.ArchVgprs + D.Kernel.AccVgprs;
  const unsigned Room =
      A.Info.VectorRegisters * Family.defaultLanes() / D.Lanes;
  const unsigned PerSimd =
      std::max(1u, std::min<unsigned>(Family.WavesPerSimd, Room / Vgprs));
  // By the ABI's rules, even a larger workgroup fits a compute unit.
  const unsigned Limit =
      std::max<unsigned>(PerSimd * Family.SimdsPerUnit, D.WavesPerGroup);
  unsigned Unit = 0, Best = ~0u;
  for (unsigned I = 0; I < Units.size(); ++I)
    if ((Q.Units.empty() || Q.Units[I]) &&
        Units[I].Waves + D.WavesPerGroup <= Limit &&
        Units[I].LDS + D.LDSSize <= A.Info.LocalBytes &&
        Units[I].Waves < Best) {
      Unit = I;
      Best = Units[I].Waves;
    }
  if (Best == ~0u)
    return false;
  const unsigned Engine = Unit % Engines;
  llvm::SmallVector<unsigned, 32> Slots;
  // Each wave with private memory occupies one of the queue's scratch slots.
  const unsigned SlotLimit = D.Kernel.Scratch && D.Packet.PrivateSize
                                 ? std::min(A.SlotsPerEngine, D.ScratchSlots)
                                 : A.SlotsPerEngine;
  for (unsigned I = 0; I < SlotLimit && Slots.size() < D.WavesPerGroup; ++I)
    if (!A.SlotUsed[Engine][I])
      Slots.push_back(I);
  if (Slots.size() < D.WavesPerGroup)
    return false;

  D.Saved.clear();
  D.Resident.emplace_back();
  Workgroup &G = D.Resident.back();
  G.ComputeUnit = Unit;
  const uint64_t Number = D.groupAt(D.NextGroup);
  G.Id[0] = uint32_t(Number % D.Groups[0]);
  G.Id[1] = uint32_t(Number / D.Groups[0] % D.Groups[1]);
  G.Id[2] = uint32_t(Number / D.Groups[0] / D.Groups[1]);
  G.LDS.assign(D.LDSSize, 0);
  Units[Unit].Waves += D.WavesPerGroup;
  Units[Unit].LDS += D.LDSSize;

  WavePlace Place = {};
  uint64_t Items = 1;
  D.groupSize(G, Place.GroupSize);
  for (unsigned I = 0; I < 3; ++I) {
    Place.Workgroup[I] = G.Id[I];
    Items *= Place.GroupSize[I];
  }
  Place.PacketAddress = D.PacketAddress;
  Place.QueueAddress = Q.AmdQueue;
  Place.PacketId = D.PacketId;
  Place.RingPackets = uint32_t(Q.RingSize / 64);
  // Each XCC has the queue's scratch memory once.
  Place.ScratchBase = D.ScratchBase + Engine / A.EnginesPerXcc * D.ScratchSize;
  Place.ScratchSize = D.ScratchSize;
  Place.WaveScratchSize = D.WaveScratchSize;
  Place.TrapMask = Debug.TrapMask;

  // A partial workgroup at the grid's edge may have fewer waves.
  const unsigned Count = unsigned((Items + D.Lanes - 1) / D.Lanes);
  G.Waves.reserve(Count);
  const uint64_t GroupNumber = Checks && !Repeating ? Checks->newNumber() : 0;
  for (unsigned I = 0; I < Count; ++I) {
    auto W = std::make_unique<Wave>();
    W->Group = &G;
    W->Number = NextNumber++;
    W->IndexInGroup = I;
    W->Engine = Engine;
    W->Slot = Slots[I];
    A.SlotUsed[Engine][Slots[I]] = true;
    Place.WaveInGroup = I;
    Place.WaveScratch =
        (D.ScratchSlots * (Engine % A.EnginesPerXcc) + W->Slot) *
        D.WaveScratchSize;
    W->State.Processor = A.Target;
    W->State.LaneCount = uint8_t(D.Lanes);
    const InitialRegisters Set =
        initializeScalars(W->State, D.Kernel, D.Packet, Place);
    // Otherwise when it runs, or somebody looks: the memory of a wave that has
    // just ended is in the cache then.
    if (areLookedAt())
      initializeVectors(W->State, D.Kernel, Place.GroupSize, I);
    W->State.LDS = G.LDS.data();
    W->State.LDSSize = uint32_t(G.LDS.size());
    W->State.LdsAlloc = ((D.LDSSize + 511) / 512) << 12;
    W->State.HwId =
        (W->Slot & 15) | (Unit / Engines & 15) << 8 | (Engine << 13);
    W->State.TBA = A.TrapHandler;
    W->State.TMA = A.TrapMemory;
    W->State.Doorbell = uint32_t(Q.Doorbell % driver::DoorbellStride / 8);
    if (Debug.LaunchMode == kfd::LaunchHalt && !Repeating)
      W->State.Status |= isa::status::Halt;
    if (D.LateSeed)
      W->Late.Chance =
          ScheduleRandom(D.LateSeed + Number * D.WavesPerGroup + I);
    checkWave(Q, *W, Place, Set, GroupNumber, Count);
    G.Waves.push_back(std::move(W));
  }
  return true;
}

void Scheduler::freeGroup(Queue &Q, Workgroup &G) {
  Agent::UnitUse &Unit = Q.Agent->Units[G.ComputeUnit];
  Unit.Waves -= Q.Current->WavesPerGroup;
  Unit.LDS -= Q.Current->LDSSize;
  for (auto &W : G.Waves)
    if (!W->Ended) {
      Q.Agent->SlotUsed[W->Engine][W->Slot] = false;
      if (W->Checked)
        Checks->waveEnds(*W->Checked);
    }
}

void Scheduler::endWave(Queue &Q, Wave &W) {
  Q.Current->Saved.clear();
  W.Ended = Q.Current->HasEnded = true;
  constexpr size_t MostFree = 64;
  if (auto &Free = Q.Agent->FreeRegisters;
      !areLookedAt() && Free.size() < MostFree)
    Free.push_back(std::move(W.State.VGPR));
  Q.Agent->SlotUsed[W.Engine][W.Slot] = false;
  if (W.Checked)
    Checks->waveEnds(*W.Checked);
}

/// The trap after a single step, which some GPUs record in TRAPSTS.
void Scheduler::stepTrap(Queue &Q, Wave &W) {
  const int8_t Flag = Q.Agent->Info.family().StepFlag;
  if (Flag >= 0)
    W.State.TrapSts |= 1u << Flag;
  stopWave(Q, W, kfd::QueueWaveTrap, 0, W.State.PC);
}

/// Lets a wave that waits at a barrier continue.
void Scheduler::passBarrier(Queue &Q, Wave &W) {
  Q.Current->Saved.touch(W);
  W.AtBarrier = W.AtGrid = false;
  W.State.Status &= ~isa::status::InBarrier;
  if (W.StepPending) {
    W.StepPending = false;
    stepTrap(Q, W);
  }
}

/// Opens the barrier if every wave that hasn't ended is there. A wave at
/// s_barrier has signaled and waits; s_barrier_signal only signals.
void Scheduler::releaseBarrier(Queue &Q, Workgroup &G) {
  const Wave *Any = nullptr;
  for (auto &W : G.Waves) {
    if (W->Ended)
      continue;
    if (!W->Signaled)
      return;
    Any = W.get();
  }
  if (!Any)
    return;
  if (Any->Checked)
    Checks->released(*Any->Checked, /*Grid=*/false);
  for (auto &W : G.Waves) {
    if (W->Ended)
      continue;
    W->Signaled = false;
    if (W->AtBarrier)
      passBarrier(Q, *W);
    else
      W->BarrierFull = true;
  }
  stopAtBarrier(Q);
}

/// A wave has executed ds_gws_barrier: the one that finds the counter at 0
/// opens the barrier and sets the counter for the next time.
void Scheduler::arriveAtGrid(Queue &Q, Wave &W, uint32_t Count) {
  W.AtBarrier = W.AtGrid = true;
  W.State.Status |= isa::status::InBarrier;
  Dispatch &D = *Q.Current;
  if (D.GridCounter) {
    --D.GridCounter;
    return;
  }
  D.GridCounter = Count;
  if (W.Checked)
    Checks->released(*W.Checked, /*Grid=*/true);
  for (Workgroup &G : D.Resident)
    for (auto &Other : G.Waves)
      if (!Other->Ended && Other->AtGrid)
        passBarrier(Q, *Other);
  stopAtBarrier(Q);
}

/// Stores the lanes that caused a stop for debuggers, in two of the trap
/// handler's registers.
static void noteLanes(Wave &W, uint64_t Lanes) {
  W.State.ttmp()[StopLanesTtmp] = uint32_t(Lanes);
  W.State.ttmp()[StopLanesTtmp + 1] = uint32_t(Lanes >> 32);
}

/// Also stores the address that the first of them couldn't access.
static void noteAccess(Wave &W, uint64_t Lanes, uint64_t Address) {
  noteLanes(W, Lanes);
  W.State.ttmp()[StopAddressTtmp] = uint32_t(Address);
  W.State.ttmp()[StopAddressTtmp + 1] = uint32_t(Address >> 32);
}

bool Scheduler::isDue(Wave &W, StepResult &R) {
  LateFault &Late = *W.Violation;
  Late.Left -= std::min(Late.Left, R.Executed);
  switch (R.Reason) {
  case StepResult::Barrier:
  case StepResult::BarrierSignal:
  case StepResult::BarrierWait:
  case StepResult::GridBarrier:
  case StepResult::GridInit:
  case StepResult::GridAcquire:
  case StepResult::GridRelease:
  case StepResult::EndPgm:
    --R.Executed;
    break;
  case StepResult::MemoryViolation:
  case StepResult::IllegalInstruction:
    break;
  default:
    return false;
  }
  W.State.PC = R.Address;
  R.Reason = StepResult::Continued;
  Late.Left = 0;
  return true;
}

void Scheduler::violates(Queue &Q, Wave &W, const StepResult &R) {
  // The wave is after its instruction; one that can't be read isn't executed.
  const bool IsPassed = R.NextAddress != R.Address;
  W.State.PC = R.NextAddress;
  if (TheRecorder && IsPassed)
    TheRecorder->passes(W, R);
  const bool IsLate = LateFaults && IsPassed && Debug.attached() &&
                      !(Debug.Flags & kfd::SingleMemoryOperation) &&
                      !(W.State.Mode & isa::mode::DebugEn);
  // A scalar access is that of the lanes that execute it.
  StepResult Of = R;
  Of.LaneMask &= W.State.exec();
  if (IsLate)
    W.Violation = std::make_unique<LateFault>(LateFault{Of, LateFaults});
  else
    stopViolation(Q, W, Of);
}

void Scheduler::stopAtFinding(Queue &Q, Wave &W, uint64_t Lanes,
                              unsigned Finding) {
  noteAccess(W, Lanes, Finding);
  stopWave(Q, W, kfd::QueueWaveTrap, CheckTrap, W.State.PC);
}

/// Whether \a Address can't have a page: addresses of global memory have 48
/// bits, sign-extended. The apertures of local and private memory are beyond
/// them.
static bool isBeyondPages(uint64_t Address) {
  return int64_t(Address << 16) >> 16 != int64_t(Address);
}

void Scheduler::stopIllegal(Queue &Q, Wave &W, const StepResult &R) {
  W.State.TrapSts |= isa::trapsts::IllegalInst;
  W.Fault = describeFault(Q, W, kfd::QueueWaveIllegalInstruction);
  W.Fault.pc = R.Address;
  snprintf(W.Fault.instruction, sizeof(W.Fault.instruction), "%s",
           R.Text.c_str());
  W.Fault.is_unmodeled = R.IsUnmodeled;
  stopWave(Q, W, kfd::QueueWaveIllegalInstruction, 0, W.State.PC);
}

void Scheduler::stopWithoutSync(Queue &Q, Wave &W, StepResult &R) {
  W.State.PC = R.Address;
  R.Text += ": the kernel was not launched as a cooperative kernel";
  stopIllegal(Q, W, R);
}

void Scheduler::stopTrap(Queue &Q, Wave &W, const StepResult &R) {
  W.Fault = describeFault(Q, W, kfd::QueueWaveTrap);
  W.Fault.pc = R.Address;
  W.Fault.trap_id = R.Code;
  snprintf(W.Fault.instruction, sizeof(W.Fault.instruction), "s_trap %u",
           R.Code);
  stopWave(Q, W, R.Code == 2 ? kfd::QueueWaveAbort : kfd::QueueWaveTrap,
           R.Code & 15, R.NextAddress);
}

void Scheduler::stopViolation(Queue &Q, Wave &W, const StepResult &R) {
  // Address translation reports missing pages, memory units anything else.
  const bool Beyond = isBeyondPages(R.FaultAddress);
  const kfd::Exception Code =
      Beyond ? kfd::QueueWaveApertureViolation : kfd::QueueWaveMemoryViolation;
  W.State.TrapSts |=
      isa::trapsts::MemViol | (Beyond ? 0 : isa::trapsts::XnackError);
  W.Fault = describeFault(Q, W, Code);
  W.Fault.pc = R.Address;
  W.Fault.address = R.FaultAddress;
  W.Fault.write =
      R.FaultAccess == Access::Write || R.FaultAccess == Access::Atomic;
  // Instructions are fetched for the wave, not for single lanes.
  noteAccess(W, R.FaultAccess == Access::Execute ? 0 : R.LaneMask,
             R.FaultAddress);
  W.State.ttmp()[StopDistanceTtmp] = uint32_t(W.State.PC - R.Address);
  if (!Beyond)
    Debug.raiseViolation(*Q.Agent,
                         describeViolation(Q, R.FaultAddress, W.Fault.write));
  stopWave(Q, W, Code, 0, W.State.PC);
}

kfd::MemoryExceptionData
Scheduler::describeViolation(const Queue &Q, uint64_t Address, bool Write) {
  const bool IsThere =
      Memory.of(Q.Agent->Index).resolve(Address, Access::Read).Host;
  kfd::MemoryExceptionData V = {};
  V.not_present = !IsThere;
  V.read_only = IsThere && Write;
  V.no_execute = IsThere && !Write;
  V.va = Address / PageSize * PageSize;
  V.gpu_id = Q.Agent->gpuId();
  return V;
}

bool Scheduler::waitOrEnd(Queue &Q, Wave &W, const StepResult &R, bool &Step) {
  switch (R.Reason) {
  case StepResult::Barrier:
    if (W.Checked)
      Checks->arrives(*W.Checked, R.Address, /*Grid=*/false);
    W.AtBarrier = W.Signaled = true;
    W.State.Status |= isa::status::InBarrier;
    W.StepPending = std::exchange(Step, false);
    releaseBarrier(Q, *W.Group);
    return true;
  case StepResult::BarrierSignal:
    if (W.Checked)
      Checks->arrives(*W.Checked, R.Address, /*Grid=*/false);
    W.Signaled = true;
    releaseBarrier(Q, *W.Group);
    return true;
  case StepResult::BarrierWait:
    if (std::exchange(W.BarrierFull, false))
      return true;
    W.AtBarrier = true;
    W.State.Status |= isa::status::InBarrier;
    W.StepPending = std::exchange(Step, false);
    return true;
  case StepResult::GridBarrier:
    W.StepPending = std::exchange(Step, false);
    if (W.Checked)
      Checks->arrives(*W.Checked, R.Address, /*Grid=*/true);
    arriveAtGrid(Q, W, R.Code);
    return true;
  case StepResult::GridInit:
    Q.GridSemaphore = R.Code;
    return true;
  case StepResult::GridRelease:
    ++Q.GridSemaphore;
    return true;
  case StepResult::GridAcquire:
    if (Q.GridSemaphore)
      --Q.GridSemaphore;
    else
      W.State.PC = R.Address;
    return true;
  case StepResult::EndPgm:
    endWave(Q, W);
    if (!Q.Failed)
      releaseBarrier(Q, *W.Group);
    return true;
  default:
    return false;
  }
}

void Scheduler::repeat(Queue &Q, Wave &W, const StepResult &R) {
  bool Step = false;
  waitOrEnd(Q, W, R, Step);
}

bool Scheduler::canRun(const Wave &W) {
  return !W.Ended && !W.AtBarrier && !(W.State.Status & isa::status::Halt);
}

bool Scheduler::prepareTurn(Queue &Q, Wave &W) {
  if (TheRecorder ? TheRecorder->load(Q, W) : loadWave(Memory, Q, W))
    return true;
  Debug.raise(Q, kfd::exceptionMask(kfd::QueuePreemptionError));
  failQueue(Q, describeFault(Q, W, kfd::QueuePreemptionError));
  return false;
}

bool Scheduler::runWave(Queue &Q, Wave &W, uint64_t &Executed, uint64_t Length,
                        uint64_t Overtime) {
  if (!prepareTurn(Q, W))
    return true;
  if (W.Violation) {
    if (!W.Violation->Left) {
      stopViolation(Q, W, std::exchange(W.Violation, nullptr)->Of);
      return true;
    }
    Length = std::min(Length, W.Violation->Left);
    Overtime = 0;
  }
  if (W.Checked) {
    Checks->setStops(Debug.attached());
    Checks->waveRuns(*W.Checked, *Q.Agent->Executor);
  }
  observeStores(Q, W);
  if (TheRecorder)
    TheRecorder->begins(Q, W);
  Q.Agent->Executor->setLanesReversed(Q.Current->LanesReversed);
  StepResult R = W.Ahead.empty()
                     ? Q.Agent->Executor->run(W.State, Length,
                                              /*PassBreak=*/false, Overtime)
                     : takeAhead(Q, W, Length, Overtime);
  if (W.Violation && isDue(W, R))
    R.StepTrap = false;
  if (TheRecorder)
    TheRecorder->ends(W, R);
  Executed += R.Executed + 1;
  return endTurn(Q, W, R);
}

bool Scheduler::endTurn(Queue &Q, Wave &W, StepResult &R) {
  bool Step = R.StepTrap;
  bool Worked = true;
  switch (R.Reason) {
  case StepResult::Continued:
  case StepResult::Break:
  case StepResult::Ordered:
    break;
  case StepResult::Sleep:
    Worked = R.Executed > 64;
    break;
  case StepResult::GridInit:
  case StepResult::GridAcquire:
  case StepResult::GridRelease:
    if (!Q.HasWaveSync) {
      stopWithoutSync(Q, W, R);
      return true;
    }
    waitOrEnd(Q, W, R, Step);
    if (W.State.PC == R.Address) {
      Worked = R.Executed > 64; // it tries again
      if (TheRecorder)
        TheRecorder->goesBack(W);
    }
    break;
  case StepResult::GridBarrier:
    if (!Q.HasWaveSync) {
      stopWithoutSync(Q, W, R);
      return true;
    }
    waitOrEnd(Q, W, R, Step);
    break;
  case StepResult::Barrier:
  case StepResult::BarrierSignal:
  case StepResult::BarrierWait:
  case StepResult::EndPgm:
    waitOrEnd(Q, W, R, Step);
    break;
  case StepResult::SendMsg:
    if ((R.Code & 15) == 1) // MSG_INTERRUPT
      Memory.interrupt(W.State.m0() & 0xffffff);
    break;
  case StepResult::Halt:
    break;
  case StepResult::Observed: {
    if (const check::ReportedFinding *Finding = Checks->takeStop())
      stopAtFinding(Q, W, Finding->Here.At.Lanes, Finding->Id);
    return true;
  }
  case StepResult::SingleStep:
    Step = true;
    break;
  case StepResult::Trap:
    W.State.PC = R.NextAddress;
    // Breakpoint and debug trap are ignored without a debugger.
    if (!Debug.attached() && (R.Code == 1 || R.Code == 3) && !hasHandler(Q))
      break;
    stopTrap(Q, W, R);
    return true;
  case StepResult::IllegalInstruction:
    stopIllegal(Q, W, R);
    return true;
  case StepResult::MemoryViolation:
    if (Retry &&
        Retry->shouldWait(Q.Agent->Index, R.FaultAddress, R.FaultAccess)) {
      Worked = R.Executed > 0;
      if (TheRecorder)
        TheRecorder->goesBack(W);
      break;
    }
    violates(Q, W, R);
    return true;
  case StepResult::FPException:
    W.State.TrapSts |= R.Code & isa::trapsts::ExcpMask;
    W.Fault = describeFault(Q, W, kfd::QueueWaveMathError);
    W.Fault.pc = R.Address;
    noteLanes(W, R.LaneMask);
    stopWave(Q, W, kfd::QueueWaveMathError, 0, W.State.PC);
    return true;
  case StepResult::Watch:
    if (!(W.State.Mode & 1u << 19))
      break; // the wave doesn't trap on watches
    for (unsigned I = 0; I < 4; ++I)
      if (R.Code & 1u << I)
        W.State.TrapSts |= I ? 1u << (11 + I) : 1u << 7;
    noteLanes(W, R.LaneMask);
    stopWave(Q, W, kfd::QueueWaveTrap, 0, W.State.PC);
    return true;
  }
  if (Step && !W.Ended)
    stepTrap(Q, W);
  return Worked;
}

bool Scheduler::runWaves(Queue &Q, bool IsAlone, bool &Waiting) {
  if (!Order.isUsual())
    return runInOrder(Q, Waiting);
  uint64_t MayShare = IsAlone ? MostAhead : 0;
  bool Worked = runRound(Q, MayShare, Waiting);
  // Nobody else looks at waves that have executed turns ahead.
  while (Q.Current && !Q.Failed && Q.Current->TurnsAhead)
    Worked |= runRound(Q, MayShare, Waiting);
  return Worked;
}

bool Scheduler::runRound(Queue &Q, uint64_t &MayShare, bool &Waiting) {
  Waiting = false;
  bool Worked = false;
  // End a long round early to answer debuggers; the next round continues with
  // the wave whose turn it is.
  uint64_t Executed = 0;
  unsigned Turn = 0;
  bool Cut = false;
  const bool Shares = canShare(Q);
  if (Q.Current->RoundsAlone)
    --Q.Current->RoundsAlone;
  for (Workgroup &G : Q.Current->Resident) {
    for (auto &W : G.Waves) {
      // A turn executed ahead may have halted the wave.
      if (Turn++ < Q.NextWave || (W->Ahead.empty() && !canRun(*W)))
        continue;
      if (TheRecorder)
        TheRecorder->makeDueSnapshot();
      if (Shares && W->Ahead.empty()) {
        // As many as have their turn before the round may end.
        const uint64_t Due =
            (RoundLength - 1 - Executed) / (Slice + Overtime + 1);
        runAhead(Q, Turn - 1, std::max(Due, MayShare),
                 MayShare > Due ? MostAheadOfWave : 1);
      }
      MayShare -= MayShare != 0;
      Worked |= runWave(Q, *W, Executed, Slice, Overtime);
      if (Q.Failed)
        return true;
      Waiting |= canRun(*W);
      if ((Cut = Executed >= RoundLength))
        break;
    }
    if (Cut)
      break;
  }
  noteInstructions(*Q.Current, Executed);
  if (Q.NextWave || Cut)
    Worked = true; // some waves haven't had their turn
  Q.NextWave = Cut ? Turn : 0;
  reapGroups(Q);
  return Worked;
}

void Scheduler::reapGroups(Queue &Q) {
  Dispatch &D = *Q.Current;
  if (!std::exchange(D.HasEnded, false) && !D.Resident.empty())
    return;
  auto IsDone = [](const Workgroup &G) {
    return std::all_of(G.Waves.begin(), G.Waves.end(),
                       [](const std::unique_ptr<Wave> &W) { return W->Ended; });
  };
  if (TheRecorder && (D.Resident.empty() || llvm::any_of(D.Resident, IsDone)))
    TheRecorder->reaps(Q);
  bool Freed = false;
  size_t Before = 0;
  for (auto It = D.Resident.begin(); It != D.Resident.end();) {
    if (!IsDone(*It)) {
      Before += It->Waves.size();
      ++It;
      continue;
    }
    // The wave whose turn is next keeps it.
    if (Before < Q.NextWave)
      Q.NextWave -= unsigned(std::min(It->Waves.size(), Q.NextWave - Before));
    freeGroup(Q, *It);
    It = D.Resident.erase(It);
    Freed = true;
  }
  if (Freed || D.Resident.empty())
    launchGroups(Q);
  if (D.Resident.empty() && D.NextGroup == D.GroupCount)
    finishDispatch(Q);
}

void Scheduler::finishDispatch(Queue &Q) {
  std::unique_ptr<Dispatch> D = std::move(Q.Current);
  if (Repeating)
    return;
  if (D->Checked)
    Checks->launchEnds(D->Checked);
  if (Q.Kind == QueueKind::Pm4)
    return; // its packet has been consumed
  auto *Read = Memory.object<uint64_t>(Q.ReadIndex, Access::Atomic);
  // In a new future of an earlier dispatch, the program knows of its end.
  if (Read && loadAcquire(Read) > D->PacketId)
    return;
  if (auto *Slot = reinterpret_cast<uint16_t *>(
          Memory.get(D->PacketAddress, 64, Access::Atomic)))
    __atomic_store_n(Slot, uint16_t(PacketInvalid), __ATOMIC_RELEASE);
  if (Read)
    __atomic_store_n(Read, D->PacketId + 1, __ATOMIC_RELEASE);
  completeSignal(D->Packet.Completion, D->Started);
}

void Scheduler::abandon(Queue &Q) {
  if (!Q.Current)
    return;
  if (TheRecorder)
    TheRecorder->abandons(Q);
  for (Workgroup &G : Q.Current->Resident)
    freeGroup(Q, G);
  if (Q.Current->Checked)
    Checks->launchEnds(Q.Current->Checked);
  Q.Current.reset();
}

void Scheduler::forget(Dispatch &D) {
  for (Workgroup &G : D.Resident)
    for (auto &W : G.Waves)
      if (!W->Ended && W->Checked)
        Checks->waveEnds(*W->Checked);
  if (D.Checked)
    Checks->launchEnds(D.Checked);
}

void Scheduler::packetError(Queue &Q, kfd::Exception Code, uint64_t Id,
                            const std::string &Why) {
  QueueErrorEvent E = {};
  E.queue_id = Q.Id;
  E.exception = Code;
  E.packet_id = Id;
  snprintf(E.instruction, sizeof(E.instruction), "%s", Why.c_str());
  Debug.raise(Q, kfd::exceptionMask(Code));
  failQueue(Q, E);
}

void Scheduler::failQueue(Queue &Q, const QueueErrorEvent &Event) {
  Q.Failed = true;
  if (Checks)
    Checks->failed();
  Runtime.ReportError(Q, Event);
  Memory.interrupt(0);
}

void simulator::markStopped(const Queue &Q, Wave &W, unsigned TrapId,
                            uint64_t PC) {
  // As the trap handler does: the trap's number and the former halt bit go into
  // ttmp6, and on GPUs that park stopped waves, the PC goes into ttmp7 (gfx12:
  // 10) and ttmp11.
  uint32_t *T = W.State.ttmp();
  const gpu::Family &Family = Q.Agent->Info.family();
  if (Family.ParksSince >= 0) {
    T[Family.HasStatePriv ? 10 : 7] = uint32_t(PC);
    T[11] = (T[11] & ~(0xffffu << 7)) | (uint32_t(PC >> 32) & 0xffff) << 7;
  }
  T[6] = (T[6] & ~(0x3fu << 25)) | (TrapId & 15) << 25 |
         (W.State.Status & isa::status::Halt ? 1u << 29 : 0) | 1u << 30;
  W.State.PC = PC;
  W.State.Status |= isa::status::Halt | isa::status::SkipExport;
}

void Scheduler::stopWave(Queue &Q, Wave &W, kfd::Exception Code,
                         unsigned TrapId, uint64_t PC) {
  letStoresArrive(Q, W);
  if (hasHandler(Q) && TrapId != CheckTrap) {
    if (!W.Fault.exception)
      W.Fault = describeFault(Q, W, Code);
    W.Fault.exception = Code;
    callHandler(Q, W, TrapId, TrapId ? PC - 4 : PC, /*IsHost=*/false);
    return;
  }
  if (!Debug.attached()) {
    if (!W.Fault.exception)
      W.Fault = describeFault(Q, W, Code);
    W.Fault.exception = Code;
    failQueue(Q, W.Fault);
    return;
  }
  markStopped(Q, W, TrapId, PC);
  Debug.raise(Q, kfd::exceptionMask(Code));
}

Scheduler::Round Scheduler::run(Queue &Q, bool IsAlone) {
  Round R;
  if (Q.Failed) {
    if (!Q.KeepsWaves)
      abandon(Q);
    return R;
  }
  if (Q.Suspended || Q.Paused)
    return R;
  R.Worked = Q.Kind == QueueKind::Pm4 ? processCommands(Q) : processPackets(Q);
  // Not every program notifies the device of its writes.
  R.Waiting = Q.IsBlocked && Runtime.WritesQuietly;
  if (!Q.Current || Q.Failed)
    return R;
  bool Waiting = false;
  const bool Ran = runWaves(Q, IsAlone, Waiting);
  R.Worked |= Ran || !Q.Current;
  if (Checks && Q.Current && endIfStuck(Q))
    return R;
  R.Waiting |= Checks && Checks->checksSync();
  R.Waiting |= Q.Current && !Ran && Waiting;
  return R;
}
