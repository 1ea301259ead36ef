//===-- LEB128.h - numbers of any length, checked ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's decoders shift by more than the width of their type when a number is
// padded.

#ifndef WAVELANE_SOURCE_LOCATION_LEB128_H
#define WAVELANE_SOURCE_LOCATION_LEB128_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace wavelane::location {

enum class LEBStatus : uint8_t { Good, CutOff, TooBig };

/// Reads the number at \a At and moves past it. Signed numbers are
/// sign-extended. Padding beyond 64 bits is fine if it adds nothing.
inline LEBStatus readLEB128(llvm::ArrayRef<uint8_t> Bytes, size_t &At,
                            bool IsSigned, uint64_t &Result) {
  uint64_t V = 0;
  unsigned Shift = 0;
  for (size_t I = At; I < Bytes.size(); ++I) {
    const uint8_t Byte = Bytes[I];
    const uint64_t Slice = Byte & 0x7f;
    if (Shift >= 64) {
      const uint64_t Padding = IsSigned && int64_t(V) < 0 ? 0x7f : 0;
      if (Slice != Padding)
        return LEBStatus::TooBig;
    } else if (Shift == 63) {
      // Only one bit is left.
      if (IsSigned ? Slice != 0 && Slice != 0x7f : Slice > 1)
        return LEBStatus::TooBig;
      V |= (Slice & 1) << 63;
    } else {
      V |= Slice << Shift;
    }
    if (Shift < 64)
      Shift += 7;
    if (Byte & 0x80)
      continue;
    if (IsSigned && Shift < 64 && (Byte & 0x40))
      V |= ~uint64_t(0) << Shift;
    Result = V;
    At = I + 1;
    return LEBStatus::Good;
  }
  return LEBStatus::CutOff;
}

} // namespace wavelane::location

#endif
