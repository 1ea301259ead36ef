//===-- SourceFile.h - where a program's source is --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -fdebug-compilation-dir=. or -ffile-prefix-map=DIR=. debug information
// names files relatively, to nothing that is known: they are looked for in the
// program's folder, then in the current one.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_FILES_SOURCEFILE_H
#define WAVELANE_FORMATS_FILES_SOURCEFILE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace wavelane::files {

/// The folder in which a relative name is that of a file.
/// \param Program  The program's file; empty if it has none.
/// \return An absolute path; empty if there is none, or \p Name is absolute.
std::string findSourceFolder(llvm::StringRef Name, llvm::StringRef Program);

/// Finds a file that debug information names.
/// \return An absolute path; \p Name if that is absolute, or isn't found.
std::string findSource(llvm::StringRef Name, llvm::StringRef Program);

} // namespace wavelane::files

#endif // WAVELANE_FORMATS_FILES_SOURCEFILE_H
