//===-- LaneCommands.h - the commands `thread lane ...` ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_LANE_LANECOMMANDS_H
#define WAVELANE_COMMANDS_LANE_LANECOMMANDS_H

#include "Commands/Base/CommandUtil.h"

namespace lldb_private {
namespace wavelane {

lldb::CommandObjectSP MakeLaneApplyCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeLaneBacktraceCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeLaneFindCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeLaneInfoCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeLaneListCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeLaneNameCommand(CommandInterpreter &interpreter);
/// `thread lane next`, else `thread lane previous`.
lldb::CommandObjectSP MakeLaneStepCommand(CommandInterpreter &interpreter,
                                          bool forward);
lldb::CommandObjectSP MakeLanePrintCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeLaneSelectCommand(CommandInterpreter &interpreter);

constexpr OptionDefinition GridSwitch =
    Switch("grid", 'g',
           "Draw the lanes as a grid (default in a terminal with colors).");
constexpr OptionDefinition NoGridSwitch =
    Switch("no-grid", 'n', "Don't draw a grid.");
/// Whether a command with these two options draws a grid.
bool WantsGrid(const SimpleOptions &options, CommandInterpreter &interpreter);

/// Makes \a lane, which must exist, the focus lane, and describes it.
void SelectLane(LaneView &view, uint32_t lane, CommandReturnObject &result);

/// A description of a lane, without a line's end.
std::string DescribeLane(const LaneView &view, uint32_t lane);

/// Warns if the frame lacks the thread's focus lane.
void WarnOfMovedFocus(const LaneView &view, CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
