//===-- Scheduler.h - packets, workgroups and waves -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves run round robin in slices, so a wave that spins on another, or on the
// host, always sees progress. A schedule (Schedule.h) has other orders.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_SCHEDULER_H
#define WAVELANE_SIMULATOR_DEVICE_SCHEDULER_H

#include "DebugSession.h"
#include "DeviceMemory.h"
#include "LateStores.h"
#include "PageRetry.h"
#include "Pm4.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "Recorder.h"
#include "Schedule.h"
#include "Simulator/Check/CheckSession.h"
#include "TurnThreads.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace wavelane::simulator {

class Scheduler {
public:
  Scheduler(DeviceMemory &Memory, const DebugSession &Debug,
            const ProgramRuntime &Runtime)
      : Memory(Memory), Debug(Debug), Runtime(Runtime) {}

  /// The outcome of a queue's round.
  struct Round {
    bool Worked = false;  ///< something was done
    bool Waiting = false; ///< only waves that wait for memory to change are
                          ///< running
  };
  /// Gives each runnable wave of \a Q a turn.
  /// \param IsAlone  Nobody else is due: it may be several turns.
  Round run(Queue &Q, bool IsAlone = true);
  /// Ends the queue with \a Event, and notifies the program.
  void failQueue(Queue &Q, const QueueErrorEvent &Event);
  /// Lets the program's trap handler interrupt \a W, if it has one and the wave
  /// isn't held.
  void interruptWave(Queue &Q, Wave &W);
  /// What KFD says about an access of \a Q to a page that doesn't allow it.
  kfd::MemoryExceptionData describeViolation(const Queue &Q, uint64_t Address,
                                             bool Write);
  /// The dispatch of the kernel packet at \a Address, without waves.
  /// \return null with \a Code and \a Why set if it can't be started.
  std::unique_ptr<Dispatch> readDispatch(const Queue &Q, uint64_t Id,
                                         uint64_t Address, kfd::Exception &Code,
                                         std::string &Why);
  /// Drops the queue's current work.
  void abandon(Queue &Q);
  /// \param C Observes from now on; null for none.
  void setChecks(check::Session *C) { Checks = C; }
  /// The waves of \a Q are those of a core.
  void checkLoaded(Queue &Q);
  /// \param R Decides which faults are tried again; null: none.
  void setRetry(PageRetry *R) { Retry = R; }
  static constexpr unsigned MaxThreads = 64;
  /// How many threads may execute waves; 0: as many as the host has cores, up
  /// to four.
  void setThreads(unsigned Count);
  /// The order for dispatches from now on.
  void setSchedule(Schedule S) { Order = S; }
  /// After how many instructions a violation stops a wave that is debugged
  /// without precise memory.
  void setLateFaults(unsigned Instructions) { LateFaults = Instructions; }
  /// \param H Is notified of everything; may be null.
  void setRecorder(Recorder *R) { TheRecorder = R; }

  /// Called before a dispatch begins; may be null.
  std::function<void()> BeforeDispatch;

  // Of a history, which repeats what was done.

  /// Whether waves are repeated: the program hears nothing.
  void setRepeating(bool On) { Repeating = On; }
  uint32_t nextNumber() const { return NextNumber; }
  void setNextNumber(uint32_t Number) { NextNumber = Number; }
  /// Creates the first workgroups of a dispatch.
  void repeatLaunch(Queue &Q) { launchGroups(Q); }
  /// Does what the end of a wave's run does to others.
  void repeat(Queue &Q, Wave &W, const isa::StepResult &R);
  void repeatReap(Queue &Q) { reapGroups(Q); }
  /// Before a wave runs: its stores may arrive late.
  void observeStores(Queue &Q, Wave &W);
  /// The waves of \a D, which is in no queue, don't go on.
  void forget(Dispatch &D);

private:
  /// How many instructions a wave runs before the next wave's turn.
  static constexpr uint64_t Slice = 4096;
  /// How many more it may be until it branches back.
  static constexpr uint64_t Overtime = 256;
  /// How many instructions all waves of a queue execute before messages are
  /// handled. It isn't a time, so that waves take turns in the same way each
  /// time.
  static constexpr uint64_t RoundLength = 1 << 17;
  /// How many turns are executed before they are due, by several threads: of
  /// all waves of a queue, about a millisecond, and of each.
  static constexpr uint64_t MostAhead = 256, MostAheadOfWave = 8;

