//===-- Queue.cpp - GPUs, their queues and what runs in them --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Queue.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace wavelane;
using namespace wavelane::simulator;

uint64_t simulator::nowNs() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000000000u + uint64_t(T.tv_nsec);
}

Agent::Agent(const Processor &P, unsigned ComputeUnits, unsigned Index,
             isa::MemoryAccess &Memory)
    : Info(P), Index(Index), Target(P.Id), Memory(Memory),
      Layout(savearea::findByName(P.Name)), Xccs(numberOfXccs(P, ComputeUnits)),
      EnginesPerXcc(shaderEngines(P, ComputeUnits)),
      Engines(Xccs * EnginesPerXcc),
      SlotsPerEngine((ComputeUnits + Engines - 1) / Engines *
                     P.family().wavesPerUnit()),
      Executor(std::make_unique<isa::Executor>(Target, Memory)), Watches(4),
      Units(ComputeUnits),
      SlotUsed(Engines, std::vector<bool>(SlotsPerEngine)) {}

void simulator::beginVectors(const Queue &Q, Wave &W) {
  if (!W.State.VGPR.empty() || W.Ended || !Q.Current)
    return;
  auto &Free = Q.Agent->FreeRegisters;
  if (!Free.empty()) {
    W.State.VGPR = std::move(Free.back());
    Free.pop_back();
  }
  uint32_t Size[3];
  Q.Current->groupSize(*W.Group, Size);
  initializeVectors(W.State, Q.Current->Kernel, Size, W.IndexInGroup);
}

void Agent::forEachExecutor(llvm::function_ref<void(isa::Executor &)> Do) {
  Do(*Executor);
  for (auto &Each : MoreExecutors)
    Do(*Each);
}

static void translate(isa::Executor &E, bool On, bool IsVerified) {
  // Also what a short program runs a few times.
  constexpr unsigned Soon = 4;
  if (IsVerified)
    E.setTranslation(On, Soon);
  else
    E.setTranslation(On);
  E.setVerification(IsVerified);
}

void Agent::setTranslation(bool On, bool IsVerified) {
  Translates = On;
  Verifies = IsVerified;
  forEachExecutor([&](isa::Executor &E) { translate(E, On, IsVerified); });
}

void Agent::setRetries(bool On) {
  Retries = On;
  forEachExecutor([&](isa::Executor &E) { E.setRetries(On); });
}

void DispatchParts::setScratchRing(uint32_t Ring, const Agent &On,
                                   uint64_t Stated) {
  // Bits 0-11: number of waves, of an XCC or of a shader engine. From bit 12:
  // size of a wave, in units of 256 or 1024 bytes.
  const bool PerEngine = On.Info.family().CountsScratchPerEngine;
  const unsigned Slots = Ring & 0xfff;
  const uint32_t WaveSize =
      PerEngine ? (Ring >> 12 & 0x7fff) * 256 : (Ring >> 12 & 0x1fff) * 1024;
  ScratchSize = savearea::scratchSize(On.Info, Ring, On.EnginesPerXcc, Stated);
  if (Kernel.Scratch) {
    WaveScratchSize = WaveSize;
    ScratchSlots = PerEngine ? Slots : Slots / On.EnginesPerXcc;
  }
}

isa::Executor &Agent::executor(unsigned Thread) {
  while (MoreExecutors.size() < Thread) {
    MoreExecutors.push_back(std::make_unique<isa::Executor>(Target, Memory));
    translate(*MoreExecutors.back(), Translates, Verifies);
    MoreExecutors.back()->setRetries(Retries);
  }
  return Thread ? *MoreExecutors[Thread - 1] : *Executor;
}

AgentDescription Agent::describe() const {
  const unsigned ComputeUnits = unsigned(Units.size());
  AgentDescription R = {};
  snprintf(R.processor, sizeof(R.processor), "%s", Info.Name);
  snprintf(R.target_id, sizeof(R.target_id), "%s", Info.targetId().c_str());
  R.elf_machine = Info.ElfMachine;
  R.wavefront_size = Info.family().defaultLanes();
  R.compute_units = ComputeUnits;
  R.shader_engines = EnginesPerXcc;
  R.simds_per_cu = Info.family().SimdsPerUnit;
  R.waves_per_simd = Info.family().WavesPerSimd;
  R.lds_bytes_per_cu = Info.LocalBytes;
  R.max_waves = Engines * SlotsPerEngine;
  // For each XCC a header, a control stack with a state word for each wave,
  // then waves of the maximum size (512 vector registers, 128 SGPRs, ttmps and
  // so on), LDS, and the debugger's memory (see SaveContext.h). With several
  // XCCs, all waves being that large wouldn't fit the program's memory: at most
  // one workgroup of 16 in a compute unit is.
  const unsigned Large = Xccs > 1 ? R.max_waves / 2 : R.max_waves;
  R.save_area_size = uint64_t(Xccs) * 65536 + uint64_t(Large) * 512 * 256 +
                     uint64_t(R.max_waves) * (128 * 4 + 192 + 32) +
                     uint64_t(ComputeUnits) * Info.LocalBytes;
  R.save_area_size = (R.save_area_size + PageSize - 1) / PageSize * PageSize;
  R.device = describeAgent(Info, ComputeUnits, Index);
  return R;
}

void Queue::divideSaveArea(uint64_t Size) {
  DebuggerSize =
      (uint64_t(Agent->Engines) * Agent->SlotsPerEngine * 32 + PageSize) /
          PageSize * PageSize +
      PageSize;
  SaveSize = (Size - DebuggerSize) / Agent->Xccs / PageSize * PageSize;
}

QueueErrorEvent simulator::describeFault(const Queue &Q, const Wave &W,
                                         kfd::Exception Code) {
  QueueErrorEvent E = {};
  E.queue_id = Q.Id;
  E.exception = Code;
  E.pc = W.State.PC;
  E.kernel_object = Q.Current->Packet.KernelObject;
  E.packet_id = Q.Current->PacketId;
  std::copy(W.Group->Id, W.Group->Id + 3, E.workgroup);
  E.wave_in_group = W.IndexInGroup;
  return E;
}
