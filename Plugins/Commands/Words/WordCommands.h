//===-- WordCommands.h - the words of other debuggers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_WORDS_WORDCOMMANDS_H
#define WAVELANE_COMMANDS_WORDS_WORDCOMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;
class Debugger;

namespace wavelane {

/// Adds the commands of Words.def that aren't there, `b PLACE if CONDITION` and
/// `p ARRAY@COUNT`. Aliases and commands of a user's own may replace them.
void AddWords(Debugger &debugger);

/// `wavelane aliases`, which lists them.
lldb::CommandObjectSP MakeAliasesCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
