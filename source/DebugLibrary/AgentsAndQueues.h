//===-- AgentsAndQueues.h - The GPUs of a program, and their queues -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_AGENTSANDQUEUES_H
#define WAVELANE_DEBUGLIBRARY_AGENTSANDQUEUES_H

#include "DeviceConnection.h"
#include "Objects.h"
#include "SavedWaves.h"

#include <vector>

namespace wavelane::library {

/// The queues that a program has made since the last snapshot.
inline constexpr uint64_t QueueNewMask = kfd::exceptionMask(kfd::QueueNew);

/// Which agents and queues there are, by the device's snapshots or a core's.
class AgentsAndQueues {
public:
  AgentsAndQueues(Objects &List, Connection &Conn, SavedWaves &Saved)
      : List(List), Conn(Conn), Saved(Saved) {}

  void addAgent(const kfd::DeviceSnapshotEntry &Entry);
  /// Null if there is none.
  Agent *findAgent(uint32_t GpuId) const;
  /// Reads the device's agents.
  Status loadAgents();

  Queue &addQueue(Agent &A, const kfd::QueueSnapshotEntry &Entry);
  Status readQueueSnapshot(std::vector<kfd::QueueSnapshotEntry> &Entries);
  /// Adds the device's new queues, and removes those that are gone.
  Status loadQueues();

private:
  Objects &List;
  Connection &Conn;
  SavedWaves &Saved;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_AGENTSANDQUEUES_H
