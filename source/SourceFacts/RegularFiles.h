//===-- RegularFiles.h - a file system without devices ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_SOURCEFACTS_REGULARFILES_H
#define WAVELANE_SOURCE_SOURCEFACTS_REGULARFILES_H

#include "llvm/Support/VirtualFileSystem.h"

namespace wavelane::source {

/// The machine's regular files and folders: a pipe or a device that debug
/// information or an `#include` names has no end.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> makeRegularFiles();

} // namespace wavelane::source

#endif // WAVELANE_SOURCE_SOURCEFACTS_REGULARFILES_H
