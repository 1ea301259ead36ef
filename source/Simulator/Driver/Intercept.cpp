//===-- Intercept.cpp - the C library's functions, for devices ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With this library preloaded, a program finds the simulated GPUs in place of
// the kernel driver's. Calls for other files and descriptors are passed on to
// the C library.
//
//===----------------------------------------------------------------------===//

#include "KfdProcess.h"
#include "MemoryMap.h"
#include "Next.h"
#include "Render.h"
#include "Tree.h"

#include "Simulator/Common/CoreDumps.h"

#include "wavelane/Simulator/KfdIoctl.h"

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;

#define FACE extern "C" __attribute__((visibility("default")))

namespace {

constexpr unsigned KfdMajor = 510;

/// The C library's function of the same name.
#define NEXT(TYPE) static auto *const Next = next<TYPE>(__func__)

/// open(2) for the list of mappings; nullopt if \a Path isn't that.
std::optional<int> openMaps(const char *Path, int Flags) {
  const driver::Process *P =
      Path && !strcmp(Path, MapsPath) ? driver::Process::current() : nullptr;
  return P ? std::optional(P->openMaps(Flags)) : std::nullopt;
}

/// The result of open(2) for \a Path; nullopt if it isn't a device's, nor says
/// of them.
std::optional<int> openDevice(const char *Path, int Flags) {
  if (const std::optional<int> Maps = openMaps(Path, Flags))
    return Maps;
  DeviceFile Kind;
  Kind.IsKfd = isKfd(Path);
  if (!Kind.IsKfd)
    Kind.Minor = drmMinor(Path);
  if (!Kind.IsKfd && Kind.Minor < 0)
    return std::nullopt;
  driver::Process *P = driver::Process::get();
  if (!P) {
    errno = ENODEV;
    return -1;
  }
  return P->open(Kind, Flags);
}

/// A path, or its replacement.
class Place {
public:
  explicit Place(const char *Path) : Path(Path), Other(placeOf(Path)) {}
  const char *get() const { return Other ? Other->c_str() : Path; }

private:
  const char *Path;
  std::optional<std::string> Other;
};

template <typename Status> void asDevice(Status &S, const DeviceFile &Kind) {
  S.st_mode = (S.st_mode & ~unsigned(S_IFMT)) | S_IFCHR;
  S.st_rdev = Kind.IsKfd ? makedev(KfdMajor, 0)
                         : makedev(DrmMajor, unsigned(Kind.Minor));
  S.st_size = 0;
}

/// stat(2) for a device's path.
/// \return false if it isn't one.
template <typename Status> bool statDevice(const char *Path, Status *Out) {
  DeviceFile Kind;
  Kind.IsKfd = isKfd(Path);
  if (!Kind.IsKfd)
    Kind.Minor = drmMinor(Path);
  if (!Kind.IsKfd && Kind.Minor < 0)
    return false;
  memset(Out, 0, sizeof(*Out));
  Out->st_mode = 0660;
  Out->st_nlink = 1;
  Out->st_uid = getuid();
  Out->st_gid = getgid();
  asDevice(*Out, Kind);
  return true;
}

template <typename Status> int markDevice(int Fd, int Result, Status *Out) {
  if (Result == 0)
    if (driver::Process *P = driver::Process::current())
      if (const std::optional<DeviceFile> Kind = P->find(Fd))
        asDevice(*Out, *Kind);
  return Result;
}

bool needsMode(int Flags) {
  return Flags & O_CREAT || (Flags & O_TMPFILE) == O_TMPFILE;
}

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

#define OPEN(NAME)                                                             \
  FACE int NAME(const char *Path, int Flags, ...) {                            \
    unsigned Mode = 0;                                                         \
    if (needsMode(Flags)) {                                                    \
      va_list List;                                                            \
      va_start(List, Flags);                                                   \
      Mode = va_arg(List, unsigned);                                           \
      va_end(List);                                                            \
    }                                                                          \
    if (const std::optional<int> Fd = openDevice(Path, Flags))                 \
      return *Fd;                                                              \
    NEXT(int(const char *, int, ...));                                         \
    return Next(Place(Path).get(), Flags, Mode);                               \
  }
OPEN(open)
OPEN(open64)
#undef OPEN

#define OPEN(NAME)                                                             \
  FACE int NAME(int Folder, const char *Path, int Flags, ...) {                \
    unsigned Mode = 0;                                                         \
    if (needsMode(Flags)) {                                                    \
      va_list List;                                                            \
      va_start(List, Flags);                                                   \
      Mode = va_arg(List, unsigned);                                           \
      va_end(List);                                                            \
    }                                                                          \
    if (const std::optional<int> Fd = openDevice(Path, Flags))                 \
      return *Fd;                                                              \
    NEXT(int(int, const char *, int, ...));                                    \
    return Next(Folder, Place(Path).get(), Flags, Mode);                       \
  }
OPEN(openat)
OPEN(openat64)
#undef OPEN

// The names that <fcntl.h> uses under _FORTIFY_SOURCE.
#define OPEN(NAME)                                                             \
  FACE int NAME(const char *Path, int Flags) {                                 \
    if (const std::optional<int> Fd = openDevice(Path, Flags))                 \
      return *Fd;                                                              \
    NEXT(int(const char *, int));                                              \
    return Next(Place(Path).get(), Flags);                                     \
  }
OPEN(__open_2)
OPEN(__open64_2)
#undef OPEN

#define OPEN(NAME)                                                             \
  FACE FILE *NAME(const char *Path, const char *Mode) {                        \
    if (const std::optional<int> Fd = openMaps(Path, O_CLOEXEC))               \
      return *Fd < 0 ? nullptr : fdopen(*Fd, Mode);                            \
    NEXT(FILE * (const char *, const char *));                                 \
    return Next(Place(Path).get(), Mode);                                      \
  }
OPEN(fopen)
OPEN(fopen64)
#undef OPEN

FACE DIR *opendir(const char *Path) {
  NEXT(DIR * (const char *));
  return Next(Place(Path).get());
}

#define SCAN(NAME, ENTRY)                                                      \
  FACE int NAME(const char *Path, ENTRY ***List, int (*Filter)(const ENTRY *), \
                int (*Order)(const ENTRY **, const ENTRY **)) {                \
    NEXT(int(const char *, ENTRY ***, int (*)(const ENTRY *),                  \
             int (*)(const ENTRY **, const ENTRY **)));                        \
    return Next(Place(Path).get(), List, Filter, Order);                       \
  }
SCAN(scandir, dirent)
SCAN(scandir64, dirent64)
#undef SCAN

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

FACE int access(const char *Path, int Mode) {
  if (isKfd(Path) || drmMinor(Path) >= 0)
    return 0;
  NEXT(int(const char *, int));
  return Next(Place(Path).get(), Mode);
}

FACE int faccessat(int Folder, const char *Path, int Mode, int Flags) {
  if (isKfd(Path) || drmMinor(Path) >= 0)
    return 0;
  NEXT(int(int, const char *, int, int));
  return Next(Folder, Place(Path).get(), Mode, Flags);
}

#define STAT(NAME, STATUS)                                                     \
  FACE int NAME(const char *Path, STATUS *Out) {                               \
    if (statDevice(Path, Out))                                                 \
      return 0;                                                                \
    NEXT(int(const char *, STATUS *));                                         \
    return Next(Place(Path).get(), Out);                                       \
  }
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)
#undef STAT

