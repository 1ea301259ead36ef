//===-- Scheduler.h - packets, workgroups and waves -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves run round robin in slices, so that a wave that spins on another, or on
// the host, always sees progress.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_SCHEDULER_H
#define WAVELANE_SIMULATOR_DEVICE_SCHEDULER_H

#include "DebugSession.h"
#include "Memory.h"
#include "ProgramRuntime.h"
#include "Queue.h"

#include <string>

namespace wavelane::simulator {

class Scheduler {
public:
  Scheduler(DeviceMemory &Memory, const DebugSession &Debug,
            const ProgramRuntime &Runtime)
      : Memory(Memory), Debug(Debug), Runtime(Runtime) {}

  /// How a round of a queue went.
  struct Round {
    bool Worked = false;  ///< something was done
    bool Waiting = false; ///< waves run that only wait for memory to change
  };
  /// Lets each wave of \a Q that can run have its turn.
  Round run(Queue &Q);
  /// \a Event ends the queue: the program is told.
  void failQueue(Queue &Q, const QueueErrorEvent &Event);
  /// Drops what the queue works on.
  void abandon(Queue &Q);

private:
  /// Takes packets of \a Q until one is under way. \return true if it did
  /// anything.
  bool processPackets(Queue &Q);
  bool startDispatch(Queue &Q, uint64_t Id, uint64_t Address);
  void launchGroups(Queue &Q);
  bool launchGroup(Queue &Q);
  /// Runs each wave of \a Q that can run for a slice. \return true if one did
  /// real work (rather than sleep).
  bool runWaves(Queue &Q);
  bool runWave(Queue &Q, Wave &W);
  void endWave(Queue &Q, Wave &W);
  void reapGroups(Queue &Q);
  void finishDispatch(Queue &Q);
  void releaseBarrier(Queue &Q, Workgroup &G);
  void passBarrier(Queue &Q, Wave &W);
  void arriveAtGrid(Queue &Q, Wave &W, uint32_t Count);
  void stepTrap(Queue &Q, Wave &W);
  void completeSignal(uint64_t Signal, uint64_t Started);
  void freeGroup(Queue &Q, Workgroup &G);

  /// A packet is wrong.
  void packetError(Queue &Q, kfd::Exception Code, uint64_t Id,
                   const std::string &Why);
  /// Stops \a W as the trap handler does and tells the debugger; without one,
  /// fails the queue.
  void stopWave(Queue &Q, Wave &W, kfd::Exception Code, unsigned TrapId,
                uint64_t PC);
  /// stopWave() at an instruction that cannot be done; \a R says why.
  void stopIllegal(Queue &Q, Wave &W, const isa::StepResult &R);

  DeviceMemory &Memory;
  const DebugSession &Debug;
  const ProgramRuntime &Runtime;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_SCHEDULER_H
