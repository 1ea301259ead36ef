//===-- LaneGrid.h - a wave drawn as a grid ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_LANEGRID_H
#define WAVELANE_CORE_FORMAT_LANEGRID_H

#include "lldb/Utility/Stream.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// One lane in the grid.
struct GridCell {
  enum Kind {
    eInactive,
    eActive,
    /// It has a number, which sets its brightness.
    eNumber,
    /// It has no value, or one that isn't a number (including NaN).
    eNoNumber,
  };
  Kind kind = eInactive;
  double number = 0;
  bool focus = false;
};

/// Draws rows of \a width cells, each beginning with the number of its first
/// lane, and a legend.
/// \param color  With the terminal's colors; otherwise with letters and
/// digits.
void DrawGrid(llvm::ArrayRef<GridCell> cells, size_t width, bool color,
              Stream &stream);

} // namespace wavelane
} // namespace lldb_private

#endif
