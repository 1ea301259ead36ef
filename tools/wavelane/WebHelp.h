//===-- WebHelp.h - the installed pages in a browser ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_WEBHELP_H
#define WAVELANE_TOOLS_WAVELANE_WEBHELP_H

namespace wavelane::command {

/// Prints where this installation's pages are, and opens them if there is a
/// screen.
/// \return the exit code; an error is printed.
int openPages();

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_WEBHELP_H
