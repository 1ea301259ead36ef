//===-- Device.h - the simulated GPU ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread does all, also where there are several GPUs: messages between
// slices of execution.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DEVICE_H
#define WAVELANE_SIMULATOR_DEVICE_DEVICE_H

#include "../Common/Agent.h"
#include "../Common/Wire.h"
#include "DebugOperations.h"
#include "DebugSession.h"
#include "Memory.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "Scheduler.h"

#include "wavelane/Simulator/Protocol.h"

#include <list>
#include <string>
#include <vector>

namespace wavelane::simulator {

struct DeviceOptions {
  std::vector<const Processor *> Agents = {&gpu::get(gpu::DefaultDevice)};
  unsigned ComputeUnits = DefaultComputeUnits; ///< of each
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
  void pollSockets(int TimeoutMs, bool Micro);
  bool handleProgram();
  bool handleDebugger(Client &C);
  void createQueue(const Message &M);
  void enableRuntime(const RuntimeEnableRequest &R, uint32_t Sequence);
  void raiseRuntimeException();
  Queue *findQueue(uint32_t Id);
  HelloReply describe() const;
  bool reply(int Fd, const Message &M, int Result, const void *Data = nullptr,
             size_t Size = 0);

  DeviceOptions Options;
  uint32_t Pid;
  DeviceMemory Memory;
  Agents All;
  int ProgramPidFd = -1;
  int Listener = -1;
  std::string SocketPath;
  uint64_t SocketInode = 0;
  std::list<Client> Clients;
  Queues Work;
  uint32_t NextQueueId = 1;
  DebugSession Debug;
  ProgramRuntime Runtime;
  Scheduler Waves{Memory, Debug, Runtime};
  DebugOperations Operations{Pid, Memory, All, Work, Debug, Runtime, Waves};
  bool Finished = false;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEVICE_H
