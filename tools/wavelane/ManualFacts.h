//===-- ManualFacts.h - what the manual says beside the help ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_MANUALFACTS_H
#define WAVELANE_TOOLS_WAVELANE_MANUALFACTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace wavelane::command {

/// An entry of a list: a command, an exit code, a variable or a file, and what
/// it is.
struct Entry {
  llvm::StringRef Name, Text;
};

/// A page of the manual, without what the program's own help says.
struct ManualFacts {
  /// "wavelane-run"
  llvm::StringRef Page;
  std::vector<Entry> Examples, ExitStatus;
  /// Names of environmentVariables(), in their order.
  std::vector<llvm::StringRef> Environment;
  std::vector<Entry> Files;
};

/// A program that isn't a command of wavelane: its page is only in the manual.
struct Program {
  llvm::StringRef Page, Summary, Usage, Description;
  /// Below the installation's folder, and what shows its options; empty if the
  /// description names where they are.
  llvm::StringRef File, Help;
};

llvm::ArrayRef<ManualFacts> manualFacts();
llvm::ArrayRef<Program> otherPrograms();

/// docs/environment.md has the same names.
llvm::ArrayRef<Entry> environmentVariables();

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_MANUALFACTS_H
