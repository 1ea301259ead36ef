//===-- GPUMemory.cpp - Memory as the client sees it ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUMemory.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"

using namespace lldb_private;

namespace wavelane::server {

llvm::Expected<size_t> GPUMemory::Transfer(amd_dbgapi_address_space_id_t space,
                                           amd_dbgapi_wave_id_t wave,
                                           uint32_t lane, uint64_t address,
                                           size_t size, void *read,
                                           const void *write) {
  if (!m_session.IsAttached())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "GPU debugging has ended");
  if (write)
    if (llvm::Error error = m_session.CheckLive("memory can't be written"))
      return std::move(error);
  size_t done = 0;
  while (done < size) {
    amd_dbgapi_size_t part = size - done;
    const amd_dbgapi_status_t status =
        read ? m_session.fn().read_memory(m_session.id(), wave, lane, space,
                                          address + done, &part,
                                          static_cast<uint8_t *>(read) + done)
             : m_session.fn().write_memory(
                   m_session.id(), wave, lane, space, address + done, &part,
                   static_cast<const uint8_t *>(write) + done);
    if (status != AMD_DBGAPI_STATUS_SUCCESS || part == 0) {
      if (done)
        break;
      if (status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS &&
          m_session.GetCoreFiles())
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "memory at 0x%" PRIx64 " isn't in the core file", address + done);
      if (status == AMD_DBGAPI_STATUS_SUCCESS)
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "no memory at that address");
      return m_session.Check(status,
                             read ? "reading memory" : "writing memory");
    }
    done += std::min<size_t>(part, size - done);
  }
  return done;
}

Status GPUMemory::Read(lldb::addr_t address, void *buffer, size_t size,
                       size_t &bytes_read) {
  bytes_read = 0;
  const size_t readable =
      m_count_readable ? m_count_readable(address, size) : size;
  if (readable == 0 && size)
    return Status::FromErrorStringWithFormat(
        "memory of the host at 0x%" PRIx64 " isn't recorded", address);
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, readable, buffer, nullptr);
  if (!done)
    return Status::FromError(done.takeError());
  bytes_read = *done;
  // Hide breakpoints from clients.
  uint8_t *bytes = static_cast<uint8_t *>(buffer);
  auto it = m_traps.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_traps.end() && it->first < address + bytes_read; ++it)
    for (size_t i = 0; it->second.inserted && i < it->second.original.size();
         ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < bytes_read)
        bytes[at - address] = it->second.original[i];
    }
  return Status();
}

Status GPUMemory::Write(lldb::addr_t address, const void *buffer, size_t size,
                        size_t &bytes_written) {
  bytes_written = 0;
  const uint8_t *given = static_cast<const uint8_t *>(buffer);
  std::vector<uint8_t> bytes(given, given + size);
  // Keep breakpoints in place; what is written under them appears when they are
  // removed.
  auto it = m_traps.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_traps.end() && it->first < address + size; ++it)
    for (size_t i = 0; it->second.inserted && i < it->second.original.size();
         ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < size)
        bytes[at - address] = it->second.instruction[i];
    }
  llvm::Expected<size_t> done =
      Transfer(AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
               AMD_DBGAPI_LANE_NONE, address, size, nullptr, bytes.data());
  if (!done)
    return Status::FromError(done.takeError());
  bytes_written = *done;
  it = m_traps.lower_bound(address - std::min<uint64_t>(address, 16));
  for (; it != m_traps.end() && it->first < address + bytes_written; ++it)
    for (size_t i = 0; i < it->second.original.size(); ++i) {
      const uint64_t at = it->first + i;
      if (at >= address && at - address < bytes_written)
        it->second.original[i] = given[at - address];
    }
  return Status();
}

