//===-- WaveFrame.h - what the unwinder knows of a frame --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_WAVEFRAME_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_WAVEFRAME_H

#include "CallFrameSection.h"
#include "FunctionUnwind.h"

#include <memory>
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

struct WaveFrame {
  lldb::addr_t pc = 0;
  lldb::addr_t cfa = 0;
  bool guess = false;
  bool caller_is_guess = false;
  bool is_kernel = false;
  /// Its call-frame information, which takes precedence if there is any.
  std::shared_ptr<CallFrameSection> call_frames;
  std::optional<::wavelane::location::CallFrameRow> rules;
  /// Whether its code could be analyzed.
  bool has_row = false;
  /// How this frame saves its caller's registers.
  FunctionUnwind::Row row;
  /// The function's stack pointer at its entry, in the unit of s32.
  std::optional<uint64_t> entry_sp;
};

/// The frames found so far, youngest first.
using WaveFrames = std::vector<WaveFrame>;

/// A set of lanes, a bit each, as far as they are known.
struct LaneMask {
  uint64_t lanes = 0;
  uint64_t known = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
