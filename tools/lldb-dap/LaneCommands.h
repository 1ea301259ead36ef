//===-- LaneCommands.h - The output of `thread lane` ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_LANECOMMANDS_H
#define WAVELANE_TOOLS_LLDB_DAP_LANECOMMANDS_H

#include "Core/Record/LaneRecord.h"
#include "lldb/API/SBCommandReturnObject.h"
#include "lldb/API/SBFrame.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace lldb_dap::wavelane {

// The commands print these as JSON.
using lldb_private::wavelane::LaneFrame;
using lldb_private::wavelane::LaneList;
using lldb_private::wavelane::LaneRecord;
using lldb_private::wavelane::LanesFound;
using lldb_private::wavelane::LaneStack;
using lldb_private::wavelane::LaneValue;
using lldb_private::wavelane::LaneValues;

/// What a command has printed, or its error without "error: ".
llvm::Expected<std::string> TakeText(lldb::SBCommandReturnObject result);

/// Runs a command for what is selected. It isn't in the history.
llvm::Expected<std::string> RunCommand(lldb::SBDebugger debugger,
                                       const std::string &command);

/// Runs a command for \p frame.
llvm::Expected<std::string> RunInFrame(lldb::SBFrame frame,
                                       const std::string &command);

/// The lanes at \p frame; nullopt if there is only one.
std::optional<LaneList> ListLanes(lldb::SBFrame frame);

/// The value of an expression, or why it has none, in each active lane or in
/// all lanes.
llvm::Expected<LaneValues> PrintInLanes(lldb::SBFrame frame,
                                        llvm::StringRef expression, bool all);

/// The active lanes in which an expression doesn't hold.
llvm::Expected<std::vector<uint32_t>>
FindLanesWithout(lldb::SBFrame frame, llvm::StringRef expression);

/// What a variable of a wave's frame is: "current", "stale" and the like, as
/// `dwarf variable` reports. nullopt for other frames.
std::optional<std::string> FindProvenance(lldb::SBFrame frame,
                                          llvm::StringRef variable);

/// The stack of \p frame's thread for its active lanes; nullopt if there is
/// only one lane, or none is active.
std::optional<LaneStack> GetWaveStack(lldb::SBFrame frame);

} // namespace lldb_dap::wavelane

#endif
