//===-- EntryLanes.h - with which lanes functions were entered --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_ENTRYLANES_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_ENTRYLANES_H

#include "LaneFlow.h"

#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

class UnwindAMDGPU;

/// Where the lanes of a wave that are off go on, and with which lanes the
/// function of each frame was entered: found by following the lanes from the
/// youngest frame on through its callers (LaneFlow.h).
class EntryLanes {
public:
  explicit EntryLanes(UnwindAMDGPU &unwind) : m_unwind(unwind) {}

  /// Some lanes, a bit each, as far as is known.
  struct Mask {
    uint64_t lanes = 0;
    uint64_t known = 0;
  };
  /// The lanes that were active when the function of a frame was entered.
  Mask Get(uint32_t frame_idx);

  /// \return Whether all lanes have been found by this frame.
  bool FollowThrough(uint32_t frame_idx) {
    Get(frame_idx);
    return m_waiting == 0;
  }
  /// What becomes of each lane that isn't active, as far as it was followed.
  const std::vector<LaneFlow::Fate> &GetFates() const { return m_fates; }

  void Clear() {
    m_entered.clear();
    m_fates.clear();
  }

private:
  class Frame;

  /// Follows the lanes through the next of the frames that are known.
  void Follow();
  /// The lanes at entry where the function still has them.
  std::optional<uint64_t> GetKept(uint32_t frame_idx);

  UnwindAMDGPU &m_unwind;
  /// Of the frames that lanes have been followed through so far.
  std::vector<Mask> m_entered;
  /// Those that haven't been found to go on yet.
  uint64_t m_waiting = 0;
  bool m_following = false;
  std::vector<LaneFlow::Fate> m_fates;
};

} // namespace wavelane
} // namespace lldb_private

#endif
