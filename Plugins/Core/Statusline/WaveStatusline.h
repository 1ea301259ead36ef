//===-- WaveStatusline.h - waves on LLDB's status line ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_STATUSLINE_WAVESTATUSLINE_H
#define WAVELANE_CORE_STATUSLINE_WAVESTATUSLINE_H

namespace lldb_private {
class Debugger;

namespace wavelane {

/// The item of a wave's thread information that the status line shows: its name
/// with the focus lane.
inline constexpr char kShownName[] = "shown_name";

/// Puts that item into the status line's format, unless the user has set one.
void AddWaveToStatusline(Debugger &debugger);

/// Redraws the status line for the selected thread, once the debugger's thread
/// has handled all pending events: LLDB itself shows the process of the last
/// event. Does nothing if there is no such thread.
void RedrawStatuslineForSelected(Debugger &debugger);

} // namespace wavelane
} // namespace lldb_private

#endif
