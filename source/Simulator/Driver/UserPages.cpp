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
  R.ForeignOffset = A.Offset + (Begin - A.Begin);
  simulator::driver::ForeignMemory Part = {R.ForeignOffset, R.End - Begin};
  const int Error = MapForeign(Part, Fd);
  static auto *const Close = next<int(int)>("close");
  Close(Fd);
  R.Offset = Part.offset;
  R.Kind = Range::Foreign;
  R.Inode = A.Inode;
  R.Device = A.Device;
  return Error;
}

/// The range no longer needs its place.
void UserPages::giveUp(uint64_t Begin, const Range &R) {
  simulator::driver::ForeignMemory Part = {R.Offset, R.End - Begin};
  if (R.Kind == Range::Foreign)
    MapForeign(Part, -1);
  else if (R.Kind == Range::Ours)
    giveOffset(R.Offset, R.End - Begin);
}

const Area *UserPages::areaOf(const std::vector<Area> &Areas, uint64_t Begin,
                              const Range &R) const {
  const auto A = std::find_if(Areas.begin(), Areas.end(), [&](const Area &A) {
    return A.Begin <= Begin && R.End <= A.End;
  });
  if (A == Areas.end())
    return nullptr;
  const uint64_t Offset = A->Offset + (Begin - A->Begin);
  const bool IsSame = R.Kind == Range::Foreign
                          ? A->IsShared && A->Inode == R.Inode &&
                                A->Device == R.Device &&
                                Offset == R.ForeignOffset
                          : isFile(*A) && Offset == R.Offset;
  return IsSame ? &*A : nullptr;
}

void UserPages::giveOffset(uint64_t Offset, uint64_t Size) {
  fallocate(File, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(Offset),
            off_t(Size));
  Free.give(Offset, Size);
}

/// The part of \a R from \a Address on, of which the lower one remains.
UserPages::Range UserPages::cut(uint64_t Begin, Range &R, uint64_t Address) {
  Range Upper = R;
  Upper.Offset += Address - Begin;
  Upper.ForeignOffset += Address - Begin;
  R.End = Address;
  return Upper;
}

void UserPages::splitAt(uint64_t Address) {
  auto It = Ranges.upper_bound(Address);
  if (It == Ranges.begin())
    return;
  --It;
  if (It->first != Address && It->second.End > Address)
    Ranges[Address] = cut(It->first, It->second, Address);
}

void UserPages::splitLeftAt(uint64_t Address) {
  for (auto It = Left.begin(); It != Left.end() && It->first < Address; ++It)
    if (It->second.End > Address)
      Left.emplace(Address, cut(It->first, It->second, Address));
}

void UserPages::splitAlong(const std::vector<Area> &Areas, uint64_t Begin,
                           uint64_t End) {
  splitAt(Begin);
  splitAt(End);
  for (const Area &A : Areas)
    for (uint64_t At : {A.Begin, A.End})
      if (At > Begin && At < End)
        splitAt(At);
}

UserPages::RangeMap::iterator UserPages::leave(RangeMap::iterator It) {
  if (It->second.Kind != Range::Devices) {
    Left.emplace(It->first, It->second);
    HasLeft = true;
  }
  return Ranges.erase(It);
}

void UserPages::freeLeft() {
  if (std::all_of(Left.begin(), Left.end(),
                  [](const auto &L) { return L.second.isUsed(); }))
    return;
  // Pages that the program has moved are elsewhere.
  const std::vector<Area> Areas = readAreas(0, ~uint64_t(0));
  for (auto It = Left.begin(); It != Left.end();) {
    const Range &R = It->second;
    const uint64_t Size = R.End - It->first;
    if (R.isUsed() ||
        (R.Kind == Range::Ours &&
         std::any_of(Areas.begin(), Areas.end(), [&](const Area &A) {
           return isFile(A) && A.Offset < R.Offset + Size &&
                  R.Offset < A.Offset + (A.End - A.Begin);
         }))) {
      ++It;
      continue;
    }
    giveUp(It->first, R);
    It = Left.erase(It);
  }
  HasLeft = !Left.empty();
}

