//===-- Debuggers.h - what is to be done in every debugger ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_SUPPORT_DEBUGGERS_H
#define WAVELANE_DEBUGGER_SUPPORT_DEBUGGERS_H

#include <functional>

namespace lldb_private {
class Debugger;

namespace wavelane {

/// Calls \a callback with every debugger, those that exist and those to come.
/// It may be told of one twice.
void ForEachDebugger(std::function<void(Debugger &)> callback);

/// Said by the plugins that LLDB tells of new debuggers.
void DebuggerWasCreated(Debugger &debugger);

} // namespace wavelane
} // namespace lldb_private

#endif
