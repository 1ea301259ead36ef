//===-- FileMemory.cpp - the memory of a program with AMD's runtime -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FileMemory.h"

#include "Simulator/Common/CoreDumps.h"

#include "wavelane/Simulator/KfdIoctl.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using wavelane::isa::Access;
using wavelane::isa::MemorySpan;

bool FileMemory::map(int File, unsigned Gpus, uint32_t ProgramPid,
                     std::string &Error) {
  struct stat Stat;
  if (fstat(File, &Stat) != 0 || uint64_t(Stat.st_size) != driver::FileSize) {
    Error = "the memory descriptor is not a file of the expected size";
    return false;
  }
  if (!keepSize(File, Error))
    return false;
  // Foreign memory follows.
  void *P = mmap(nullptr, driver::FileSize + driver::ForeignSize, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P != MAP_FAILED)
    P = mmap(P, driver::FileSize, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE | MAP_FIXED, File, 0);
  if (P == MAP_FAILED) {
    Error = std::string("cannot map the program's memory: ") + strerror(errno);
    return false;
  }
  leaveOutOfCore(P, driver::FileSize);
  Fd = File;
  Pid = ProgramPid;
  Base = static_cast<uint8_t *>(P);
  for (unsigned I = 0; I < Gpus; ++I)
    Views.push_back(std::make_unique<View>(*this, I));
  Used.assign(Gpus, 0);
  struct sysinfo Info = {};
  sysinfo(&Info);
  SystemMemory = uint64_t(Info.totalram) * Info.mem_unit;
  return true;
}

MemorySpan FileMemory::resolveOn(uint64_t Gpus, uint64_t Address, Access Kind) {
  MemorySpan Span;
  auto It = Mappings.upper_bound(Address);
  if (It == Mappings.begin())
    return Span;
  --It;
  const Mapping &M = It->second;
  uint8_t Need = 0;
  switch (Kind) {
  case Access::Read:
    Need = PageRead;
    break;
  case Access::Write:
    Need = PageWrite;
    break;
  case Access::Atomic:
    Need = PageRead | PageWrite;
    break;
  case Access::Execute:
    Need = PageRead | PageExecute;
    break;
  }
  if (Address - It->first >= M.Size || !(M.Gpus & Gpus) ||
      (M.Access & Need) != Need || (Need & PageWrite && !(M.Writers & Gpus)))
    return Span;
  Span.Begin = It->first;
  Span.End = It->first + M.Size;
  Span.Host = Base + M.Offset;
  return Span;
}

