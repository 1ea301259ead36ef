//===-- DeviceMemory.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceMemory.h"
#include "Queue.h"

#include "Simulator/Common/CoreDumps.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane::simulator;
namespace check = wavelane::check;
using wavelane::isa::Access;
using wavelane::isa::MemorySpan;

// How far a span is extended on either side, in pages: enough that a kernel
// streaming through memory seldom asks, and few enough that asking is cheap.
static constexpr uint64_t SpanPages = 2048;

uint8_t wavelane::simulator::neededAccess(Access Kind) {
  switch (Kind) {
  case Access::Read:
    return PageRead;
  case Access::Write:
    return PageWrite;
  case Access::Atomic:
    return PageRead | PageWrite;
  case Access::Execute:
    return PageRead | PageExecute;
  }
  return 0xff;
}

bool wavelane::simulator::keepSize(int Fd, std::string &Error) {
  fcntl(Fd, F_ADD_SEALS, F_SEAL_SHRINK);
  const int Seals = fcntl(Fd, F_GET_SEALS);
  if (Seals >= 0 && Seals & F_SEAL_SHRINK)
    return true;
  Error = "the program could take the memory's pages away";
  return false;
}

bool ArenaMemory::map(int ArenaFd, std::string &Error) {
  struct stat Stat;
  if (fstat(ArenaFd, &Stat) != 0 || uint64_t(Stat.st_size) != ArenaSize) {
    Error = "the arena descriptor is not a file of the arena's size";
    return false;
  }
  if (!keepSize(ArenaFd, Error))
    return false;
  void *P = mmap(reinterpret_cast<void *>(ArenaBase), ArenaSize,
                 PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, ArenaFd, 0);
  if (P != reinterpret_cast<void *>(ArenaBase)) {
    Error = std::string("cannot map device memory: ") + strerror(errno);
    return false;
  }
  leaveOutOfCore(P, ArenaSize);
  Header = reinterpret_cast<ArenaHeader *>(ArenaBase);
  if (Header->magic != ArenaHeader::MagicValue ||
      Header->version != ProtocolVersion) {
    Error = "device memory was set up by another version";
    return false;
  }
  PageTable = reinterpret_cast<const uint8_t *>(ArenaBase + PageTableOffset);
  return true;
}

MemorySpan ArenaMemory::resolve(uint64_t Address, Access Kind) {
  MemorySpan Span;
  uint64_t Begin = 0, End = UINT64_MAX; // bounds of the host range, if any
  uint64_t Delta = 0;                   // arena address - program address
  if (Address - ArenaBase >= ArenaSize) {
    auto It = Host.upper_bound(Address);
    if (It == Host.begin())
      return Span;
    --It;
    if (Address - It->first >= It->second.Size)
      return Span;
    Begin = It->first;
    End = It->first + It->second.Size;
    Delta = It->second.Arena - It->first;
  }
  const uint8_t Need = neededAccess(Kind);
  auto Allowed = [&](uint64_t Page) {
    return (PageTable[Page] & Need) == Need;
  };
  const uint64_t Page = (Address + Delta - ArenaBase) / PageSize;
  if (!Allowed(Page))
    return Span;
  uint64_t First = Page, Last = Page + 1;
  const uint64_t Low = Page > SpanPages ? Page - SpanPages : 0;
  const uint64_t High = std::min(Page + SpanPages, ArenaSize / PageSize);
  // Skip eight equal pages at a time.
  const uint64_t Need8 = Need * 0x0101010101010101u;
  auto Allowed8 = [&](uint64_t Page) {
    uint64_t Word;
    memcpy(&Word, PageTable + Page, 8);
    return (Word & Need8) == Need8;
  };
  while (First >= Low + 8 && Allowed8(First - 8))
    First -= 8;
  while (First > Low && Allowed(First - 1))
    --First;
  while (Last + 8 <= High && Allowed8(Last))
    Last += 8;
  while (Last < High && Allowed(Last))
    ++Last;
  Span.Begin = std::max(ArenaBase + First * PageSize - Delta, Begin);
  Span.End = std::min(ArenaBase + Last * PageSize - Delta, End);
  Span.Host = reinterpret_cast<uint8_t *>(Span.Begin + Delta);
  return Span;
}

