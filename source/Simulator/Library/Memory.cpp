//===-- Memory.cpp - The memory of a program ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

namespace wavelane::library {

void ProgramMemory::close() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

void ProgramMemory::open(pid_t of) {
  close();
  pid = of;
  const std::string path = "/proc/" + std::to_string(pid) + "/mem";
  fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

Status ProgramMemory::transfer(uint64_t address, uint64_t &size, void *read,
                               const void *write) {
  const uint64_t wanted = size;
  size = 0;
  if (!wanted)
    return Success;
  if (fd >= 0) {
    const ssize_t done = read ? pread(fd, read, wanted, off_t(address))
                              : pwrite(fd, write, wanted, off_t(address));
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
    ended = true;
    return status;
  }
  if (status != Success || done > wanted)
    return Fatal;
  if (!done)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  size = done;
  return Success;
}

Status ProgramMemory::limitToAllocated(uint64_t address, uint64_t &size) {
  using namespace simulator;
  constexpr uint64_t End = ArenaBase + ArenaSize, MaxPages = 4096;
  if (!size || address < FirstAllocation || address >= End)
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

Status ProgramMemory::readAll(uint64_t address, void *data, uint64_t size) {
  uint8_t *at = static_cast<uint8_t *>(data);
  while (size) {
    uint64_t done = size;
    if (Status status = transfer(address, done, at, nullptr))
      return status;
    address += done, at += done, size -= done;
  }
  return Success;
}

Status ProgramMemory::readEach(ArrayRef<uint64_t> addresses, void *data,
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
    if (fd >= 0)
      got = process_vm_readv(pid, &local, 1, remote, count, 0);
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

Status ProgramMemory::writeAll(uint64_t address, const void *data,
                               uint64_t size) {
  const uint8_t *at = static_cast<const uint8_t *>(data);
  while (size) {
    uint64_t done = size;
    if (Status status = transfer(address, done, nullptr, at))
      return status;
    address += done, at += done, size -= done;
  }
  return Success;
}

} // namespace wavelane::library
