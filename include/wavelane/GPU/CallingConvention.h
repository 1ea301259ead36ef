//===-- CallingConvention.h - what device functions preserve ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_GPU_CALLINGCONVENTION_H
#define WAVELANE_GPU_CALLINGCONVENTION_H

namespace wavelane::gpu {

/// Whether a function leaves a register as it was, by the calling convention of
/// each version of LLVM (its CSR_AMDGPU lists). From LLVM 21 on, it may change
/// some scalar registers that it preserved before: eight in each sixteen.
/// \param[in] File  's', 'v' or 'a'.
constexpr bool isCalleeSaved(char File, unsigned Number) {
  switch (File) {
  case 's':
    return (Number >= 30 && Number < 40) || (Number >= 96 && Number < 106) ||
           (Number >= 48 && Number < 96 && Number % 16 < 8);
  case 'v':
    return Number >= 40 && Number < 256 && Number % 16 >= 8;
  case 'a':
    return Number >= 32 && Number < 256;
  default:
    return false;
  }
}

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_CALLINGCONVENTION_H
