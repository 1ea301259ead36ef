//===-- CommandHelp.h - what is known of a command --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Help, manual and completions are written from it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TOOLS_WAVELANE_COMMANDHELP_H
#define WAVELANE_TOOLS_WAVELANE_COMMANDHELP_H

#include "wavelane/CommandLine/ProgramOption.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace wavelane::command {

using OptionHelp = commandline::ProgramOption;

struct CommandHelp {
  std::string Name, Summary, Usage;
  std::vector<OptionHelp> Options;
  /// The help of the program that executes it; empty for our own.
  std::string More;
};

/// Writes a page of the manual for each command, and for each program of an
/// installation that isn't a command.
/// \return the exit code; an error is printed.
int writeManual(const std::string &Folder, llvm::ArrayRef<CommandHelp> All);

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_COMMANDHELP_H
