//===-- HipImports.h - which functions of HIP a program needs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_RUNTIMECHOICE_HIPIMPORTS_H
#define WAVELANE_RUNTIMECHOICE_HIPIMPORTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace wavelane::runtimechoice {

struct HipImport {
  std::string Function;
  std::string File; ///< the path of what imports it
};

/// The first function that one of \a Files imports, the library \a Theirs has,
/// and \a Ours hasn't or only refuses (UnsupportedHip.def). nullopt if there is
/// none, or if \a Ours can't be read. All are paths; files that can't be read
/// import nothing.
std::optional<HipImport> findUnsupported(llvm::ArrayRef<std::string> Files,
                                         llvm::StringRef Theirs,
                                         llvm::StringRef Ours);

} // namespace wavelane::runtimechoice

#endif // WAVELANE_RUNTIMECHOICE_HIPIMPORTS_H