#define STAT(NAME, STATUS)                                                     \
  FACE int NAME(int Version, const char *Path, STATUS *Out) {                  \
    if (statDevice(Path, Out))                                                 \
      return 0;                                                                \
    NEXT(int(int, const char *, STATUS *));                                    \
    return Next(Version, Place(Path).get(), Out);                              \
  }
STAT(__xstat, struct stat)
STAT(__xstat64, struct stat64)
STAT(__lxstat, struct stat)
STAT(__lxstat64, struct stat64)
#undef STAT

#define STAT(NAME, STATUS)                                                     \
  FACE int NAME(int Fd, STATUS *Out) {                                         \
    NEXT(int(int, STATUS *));                                                  \
    return markDevice(Fd, Next(Fd, Out), Out);                                 \
  }
STAT(fstat, struct stat)
STAT(fstat64, struct stat64)
#undef STAT

#define STAT(NAME, STATUS)                                                     \
  FACE int NAME(int Version, int Fd, STATUS *Out) {                            \
    NEXT(int(int, int, STATUS *));                                             \
    return markDevice(Fd, Next(Version, Fd, Out), Out);                        \
  }
STAT(__fxstat, struct stat)
STAT(__fxstat64, struct stat64)
#undef STAT

#define STAT(NAME, STATUS)                                                     \
  FACE int NAME(int Folder, const char *Path, STATUS *Out, int Flags) {        \
    if (statDevice(Path, Out))                                                 \
      return 0;                                                                \
    NEXT(int(int, const char *, STATUS *, int));                               \
    return Next(Folder, Place(Path).get(), Out, Flags);                        \
  }
