//===-- SavedWaves.h - The waves in context save areas ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_SAVEDWAVES_H
#define WAVELANE_DEBUGLIBRARY_SAVEDWAVES_H

#include "DeviceConnection.h"
#include "Events.h"
#include "Memory.h"
#include "Objects.h"
#include "SavedRegisters.h"

namespace wavelane::library {

/// Tracks the waves, workgroups and dispatches of a process in the save areas
/// of its suspended queues, and reports waves that have stopped or ended.
class SavedWaves {
public:
  SavedWaves(ProgramMemory &Memory, Objects &List, const ProcessFacts &Facts,
             WaveRegisters &Registers, Events &TheEvents, Connection &Conn)
      : Memory(Memory), List(List), Facts(Facts), Registers(Registers),
        TheEvents(TheEvents), Conn(Conn) {}

  /// Reads the current contents of \p queue.
  Status update(Queue &Q);
  /// Marks what of a suspended queue has changed, so that the device needn't
  /// read every wave when the queue is resumed.
  void markChanged(Queue &Q);
  /// Removes objects that the last update of their queue didn't find.
  void removeGone();
  void removeQueue(uint64_t Q);

private:
  Status readHeader(Queue &Q, uint64_t Area, savearea::Header &Header);
  /// Reads only the waves that have been saved since the last update.
  /// \return Whether that was possible.
  bool updateSome(Queue &Q, Status &Outcome);
  void readState(Wave &W, const uint32_t *Block);
  /// \param Before  The waves that the queue had.
  Status readArea(Queue &Q, uint64_t Area, llvm::ArrayRef<Wave *> Before);
  Status readRecords(Queue &Q, uint64_t Area, const savearea::Header &Header,
                     std::vector<savearea::WaveRecord> &Records);
  /// Reads one wave from \p block, its hardware registers and ttmps. \p group
  /// is that of the previous record, and is updated.
  Status readWave(Queue &Q, uint64_t Area, const savearea::WaveRecord &Record,
                  unsigned Index, const uint32_t *Block,
                  llvm::ArrayRef<Wave *> Before, Workgroup *&Group);
  /// \param Known  The id that it had before; 0 if it is new.
  Status addWave(Queue &Q, std::unique_ptr<Wave> Fresh, Workgroup *Group,
                 uint64_t Known);
  Status addGroup(Queue &Q, const Wave &W, Workgroup *&Group);
  /// Checks whether a wave that ran has stopped.
  void lookAt(Wave &W, bool IsNew);
  void noteStop(Wave &W);
  /// Stops a core's wave like a live one, but only in this copy.
  void stopInCore(Wave &W);
  void removeWave(uint64_t W);

  bool ttmpsValid(const Wave &W) const;
  uint64_t kernelEntry(const Dispatch &D);
  Status findDispatch(Queue &Q, const Wave &W, Dispatch *&D);

  ProgramMemory &Memory;
  Objects &List;
  const ProcessFacts &Facts;
  WaveRegisters &Registers;
  Events &TheEvents;
  Connection &Conn;
  bool HasMarked = false;     ///< what exists, since the last removeGone()
  std::vector<uint64_t> Gone; ///< waves that the last updates haven't found
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_SAVEDWAVES_H
