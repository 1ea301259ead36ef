//===-- OutputFile.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace wavelane::files {

/// The descriptor of this process that \p Path names, as /dev/stdout does.
static std::optional<int> ownDescriptor(StringRef Path) {
  SmallString<128> Place(Path);
  // /dev/stdout is a link to /proc/self/fd/1.
  for (unsigned Links = 0; Links < 4; ++Links) {
    StringRef Number = Place;
    int Fd;
    if ((Number.consume_front("/proc/self/fd/") ||
         Number.consume_front("/dev/fd/")) &&
        !Number.getAsInteger(10, Fd))
      return Fd;
    char Next[256];
    const ssize_t Size = ::readlink(Place.c_str(), Next, sizeof Next);
    if (Size <= 0 || size_t(Size) == sizeof Next || Next[0] != '/')
      return std::nullopt;
    Place = StringRef(Next, size_t(Size));
  }
  return std::nullopt;
}

OutputFile::OutputFile(OutputFile &&Other)
    : Path(std::move(Other.Path)), Target(std::move(Other.Target)),
      Partial(std::exchange(Other.Partial, std::string())),
      Fd(std::exchange(Other.Fd, -1)) {}

OutputFile::~OutputFile() {
  if (Fd >= 0)
    ::close(Fd);
  if (!Partial.empty())
    (void)sys::fs::remove(Partial);
}

Error OutputFile::fail(int Error) const {
  const std::error_code Code(Error, std::generic_category());
  return createStringError(Code, Path + ": " + Code.message());
}

Expected<OutputFile> OutputFile::create(StringRef Path) {
  OutputFile Output;
  Output.Path = Path.str();
  const char *Name = Output.Path.c_str();
  if (std::optional<int> Own = ownDescriptor(Path)) {
    Output.Fd = ::fcntl(*Own, F_DUPFD_CLOEXEC, 0);
    if (Output.Fd < 0)
      return Output.fail(errno);
    return Output;
  }
  struct stat Info;
  const bool Exists = ::stat(Name, &Info) == 0;
  if (!Exists && errno != ENOENT)
    return Output.fail(errno);
  if (Exists && !S_ISREG(Info.st_mode)) {
    // Without waiting for the reader of a pipe.
    Output.Fd = ::open(Name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (Output.Fd < 0)
      return Output.fail(errno == ENXIO ? EPIPE : errno);
    const int Flags = ::fcntl(Output.Fd, F_GETFL);
    (void)::fcntl(Output.Fd, F_SETFL, Flags & ~O_NONBLOCK);
    return Output;
  }

  // The file itself, not a link to it, is replaced.
  SmallString<256> Target(Path);
  if (sys::fs::is_symlink_file(Path))
    if (std::error_code Error = sys::fs::real_path(Path, Target))
      return Output.fail(Error.value());
  Output.Target = Target.str().str();
  if (Exists && ::access(Target.c_str(), W_OK) != 0)
    return Output.fail(errno);
  const mode_t Mode =
      Exists && Info.st_uid == ::geteuid() ? Info.st_mode & 0777 : 0600;
  SmallString<256> Folder(sys::path::parent_path(Target));
  if (Folder.empty())
    Folder = ".";
  Output.Fd = ::open(Folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (Output.Fd < 0) {
    SmallString<256> Partial;
    if (std::error_code Error =
            sys::fs::createUniqueFile(Target + ".%%%%%%.partial", Output.Fd,
                                      Partial, sys::fs::OF_None, 0600))
      return Output.fail(Error.value());
    Output.Partial = Partial.str().str();
  }
  if (Mode != 0600 && ::fchmod(Output.Fd, Mode) != 0)
    return Output.fail(errno);
  return Output;
}

Error OutputFile::keep() {
  if (!Target.empty() && Partial.empty()) {
    SmallString<256> Unique;
    sys::fs::createUniquePath(Target + ".%%%%%%.partial", Unique,
                              /*MakeAbsolute=*/false);
    const std::string Own = "/proc/self/fd/" + std::to_string(Fd);
    if (::linkat(AT_FDCWD, Own.c_str(), AT_FDCWD, Unique.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      return fail(errno);
    Partial = Unique.str().str();
  }
  // Some file systems notice only here that there is no room.
  if (::close(std::exchange(Fd, -1)) != 0)
    return fail(errno);
  if (Target.empty())
    return Error::success();
  if (std::error_code Error = sys::fs::rename(Partial, Target))
    return fail(Error.value());
  Partial.clear();
  return Error::success();
}

Error OutputFile::writeAndKeep(function_ref<void(raw_ostream &)> Write) {
  raw_fd_ostream Out(Fd, /*shouldClose=*/false);
  Write(Out);
  Out.flush();
  if (const std::error_code Code = Out.error()) {
    Out.clear_error();
    return fail(Code.value());
  }
  return keep();
}

Error writeOutput(StringRef Path, function_ref<void(raw_ostream &)> Write) {
  Expected<OutputFile> Output = OutputFile::create(Path);
  if (!Output)
    return Output.takeError();
  return Output->writeAndKeep(Write);
}

} // namespace wavelane::files
