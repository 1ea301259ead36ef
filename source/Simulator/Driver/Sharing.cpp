//===-- Sharing.cpp - memory objects beyond one program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sharing.h"
#include "Next.h"
#include "UserMemory.h"

#include "Simulator/Common/Wire.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;
using namespace wavelane::simulator;
namespace shared = wavelane::simulator::driver;

/// The position of a descriptor of entry 0.
static constexpr off_t BufferPosition = off_t(0x57414d41) << 16;

static void closeNext(int Fd) {
  static auto *const Close = next<int(int)>("close");
  if (Fd >= 0)
    Close(Fd);
}

static off_t seekNext(int Fd, off_t Offset, int Whence) {
  static auto *const Seek = next<off_t(int, off_t, int)>("lseek64");
  return Seek(Fd, Offset, Whence);
}

static off_t entryAt(uint32_t Index) {
  return off_t(shared::ExportOffset + Index * uint64_t(512));
}

bool Sharing::read(uint32_t Index, Exported &E) const {
  return pread(File, &E, sizeof(E), entryAt(Index)) == ssize_t(sizeof(E));
}

bool Sharing::write(uint32_t Index, const Exported &E) const {
  return pwrite(File, &E, sizeof(E), entryAt(Index)) == ssize_t(sizeof(E));
}

std::optional<Exported> Sharing::find(int Fd) {
  const off_t At = seekNext(Fd, 0, SEEK_CUR);
  Exported E = {};
  struct stat Stat;
  static auto *const Status = next<int(int, struct stat *)>("fstat");
  if (At < BufferPosition || At >= BufferPosition + shared::ExportCount ||
      Status(Fd, &Stat) != 0 || uint64_t(Stat.st_size) != shared::FileSize ||
      pread(Fd, &E, sizeof(E), entryAt(uint32_t(At - BufferPosition))) !=
          ssize_t(sizeof(E)) ||
      !E.owner_handle)
    return std::nullopt;
  return E;
}

/// Whether an entry can be used for another object.
bool Sharing::isFree(uint32_t Index) const {
  Exported E;
  if (!read(Index, E))
    return false;
  struct flock Held = shared::exportLock(Index, F_WRLCK);
  return !E.owner_handle || (E.freed && fcntl(File, F_OFD_GETLK, &Held) == 0 &&
                             Held.l_type == F_UNLCK);
}

/// Finds or makes the entry of an object.
int Sharing::entryOf(uint64_t Handle, uint32_t &Index) {
  kfd::IpcExportArguments A = {};
  A.handle = Handle;
  std::vector<uint8_t> Out;
  if (const int Error =
          On.Ask(kfd::Call::IpcExportHandle, &A, sizeof(A), nullptr, 0, Out))
    return Error;
  if (Out.size() < sizeof(SharedObject))
    return -EIO;
  std::lock_guard<std::mutex> Guard(Lock);
  if (auto It = Entries.find(Handle); It != Entries.end()) {
    Index = It->second;
    return 0;
  }
  for (Index = 0; Index < shared::ExportCount; ++Index) {
    if (!isFree(Index))
      continue;
    Exported E = {};
    E.owner_handle = Handle;
    memcpy(&E.object, Out.data(), sizeof(E.object));
    if (!write(Index, E))
      return -EIO;
    Entries[Handle] = Index;
    return 0;
  }
  return -ENOSPC;
}

int Sharing::setMetadata(uint64_t Handle, uint64_t Tiling, const void *Data,
                         size_t Size) {
  Exported E;
  uint32_t Index;
  if (Size > sizeof(E.metadata))
    return -EINVAL;
  if (const int Error = entryOf(Handle, Index))
    return Error;
  if (!read(Index, E))
    return -EIO;
  E.tiling = Tiling;
  E.metadata_size = uint32_t(Size);
  memcpy(E.metadata, Data, Size);
  return write(Index, E) ? 0 : -EIO;
}

int Sharing::ipcExport(kfd::IpcExportArguments &A) {
  std::vector<uint8_t> Out;
  return On.Ask(kfd::Call::IpcExportHandle, &A, sizeof(A), nullptr, 0, Out);
}

int Sharing::exportBuffer(kfd::ExportDmabufArguments &A) {
  int From = -1;
  off_t Position = -1;
  {
    // A buffer of another program is passed on.
    std::lock_guard<std::mutex> Guard(Lock);
    if (auto It = Imports.find(A.handle); It != Imports.end()) {
      From = It->second.Fd;
      Position = It->second.Position;
      if (Position < 0)
        return -EINVAL;
    }
  }
  if (From < 0) {
    uint32_t Index;
    if (const int Error = entryOf(A.handle, Index))
      return Error;
    From = File;
    Position = BufferPosition + off_t(Index);
  }
  char Path[64];
  snprintf(Path, sizeof(Path), "/proc/self/fd/%d", From);
  const int Fd = openNext(Path, O_RDWR | (int(A.flags) & O_CLOEXEC));
  if (Fd < 0)
    return -errno;
  seekNext(Fd, Position, SEEK_SET);
  struct flock Held =
      shared::exportLock(uint32_t(Position - BufferPosition), F_RDLCK);
  fcntl(Fd, F_OFD_SETLK, &Held);
  A.dmabuf_fd = uint32_t(Fd);
  return 0;
}

