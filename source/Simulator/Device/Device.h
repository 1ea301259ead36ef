//===-- Device.h - the simulated GPU ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A single thread does everything, even for several GPUs: it handles messages
// between slices of execution.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DEVICE_H
#define WAVELANE_SIMULATOR_DEVICE_DEVICE_H

#include "CopyEngine.h"
#include "CoreMemory.h"
#include "DebugOperations.h"
#include "DebugSession.h"
#include "DeviceMemory.h"
#include "Doorbells.h"
#include "DriverCalls.h"
#include "History.h"
#include "HostWatch.h"
#include "LoaderList.h"
#include "MessageReceiver.h"
#include "PcSampling.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "RecordedRun.h"
#include "RenderJobs.h"
#include "Scheduler.h"
#include "Simulator/Common/Agent.h"
#include "Simulator/Common/Wire.h"

#include "wavelane/Protocol/Device/CoreMessages.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace wavelane::simulator {

struct DeviceOptions {
  std::vector<const Processor *> Agents = {&gpu::get(gpu::DefaultDevice)};
  unsigned ComputeUnits = DefaultComputeUnits; ///< for each GPU
  /// Whether the program uses KFD's interface; otherwise, it has an arena.
  bool IsDriver = false;
  /// Whether a debugger gives it a core file to simulate; there is no program.
  bool IsCore = false;
  check::Options Checked;        ///< nothing if no check is chosen
  uint64_t SnapshotInterval = 0; ///< in instructions; 0: the usual one
  uint64_t RecordLimit = 0;      ///< bytes; 0: the usual one
  std::string RecordFile;        ///< where the run is kept; may be empty
  uint64_t Schedule = 0;         ///< Schedule.h
  unsigned Threads = 0;          ///< that execute waves; 0: by the host's cores
  unsigned LateFaults = 0;       ///< Scheduler::setLateFaults()
  bool Translates = true; ///< code that is executed often into the host's
  bool Verifies = false;  ///< such code (isa::Executor::setVerification)
};

class Device {
public:
  Device(const DeviceOptions &Options, uint32_t ProgramPid);
  ~Device();

  /// \param ProgramFd The program's stream socket; the debugger's for a core.
  /// \param MemoryFd The arena's memory file, or one of driver::FileSize; -1
  /// for
  ///     a core.
  /// \return false with \a Error set.
  bool start(int ProgramFd, int MemoryFd, std::string &Error);

  /// Runs until the program's socket closes.
  /// \return The exit code.
  int run();

private:
  struct Client {
    int Fd = -1;
    MessageReceiver Receiver;
    bool Greeted = false;
    PeerRole Role = PeerRole::Debugger;
    std::vector<uint64_t> Held; ///< importer: the objects that it needs
  };
  uint64_t untilNextLook() const;
  void pollSockets(int TimeoutMs, bool Micro);
  bool handleProgram();
  bool handleClient(Client &C);
  bool share(Client &C, const Message &M);
  void drop(Client &C);
  bool mapForeign(const Message &M);
  bool accessForHost(const Message &M);
  bool handleArena(Message &M);
  bool handleDriver(Message &M);
  void checkDriver();
  void checkCore();
  /// Gives checks the code that the loader's list has.
  void findCode();
  ReadMemory programMemory();
  bool noteMemory(const Message &M);
  bool noteOrder(const Message &M);
  bool watchHost(Message &M);
  void noteHostAccesses();
  /// CheckRequest of a debugger.
  bool answerChecks(int Fd, const Message &M);
  /// HistoryRequest of a debugger.
  bool answerHistory(int Fd, const Message &M);
  /// LoadCore and CoreMemory.
  bool handleCore(int Fd, const Message &M);
  llvm::Expected<protocol::LoadCoreAnswer>
  loadCore(const protocol::LoadCoreRequest &Request);
  void noteIdle(bool Progress);
  bool replyText(int Fd, const Message &M, const std::string &Text);
  /// \param IsAlone  Only \a Q executes a kernel, and no samples of it are
  ///     taken.
  Scheduler::Round run(Queue &Q, bool IsAlone);
  Scheduler::Round runQueues();
  void createQueue(const Message &M);
  void enableRuntime(uint64_t LoaderDebug, uint32_t WaitMs, uint32_t Sequence);
  void disableRuntime();
  void raiseRuntimeException();
  Queue *findQueue(uint32_t Id);
  HelloReply describe() const;
  bool reply(int Fd, const Message &M, int Result, const void *Data = nullptr,
             size_t Size = 0);

  DeviceOptions Options;
  uint32_t Pid;
  ArenaMemory Arena;
  FileMemory File;
  CoreMemory Core;
  DeviceMemory &Memory;
  Agents All;
  int ProgramPidFd = -1;
  int Listener = -1;
  std::string SocketPath;
  uint64_t SocketInode = 0;
  MessageReceiver FromProgram;
  std::list<Client> Clients;
  Queues TheQueues;
  uint32_t NextQueueId = 1;
  DebugSession Debug;
  PageRetry Retry{File};
  ProgramRuntime Runtime;
  Scheduler Waves{Memory, Debug, Runtime};
  History TheHistory{Memory, All, TheQueues, Waves};
  DebugOperations Operations{Pid,   Memory,  All,   TheQueues,
                             Debug, Runtime, Waves, TheHistory};
  CopyEngine Copies{File, Waves, Retry};
  PcSampling Samples{All, TheQueues, Waves};
  Jobs Submitted{File, All, Copies}; ///< of the render nodes
  std::unique_ptr<DriverCalls> Driver;
  Doorbells TheDoorbells;
  HostWatch OfHost{pid_t(Pid)};             ///< for checks
  LoadedCode Code{programMemory()};         ///< for checks
  std::unique_ptr<RecordedRun> Recorded;    ///< null if the run isn't
  std::unique_ptr<check::Session> Checking; ///< null if nothing is checked
  uint64_t IdleSince = 0; ///< nowNs() of the last progress or doorbell
  bool Finished = false;
  bool IsLoaded = false; ///< the core
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEVICE_H
