//===-- Words.h - words that a user chooses from ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDLINE_WORDS_H
#define WAVELANE_COMMANDLINE_WORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace wavelane::words {

/// The word of \a Valid that \a Word is a slip of the keyboard for; empty if it
/// is like none.
llvm::StringRef nearest(llvm::StringRef Word,
                        llvm::ArrayRef<llvm::StringRef> Valid);
/// "; did you mean 'race'?", or nothing if \a Word is like none of \a Valid.
std::string didYouMean(llvm::StringRef Word,
                       llvm::ArrayRef<llvm::StringRef> Valid);
/// "auto, amd or wavelane".
/// \param Last The word before the last one: "or".
std::string join(llvm::ArrayRef<llvm::StringRef> Valid, llvm::StringRef Last);

} // namespace wavelane::words

#endif // WAVELANE_COMMANDLINE_WORDS_H
