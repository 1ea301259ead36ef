//===-- Arena.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arena.h"

#include "../Common/StartDevice.h"
#include "Simulator/Common/CoreDumps.h"
#include "wavelane/Protocol/Device/ArenaFile.h"

#include <cstring>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavelane::runtime;

extern "C" {
__attribute__((used)) AllocationTable wavelane_allocations = {0, nullptr};
}

size_t Arena::addRecord(uint64_t Address, uint64_t Size) {
  AllocationRecord Record = {Address, Size, {}};
  // The first frames are this function's and its caller's.
  constexpr int Own = 2;
  void *Callers[Own + AllocationRecord::Depth];
  const int Count = backtrace(Callers, Own + int(AllocationRecord::Depth));
  for (int I = Own; I < Count; ++I)
    Record.Callers[I - Own] = reinterpret_cast<uint64_t>(Callers[I]);
  Records.push_back(Record);
  wavelane_allocations = {Records.size(), Records.data()};
  return Records.size() - 1;
}

void Arena::removeRecord(size_t Record) {
  // Move the last record to its place.
  Records[Record] = Records.back();
  Records.pop_back();
  if (Record < Records.size())
    Live[Records[Record].Address].Record = Record;
  wavelane_allocations = {Records.size(), Records.data()};
}

bool Arena::create(std::string &Error) {
  Fd = memfd_create(ArenaFileName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  std::string Why = Fd < 0 ? strerror(errno) : "";
  if (Fd < 0 || !sizeMemoryFile(Fd, ArenaSize, Why)) {
    Error = "cannot make device memory: " + Why;
    return false;
  }
  void *P = mmap(reinterpret_cast<void *>(ArenaBase), ArenaSize, PROT_NONE,
                 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, Fd, 0);
  if (P != reinterpret_cast<void *>(ArenaBase)) {
    const int Why = errno;
    Error = std::string("cannot map device memory at its address: ") +
            strerror(Why);
    if (Why == ENOMEM)
      Error += ": it needs 64 GB of addresses, which `ulimit -v` must allow";
    return false;
  }
  simulator::leaveOutOfCore(P, ArenaSize);
  if (mprotect(P, FirstAllocation - ArenaBase, PROT_READ | PROT_WRITE) != 0) {
    Error = std::string("cannot use device memory: ") + strerror(errno);
    return false;
  }
  header()->magic = ArenaHeader::MagicValue;
  header()->version = ProtocolVersion;
  Free[FirstAllocation] = ArenaBase + ArenaSize - FirstAllocation;
  return true;
}

void Arena::giveBack(uint64_t Address, uint64_t Size) {
  auto Hole = Free.emplace(Address, Size).first;
  auto Next = std::next(Hole);
  if (Next != Free.end() && Hole->first + Hole->second == Next->first) {
    Hole->second += Next->second;
    Free.erase(Next);
  }
  if (Hole != Free.begin()) {
    auto Before = std::prev(Hole);
    if (Before->first + Before->second == Hole->first) {
      Before->second += Hole->second;
      Free.erase(Hole);
    }
  }
}

/// Allows the oldest freed range to be used again.
bool Arena::takeBack() {
  if (Resting.empty())
    return false;
  giveBack(Resting.front().first, Resting.front().second);
  Resting.pop_front();
  return true;
}

void Arena::listen(Listener L) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (const auto &Entry : Live)
    L(Entry.first, Entry.second, Change::Present);
  OnChange = std::move(L);
}

void *Arena::allocate(uint64_t Size, MemoryKind Kind, unsigned Flags,
                      uint8_t Access) {
  if (!Size || Size > ArenaSize)
    return nullptr;
  const uint64_t Pages = (Size + PageSize - 1) / PageSize;
  const uint64_t Reserved = (Pages + 1) * PageSize;
  std::lock_guard<std::mutex> Guard(Lock);
  const bool Counts = Kind == MemoryKind::Device || Kind == MemoryKind::Managed;
  if (Counts && Used + Pages * PageSize > total())
    return nullptr;
  for (auto It = Free.begin();;) {
    if (It == Free.end()) {
      if (!takeBack())
        return nullptr;
      It = Free.begin();
    }
    if (It->second < Reserved) {
      ++It;
      continue;
    }
    const uint64_t Address = It->first;
    const uint64_t Left = It->second - Reserved;
    if (mprotect(reinterpret_cast<void *>(Address), Pages * PageSize,
                 PROT_READ | PROT_WRITE) != 0)
      return nullptr;
    simulator::dumpIfWanted(reinterpret_cast<void *>(Address),
                            Pages * PageSize);
    Free.erase(It);
    if (Left)
      Free[Address + Reserved] = Left;
    Live[Address] = {Size, Reserved, Kind, Flags, 0};
    if (Kind != MemoryKind::Internal)
      Live[Address].Record = addRecord(Address, Size);
    memset(reinterpret_cast<void *>(ArenaBase + PageTableOffset +
                                    (Address - ArenaBase) / PageSize),
           Access, Pages);
    if (Counts)
      Used += Pages * PageSize;
    if (OnChange)
      OnChange(Address, Live[Address], Change::Made);
    return reinterpret_cast<void *>(Address);
  }
}

bool Arena::free(void *Pointer) {
  const uint64_t Address = reinterpret_cast<uint64_t>(Pointer);
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Live.find(Address);
  if (It == Live.end())
    return false;
  const uint64_t Reserved = It->second.Reserved;
  const uint64_t Bytes = Reserved - PageSize;
  if (It->second.Kind == MemoryKind::Device ||
      It->second.Kind == MemoryKind::Managed)
    Used -= Bytes;
  if (OnChange)
    OnChange(Address, It->second, Change::Freed);
  const size_t Record = It->second.Record;
  const bool HasRecord = It->second.Kind != MemoryKind::Internal;
  Live.erase(It);
  if (HasRecord)
    removeRecord(Record);
  memset(reinterpret_cast<void *>(ArenaBase + PageTableOffset +
                                  (Address - ArenaBase) / PageSize),
         0, Bytes / PageSize);
  // Free the memory; it is zero when allocated again.
  madvise(Pointer, Bytes, MADV_REMOVE);
  mprotect(Pointer, Bytes, PROT_NONE);
  simulator::leaveOutOfCore(Pointer, Bytes);
  if (OnChange)
    Resting.emplace_back(Address, Reserved);
  else
    giveBack(Address, Reserved);
  return true;
}

bool Arena::find(const void *Pointer, uint64_t &Base, Allocation &Out) {
  const uint64_t Address = reinterpret_cast<uint64_t>(Pointer);
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = Live.upper_bound(Address);
  if (It == Live.begin())
    return false;
  --It;
  if (Address - It->first >= It->second.Size)
    return false;
  Base = It->first;
  Out = It->second;
  return true;
}
