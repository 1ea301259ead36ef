//===-- CommandOverrides.h - what happens before a command ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_BASE_COMMANDOVERRIDES_H
#define WAVELANE_COMMANDS_BASE_COMMANDOVERRIDES_H

#include "lldb/lldb-private-types.h"

namespace lldb_private {
class CommandObject;
class CommandReturnObject;

namespace wavelane {

/// Calls \a callback before LLDB's \a command, which isn't run if it returns
/// true, and before earlier callbacks, which aren't called then. The callback
/// of a script (SBCommandInterpreter:: SetCommandOverrideCallback) is called
/// before it.
void OverrideCommand(CommandObject &command,
                     CommandOverrideCallbackWithResult callback, void *baton);

/// In a callback of OverrideCommand(): runs LLDB's own command. \a argv are the
/// words of the command, as the callback gets them.
void RunOverridden(const char *const *argv, CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
