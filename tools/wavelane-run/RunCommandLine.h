//===-- RunCommandLine.h - the options of wavelane-run ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_RUN_RUNCOMMANDLINE_H
#define WAVELANE_TOOLS_WAVELANE_RUN_RUNCOMMANDLINE_H

#include "CheckedRun.h"
#include "RecordOption.h"
#include "ScheduleRun.h"

#include "wavelane/GPU/Processors.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <vector>

/// What the user wants. What the device reads of it is in the environment,
/// which the program inherits.
class RunCommandLine {
public:
  /// Reads the options before the program, then the environment, and
  /// checks that they go together.
  llvm::Error read(int Count, char **Arguments);
  /// Checks the number of compute units, once it is known what runs.
  llvm::Error checkUnits(const wavelane::runtimechoice::Choice &Choice);

  bool WantsHelp = false;
  bool Explains = false;
  wavelane::runtimechoice::Runtime Runtime =
      wavelane::runtimechoice::Runtime::Auto;
  std::vector<const wavelane::gpu::Processor *> Processors;
  CheckedRun Checked;
  ScheduleRun Scheduled;
  RecordOption Record;
  /// The program and its arguments, null-terminated.
  char **Program = nullptr;

private:
  /// Takes an option that has no value.
  /// \return Whether it is one.
  bool takeFlag(llvm::StringRef Name);
  llvm::Error takeValue(llvm::StringRef Name, const char *Value);
  llvm::Error readEnvironment();
  llvm::Error checkCombination() const;

  /// The arguments, with "--name=value" as two words.
  std::vector<char *> Words;
  bool Verifies = false;
  const char *UnitsFrom = "WAVELANE_CUS";
};

/// A wrong command line.
llvm::Error wrong(const llvm::Twine &Why);

void printHelp();

#endif // WAVELANE_TOOLS_WAVELANE_RUN_RUNCOMMANDLINE_H
