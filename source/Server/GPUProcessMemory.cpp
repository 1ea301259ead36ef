//===-- GPUProcessMemory.cpp - Memory, breakpoints and watchpoints --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUProcess.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

llvm::Expected<size_t> GPUProcess::Transfer(amd_dbgapi_address_space_id_t space,
                                            amd_dbgapi_wave_id_t wave,
                                            uint32_t lane, uint64_t address,
                                            size_t size, void *read,
                                            const void *write) {
  if (!m_session.IsAttached())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "GPU debugging has ended");
  if (write)
    if (llvm::Error error = CheckLive("memory can't be written"))
      return std::move(error);
  size_t done = 0;
  while (done < size) {
    amd_dbgapi_size_t part = size - done;
    const amd_dbgapi_status_t status =
        read ? fn().read_memory(m_session.id(), wave, lane, space,
                                address + done, &part,
                                static_cast<uint8_t *>(read) + done)
             : fn().write_memory(m_session.id(), wave, lane, space,
                                 address + done, &part,
                                 static_cast<const uint8_t *>(write) + done);
    if (status != AMD_DBGAPI_STATUS_SUCCESS || part == 0) {
      if (done)
        break;
      if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS &&
          m_session.GetCore())
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "memory at 0x%" PRIx64 " isn't in the core file", address + done);
      if (status == AMD_DBGAPI_STATUS_SUCCESS)
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "no memory there");
      return m_session.Check(status,
                             read ? "reading memory" : "writing memory");
    }
    done += std::min<size_t>(part, size - done);
  }
  return done;
}

Status GPUProcess::ReadMemory(lldb::addr_t address, void *buffer, size_t size,
                              size_t &bytes_read) {
  bytes_read = 0;
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, size, buffer, nullptr);
  if (!done)
    return Status::FromError(done.takeError());
  bytes_read = *done;
  // Nobody is to see breakpoints.
  uint8_t *bytes = static_cast<uint8_t *>(buffer);
  auto it =
      m_breakpoints.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_breakpoints.end() && it->first < address + bytes_read; ++it)
    for (size_t i = 0; it->second.inserted && i < it->second.original.size();
         ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < bytes_read)
        bytes[at - address] = it->second.original[i];
    }
  return Status();
}

Status GPUProcess::WriteMemory(lldb::addr_t address, const void *buffer,
                               size_t size, size_t &bytes_written) {
  bytes_written = 0;
  const uint8_t *given = static_cast<const uint8_t *>(buffer);
  std::vector<uint8_t> bytes(given, given + size);
  // Breakpoints stay; what is written under them counts when they go.
  auto it =
      m_breakpoints.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_breakpoints.end() && it->first < address + size; ++it)
    for (size_t i = 0; it->second.inserted && i < it->second.original.size();
         ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < size)
        bytes[at - address] = it->second.trap[i];
    }
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, size, nullptr, bytes.data());
  if (!done)
    return Status::FromError(done.takeError());
  bytes_written = *done;
  it = m_breakpoints.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_breakpoints.end() && it->first < address + bytes_written; ++it)
    for (size_t i = 0; i < it->second.original.size(); ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < bytes_written)
        it->second.original[i] = given[at - address];
    }
  return Status();
}

llvm::Expected<size_t> GPUProcess::TransferSpace(uint64_t number, Wave *wave,
                                                 uint32_t lane,
                                                 uint64_t address, size_t size,
                                                 void *read,
                                                 const void *write) {
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  auto architecture =
      wave ? std::optional(GetArchitectureOf(*wave)) : GetGPUArchitecture();
  if (!architecture)
    return fail("there is no GPU");
  amd_dbgapi_address_space_id_t space;
  if (llvm::Error error =
          m_session.Check(fn().dwarf_address_space_to_address_space(
                              *architecture, number, &space),
                          "finding the address space"))
    return std::move(error);
  if (space.handle == AMD_DBGAPI_ADDRESS_SPACE_GLOBAL.handle) {
    size_t done = 0;
    Status error = read ? ReadMemory(address, read, size, done)
                        : WriteMemory(address, write, size, done);
    if (error.Fail())
      return error.ToError();
    return done;
  }
  if (!wave)
    return fail("the address space needs a wave");
  if (wave->running)
    return fail("the wave is running");
  if (lane != AMD_DBGAPI_LANE_NONE && lane >= GetFacts(*wave).lane_count)
    return fail("the wave has no lane " + llvm::Twine(lane));
  const uint64_t bits =
      m_session
          .Get<uint64_t>(fn().address_space_get_info, space,
                         AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE)
          .value_or(64);
  // The last address of local and private memory is their null, at which AMD's
  // library goes round for ever. Generic addresses of more than 48 bits lead
  // there.
  constexpr uint64_t Null = 0xffffffff;
  if (bits < 64 || address >> 48) {
    const uint64_t offset = bits < 64 ? address : address & Null;
    if (offset >= Null)
      return fail("no memory there");
    size = std::min<uint64_t>(size, Null - offset);
  }
  return Transfer(space, wave->id, lane, address, size, read, write);
}