uint8_t *DeviceMemory::get(uint64_t Address, uint64_t Size, Access Kind) {
  if (Address + Size < Address)
    return nullptr;
  MemorySpan First = resolve(Address, Kind);
  if (!First.Host)
    return nullptr;
  // Spans have a limited length: continue until the whole range is covered.
  for (uint64_t At = First.End; At < Address + Size;) {
    MemorySpan Next = resolve(At, Kind);
    const auto Offset = [](const MemorySpan &S) {
      return reinterpret_cast<uint64_t>(S.Host) - S.Begin;
    };
    if (!Next.Host || Offset(Next) != Offset(First))
      return nullptr;
    At = Next.End;
  }
  return First.Host + (Address - First.Begin);
}

int ArenaMemory::mapHost(uint64_t Address, uint64_t Size, uint64_t Arena) {
  if (!Size || Address % PageSize || Size % PageSize || Arena % PageSize ||
      Address + Size < Address || Arena < FirstAllocation ||
      Arena - ArenaBase > ArenaSize || Size > ArenaSize - (Arena - ArenaBase))
    return -EINVAL;
  if (Address < ArenaBase + ArenaSize && Address + Size > ArenaBase)
    return -EINVAL;
  auto It = Host.lower_bound(Address);
  if (It != Host.end() && It->first < Address + Size)
    return -EEXIST;
  if (It != Host.begin()) {
    auto Before = std::prev(It);
    if (Before->first + Before->second.Size > Address)
      return -EEXIST;
  }
  Host[Address] = {Size, Arena};
  return 0;
}

int ArenaMemory::unmapHost(uint64_t Address, uint64_t Size) {
  auto It = Host.find(Address);
  if (It == Host.end() || It->second.Size != Size)
    return -ENOENT;
  Host.erase(It);
  return 0;
}

void ArenaMemory::interrupt(uint32_t) {
  __atomic_add_fetch(&Header->interrupts, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&Header->waiters, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &Header->interrupts, FUTEX_WAKE, INT_MAX, nullptr,
            nullptr, 0);
}

wavelane::check::HostState ArenaMemory::hostState() {
  const uint32_t Waiting =
      __atomic_load_n(&Header->waiting_threads, __ATOMIC_SEQ_CST);
  if (!Waiting)
    return check::HostState::Runs;
  // The folder has a link for each thread, and two of its own.
  struct stat Tasks;
  const std::string Folder =
      "/proc/" + std::to_string(Header->process) + "/task";
  const uint64_t Others =
      uint64_t(2) + Waiting +
      __atomic_load_n(&Header->own_threads, __ATOMIC_SEQ_CST);
  return !stat(Folder.c_str(), &Tasks) && Tasks.st_nlink <= Others
             ? check::HostState::Waits
             : check::HostState::MayRun;
}

void ArenaMemory::setRecorded(bool On) {
  __atomic_store_n(&Header->recorded, uint32_t(On), __ATOMIC_SEQ_CST);
}

void ArenaMemory::forEachRange(
    llvm::function_ref<void(uint64_t Begin, uint64_t End, uint8_t *Host)> Do) {
  auto At = [](uint64_t Address) {
    return reinterpret_cast<uint8_t *>(Address);
  };
  // Header and page table.
  Do(ArenaBase, ArenaBase + PageTableOffset + PageTableSize, At(ArenaBase));
  constexpr uint64_t Pages = ArenaSize / PageSize;
  for (uint64_t Page = 0; Page < Pages;) {
    uint64_t Word = 1;
    if (Page % 8 == 0)
      memcpy(&Word, PageTable + Page, 8);
    if (!Word || !PageTable[Page]) {
      Page += Word ? 1 : 8;
      continue;
    }
    const uint64_t First = Page;
    while (Page < Pages && PageTable[Page])
      ++Page;
    Do(ArenaBase + First * PageSize, ArenaBase + Page * PageSize,
       At(ArenaBase + First * PageSize));
  }
  for (const auto &[Address, Range] : Host)
    Do(Address, Address + Range.Size, At(Range.Arena));
}

void ArenaMemory::allow(uint64_t Address, uint64_t Size, Access Kind) {
  if (Address - ArenaBase >= ArenaSize || Size > ArenaSize)
    return;
  auto *Table = const_cast<uint8_t *>(PageTable);
  for (uint64_t Page = (Address - ArenaBase) / PageSize;
       Page * PageSize + ArenaBase < Address + Size &&
       Page < ArenaSize / PageSize;
       ++Page)
    Table[Page] |= neededAccess(Kind);
}

uint64_t ArenaMemory::timestamp() { return nowNs(); }
