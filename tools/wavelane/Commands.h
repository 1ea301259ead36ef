//===-- Commands.h - the commands of wavelane -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command is an object of LLVM's command line: it registers its options
// itself. Help, manual and completions are made from what is registered.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TOOLS_WAVELANE_COMMANDS_H
#define WAVELANE_TOOLS_WAVELANE_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

namespace wavelane::command {

/// The options of all commands.
extern llvm::cl::OptionCategory Category;

/// A command whose arguments go to another program of the installation, which
/// has the help on them, too.
struct Forwarded {
  const char *Name, *Summary;
  /// The program, and what its arguments begin with.
  const char *Program;
  std::vector<std::string> First;
  /// The argument that shows its options.
  const char *Help;
  const char *Usage;
};
llvm::ArrayRef<Forwarded> forwarded();

// Each returns the exit code.
int runCompile();
int runDoctor();
int runHelp();
int runReport();

extern llvm::cl::SubCommand Compile, Doctor, Help, ReportPage;

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_COMMANDS_H
