//===-- Ids.h - The numbers by which a client knows threads and frames ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_IDS_H
#define WAVELANE_TOOLS_LLDB_DAP_IDS_H

#include <cstdint>
#include <optional>

namespace lldb_dap::wavelane {

/// A thread or a frame of a session with several targets. Clients keep numbers
/// of 53 bits: LLDB's number has the low 40, the lane 8, the target 4, and the
/// last one tells of a thread that stands for those that aren't listed.
struct ClientId {
  static constexpr uint32_t InvalidTarget = UINT32_MAX;
  static constexpr uint32_t MaxTarget = 15;
  static constexpr uint32_t MaxLane = 254;

  /// LLDB's number of the thread or of the frame.
  uint64_t lldb_id = 0;
  uint32_t target = 0;
  /// Of a thread or frame that stands for one lane of its thread.
  std::optional<uint32_t> lane = std::nullopt;
  bool is_fold = false;

  uint64_t Encode() const {
    return (lldb_id & LLDBMask) | uint64_t(lane ? *lane + 1 : 0) << LaneShift |
           uint64_t(target) << TargetShift | uint64_t(is_fold) << FoldShift;
  }

  static ClientId Decode(uint64_t number) {
    ClientId id;
    if (number >> (FoldShift + 1)) {
      id.target = InvalidTarget;
      return id;
    }
    id.lldb_id = number & LLDBMask;
    id.target = number >> TargetShift & MaxTarget;
    if (const uint32_t lane = number >> LaneShift & 0xff)
      id.lane = lane - 1;
    id.is_fold = number >> FoldShift;
    return id;
  }

private:
  static constexpr unsigned LaneShift = 40, TargetShift = 48, FoldShift = 52;
  static constexpr uint64_t LLDBMask = (uint64_t(1) << LaneShift) - 1;
};

} // namespace lldb_dap::wavelane

#endif
