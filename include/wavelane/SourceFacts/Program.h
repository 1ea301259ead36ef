//===-- Program.h - what clang knows of a program's source ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of a program are never written after their initializers, what
// initializes them, and what calls pass, read by clang with the options that
// the program was compiled with. Source that clang reports an error in, or that
// isn't what was compiled, says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCEFACTS_PROGRAM_H
#define WAVELANE_SOURCEFACTS_PROGRAM_H

#include "wavelane/SourceFacts/Functions.h"
#include "wavelane/SourceFacts/Request.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace wavelane::source {

class Program {
public:
  /// Reads a file, and what it includes.
  /// \param[in] IsLikely  As if no option of an unknown command mattered: for
  ///     what only warns.
  /// \return A header that isn't found is an error whose code is
  ///     std::errc::no_such_file_or_directory.
  static llvm::Expected<std::unique_ptr<Program>> read(const Request &From,
                                                       bool IsLikely = false);

  /// \param[in] Name  As the linker knows it.
  /// \return Null for an unknown function.
  const Function *find(llvm::StringRef Name) const;
  /// Whether a static variable is `__shared__`.
  bool isShared(llvm::StringRef Name, unsigned Line) const {
    return Tables.Shared.contains((Name + ":" + llvm::Twine(Line)).str());
  }

private:
  ProgramTables Tables;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_PROGRAM_H
