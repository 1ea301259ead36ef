//===-- SourceFiles.h - source files that LLDB can read ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information names its source files, and may name a pipe, which is
// waited for forever, a device, which has no end, or a file of many gigabytes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_SUPPORT_SOURCEFILES_H
#define WAVELANE_CORE_SUPPORT_SOURCEFILES_H

namespace lldb_private {
namespace wavelane {

/// From now on, LLDB shows no text of such files. To be called before any
/// target exists, because it changes the file system that LLDB's threads use.
void LimitSourceFiles();

} // namespace wavelane
} // namespace lldb_private

#endif // WAVELANE_CORE_SUPPORT_SOURCEFILES_H
