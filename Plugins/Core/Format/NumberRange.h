//===-- NumberRange.h - numbers shown as shades -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_NUMBERRANGE_H
#define WAVELANE_CORE_FORMAT_NUMBERRANGE_H

#include <algorithm>

namespace lldb_private {
namespace wavelane {

/// The range of finite numbers.
struct NumberRange {
  double low = 0, high = 0;
  bool is_empty = true;

  void Add(double number) {
    low = is_empty ? number : std::min(low, number);
    high = is_empty ? number : std::max(high, number);
    is_empty = false;
  }

  /// The position of \a number in the range, from 0 to 1. Halves avoid overflow
  /// in a range wider than double's.
  double GetPart(double number) const {
    return high > low ? (number / 2 - low / 2) / (high / 2 - low / 2) : 0;
  }
};

} // namespace wavelane
} // namespace lldb_private

#endif