  /// A queue's index. Those of most queues are near each other.
  uint64_t *indexAt(uint64_t Address, isa::Access Kind);
  /// Processes packets of \a Q until a dispatch is in progress.
  /// \return true if it did anything.
  bool processPackets(Queue &Q);
  bool startDispatch(Queue &Q, uint64_t Id, uint64_t Address);
  void begin(Queue &Q, std::unique_ptr<Dispatch> D);
  /// processPackets() for a queue of PM4 packets.
  bool processCommands(Queue &Q);
  /// Starts the dispatch of a PM4 packet.
  /// \return false if it was refused.
  bool startCommand(Queue &Q);
  void launchGroups(Queue &Q);
  bool launchGroup(Queue &Q);
  /// Runs each runnable wave of \a Q for a slice.
  /// \param IsAlone  As for run().
  /// \return true if one did real work (rather than sleep).
  /// \param[out] Waiting  Whether one of those that ran can run on.
  bool runWaves(Queue &Q, bool IsAlone, bool &Waiting);
  /// runWaves() for one turn of each wave.
  /// \param[in,out] MayShare  How many turns several threads may execute ahead,
  ///     even if they aren't due in this round.
  bool runRound(Queue &Q, uint64_t &MayShare, bool &Waiting);
  /// \param[in,out] Executed  Advanced by the wave's instructions.
  /// \param Length  Of the turn, in instructions.
  /// \param Overtime  As in isa::Executor::run().
  bool runWave(Queue &Q, Wave &W, uint64_t &Executed, uint64_t Length,
               uint64_t Overtime = 0);
  static bool canRun(const Wave &W);
  /// Reads what a debugger has changed of \a W. \return false if the queue has
  /// failed.
  bool prepareTurn(Queue &Q, Wave &W);
  /// Does what \a R asks for, with which a turn has ended.
  /// \return As runWave().
  bool endTurn(Queue &Q, Wave &W, isa::StepResult &R);
  /// Counts instructions of a dispatch, and of its kernel.
  void noteInstructions(Dispatch &D, uint64_t Executed);
  /// Whether workgroups of \a Q may take turns at the same time.
  bool canShare(const Queue &Q) const;
  /// Executes turns of waves at the same time, from the wave of turn \a First
  /// on.
  /// \param Most  How many, of all waves.
  /// \param MostOfWave  How many of each.
  void runAhead(Queue &Q, unsigned First, uint64_t Most, uint64_t MostOfWave);
  /// Takes the turn of a wave that has executed it ahead.
  isa::StepResult takeAhead(Queue &Q, Wave &W, uint64_t Length,
                            uint64_t Overtime);
  /// runWaves() in a schedule's order.
  bool runInOrder(Queue &Q, bool &Waiting);
  /// Chooses the order of a new dispatch.
  void chooseOrder(Queue &Q);
  /// What an instruction that waits or ends does to its wave and workgroup.
  /// \return false if \a R isn't of such an instruction.
  bool waitOrEnd(Queue &Q, Wave &W, const isa::StepResult &R, bool &Step);
  void endWave(Queue &Q, Wave &W);
  /// Whether others know the waves' registers from their beginning to their
  /// end.
  bool areLookedAt() const {
    return Checks || Repeating || (TheRecorder && TheRecorder->isRecording());
  }
  /// A wave that stops has waited for its stores.
  void letStoresArrive(Queue &Q, Wave &W);
  void reapGroups(Queue &Q);
  void finishDispatch(Queue &Q);
  void releaseBarrier(Queue &Q, Workgroup &G);
  void passBarrier(Queue &Q, Wave &W);
  void arriveAtGrid(Queue &Q, Wave &W, uint32_t Count);
  void stepTrap(Queue &Q, Wave &W);
  void completeSignal(uint64_t Signal, uint64_t Started);
  void interruptSignal(uint8_t *S);
  bool wantScratch(Queue &Q, uint64_t Id, unsigned Lanes);
  bool hasScratch(Queue &Q);
  /// A field of the queue's amd_queue_t; null if there is none.
  template <typename T> T *amdQueueField(const Queue &Q, uint32_t Offset) {
    return Q.AmdQueue ? Memory.object<T>(Q.AmdQueue + Offset, isa::Access::Read)
                      : nullptr;
  }
  void freeGroup(Queue &Q, Workgroup &G);
  void checkLaunch(Queue &Q);
  /// If no wave can ever go on, stops them once in front of a debugger, or
  /// fails the queue. \return true if it did.
  bool endIfStuck(Queue &Q);
  /// Stops the waves of a finding at a barrier that has just been passed.
  void stopAtBarrier(Queue &Q);
  /// \param Info Without what \a Q and \a W contain.
  void beginChecking(Queue &Q, Wave &W, std::unique_ptr<check::WaveInfo> Info);
  void checkWave(Queue &Q, Wave &W, const WavePlace &Place,
                 const InitialRegisters &Set, uint64_t Group,
                 unsigned WavesInGroup);

