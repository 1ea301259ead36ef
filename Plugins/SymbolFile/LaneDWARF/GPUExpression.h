//===-- GPUExpression.h - what C++ lacks in an expression -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written in an expression on a GPU and isn't C++, or means something
// else there:
//   local#0x40          an address in a space: a pointer into it
//   private_lane#$v2    ... at the focus lane's element of a register
//   sizeof(pointer)     the size that a pointer into a space has on the GPU
//   $_dispatch_pos      ROCgdb's variables that are text
//   threadIdx           where no debug information declares it
// All who evaluate expressions come here (FrameTypes.cpp).
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_GPUEXPRESSION_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_GPUEXPRESSION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lldb_private {
class ExecutionContext;

namespace wavelane {

/// An expression in C++.
struct GPUExpression {
  std::string text;
  /// Declarations that it needs.
  std::string prefix;
  /// Why it can't be written in C++; empty if it can.
  std::string error;

  static GPUExpression Write(llvm::StringRef expression,
                             const ExecutionContext &exe_ctx);

  /// \a expression with the right side of its assignment converted from a
  /// pointer into a space to a generic one, if the left side is one; empty if
  /// it isn't one assignment.
  static GPUExpression WriteAssignment(llvm::StringRef expression);

  /// \a expression with the global variables and functions that only the
  /// program's other side has as objects at their addresses; empty if there are
  /// none.
  static GPUExpression WriteOtherSide(llvm::StringRef expression,
                                      const ExecutionContext &exe_ctx);

  /// Why the result can't go on where it calls a function of that name, which
  /// only its prefix declares; empty for other functions.
  static std::string DescribeRefusal(llvm::StringRef function);
};

/// Whether a word has an address in a space, such as "(int *)local#0x40".
bool HasSpaceAddress(llvm::StringRef word);

} // namespace wavelane
} // namespace lldb_private

#endif
