//===-- CallMemory.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallMemory.h"

#include "Core/Lane/WindowAddress.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemAlloc.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::isa::Access;
using ::wavelane::isa::MemorySpan;

static constexpr uint64_t kPageSize = 4096;
// A wave's local and private memory is at most this.
static constexpr size_t kMaxLocal = 160 * 1024;
static constexpr size_t kMaxPrivate = 128 * 1024;

/// All bytes that a lane has of a space. A condition is evaluated in one lane
/// after the other: small reads are kept for all.
static std::vector<uint8_t> ReadSpace(Process &process, Wave &wave,
                                      uint32_t lane, AddressSpace space,
                                      size_t most) {
  constexpr size_t kPiece = 256;
  std::vector<uint8_t> bytes(most);
  auto *memory = dynamic_cast<AddressSpaceMemory *>(&process);
  size_t done = 0;
  while (memory && done < most) {
    Status error;
    const size_t wanted = std::min(kPiece, most - done);
    // A read that crosses the end is cut there.
    const size_t got =
        memory->ReadAddressSpace(wave.GetThread().GetProtocolID(), lane, space,
                                 done, bytes.data() + done, wanted, error);
    done += got;
    if (got < wanted)
      break;
  }
  bytes.resize(done);
  return bytes;
}

CallMemory::CallMemory(Process &process, Wave &wave, uint32_t lane)
    : m_process(process), m_wave(wave), m_lane(lane),
      m_lanes(wave.GetLaneCount()),
      m_private_before(
          ReadSpace(process, wave, lane, eSpacePrivateLane, kMaxPrivate)),
      m_local(ReadSpace(process, wave, lane, eSpaceLocal, kMaxLocal)),
      m_local_before(m_local) {
  // Of this, a call uses little: the rest isn't touched.
  m_scratch_size = size_t(GetLaneSize()) * m_lanes;
  m_scratch.reset(static_cast<uint8_t *>(llvm::safe_calloc(m_scratch_size, 1)));
  for (size_t i = 0; i < m_private_before.size(); ++i)
    At(uint32_t(i)) = m_private_before[i];
}

uint32_t CallMemory::GetStackBegin() const {
  return uint32_t(llvm::alignTo(m_private_before.size(), 16));
}

uint8_t &CallMemory::At(uint32_t offset) {
  return m_scratch
      .get()[size_t(offset / 4) * m_lanes * 4 + m_lane * 4 + offset % 4];
}

MemorySpan CallMemory::resolve(uint64_t address, Access kind) {
  auto own = [&](uint64_t base, llvm::MutableArrayRef<uint8_t> bytes) {
    return address - base < bytes.size()
               ? MemorySpan{bytes.data(), base, base + bytes.size()}
               : MemorySpan();
  };
  if (kind != Access::Execute)
    for (MemorySpan span :
         {own(kScratchBase, {m_scratch.get(), m_scratch_size}),
          own(kPacketAddress, m_packet)})
      if (span.Host)
        return span;
  if (address == kReturnAddress)
    return {};
  const uint64_t begin = llvm::alignDown(address, kPageSize);
  auto [found, is_new] = m_pages.try_emplace(begin);
  Page &page = found->second;
  if (is_new) {
    page.now.resize(kPageSize);
    m_error.Clear();
    if (m_process.ReadMemory(begin, page.now.data(), kPageSize, m_error) !=
        kPageSize)
      page.now.clear();
    page.before = page.now;
  }
  if (page.now.empty())
    return {};
  return {page.now.data(), begin, begin + kPageSize};
}

bool CallMemory::Read(uint64_t address, void *buf, size_t size) {
  auto *bytes = static_cast<uint8_t *>(buf);
  const std::optional<AddressSpace> space = ApertureSpace(address);
  for (size_t i = 0; i < size; ++i) {
    const uint64_t offset = uint32_t(address) + i;
    if (space == eSpacePrivateLane) {
      if (offset >= GetLaneSize())
        return false;
      bytes[i] = At(uint32_t(offset));
    } else if (space == eSpaceLocal) {
      if (offset >= m_local.size())
        return false;
      bytes[i] = m_local[offset];
    } else {
      const MemorySpan span = resolve(address + i, Access::Read);
      if (!span.Host)
        return false;
      bytes[i] = span.Host[address + i - span.Begin];
    }
  }
  return true;
}

/// Calls \a write for each run of bytes that differ.
static bool WriteChanges(
    llvm::ArrayRef<uint8_t> now, llvm::ArrayRef<uint8_t> before,
    llvm::function_ref<bool(uint64_t, llvm::ArrayRef<uint8_t>)> write) {
  for (size_t i = 0; i < now.size(); ++i) {
    const size_t begin = i;
    while (i < now.size() && now[i] != before[i])
      ++i;
    if (i > begin && !write(begin, now.slice(begin, i - begin)))
      return false;
  }
  return true;
}

Status CallMemory::Commit() {
  Status error;
  for (auto &[address, page] : m_pages) {
    const uint64_t base = address;
    if (!WriteChanges(page.now, page.before,
                      [&](uint64_t offset, llvm::ArrayRef<uint8_t> bytes) {
                        return m_process.WriteMemory(base + offset,
                                                     bytes.data(), bytes.size(),
                                                     error) == bytes.size();
                      }))
      return error;
  }
  auto *memory = dynamic_cast<AddressSpaceMemory *>(&m_process);
  auto write_space = [&](AddressSpace space) {
    return [this, memory, &error, space](uint64_t offset,
                                         llvm::ArrayRef<uint8_t> bytes) {
      return memory &&
             memory->WriteAddressSpace(m_wave.GetThread().GetProtocolID(),
                                       m_lane, space, offset, bytes.data(),
                                       bytes.size(), error) == bytes.size();
    };
  };
  std::vector<uint8_t> private_now(m_private_before.size());
  for (size_t i = 0; i < private_now.size(); ++i)
    private_now[i] = At(uint32_t(i));
  if (!WriteChanges(m_local, m_local_before, write_space(eSpaceLocal)) ||
      !WriteChanges(private_now, m_private_before,
                    write_space(eSpacePrivateLane)))
    return error;
  return Status();
}
