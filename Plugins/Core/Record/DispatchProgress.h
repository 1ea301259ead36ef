//===-- DispatchProgress.h - how far a kernel is ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_RECORD_DISPATCHPROGRESS_H
#define WAVELANE_CORE_RECORD_DISPATCHPROGRESS_H

#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

/// How many workgroups of a dispatch are done, running on the GPU, and waiting
/// for room there.
struct DispatchProgress {
  uint64_t workgroups = 0, done = 0, running = 0, waiting = 0;
  /// Otherwise, `done` is a lower bound and `waiting` an upper bound.
  bool exact = false;

  /// "at least 3 of 40 workgroups done, 16 running, at most 21 waiting".
  std::string Format() const;
  /// "[=---------....]".
  std::string DrawBar() const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
