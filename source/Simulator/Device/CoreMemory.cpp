//===-- CoreMemory.cpp - memory of a core file that runs on ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreMemory.h"
#include "Queue.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using isa::MemorySpan;

/// Where the device's own memory may be: below is where programs and GPUs map.
static constexpr uint64_t FirstOfDevice = 0x600000000000,
                          DeviceStep = 1ull << 40;
/// Addresses have so many bits.
static constexpr uint64_t AddressEnd = 1ull << 48;
static constexpr uint64_t LargestMemory = 1ull << 46;
/// How far a span of an arena is extended, in pages.
static constexpr uint64_t ArenaSpanPages = 2048;

static uint64_t pageDown(uint64_t A) { return A / PageSize * PageSize; }
static uint64_t pageUp(uint64_t A) { return pageDown(A + PageSize - 1); }

CoreMemory::~CoreMemory() {
  if (Base)
    munmap(Base, Size);
}

void CoreMemory::layOut(const std::vector<Range> &Ranges, uint64_t Own) {
  for (const Range &R : Ranges) {
    const uint64_t Begin = pageDown(R.Address),
                   End = pageUp(R.Address + R.Size);
    if (!Runs.empty() && Begin <= Runs.back().End)
      Runs.back().End = std::max(Runs.back().End, End);
    else
      Runs.push_back({Begin, End, nullptr});
  }
  OwnAddress = FirstOfDevice;
  while (llvm::any_of(Runs, [&](const Run &R) {
    return R.Begin < OwnAddress + Own + PageSize &&
           OwnAddress < R.End + PageSize;
  }))
    OwnAddress += DeviceStep;
  Runs.push_back({OwnAddress, OwnAddress + pageUp(Own), nullptr});
  llvm::sort(Runs,
             [](const Run &A, const Run &B) { return A.Begin < B.Begin; });
}

/// Copies or maps the bytes of a range.
llvm::Error CoreMemory::fill(const Range &R) {
  if (R.Fd < 0)
    return llvm::Error::success();
  const Run *In = findRun(R.Address);
  uint8_t *Host = In->Host + (R.Address - In->Begin);
  auto Copy = [&](uint64_t From, uint64_t To) -> llvm::Error {
    while (From < To) {
      const ssize_t Got =
          pread(R.Fd, Host + From, To - From, off_t(R.Offset + From));
      if (Got < 0 && errno == EINTR)
        continue;
      if (Got <= 0)
        return llvm::createStringError(
            std::string("reading the core file: ") +
            (Got ? strerror(errno) : "it has become shorter"));
      From += uint64_t(Got);
    }
    return llvm::Error::success();
  };
  // Whole pages are mapped.
  const uint64_t First = pageUp(R.Address) - R.Address,
                 Last = pageDown(R.Address + R.Size) - R.Address;
  if (R.Address % PageSize != R.Offset % PageSize || First >= Last ||
      First > R.Size)
    return Copy(0, R.Size);
  if (mmap(Host + First, Last - First, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, R.Fd,
           off_t(R.Offset + First)) == MAP_FAILED)
    return llvm::createStringError(std::string("mapping the core file: ") +
                                   strerror(errno));
  if (llvm::Error E = Copy(0, First))
    return E;
  return Copy(Last, R.Size);
}

llvm::Error CoreMemory::map(std::vector<Range> Ranges, uint64_t Own) {
  llvm::erase_if(Ranges, [](const Range &R) { return !R.Size; });
  for (const Range &R : Ranges)
    if (R.Address >= AddressEnd || R.Size > AddressEnd - R.Address) {
      // The kernel's pages, such as vsyscall, are no GPU's.
      if (R.Address + R.Size - 1 < R.Address)
        return llvm::createStringError(
            "a range of the core file's memory is too large");
    }
  llvm::erase_if(Ranges, [](const Range &R) {
    return R.Address >= AddressEnd || R.Size > AddressEnd - R.Address;
  });
  std::vector<Range> Sorted = Ranges;
  llvm::sort(Sorted, [](const Range &A, const Range &B) {
    return A.Address < B.Address;
  });
  layOut(Sorted, Own);
  // A page between runs keeps them apart.
  for (const Run &R : Runs)
    Size += R.End - R.Begin + PageSize;
  if (Size > LargestMemory)
    return llvm::createStringError(
        "the core file has more memory than can be mapped");
  void *P = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    return llvm::createStringError(
        std::string("no room for the core file's memory: ") + strerror(errno));
  Base = static_cast<uint8_t *>(P);
  uint8_t *Next = Base;
  for (Run &R : Runs) {
    R.Host = Next;
    Next += R.End - R.Begin + PageSize;
  }
  // What several have, the first has.
  for (const Range &R : llvm::reverse(Ranges))
    if (llvm::Error E = fill(R))
      return E;
  ArenaHeader Header;
  uint64_t There = sizeof(Header);
  const uint8_t *At = find(ArenaBase, There);
  if (!At || There < sizeof(Header))
    return llvm::Error::success();
  memcpy(&Header, At, sizeof(Header));
  uint64_t Bytes = ArenaSize / PageSize;
  const uint8_t *Table = find(ArenaBase + PageTableOffset, Bytes);
  if (Header.magic == ArenaHeader::MagicValue &&
      Header.version == ProtocolVersion && Table &&
      Bytes == ArenaSize / PageSize)
    PageTable = Table;
  return llvm::Error::success();
}

const CoreMemory::Run *CoreMemory::findRun(uint64_t Address) const {
  auto It = llvm::upper_bound(
      Runs, Address, [](uint64_t A, const Run &R) { return A < R.Begin; });
  if (It == Runs.begin() || Address >= std::prev(It)->End)
    return nullptr;
  return &*std::prev(It);
}

uint8_t *CoreMemory::find(uint64_t Address, uint64_t &Bytes) const {
  const Run *In = findRun(Address);
  if (!In)
    return nullptr;
  Bytes = std::min(Bytes, In->End - Address);
  return In->Host + (Address - In->Begin);
}

MemorySpan CoreMemory::resolve(uint64_t Address, Access Kind) {
  MemorySpan Span;
  const Run *In = findRun(Address);
  if (!In)
    return Span;
  Span = {In->Host, In->Begin, In->End};
  if (!PageTable || Address < ArenaBase || Address >= ArenaBase + ArenaSize)
    return Span;
  const uint8_t Need = neededAccess(Kind);
  auto Allows = [&](uint64_t Page) {
    return Page * PageSize + ArenaBase >= In->Begin &&
           Page * PageSize + ArenaBase < In->End &&
           (PageTable[Page] & Need) == Need;
  };
  const uint64_t Page = (Address - ArenaBase) / PageSize;
  if (!Allows(Page))
    return MemorySpan();
  const uint64_t Low = Page > ArenaSpanPages ? Page - ArenaSpanPages : 0;
  const uint64_t High = std::min(Page + ArenaSpanPages, ArenaSize / PageSize);
  uint64_t First = Page, Last = Page + 1;
  while (First > Low && Allows(First - 1))
    --First;
  while (Last < High && Allows(Last))
    ++Last;
  Span.Begin = ArenaBase + First * PageSize;
  Span.End = ArenaBase + Last * PageSize;
  Span.Host = In->Host + (Span.Begin - In->Begin);
  return Span;
}

uint64_t CoreMemory::timestamp() { return nowNs(); }