bool GPUProcess::WriteCode(uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<size_t> done = Transfer(
      AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
      AMD_DBGAPI_LANE_NONE, address, bytes.size(), nullptr, bytes.data());
  if (!done) {
    llvm::consumeError(done.takeError());
    return false;
  }
  return *done == bytes.size();
}

llvm::json::Array GPUProcess::GetAddressSpaces() {
  llvm::json::Array result;
  auto architecture = GetGPUArchitecture();
  if (!architecture)
    return result;
  auto spaces = m_session.List<amd_dbgapi_address_space_id_t>(
      [&](size_t *count, amd_dbgapi_address_space_id_t **items) {
        return fn().architecture_address_space_list(*architecture, count,
                                                    items);
      });
  for (amd_dbgapi_address_space_id_t space : spaces) {
    auto name = m_session.GetString(fn().address_space_get_info, space,
                                    AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME);
    auto number = m_session.Get<uint64_t>(fn().address_space_get_info, space,
                                          AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF);
    if (!name || !number)
      continue;
    auto bits =
        m_session.Get<uint64_t>(fn().address_space_get_info, space,
                                AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE);
    auto null =
        m_session.Get<uint64_t>(fn().address_space_get_info, space,
                                AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS);
    // Generic addresses depend on which space they lead to, which is a wave's.
    constexpr const char *Dependencies[] = {"",          "lane",  "wave",
                                            "workgroup", "agent", "process"};
    const char *dependency = llvm::StringSwitch<const char *>(*name)
                                 .Case("global", "process")
                                 .Case("generic", "lane")
                                 .Case("private_lane", "lane")
                                 .Case("private_wave", "wave")
                                 .Case("local", "workgroup")
                                 .Case("region", "agent")
                                 .Default("wave");
    amd_dbgapi_segment_address_dependency_t value;
    if (*name != "generic" &&
        m_session.api().addressDependency(m_session.id(), AMD_DBGAPI_WAVE_NONE,
                                          space, 0, &value) ==
            AMD_DBGAPI_STATUS_SUCCESS &&
        value > 0 && size_t(value) < std::size(Dependencies))
      dependency = Dependencies[value];
    const bool shared =
        StringRef(dependency) == "agent" || StringRef(dependency) == "process";
    llvm::json::Object object{{"name", *name},
                              {"space_id", *number},
                              {"is_thread_specific", !shared},
                              {"depends_on", dependency}};
    if (bits)
      object["address_bits"] = *bits;
    if (null)
      object["null"] = *null;
    result.push_back(std::move(object));
  }
  return result;
}

//===-- Breakpoints and watchpoints ---------------------------------------===//

Status GPUProcess::SetBreakpoint(lldb::addr_t address, uint32_t size,
                                 bool hardware) {
  if (hardware)
    return Status::FromErrorString("GPUs have no hardware breakpoints");
  if (llvm::Error error = CheckLive("no breakpoint can be set"))
    return Status::FromError(std::move(error));
  auto known = m_breakpoints.find(address);
  if (known != m_breakpoints.end()) {
    ++known->second.users;
    return Status();
  }
  const llvm::ArrayRef<uint8_t> trap = GetTrapAt(address);
  if (trap.empty())
    return Status::FromErrorString(
        "the GPU's breakpoint instruction isn't known");
  if (address % 4)
    return Status::FromErrorStringWithFormat(
        "0x%" PRIx64 " is no address of a GPU instruction", address);
  Breakpoint breakpoint;
  breakpoint.users = 1;
  breakpoint.trap = trap.vec();
  breakpoint.original.resize(trap.size());
  size_t done = 0;
  Status error = ReadMemory(address, breakpoint.original.data(),
                            breakpoint.original.size(), done);
  if (error.Fail())
    return error;
  if (done != trap.size() || !WriteCode(address, trap))
    return Status::FromErrorStringWithFormat(
        "no GPU code can be written at 0x%" PRIx64, address);
  breakpoint.inserted = true;
  m_breakpoints.emplace(address, std::move(breakpoint));
  return Status();
}

Status GPUProcess::RemoveBreakpoint(lldb::addr_t address, bool hardware) {
  auto known = m_breakpoints.find(address);
  if (hardware || known == m_breakpoints.end())
    return Status::FromErrorStringWithFormat(
        "there is no breakpoint at 0x%" PRIx64, address);
  if (--known->second.users)
    return Status();
  // Where the code is gone there is nothing to restore.
  const bool inserted = known->second.inserted;
  const std::vector<uint8_t> original = std::move(known->second.original);
  m_breakpoints.erase(known);
  m_conditions.erase(address);
  if (inserted && !WriteCode(address, original))
    LLDB_LOG(GetLog(LLDBLog::Breakpoints),
             "the code of the breakpoint at {0:x} is gone", address);
  return Status();
}

std::optional<std::pair<uint32_t, uint32_t>>
GPUProcess::GetHardwareDebugSupportInfo() const {
  auto count = m_session.Get<size_t>(fn().process_get_info, m_session.id(),
                                     AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT);
  return std::make_pair(0u, uint32_t(count.value_or(0)));
}

