//===-- ImageFormat.h - elements of images and typed buffers ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an element's bits are the four components of a value. Formats are
// numbered differently on gfx9, gfx10 and gfx11.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_IMAGEFORMAT_H
#define WAVELANE_SIMULATOR_ISA_IMAGEFORMAT_H

#include "wavelane/GPU/Features.h"

#include <cstdint>

namespace wavelane::isa {

struct ImageFormat {
  enum Type : uint8_t {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    Srgb, ///< The first three components; the fourth is Unorm.
  };
  uint8_t Bytes = 0;     ///< of an element; 0: the format isn't modeled
  uint8_t Bits[4] = {0}; ///< of each component, from the lowest bit on
  Type Is = Unorm;

  bool isInteger() const { return Is == Uint || Is == Sint; }

  /// The format with a number of a descriptor. On gfx9, \a Data is the data
  /// format and \a Number the number format.
  static ImageFormat find(gpu::Descriptors In, unsigned Data, unsigned Number);

  /// The components of an element: floats, or integers as they are. Missing
  /// ones are 0.
  void load(const uint8_t *Element, uint32_t Components[4]) const;
  /// The inverse; values that can't be represented become the nearest.
  void store(const uint32_t Components[4], uint8_t *Element) const;
};

/// Where a descriptor's DST_SEL fields, 3 bits each, say that a result comes
/// from.
struct ImageSelection {
  uint32_t Fields; ///< X is in the lowest bits.
  /// \a Components is what was loaded; \a IsInteger decides what 1 is.
  uint32_t select(unsigned N, const uint32_t Components[4],
                  bool IsInteger) const;
  /// Distributes the values of a store to the components that they come from.
  void distribute(const uint32_t Values[4], uint32_t Components[4]) const;
};

/// A float as a half, and back.
uint16_t halfOf(float F);
float floatOf(uint16_t Half);

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_IMAGEFORMAT_H