STAT(fstatat, struct stat)
STAT(fstatat64, struct stat64)
#undef STAT

FACE int statx(int Folder, const char *Path, int Flags, unsigned Mask,
               struct statx *Out) {
  NEXT(int(int, const char *, int, unsigned, struct statx *));
  struct stat Device;
  if (!statDevice(Path, &Device))
    return Next(Folder, Place(Path).get(), Flags, Mask, Out);
  memset(Out, 0, sizeof(*Out));
  Out->stx_mask = STATX_BASIC_STATS;
  Out->stx_mode = uint16_t(Device.st_mode);
  Out->stx_nlink = 1;
  Out->stx_uid = Device.st_uid;
  Out->stx_gid = Device.st_gid;
  Out->stx_rdev_major = major(Device.st_rdev);
  Out->stx_rdev_minor = minor(Device.st_rdev);
  return 0;
}

FACE ssize_t readlink(const char *Path, char *Out, size_t Size) {
  NEXT(ssize_t(const char *, char *, size_t));
  return Next(Place(Path).get(), Out, Size);
}

FACE ssize_t readlinkat(int Folder, const char *Path, char *Out, size_t Size) {
  NEXT(ssize_t(int, const char *, char *, size_t));
  return Next(Folder, Place(Path).get(), Out, Size);
}

FACE char *realpath(const char *Path, char *Out) {
  NEXT(char *(const char *, char *));
  return Next(Place(Path).get(), Out);
}

FACE char *__realpath_chk(const char *Path, char *Out, size_t Size) {
  NEXT(char *(const char *, char *, size_t));
  return Next(Place(Path).get(), Out, Size);
}

//===----------------------------------------------------------------------===//
// Using
//===----------------------------------------------------------------------===//

FACE int ioctl(int Fd, unsigned long Request, ...) {
  va_list List;
  va_start(List, Request);
  void *Argument = va_arg(List, void *);
  va_end(List);
  const unsigned Type = _IOC_TYPE(Request);
  if (Type == kfd::IoctlType || Type == 'd')
    if (driver::Process *P = driver::Process::current())
      if (const std::optional<DeviceFile> Kind = P->find(Fd)) {
        if (!Argument && _IOC_SIZE(Request)) {
          errno = EFAULT;
          return -1;
        }
        if (Kind->IsKfd && Type == kfd::IoctlType)
          return P->kfdCall(Request, Argument);
        if (!Kind->IsKfd && Type == 'd')
          return drmCall(Kind->Minor, Request, Argument);
        errno = ENOTTY;
        return -1;
      }
  NEXT(int(int, unsigned long, ...));
  return Next(Fd, Request, Argument);
}

#define MAP(NAME, OFFSET)                                                      \
  FACE void *NAME(void *Address, size_t Size, int Protection, int Flags,       \
                  int Fd, OFFSET Offset) {                                     \
    NEXT(void *(void *, size_t, int, int, int, OFFSET));                       \
    driver::Process *P = driver::Process::current();                           \
    if (P && Flags & MAP_FIXED)                                                \
      P->unmapping(reinterpret_cast<uint64_t>(Address), Size);                 \
    if (!P || Fd < 0 || !P->find(Fd))                                          \
      return Next(Address, Size, Protection, Flags, Fd, Offset);               \
    /* Memory that the host may not touch is mapped for debuggers alone, */    \
    /* which can also write to it. A private mapping would keep from the */    \
    /* GPU what they write. */                                                 \
    if (Flags & MAP_PRIVATE || Protection == PROT_NONE) {                      \
      Flags = (Flags & ~MAP_PRIVATE) | MAP_SHARED;                             \
      Protection |= PROT_READ | PROT_WRITE;                                    \
    }                                                                          \
    if (const auto Place = P->sharing().foreign(uint64_t(Offset)))             \
      return Next(Address, Size, Protection, Flags, Place->Fd,                 \
                  OFFSET(Place->Offset));                                      \
    void *Out = Next(Address, Size, Protection, Flags, Fd, Offset);            \
    if (Out != MAP_FAILED) {                                                   \
      simulator::dumpIfWanted(Out, Size);                                      \
      P->mapped(reinterpret_cast<uint64_t>(Out), Size, uint64_t(Offset));      \
    }                                                                          \
    return Out;                                                                \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)
