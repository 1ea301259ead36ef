//===-- ArrayObject.h - an array of the program -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_ARRAYOBJECT_H
#define WAVELANE_SIMULATOR_CHECK_ARRAYOBJECT_H

#include "Finding.h"

namespace wavelane::check {

/// An array of the program, with which the accesses of its elements are
/// compared.
struct ArrayObject {
  /// For a private array, the scalar register with the frame's address.
  static constexpr unsigned NoRegister = ~0u;

  std::string Name;
  Space In = Space::None;
  /// Private: from the frame on, if it has a register.
  uint64_t Begin = 0;
  uint64_t Size = 0; ///< bytes
  uint64_t ElementSize = 0;
  std::vector<uint64_t> Counts; ///< of its dimensions
  /// If it is a member in each element of another array ("parts[].tile"): that
  /// has as many elements, of Stride bytes. Otherwise 0.
  uint64_t Stride = 0, Elements = 0;
  unsigned FrameRegister = NoRegister;
  /// What the instruction does with it.
  bool Reads = false, Writes = false;

  /// "tile[33]", also before the begin and beyond the end.
  std::string element(int64_t Bytes) const;
  /// The element of the other array whose member begins at or before \a Bytes.
  int64_t elementOf(int64_t Bytes) const;
  /// Its name there: "parts[3].tile".
  std::string nameIn(int64_t Element) const;
  /// Whether a byte of [First, Past), counted from the begin, is in it.
  bool touches(int64_t First, int64_t Limit) const;
  /// Whether all are, without a gap.
  bool contains(int64_t First, int64_t Limit) const;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_ARRAYOBJECT_H
