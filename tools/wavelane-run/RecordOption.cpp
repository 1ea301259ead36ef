//===-- RecordOption.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordOption.h"

#include "wavelane/Protocol/Device/RunOptions.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace wavelane::simulator;

Error RecordOption::take(StringRef Name, StringRef Value) {
  if (Name == "--record") {
    SmallString<256> Path(Value);
    if (Value.empty() || sys::fs::make_absolute(Path))
      return createStringError("--record needs a file");
    File = Path.str().str();
    return Error::success();
  }
  uint64_t MiB = 0;
  if (Value.getAsInteger(10, MiB) || !MiB || MiB > MostRecordLimit)
    return createStringError("--record-limit must be a number of MiB up to " +
                             Twine(MostRecordLimit));
  Limit = Value.str();
  return Error::success();
}

Error RecordOption::begin() {
  const int Fd = open(File.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (Fd < 0)
    return createStringError(File + ": " + strerror(errno));
  struct stat Info = {};
  const bool IsRegular = fstat(Fd, &Info) == 0 && S_ISREG(Info.st_mode);
  close(Fd);
  if (!IsRegular)
    return createStringError(File + ": not a regular file");
  Before = Info.st_ino;
  setenv(RecordVariable, File.c_str(), 1);
  if (!Limit.empty())
    setenv(RecordLimitVariable, Limit.c_str(), 1);
  return Error::success();
}

void RecordOption::end() const {
  // The device holds the file's lock until it has written it.
  const int Fd = open(File.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return; // the device has said why
  while (flock(Fd, LOCK_SH) != 0 && errno == EINTR)
    ;
  close(Fd);
  struct stat Info = {};
  if (stat(File.c_str(), &Info) != 0)
    return; // likewise
  if (Info.st_ino != Before) {
    fprintf(stderr, "wavelane-run: 'lldb -c %s' opens the recording\n",
            File.c_str());
    return;
  }
  fprintf(stderr, "wavelane-run: nothing was recorded%s\n",
          Info.st_size ? "; the file has an older recording" : "");
  if (!Info.st_size)
    unlink(File.c_str());
}
