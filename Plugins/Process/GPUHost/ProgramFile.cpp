//===-- ProgramFile.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgramFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <climits>
#include <unistd.h>

using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool HaveSameContents(const std::string &first,
                             const std::string &second) {
  auto map = [](const std::string &path) {
    return llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                       /*RequiresNullTerminator=*/false);
  };
  auto one = map(first), other = map(second);
  return one && other && (*one)->getBuffer() == (*other)->getBuffer();
}

std::optional<ChangedProgram> wavelane::FindChangedProgram(lldb::pid_t pid) {
  const std::string link = llvm::formatv("/proc/{0}/exe", pid);
  char target[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
  if (size <= 0 || size == ssize_t(sizeof target))
    return std::nullopt;
  llvm::StringRef path(target, size_t(size));
  // A file's own name may end like this, too.
  if (llvm::sys::fs::exists(path) || !path.consume_back(" (deleted)"))
    return std::nullopt;
  ChangedProgram changed{path.str(), !llvm::sys::fs::exists(path),
                         FileSpec(link)};
  if (!changed.is_missing && HaveSameContents(changed.path, link))
    return std::nullopt;
  return changed;
}

bool wavelane::HasGoneWithProcess(llvm::StringRef path) {
  const std::string whole = path.str();
  uint64_t pid;
  return path.consume_front("/proc/") && path.consume_back("/exe") &&
         !path.getAsInteger(10, pid) && !llvm::sys::fs::exists(whole);
}
