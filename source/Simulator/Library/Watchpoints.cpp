//===-- Watchpoints.cpp - The watch registers of GPUs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Watchpoints.h"
#include <algorithm>
#include <cerrno>

namespace wavelane::library {

size_t Watchpoints::count() const {
  size_t count = 0;
  bool any = false;
  for (auto &entry : objects.agents) {
    const kfd::DeviceSnapshotEntry &e = entry.second->entry;
    if (!entry.second->supported)
      continue;
    const size_t here =
        e.capability & 1u << 7 ? size_t(1) << (e.capability >> 8 & 15) : 0;
    count = any ? std::min(count, here) : here;
    any = true;
  }
  return count;
}

/// The smallest aligned power of two that covers a range. The device compares
/// every bit of its mask, where hardware leaves the lowest out and hits for
/// neighbours as well. \p high is the highest bit that a mask can have.
static Status cover(uint64_t address, uint64_t size, unsigned high,
                    Watchpoint &watch) {
  unsigned bits = 0;
  const uint64_t last = address + size - 1;
  if (last < address)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  while (bits <= high + 1 && bits < 64 && address >> bits != last >> bits)
    ++bits;
  if (bits > high + 1 || bits >= 64)
    return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
  watch.address = address >> bits << bits;
  watch.size = uint64_t(1) << bits;
  return Success;
}

Status Watchpoints::setOn(const Agent &agent, Watchpoint &watch,
                          amd_dbgapi_watchpoint_kind_t kind) {
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SetNodeAddressWatch;
  a.set_node_address_watch.address = watch.address;
  a.set_node_address_watch.mode = uint32_t(kind) - 1;
  a.set_node_address_watch.mask = uint32_t(~(watch.size - 1));
  a.set_node_address_watch.gpu_id = agent.entry.gpu_id;
  const int result = connection.trap(a);
  if (result < 0)
    return result == -ENOMEM ? AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE
                             : Fatal;
  watch.hardware[agent.entry.gpu_id] = a.set_node_address_watch.id;
  return Success;
}

int Watchpoints::overrideLaunches(bool on) {
  kfd::DebugTrapArguments a = {};
  a.op = kfd::SetWaveLaunchOverride;
  a.launch_override.override_mode = kfd::OverrideOr;
  a.launch_override.enable_mask = on ? kfd::TrapAddressWatch : 0;
  a.launch_override.support_request_mask = kfd::TrapAddressWatch;
  return connection.trap(a);
}

Status Watchpoints::watchInWaves(bool on) {
  for (auto &entry : objects.waves)
    if (Status status = registers.setWatch(*entry.second, on))
      return status;
  return Success;
}

Status Watchpoints::set(uint64_t address, uint64_t size,
                        amd_dbgapi_watchpoint_kind_t kind, uint64_t &id) {
  unsigned high = 63;
  for (auto &entry : objects.agents)
    if (entry.second->supported)
      high = std::min(high, entry.second->entry.debug_prop >> 4 & 63);
  auto watch = std::make_unique<Watchpoint>();
  if (Status status = cover(address, size, high, *watch))
    return status;
  for (auto &entry : objects.agents)
    if (entry.second->supported)
      if (Status status = setOn(*entry.second, *watch, kind))
        return status;
  if (objects.watchpoints.empty()) {
    if (overrideLaunches(true) < 0)
      return Fatal;
    if (Status status = watchInWaves(true))
      return status;
  }
  watch->id = id = library().newId(Library::WatchpointId);
  objects.watchpoints[id] = std::move(watch);
  return Success;
}

Status Watchpoints::remove(uint64_t id) {
  auto found = objects.watchpoints.find(id);
  if (found == objects.watchpoints.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  for (auto &entry : found->second->hardware) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::ClearNodeAddressWatch;
    a.clear_node_address_watch.gpu_id = entry.first;
    a.clear_node_address_watch.id = entry.second;
    connection.trap(a);
  }
  objects.watchpoints.erase(found);
  if (!objects.watchpoints.empty())
    return Success;
  overrideLaunches(false);
  return watchInWaves(false);
}

} // namespace wavelane::library
