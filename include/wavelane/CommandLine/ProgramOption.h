//===-- ProgramOption.h - an option as people read of it --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's parser and help, and the completions of `wavelane`, which starts
// that program, are made from one table of these.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COMMANDLINE_PROGRAMOPTION_H
#define WAVELANE_COMMANDLINE_PROGRAMOPTION_H

#include <string>

namespace wavelane::commandline {

struct ProgramOption {
  std::string Name;  ///< with its dashes
  std::string Value; ///< "FILE"; empty if it takes none
  std::string Text;  ///< what it does, in a few words
  std::string More;  ///< what else its help says; may be empty
};

} // namespace wavelane::commandline

#endif // WAVELANE_COMMANDLINE_PROGRAMOPTION_H
