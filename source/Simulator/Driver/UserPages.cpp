//===-- UserPages.cpp - pages of the program that GPUs access -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UserPages.h"
#include "Next.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;
using simulator::PageSize;

namespace {

/// While it exists, blocks threads that write to pages, if the system allows
/// it; afterwards they continue on the new mapping.
class WriteBarrier {
public:
  WriteBarrier(uint64_t Begin, uint64_t End) : Range{Begin, End - Begin} {
    // Writes by system calls can only be blocked if the system allows it.
    Fd = int(syscall(SYS_userfaultfd, O_CLOEXEC));
    if (Fd < 0)
      Fd = int(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    uffdio_api Api = {UFFD_API, UFFD_FEATURE_PAGEFAULT_FLAG_WP, 0};
    uffdio_register Register = {Range, UFFDIO_REGISTER_MODE_WP, 0};
    uffdio_writeprotect Protect = {Range, UFFDIO_WRITEPROTECT_MODE_WP};
    if (Fd >= 0 && ioctl(Fd, UFFDIO_API, &Api) == 0 &&
        ioctl(Fd, UFFDIO_REGISTER, &Register) == 0)
      ioctl(Fd, UFFDIO_WRITEPROTECT, &Protect);
  }
  ~WriteBarrier() {
    if (Fd < 0)
      return;
    ioctl(Fd, UFFDIO_UNREGISTER, &Range);
    ioctl(Fd, UFFDIO_WAKE, &Range);
    static auto *const Close = next<int(int)>("close");
    Close(Fd); // wakes the blocked threads
  }

private:
  uffdio_range Range;
  int Fd;
};

/// Writes those pages of [Begin, End) that were ever written to.
/// \return 0 or -errno.
int writePages(int File, uint64_t Begin, uint64_t End, uint64_t Offset,
               bool IsAnonymous) {
  const int Map =
      IsAnonymous ? openNext("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
  constexpr uint64_t Batch = 512;
  uint64_t Entries[Batch];
  int Error = 0;
  for (uint64_t At = Begin; At < End && !Error;) {
    const uint64_t Count = std::min(Batch, (End - At) / PageSize);
    const ssize_t Bytes = ssize_t(Count * 8);
    const bool Known = Map >= 0 && pread(Map, Entries, size_t(Bytes),
                                         off_t(At / PageSize * 8)) == Bytes;
    for (uint64_t I = 0; I < Count && !Error;) {
      // Bits 62 and 63: the page is in swap, or in memory.
      auto IsThere = [&](uint64_t Page) {
        return !Known || Entries[Page] >> 62;
      };
      uint64_t Next = I;
      while (Next < Count && IsThere(Next) == IsThere(I))
        ++Next;
      for (uint64_t From = At + I * PageSize;
           IsThere(I) && !Error && From < At + Next * PageSize;) {
        const ssize_t N =
            pwrite(File, reinterpret_cast<void *>(From),
                   At + Next * PageSize - From, off_t(Offset + From - Begin));
        if (N > 0)
          From += uint64_t(N);
        else if (N == 0 || errno != EINTR)
          Error = N == 0 ? -EIO : -errno;
      }
      I = Next;
    }
    At += Count * PageSize;
  }
  static auto *const Close = next<int(int)>("close");
  if (Map >= 0)
    Close(Map);
  return Error;
}

/// Whether the calling thread's stack is at or just above \a Address.
bool isOwnStack(uint64_t Begin, uint64_t End) {
  const uint64_t Here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  constexpr uint64_t Near = 256 << 10;
  return Begin < Here + Near && End > Here - Near;
}

/// Calls \a F on another stack, so that the calling thread's stack doesn't
/// change meanwhile.
int onOtherStack(const std::function<int()> &F) {
  int Result = 0;
  std::thread([&] { Result = F(); }).join();
  return Result;
}

} // namespace

/// Memory that is shared through another file stays so: the device maps that
/// file.
int UserPages::shareFile(const Area &A, uint64_t Begin, Range &R) const {
  const int Fd = openFileOf(A);
  if (Fd < 0)
    return -EFAULT;
  simulator::driver::ForeignMemory Part = {A.Offset + (Begin - A.Begin),
                                           R.End - Begin};
  const int Error = MapForeign(Part, Fd);
  static auto *const Close = next<int(int)>("close");
  Close(Fd);
  R.Offset = Part.offset;
  R.IsForeign = true;
  return Error;
}

/// The range no longer needs its place.
void UserPages::giveUp(uint64_t Begin, const Range &R) {
  simulator::driver::ForeignMemory Part = {R.Offset, R.End - Begin};
  if (R.IsForeign)
    MapForeign(Part, -1);
  else if (R.IsOurs)
    giveOffset(R.Offset, R.End - Begin);
}

bool UserPages::isThere(const std::vector<Area> &Areas, uint64_t Begin,
                        const Range &R) const {
  return std::any_of(Areas.begin(), Areas.end(), [&](const Area &A) {
    if (R.IsForeign)
      return A.IsShared && A.Begin <= Begin && R.End <= A.End;
    return isFile(A) && A.Begin <= Begin && R.End <= A.End &&
           A.Offset + (Begin - A.Begin) == R.Offset;
  });
}

void UserPages::giveOffset(uint64_t Offset, uint64_t Size) {
  fallocate(File, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(Offset),
            off_t(Size));
  Free.give(Offset, Size);
}

void UserPages::splitAt(uint64_t Address) {
  auto It = Ranges.upper_bound(Address);
  if (It == Ranges.begin())
    return;
  --It;
  if (It->first == Address || It->second.End <= Address)
    return;
  Range Upper = It->second;
  Upper.Offset += Address - It->first;
  It->second.End = Address;
  Ranges[Address] = Upper;
}

int UserPages::moveIn(const Area &A, uint64_t Begin, uint64_t End,
                      uint64_t Offset) {
  if (!(A.Protection & PROT_READ))
    return -EFAULT;
  auto Move = [&] {
    WriteBarrier Hold(Begin, End);
    if (const int Error = writePages(File, Begin, End, Offset, !A.IsShared))
      return Error;
    void *P = reinterpret_cast<void *>(Begin);
    static auto *const Map =
        next<void *(void *, size_t, int, int, int, off_t)>("mmap");
    return Map(P, End - Begin, A.Protection, MAP_SHARED | MAP_FIXED, File,
               off_t(Offset)) == P
               ? 0
               : -errno;
  };
  return isOwnStack(Begin, End) ? onOtherStack(Move) : Move();
}

bool UserPages::moveOut(uint64_t Begin, const Range &R) const {
  auto Move = [&] {
    static auto *const Map =
        next<void *(void *, size_t, int, int, int, off_t)>("mmap");
    const size_t Size = R.End - Begin;
    WriteBarrier Hold(Begin, R.End);
    void *Copy = Map(nullptr, Size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (Copy == MAP_FAILED)
      return -errno;
    // Pages that the file lacks were never written to.
    for (off_t At = off_t(R.Offset), Last = At + off_t(Size); At < Last;) {
      const off_t Data = lseek(File, At, SEEK_DATA);
      if (Data < 0 || Data >= Last)
        break;
      const off_t Hole = std::min(lseek(File, Data, SEEK_HOLE), Last);
      const off_t From = Data - off_t(R.Offset);
      if (pread(File, static_cast<uint8_t *>(Copy) + From, size_t(Hole - Data),
                Data) != Hole - Data)
        memcpy(static_cast<uint8_t *>(Copy) + From,
               reinterpret_cast<uint8_t *>(Begin) + From, size_t(Hole - Data));
      At = Hole;
    }
    mprotect(Copy, Size, R.Protection);
    void *P = reinterpret_cast<void *>(Begin);
    return mremap(Copy, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED, P) == P
               ? 0
               : -errno;
  };
  return (isOwnStack(Begin, R.End) ? onOtherStack(Move) : Move()) == 0;
}

int UserPages::shareFresh(uint64_t Begin, uint64_t End,
                          const std::vector<Area> &Areas) {
  for (uint64_t At = Begin; At < End;) {
    const auto A =
        std::find_if(Areas.begin(), Areas.end(), [At](const Area &A) {
          return A.Begin <= At && At < A.End;
        });
    if (A == Areas.end())
      return -EFAULT;
    const uint64_t Stop = std::min(End, A->End);
    Range R = {Stop,
               A->Offset + (At - A->Begin),
               0,
               false,
               A->Protection,
               /*IsSvm=*/false,
               /*IsForeign=*/false};
    if (A->IsShared && !isFile(*A)) {
      if (const int Error = shareFile(*A, At, R))
        return Error;
    } else if (!isFile(*A)) {
      R.IsOurs = true;
      R.Offset = Free.take(Stop - At);
      if (!R.Offset)
        return -ENOMEM;
      if (const int Error = moveIn(*A, At, Stop, R.Offset)) {
        giveOffset(R.Offset, Stop - At);
        return Error;
      }
    }
    Ranges[At] = R;
    At = Stop;
  }
  return 0;
}

bool UserPages::isMapped(uint64_t Begin, uint64_t End) const {
  uint64_t At = Begin;
  for (const Area &A : readAreas(Begin, End)) {
    if (A.Begin > At)
      return false;
    At = A.End;
  }
  return At >= End;
}

Area UserPages::areaAt(uint64_t Address) {
  const std::vector<Area> Areas = readAreas(Address, Address + 1);
  return Areas.empty() ? Area{} : Areas[0];
}

int UserPages::protection(uint64_t Address) const {
  return areaAt(Address).Protection;
}

bool UserPages::isDevices(uint64_t Address) const {
  const Area A = areaAt(Address);
  return isFile(A) &&
         A.Offset + (Address - A.Begin) < simulator::driver::FirstUserPage;
}

int UserPages::share(uint64_t Address, uint64_t Size, std::vector<Segment> &Out,
                     For Purpose) {
  if (!Size || Address % PageSize || Size % PageSize ||
      Address + Size < Address)
    return -EINVAL;
  const uint64_t End = Address + Size;
  std::lock_guard<std::mutex> Guard(Lock);
  const std::vector<Area> Areas = readAreas(Address, End);
  splitAt(Address);
  splitAt(End);
  // Skip pages that were shared and then unmapped by the program.
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < End;) {
    const uint64_t Begin = It->first;
    const Range &R = It->second;
    const bool IsThere = isThere(Areas, Begin, R);
    if (IsThere) {
      ++It;
      continue;
    }
    giveUp(Begin, R);
    It = Ranges.erase(It);
  }
  for (uint64_t At = Address; At < End;) {
    auto It = Ranges.lower_bound(At);
    if (It != Ranges.end() && It->first == At) {
      At = It->second.End;
      continue;
    }
    const uint64_t Stop = It == Ranges.end() ? End : std::min(End, It->first);
    if (const int Error = shareFresh(At, Stop, Areas)) {
      for (It = Ranges.lower_bound(Address);
           It != Ranges.end() && It->first < End;)
        if (!It->second.isUsed() && It->second.IsOurs &&
            moveOut(It->first, It->second)) {
          giveOffset(It->second.Offset, It->second.End - It->first);
          It = Ranges.erase(It);
        } else {
          ++It;
        }
      return Error;
    }
    At = Stop;
  }
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < End; ++It) {
    if (Purpose == For::Svm)
      It->second.IsSvm = true;
    else
      ++It->second.Users;
    Out.push_back({It->second.Offset, It->second.End - It->first});
  }
  return 0;
}

void UserPages::release(uint64_t Address, uint64_t Size, bool Keep,
                        For Purpose) {
  std::lock_guard<std::mutex> Guard(Lock);
  splitAt(Address);
  splitAt(Address + Size);
  const std::vector<Area> Areas =
      Keep ? std::vector<Area>() : readAreas(Address, Address + Size);
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < Address + Size;) {
    const uint64_t Begin = It->first;
    Range &R = It->second;
    if (Purpose == For::Svm)
      R.IsSvm = false;
    else if (R.Users)
      --R.Users;
    if (R.isUsed()) {
      ++It;
      continue;
    }
    const bool IsThere = isThere(Areas, Begin, R);
    // Without memory for a copy, the pages remain the file's.
    if (!R.IsOurs || !IsThere || moveOut(Begin, R))
      giveUp(Begin, R);
    It = Ranges.erase(It);
  }
}

