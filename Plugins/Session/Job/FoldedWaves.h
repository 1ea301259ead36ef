//===-- FoldedWaves.h - waves that do the same, as one ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_FOLDEDWAVES_H
#define WAVELANE_SESSION_JOB_FOLDEDWAVES_H

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;
class ThreadAMDGPU;

/// Waves of one kernel at the same line in the same state.
struct WaveFold {
  std::string kernel, place, state;
  /// Valid while the process is stopped. Never empty.
  std::vector<ThreadAMDGPU *> waves;
  bool selected = false;
};

/// Whether waves of different dispatches of a kernel are folded together.
enum class DispatchFolding { Together, Apart };

/// Folds the waves of a stopped GPU, in the order of their threads.
std::vector<WaveFold>
FoldWaves(ProcessAMDGPU &process,
          DispatchFolding folding = DispatchFolding::Together);

} // namespace wavelane
} // namespace lldb_private

#endif
