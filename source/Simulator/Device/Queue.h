//===-- Queue.h - GPUs, their queues and what runs in them ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_QUEUE_H
#define WAVELANE_SIMULATOR_DEVICE_QUEUE_H

#include "../Common/Agent.h"
#include "Dispatch.h"

#include "wavelane/Simulator/ISA.h"
#include "wavelane/Simulator/Protocol.h"
#include "wavelane/Simulator/SaveArea.h"

#include <list>
#include <map>
#include <memory>
#include <vector>

namespace wavelane::simulator {

/// One GPU.
struct Agent {
  Agent(const Processor &P, unsigned ComputeUnits, unsigned Index,
        isa::MemoryAccess &Memory);
  AgentDescription describe() const;

  const Processor &Info;
  const unsigned Index;
  const isa::Target Target;
  const savearea::Architecture *const Layout;
  const unsigned Engines, SlotsPerEngine;
  std::unique_ptr<isa::Executor> Executor;
  std::vector<isa::AddressWatch> Watches;
  struct UnitUse {
    unsigned Waves = 0;
    uint32_t LDS = 0;
  };
  std::vector<UnitUse> Units;
  std::vector<std::vector<bool>> SlotUsed; ///< [engine][slot]

  uint32_t gpuId() const { return AgentId + Index; }
};

struct Workgroup;

struct Wave {
  isa::WaveState State;
  Workgroup *Group = nullptr;
  unsigned IndexInGroup = 0;
  unsigned Engine = 0; ///< shader engine
  unsigned Slot = 0;   ///< scratch slot (scoreboard) in the engine
  bool AtBarrier = false;
  bool AtGrid = false;    ///< AtBarrier, and it is the grid's
  bool Signalled = false; ///< s_barrier_signal is done, the barrier is not full
  bool BarrierFull = false; ///< all have signalled; s_barrier_wait passes
  bool StepPending = false; ///< the step trap is due when the barrier is passed
  bool Ended = false;
  /// Its general registers are in the save area, at Record, not in State: it
  /// has not run since its queue was resumed.
  bool IsInArea = false;
  /// Where it was saved last, and with which waves before it: Queue::Layout.
  savearea::WaveRecord Record = {};
  uint64_t Layout = 0;
  QueueErrorEvent Fault = {}; ///< why it was stopped, if it faulted
};

struct Workgroup {
  uint32_t Id[3];
  unsigned ComputeUnit = 0;
  std::vector<uint8_t> LDS;
  /// No wave of it has run since its queue was resumed: LDS is that in the save
  /// area.
  bool IsInArea = false;
  std::vector<std::unique_ptr<Wave>> Waves;
};

/// A kernel dispatch that is being worked on.
struct Dispatch {
  KernelPacket Packet;
  KernelSetup Kernel;
  uint64_t PacketId = 0;
  uint64_t PacketAddress = 0;
  uint64_t Started = 0;
  uint32_t Groups[3];
  uint64_t NextGroup = 0, GroupCount = 0;
  unsigned WavesPerGroup = 0;
  unsigned Lanes = 64;
  uint32_t LDSSize = 0;
  uint32_t WaveScratchSize = 0;
  /// Waves that the grid's barrier waits for, but for the last.
  uint32_t GridCounter = 0;
  std::list<Workgroup> Resident;
};

struct Queue {
  uint32_t Id = 0;
  simulator::Agent *Agent = nullptr;
  CreateQueueRequest Request;
  uint64_t ExceptionStatus = kfd::exceptionMask(kfd::QueueNew);
  bool Suspended = false;
  bool Failed = false;
  bool HasWaveSync = false; ///< AllocateWaveSync
  std::unique_ptr<Dispatch> Current;
  unsigned NextWave = 0;
  /// Counts the layouts of the save area: the waves of one stand where they
  /// stood.
  uint64_t Layout = 0;
  size_t SavedWaves = 0; ///< of the last layout
};

using Agents = std::vector<std::unique_ptr<Agent>>;
using Queues = std::map<uint32_t, std::unique_ptr<Queue>>; ///< by id

/// What the program is told of a queue that an exception \a Code of \a W ends.
QueueErrorEvent describeFault(const Queue &Q, const Wave &W,
                              kfd::Exception Code);

uint64_t nowNs();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_QUEUE_H
