//===-- Completions.h - what LLDB's completion leaves out -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_OVERRIDES_COMPLETIONS_H
#define WAVELANE_COMMANDS_OVERRIDES_COMPLETIONS_H

namespace lldb_private {
class CommandInterpreter;
class CompletionRequest;

namespace wavelane {

/// `breakpoint set` completes its condition by the language's built-in
/// variables, and functions by the names of the program's other side.
void ExtendCompletions(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