  /// Reports an invalid packet.
  void packetError(Queue &Q, kfd::Exception Code, uint64_t Id,
                   const std::string &Why);
  /// Stops \a W as the trap handler does, or by the program's own, and notifies
  /// the debugger; without one, fails the queue.
  void stopWave(Queue &Q, Wave &W, kfd::Exception Code, unsigned TrapId,
                uint64_t PC);
  /// Whether the program has a trap handler that the device executes.
  bool hasHandler(const Queue &Q) const;
  /// Executes the program's trap handler in \a W, and does what it asks for.
  /// \param PC Where the wave goes on; for s_trap, the instruction itself.
  /// \param IsHost The wave hasn't trapped: it was interrupted.
  void callHandler(Queue &Q, Wave &W, unsigned TrapId, uint64_t PC,
                   bool IsHost);
  void enterHandler(const Queue &Q, Wave &W, unsigned TrapId, uint64_t PC,
                    bool IsHost);
  /// Why a trap handler can't be executed to its end.
  struct HandlerFault {
    std::string Why;
    bool IsUnmodeled = false; ///< as in isa::StepResult
  };
  /// \param[out] Raised The exceptions that the handler reports.
  /// \return false with \a Fault set if it can't be executed to its end.
  bool runHandler(const Queue &Q, Wave &W, uint64_t &Raised,
                  HandlerFault &Fault);
  /// stopWave() for \a Finding of a check, which \a Lanes have caused.
  void stopAtFinding(Queue &Q, Wave &W, uint64_t Lanes, unsigned Finding);
  /// stopWave() at an instruction that can't be executed; \a R says why.
  void stopIllegal(Queue &Q, Wave &W, const isa::StepResult &R);
  /// stopIllegal() for global wave sync in a queue that has none.
  void stopWithoutSync(Queue &Q, Wave &W, isa::StepResult &R);
  /// stopWave() at s_trap, and at an access that faults.
  void stopTrap(Queue &Q, Wave &W, const isa::StepResult &R);
  void stopViolation(Queue &Q, Wave &W, const isa::StepResult &R);
  /// stopViolation(), now or later.
  void violates(Queue &Q, Wave &W, const isa::StepResult &R);
  /// Whether the violation of a wave that has gone on is due now, as \a R is
  /// what a wave doesn't do before it knows how its accesses ended. Then that
  /// isn't done.
  static bool isDue(Wave &W, isa::StepResult &R);

  /// Processes a packet that isn't HSA's.
  /// \return false if it has to wait.
  bool vendorPacket(Queue &Q, uint64_t Id, const uint8_t *Packet);

  DeviceMemory &Memory;
  /// Where indices were found last.
  struct {
    uint64_t Epoch = 0; ///< as DeviceMemory::epoch()
    isa::MemorySpan ForReading, ForChanges;
  } Indices;
  Pm4 Commands{Memory};
  Schedule Order;
  LateStores Late;
  const DebugSession &Debug;
  const ProgramRuntime &Runtime;
  check::Session *Checks = nullptr; ///< null if nothing is checked
  PageRetry *Retry = nullptr;
  Recorder *TheRecorder = nullptr;
  bool Repeating = false;
  uint32_t NextNumber = 0;
  unsigned Threads = 1;
  unsigned LateFaults = 0;
  std::map<uint64_t, uint64_t>
      KernelInstructions;               ///< instructions, by entry address
  std::unique_ptr<TurnThreads> Sharing; ///< null until they are worth it
};

/// Stops \a W as the trap handler does.
void markStopped(const Queue &Q, Wave &W, unsigned TrapId, uint64_t PC);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_SCHEDULER_H
