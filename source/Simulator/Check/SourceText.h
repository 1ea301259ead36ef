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

/// A pointer, or an array, by which a line accesses memory.
struct PointerAccess {
  std::string Name; ///< "data", "s.data"; empty if it isn't known
  /// The number of its subscripts: 2 for "data[i][j]", 1 for "*data" and
  /// "data->x".
  unsigned Subscripts = 0;
  /// The expression changes the pointer: "*data++".
  bool Moves = false;
  bool IsArrow = false; ///< "data->x"
  /// "x" for "data->x[1]" and "data[0].x[1]", if it is an array: of a pointer,
  /// the line would access two things.
  std::string Array = {};
};

/// By what \a Line reads memory at \a Column: "data" for "data[0]", "*data",
/// "*(data + 1)", "data[0].x" and "data->x".
PointerAccess readPointer(llvm::StringRef Line, unsigned Column);
/// By what it writes memory, for the "=" at \a Column of "data[0] = 1".
PointerAccess writtenPointer(llvm::StringRef Line, unsigned Column);
/// What is passed first by the call at \a Column: "data" for
/// "atomicAdd(&data[0], 1)" and "atomicAdd(data + 1, 1)".
PointerAccess passedPointer(llvm::StringRef Line, unsigned Column);

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_SOURCETEXT_H
