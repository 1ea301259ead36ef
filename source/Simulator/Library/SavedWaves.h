//===-- SavedWaves.h - The waves in context save areas ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_SAVEDWAVES_H
#define WAVELANE_SIMULATOR_LIBRARY_SAVEDWAVES_H

#include "Events.h"
#include "Memory.h"
#include "Objects.h"
#include "WaveRegisters.h"

namespace wavelane::library {

/// Keeps the waves, workgroups and dispatches of a process as the save areas of
/// its suspended queues have them, and tells of waves that have stopped or
/// ended.
class SavedWaves {
public:
  SavedWaves(ProgramMemory &memory, Objects &objects, const ProcessFacts &facts,
             WaveRegisters &registers, Events &events)
      : memory(memory), objects(objects), facts(facts), registers(registers),
        events(events) {}

  /// Reads what \p queue has now.
  Status update(Queue &queue);
  /// Drops what the last look at its queue hasn't found again.
  void removeGone();
  void removeQueue(uint64_t queue);

private:
  Status readArea(Queue &queue, uint64_t area);
  Status readRecords(Queue &queue, uint64_t area,
                     const savearea::Header &header,
                     std::vector<savearea::WaveRecord> &records);
  /// What \p block, hardware registers and ttmps, says of one wave. \p group is
  /// that of the record before, and becomes this one's.
  Status readWave(Queue &queue, uint64_t area,
                  const savearea::WaveRecord &record, const uint32_t *block,
                  Workgroup *&group);
  Status addWave(Queue &queue, std::unique_ptr<Wave> fresh, Workgroup *group);
  Status addGroup(Queue &queue, const Wave &wave, Workgroup *&group);
  /// Finds out whether a wave that ran has stopped.
  void lookAt(Wave &wave, bool isNew);
  void noteStop(Wave &wave);
  /// Stops a core's wave as a live one would be; here in its copy.
  void stopInCore(Wave &wave);
  void removeWave(uint64_t wave);

  bool ttmpsValid(const Wave &wave) const;
  uint64_t kernelEntry(const Dispatch &dispatch);
  Status findDispatch(Queue &queue, const Wave &wave, Dispatch *&dispatch);

  ProgramMemory &memory;
  Objects &objects;
  const ProcessFacts &facts;
  WaveRegisters &registers;
  Events &events;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_SAVEDWAVES_H
