//===-- LibraryFrames.h - frames that aren't the user's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_LIBRARYFRAMES_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_LIBRARYFRAMES_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
namespace wavelane {

/// Makes a target hide frames of library code (Support/LibraryCode.h) that were
/// called from the user's code; a stop in one selects the user's frame. Does
/// nothing if called again.
void HideLibraryFrames(Target &target);

} // namespace wavelane
} // namespace lldb_private

#endif