void UserPages::beforeFork() {
  Lock.lock();
  StackPages.clear();
  bool Others = false;
  for (const auto &[Begin, R] : Ranges) {
    if (R.IsOurs && isOwnStack(Begin, R.End) && moveOut(Begin, R))
      StackPages.push_back(Begin);
    else
      Others |= R.IsOurs;
  }
  static auto *const Map =
      next<void *(void *, size_t, int, int, int, off_t)>("mmap");
  void *P = Others ? Map(nullptr, PageSize, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                   : MAP_FAILED;
  ChildIsReady = P == MAP_FAILED ? nullptr : static_cast<uint32_t *>(P);
}

void UserPages::afterForkInParent() {
  // The child must have copied the pages before they change.
  if (ChildIsReady) {
    const timespec Patience = {5, 0};
    if (!__atomic_load_n(ChildIsReady, __ATOMIC_SEQ_CST))
      syscall(SYS_futex, ChildIsReady, FUTEX_WAIT, 0, &Patience, nullptr, 0);
    static auto *const Unmap = next<int(void *, size_t)>("munmap");
    Unmap(ChildIsReady, PageSize);
  }
  for (uint64_t Begin : StackPages) {
    const Range &R = Ranges[Begin];
    moveIn({Begin, R.End, 0, R.Protection, false, 0, 0}, Begin, R.End,
           R.Offset);
  }
  Lock.unlock();
}

void UserPages::afterForkInChild() {
  // A runtime keeps much of its memory from children (MADV_DONTFORK).
  const std::vector<Area> Areas =
      Ranges.empty() ? std::vector<Area>() : readAreas(0, ~uint64_t(0));
  for (const auto &[Begin, R] : Ranges)
    if (R.IsOurs && isThere(Areas, Begin, R))
      moveOut(Begin, R);
  Ranges.clear();
  if (ChildIsReady) {
    __atomic_store_n(ChildIsReady, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, ChildIsReady, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  Lock.unlock();
}
