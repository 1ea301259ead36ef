//===-- WordTable.h - the entries of Words.def ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_WORDS_WORDTABLE_H
#define WAVELANE_COMMANDS_WORDS_WORDTABLE_H

#include "WordActions.h"

namespace lldb_private {
namespace wavelane {

struct Word {
  const char *name, *pattern;
  const char *commands; ///< lines, with \1 and so on; or null
  const char *text;     ///< of an error, or what the action does
  WordAction *action;   ///< may be null
};

llvm::ArrayRef<Word> GetWords();

} // namespace wavelane
} // namespace lldb_private

#endif
