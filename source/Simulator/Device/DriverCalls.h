//===-- DriverCalls.h - KFD's ioctls, but for events ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does the kernel's work for a program's ioctls on /dev/kfd: memory, queues and
// information. Events are handled in the program (Driver/Events.h), and debug
// operations come through another socket.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_DRIVERCALLS_H
#define WAVELANE_SIMULATOR_DEVICE_DRIVERCALLS_H

#include "DebugSession.h"
#include "FileMemory.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "Scheduler.h"
#include "Simulator/Common/Wire.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace wavelane::simulator {

class DriverCalls {
public:
  DriverCalls(FileMemory &Memory, Agents &All, Queues &TheQueues,
              DebugSession &Debug, ProgramRuntime &Runtime, Scheduler &Waves,
              PageRetry &Retry);

  /// Performs the request of a message, and answers it.
  /// \return false if it is malformed or the program is gone.
  bool handle(const Message &M);

  /// Handles RUNTIME_ENABLE, whose answer may have to wait for a debugger.
  std::function<void(uint64_t LoaderDebug, uint32_t WaitMs, uint32_t Sequence)>
      EnableRuntime;
  std::function<void()> DisableRuntime;
  /// Handles PC_SAMPLE on a GPU.
  std::function<int(unsigned Gpu, kfd::PcSampleArguments &A,
                    std::vector<uint8_t> &Info)>
      OnSample;
  /// Handles DRM's jobs.
  std::function<int(kfd::Call Number, kfd::JobArguments &A)> OnJob;

private:
  /// One ioctl.
  struct Call {
    uint32_t Sequence;
    std::vector<uint8_t> Argument; ///< with room for the largest argument
    const uint8_t *In;             ///< the bytes that the argument's pointer
                                   ///< points to
    size_t InSize;                 ///< bytes
    std::vector<uint8_t> Out{};    ///< the bytes to write there
    bool IsAnswered = false;
    template <typename T> T &as() {
      if (Argument.size() < sizeof(T))
        Argument.resize(sizeof(T));
      return *reinterpret_cast<T *>(Argument.data());
    }
  };

  // Returns 0 or -errno. So do the others.
  int perform(uint32_t Number, Call &C);
  int createQueue(Call &C);
  int destroyQueue(Call &C);
  int updateQueue(Call &C);
  int setCuMask(Call &C);
  int getQueueWaveState(Call &C);
  int allocQueueGws(Call &C);
  int getClockCounters(Call &C);
  int getApertures(Call &C);
  int getAperturesNew(Call &C);
  int allocate(Call &C);
  int mapOrUnmap(Call &C, bool Map);
  int mapPages(Call &C);
  int ipcExport(Call &C);
  int ipcImport(Call &C);
  int setXnackMode(Call &C);
  int availableMemory(Call &C);
  int runtimeEnable(Call &C);
  void reportQueueError(const Queue &Q, const QueueErrorEvent &E);

  /// -1 for an unknown GPU.
  int gpuIndex(uint32_t GpuId) const;
  Queue *findQueue(uint32_t Id) const;
  int takeDoorbell(unsigned Gpu);

  FileMemory &Memory;
  Agents &All;
  Queues &TheQueues;
  DebugSession &Debug;
  ProgramRuntime &Runtime;
  Scheduler &Waves;
  PageRetry &Retry;
  uint32_t NextQueueId = 0;
  std::vector<std::vector<bool>> DoorbellUsed; ///< [GPU][index]
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_DRIVERCALLS_H
