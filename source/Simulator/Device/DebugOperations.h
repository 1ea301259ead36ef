//===-- DebugOperations.h - KFD's debug operations --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What AMDKFD_IOC_DBG_TRAP does in the kernel (linux/kfd_ioctl.h), for one
// process.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DEBUGOPERATIONS_H
#define WAVELANE_SIMULATOR_DEVICE_DEBUGOPERATIONS_H

#include "DebugSession.h"
#include "Memory.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "Scheduler.h"

#include <cstdint>
#include <vector>

namespace wavelane::simulator {

class DebugOperations {
public:
  /// \param Pid the program's, which a debugger must name.
  DebugOperations(uint32_t Pid, DeviceMemory &Memory, const Agents &All,
                  const Queues &Work, DebugSession &Debug,
                  ProgramRuntime &Runtime, Scheduler &Waves)
      : Pid(Pid), Memory(Memory), All(All), Work(Work), Debug(Debug),
        Runtime(Runtime), Waves(Waves) {}

  /// Does what a client's message asks for, and answers it. \return false if it
  /// is malformed or the client is gone.
  bool handle(int ClientFd, Message &M);
  /// The debugger goes: waves that it holds run on. \param Orderly false where
  /// it has taken no breakpoint out: a wave at one can't.
  void disable(bool Orderly);

private:
  /// One operation.
  struct Call {
    kfd::DebugTrapArguments A;  ///< changed as the kernel changes it
    const uint8_t *In;          ///< what A's pointer leads to
    size_t InSize;              ///< bytes
    std::vector<uint8_t> Out{}; ///< what is written there
    void put(const void *Data, size_t Size) {
      const uint8_t *P = static_cast<const uint8_t *>(Data);
      Out.insert(Out.end(), P, P + Size);
    }
  };

  // Each gives what the ioctl returns: 0, a count, or -errno.
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

  void deliverFault(Queue &Q, uint64_t Mask);
  int suspendQueue(Queue &Q, uint64_t ClearMask);
  int resumeQueue(Queue &Q);
  void releaseWaves(Queue &Q, bool Orderly);
  /// Wakes the debugger if there is an exception that it wants to hear of.
  void notifyOfPending();

  Queue *findQueue(uint32_t Id) const {
    auto It = Work.find(Id);
    return It == Work.end() ? nullptr : It->second.get();
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
  const Queues &Work;
  DebugSession &Debug;
  ProgramRuntime &Runtime;
  Scheduler &Waves;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DEBUGOPERATIONS_H
