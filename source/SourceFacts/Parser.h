//===-- Parser.h - parses a program's source --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_SOURCEFACTS_PARSER_H
#define WAVELANE_SOURCE_SOURCEFACTS_PARSER_H

#include "wavelane/SourceFacts/Request.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace wavelane::source {

/// What is asked of source.
enum class Question {
  /// What it means: source with an error, or whose meaning isn't certain, has
  /// no answer.
  Meaning,
  /// What it means if no option changes that.
  LikelyMeaning,
  /// Which statements its text has: where clang finds an error, it goes on.
  Text
};

/// Parses a file, and what it includes, and gives the syntax tree to \p Take.
/// Source that isn't what was compiled is an error.
llvm::Error parse(const Request &From, Question What,
                  llvm::function_ref<void(clang::ASTContext &)> Take);

} // namespace wavelane::source

#endif // WAVELANE_SOURCE_SOURCEFACTS_PARSER_H
