//===-- Process.cpp - A process: its memory and events --------------------===//

#include "WaveState.h"
#include <algorithm>
#include <sys/uio.h>
#include <utility>
#include <unistd.h>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::embedded {

Library &library() {
  static Library instance;
  return instance;
}

void Library::log(amd_dbgapi_log_level_t level, const std::string &text) const {
  if (initialized && level <= logLevel)
    callbacks.log_message(level, text.c_str());
}

//===-- Memory ------------------------------------------------------------===//

Status Process::transfer(uint64_t address, uint64_t &size, void *read,
                         const void *write) {
  const uint64_t wanted = size;
  size = 0;
  if (!wanted)
    return Success;
  if (!core && memoryFd >= 0) {
    const ssize_t done = read ? pread(memoryFd, read, wanted, off_t(address))
                              : pwrite(memoryFd, write, wanted, off_t(address));
    if (done > 0) {
      size = uint64_t(done);
      return Success;
    }
  }
  amd_dbgapi_size_t done = wanted;
  const Status status = library().callbacks.xfer_global_memory(
      client, address, &done, read, write);
  if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS)
    return status;
  if (status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED) {
    exited = true;
    return status;
  }
  if (status != Success || done > wanted)
    return Fatal;
  if (!done)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  size = done;
  return Success;
}

Status Process::limitToAllocated(uint64_t address, uint64_t &size) {
  using namespace simulator;
  constexpr uint64_t End = ArenaBase + ArenaSize, MaxPages = 4096;
  if (core || socketFd < 0 || !size || address < FirstAllocation ||
      address >= End)
    return Success;
  const uint64_t first = (address - ArenaBase) / PageSize;
  const uint64_t last =
      (address + std::min(size, End - address) - 1 - ArenaBase) / PageSize;
  std::vector<uint8_t> access(std::min(last - first + 1, MaxPages));
  if (Status status = readAll(ArenaBase + PageTableOffset + first,
                              access.data(), access.size()))
    return status;
  const uint64_t pages =
      std::find(access.begin(), access.end(), 0) - access.begin();
  if (!pages)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  size = std::min(size, ArenaBase + (first + pages) * PageSize - address);
  return Success;
}

Status Process::readAll(uint64_t address, void *data, uint64_t size) {
  uint8_t *at = static_cast<uint8_t *>(data);
  while (size) {
    uint64_t done = size;
    if (Status status = transfer(address, done, at, nullptr))
      return status;
    address += done, at += done, size -= done;
  }
  return Success;
}

Status Process::readEach(ArrayRef<uint64_t> addresses, void *data,
                         uint64_t size) {
  constexpr size_t MaxAtOnce = 512; // IOV_MAX is 1024
  uint8_t *at = static_cast<uint8_t *>(data);
  while (!addresses.empty()) {
    const size_t count = std::min(addresses.size(), MaxAtOnce);
    iovec remote[MaxAtOnce];
    for (size_t i = 0; i < count; ++i)
      remote[i] = {reinterpret_cast<void *>(addresses[i]), size};
    const iovec local = {at, count * size};
    ssize_t got = -1;
    if (!core && memoryFd >= 0)
      got = process_vm_readv(pid_t(pid), &local, 1, remote, count, 0);
    // What it can't have, or only in part, is read as anything else.
    const size_t done = got > 0 ? size_t(got) / size : 0;
    for (size_t i = done; i < count; ++i)
      if (Status status = readAll(addresses[i], at + i * size, size))
        return status;
    addresses = addresses.drop_front(count);
    at += count * size;
  }
  return Success;
}

Status Process::writeAll(uint64_t address, const void *data, uint64_t size) {
  const uint8_t *at = static_cast<const uint8_t *>(data);
  while (size) {
    uint64_t done = size;
    if (Status status = transfer(address, done, nullptr, at))
      return status;
    address += done, at += done, size -= done;
  }
  return Success;
}

//===-- Events ------------------------------------------------------------===//

Event &Process::post(amd_dbgapi_event_kind_t kind) {
  auto event = std::make_unique<Event>();
  event->id = library().newId(Library::EventId);
  event->process = this;
  event->kind = kind;
  Event &result = *event;
  events[result.id] = std::move(event);
  pending.push_back(result.id);
  // Whoever has been woken asks until there is no more.
  if (!pumping && pending.size() == 1)
    notify();
  return result;
}

Status Process::nextEvent(Event *&event) {
  event = nullptr;
  if (pending.empty() && !core && !exited)
    if (Status status = pump())
      return status;
  if (pending.empty())
    return Success;
  event = events[pending.front()].get();
  pending.pop_front();
  event->fetched = true;
  if (event->kind == AMD_DBGAPI_EVENT_KIND_WAVE_STOP) {
    auto wave = waves.find(event->wave);
    if (wave != waves.end())
      wave->second->reported = true;
  }
  return Success;
}

Status Process::eventProcessed(Event &event) {
  Status status = Success;
  switch (event.kind) {
  case AMD_DBGAPI_EVENT_KIND_WAVE_STOP: {
    auto wave = waves.find(event.wave);
    if (wave != waves.end())
      wave->second->processed = true;
    break;
  }
  case AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED:
    // The thread that waits at r_brk may go on.
    if (event.thread || event.breakpoint.handle) {
      Event &resume = post(AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME);
      resume.breakpoint = event.breakpoint;
      resume.thread = event.thread;
    }
    break;
  case AMD_DBGAPI_EVENT_KIND_RUNTIME:
    if (runtimeWaits && !core) {
      runtimeWaits = false;
      kfd::DebugTrapArguments a = {};
      a.op = kfd::SendRuntimeEvent;
      a.send_runtime_event.exception_mask = RuntimeMask;
      trap(a, {}, nullptr);
    }
    break;
  default:
    break;
  }
  events.erase(event.id);
  return status;
}

} // namespace wavelane::embedded
