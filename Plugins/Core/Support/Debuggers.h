//===-- Debuggers.h - what is to be done in every debugger ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_DEBUGGERS_H
#define WAVELANE_CORE_SUPPORT_DEBUGGERS_H

#include <functional>

namespace lldb_private {
class Debugger;

namespace wavelane {

/// Calls \a callback with every debugger, existing and future. It may be called
/// twice for one.
void ForEachDebugger(std::function<void(Debugger &)> callback);

/// Called by the plugins that LLDB notifies of new debuggers.
void DebuggerWasCreated(Debugger &debugger);

} // namespace wavelane
} // namespace lldb_private

#endif
