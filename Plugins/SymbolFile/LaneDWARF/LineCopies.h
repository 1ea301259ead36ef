//===-- LineCopies.h - the copies of a line in a function -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer makes copies of a line: a loop in two versions, unrolled,
// peeled, or vectorized with a remainder. It also splits a line, and puts other
// lines between its parts. A breakpoint stops in each copy, and once in a copy.
// The line table doesn't distinguish copies from parts, but the function's
// control flow does: a part is only reached through the part before it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LINECOPIES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LINECOPIES_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// An instruction, and where execution goes from it.
struct FlowInstruction {
  uint64_t address = 0;
  uint32_t size = 0;
  unsigned opcode = 0;
  bool branches = false; ///< It may go to `target`, if that is known.
  bool falls_through = true;
  /// It goes to a place that a register holds; not a call or a return.
  bool is_indirect = false;
  bool loads = false, stores = false; ///< memory, as far as that is known
  std::optional<uint64_t> target;
};

/// The index of the instruction at \a address.
std::optional<size_t> FindInstruction(llvm::ArrayRef<FlowInstruction> code,
                                      uint64_t address);

/// A part of the line's code.
struct LineRow {
  uint64_t begin = 0, end = 0;
  unsigned column = 0;
};

/// A place that the line table recommends for breakpoints.
struct LineStatement {
  uint64_t address = 0;
  /// Its lexical block. In each block there is at least one stop.
  const void *block = nullptr;
};

/// A place where a breakpoint on the line stops.
struct LineStop {
  uint64_t address = 0;
  /// Other stops of the line are copies of the same source.
  bool is_copy = false;
  /// The lowest address of the innermost loop that it is in.
  std::optional<uint64_t> loop;
};

/// Chooses stops.
/// \param code  The function, in the order of addresses.
/// \param entry  Where it begins.
/// \param statements  In the order of addresses.
/// \return In the order of addresses. Empty if there is no saying: the code
///     doesn't contain a statement, or is too large.
std::vector<LineStop> FindLineStops(llvm::ArrayRef<FlowInstruction> code,
                                    uint64_t entry,
                                    llvm::ArrayRef<LineStatement> statements,
                                    llvm::ArrayRef<LineRow> rows);

/// Of the copies of a loop's line, how many are in rounds that don't come to
/// another line.
/// \param copies  The line's stops, which begin a round's rest.
/// \param other  The other line's.
/// \param is_before  Whether the other line comes first in a round.
/// \return nullopt if there is no saying.
std::optional<size_t> CountWithout(llvm::ArrayRef<FlowInstruction> code,
                                   uint64_t entry,
                                   llvm::ArrayRef<uint64_t> copies,
                                   llvm::ArrayRef<uint64_t> other,
                                   bool is_before);

} // namespace wavelane
} // namespace lldb_private

#endif
