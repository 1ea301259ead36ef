//===-- LibraryFrames.h - frames that aren't the user's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_LIBRARYFRAMES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_LIBRARYFRAMES_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
namespace wavelane {

/// Has a target hide frames of library code (Support/LibraryCode.h) where a
/// frame of the user's called it; a stop in such a frame selects that one. Does
/// nothing the second time.
void HideLibraryFrames(Target &target);

} // namespace wavelane
} // namespace lldb_private

#endif
