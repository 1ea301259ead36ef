//===-- SchedulerChecks.cpp - what checks observe -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scheduler.h"

#include <algorithm>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

void Scheduler::checkLaunch(Queue &Q) {
  if (!Checks)
    return;
  Dispatch &D = *Q.Current;
  check::Launch L;
  L.Agent = Q.Agent->Index;
  L.Processor = Q.Agent->Target;
  L.Queue = Q.Id;
  L.PacketId = D.PacketId;
  L.KernelObject = D.Packet.KernelObject;
  L.Entry = D.Kernel.Entry;
  L.Kernarg = D.Packet.Kernarg;
  for (unsigned I = 0; I < 3; ++I) {
    L.Grid[I] = D.Packet.GridSize[I];
    L.Workgroup[I] = D.Packet.WorkgroupSize[I];
  }
  L.Groups = D.GroupCount;
  L.WavesPerGroup = D.WavesPerGroup;
  L.LaneCount = D.Lanes;
  L.LocalBytes = D.Packet.GroupSize;
  L.PrivateBytes = D.Packet.PrivateSize;
  if (const uint8_t *Arguments =
          Memory.get(L.Kernarg, D.Kernel.KernargSize, Access::Read))
    L.Arguments.assign(Arguments, Arguments + D.Kernel.KernargSize);
  D.Checked = Checks->launchBegins(std::move(L));
}

void Scheduler::checkWave(Queue &Q, Wave &W, const WavePlace &Place,
                          const InitialRegisters &Set, uint64_t Group,
                          unsigned WavesInGroup) {
  if (!Checks || Repeating)
    return;
  auto Info = std::make_unique<check::WaveInfo>();
  Info->GroupNumber = Group;
  std::copy(Place.Workgroup, Place.Workgroup + 3, Info->Workgroup);
  std::copy(Place.GroupSize, Place.GroupSize + 3, Info->GroupSize);
  Info->WavesInGroup = WavesInGroup;
  Info->SetScalars = Set.Scalars;
  Info->SetVectors = Set.Vectors;
  beginChecking(Q, W, std::move(Info));
}

void Scheduler::beginChecking(Queue &Q, Wave &W,
                              std::unique_ptr<check::WaveInfo> Info) {
  Info->Kernel = Q.Current->Checked;
  Info->Number = Checks->newNumber();
  Info->WaveInGroup = W.IndexInGroup;
  Info->State = &W.State;
  W.State.Owner = Info.get();
  W.Checked = std::move(Info);
  Checks->waveBegins(*W.Checked);
}

void Scheduler::checkLoaded(Queue &Q) {
  if (!Checks || !Q.Current)
    return;
  checkLaunch(Q);
  for (Workgroup &G : Q.Current->Resident) {
    const uint64_t GroupNumber = Checks->newNumber();
    for (auto &W : G.Waves) {
      if (W->Ended)
        continue;
      auto Info = std::make_unique<check::WaveInfo>();
      Info->GroupNumber = GroupNumber;
      for (unsigned I = 0; I < 3; ++I) {
        // A workgroup at the grid's edge may be smaller.
        const uint32_t Size = Q.Current->Packet.WorkgroupSize[I];
        Info->Workgroup[I] = G.Id[I];
        Info->GroupSize[I] = uint32_t(std::min<uint64_t>(
            Size, Q.Current->Packet.GridSize[I] - uint64_t(G.Id[I]) * Size));
      }
      Info->WavesInGroup = unsigned(G.Waves.size());
      Info->HasBegun = true;
      beginChecking(Q, *W, std::move(Info));
    }
  }
  // Instructions of barriers have 4 bytes.
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves)
      if (W->Checked && W->Signaled)
        Checks->arrives(*W->Checked, W->State.PC - 4, /*Grid=*/false);
}

/// Whether a finding's side is of \a W.
static bool isOf(const check::Place &Side, const Wave &W) {
  return W.Checked && Side.Kernel == W.Checked->Kernel &&
         Side.WaveInGroup == W.Checked->WaveInGroup &&
         std::equal(Side.Workgroup, Side.Workgroup + 3, W.Checked->Workgroup);
}

/// The lanes with which \a W takes part in a finding.
static uint64_t lanesOf(const check::ReportedFinding &Finding, const Wave &W) {
  if (isOf(Finding.Here.At, W))
    return Finding.Here.At.Lanes;
  if (Finding.Other && isOf(Finding.Other->At, W))
    return Finding.Other->At.Lanes;
  return 0;
}

void Scheduler::stopAtBarrier(Queue &Q) {
  const check::ReportedFinding *Finding =
      Checks && !Repeating ? Checks->takeStop() : nullptr;
  if (!Finding)
    return;
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves)
      if (const uint64_t Lanes = W->Ended ? 0 : lanesOf(*Finding, *W))
        stopAtFinding(Q, *W, Lanes, Finding->Id);
}

bool Scheduler::endIfStuck(Queue &Q) {
  // A wave that a debugger holds may go on later.
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves)
      if (!W->Ended && W->State.Status & isa::status::Halt)
        return false;
  std::string Why;
  Checks->setStops(Debug.attached());
  if (!Checks->isStuck(nowNs(), [&] { return Memory.hostState(); }, Why))
    return false;
  if (const check::ReportedFinding *Finding = Checks->takeStop()) {
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        if (W->Ended)
          continue;
        const uint64_t Lanes = lanesOf(*Finding, *W);
        stopAtFinding(Q, *W,
                      Lanes ? Lanes
                            : Checks->executingLanes(W->State, W->State.PC),
                      Finding->Id);
      }
    return true;
  }
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves) {
      if (W->Ended)
        continue;
      QueueErrorEvent E = describeFault(Q, *W, kfd::QueueWaveAbort);
      snprintf(E.instruction, sizeof(E.instruction), "%s", Why.c_str());
      failQueue(Q, E);
      return true;
    }
  return false;
}
