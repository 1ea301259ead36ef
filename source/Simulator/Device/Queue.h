//===-- Queue.h - GPUs, their queues and what runs in them ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_QUEUE_H
#define WAVELANE_SIMULATOR_DEVICE_QUEUE_H

#include "Dispatch.h"
#include "Schedule.h"
#include "Simulator/Check/Check.h"
#include "Simulator/Common/Agent.h"

#include "wavelane/Formats/SaveArea/SaveArea.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/ISA/ISA.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace wavelane::simulator {

/// What the program's threads have stored there, with all that came before.
inline uint64_t loadAcquire(const uint64_t *P) {
  return __atomic_load_n(P, __ATOMIC_ACQUIRE);
}

/// One GPU.
struct Agent {
  Agent(const Processor &P, unsigned ComputeUnits, unsigned Index,
        isa::MemoryAccess &Memory);
  AgentDescription describe() const;

  const Processor &Info;
  const unsigned Index;
  const isa::Target Target;
  isa::MemoryAccess &Memory; ///< as its waves access it
  const savearea::Architecture *const Layout;
  /// The engines of all XCCs are numbered together.
  const unsigned Xccs, EnginesPerXcc, Engines, SlotsPerEngine;
  std::unique_ptr<isa::Executor> Executor;
  /// Of further threads, made when they are asked for.
  std::vector<std::unique_ptr<isa::Executor>> MoreExecutors;
  /// What each executor does.
  bool Translates = false, Verifies = false, Retries = false;
  std::vector<isa::AddressWatch> Watches;
  struct UnitUse {
    unsigned Waves = 0;
    uint32_t LDS = 0;
  };
  std::vector<UnitUse> Units;
  std::vector<std::vector<bool>> SlotUsed; ///< [engine][slot]
  /// Vector registers of waves that have ended, for those that begin next.
  std::vector<std::vector<uint32_t>> FreeRegisters;
  uint64_t ExceptionStatus = 0; ///< of the GPU itself, for a debugger
  kfd::MemoryExceptionData Violation = {}; ///< the last one
  /// The program's trap handler and its memory; 0 if it has none.
  uint64_t TrapHandler = 0, TrapMemory = 0;

  uint32_t CoreId = 0; ///< in the core file that it simulates; 0: there is none

  void setTranslation(bool On, bool IsVerified);
  void setRetries(bool On);
  /// \param Thread  0 has Executor.
  isa::Executor &executor(unsigned Thread);
  void forEachExecutor(llvm::function_ref<void(isa::Executor &)> Do);
  uint32_t gpuId() const { return CoreId ? CoreId : AgentId + Index; }
};

struct Workgroup;

/// A store that has been executed, and that only its wave knows of yet.
struct LateStore {
  static constexpr unsigned MostBytes = 16;
  uint64_t Address = 0; ///< global
  uint8_t Size = 0;     ///< in bytes
  uint8_t Left = 0;     ///< after so many memory instructions it arrives
  uint8_t Bytes[MostBytes] = {};
};

/// What a wave's stores wait for (LateStores.h), in the order of execution.
struct LateWave {
  ScheduleRandom Chance;
  std::vector<LateStore> Stores;
};

/// A wave, but for what others attach to it.
struct WaveParts {
  isa::WaveState State;
  Workgroup *Group = nullptr;
  uint32_t Number = 0; ///< of its device's waves, the same when it is repeated
  unsigned IndexInGroup = 0;
  unsigned Engine = 0; ///< shader engine
  unsigned Slot = 0;   ///< scratch slot (scoreboard) in the engine
  bool AtBarrier = false;
  bool AtGrid = false;      ///< AtBarrier, at the grid's barrier
  bool Signaled = false;    ///< s_barrier_signal was executed, and the barrier
                            ///< isn't full
  bool BarrierFull = false; ///< all have signaled; s_barrier_wait passes
  bool StepPending = false; ///< the step trap is due when the wave passes the
                            ///< barrier
  bool Ended = false;
  uint32_t HeldRounds = 0; ///< for which a schedule doesn't run it
  LateWave Late;
  /// Its general registers are in the save area, at Record, not in State: it
  /// hasn't run since its queue was resumed.
  bool IsInArea = false;
  /// Its general registers in the save area are up to date, or newer than State
  /// (IsInArea). A debugger may have them written when it needs them.
  bool IsSaved = false;
  /// Where it was saved last, from the beginning of the first XCC's area; valid
  /// for one layout (Queue::Layout).
  savearea::WaveRecord Record = {};
  uint64_t Layout = 0;
  uint32_t Place = 0; ///< in SavedPlaces::Waves
  /// It has run, or was changed, since it was saved there (SavedPlaces).
  bool IsTouched = false;
  QueueErrorEvent Fault = {}; ///< why it was stopped, if it faulted
  /// While it is recorded: where it is in its own code, whatever a debugger has
  /// put there or executes elsewhere in its place.
  std::optional<uint64_t> OwnPC;
  /// The address in the debugger's memory from which it executes an instruction
  /// of OwnPC; 0 if it doesn't.
  uint64_t Displaced = 0;
  bool IsChanged = false; ///< a debugger has written its control registers
};

