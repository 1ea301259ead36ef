//===-- FoldedWaves.h - waves that do the same, as one ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_JOB_FOLDEDWAVES_H
#define WAVELANE_DEBUGGER_JOB_FOLDEDWAVES_H

#include <cstdint>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// Waves of one kernel at the same line in the same state.
struct WaveFold {
  std::string kernel, place, state;
  /// The numbers that `thread select` takes.
  std::vector<uint32_t> threads;
  bool selected = false;
};

/// Folds the waves of a stopped GPU, in the order of their threads.
std::vector<WaveFold> FoldWaves(ProcessAMDGPU &process);

} // namespace wavelane
} // namespace lldb_private

#endif
