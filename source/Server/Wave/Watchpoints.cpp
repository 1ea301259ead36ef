//===-- Watchpoints.cpp - What the GPU's watch registers watch ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Watchpoints.h"
#include "llvm/Support/MathExtras.h"

using namespace lldb_private;

namespace wavelane::server {

uint32_t Watchpoints::GetRegisterCount() const {
  return uint32_t(m_session
                      .Get<size_t>(m_session.fn().process_get_info,
                                   m_session.id(),
                                   AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT)
                      .value_or(0));
}

llvm::Expected<amd_dbgapi_watchpoint_id_t>
Watchpoints::Watch(uint64_t address, size_t size, uint32_t flags) {
  constexpr uint32_t Write = 1, Read = 2;
  const amd_dbgapi_watchpoint_kind_t kind =
      flags == Read    ? AMD_DBGAPI_WATCHPOINT_KIND_LOAD
      : flags == Write ? AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW
                       : AMD_DBGAPI_WATCHPOINT_KIND_ALL;
  amd_dbgapi_watchpoint_id_t id;
  const amd_dbgapi_status_t status =
      m_session.fn().set_watchpoint(m_session.id(), address, size, kind, &id);
  if (status == AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "no watch register of the GPU is free for %zu bytes", size);
  if (llvm::Error error = m_session.Check(status, "setting a watchpoint"))
    return std::move(error);
  // Hardware may watch a different range than requested.
  auto start = m_session.Get<uint64_t>(m_session.fn().watchpoint_get_info, id,
                                       AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS);
  auto length = m_session.Get<uint64_t>(m_session.fn().watchpoint_get_info, id,
                                        AMD_DBGAPI_WATCHPOINT_INFO_SIZE);
  if (!start || !length || *start > address ||
      address - *start + size > *length) {
    m_session.Ok(m_session.fn().remove_watchpoint(id), "removing a watchpoint");
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the GPU can't watch %zu bytes at 0x%" PRIx64, size, address);
  }
  return id;
}

/// Hardware watches an aligned power of 2 of bytes: splits a range into the
/// largest such pieces.
static std::vector<std::pair<uint64_t, size_t>>
SplitForHardware(uint64_t address, size_t size) {
  std::vector<std::pair<uint64_t, size_t>> pieces;
  while (size) {
    size_t piece = size_t(1) << llvm::Log2_64(size);
    if (address)
      piece = std::min<uint64_t>(piece, address & -address);
    pieces.emplace_back(address, piece);
    address += piece;
    size -= piece;
  }
  return pieces;
}

Status Watchpoints::Set(lldb::addr_t address, size_t size, uint32_t flags) {
  if (m_watchpoints.count(address))
    return Status::FromErrorStringWithFormat("0x%" PRIx64 " is already watched",
                                             address);
  if (!m_session.IsRuntimeUp())
    return Status::FromErrorString("the program has no GPU runtime");
  // Watch exactly that range if there are enough watch registers, otherwise an
  // enclosing one.
  Watchpoint watchpoint;
  watchpoint.size = size;
  constexpr size_t MaxPieces = 4;
  const auto pieces = SplitForHardware(address, size);
  for (const auto &[begin, length] : pieces) {
    if (pieces.size() > MaxPieces)
      break;
    auto id = Watch(begin, length, flags);
    if (!id) {
      llvm::consumeError(id.takeError());
      Release(watchpoint);
      break;
    }
    watchpoint.ids.push_back(*id);
  }
  if (watchpoint.ids.empty()) {
    auto id = Watch(address, size, flags);
    if (!id)
      return Status::FromError(id.takeError());
    watchpoint.ids.push_back(*id);
  }
  m_watchpoints.emplace(address, std::move(watchpoint));
  return Status();
}

Status Watchpoints::SetInSpace(lldb::addr_t key, uint64_t space, Wave *wave,
                               uint32_t lane, uint64_t offset, size_t size,
                               uint32_t flags) {
  constexpr uint64_t Local = 3, PrivateLane = 5;
  constexpr size_t MaxSize = 64;
  if (m_watchpoints.count(key))
    return Status::FromErrorStringWithFormat("0x%" PRIx64 " is already watched",
                                             key);
  if (!wave || wave->running)
    return Status::FromErrorString(
        "local and private memory can be watched for a stopped wave only");
  if (space != Local && space != PrivateLane)
    return Status::FromErrorStringWithFormat(
        "memory of address space %" PRIu64 " can't be watched", space);
  if (!m_session.fn().watch_address)
    return Status::FromErrorString(
        "the watch registers of this GPU are for global memory: local "
        "and private memory can be watched on a simulated GPU only");
  if (!size || size > MaxSize)
    return Status::FromErrorStringWithFormat("%zu bytes can't be watched",
                                             size);
  Watchpoint watchpoint;
  if (space == Local)
    watchpoint.workgroup = m_reader.GetFacts(*wave).workgroup_id;
  Status error;
  for (size_t done = 0; done < size && error.Success();) {
    uint64_t address = 0, contiguous = 0;
    if (llvm::Error failed = m_session.Check(
            m_session.fn().watch_address(wave->id, lane, space == Local,
                                         offset + done, &address, &contiguous),
            "finding what to watch")) {
      error = Status::FromError(std::move(failed));
      break;
    }
    const size_t here = std::min<uint64_t>(size - done, contiguous);
    auto id = Watch(address, here, flags);
    if (!id) {
      error = Status::FromError(id.takeError());
      break;
    }
    watchpoint.ids.push_back(*id);
    done += here;
  }
  if (error.Fail()) {
    Release(watchpoint);
    return error;
  }
  m_watchpoints.emplace(key, std::move(watchpoint));
  return Status();
}

Status Watchpoints::Remove(lldb::addr_t address) {
  auto known = m_watchpoints.find(address);
  if (known == m_watchpoints.end())
    return Status::FromErrorStringWithFormat("0x%" PRIx64 " isn't watched",
                                             address);
  llvm::Error error = llvm::Error::success();
  for (amd_dbgapi_watchpoint_id_t id : known->second.ids)
    error = llvm::joinErrors(
        std::move(error), m_session.Check(m_session.fn().remove_watchpoint(id),
                                          "removing a watchpoint"));
  m_watchpoints.erase(known);
  return Status::FromError(std::move(error));
}

void Watchpoints::Release(Watchpoint &watchpoint) {
  for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids)
    m_session.Ok(m_session.fn().remove_watchpoint(id), "removing a watchpoint");
  watchpoint.ids.clear();
}

