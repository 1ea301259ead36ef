//===-- DebugOperations.h - KFD's debug operations --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of AMDKFD_IOC_DBG_TRAP (linux/kfd_ioctl.h), for one process.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DEBUGOPERATIONS_H
#define WAVELANE_SIMULATOR_DEVICE_DEBUGOPERATIONS_H

#include "DebugSession.h"
#include "DeviceMemory.h"
#include "History.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "Scheduler.h"

#include <cstdint>
#include <vector>

namespace wavelane::simulator {

class DebugOperations {
public:
  /// \param Pid The program's pid, which a debugger must name.
  DebugOperations(uint32_t Pid, DeviceMemory &Memory, const Agents &All,
                  const Queues &TheQueues, DebugSession &Debug,
                  ProgramRuntime &Runtime, Scheduler &Waves,
                  History &TheHistory)
      : Pid(Pid), Memory(Memory), All(All), TheQueues(TheQueues), Debug(Debug),
        Runtime(Runtime), Waves(Waves), TheHistory(TheHistory) {}

  /// Handles a client's message, and answers it.
  /// \return false if it is malformed or the client is gone.
  bool handle(int ClientFd, Message &M);
  /// The same for WavesSaved, WavesChanged and WavesWanted.
  bool handleWaves(int ClientFd, const Message &M);
  /// Called when the debugger leaves: waves that it held continue.
  /// \param Orderly false if it hasn't removed its breakpoints: a wave at
  ///     one can't continue.
  void disable(bool Orderly);

private:
  /// One operation.
  struct Call {
    kfd::DebugTrapArguments A;  ///< updated as the kernel updates it
    const uint8_t *In;          ///< the bytes that A's pointer points to
    size_t InSize;              ///< bytes
    std::vector<uint8_t> Out{}; ///< the bytes to write there
    void put(const void *Data, size_t Size) {
      const uint8_t *P = static_cast<const uint8_t *>(Data);
      Out.insert(Out.end(), P, P + Size);
    }
  };

  // Returns the ioctl's result: 0, a count, or -errno. So do the others.
  int perform(Call &C);
  int enable(Call &C, int ClientFd, int &PassedFd);
  int sendRuntimeEvent(Call &C);
  int setExceptionsEnabled(Call &C);
  int setWaveLaunchOverride(Call &C);
  int setWaveLaunchMode(Call &C);
  int suspendOrResumeQueues(Call &C);
  int setNodeAddressWatch(Call &C);
  int clearNodeAddressWatch(Call &C);
  int setFlags(Call &C);
  int queryDebugEvent(Call &C);
  int queryExceptionInfo(Call &C);
  int getQueueSnapshot(Call &C);
  int getDeviceSnapshot(Call &C);

  /// WavesSaved. \return The number of waves or -errno.
  static int describeSaved(const Queue &Q, std::vector<uint8_t> &Out);
  void deliverFault(Queue &Q, uint64_t Mask);
  int suspendQueue(Queue &Q, uint64_t ClearMask);
  int resumeQueue(Queue &Q);
  void releaseWaves(Queue &Q, bool Orderly);
  /// Wakes the debugger if an exception that it asked for is pending.
  void notifyOfPending();

  Queue *findQueue(uint32_t Id) const {
    auto It = TheQueues.find(Id);
    return It == TheQueues.end() ? nullptr : It->second.get();
  }
  Agent *findAgent(uint32_t GpuId) const {
    for (const auto &A : All)
      if (A->gpuId() == GpuId)
        return A.get();
    return nullptr;
  }

  const uint32_t Pid;
  DeviceMemory &Memory;
  const Agents &All;
  const Queues &TheQueues;
  DebugSession &Debug;
  ProgramRuntime &Runtime;
  Scheduler &Waves;
  History &TheHistory;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEBUGOPERATIONS_H
