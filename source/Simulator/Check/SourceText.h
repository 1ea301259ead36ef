//===-- SourceText.h - what a line of source accesses -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_SOURCETEXT_H
#define WAVELANE_SIMULATOR_CHECK_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace wavelane::check {

/// What an instruction of a place in the source does with an array's element.
struct ArrayAccess {
  /// "tile", "parts.tile", "parts[].tile"; empty if it isn't known.
  std::string Name;
  bool Reads = false, Writes = false;
};

/// At \a Column (from 1) of a line: "tile" is read for "tile[i + 1]", and
/// written for the "=" of "tile[i][0] = 3", which is where clang says that the
/// store is. So is "parts[].x" for "parts[i].x", which may be no array. It
/// isn't known for an element by a pointer, in several lines, in a macro.
ArrayAccess accessedArray(llvm::StringRef Line, unsigned Column);

/// The variable by which \a Line reads memory at \a Column: "data" of "data[0]"
/// and of "*data"; empty if it isn't known.
std::string readVariable(llvm::StringRef Line, unsigned Column);
/// The variable by which \a Line writes memory, for the "=" at \a Column:
/// "data" of "data[0] = 1" and of "*data = 1"; empty if it isn't known.
std::string writtenVariable(llvm::StringRef Line, unsigned Column);

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_SOURCETEXT_H
