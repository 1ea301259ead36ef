//===-- LaneGrid.cpp --------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneGrid.h"
#include "NumberRange.h"
#include <algorithm>
#include <cmath>

using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// From dark to bright, of a terminal's 256 colors, so that the order is also
/// visible to the color-blind.
constexpr int g_ramp[] = {17, 18, 54, 55, 61, 67, 73, 78, 114, 150, 186, 228};

/// A step from 0 to \a count - 1.
size_t GetStep(const NumberRange &range, double number, size_t count) {
  return std::min(count - 1,
                  size_t(std::max(0.0, range.GetPart(number)) * double(count)));
}

void DrawCell(const GridCell &cell, const NumberRange &range, bool color,
              Stream &stream) {
  if (!color) {
    const char mark = cell.kind == GridCell::eInactive ? '.'
                      : cell.kind == GridCell::eActive ? '#'
                      : cell.kind == GridCell::eNoNumber
                          ? '!'
                          : char('0' + GetStep(range, cell.number, 10));
    stream.Printf(cell.focus ? "[%c]" : " %c ", mark);
    return;
  }
  switch (cell.kind) {
  case GridCell::eInactive:
    stream.PutCString("\033[100;97m");
    break;
  case GridCell::eActive:
    stream.PutCString("\033[42;30m");
    break;
  case GridCell::eNoNumber:
    stream.PutCString("\033[41;97m");
    break;
  case GridCell::eNumber: {
    const size_t step = GetStep(range, cell.number, std::size(g_ramp));
    stream.Printf("\033[48;5;%d;%dm", g_ramp[step],
                  step * 2 < std::size(g_ramp) ? 97 : 30);
    break;
  }
  }
  stream.PutCString(cell.focus                         ? "<>"
                    : cell.kind == GridCell::eNoNumber ? "!!"
                                                       : "  ");
  stream.PutCString("\033[0m");
}

} // namespace

void wavelane::DrawGrid(llvm::ArrayRef<GridCell> cells, size_t width,
                        bool color, Stream &stream) {
  NumberRange range;
  bool has[4] = {}, focus = false;
  for (const GridCell &cell : cells) {
    if (cell.kind == GridCell::eNumber)
      range.Add(cell.number);
    has[cell.kind] = true;
    focus |= cell.focus;
  }
  width = std::max<size_t>(width, 1);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i % width == 0)
      stream.Printf("%s%5zu  ", i ? "\n" : "", i);
    DrawCell(cells[i], range, color, stream);
  }
  stream.PutCString("\n       ");
  auto explain = [&](GridCell cell, const char *meaning) {
    DrawCell(cell, range, color, stream);
    stream.Printf("%s%s  ", color ? " " : "= ", meaning);
  };
  if (has[GridCell::eNumber]) {
    GridCell end{GridCell::eNumber, range.low, false};
    char text[32];
    snprintf(text, sizeof(text), "%.6g", range.low);
    explain(end, text);
    if (range.high > range.low) {
      end.number = range.high;
      snprintf(text, sizeof(text), "%.6g", range.high);
      explain(end, text);
    }
  }
  if (has[GridCell::eActive])
    explain({GridCell::eActive, 0, false}, "active");
  if (has[GridCell::eInactive])
    explain({GridCell::eInactive, 0, false}, "inactive");
  if (has[GridCell::eNoNumber])
    explain({GridCell::eNoNumber, 0, false}, "no number");
  if (focus)
    stream.PutCString(color ? "<> focus lane" : "[ ] = focus lane");
  stream.EOL();
}