#undef MAP

// libdrm asks for a DMA buffer's size in this way. The position of a device's
// descriptor says what it is, and stays.
#define SEEK(NAME, OFFSET)                                                     \
  FACE OFFSET NAME(int Fd, OFFSET Offset, int Whence) {                        \
    NEXT(OFFSET(int, OFFSET, int));                                            \
    if (driver::Process::current())                                            \
      if (const auto E = Sharing::find(Fd))                                    \
        return Whence == SEEK_END ? OFFSET(E->object.size) : 0;                \
    return Next(Fd, Offset, Whence);                                           \
  }
SEEK(lseek, off_t)
SEEK(lseek64, off64_t)
#undef SEEK

FACE int munmap(void *Address, size_t Size) {
  NEXT(int(void *, size_t));
  driver::Process *P = driver::Process::current();
  if (P)
    P->unmapping(reinterpret_cast<uint64_t>(Address), Size);
  const int Result = Next(Address, Size);
  if (P && Result == 0)
    P->unmapped();
  return Result;
}

FACE void *mremap(void *Address, size_t Size, size_t NewSize, int Flags, ...) {
  va_list List;
  va_start(List, Flags);
  void *Place = Flags & MREMAP_FIXED ? va_arg(List, void *) : nullptr;
  va_end(List);
  NEXT(void *(void *, size_t, size_t, int, ...));
  if (driver::Process *P = driver::Process::current()) {
    P->moving(reinterpret_cast<uint64_t>(Address), Size);
    if (Place)
      P->unmapping(reinterpret_cast<uint64_t>(Place), NewSize);
  }
  void *Out = Next(Address, Size, NewSize, Flags, Place);
  if (Out != MAP_FAILED || errno != EFAULT || !driver::Process::current() ||
      Flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED) || !(Flags & MREMAP_MAYMOVE))
    return Out;
  Out = driver::UserPages::moveByCopy(reinterpret_cast<uint64_t>(Address), Size,
                                      NewSize, Place);
  if (Out == MAP_FAILED)
    errno = EFAULT;
  return Out;
}

FACE int madvise(void *Address, size_t Size, int Advice) {
  NEXT(int(void *, size_t, int));
  driver::Process *P =
      Advice == MADV_DONTNEED || Advice == MADV_FREE || Advice == MADV_REMOVE
          ? driver::Process::current()
          : nullptr;
  if (P)
    P->discarding(reinterpret_cast<uint64_t>(Address), Size);
  const int Result = Next(Address, Size, Advice);
  if (P && Result == 0)
    P->protectionChanged(reinterpret_cast<uint64_t>(Address), Size);
  return Result;
}

FACE int mprotect(void *Address, size_t Size, int Protection) {
  NEXT(int(void *, size_t, int));
  const int Result = Next(Address, Size, Protection);
  if (driver::Process *P = Result == 0 ? driver::Process::current() : nullptr)
    P->protectionChanged(reinterpret_cast<uint64_t>(Address), Size);
  return Result;
}

__attribute__((constructor)) static void begin() {
  // A child has its own devices.
  static driver::Process *Parents;
  pthread_atfork(
      [] {
        Parents = driver::Process::current();
        if (Parents)
          Parents->beforeFork();
      },
      [] {
        if (Parents)
          Parents->afterForkInParent();
      },
      [] {
        if (Parents)
          Parents->afterForkInChild();
        Parents = nullptr;
      });
}
