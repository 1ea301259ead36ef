//===-- UserHalt.h - who interrupts a process -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_USERHALT_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_USERHALT_H

#include "llvm/ADT/StringRef.h"

namespace lldb_private {
namespace wavelane {

/// Whether a process is being interrupted by Ctrl-C, `process interrupt` or a
/// script's SBProcess::Stop, rather than to detach or for the debugger's own
/// work: Process::Halt takes its events as this listener.
/// \param[in] listener Process::GetHijackingListenerName().
inline bool IsUserHalt(const char *listener) {
  return listener && listener == llvm::StringRef("lldb.process.halt_listener");
}

} // namespace wavelane
} // namespace lldb_private

#endif
