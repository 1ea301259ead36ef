//===-- LineOfCode.h - the line that code belongs to ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler gives line 0 to code that it made itself, or of several lines. A
// wave there is shown at the line that the code leads to. What follows lines
// (steps, the recording) must see line 0: the wave hasn't reached that line.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_MACHINECODE_LINEOFCODE_H
#define WAVELANE_CORE_MACHINECODE_LINEOFCODE_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class Address;
struct LineEntry;

namespace wavelane {

/// Gives an entry with line 0, of a GPU's code at \a address, the line that the
/// code leads to: to the next one, over branches that are always taken; else
/// the line before. Changes no other entry, and not the entry's range.
void FindLineOfCode(const Address &address, LineEntry &entry);

/// The same for what a frame shows, once nothing follows its lines.
void ShowLineOfCode(StackFrame &frame);

/// While there is one, this thread sees line 0 in symbols.
class ExactLines {
public:
  ExactLines() { ++g_count; }
  ~ExactLines() { --g_count; }
  ExactLines(const ExactLines &) = delete;
  ExactLines &operator=(const ExactLines &) = delete;

  /// For the rest of the thread's life.
  static void KeepInThread() { g_kept = true; }
  static bool IsOn() { return g_kept || g_count; }

private:
  static thread_local bool g_kept;
  static thread_local unsigned g_count;
};

} // namespace wavelane
} // namespace lldb_private

#endif
