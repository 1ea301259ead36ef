//===-- SourcePlace.h - places in the source as text ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_SOURCEPLACE_H
#define WAVELANE_CORE_FORMAT_SOURCEPLACE_H

#include "lldb/Symbol/LineEntry.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <string>

namespace lldb_private {
namespace wavelane {

/// "file.hip:9:5", or "file.hip:9" if the column isn't known or wanted; empty
/// without a line.
std::string FormatLine(const LineEntry &entry, bool with_column = true);

/// The line where a frame is.
std::string FormatLine(StackFrame &frame);

/// The line, name and function at a load address.
struct SourcePlace {
  /// The line; for code inlined from HIP's headers, the line that it was
  /// inlined into; for compiler-generated code, the line that it leads to.
  LineEntry line;
  /// Without arguments; the inlined function's name if the line is in one;
  /// empty if unknown.
  std::string name;
  /// The function that isn't inlined; null without debug information.
  Function *function = nullptr;

  static SourcePlace Find(Target &target, lldb::addr_t pc);

  /// The line, else the function and offset, else the address.
  std::string Format(Target &target, lldb::addr_t pc,
                     bool with_column = true) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
