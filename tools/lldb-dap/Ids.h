//===-- Ids.h - The numbers by which a client knows threads and frames ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_IDS_H
#define WAVELANE_TOOLS_LLDB_DAP_IDS_H

#include <cstdint>
#include <optional>

namespace lldb_dap::wavelane {

/// A thread or a frame of a session with several targets. Clients keep numbers
/// of 53 bits, those in Lua (Neovim) 14 decimal digits. From the lowest bit:
/// LLDB's number has 32, then one marks a thread that represents those that
/// aren't listed, the target has 4, the lane 8, and 8 more are LLDB's again:
/// only frames of a session with thousands of threads need them.
struct ClientId {
  static constexpr uint32_t InvalidTarget = UINT32_MAX;
  static constexpr uint32_t MaxTarget = 15;
  static constexpr uint32_t MaxLane = 254;

  /// LLDB's number of the thread or of the frame.
  uint64_t lldb_id = 0;
  uint32_t target = 0;
  /// A thread or frame that represents one lane of its thread.
  std::optional<uint32_t> lane = std::nullopt;
  bool is_fold = false;

  uint64_t Encode() const {
    return (lldb_id & LowMask) | uint64_t(is_fold) << FoldShift |
           uint64_t(target) << TargetShift |
           uint64_t(lane ? *lane + 1 : 0) << LaneShift |
           (lldb_id >> LowBits & 0xff) << HighShift;
  }

  static ClientId Decode(uint64_t number) {
    ClientId id;
    if (number >> (HighShift + 8)) {
      id.target = InvalidTarget;
      return id;
    }
    id.lldb_id = (number & LowMask) | (number >> HighShift) << LowBits;
    id.target = number >> TargetShift & MaxTarget;
    if (const uint32_t lane = number >> LaneShift & 0xff)
      id.lane = lane - 1;
    id.is_fold = number >> FoldShift & 1;
    return id;
  }

private:
  static constexpr unsigned LowBits = 32, FoldShift = 32, TargetShift = 33,
                            LaneShift = 37, HighShift = 45;
  static constexpr uint64_t LowMask = (uint64_t(1) << LowBits) - 1;
};

} // namespace lldb_dap::wavelane

#endif
