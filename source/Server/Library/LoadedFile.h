//===-- LoadedFile.h - the file of a running program's code -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_LOADEDFILE_H
#define WAVELANE_SERVER_LIBRARY_LOADEDFILE_H

#include "wavelane/Formats/CoreFile/LoadedImage.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <sys/types.h>

namespace wavelane::server {

/// Whether the file \p path may have changed since the process \p pid began:
/// it is missing, or its inode's change time (stat(2)) is later.
bool MayHaveChanged(const std::string &path, pid_t pid);

/// Whether the code object with the file's bytes \p contents is the one that is
/// loaded at \p base: the segments that nobody writes are the same. Of large
/// ones, the first megabyte is compared.
bool IsLoaded(llvm::StringRef contents, uint64_t base,
              corefile::ReadMemory read);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_LOADEDFILE_H
