//===-- Device.h - the simulated GPU ----------------------------*- C++ -*-===//
//
// One thread does all, also where there are several GPUs: messages between slices
// of execution. Waves run round robin in slices, so that a wave that spins on
// another, or on the host, always sees progress.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DEVICE_H
#define WAVELANE_SIMULATOR_DEVICE_DEVICE_H

#include "../Common/Agent.h"
#include "../Common/Wire.h"
#include "Dispatch.h"
#include "Memory.h"

#include "wavelane/Simulator/ISA.h"
#include "wavelane/Simulator/Protocol.h"
#include "wavelane/Simulator/SaveArea.h"

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavelane {
namespace simulator {

struct DeviceOptions {
  std::vector<const Processor *> Agents = {&gpu::get(gpu::DefaultDevice)};
  unsigned ComputeUnits = DefaultComputeUnits; ///< of each
};

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
  bool AtGrid = false; ///< AtBarrier, and it is the grid's
  bool Signalled = false;   ///< s_barrier_signal is done, the barrier is not full
  bool BarrierFull = false; ///< all have signalled; s_barrier_wait passes
  bool StepPending = false; ///< the step trap is due when the barrier is passed
  bool Ended = false;
  /// Its general registers are in the save area, at Record, not in State: it has
  /// not run since its queue was resumed.
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
  /// No wave of it has run since its queue was resumed: LDS is that in the save area.
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
  /// Counts the layouts of the save area: the waves of one stand where they stood.
  uint64_t Layout = 0;
  size_t SavedWaves = 0; ///< of the last layout
};

class Device {
public:
  Device(const DeviceOptions &Options, uint32_t ProgramPid);
  ~Device();

  /// \param ProgramFd stream socket of the program.
  /// \param ArenaFd the arena's memory file.
  /// \return false with \a Error set.
  bool start(int ProgramFd, int ArenaFd, std::string &Error);

  /// Works until the program's socket closes. \return the exit code.
  int run();

private:
  struct Client {
    int Fd = -1;
    bool Greeted = false;
  };
  struct DebugSession {
    int ClientFd = -1; ///< -1: no debugger
    int Notifier = -1;
    uint64_t ExceptionsEnabled = 0;
    /// The client came after the runtime and hasn't taken in yet that it is up: to it there
    /// are no queues before.
    bool RuntimeIsNews = false;
    kfd::LaunchMode LaunchMode = kfd::LaunchNormal;
    uint32_t TrapMask = 0;
    uint32_t Flags = 0;
  };

  // Device.cpp: sockets and packets.
  void pollSockets(int TimeoutMs, bool Micro);
  bool handleProgram();
  bool handleDebugger(Client &C);
  void createQueue(const Message &M);
  HelloReply describe() const;
  bool reply(int Fd, const Message &M, int Result, const void *Data = nullptr,
             size_t Size = 0);

  // Execute.cpp: dispatches and waves.
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
  void abandon(Queue &Q);

  /// A packet is wrong.
  void packetError(Queue &Q, kfd::Exception Code, uint64_t Id,
                   const std::string &Why);
  /// Stops \a W as the trap handler does and tells the debugger; without one,
  /// fails the queue.
  void stopWave(Queue &Q, Wave &W, kfd::Exception Code, unsigned TrapId,
                uint64_t PC);
  /// stopWave() at an instruction that cannot be done; \a R says why.
  void stopIllegal(Queue &Q, Wave &W, const isa::StepResult &R);
  void failQueue(Queue &Q, const QueueErrorEvent &Event);
  QueueErrorEvent describeFault(const Queue &Q, const Wave &W,
                                kfd::Exception Code) const;

  // Debug.cpp: KFD's debug operations.
  bool debugTrap(Client &C, Message &M);
  int suspendQueue(Queue &Q, uint64_t ClearMask);
  int resumeQueue(Queue &Q);
  void raise(Queue &Q, uint64_t Mask);
  void notify();
  void disableDebug(bool Orderly);
  void answerRuntimeEnable();
  // SaveContext.cpp: waves go to the save area and come back. Of thousands that are
  // suspended few have run since the last time: only those are moved.
  bool saveContext(Queue &Q);
  /// Takes back what every wave needs: its control registers.
  bool loadContext(Queue &Q);
  /// Takes back the rest, of a wave that is about to run.
  bool loadWave(Queue &Q, Wave &W);
  bool debugging() const { return Debug.ClientFd >= 0; }

  Queue *findQueue(uint32_t Id);
  Agent *findAgent(uint32_t GpuId);

  DeviceOptions Options;
  uint32_t Pid;
  DeviceMemory Memory;
  std::vector<std::unique_ptr<Agent>> Agents;
  int Program = -1;
  int ProgramPidFd = -1;
  int Listener = -1;
  std::string SocketPath;
  uint64_t SocketInode = 0;
  std::list<Client> Clients;
  std::map<uint32_t, std::unique_ptr<Queue>> Queues;
  uint32_t NextQueueId = 1;
  DebugSession Debug;
  kfd::RuntimeInfo Runtime = {};
  uint64_t ProcessExceptions = 0;
  std::optional<uint32_t> PendingRuntimeEnable; ///< sequence to answer
  uint64_t RuntimeDeadline = 0; ///< ms; 0: none
  bool Finished = false;
};

uint64_t nowNs();

} // namespace simulator
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_DEVICE_DEVICE_H