/// An access that has failed, while its wave goes on.
struct LateFault {
  isa::StepResult Of;
  uint64_t Left = 0; ///< after so many instructions, it stops the wave
};

/// What the next turns of a wave end with, which were executed before they are
/// due.
class AheadTurns {
public:
  bool empty() const { return Next == Turns.size(); }
  size_t size() const { return Turns.size() - Next; }
  llvm::ArrayRef<isa::StepResult> turns() const {
    return llvm::ArrayRef(Turns).drop_front(Next);
  }
  void push(isa::StepResult R) { Turns.push_back(std::move(R)); }
  isa::StepResult pop() {
    isa::StepResult R = std::move(Turns[Next++]);
    if (empty()) {
      Turns.clear();
      Next = 0;
    }
    return R;
  }

private:
  llvm::SmallVector<isa::StepResult, 0> Turns;
  size_t Next = 0; ///< those before have been taken
};

struct Wave : WaveParts {
  AheadTurns Ahead;
  std::unique_ptr<LateFault> Violation;     ///< null: none that is due later
  std::unique_ptr<check::WaveInfo> Checked; ///< null if nothing is checked
};

/// A workgroup without its waves.
struct WorkgroupParts {
  uint32_t Id[3];
  unsigned ComputeUnit = 0;
  std::vector<uint8_t> LDS;
  /// None of its waves has run since its queue was resumed: its LDS is in the
  /// save area.
  bool IsInArea = false;
  bool IsSaved = false; ///< the LDS in the save area is up to date
};

struct Workgroup : WorkgroupParts {
  std::vector<std::unique_ptr<Wave>> Waves;
};

/// A kernel dispatch in progress, without its waves.
struct DispatchParts {
  KernelPacket Packet;
  KernelSetup Kernel;
  uint64_t PacketId = 0;
  uint64_t PacketAddress = 0;
  uint64_t Started = 0;
  uint32_t Groups[3];
  uint64_t NextGroup = 0, GroupCount = 0;
  /// The order in which workgroups begin.
  uint64_t FirstGroup = 0, GroupStep = 1;
  uint64_t Executed = 0;      ///< instructions of all waves
  unsigned RoundsAlone = 0;   ///< for which one thread executes them
  unsigned PoorShares = 0;    ///< how often several threads haven't paid
  bool LanesReversed = false; ///< its stores and atomics begin with the last
                              ///< lane
  uint64_t LateSeed = 0;      ///< of what its waves store late; 0: nothing
  /// The size of \a G in work-items: less than others at the grid's edge.
  void groupSize(const WorkgroupParts &G, uint32_t (&Size)[3]) const {
    for (unsigned I = 0; I < 3; ++I)
      Size[I] = std::min<uint32_t>(
          Packet.WorkgroupSize[I],
          Packet.GridSize[I] - G.Id[I] * uint32_t(Packet.WorkgroupSize[I]));
  }
  /// The workgroup that begins after \a Before others.
  uint64_t groupAt(uint64_t Before) const {
    return (Before * GroupStep + FirstGroup) % GroupCount;
  }
  unsigned WavesPerGroup = 0;
  unsigned Lanes = 64;
  uint32_t LDSSize = 0;
  uint32_t WaveScratchSize = 0;
  uint64_t ScratchBase = 0, ScratchSize = 0; ///< of the queue, in each XCC
  unsigned ScratchSlots = 0; ///< waves with private memory per shader engine
  /// Takes the sizes of the waves' private memory from COMPUTE_TMPRING_SIZE.
  /// \param Stated What amd_queue_t says of the queue's in each XCC; see
  ///     savearea::scratchSize().
  void setScratchRing(uint32_t Ring, const Agent &On, uint64_t Stated = 0);
  /// The number of waves that the grid's barrier waits for, minus one.
  uint32_t GridCounter = 0;
};