UserPages::RangeMap::iterator UserPages::finish(RangeMap::iterator It,
                                                const std::vector<Area> &Areas,
                                                bool Keep) {
  const uint64_t Begin = It->first;
  const Range &R = It->second;
  const Area *A =
      Keep || R.Kind != Range::Ours ? nullptr : areaOf(Areas, Begin, R);
  // Without memory for a copy, the pages remain the file's.
  if (!A || !moveOut(Begin, R.End, R.Offset, A->Protection))
    return leave(It);
  giveUp(Begin, R);
  return Ranges.erase(It);
}

int UserPages::moveIn(const Area &A, uint64_t Begin, uint64_t End,
                      uint64_t Offset) {
  if (!(A.Protection & PROT_READ))
    return -EFAULT;
  auto Move = [&] {
    WriteBarrier Hold(Begin, End);
    // A page of a file is there before anybody has touched it.
    if (const int Error = writePages(File, Begin, End, Offset, !A.Inode))
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

bool UserPages::moveOut(uint64_t Begin, uint64_t End, uint64_t Offset,
                        int Protection) const {
  auto Move = [&] {
    static auto *const Map =
        next<void *(void *, size_t, int, int, int, off_t)>("mmap");
    const size_t Size = End - Begin;
    WriteBarrier Hold(Begin, End);
    void *Copy = Map(nullptr, Size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (Copy == MAP_FAILED)
      return -errno;
    // Pages that the file lacks were never written to.
    for (off_t At = off_t(Offset), Last = At + off_t(Size); At < Last;) {
      const off_t Data = lseek(File, At, SEEK_DATA);
      if (Data < 0 || Data >= Last)
        break;
      const off_t Hole = std::min(lseek(File, Data, SEEK_HOLE), Last);
      const off_t From = Data - off_t(Offset);
      if (pread(File, static_cast<uint8_t *>(Copy) + From, size_t(Hole - Data),
                Data) != Hole - Data)
        memcpy(static_cast<uint8_t *>(Copy) + From,
               reinterpret_cast<uint8_t *>(Begin) + From, size_t(Hole - Data));
      At = Hole;
    }
    mprotect(Copy, Size, Protection);
    void *P = reinterpret_cast<void *>(Begin);
    static auto *const Remap =
        next<void *(void *, size_t, size_t, int, ...)>("mremap");
    return Remap(Copy, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED, P) == P
               ? 0
               : -errno;
  };
  return (isOwnStack(Begin, End) ? onOtherStack(Move) : Move()) == 0;
}

int UserPages::shareOwn(const Area &A, uint64_t Begin, uint64_t End) {
  Range R;
  R.End = End;
  R.Offset = Free.take(End - Begin);
  R.Kind = Range::Ours;
  if (!R.Offset)
    return -ENOMEM;
  if (const int Error = moveIn(A, Begin, End, R.Offset)) {
    giveOffset(R.Offset, End - Begin);
    return Error;
  }
  // mremap(2) must not let the program's mapping grow into the next place: the
  // kernel refuses it for two mappings, which differ in what they expect.
  static auto *const Advise = next<int(void *, size_t, int)>("madvise");
  Advise(reinterpret_cast<void *>(Begin), PageSize, MADV_RANDOM);
  Ranges[Begin] = R;
  return 0;
}

/// Takes up pages that were shared before and then moved, or kept for a while.
/// \return Where they end; \a At if the place is none of these.
uint64_t UserPages::adopt(uint64_t At, uint64_t End, uint64_t Offset) {
  auto Has = [&](uint64_t Begin, const Range &R) {
    return R.Kind == Range::Ours && R.Offset <= Offset &&
           Offset < R.Offset + (R.End - Begin);
  };
  for (auto It = Ranges.begin(); It != Ranges.end(); ++It)
    if (Has(It->first, It->second)) {
      splitAlong(readAreas(It->first, It->second.End), It->first,
                 It->second.End);
      break;
    }
  for (auto It = Ranges.begin(); It != Ranges.end(); ++It)
    if (Has(It->first, It->second)) {
      if (areaOf(readAreas(It->first, It->second.End), It->first, It->second))
        return At; // mapped twice
      leave(It);
      break;
    }
  for (auto It = Left.begin(); It != Left.end(); ++It) {
    if (!Has(It->first, It->second))
      continue;
    if (const uint64_t Before = Offset - It->second.Offset) {
      const uint64_t Cut = It->first + Before;
      It = Left.emplace(Cut, cut(It->first, It->second, Cut));
    }
    const uint64_t Begin = It->first;
    if (End - At < It->second.End - Begin)
      Left.emplace(Begin + (End - At),
                   cut(Begin, It->second, Begin + (End - At)));
    Range R = It->second;
    R.End = At + (R.End - Begin);
    Left.erase(It);
    Ranges[At] = R;
    return R.End;
  }
  return At;
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
    const uint64_t Offset = A->Offset + (At - A->Begin);
    if (isFile(*A) && Offset >= simulator::driver::FirstUserPage)
      if (const uint64_t Last = adopt(At, Stop, Offset); Last != At) {
        At = Last;
        continue;
      }
    if (!isFile(*A) && !A->IsShared) {
      if (const int Error = shareOwn(*A, At, Stop))
        return Error;
      At = Stop;
      continue;
    }
    Range R;
    R.End = Stop;
    R.Offset = Offset;
    if (!isFile(*A))
      if (const int Error = shareFile(*A, At, R))
        return Error;
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
  splitAlong(Areas, Address, End);
  // Pages that were shared and then unmapped by the program, or replaced.
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < End;)
    It = areaOf(Areas, It->first, It->second) ? std::next(It) : leave(It);
  for (uint64_t At = Address; At < End;) {
    auto It = Ranges.lower_bound(At);
    if (It != Ranges.end() && It->first == At) {
      At = It->second.End;
      continue;
    }
    const uint64_t Stop = It == Ranges.end() ? End : std::min(End, It->first);
    if (const int Error = shareFresh(At, Stop, Areas)) {
      const std::vector<Area> Now = readAreas(Address, End);
      for (It = Ranges.lower_bound(Address);
           It != Ranges.end() && It->first < End;)
        It = It->second.isUsed() ? std::next(It) : finish(It, Now, false);
      freeLeft();
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

void UserPages::release(uint64_t Address, const std::vector<Segment> &Segments,
                        bool Keep) {
  std::lock_guard<std::mutex> Guard(Lock);
  uint64_t Size = 0;
  for (const Segment &S : Segments)
    Size += S.size;
  const std::vector<Area> Areas = readAreas(Address, Address + Size);
  splitAlong(Areas, Address, Address + Size);
  uint64_t At = Address;
  for (const Segment &S : Segments) {
    uint64_t Missing = S.size;
    // \return Whether it was the object's and is nobody's any more.
    auto Drop = [&](uint64_t Begin, Range &R) {
      if (!R.Users || R.Offset < S.offset || R.Offset >= S.offset + S.size)
        return false;
      Missing -= std::min(Missing, R.End - Begin);
      --R.Users;
      return !R.isUsed();
    };
    for (auto It = Ranges.lower_bound(At);
         It != Ranges.end() && It->first < At + S.size;)
      It =
          Drop(It->first, It->second) ? finish(It, Areas, Keep) : std::next(It);
    if (Missing)
      for (auto &[Begin, R] : Left)
        Drop(Begin, R);
    // Pages that the program has moved.
    for (auto It = Ranges.begin(); Missing && It != Ranges.end();)
      It = It->second.Kind == Range::Ours && Drop(It->first, It->second)
               ? finish(It, readAreas(It->first, It->second.End), Keep)
               : std::next(It);
    At += S.size;
  }
  freeLeft();
}

void UserPages::releaseSvm(uint64_t Address, uint64_t Size, bool Keep) {
  const uint64_t End = Address + Size;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    const std::vector<Area> Areas = readAreas(Address, End);
    splitAlong(Areas, Address, End);
    for (auto It = Ranges.lower_bound(Address);
         It != Ranges.end() && It->first < End;) {
      It->second.IsSvm = false;
      It = It->second.isUsed() ? std::next(It) : finish(It, Areas, Keep);
    }
  }
  remapped(Address, End);
}

void UserPages::detach(uint64_t Address, uint64_t Size) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Ranges.empty())
    return;
  const uint64_t End = Address + (Size + PageSize - 1) / PageSize * PageSize;
  const std::vector<Area> Areas = readAreas(Address, End);
  splitAlong(Areas, Address, End);
  for (auto It = Ranges.lower_bound(Address);
       It != Ranges.end() && It->first < End;) {
    const Range &R = It->second;
    const Area *A =
        R.Kind == Range::Ours ? areaOf(Areas, It->first, R) : nullptr;
    if (A)
      moveOut(It->first, R.End, R.Offset, A->Protection);
    It = A ? leave(It) : std::next(It);
  }
  freeLeft();
}

void *UserPages::moveByCopy(uint64_t Address, uint64_t Size, uint64_t NewSize,
                            void *Place) {
  const std::vector<Area> Areas = readAreas(Address, Address + Size);
  uint64_t At = Address;
  for (const Area &A : Areas) {
    if (A.Begin > At || A.IsShared || A.Inode || !(A.Protection & PROT_READ))
      return MAP_FAILED;
    At = A.End;
  }
  if (At < Address + Size || Areas.size() < 2)
    return MAP_FAILED;
  static auto *const Map =
      next<void *(void *, size_t, int, int, int, off_t)>("mmap");
  static auto *const Unmap = next<int(void *, size_t)>("munmap");
  void *New = Map(Place, NewSize, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | (Place ? MAP_FIXED : 0), -1, 0);
  if (New == MAP_FAILED)
    return New;
  memcpy(New, reinterpret_cast<void *>(Address), std::min(Size, NewSize));
  mprotect(New, NewSize, Areas[0].Protection);
  Unmap(reinterpret_cast<void *>(Address), Size);
  return New;
}

void UserPages::remapped(uint64_t Begin, uint64_t End) {
  if (!HasLeft)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  splitLeftAt(Begin);
  splitLeftAt(End);
  for (auto It = Left.lower_bound(Begin); It != Left.end() && It->first < End;
       ++It)
    It->second.IsSvm = false;
  freeLeft();
}

void UserPages::unmapped() {
  if (!HasLeft)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  freeLeft();
}

void UserPages::beforeFork() {
  Lock.lock();
  StackAreas.clear();
  bool Others = false;
  if (!Ranges.empty() || !Left.empty())
    for (const Area &A : readAreas(0, ~uint64_t(0))) {
      if (!isFile(A) || A.Offset < simulator::driver::FirstUserPage)
        continue;
      if (isOwnStack(A.Begin, A.End) &&
          moveOut(A.Begin, A.End, A.Offset, A.Protection))
        StackAreas.push_back(A);
      else
        Others = true;
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
  for (const Area &A : StackAreas)
    moveIn({A.Begin, A.End, 0, A.Protection, false, 0, 0}, A.Begin, A.End,
           A.Offset);
  Lock.unlock();
}

void UserPages::afterForkInChild() {
  // A runtime keeps much of its memory from children (MADV_DONTFORK).
  if (!Ranges.empty() || !Left.empty())
    for (const Area &A : readAreas(0, ~uint64_t(0)))
      if (isFile(A) && A.Offset >= simulator::driver::FirstUserPage)
        moveOut(A.Begin, A.End, A.Offset, A.Protection);
  Ranges.clear();
  Left.clear();
  HasLeft = false;
  if (ChildIsReady) {
    __atomic_store_n(ChildIsReady, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, ChildIsReady, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  Lock.unlock();
}
