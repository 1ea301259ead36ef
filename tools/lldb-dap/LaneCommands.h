//===-- LaneCommands.h - What the commands `thread lane` tell -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_LANECOMMANDS_H
#define WAVELANE_TOOLS_LLDB_DAP_LANECOMMANDS_H

#include "lldb/API/SBFrame.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_dap::wavelane {

/// Runs a command for \p frame.
llvm::Expected<std::string> RunInFrame(lldb::SBFrame frame,
                                       const std::string &command);

struct LaneInfo {
  uint32_t number;
  bool is_active;
  /// "active, work-item (17,0,0), saxpy.hip:13:5"
  std::string description;
};

struct LaneList {
  uint32_t focus;
  std::vector<LaneInfo> lanes;
};

/// The lanes at \p frame; nullopt where there is one only.
std::optional<LaneList> ListLanes(lldb::SBFrame frame);

struct LaneValue {
  uint32_t lane;
  bool is_active;
  std::string text;
};

/// The value of an expression, or why it has none, in each active lane or in
/// all lanes.
llvm::Expected<std::vector<LaneValue>>
PrintInLanes(lldb::SBFrame frame, llvm::StringRef expression, bool all);

} // namespace lldb_dap::wavelane

#endif
