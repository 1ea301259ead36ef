//===-- MacroWatch.h - source that depends on options -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a program's compile command isn't known, a macro that its source asks for
// may have been defined there.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCE_SOURCEFACTS_MACROWATCH_H
#define WAVELANE_SOURCE_SOURCEFACTS_MACROWATCH_H

#include <memory>
#include <string>

namespace clang {
class PPCallbacks;
class Preprocessor;
} // namespace clang

namespace wavelane::source {

/// Watches the conditions in the program's own files.
/// \param[out] Unknown  A macro whose value only the command defines.
std::unique_ptr<clang::PPCallbacks> makeMacroWatch(clang::Preprocessor &PP,
                                                   std::string &Unknown);

} // namespace wavelane::source

#endif // WAVELANE_SOURCE_SOURCEFACTS_MACROWATCH_H
