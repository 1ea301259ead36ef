//===-- Process.h - A program whose GPU waves are debugged ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process is live, over the debugger socket of its simulated device, or a
// core, over a note and memory that the client reads. Everything known of waves
// comes from the context save areas, in both.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_LIBRARY_PROCESS_H
#define WAVELANE_SIMULATOR_LIBRARY_PROCESS_H

#include "Connection.h"
#include "DisplacedStepping.h"
#include "Events.h"
#include "Memory.h"
#include "Objects.h"
#include "SavedWaves.h"
#include "Watchpoints.h"
#include "WaveMemory.h"
#include "WaveRegisters.h"

namespace wavelane::library {

class Process : public Objects {
public:
  Process(uint64_t id, amd_dbgapi_client_process_id_t client)
      : id(id), client(client), memory(client) {}

  const uint64_t id;
  const amd_dbgapi_client_process_id_t client;

  Status attach();
  void detach();

  int notifier() const { return connection.notifier(); }
  bool isCore() const { return facts.core; }
  pid_t osPid() const { return pid; }
  bool isFrozen() const { return frozen; }
  /// Whether it is the one on the runtime's code-object hook.
  bool hasBreakpoint(uint64_t of) const { return of && breakpoint == of; }

  Status setProgress(amd_dbgapi_progress_t mode);
  Status setWaveCreation(amd_dbgapi_wave_creation_t mode);
  Status freeze();
  Status unfreeze();
  std::vector<uint8_t> coreState() const;
  Status nextEvent(Event *&event);
  Status eventProcessed(Event &event);
  Status breakpointHit(amd_dbgapi_client_thread_id_t thread,
                       amd_dbgapi_breakpoint_action_t &action);
  /// Brings waves, groups and dispatches up to date.
  Status refresh();

  Status stopWave(uint64_t wave);
  Status resumeWave(uint64_t wave, amd_dbgapi_resume_mode_t mode,
                    uint32_t exceptions);
  Status startDisplaced(uint64_t wave, const void *saved, uint64_t &step);
  Status completeDisplaced(uint64_t wave, DisplacedStep &step);

  Status setWatchpoint(uint64_t address, uint64_t size,
                       amd_dbgapi_watchpoint_kind_t kind, uint64_t &id);
  Status removeWatchpoint(uint64_t id);
  size_t watchpointCount() const { return watches.count(); }
  bool canPreciseMemory() const { return allAgentsCan(1u << 18); }
  bool canPreciseAlu() const { return allAgentsCan(1u << 30); }
  Status setFlag(uint32_t flag, bool on);

  uint64_t pc(const Wave &wave) const { return registers.pc(wave); }
  uint64_t exec(const Wave &wave) const { return registers.exec(wave); }
  bool exists(const Wave &wave, const Register &reg) const {
    return registers.exists(wave, reg);
  }
  Status readRegister(uint64_t wave, const Register &reg, uint64_t offset,
                      uint64_t size, void *value);
  Status writeRegister(uint64_t wave, const Register &reg, uint64_t offset,
                       uint64_t size, const void *value);

  /// Global memory; \p size is what was done. Exactly one buffer.
  Status transfer(uint64_t address, uint64_t &size, void *read,
                  const void *write);
  Status readAll(uint64_t address, void *data, uint64_t size) {
    return memory.readAll(address, data, size);
  }
  /// Local and private memory.
  Status transferSegment(uint64_t wave, uint32_t lane, Space space,
                         uint64_t address, uint64_t &size, void *read,
                         const void *write);

private:
  friend class Suspended;

  Status attachCore();
  Status enableDebug();
  void deviceEnded();
  Status pump();
  Status takeDeviceEvents(bool &look);
  Status takeRuntimeEvent();
  Status loadRuntime();
  /// Whether the runtime's version is known, and its hook has a breakpoint.
  Status checkRuntime(bool &good);
  void unloadRuntime();
  void removeBreakpoint();
  void letWavesGo();
  Status loadAgents();
  void addAgent(const kfd::DeviceSnapshotEntry &entry);
  Agent *findAgent(uint32_t gpuId) const;
  Status readQueueSnapshot(std::vector<kfd::QueueSnapshotEntry> &entries);
  Status loadQueues();
  Queue &addQueue(Agent &agent, const kfd::QueueSnapshotEntry &entry);
  Status suspend();
  Status suspendOnce(bool &complete);
  Status resume();
  bool allAgentsCan(uint32_t capability) const;
  bool isLive() const { return !facts.core && !memory.hasEnded(); }
  /// The wave, null after an error of \p status: those of a stopped one only,
  /// where asked for.
  Wave *findWave(uint64_t id, Status &status) const;
  Wave *findStopped(uint64_t id, Status &status) const;
  Status deliverExceptions(Wave &wave, uint32_t exceptions);
  /// Whether a wave is at its last instruction, whose step nobody would tell
  /// of.
  bool isAtEnd(const Wave &wave);

  pid_t pid = 0;
  ProcessFacts facts;
  ProgramMemory memory;
  Connection connection;
  Events queue{*this, connection};
  WaveRegisters registers{memory, *this, facts};
  SavedWaves saved{memory, *this, facts, registers, queue};
  DisplacedStepping stepping{memory, *this, registers};
  Watchpoints watches{*this, connection, registers};

  bool frozen = false;
  uint64_t breakpoint = 0; ///< on r_brk; 0: none
  bool runtimeUp = false, runtimeWaits = false;
  amd_dbgapi_progress_t progress = AMD_DBGAPI_PROGRESS_NORMAL;
  uint32_t flags = 0;
};

/// Keeps the queues suspended, and waves up to date, in a scope; lets them run
/// afterwards if the client wants progress.
class Suspended {
public:
  explicit Suspended(Process &process)
      : process(process), status(process.suspend()) {}
  ~Suspended() {
    if (process.progress == AMD_DBGAPI_PROGRESS_NORMAL && !process.frozen)
      (void)process.resume();
  }
  Suspended(const Suspended &) = delete;
  Suspended &operator=(const Suspended &) = delete;
  Process &process;
  const Status status;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_PROCESS_H