void FileMemory::interrupt(uint32_t Event) {
  driver::Control &C = control();
  if (Event && Event < driver::SignalEvents)
    __atomic_fetch_or(&C.signaled[Event / 64], uint64_t(1) << Event % 64,
                      __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&C.interrupts, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&C.waiters, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &C.interrupts, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

const FileMemory::Object *FileMemory::find(uint64_t Handle) const {
  auto It = Objects.find(Handle);
  return It == Objects.end() ? nullptr : &It->second;
}

bool FileMemory::isValid(const driver::Segment &S) {
  constexpr uint64_t End = driver::FileSize + driver::ForeignSize;
  return S.size && S.size % PageSize == 0 && S.offset % PageSize == 0 &&
         S.size <= End && S.offset <= End - S.size;
}

/// Whether there are descriptors of the object as a DMA buffer.
bool FileMemory::isExported(uint64_t Handle) const {
  for (uint32_t I = 0; I < driver::ExportCount; ++I) {
    const auto *E = reinterpret_cast<const driver::Exported *>(
        Base + driver::ExportOffset + I * uint64_t(512));
    if (E->owner_handle != Handle)
      continue;
    struct flock Held = driver::exportLock(I, F_WRLCK);
    return fcntl(Fd, F_OFD_GETLK, &Held) == 0 && Held.l_type != F_UNLCK;
  }
  return false;
}

void FileMemory::releaseLingering() {
  for (size_t I = 0; I < Lingering.size();) {
    const uint64_t Handle = Lingering[I];
    if (isExported(Handle)) {
      ++I;
      continue;
    }
    Lingering.erase(Lingering.begin() + long(I));
    release(Handle);
  }
}

int FileMemory::allocate(Object O, uint64_t &Handle) {
  if (!O.Size || O.Size % PageSize || O.Address % PageSize ||
      O.Address + O.Size < O.Address || O.Gpu >= Used.size())
    return -EINVAL;
  releaseLingering();
  if (!O.Segments.empty()) {
    // The program's own pages, or pages with a fixed place.
    uint64_t Bytes = 0;
    for (const driver::Segment &S : O.Segments) {
      if (!isValid(S) || S.size > O.Size)
        return -EINVAL;
      Bytes += S.size;
    }
    if (Bytes != O.Size)
      return -EINVAL;
  } else {
    const bool Video = O.Flags & kfd::AllocVram;
    // A ring is mapped twice, consecutively.
    const bool Twice = O.Flags & kfd::AllocAqlQueue;
    const uint64_t Bytes = Twice ? O.Size / 2 : O.Size;
    if (!Bytes || Bytes % PageSize)
      return -EINVAL;
    uint64_t &Total = Video ? Used[O.Gpu] : UsedOfSystem;
    if (Bytes > (Video ? VideoMemory : SystemMemory) - Total)
      return -ENOMEM;
    O.FileOffset = Room.take(Bytes, Bytes >= (2 << 20) ? 2 << 20 : PageSize);
    if (!O.FileOffset)
      return -ENOMEM;
    Total += Bytes;
    O.Segments.assign(Twice ? 2 : 1, {O.FileOffset, Bytes});
  }
  Handle = uint64_t(AgentId + O.Gpu) << 32 | NextHandle++;
  Objects[Handle] = std::move(O);
  return 0;
}

int FileMemory::import(uint64_t Handle, uint64_t Address, uint64_t &NewHandle) {
  auto It = Objects.find(Handle);
  if (It == Objects.end() || Address % PageSize)
    return -EINVAL;
  if (It->second.Import)
    It = Objects.find(It->second.Import);
  Object O = It->second;
  ++It->second.Users;
  O.Address = Address;
  O.MappedOn = 0;
  O.Import = It->first;
  O.IsFreed = false;
  O.Users = 1;
  NewHandle = uint64_t(AgentId + O.Gpu) << 32 | NextHandle++;
  Objects[NewHandle] = std::move(O);
  return 0;
}

int FileMemory::share(uint64_t Handle, uint32_t HsaFlags,
                      driver::SharedObject &Out) {
  auto It = Objects.find(Handle);
  // Like KFD: not the program's own pages, nor doorbells.
  if (It == Objects.end())
    return -EINVAL;
  if (It->second.Import)
    It = Objects.find(It->second.Import);
  Object &O = It->second;
  if (!O.FileOffset || O.Segments.size() != 1)
    return -EINVAL;
  if (!O.Nonce &&
      getrandom(&O.Nonce, sizeof(O.Nonce), 0) != ssize_t(sizeof(O.Nonce)))
    return -ENOMEM;
  O.HsaFlags = HsaFlags;
  Out = describe(It->first);
  return 0;
}

driver::SharedObject FileMemory::describe(uint64_t Handle) const {
  const Object &O = Objects.at(Handle);
  driver::SharedObject S = {};
  S.handle = {Pid, uint32_t(Handle), O.Nonce};
  S.offset = O.Segments[0].offset;
  S.size = O.Segments[0].size;
  S.gpu_id = AgentId + O.Gpu;
  S.flags = O.Flags;
  S.hsa_flags = O.HsaFlags;
  return S;
}

uint64_t FileMemory::findShared(const driver::ShareHandle &H) const {
  for (const auto &[Handle, O] : Objects)
    if (uint32_t(Handle) == H.serial && O.Nonce && O.Nonce == H.nonce &&
        H.pid == Pid && !O.Import)
      return Handle;
  return 0;
}

int FileMemory::mapForeign(int File, const driver::ForeignMemory &Part,
                           uint64_t &Offset) {
  if (!Part.size || Part.size % PageSize || Part.offset % PageSize ||
      Part.size > driver::ForeignSize)
    return -EINVAL;
  Offset = ForeignRoom.take(Part.size, PageSize);
  if (!Offset)
    return -ENOMEM;
  // A file that was opened for reading can't be written by GPUs either.
  for (int Protection : {PROT_READ | PROT_WRITE, PROT_READ})
    if (mmap(Base + Offset, Part.size, Protection,
             MAP_SHARED | MAP_NORESERVE | MAP_FIXED, File,
             off_t(Part.offset)) != MAP_FAILED) {
      Foreign[Offset] = Part.size;
      return 0;
    }
  const int Error = -errno;
  ForeignRoom.give(Offset, Part.size);
  return Error;
}

int FileMemory::unmapForeign(const driver::ForeignMemory &Part) {
  const uint64_t End = Part.offset + Part.size;
  auto It = Foreign.upper_bound(Part.offset);
  if (It == Foreign.begin() || !Part.size || Part.offset % PageSize ||
      Part.size % PageSize)
    return -EINVAL;
  --It;
  const uint64_t Begin = It->first, Last = Begin + It->second;
  if (End < Part.offset || End > Last)
    return -EINVAL;
  for (const auto &[Address, M] : Mappings)
    if (M.Offset < End && Part.offset < M.Offset + M.Size)
      return -EBUSY;
  if (mmap(Base + Part.offset, Part.size, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    return -errno;
  ForeignRoom.give(Part.offset, Part.size);
  Foreign.erase(It);
  if (Begin < Part.offset)
    Foreign[Begin] = Part.offset - Begin;
  if (End < Last)
    Foreign[End] = Last - End;
  return 0;
}

void FileMemory::release(uint64_t Handle) {
  auto It = Objects.find(Handle);
  if (It == Objects.end() || --It->second.Users)
    return;
  const Object O = std::move(It->second);
  Objects.erase(It);
  if (O.Import)
    return release(O.Import);
  if (!O.FileOffset)
    return;
  const uint64_t Bytes = O.Segments[0].size;
  // Free the pages; they are zero when allocated again.
  fallocate(Fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(O.FileOffset),
            off_t(Bytes));
  Room.give(O.FileOffset, Bytes);
  (O.Flags & kfd::AllocVram ? Used[O.Gpu] : UsedOfSystem) -= Bytes;
}

int FileMemory::free(uint64_t Handle) {
  auto It = Objects.find(Handle);
  if (It == Objects.end() || It->second.IsFreed)
    return -EINVAL;
  // Like KFD: not while any GPU has it mapped.
  if (It->second.MappedOn)
    return -EBUSY;
  It->second.IsFreed = true;
  if (It->second.Nonce && isExported(Handle))
    Lingering.push_back(Handle);
  else
    release(Handle);
  return 0;
}

bool FileMemory::isFree(uint64_t Address, uint64_t Size) const {
  auto It = Mappings.lower_bound(Address);
  if (It != Mappings.end() && It->first - Address < Size)
    return false;
  if (It == Mappings.begin())
    return true;
  --It;
  return Address - It->first >= It->second.Size;
}

int FileMemory::mapOn(uint64_t Handle, unsigned Gpu) {
  auto It = Objects.find(Handle);
  if (It == Objects.end() || It->second.IsFreed || Gpu >= Used.size())
    return -EINVAL;
  Object &O = It->second;
  const uint64_t Bit = uint64_t(1) << Gpu;
  if (O.MappedOn & Bit)
    return 0;
  if (!O.MappedOn && !isFree(O.Address, O.Size))
    return -EINVAL;
  const uint8_t Access = PageRead |
                         (O.Flags & kfd::AllocWritable ? PageWrite : 0) |
                         (O.Flags & kfd::AllocExecutable ? PageExecute : 0);
  uint64_t At = O.Address;
  for (const driver::Segment &S : O.Segments) {
    Mapping &M = Mappings[At];
    M = {S.size, S.offset, O.MappedOn | Bit, Access};
    At += S.size;
  }
  if (!O.MappedOn)
    OnMapping(O.Address, O.Size, O.Flags & kfd::AllocVram, /*IsMapped=*/true);
  O.MappedOn |= Bit;
  return 0;
}

int FileMemory::mapPages(const driver::SvmMapping &M,
                         const std::vector<driver::Segment> &Segments) {
  const uint64_t End = M.address + M.size;
  if (!M.size || M.size % PageSize || M.address % PageSize || End < M.address ||
      (Used.size() < 64 && M.gpus >> Used.size()))
    return -EINVAL;
  uint64_t Bytes = 0;
  for (const driver::Segment &S : Segments) {
    if (!isValid(S) || S.size > M.size)
      return -EINVAL;
    Bytes += S.size;
  }
  if (M.gpus && Bytes != M.size)
    return -EINVAL;
  auto It = Mappings.upper_bound(M.address);
  if (It != Mappings.begin())
    --It;
  if (It != Mappings.end() && It->first + It->second.Size <= M.address)
    ++It;
  for (auto Other = It; Other != Mappings.end() && Other->first < End; ++Other)
    if (!Other->second.IsSvm)
      return -EADDRINUSE;
  BeforeUnmap(M.address, End);
  while (It != Mappings.end() && It->first < End) {
    const uint64_t Begin = It->first;
    const Mapping Old = It->second;
    It = Mappings.erase(It);
    if (Begin < M.address)
      Mappings[Begin] = {M.address - Begin, Old.Offset, Old.Gpus,
                         Old.Access,        true,       Old.IsRetried,
                         Old.Writers};
    if (Begin + Old.Size > End)
      Mappings[End] = {Begin + Old.Size - End,
                       Old.Offset + (End - Begin),
                       Old.Gpus,
                       Old.Access,
                       true,
                       Old.IsRetried,
                       Old.Writers};
  }
  uint64_t At = M.address;
  for (const driver::Segment &S : Segments) {
    if (M.gpus)
      Mappings[At] = {S.size, S.offset,       M.gpus,   uint8_t(M.access),
                      true,   M.retried != 0, M.writers};
    At += S.size;
  }
  HasRetried |= M.retried;
  OnMapping(M.address, M.size, /*IsVideo=*/false, /*IsMapped=*/M.gpus != 0);
  return 0;
}

void FileMemory::dropStalePages() {
  struct stat Stat;
  if (!HasRetried || fstat(Fd, &Stat) != 0)
    return;
  FILE *Maps = fopen(("/proc/" + std::to_string(Pid) + "/maps").c_str(), "re");
  if (!Maps)
    return;
  // The program's mappings of the file: address, and end and offset in it.
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> There;
  char Line[512];
  while (fgets(Line, sizeof(Line), Maps)) {
    unsigned long long Begin, End, Offset, Inode;
    if (sscanf(Line, "%llx-%llx %*s %llx %*s %llu", &Begin, &End, &Offset,
               &Inode) == 4 &&
        Inode == Stat.st_ino)
      There[Begin] = {End, Offset};
  }
  fclose(Maps);
  auto IsThere = [&](uint64_t Begin, const Mapping &M) {
    for (uint64_t At = Begin; At < Begin + M.Size;) {
      auto It = There.upper_bound(At);
      if (It == There.begin())
        return false;
      --It;
      const auto &[End, Offset] = It->second;
      if (At >= End || Offset + (At - It->first) != M.Offset + (At - Begin))
        return false;
      At = End;
    }
    return true;
  };
  for (auto It = Mappings.begin(); It != Mappings.end();) {
    const auto &[Begin, M] = *It;
    if (!M.IsRetried || IsThere(Begin, M)) {
      ++It;
      continue;
    }
    BeforeUnmap(Begin, Begin + M.Size);
    OnMapping(Begin, M.Size, /*IsVideo=*/false, /*IsMapped=*/false);
    It = Mappings.erase(It);
  }
}

int FileMemory::unmapFrom(uint64_t Handle, unsigned Gpu) {
  auto It = Objects.find(Handle);
  if (It == Objects.end() || Gpu >= Used.size())
    return -EINVAL;
  Object &O = It->second;
  const uint64_t Bit = uint64_t(1) << Gpu;
  if (!(O.MappedOn & Bit))
    return 0;
  BeforeUnmap(O.Address, O.Address + O.Size);
  O.MappedOn &= ~Bit;
  if (!O.MappedOn)
    OnMapping(O.Address, O.Size, O.Flags & kfd::AllocVram, /*IsMapped=*/false);
  uint64_t At = O.Address;
  for (const driver::Segment &S : O.Segments) {
    if (O.MappedOn)
      Mappings[At].Gpus = O.MappedOn;
    else
      Mappings.erase(At);
    At += S.size;
  }
  return 0;
}
