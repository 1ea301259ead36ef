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
  if (Fd >= 0)
    ::close(Fd);
  Fd = -1;
}

void ProgramMemory::open(pid_t Of) {
  close();
  Pid = Of;
  const std::string Path = "/proc/" + std::to_string(Pid) + "/mem";
  Fd = ::open(Path.c_str(), O_RDWR | O_CLOEXEC);
}

Status ProgramMemory::transfer(uint64_t Address, uint64_t &Size, void *Read,
                               const void *Write) {
  const uint64_t Wanted = Size;
  Size = 0;
  if (!Wanted)
    return Success;
  if (Own) {
    Size = Wanted;
    if (Own(Address, Size, Read, Write) && Size)
      return Success;
    Size = 0;
    if (Write)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  }
  if (Fd >= 0) {
    const ssize_t Done = Read ? pread(Fd, Read, Wanted, off_t(Address))
                              : pwrite(Fd, Write, Wanted, off_t(Address));
    if (Done > 0) {
      Size = uint64_t(Done);
      return Success;
    }
  }
  amd_dbgapi_size_t Done = Wanted;
  const Status Outcome = library().Callbacks.xfer_global_memory(
      Client, Address, &Done, Read, Write);
  if (Outcome == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS)
    return Outcome;
  if (Outcome == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED) {
    Ended = true;
    return Outcome;
  }
  if (Outcome != Success || Done > Wanted)
    return Fatal;
  if (!Done)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Size = Done;
  return Success;
}

Status ProgramMemory::limitToAllocated(uint64_t Address, uint64_t &Size) {
  using namespace simulator;
  constexpr uint64_t End = ArenaBase + ArenaSize, MaxPages = 4096;
  if (!Size || Address < FirstAllocation || Address >= End)
    return Success;
  const uint64_t First = (Address - ArenaBase) / PageSize;
  const uint64_t Last =
      (Address + std::min(Size, End - Address) - 1 - ArenaBase) / PageSize;
  std::vector<uint8_t> Access(std::min(Last - First + 1, MaxPages));
  if (Status Outcome = readAll(ArenaBase + PageTableOffset + First,
                               Access.data(), Access.size()))
    return Outcome;
  const uint64_t Pages =
      std::find(Access.begin(), Access.end(), 0) - Access.begin();
  if (!Pages)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Size = std::min(Size, ArenaBase + (First + Pages) * PageSize - Address);
  return Success;
}

Status ProgramMemory::readAll(uint64_t Address, void *Data, uint64_t Size) {
  uint8_t *At = static_cast<uint8_t *>(Data);
  while (Size) {
    uint64_t Done = Size;
    if (Status Outcome = transfer(Address, Done, At, nullptr))
      return Outcome;
    Address += Done, At += Done, Size -= Done;
  }
  return Success;
}

Status ProgramMemory::readEach(ArrayRef<uint64_t> Addresses, void *Data,
                               uint64_t Size) {
  constexpr size_t MaxAtOnce = 512; // IOV_MAX is 1024
  uint8_t *At = static_cast<uint8_t *>(Data);
  while (!Addresses.empty()) {
    const size_t Count = std::min(Addresses.size(), MaxAtOnce);
    iovec Remote[MaxAtOnce];
    for (size_t I = 0; I < Count; ++I)
      Remote[I] = {reinterpret_cast<void *>(Addresses[I]), Size};
    const iovec Local = {At, Count * Size};
    ssize_t Got = -1;
    if (Fd >= 0)
      Got = process_vm_readv(Pid, &Local, 1, Remote, Count, 0);
    // Places that can't be read, or only in part, are read by other means.
    const size_t Done = Got > 0 ? size_t(Got) / Size : 0;
    for (size_t I = Done; I < Count; ++I)
      if (Status Outcome = readAll(Addresses[I], At + I * Size, Size))
        return Outcome;
    Addresses = Addresses.drop_front(Count);
    At += Count * Size;
  }
  return Success;
}

Status ProgramMemory::writeAll(uint64_t Address, const void *Data,
                               uint64_t Size) {
  const uint8_t *At = static_cast<const uint8_t *>(Data);
  while (Size) {
    uint64_t Done = Size;
    if (Status Outcome = transfer(Address, Done, nullptr, At))
      return Outcome;
    Address += Done, At += Done, Size -= Done;
  }
  return Success;
}

} // namespace wavelane::library
