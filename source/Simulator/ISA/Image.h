//===-- Image.h - the form of an image instruction --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_IMAGE_H
#define WAVELANE_SIMULATOR_ISA_IMAGE_H

#include "Core.h"

namespace wavelane::isa {

/// What the instruction says of its coordinates. Dimension::Resource: the
/// resource's type decides, on gfx9.
enum class Dimension : uint8_t {
  Resource,
  D1,
  D2,
  D3,
  D1Array,
  D2Array,
};

/// The fields of an image instruction, which the decoder keeps in Inst::Imm.
/// VData or Dst is the data, SAddr the resource, SOffset the sampler.
struct ImageForm {
  uint8_t Mask = 0; ///< DMASK
  Dimension Dim = Dimension::Resource;
  bool Unnormalized = false;
  bool ShortAddress = false; ///< a16
  bool ShortData = false;    ///< d16
  /// The number of address registers that are named one by one; the others
  /// follow the last. 0: all follow VAddr.
  uint8_t Separate = 0;

  int32_t pack() const {
    return int32_t(Mask | unsigned(Dim) << 4 | unsigned(Unnormalized) << 8 |
                   unsigned(ShortAddress) << 9 | unsigned(ShortData) << 10 |
                   unsigned(Separate) << 12);
  }
  explicit ImageForm() = default;
  explicit ImageForm(int32_t Packed)
      : Mask(Packed & 15), Dim(Dimension(Packed >> 4 & 15)),
        Unnormalized(Packed >> 8 & 1), ShortAddress(Packed >> 9 & 1),
        ShortData(Packed >> 10 & 1), Separate(Packed >> 12 & 15) {}
};

void addImageOps(OpTable &T);

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_IMAGE_H