void Watchpoints::FindOf(Wave &wave) {
  auto list = m_session.Get<amd_dbgapi_watchpoint_list_t>(
      m_session.fn().wave_get_info, wave.id, AMD_DBGAPI_WAVE_INFO_WATCHPOINTS);
  const uint64_t workgroup =
      m_session
          .Get<uint64_t>(m_session.fn().wave_get_info, wave.id,
                         AMD_DBGAPI_WAVE_INFO_WORKGROUP)
          .value_or(0);
  bool is_other_group = false;
  std::set<uint64_t> all;
  for (size_t i = 0; list && i < list->count; ++i)
    for (const auto &[address, watchpoint] : m_watchpoints)
      for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids) {
        if (id.handle != list->watchpoint_ids[i].handle)
          continue;
        if (watchpoint.workgroup && watchpoint.workgroup != workgroup)
          is_other_group = true;
        else
          all.insert(address);
      }
  if (list)
    std::free(list->watchpoint_ids);
  for (uint64_t address : all) {
    wave.watch_address = address;
    if (all.size() > 1)
      wave.all_watched.push_back({address, {}});
  }
  if (is_other_group && !wave.watch_address) {
    wave.reasons &= ~uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT);
    wave.stop_lanes = 0;
  }
}

void Watchpoints::RemoveAll() {
  for (auto &[address, watchpoint] : m_watchpoints)
    Release(watchpoint);
  m_watchpoints.clear();
}

} // namespace wavelane::server
