//===-- WaveStatusline.h - waves on LLDB's status line ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_STATUSLINE_WAVESTATUSLINE_H
#define WAVELANE_PLUGINS_STATUSLINE_WAVESTATUSLINE_H

namespace lldb_private {
class Debugger;

namespace wavelane {

/// The item of a wave's thread information that the status line shows: its name
/// with the focus lane.
inline constexpr char kShownName[] = "shown_name";

/// Puts that item into the status line's format, unless the user has set one.
void AddWaveToStatusline(Debugger &debugger);

/// Draws the status line anew for what is selected, once the debugger's thread
/// has handled the events that have come by now. LLDB shows the process that it
/// had the last event of. Does nothing where no such thread runs.
void RedrawStatuslineForSelected(Debugger &debugger);

} // namespace wavelane
} // namespace lldb_private

#endif
