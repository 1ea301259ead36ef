//===-- CommandLine.h - LLVM's command line for users -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDLINE_COMMANDLINE_H
#define WAVELANE_COMMANDLINE_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace wavelane::commandline {

/// Parses the registered options.
/// \param Words The arguments, behind the program's name as its errors shall
///     show it.
/// \param Overview The first line of the help.
/// \return False after an error, which standard error has in one line that says
///     where help is.
bool parse(llvm::ArrayRef<const char *> Words, llvm::StringRef Overview);

/// One line from LLVM's lines about what is wrong in a command line.
std::string inOneLine(llvm::StringRef Errors, llvm::StringRef Program);

} // namespace wavelane::commandline

#endif // WAVELANE_COMMANDLINE_COMMANDLINE_H
