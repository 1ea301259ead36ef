//===-- CheckedRun.h - runs a program and reports findings ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_RUN_CHECKEDRUN_H
#define WAVELANE_TOOLS_WAVELANE_RUN_CHECKEDRUN_H

#include "Simulator/Check/Options.h"

#include <optional>
#include <string>

/// The options of a run with --check.
struct CheckedRun {
  wavelane::check::Options Options;
  std::string SuggestFile, JsonFile, SarifFile, HtmlFile;
  std::string LcovFile; ///< files may be empty
  std::optional<uint64_t> ErrorExitCode;

  bool isWanted() const { return Options.Checks != 0; }
  /// --count.
  void count();
  /// Takes an option, of RunSubject::Check or Count, and its value.
  llvm::Error take(llvm::StringRef Name, llvm::StringRef Value);
  /// \return Why an option has no effect, or null.
  const char *whatIsMissing() const;
  /// Runs the program, waits for it, and reports.
  /// \param Arguments Null-terminated, the program first.
  /// \param[out] HasRun Whether the program was started.
  /// \return The exit code.
  int run(char **Arguments, bool &HasRun);
  /// How many findings the last run had.
  uint64_t findings() const { return Found; }

private:
  uint64_t Found = 0;
  bool HasOption = false;
};

/// Runs a program, and waits for it.
/// \param[out] HasRun Whether it was started.
/// \return The exit code as a shell's: 128 and the signal's number.
int runProgram(char **Arguments, bool &HasRun);

/// Becomes a program.
/// \return Only if that fails, and after saying why: the exit code as a
/// shell's.
int becomeProgram(char **Arguments);

#endif // WAVELANE_TOOLS_WAVELANE_RUN_CHECKEDRUN_H
