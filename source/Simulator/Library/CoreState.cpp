//===-- CoreState.cpp - The GPU core state of a program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreState.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace wavelane::library {

namespace {
/// Takes entries from the note's front, whose sizes may be others than ours.
class Reader {
public:
  explicit Reader(ArrayRef<uint8_t> note) : note(note) {}
  bool take(void *to, size_t size, size_t stored) {
    if (stored > note.size())
      return false;
    memset(to, 0, size);
    memcpy(to, note.data(), std::min(size, stored));
    note = note.drop_front(stored);
    return true;
  }
  template <typename T> bool take(T &to) {
    return take(&to, sizeof(T), sizeof(T));
  }
  size_t left() const { return note.size(); }

private:
  ArrayRef<uint8_t> note;
};
} // namespace

static Status damaged(const char *what) {
  library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                std::string("damaged GPU core state: ") + what);
  return Fatal;
}

Status CoreState::parse(ArrayRef<uint8_t> note,
                        std::optional<CoreState> &state) {
  Reader in(note);
  uint64_t version = 0, runtimeSize = 0;
  // Each count with the size of an entry.
  uint32_t driver[2] = {}, agentCount[2] = {}, queueCount[2] = {};
  if (!in.take(version))
    return damaged("the note is too short");
  if (version != 1) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "GPU core state of version " + std::to_string(version) +
                      ", 1 is known: no GPU state");
    return Success;
  }
  if (!in.take(driver) || !in.take(runtimeSize) || !in.take(agentCount) ||
      !in.take(queueCount))
    return damaged("the note is too short");
  if (driver[0] != 1 || driver[1] < 13) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "GPU driver interface " + std::to_string(driver[0]) + "." +
                      std::to_string(driver[1]) + ", 1.13 or later is needed");
    return AMD_DBGAPI_STATUS_ERROR_RESTRICTION;
  }
  if (runtimeSize % 8 || agentCount[1] % 8 || queueCount[1] % 8)
    return damaged("an entry's size is not a multiple of 8");
  if ((agentCount[0] && !agentCount[1]) || (queueCount[0] && !queueCount[1]))
    return damaged("its entries have no size");
  const uint64_t need = runtimeSize + uint64_t(agentCount[0]) * agentCount[1] +
                        uint64_t(queueCount[0]) * queueCount[1];
  if (runtimeSize > note.size() || need != in.left())
    return damaged("the note's size is not that of its entries");
  CoreState &read = state.emplace();
  in.take(&read.runtime, sizeof(read.runtime), runtimeSize);
  for (uint32_t i = 0; i < agentCount[0]; ++i)
    in.take(&read.agents.emplace_back(), sizeof(read.agents[0]), agentCount[1]);
  for (uint32_t i = 0; i < queueCount[0]; ++i)
    in.take(&read.queues.emplace_back(), sizeof(read.queues[0]), queueCount[1]);
  return Success;
}

std::vector<uint8_t> CoreState::write() const {
  std::vector<uint8_t> note;
  auto put = [&](const void *data, size_t size) {
    const uint8_t *p = static_cast<const uint8_t *>(data);
    note.insert(note.end(), p, p + size);
  };
  auto put32 = [&](uint32_t value) { put(&value, 4); };
  auto put64 = [&](uint64_t value) { put(&value, 8); };
  put64(1);
  put32(kfd::InterfaceMajor);
  put32(kfd::InterfaceMinor);
  put64(sizeof(runtime));
  put32(uint32_t(agents.size()));
  put32(sizeof(kfd::DeviceSnapshotEntry));
  put32(uint32_t(queues.size()));
  put32(sizeof(kfd::QueueSnapshotEntry));
  put(&runtime, sizeof(runtime));
  for (const kfd::DeviceSnapshotEntry &entry : agents)
    put(&entry, sizeof(entry));
  for (const kfd::QueueSnapshotEntry &entry : queues)
    put(&entry, sizeof(entry));
  return note;
}

} // namespace wavelane::library
