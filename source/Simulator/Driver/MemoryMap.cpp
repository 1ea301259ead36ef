//===-- MemoryMap.cpp - the program's address space -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryMap.h"
#include "Next.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;

namespace {

/// struct procmap_query of Linux 6.11 and later, which Debian's headers lack.
struct Query {
  uint64_t Size;
  uint64_t Flags;
  uint64_t Address;
  uint64_t Begin, End;
  uint64_t Mode; ///< 1: readable, 2: writable, 4: executable, 8: shared
  uint64_t PageSize, Offset, Inode;
  uint32_t Major, Minor;
  uint32_t NameSize, BuildIdSize;
  uint64_t Name, BuildId;
};
static_assert(sizeof(Query) == 104);
constexpr unsigned long QueryCall = _IOWR('f', 17, Query);
constexpr uint64_t CoveringOrNext = 0x10;

int protection(bool Read, bool Write, bool Execute) {
  return (Read ? PROT_READ : 0) | (Write ? PROT_WRITE : 0) |
         (Execute ? PROT_EXEC : 0);
}

/// \return false if the kernel can't answer.
bool query(int Fd, uint64_t Begin, uint64_t End, std::vector<Area> &Out) {
  for (uint64_t At = Begin; At < End;) {
    Query Q = {};
    Q.Size = sizeof(Q);
    Q.Flags = CoveringOrNext;
    Q.Address = At;
    if (ioctl(Fd, QueryCall, &Q) != 0)
      return errno == ENOENT;
    if (Q.Begin >= End)
      break;
    Out.push_back({Q.Begin, Q.End, Q.Offset,
                   protection(Q.Mode & 1, Q.Mode & 2, Q.Mode & 4),
                   bool(Q.Mode & 8), ino_t(Q.Inode),
                   makedev(Q.Major, Q.Minor)});
    At = Q.End;
  }
  return true;
}

/// Parses "55a0-55b0 rw-p 00001000 fe:00 1234 name".
Area parse(const char *Line) {
  Area A = {};
  char *At;
  A.Begin = strtoull(Line, &At, 16);
  A.End = strtoull(At + 1, &At, 16);
  A.Protection = protection(At[1] == 'r', At[2] == 'w', At[3] == 'x');
  A.IsShared = At[4] == 's';
  A.Offset = strtoull(At + 5, &At, 16);
  const unsigned Major = unsigned(strtoul(At, &At, 16));
  const unsigned Minor = unsigned(strtoul(At + 1, &At, 16));
  A.Device = makedev(Major, Minor);
  A.Inode = strtoull(At, nullptr, 10);
  return A;
}

std::string readAll(int Fd) {
  std::string Text;
  char Buffer[16384];
  for (ssize_t N; (N = read(Fd, Buffer, sizeof(Buffer))) != 0;) {
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      break;
    Text.append(Buffer, size_t(N));
  }
  return Text;
}

} // namespace

/// Opens \a Path if it is the file of \a A.
static int openIf(const char *Path, const Area &A) {
  static auto *const Status = next<int(int, struct stat *)>("fstat");
  static auto *const Close = next<int(int)>("close");
  int Fd = openNext(Path, O_RDWR | O_CLOEXEC);
  if (Fd < 0)
    Fd = openNext(Path, O_RDONLY | O_CLOEXEC);
  struct stat Stat;
  if (Fd < 0 || (Status(Fd, &Stat) == 0 && Stat.st_ino == A.Inode &&
                 Stat.st_dev == A.Device))
    return Fd;
  Close(Fd);
  return -1;
}

int wavelane::driver::openFileOf(const Area &A) {
  // The kernel's own links need privileges; then a descriptor of the program's,
  // or the name.
  char Path[PATH_MAX];
  snprintf(Path, sizeof(Path), "/proc/self/map_files/%lx-%lx",
           static_cast<unsigned long>(A.Begin),
           static_cast<unsigned long>(A.End));
  int Fd = openIf(Path, A);
  static auto *const Open = next<DIR *(const char *)>("opendir");
  DIR *Folder = Fd < 0 ? Open("/proc/self/fd") : nullptr;
  while (const dirent *Entry = Folder ? readdir(Folder) : nullptr) {
    snprintf(Path, sizeof(Path), "/proc/self/fd/%s", Entry->d_name);
    struct stat Stat;
    static auto *const Status = next<int(const char *, struct stat *)>("stat");
    if (Entry->d_name[0] == '.' || Status(Path, &Stat) != 0 ||
        Stat.st_ino != A.Inode || Stat.st_dev != A.Device)
      continue;
    Fd = openIf(Path, A);
    break;
  }
  if (Folder)
    closedir(Folder);
  static auto *const OpenFile =
      next<FILE *(const char *, const char *)>("fopen");
  FILE *Maps = Fd < 0 ? OpenFile(MapsPath, "re") : nullptr;
  while (Maps && fgets(Path, sizeof(Path), Maps)) {
    const char *Name = strchr(Path, '/');
    if (parse(Path).Begin != A.Begin || !Name)
      continue;
    Path[strcspn(Path, "\n")] = '\0';
    Fd = openIf(Name, A);
    break;
  }
  if (Maps)
    fclose(Maps);
  return Fd;
}

std::vector<Area> wavelane::driver::readAreas(uint64_t Begin, uint64_t End) {
  std::vector<Area> Out;
  const int Fd = openNext(MapsPath, O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return Out;
  static auto *const Close = next<int(int)>("close");
  if (query(Fd, Begin, End, Out)) {
    Close(Fd);
    return Out;
  }
  const std::string Text = readAll(Fd);
  Close(Fd);
  Out.clear();
  for (size_t At = 0, Next; (Next = Text.find('\n', At)) != std::string::npos;
       At = Next + 1) {
    const Area A = parse(Text.c_str() + At);
    if (A.End > Begin && A.Begin < End)
      Out.push_back(A);
  }
  return Out;
}

std::string wavelane::driver::describeMaps(dev_t Device, ino_t Number) {
  const int Fd = openNext(MapsPath, O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return {};
  static auto *const Close = next<int(int)>("close");
  const std::string Text = readAll(Fd);
  Close(Fd);
  std::string Out;
  for (size_t At = 0, Next; (Next = Text.find('\n', At)) != std::string::npos;
       At = Next + 1) {
    const std::string Line = Text.substr(At, Next - At);
    const Area A = parse(Line.c_str());
    const size_t Name = Line.find('/');
    if (A.Inode != Number || A.Device != Device || Name == std::string::npos)
      Out += Line;
    else
      Out += Line.substr(0, Name) + (A.Offset < simulator::driver::FirstObject
                                         ? "/dev/kfd"
                                         : "/dev/dri/renderD128");
    Out += '\n';
  }
  return Out;
}
