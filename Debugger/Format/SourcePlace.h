//===-- SourcePlace.h - places in the source as text ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_FORMAT_SOURCEPLACE_H
#define WAVELANE_DEBUGGER_FORMAT_SOURCEPLACE_H

#include "lldb/Symbol/LineEntry.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <string>

namespace lldb_private {
namespace wavelane {

/// "file.hip:9:5", "file.hip:9" where the column isn't known or wanted; empty
/// without a line.
std::string FormatLine(const LineEntry &entry, bool with_column = true);

/// The line where a frame is.
std::string FormatLine(StackFrame &frame);

/// What a load address belongs to.
struct SourcePlace {
  /// The line, of code inlined from HIP's headers the one that it was inlined
  /// to; where the compiler has made the code, the next of the function.
  LineEntry line;
  /// Without arguments; an inlined one where the line is in one; empty where
  /// nothing is known.
  std::string name;
  /// Not the inlined one; null without debug information.
  Function *function = nullptr;

  static SourcePlace Find(Target &target, lldb::addr_t pc);

  /// The line, else the function and offset, else the address.
  std::string Format(Target &target, lldb::addr_t pc,
                     bool with_column = true) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
