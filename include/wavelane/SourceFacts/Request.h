//===-- Request.h - source to be read ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCEFACTS_REQUEST_H
#define WAVELANE_SOURCEFACTS_REQUEST_H

#include "wavelane/SourceFacts/Command.h"
#include <functional>
#include <string>

namespace wavelane::source {

/// Source to be read.
struct Request {
  Command How;
  std::string File;
  /// Such as "gfx90a"; empty for the host.
  std::string GPU;
  /// The lanes of a wave.
  unsigned LaneCount = 64;
  /// Clang's own headers.
  std::string ResourceFolder;
  /// Whether a file of the program's own is what was compiled.
  std::function<bool(llvm::StringRef Path, llvm::StringRef Text)> IsAsCompiled;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_REQUEST_H