/// The waves of a dispatch in the save area. Of thousands, few run between two
/// suspensions: the others are neither saved nor read again.
struct SavedPlaces {
  uint64_t Layout = 0; ///< Queue::Layout; others are out of date
  /// In the order of areas and records; empty if a wave has begun or ended.
  std::vector<Wave *> Waves;
  std::vector<Wave *> Touched;
  /// What the last save has written, as indices of Waves; none: all.
  std::optional<std::vector<uint32_t>> Written;
  /// What a debugger has changed since; none if it may have changed all.
  std::optional<std::vector<uint32_t>> Changed;
  /// Called when a wave begins or ends, or many change.
  void clear() {
    if (Layout || !Waves.empty() || Written || Changed)
      *this = SavedPlaces();
  }
  /// \return false if there are no such waves.
  bool setChanged(std::vector<uint32_t> Places) {
    for (uint32_t Place : Places)
      if (Place >= Waves.size())
        return false;
    Changed = std::move(Places);
    return true;
  }
  /// Called before a wave runs, and when its control registers change.
  void touch(Wave &W) {
    if (!Waves.empty() && !std::exchange(W.IsTouched, true))
      Touched.push_back(&W);
  }
};

struct Dispatch : DispatchParts {
  std::list<Workgroup> Resident;
  /// A wave may have ended since the last search for workgroups that are done.
  bool HasEnded = true;
  check::LaunchRef Checked; ///< null if nothing is checked
  SavedPlaces Saved;
  size_t TurnsAhead = 0; ///< Wave::Ahead of all waves
};

/// KFD_IOC_QUEUE_TYPE_*.
enum class QueueKind : uint32_t { Pm4 = 0, Sdma = 1, Aql = 2, SdmaXgmi = 3 };

struct Queue {
  uint32_t Id = 0;
  QueueKind Kind = QueueKind::Aql;
  simulator::Agent *Agent = nullptr;
  // Addresses and sizes (bytes) in the program's memory.
  uint64_t Ring = 0, RingSize = 0;
  uint64_t WriteIndex = 0, ReadIndex = 0;
  uint64_t AmdQueue = 0; ///< amd_queue_t; 0 if there is none
  uint64_t SaveArea = 0; ///< 0 if there is none
  /// The size of the waves' part, for each XCC, and of the debugger's part
  /// after them.
  uint64_t SaveSize = 0, DebuggerSize = 0;
  /// Sets them for an area of so many bytes.
  void divideSaveArea(uint64_t Size);
  uint64_t debuggerMemory() const { return SaveArea + SaveSize * Agent->Xccs; }
  uint64_t saveAreaBytes() const {
    return SaveSize * Agent->Xccs + DebuggerSize;
  }
  uint64_t Doorbell = 0; ///< offset in the file
  /// How far the packets of an indirect buffer have been executed.
  uint64_t InIndirect = 0;
  /// A PM4 queue's words that have been executed.
  uint64_t WordsDone = 0;
  /// The state set by PM4 packets: SH registers by offset, and the last
  /// dispatch.
  std::map<uint32_t, uint32_t> ShaderRegisters;
  uint32_t Pm4Dispatch[4] = {};
  bool IsBlocked = false;  ///< its packet waits for memory to change
  std::vector<bool> Units; ///< the compute units that it may use; all if empty
  uint64_t ExceptionStatus = kfd::exceptionMask(kfd::QueueNew);
  bool Suspended = false; ///< by a debugger
  bool Paused = false;    ///< by the program (UPDATE_QUEUE)
  bool Failed = false;
  /// The program's trap handler has halted a wave of the failed queue. Its
  /// waves stay, for what the runtime saves of them.
  bool KeepsWaves = false;
  /// The runtime was asked for scratch memory, which the packet waits for.
  bool WantsScratch = false;
  bool HasWaveSync = false; ///< AllocateWaveSync
  /// Its semaphore. A barrier begins each dispatch with the number of
  /// workgroups less one, which AMD's runtime sets with a kernel of its own.
  uint32_t GridSemaphore = 0;
  std::unique_ptr<Dispatch> Current;
  unsigned NextWave = 0;
  ScheduleRandom Turns;
  uint64_t Dispatches = 0; ///< that have begun in a schedule
  /// Counts layouts of the save area: within one, waves stay at their places.
  uint64_t Layout = 0;
  size_t SavedWaves = 0; ///< in the last layout
  uint64_t Saves = 0;    ///< how often waves were saved
};

using Agents = std::vector<std::unique_ptr<Agent>>;
using Queues = std::map<uint32_t, std::unique_ptr<Queue>>; ///< by id

/// Gives a wave that hasn't run yet its vector registers, if it has none.
void beginVectors(const Queue &Q, Wave &W);

/// Describes for the program a queue that is ended by exception \a Code of \a
/// W.
QueueErrorEvent describeFault(const Queue &Q, const Wave &W,
                              kfd::Exception Code);

uint64_t nowNs();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_QUEUE_H
