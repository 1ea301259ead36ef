//===-- Arithmetic.h - sums and products of numbers and NaNs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If operands are NaN, the result is the first of them, made quiet, in the
// order of the formula: a, b and then c for a * b + c. That is our rule: we
// have found no document that says what AMD's GPUs do. C++ doesn't say which
// one, and compilers exchange operands as they like, so all arithmetic of two
// or more operands that may be NaN uses these functions. The host's processor
// decides nothing: it only adds and multiplies numbers and at most one NaN.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_ARITHMETIC_H
#define WAVELANE_SIMULATOR_ISA_ARITHMETIC_H

#include "Core.h"

#include <cmath>
#include <immintrin.h>

#ifndef WAVELANE_ISA_VARIANT
#define WAVELANE_ISA_VARIANT generic
#endif

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {

inline uint32_t bitsOf(float F) { return bitCast<uint32_t>(F); }
inline uint64_t bitsOf(double F) { return bitCast<uint64_t>(F); }
inline bool isNaN(float F) { return F != F; }
inline bool isNaN(double F) { return F != F; }
inline float quiet(float F) { return bitCast<float>(bitsOf(F) | 0x400000u); }
inline double quiet(double D) {
  return bitCast<double>(bitsOf(D) | 0x8000000000000ull);
}

template <class F> F sum(F A, F B) { return isNaN(A) ? quiet(A) : A + B; }
template <class F> F difference(F A, F B) {
  return isNaN(A) ? quiet(A) : A - B;
}
template <class F> F product(F A, F B) { return isNaN(A) ? quiet(A) : A * B; }
template <class F> F quotient(F A, F B) { return isNaN(A) ? quiet(A) : A / B; }
/// A * B + C, rounded once.
inline float fused(float A, float B, float C) {
  const float R = __builtin_fmaf(A, B, C);
  return isNaN(A) ? quiet(A) : isNaN(B) ? quiet(B) : R;
}
inline double fused(double A, double B, double C) {
  const double R = __builtin_fma(A, B, C);
  return isNaN(A) ? quiet(A) : isNaN(B) ? quiet(B) : R;
}

/// Rounding to nearest and no flushing, regardless of MODE.
class OwnRounding {
  const unsigned Before = _mm_getcsr();

public:
  OwnRounding() { _mm_setcsr(0x1f80); }
  ~OwnRounding() { _mm_setcsr(Before); }
};

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_ARITHMETIC_H
