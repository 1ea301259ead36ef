//===-- LoadCore.h - the queues and waves of a core file --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_LOADCORE_H
#define WAVELANE_SIMULATOR_DEVICE_LOADCORE_H

#include "CoreMemory.h"
#include "History.h"
#include "ProgramRuntime.h"
#include "Queue.h"
#include "Scheduler.h"

#include "wavelane/Protocol/Device/CoreMessages.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace wavelane::simulator {

/// Fills a device with what a core file has (MessageType::LoadCore). The files
/// may be damaged: whatever they say is checked.
class CoreLoader {
public:
  CoreLoader(CoreMemory &Memory, Agents &All, Queues &TheQueues,
             ProgramRuntime &Runtime, Scheduler &Waves, History &TheHistory)
      : Memory(Memory), All(All), TheQueues(TheQueues), Runtime(Runtime),
        Waves(Waves), TheHistory(TheHistory) {}

  /// \param Mapped Called when memory is there; the agents are created after
  ///     that, with the memory that \a View returns for each.
  llvm::Expected<protocol::LoadCoreAnswer>
  load(const protocol::LoadCoreRequest &Request,
       llvm::function_ref<llvm::Error()> Mapped,
       llvm::function_ref<isa::MemoryAccess &(unsigned)> View);

private:
  llvm::Error loadMemory(const protocol::LoadCoreRequest &Request);
  void loadAgents(llvm::function_ref<isa::MemoryAccess &(unsigned)> View);
  /// Reads what was recorded, and takes the waves from there, too.
  llvm::Expected<std::string> loadRecording(const std::string &Path,
                                            const protocol::CorePart &Place);
  llvm::Error loadQueue(const kfd::QueueSnapshotEntry &Entry,
                        llvm::ArrayRef<uint64_t> Ids);
  /// Adds the waves of a save area. Q.SaveArea and SaveSize are those of the
  /// core.
  llvm::Error loadArea(Queue &Q, llvm::ArrayRef<uint64_t> Ids, size_t &Next,
                       std::unique_ptr<Dispatch> &Whole);
  llvm::Error loadDispatch(Queue &Q, const uint32_t *Ttmps);
  Wave &addWave(Queue &Q, const savearea::WaveRecord &Record,
                const uint32_t *Ttmps, unsigned IndexInGroup);
  /// What the save area doesn't have, or has in other places.
  llvm::Error finishWave(Queue &Q, Wave &W, uint64_t Id);

  CoreMemory &Memory;
  Agents &All;
  Queues &TheQueues;
  ProgramRuntime &Runtime;
  Scheduler &Waves;
  History &TheHistory;
  std::vector<kfd::DeviceSnapshotEntry> Entries; ///< of agents in the core
  std::vector<Agent *> Known;                    ///< for each; may be null
  uint64_t NextOwn = 0; ///< the device's own memory from there on is free
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_LOADCORE_H
