//===-- WordTable.h - the entries of Words.def ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_WORDS_WORDTABLE_H
#define WAVELANE_COMMANDS_WORDS_WORDTABLE_H

#include "WordActions.h"

namespace lldb_private {
namespace wavelane {

/// One of the last three is set.
struct Word {
  const char *name, *pattern;
  const char *commands; ///< lines, with \1 and so on
  const char *hint;
  WordAction *action;
};

llvm::ArrayRef<Word> GetWords();

} // namespace wavelane
} // namespace lldb_private

#endif
