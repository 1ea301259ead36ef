//===-- AgentsAndQueues.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AgentsAndQueues.h"

#include <algorithm>
#include <cstring>

namespace wavelane::library {

// Capabilities required for debugging.
static constexpr uint32_t DebugSupported = 1u << 15,
                          FirmwareSupported = 1u << 29;
/// A device that always has more than was asked for isn't believed.
static constexpr unsigned MostSnapshots = 8;
static constexpr uint32_t MostObjects = 1u << 16;

void AgentsAndQueues::addAgent(const kfd::DeviceSnapshotEntry &Entry) {
  auto A = std::make_unique<Agent>();
  A->Id = library().newId(Library::AgentId);
  A->Entry = Entry;
  if (const savearea::Architecture *Arch =
          savearea::findByTargetVersion(Entry.gfx_target_version)) {
    A->Known = true;
    A->ArchIndex = unsigned(Arch - savearea::architectures().data());
  }
  A->Supported = A->Known && Entry.capability & DebugSupported &&
                 Entry.capability & FirmwareSupported;
  List.Agents[A->Id] = std::move(A);
  List.ListChanged[AgentList] = true;
}

Agent *AgentsAndQueues::findAgent(uint32_t GpuId) const {
  for (auto &Entry : List.Agents)
    if (Entry.second->Entry.gpu_id == GpuId)
      return Entry.second.get();
  return nullptr;
}

Status AgentsAndQueues::loadAgents() {
  uint32_t Count = 16;
  std::vector<uint8_t> Out;
  for (unsigned Tries = 0;; ++Tries) {
    if (Tries == MostSnapshots || Count > MostObjects)
      return Fatal;
    kfd::DebugTrapArguments A = {};
    A.op = kfd::GetDeviceSnapshot;
    A.device_snapshot.num_devices = Count;
    A.device_snapshot.entry_size = sizeof(kfd::DeviceSnapshotEntry);
    if (Conn.trap(A, {}, &Out) < 0)
      return Conn.isOpen() ? Fatal : Success;
    if (A.device_snapshot.num_devices <= Count)
      break;
    Count = A.device_snapshot.num_devices;
  }
  List.Agents.clear();
  for (size_t At = 0; At + sizeof(kfd::DeviceSnapshotEntry) <= Out.size();
       At += sizeof(kfd::DeviceSnapshotEntry)) {
    kfd::DeviceSnapshotEntry Entry;
    memcpy(&Entry, Out.data() + At, sizeof(Entry));
    addAgent(Entry);
  }
  return Success;
}

Queue &AgentsAndQueues::addQueue(Agent &A,
                                 const kfd::QueueSnapshotEntry &Entry) {
  auto Made = std::make_unique<Queue>();
  Made->Id = library().newId(Library::QueueId);
  Made->A = &A;
  Made->Entry = Entry;
  Queue &Result = *Made;
  List.Queues[Result.Id] = std::move(Made);
  List.ListChanged[QueueList] = true;
  return Result;
}

Status AgentsAndQueues::readQueueSnapshot(
    std::vector<kfd::QueueSnapshotEntry> &Entries) {
  uint32_t Count = 64;
  std::vector<uint8_t> Out;
  for (unsigned Tries = 0;; ++Tries) {
    if (Tries == MostSnapshots || Count > MostObjects)
      return Fatal;
    kfd::DebugTrapArguments A = {};
    A.op = kfd::GetQueueSnapshot;
    A.queue_snapshot.exception_mask = QueueNewMask;
    A.queue_snapshot.num_queues = Count;
    A.queue_snapshot.entry_size = sizeof(kfd::QueueSnapshotEntry);
    if (Conn.trap(A, {}, &Out) < 0)
      return Fatal;
    if (A.queue_snapshot.num_queues <= Count)
      break;
    Count = A.queue_snapshot.num_queues + 16;
  }
  Entries.resize(Out.size() / sizeof(kfd::QueueSnapshotEntry));
  if (!Entries.empty())
    memcpy(Entries.data(), Out.data(),
           Entries.size() * sizeof(kfd::QueueSnapshotEntry));
  return Success;
}

Status AgentsAndQueues::loadQueues() {
  std::vector<kfd::QueueSnapshotEntry> Entries;
  if (Status Outcome = readQueueSnapshot(Entries))
    return Conn.isOpen() ? Outcome : Success;
  auto IsSame = [](const kfd::QueueSnapshotEntry &A,
                   const kfd::QueueSnapshotEntry &B) {
    return A.queue_id == B.queue_id && A.gpu_id == B.gpu_id;
  };
  std::vector<uint64_t> Gone;
  for (auto &Known : List.Queues) {
    const bool There = std::any_of(
        Entries.begin(), Entries.end(), [&](const kfd::QueueSnapshotEntry &E) {
          // A queue with a reused number is a different queue.
          return IsSame(E, Known.second->Entry) &&
                 !(E.exception_status & QueueNewMask);
        });
    if (!There)
      Gone.push_back(Known.first);
  }
  for (uint64_t Id : Gone)
    Saved.removeQueue(Id);
  for (const kfd::QueueSnapshotEntry &Entry : Entries) {
    const bool Known =
        std::any_of(List.Queues.begin(), List.Queues.end(),
                    [&](auto &Q) { return IsSame(Q.second->Entry, Entry); });
    Agent *A = findAgent(Entry.gpu_id);
    if (!Known && A && A->Supported)
      addQueue(*A, Entry);
  }
  return Success;
}

} // namespace wavelane::library
