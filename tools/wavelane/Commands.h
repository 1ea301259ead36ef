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

/// Whether an option stands before the program among a forwarded command's
/// arguments: what follows the program is the program's own.
bool hasOption(const Forwarded &Command, llvm::ArrayRef<std::string> Arguments,
               llvm::StringRef Name);

/// The arguments of `wavelane compile` in the order in which runCompile() wants
/// them: its own options, the source file, the compiler's arguments. Without a
/// source file there are its own options only.
std::vector<std::string> orderForCompile(llvm::ArrayRef<std::string> Arguments);

/// The exit code of a command line that is wrong.
constexpr int UsageError = 2;

// Each returns the exit code.
int runCompile();
int runDoctor();
int runHelp();
/// Describes a command, or lists them all if there is no name.
int printHelpOn(llvm::StringRef Name);
/// "; did you mean 'check'?" of a name that is no command; may be empty.
std::string likeCommand(llvm::StringRef Name);
/// Describes a program that isn't a command, such as wavelane-lldb-mcp.
int printHelpOnProgram(llvm::StringRef Page);
int runReport();
int runTutorial();
int runWhyNot();

extern llvm::cl::SubCommand Compile, Doctor, Help, ReportPage, Tutorial, WhyNot;

/// Those above in the order in which help lists them.
llvm::ArrayRef<llvm::cl::SubCommand *> ownCommands();

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_COMMANDS_H
