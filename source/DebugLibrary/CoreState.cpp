//===-- CoreState.cpp - The GPU core state of a program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreState.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace wavelane::library {

namespace {
/// Takes entries from the front of the note, whose sizes may differ from ours.
class Reader {
public:
  explicit Reader(ArrayRef<uint8_t> Note) : Note(Note) {}
  bool take(void *To, size_t Size, size_t Stored) {
    if (Stored > Note.size())
      return false;
    memset(To, 0, Size);
    memcpy(To, Note.data(), std::min(Size, Stored));
    Note = Note.drop_front(Stored);
    return true;
  }
  template <typename T> bool take(T &To) {
    return take(&To, sizeof(T), sizeof(T));
  }
  size_t left() const { return Note.size(); }

private:
  ArrayRef<uint8_t> Note;
};
} // namespace

static Status damaged(const char *What) {
  library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                std::string("damaged GPU core state: ") + What);
  return Fatal;
}

Status CoreState::parse(ArrayRef<uint8_t> Note,
                        std::optional<CoreState> &State) {
  Reader In(Note);
  uint64_t Version = 0, RuntimeSize = 0;
  // Each count is followed by the size of an entry.
  uint32_t Driver[2] = {}, AgentCount[2] = {}, QueueCount[2] = {};
  if (!In.take(Version))
    return damaged("the note is too short");
  if (Version != 1) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "GPU core state of version " + std::to_string(Version) +
                      ", 1 is known: no GPU state");
    return Success;
  }
  if (!In.take(Driver) || !In.take(RuntimeSize) || !In.take(AgentCount) ||
      !In.take(QueueCount))
    return damaged("the note is too short");
  if (Driver[0] != 1 || Driver[1] < 13) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "GPU driver interface " + std::to_string(Driver[0]) + "." +
                      std::to_string(Driver[1]) + ", 1.13 or later is needed");
    return AMD_DBGAPI_STATUS_ERROR_RESTRICTION;
  }
  if (RuntimeSize % 8 || AgentCount[1] % 8 || QueueCount[1] % 8)
    return damaged("an entry's size is not a multiple of 8");
  if ((AgentCount[0] && !AgentCount[1]) || (QueueCount[0] && !QueueCount[1]))
    return damaged("its entries have no size");
  const uint64_t Need = RuntimeSize + uint64_t(AgentCount[0]) * AgentCount[1] +
                        uint64_t(QueueCount[0]) * QueueCount[1];
  if (RuntimeSize > Note.size() || Need != In.left())
    return damaged("the note's size is not that of its entries");
  CoreState &Read = State.emplace();
  In.take(&Read.Runtime, sizeof(Read.Runtime), RuntimeSize);
  for (uint32_t I = 0; I < AgentCount[0]; ++I)
    In.take(&Read.Agents.emplace_back(), sizeof(Read.Agents[0]), AgentCount[1]);
  for (uint32_t I = 0; I < QueueCount[0]; ++I)
    In.take(&Read.Queues.emplace_back(), sizeof(Read.Queues[0]), QueueCount[1]);
  return Success;
}

std::vector<uint8_t> CoreState::write() const {
  std::vector<uint8_t> Note;
  auto Put = [&](const void *Data, size_t Size) {
    const uint8_t *P = static_cast<const uint8_t *>(Data);
    Note.insert(Note.end(), P, P + Size);
  };
  auto Put32 = [&](uint32_t Value) { Put(&Value, 4); };
  auto Put64 = [&](uint64_t Value) { Put(&Value, 8); };
  Put64(1);
  Put32(kfd::InterfaceMajor);
  Put32(kfd::InterfaceMinor);
  Put64(sizeof(Runtime));
  Put32(uint32_t(Agents.size()));
  Put32(sizeof(kfd::DeviceSnapshotEntry));
  Put32(uint32_t(Queues.size()));
  Put32(sizeof(kfd::QueueSnapshotEntry));
  Put(&Runtime, sizeof(Runtime));
  for (const kfd::DeviceSnapshotEntry &Entry : Agents)
    Put(&Entry, sizeof(Entry));
  for (const kfd::QueueSnapshotEntry &Entry : Queues)
    Put(&Entry, sizeof(Entry));
  return Note;
}

} // namespace wavelane::library
