//===-- LaneList.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneList.h"

std::string lldb_private::wavelane::FormatLanes(const llvm::BitVector &lanes) {
  std::string text;
  for (int first = lanes.find_first(); first >= 0;) {
    int end = lanes.find_next_unset(first);
    if (end < 0)
      end = int(lanes.size());
    if (!text.empty())
      text += ',';
    text += std::to_string(first);
    if (end - first > 1)
      text += '-' + std::to_string(end - 1);
    first = end < int(lanes.size()) ? lanes.find_next(end - 1) : -1;
  }
  return text;
}