llvm::Expected<amd_dbgapi_watchpoint_id_t>
GPUProcess::Watch(uint64_t address, size_t size, uint32_t flags) {
  constexpr uint32_t Write = 1, Read = 2;
  const amd_dbgapi_watchpoint_kind_t kind =
      flags == Read    ? AMD_DBGAPI_WATCHPOINT_KIND_LOAD
      : flags == Write ? AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW
                       : AMD_DBGAPI_WATCHPOINT_KIND_ALL;
  amd_dbgapi_watchpoint_id_t id;
  const amd_dbgapi_status_t status =
      fn().set_watchpoint(m_session.id(), address, size, kind, &id);
  if (status == AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "none of the GPU's watch registers is free for %zu bytes", size);
  if (llvm::Error error = m_session.Check(status, "setting a watchpoint"))
    return std::move(error);
  // Hardware may watch another range than was asked.
  auto start = m_session.Get<uint64_t>(fn().watchpoint_get_info, id,
                                       AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS);
  auto length = m_session.Get<uint64_t>(fn().watchpoint_get_info, id,
                                        AMD_DBGAPI_WATCHPOINT_INFO_SIZE);
  if (!start || !length || *start > address ||
      address - *start + size > *length) {
    m_session.Ok(fn().remove_watchpoint(id), "removing a watchpoint");
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the GPU can't watch %zu bytes at 0x%" PRIx64, size, address);
  }
  return id;
}

/// Hardware watches a power of 2 of bytes at a multiple of it: the largest such
/// pieces of a range.
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

Status GPUProcess::SetWatchpoint(lldb::addr_t address, size_t size,
                                 uint32_t flags, bool hardware) {
  if (m_watchpoints.count(address))
    return Status::FromErrorStringWithFormat("0x%" PRIx64 " is watched already",
                                             address);
  if (!m_session.IsRuntimeUp())
    return Status::FromErrorString("the program has no GPU runtime");
  // Exactly that range where there are watch registers for it; else one with
  // its neighbours.
  Watchpoint watchpoint;
  auto release = [&] {
    for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids)
      m_session.Ok(fn().remove_watchpoint(id), "removing a watchpoint");
    watchpoint.ids.clear();
  };
  constexpr size_t MaxPieces = 4;
  const auto pieces = SplitForHardware(address, size);
  for (const auto &[begin, length] : pieces) {
    if (pieces.size() > MaxPieces)
      break;
    auto id = Watch(begin, length, flags);
    if (!id) {
      llvm::consumeError(id.takeError());
      release();
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

Status GPUProcess::SetSpaceWatchpoint(lldb::addr_t key, uint64_t space,
                                      Wave *wave, uint32_t lane,
                                      uint64_t offset, size_t size,
                                      uint32_t flags) {
  constexpr uint64_t Local = 3, PrivateLane = 5;
  constexpr size_t MaxSize = 64;
  if (m_watchpoints.count(key))
    return Status::FromErrorStringWithFormat("0x%" PRIx64 " is watched already",
                                             key);
  if (!wave || wave->running)
    return Status::FromErrorString(
        "local and private memory are a stopped wave's");
  if (space != Local && space != PrivateLane)
    return Status::FromErrorStringWithFormat(
        "memory of address space %" PRIu64 " can't be watched", space);
  if (!fn().watch_address)
    return Status::FromErrorString(
        "the watch registers of this GPU are for global memory: local "
        "and private memory can be watched on a simulated GPU only");
  if (!size || size > MaxSize)
    return Status::FromErrorStringWithFormat("%zu bytes can't be watched",
                                             size);
  Watchpoint watchpoint;
  if (space == Local)
    watchpoint.workgroup = GetFacts(*wave).workgroup_id;
  Status error;
  for (size_t done = 0; done < size && error.Success();) {
    uint64_t address = 0, contiguous = 0;
    if (llvm::Error failed = m_session.Check(
            fn().watch_address(wave->id, lane, space == Local, offset + done,
                               &address, &contiguous),
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
    for (amd_dbgapi_watchpoint_id_t id : watchpoint.ids)
      m_session.Ok(fn().remove_watchpoint(id), "removing a watchpoint");
    return error;
  }
  m_watchpoints.emplace(key, std::move(watchpoint));
  return Status();
}

Status GPUProcess::RemoveWatchpoint(lldb::addr_t address) {
  auto known = m_watchpoints.find(address);
  if (known == m_watchpoints.end())
    return Status::FromErrorStringWithFormat("0x%" PRIx64 " isn't watched",
                                             address);
  llvm::Error error = llvm::Error::success();
  for (amd_dbgapi_watchpoint_id_t id : known->second.ids)
    error = llvm::joinErrors(
        std::move(error),
        m_session.Check(fn().remove_watchpoint(id), "removing a watchpoint"));
  m_watchpoints.erase(known);
  return Status::FromError(std::move(error));
}

} // namespace wavelane::server
