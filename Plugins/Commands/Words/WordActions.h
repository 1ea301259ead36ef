//===-- WordActions.h - words that are more than a command ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_WORDS_WORDACTIONS_H
#define WAVELANE_COMMANDS_WORDS_WORDACTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;

namespace wavelane {

/// \param groups  What is typed behind the word, and what the groups of its
///                pattern in Words.def match.
using WordAction = void(CommandInterpreter &interpreter,
                        llvm::ArrayRef<llvm::StringRef> groups,
                        CommandReturnObject &result);

/// `thread apply all|1-3 5 COMMAND`: the command for each thread.
WordAction ApplyToThreads;
/// `inferior 2`: LLDB counts its targets from 0.
WordAction SelectInferior;
/// `cuda block 3 thread (17,0,0)`, `cuda warp 1 lane 2`; without numbers, where
/// the focus is.
WordAction SelectCUDA;
/// `condition 2 i == 5`; without a condition, none any more.
WordAction SetCondition;
/// `handle SIGSEGV SIGILL nostop noprint pass`: for the program and for waves.
WordAction HandleSignals;
/// `catch hiperr [if CONDITION]`, `tcatch hiperr`.
WordAction CatchHIPErrors, CatchHIPErrorOnce;
/// `set var i = 3`; `set var $a = 3` makes $a if it is new.
WordAction SetVariable;
/// `watch x`, `watch -l *p`.
WordAction WatchWrites, WatchReads, WatchAccesses;
/// `ptype x`, `ptype struct S`, `whatis x`.
WordAction PrintType, PrintTypeName;

} // namespace wavelane
} // namespace lldb_private

#endif
