//===-- EntryLanes.h - with which lanes functions were entered --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_ENTRYLANES_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_ENTRYLANES_H

#include "FrameRegisters.h"
#include "LaneFlow.h"

#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Finds where the inactive lanes of a wave continue, and with which lanes the
/// function of each frame was entered, by following the lanes from the youngest
/// frame through its callers (LaneFlow.h).
class EntryLanes {
public:
  EntryLanes(Wave &wave, const WaveFrames &frames, FrameRegisters &registers)
      : m_wave(wave), m_frames(frames), m_registers(registers) {}

  /// The lanes that were active when the function of a frame was entered.
  LaneMask Get(uint32_t frame_idx);

  /// Follows lanes up to the frame.
  /// \return Whether all lanes have been found.
  bool FollowThrough(uint32_t frame_idx) {
    Get(frame_idx);
    return m_waiting == 0;
  }
  /// The outcome of each inactive lane, as far as it was followed.
  const std::vector<LaneFlow::Outcome> &GetOutcomes() const {
    return m_outcomes;
  }

  void Clear() {
    m_entered.clear();
    m_outcomes.clear();
  }

private:
  class Frame;

  /// Follows the lanes through the next of the known frames.
  void Follow();
  /// The lanes at entry, if the function still has them.
  std::optional<uint64_t> GetKept(uint32_t frame_idx);

  Wave &m_wave;
  const WaveFrames &m_frames;
  FrameRegisters &m_registers;
  /// For the frames that lanes have been followed through so far.
  std::vector<LaneMask> m_entered;
  /// The lanes for which no continuation has been found yet.
  uint64_t m_waiting = 0;
  /// EXEC has other lanes than those that really execute.
  bool m_exec_is_temporary = false;
  bool m_following = false;
  std::vector<LaneFlow::Outcome> m_outcomes;
};

} // namespace wavelane
} // namespace lldb_private

#endif
