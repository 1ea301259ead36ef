//===-- WatchRegisters.cpp - The watch registers of GPUs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WatchRegisters.h"
#include <algorithm>
#include <cerrno>

namespace wavelane::library {

size_t Watchpoints::count() const {
  size_t Count = 0;
  bool Any = false;
  for (auto &Entry : List.Agents) {
    const kfd::DeviceSnapshotEntry &E = Entry.second->Entry;
    if (!Entry.second->Supported)
      continue;
    const size_t Here =
        E.capability & 1u << 7 ? size_t(1) << (E.capability >> 8 & 15) : 0;
    Count = Any ? std::min(Count, Here) : Here;
    Any = true;
  }
  return Count;
}

/// The smallest aligned power of two that covers a range. The device compares
/// every bit of its mask, whereas hardware ignores the lowest bits and also
/// hits for neighbors. \p high is the highest bit that a mask can have.
static Status cover(uint64_t Address, uint64_t Size, unsigned High,
                    Watchpoint &Watch) {
  unsigned Bits = 0;
  const uint64_t Last = Address + Size - 1;
  if (Last < Address)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  while (Bits <= High + 1 && Bits < 64 && Address >> Bits != Last >> Bits)
    ++Bits;
  if (Bits > High + 1 || Bits >= 64)
    return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
  Watch.Address = Address >> Bits << Bits;
  Watch.Size = uint64_t(1) << Bits;
  return Success;
}

Status Watchpoints::setOn(const Agent &A, Watchpoint &Watch,
                          amd_dbgapi_watchpoint_kind_t Kind) {
  kfd::DebugTrapArguments Args = {};
  Args.op = kfd::SetNodeAddressWatch;
  Args.set_node_address_watch.address = Watch.Address;
  Args.set_node_address_watch.mode = uint32_t(Kind) - 1;
  Args.set_node_address_watch.mask = uint32_t(~(Watch.Size - 1));
  Args.set_node_address_watch.gpu_id = A.Entry.gpu_id;
  const int Result = Conn.trap(Args);
  if (Result < 0)
    return Result == -ENOMEM ? AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE
                             : Fatal;
  Watch.Hardware[A.Entry.gpu_id] = Args.set_node_address_watch.id;
  return Success;
}

int Watchpoints::overrideLaunches(bool On) {
  kfd::DebugTrapArguments A = {};
  A.op = kfd::SetWaveLaunchOverride;
  A.launch_override.override_mode = kfd::OverrideOr;
  A.launch_override.enable_mask = On ? kfd::TrapAddressWatch : 0;
  A.launch_override.support_request_mask = kfd::TrapAddressWatch;
  return Conn.trap(A);
}

Status Watchpoints::watchInWaves(bool On) {
  for (auto &Entry : List.Waves)
    if (Status Outcome = Registers.setWatch(*Entry.second, On))
      return Outcome;
  return Success;
}

Status Watchpoints::set(uint64_t Address, uint64_t Size,
                        amd_dbgapi_watchpoint_kind_t Kind, uint64_t &Id) {
  unsigned High = 63;
  for (auto &Entry : List.Agents)
    if (Entry.second->Supported)
      High = std::min(High, Entry.second->Entry.debug_prop >> 4 & 63);
  auto Watch = std::make_unique<Watchpoint>();
  if (Status Outcome = cover(Address, Size, High, *Watch))
    return Outcome;
  for (auto &Entry : List.Agents)
    if (Entry.second->Supported)
      if (Status Outcome = setOn(*Entry.second, *Watch, Kind))
        return Outcome;
  if (List.TheWatchpoints.empty()) {
    if (overrideLaunches(true) < 0)
      return Fatal;
    if (Status Outcome = watchInWaves(true))
      return Outcome;
  }
  Watch->Id = Id = library().newId(Library::WatchpointId);
  List.TheWatchpoints[Id] = std::move(Watch);
  return Success;
}

Status Watchpoints::remove(uint64_t Id) {
  auto Match = List.TheWatchpoints.find(Id);
  if (Match == List.TheWatchpoints.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  for (auto &Entry : Match->second->Hardware) {
    kfd::DebugTrapArguments A = {};
    A.op = kfd::ClearNodeAddressWatch;
    A.clear_node_address_watch.gpu_id = Entry.first;
    A.clear_node_address_watch.id = Entry.second;
    Conn.trap(A);
  }
  List.TheWatchpoints.erase(Match);
  if (!List.TheWatchpoints.empty())
    return Success;
  overrideLaunches(false);
  return watchInWaves(false);
}

} // namespace wavelane::library
