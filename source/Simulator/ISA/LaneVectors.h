//===-- LaneVectors.h - a register's lanes, eight at a time -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_LANEVECTORS_H
#define WAVELANE_SIMULATOR_ISA_LANEVECTORS_H

#include "Core.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace wavelane::isa {
namespace memory {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

#if defined(__x86_64__)
#define WAVELANE_AVX2 __attribute__((target("avx2")))
#define WAVELANE_AVX2_INLINE                                                   \
  __attribute__((target("avx2"), always_inline)) inline

inline bool hasRows() {
  static const bool Has = __builtin_cpu_supports("avx2");
  return Has;
}

/// All bits of the next 8 lanes of \a X.
WAVELANE_AVX2_INLINE __m256i lanesOf(u64 X) {
  const __m256i Bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(int(X)), Bits),
                            Bits);
}
WAVELANE_AVX2_INLINE __m256i loadLanes(const u32 *V) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(V));
}

/// Whether each lane l of \a X has \a First + l * Step.
template <bool All>
WAVELANE_AVX2_INLINE bool areInSteps(const u32 *V, u32 First, u32 Step, u64 X,
                                     unsigned Lanes) {
  const __m256i Stride = _mm256_set1_epi32(int(8 * Step));
  __m256i Want = _mm256_set1_epi32(int(First));
  if (Step)
    Want = _mm256_add_epi32(
        Want, _mm256_mullo_epi32(_mm256_set1_epi32(int(Step)),
                                 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
  __m256i Differs = _mm256_setzero_si256();
  for (unsigned L = 0; L < Lanes; L += 8) {
    __m256i D = _mm256_xor_si256(loadLanes(V + L), Want);
    if (!All)
      D = _mm256_and_si256(D, lanesOf(X >> L));
    Differs = _mm256_or_si256(Differs, D);
    Want = _mm256_add_epi32(Want, Stride);
  }
  return _mm256_testz_si256(Differs, Differs);
}
WAVELANE_AVX2_INLINE bool areInSteps(const u32 *V, u32 First, u32 Step, u64 X,
                                     unsigned Lanes) {
  return X == ~u64(0) ? areInSteps<true>(V, First, Step, X, Lanes)
                      : areInSteps<false>(V, First, Step, X, Lanes);
}

/// The least and the most of the lanes of \a X, which is not 0.
struct LaneBounds {
  u32 Least, Most;
};
template <bool All>
WAVELANE_AVX2_INLINE LaneBounds boundsOf(const u32 *V, u64 X, unsigned Lanes) {
  const __m256i First = _mm256_set1_epi32(int(V[__builtin_ctzll(X)]));
  __m256i Least = First, Most = First;
  for (unsigned L = 0; L < Lanes; L += 8) {
    __m256i Some = loadLanes(V + L);
    if (!All)
      Some = _mm256_blendv_epi8(First, Some, lanesOf(X >> L));
    Least = _mm256_min_epu32(Least, Some);
    Most = _mm256_max_epu32(Most, Some);
  }
  __m128i Low = _mm_min_epu32(_mm256_castsi256_si128(Least),
                              _mm256_extracti128_si256(Least, 1));
  __m128i High = _mm_max_epu32(_mm256_castsi256_si128(Most),
                               _mm256_extracti128_si256(Most, 1));
  // The other half, and then the other one of two.
  Low = _mm_min_epu32(Low, _mm_shuffle_epi32(Low, 0x4e));
  High = _mm_max_epu32(High, _mm_shuffle_epi32(High, 0x4e));
  Low = _mm_min_epu32(Low, _mm_shuffle_epi32(Low, 0xb1));
  High = _mm_max_epu32(High, _mm_shuffle_epi32(High, 0xb1));
  return {u32(_mm_cvtsi128_si32(Low)), u32(_mm_cvtsi128_si32(High))};
}
WAVELANE_AVX2_INLINE LaneBounds boundsOf(const u32 *V, u64 X, unsigned Lanes) {
  return X == ~u64(0) ? boundsOf<true>(V, X, Lanes)
                      : boundsOf<false>(V, X, Lanes);
}
#endif

} // namespace memory
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_LANEVECTORS_H
