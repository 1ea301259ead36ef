//===-- Installation.h - the programs of an installation --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder that holds bin/ and lib/, which is the build folder or
// <prefix>/lib/wavelane, and its programs.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TOOLS_WAVELANE_INSTALLATION_H
#define WAVELANE_TOOLS_WAVELANE_INSTALLATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace wavelane::command {

/// The folder above the one that holds the running program, links resolved.
std::string ownFolder();

/// The path of a program of this installation, such as "lldb".
std::string ownProgram(llvm::StringRef Name);

/// What a program printed.
struct Output {
  /// The exit code; negative if it couldn't be started, or was killed.
  int Code = -1;
  /// Both outputs.
  std::string Text;
};

/// Runs a program to its end, with no input. \a Environment ("NAME=value") is
/// added to ours.
Output run(llvm::StringRef Program, llvm::ArrayRef<std::string> Arguments,
           llvm::ArrayRef<std::string> Environment = {});

/// A word as one argument of an LLDB command.
std::string quoteForLLDB(llvm::StringRef Word);

/// The libraries that the loader doesn't find for a program.
std::vector<std::string> missingLibraries(llvm::StringRef Program);

/// Names in a sentence: "a, b and c".
std::string list(llvm::ArrayRef<std::string> Names);

/// What to do about missing libraries, in one line: the packages' names.
std::string adviceForLibraries(llvm::ArrayRef<std::string> Libraries);

/// The folder to be PYTHONHOME: this installation's own Python, where the
/// system doesn't have the version that LLDB is linked with. Otherwise empty.
std::string pythonHome();

/// What keeps a program of this installation that has LLDB in it from starting,
/// and what to do, in one line: missing libraries, or a wrong PYTHONHOME.
/// Otherwise empty.
std::string faultOf(llvm::StringRef Name);

/// What LLDB's environment needs for pythonHome(), as "NAME=value".
std::vector<std::string> pythonVariables();

/// Becomes a program of this installation.
/// \return the exit code if that fails; the reason is printed.
int become(llvm::StringRef Name, llvm::ArrayRef<std::string> Arguments);

/// The same for a program of any path.
int becomeProgram(llvm::StringRef Path, llvm::ArrayRef<std::string> Arguments);

/// Prints the versions of Wavelane, LLDB and the ROCdbgapi library.
void printVersions();

/// LLDB's version, such as "1.2.3"; empty if it can't be started.
std::string lldbVersion();

/// The version of a ROCdbgapi library, such as "0.77.4"; empty if \a Path can't
/// be loaded, with the loader's \a Error.
std::string debugLibraryVersion(const std::string &Path, std::string &Error);

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_INSTALLATION_H
