//===-- Process.h - A program whose GPU waves are debugged ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process is live, through the debugger socket of its simulated device, or a
// core, through a note and memory that the client reads. In both cases,
// everything about waves comes from the context save areas.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGLIBRARY_PROCESS_H
#define WAVELANE_DEBUGLIBRARY_PROCESS_H

#include "AgentsAndQueues.h"
#include "DeviceConnection.h"
#include "DisplacedStepping.h"
#include "Events.h"
#include "Memory.h"
#include "Objects.h"
#include "RuntimeHook.h"
#include "SavedRegisters.h"
#include "SavedWaves.h"
#include "WatchRegisters.h"
#include "WaveMemory.h"

namespace wavelane::library {

class Process : public Objects {
public:
  Process(uint64_t Id, amd_dbgapi_client_process_id_t Client)
      : Id(Id), Client(Client), Memory(Client) {}

  const uint64_t Id;
  const amd_dbgapi_client_process_id_t Client;

  Status attach();
  void detach();

  int notifier() const { return Conn.notifier(); }
  bool isCore() const { return Facts.Core; }
  /// Starts a device that goes on from the core. The objects, and what is known
  /// of them, stay.
  /// \param Files The files and their memory, as in simulator::CoreAnswerLimit.
  /// \param[out] Error  Why it can't.
  Status simulateCore(llvm::StringRef Files, std::string &Error);
  pid_t osPid() const { return Pid; }
  bool isFrozen() const { return Frozen; }
  /// Whether \p of is the one on the runtime's code-object hook.
  bool hasBreakpoint(uint64_t Of) const { return Of && Hook.id() == Of; }

  Status setProgress(amd_dbgapi_progress_t Mode);
  Status setWaveCreation(amd_dbgapi_wave_creation_t Mode);
  Status freeze();
  Status unfreeze();
  std::vector<uint8_t> coreState() const;
  Status nextEvent(Event *&E);
  Status eventProcessed(Event &E);
  Status breakpointHit(amd_dbgapi_client_thread_id_t Thread,
                       amd_dbgapi_breakpoint_action_t &Action);
  /// Brings waves, groups and dispatches up to date.
  Status refresh();

  Status stopWave(uint64_t W);
  Status resumeWave(uint64_t W, amd_dbgapi_resume_mode_t Mode,
                    uint32_t Exceptions);
  Status startDisplaced(uint64_t W, const void *Saved, uint64_t &Step);
  Status completeDisplaced(uint64_t W, DisplacedStep &Step);

  Status setWatchpoint(uint64_t Address, uint64_t Size,
                       amd_dbgapi_watchpoint_kind_t Kind, uint64_t &Id);
  Status removeWatchpoint(uint64_t Id);
  size_t watchpointCount() const { return Watches.count(); }
  bool canPreciseMemory() const { return allAgentsCan(1u << 18); }
  bool canPreciseAlu() const { return allAgentsCan(1u << 30); }
  Status setFlag(uint32_t Flag, bool On);
  /// See Connection::askChecks().
  int askChecks(llvm::StringRef Request, std::string &Answer) {
    return Conn.askChecks(Request, Answer);
  }
  /// Asks the device's history, and reads the waves again if they may have
  /// moved.
  Status askHistory(llvm::StringRef Request, std::string &Answer);

  uint64_t pc(const Wave &W) const { return Registers.pc(W); }
  uint64_t exec(const Wave &W) const { return Registers.exec(W); }
  bool exists(const Wave &W, const Register &Reg) const {
    return Registers.exists(W, Reg);
  }
  Status readRegister(uint64_t W, const Register &Reg, uint64_t Offset,
                      uint64_t Size, void *Value);
  Status writeRegister(uint64_t W, const Register &Reg, uint64_t Offset,
                       uint64_t Size, const void *Value);

  /// Global memory; sets \p size to the number of bytes transferred. Exactly
  /// one buffer must be given.
  Status transfer(uint64_t Address, uint64_t &Size, void *Read,
                  const void *Write);
  Status readAll(uint64_t Address, void *Data, uint64_t Size) {
    return Memory.readAll(Address, Data, Size);
  }
  /// Local and private memory.
  Status transferSegment(uint64_t W, uint32_t Lane, Space AS, uint64_t Address,
                         uint64_t &Size, void *Read, const void *Write);

private:
  friend class Suspended;

  Status attachCore();
  /// What the device has to know of the core.
  llvm::Expected<std::string> describeCore(llvm::StringRef Files) const;
  /// Takes over the device that has loaded the core.
  Status takeSimulation(llvm::StringRef Answer, std::string &Error);
  Status enableDebug();
  void deviceEnded();
  Status pump();
  Status takeDeviceEvents(bool &Look);
  Status takeRuntimeEvent();
  Status loadRuntime();
  void unloadRuntime();
  void resumeRuntime();
  void letWavesGo();
  Status suspend();
  Status suspendOnce(bool &Complete);
  /// \param All  Also queues in which nothing happens.
  Status resume(bool All = false);
  bool allAgentsCan(uint32_t Capability) const;
  bool isLive() const { return !Facts.Core && !Memory.hasEnded(); }
  /// The wave; null with an error in \p status. findStopped() also fails for a
  /// running wave.
  Wave *findWave(uint64_t Id, Status &Outcome) const;
  Wave *findStopped(uint64_t Id, Status &Outcome) const;
  /// A client is about to write memory of the program.
  void noteWrite(uint64_t Address, uint64_t Size, const void *Bytes);
  Status deliverExceptions(Wave &W, uint32_t Exceptions);
  /// Whether a wave is at its last instruction, whose step wouldn't be
  /// reported.
  bool isAtEnd(const Wave &W);

  pid_t Pid = 0;
  ProcessFacts Facts;
  ProgramMemory Memory;
  Connection Conn;
  Events Q{*this, Conn};
  WaveRegisters Registers{Memory, *this, Facts, Conn};
  SavedWaves Saved{Memory, *this, Facts, Registers, Q, Conn};
  AgentsAndQueues Hardware{*this, Conn, Saved};
  RuntimeHook Hook{Client, Memory, Facts};
  DisplacedStepping Stepping{Memory, *this, Registers};
  Watchpoints Watches{*this, Conn, Registers};

  bool Simulated = false; ///< it was a core
  bool Frozen = false;
  bool Records = false; ///< the device wants to know of writes
  bool RuntimeUp = false, RuntimeWaits = false;
  amd_dbgapi_progress_t Progress = AMD_DBGAPI_PROGRESS_NORMAL;
  uint32_t Flags = 0;
};

/// Keeps the queues suspended, and waves up to date, for a scope; lets them run
/// afterwards if the client wants progress.
class Suspended {
public:
  explicit Suspended(Process &Proc) : Proc(Proc), Outcome(Proc.suspend()) {}
  ~Suspended() {
    if (Proc.Progress == AMD_DBGAPI_PROGRESS_NORMAL && !Proc.Frozen)
      (void)Proc.resume();
  }
  Suspended(const Suspended &) = delete;
  Suspended &operator=(const Suspended &) = delete;
  Process &Proc;
  const Status Outcome;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_PROCESS_H
