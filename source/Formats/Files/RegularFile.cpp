//===-- RegularFile.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/RegularFile.h"

#include "llvm/ADT/ScopeExit.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

static std::error_code failed(int Error) {
  return std::error_code(Error, std::generic_category());
}

/// Opens a regular file, and neither waits for a pipe's writer nor disturbs a
/// device.
/// \return Its descriptor.
static ErrorOr<int> openRegular(StringRef Path, uint64_t &Size) {
  const int Fd = ::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return failed(errno);
  struct stat Info;
  const int Error = ::fstat(Fd, &Info) != 0 ? errno
                    : S_ISREG(Info.st_mode) ? 0
                    : S_ISDIR(Info.st_mode) ? EISDIR
                                            : EINVAL;
  Size = uint64_t(Info.st_size);
  if (!Error)
    return Fd;
  ::close(Fd);
  return failed(Error);
}

ErrorOr<std::unique_ptr<MemoryBuffer>>
wavelane::files::mapRegular(StringRef Path) {
  uint64_t Size = 0;
  const ErrorOr<int> Fd = openRegular(Path, Size);
  if (!Fd)
    return Fd.getError();
  const scope_exit Close([&] { ::close(*Fd); });
  return MemoryBuffer::getOpenFile(*Fd, Path, Size,
                                   /*RequiresNullTerminator=*/false);
}

ErrorOr<std::unique_ptr<MemoryBuffer>>
wavelane::files::readRegular(StringRef Path, uint64_t Offset,
                             std::optional<uint64_t> Size) {
  uint64_t All = 0;
  const ErrorOr<int> Fd = openRegular(Path, All);
  if (!Fd)
    return Fd.getError();
  const scope_exit Close([&] { ::close(*Fd); });
  if (Offset > All || Size.value_or(0) > All - Offset)
    return failed(ERANGE);
  const uint64_t Bytes = Size.value_or(All - Offset);
  if (Bytes > MostBytes)
    return failed(EFBIG);
  auto Buffer = WritableMemoryBuffer::getNewUninitMemBuffer(Bytes, Path);
  if (!Buffer)
    return failed(ENOMEM);
  for (uint64_t Done = 0; Done < Bytes;) {
    const ssize_t N = ::pread(*Fd, Buffer->getBufferStart() + Done,
                              Bytes - Done, off_t(Offset + Done));
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return failed(N < 0 ? errno : ERANGE);
    Done += uint64_t(N);
  }
  return std::unique_ptr<MemoryBuffer>(std::move(Buffer));
}
