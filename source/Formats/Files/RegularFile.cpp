//===-- RegularFile.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/RegularFile.h"

#include "llvm/ADT/ScopeExit.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

ErrorOr<std::unique_ptr<MemoryBuffer>>
wavelane::files::readRegular(StringRef Path, uint64_t Offset,
                             std::optional<uint64_t> Size) {
  auto Failed = [](int Error) {
    return std::error_code(Error, std::generic_category());
  };
  // It neither waits for a pipe's writer nor disturbs a device.
  const int Fd = ::open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return Failed(errno);
  const scope_exit Close([Fd] { ::close(Fd); });
  struct stat Info;
  if (::fstat(Fd, &Info) != 0)
    return Failed(errno);
  const uint64_t All = uint64_t(Info.st_size);
  if (!S_ISREG(Info.st_mode))
    return Failed(S_ISDIR(Info.st_mode) ? EISDIR : EINVAL);
  if (Offset > All || Size.value_or(0) > All - Offset)
    return Failed(ERANGE);
  const uint64_t Bytes = Size.value_or(All - Offset);
  if (Bytes > MostBytes)
    return Failed(EFBIG);
  auto Buffer = WritableMemoryBuffer::getNewUninitMemBuffer(Bytes, Path);
  if (!Buffer)
    return Failed(ENOMEM);
  for (uint64_t Done = 0; Done < Bytes;) {
    const ssize_t N = ::pread(Fd, Buffer->getBufferStart() + Done, Bytes - Done,
                              off_t(Offset + Done));
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return Failed(N < 0 ? errno : ERANGE);
    Done += uint64_t(N);
  }
  return std::unique_ptr<MemoryBuffer>(std::move(Buffer));
}