llvm::Expected<size_t> GPUMemory::TransferSpace(uint64_t number, Wave *wave,
                                                uint32_t lane, uint64_t address,
                                                size_t size, void *read,
                                                const void *write) {
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  std::optional<amd_dbgapi_architecture_id_t> architecture;
  if (wave)
    architecture = m_reader.GetArchitecture(*wave);
  else if (llvm::Error error =
               m_agents.GetArchitecture().moveInto(architecture))
    return error;
  if (!architecture)
    return fail("there is no GPU");
  amd_dbgapi_address_space_id_t space;
  if (llvm::Error error =
          m_session.Check(m_session.fn().dwarf_address_space_to_address_space(
                              *architecture, number, &space),
                          "finding the address space"))
    return std::move(error);
  const auto transfer_global = [&]() -> llvm::Expected<size_t> {
    size_t done = 0;
    Status error = read ? Read(address, read, size, done)
                        : Write(address, write, size, done);
    if (error.Fail())
      return error.ToError();
    return done;
  };
  if (space.handle == AMD_DBGAPI_ADDRESS_SPACE_GLOBAL.handle)
    return transfer_global();
  if (!wave)
    return fail("the address space needs a wave");
  if (wave->running)
    return fail("the wave is running");
  if (lane != AMD_DBGAPI_LANE_NONE &&
      lane >= m_reader.GetFacts(*wave).lane_count)
    return fail("the wave has no lane " + llvm::Twine(lane));
  const uint64_t bits =
      m_session
          .Get<uint64_t>(m_session.fn().address_space_get_info, space,
                         AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE)
          .value_or(64);
  // Generic addresses of more than 48 bits are lowered to local and private
  // memory, others are those of global memory.
  if (bits == 64 && address >> 48 == 0)
    return transfer_global();
  // The last address of local and private memory is their null, at which AMD's
  // library loops forever.
  constexpr uint64_t Null = 0xffffffff;
  const uint64_t offset = bits < 64 ? address : address & Null;
  if (offset >= Null)
    return fail("no memory at that address");
  size = std::min<uint64_t>(size, Null - offset);
  return Transfer(space, wave->id, lane, address, size, read, write);
}

bool GPUMemory::WriteCode(uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<size_t> done = Transfer(
      AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, AMD_DBGAPI_WAVE_NONE,
      AMD_DBGAPI_LANE_NONE, address, bytes.size(), nullptr, bytes.data());
  if (!done) {
    llvm::consumeError(done.takeError());
    return false;
  }
  return *done == bytes.size();
}

//===-- Traps -------------------------------------------------------------===//

Status GPUMemory::SetTrap(uint64_t address) {
  auto known = m_traps.find(address);
  if (known != m_traps.end()) {
    ++known->second.users;
    return Status();
  }
  const llvm::ArrayRef<uint8_t> bytes =
      m_agents.GetTrap([&] { return m_code_objects.GetMachine(address); });
  if (bytes.empty())
    return Status::FromErrorString(
        "the GPU's breakpoint instruction isn't known");
  if (address % 4)
    return Status::FromErrorStringWithFormat(
        "0x%" PRIx64 " isn't the address of a GPU instruction", address);
  Trap trap;
  trap.users = 1;
  trap.instruction = bytes.vec();
  trap.original.resize(bytes.size());
  size_t done = 0;
  Status error =
      Read(address, trap.original.data(), trap.original.size(), done);
  if (error.Fail())
    return error;
  trap.inserted = !m_session.GetCore();
  if (done != bytes.size() || (trap.inserted && !WriteCode(address, bytes)))
    return Status::FromErrorStringWithFormat(
        "no GPU code can be written at 0x%" PRIx64, address);
  m_traps.emplace(address, std::move(trap));
  return Status();
}

bool GPUMemory::RemoveTrap(uint64_t address) {
  auto known = m_traps.find(address);
  if (known == m_traps.end() || --known->second.users)
    return false;
  // If the code is gone, there is nothing to restore.
  const Trap trap = std::move(known->second);
  m_traps.erase(known);
  if (trap.inserted && !WriteCode(address, trap.original))
    LLDB_LOG(GetLog(LLDBLog::Breakpoints),
             "the code of the breakpoint at {0:x} is gone", address);
  return true;
}

void GPUMemory::RemoveTraps() {
  for (const auto &[address, trap] : m_traps)
    if (trap.inserted)
      WriteCode(address, trap.original);
  m_traps.clear();
}

void GPUMemory::InsertTraps() {
  for (auto &[address, trap] : m_traps)
    if (!trap.inserted)
      trap.inserted = WriteCode(address, trap.instruction);
}

bool GPUMemory::TakeOut(uint64_t address) {
  auto known = m_traps.find(address);
  if (known == m_traps.end() || !WriteCode(address, known->second.original))
    return false;
  known->second.inserted = false;
  return true;
}

void GPUMemory::PutBack(uint64_t address) {
  auto known = m_traps.find(address);
  if (known != m_traps.end() && !known->second.inserted)
    known->second.inserted = WriteCode(address, known->second.instruction);
}

MemoryPatches GPUMemory::GetHiddenCode() const {
  MemoryPatches patches;
  for (const auto &[address, trap] : m_traps)
    if (trap.inserted)
      patches.emplace_back(address, trap.original);
  return patches;
}

} // namespace wavelane::server