int Sharing::bufferInfo(kfd::GetDmabufInfoArguments &A) {
  const std::optional<Exported> E = find(int(A.dmabuf_fd));
  if (!E)
    return -EINVAL;
  A.size = E->object.size;
  A.gpu_id = E->object.gpu_id;
  A.flags = E->object.flags;
  const uint32_t Room = A.metadata_size;
  A.metadata_size = E->metadata_size;
  return !A.metadata_ptr || copyToUser(A.metadata_ptr, E->metadata,
                                       std::min(Room, E->metadata_size))
             ? 0
             : -EFAULT;
}

int Sharing::importBuffer(kfd::ImportDmabufArguments &A) {
  const std::optional<Exported> E = find(int(A.dmabuf_fd));
  if (!E)
    return -EINVAL;
  kfd::IpcImportArguments I = {};
  const int Result = import(E->object, A.va_addr, int(A.dmabuf_fd), I);
  A.handle = I.handle;
  return Result;
}

/// Asks the owner's device for its file and the object's place in it.
/// \return The socket, or -errno.
static int askOwner(SharedObject &S, int &Fd) {
  std::string Error;
  const pid_t Owner = pid_t(S.handle.pid);
  const std::string Folder = runtimeDirectory(Owner, Error);
  struct stat Stat;
  static auto *const Status = next<int(const char *, struct stat *)>("stat");
  // Another user's programs are out of reach.
  if (Folder.empty() || Status(Folder.c_str(), &Stat) != 0 ||
      Stat.st_uid != getuid())
    return -EINVAL;
  const SocketAddress Address(deviceSocket(Folder, Owner));
  const int Socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const HelloRequest Hello = {ProtocolVersion, PeerRole::Importer, S.handle.pid,
                              0};
  const shared::ShareHandle Wanted = S.handle;
  Message M;
  if (Socket >= 0 && connect(Socket, Address.get(), Address.size()) == 0 &&
      sendMessage(Socket, MessageType::Hello, 0, 0, &Hello, sizeof(Hello)) &&
      receiveMessage(Socket, M) && M.Header.result == 0 &&
      sendMessage(Socket, MessageType::ImportRequest, 1, 0, &Wanted,
                  sizeof(Wanted)) &&
      receiveMessage(Socket, M) && M.Header.result == 0 && M.as(S) &&
      M.Fd >= 0) {
    Fd = M.Fd;
    return Socket;
  }
  closeNext(M.Fd);
  closeNext(Socket);
  return -EINVAL;
}

/// \param Fd A descriptor of the owner's file, or -1.
int Sharing::import(const SharedObject &Wanted, uint64_t Address, int Fd,
                    kfd::IpcImportArguments &A) {
  A.va_addr = Address;
  A.gpu_id = Wanted.gpu_id;
  memcpy(A.share_handle, &Wanted.handle, sizeof(A.share_handle));
  std::vector<uint8_t> Out;
  if (Wanted.handle.pid == uint32_t(getpid()))
    return On.Ask(kfd::Call::IpcImportHandle, &A, sizeof(A), nullptr, 0, Out);
  SharedObject S = Wanted;
  Import I;
  I.Socket = askOwner(S, I.Fd);
  if (I.Socket < 0) {
    // The owner has ended; with a descriptor, its memory lives on.
    if (Fd < 0)
      return I.Socket;
    I.Socket = -1;
    I.Fd = fcntl(Fd, F_DUPFD_CLOEXEC, 100);
  }
  I.FileOffset = S.offset;
  if (Fd >= 0)
    I.Position = seekNext(Fd, 0, SEEK_CUR);
  I.Part = {S.offset, S.size};
  int Result = I.Fd < 0 ? -EBADF : On.MapForeign(I.Part, I.Fd);
  if (Result == 0) {
    S.offset = I.Part.offset;
    Result =
        On.Ask(kfd::Call::IpcImportHandle, &A, sizeof(A), &S, sizeof(S), Out);
    if (Result)
      On.MapForeign(I.Part, -1);
  }
  if (Result) {
    closeNext(I.Fd);
    closeNext(I.Socket);
    return Result;
  }
  std::lock_guard<std::mutex> Guard(Lock);
  Imports[A.handle] = I;
  return 0;
}

int Sharing::ipcImport(kfd::IpcImportArguments &A) {
  SharedObject S = {};
  memcpy(&S.handle, A.share_handle, sizeof(S.handle));
  S.gpu_id = A.gpu_id;
  return import(S, A.va_addr, -1, A);
}

void Sharing::freed(uint64_t Handle) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (auto It = Entries.find(Handle); It != Entries.end()) {
    Exported E;
    if (read(It->second, E)) {
      E.freed = 1;
      write(It->second, E);
    }
    Entries.erase(It);
  }
  if (auto It = Imports.find(Handle); It != Imports.end()) {
    Import I = It->second;
    Imports.erase(It);
    On.MapForeign(I.Part, -1);
    closeNext(I.Fd);
    closeNext(I.Socket);
  }
}

std::optional<Sharing::Place> Sharing::foreign(uint64_t Offset) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (const auto &[Handle, I] : Imports)
    if (Offset - I.Part.offset < I.Part.size)
      return Place{I.Fd, I.FileOffset + (Offset - I.Part.offset)};
  return std::nullopt;
}
