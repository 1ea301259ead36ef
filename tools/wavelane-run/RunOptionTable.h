//===-- RunOptionTable.h - the options of wavelane-run ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_RUN_RUNOPTIONTABLE_H
#define WAVELANE_TOOLS_WAVELANE_RUN_RUNOPTIONTABLE_H

#include "wavelane/CommandLine/ProgramOption.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

/// What an option is about.
enum class RunSubject { Run, Schedule, Record, Check, Count };

struct RunOption : wavelane::commandline::ProgramOption {
  RunSubject Subject;
};

/// In the order of the help: those of a subject follow each other.
llvm::ArrayRef<RunOption> runOptions();
/// \return Null if there is no such option.
const RunOption *findRunOption(llvm::StringRef Name);

#endif // WAVELANE_TOOLS_WAVELANE_RUN_RUNOPTIONTABLE_H
