//===-- ScheduleRun.h - runs a program in other orders ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_RUN_SCHEDULERUN_H
#define WAVELANE_TOOLS_WAVELANE_RUN_SCHEDULERUN_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

/// The options --schedule and --tries.
class ScheduleRun {
public:
  bool isWanted() const { return Kind != None; }
  /// Whether it is more than one run.
  bool isSearch() const { return Kind == Random || Kind == Chaos; }
  /// \return false if there is --tries and nothing to try.
  bool isComplete() const { return !HasTries || isSearch(); }
  llvm::Error take(llvm::StringRef Name, llvm::StringRef Value);

  /// What a run of the program was.
  struct Outcome {
    bool HasRun = false; ///< it was started
    int ExitCode = 0;
    uint64_t Findings = 0; ///< of checks
  };
  /// Runs the program with the number, and prints it; or with several, until
  /// one differs from the usual one.
  /// \param Run Runs it once, in the schedule of the environment.
  /// \return The exit code.
  int run(llvm::function_ref<Outcome()> Run) const;

private:
  int search(llvm::function_ref<Outcome()> Run) const;

  enum { None, One, Random, Chaos } Kind = None;
  uint64_t Number = 0;
  uint64_t Tries = 10;
  bool HasTries = false;
};

#endif // WAVELANE_TOOLS_WAVELANE_RUN_SCHEDULERUN_H
