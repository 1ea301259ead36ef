//===-- ProgramFile.h - an attached program's file --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_GPUHOST_PROGRAMFILE_H
#define WAVELANE_PLUGINS_PROCESS_GPUHOST_PROGRAMFILE_H

#include "lldb/Utility/FileSpec.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// A program whose file was deleted or replaced while it runs.
struct ChangedProgram {
  /// The file that it was started from.
  std::string path;
  bool is_missing;
  /// What the kernel keeps of that file, /proc/PID/exe (proc_pid_exe(5)). It
  /// can be opened while the program runs.
  FileSpec running;
};

/// Looks for the file of a process of this machine.
/// \return std::nullopt if the file, or one with the same contents, is where it
///     was, or has been moved.
std::optional<ChangedProgram> FindChangedProgram(lldb::pid_t pid);

/// Whether \p path is what \c ChangedProgram::running named, of a process that
/// has ended.
bool HasGoneWithProcess(llvm::StringRef path);

} // namespace wavelane
} // namespace lldb_private

#endif
