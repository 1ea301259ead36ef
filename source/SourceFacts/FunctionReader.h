//===-- FunctionReader.h - the facts of functions ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_SOURCEFACTS_FUNCTIONREADER_H
#define WAVELANE_SOURCE_SOURCEFACTS_FUNCTIONREADER_H

#include "wavelane/SourceFacts/Functions.h"
#include "clang/AST/ASTContext.h"

namespace wavelane::source {

/// Fills a program's tables from a file that clang has parsed.
class Reader {
public:
  Reader(clang::ASTContext &Context, ProgramTables &Into)
      : Context(Context), Into(Into) {}

  void read();

private:
  class Visitor;

  clang::ASTContext &Context;
  ProgramTables &Into;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCE_SOURCEFACTS_FUNCTIONREADER_H
