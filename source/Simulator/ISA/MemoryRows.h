//===-- MemoryRows.h - neighboring lanes, neighboring memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual accesses of a wave: all active lanes the same place, which in
// private memory is a row of dwords, or each lane the place after the one
// before.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_MEMORYROWS_H
#define WAVELANE_SIMULATOR_ISA_MEMORYROWS_H

#include "LaneVectors.h"
#include "MemoryPlaces.h"

namespace wavelane::isa {
namespace memory {

#if defined(__x86_64__)
/// Whether each lane l of \a X has \a A0 + l * \a Step in \a A, and, if \a B
/// is another register, \a B0 in that; for translated code, so all bits of the
/// result count.
template <unsigned Lanes>
WAVELANE_AVX2 u32 areInSteps(const u32 *A, const u32 *B, u32 A0, u32 B0,
                             u32 Step, u64 X) {
  return areInSteps<false>(A, A0, Step, X, Lanes) &&
         (A == B || areInSteps<false>(B, B0, 0, X, Lanes));
}

/// Copies the dwords of the lanes of \a X. Others are only touched if all of
/// \a To is \a Ours.
WAVELANE_AVX2_INLINE void copyRow(u8 *To, const u8 *From, u64 X, unsigned Lanes,
                                  bool Ours) {
  for (unsigned L = 0; L < Lanes; L += 8, To += 32, From += 32) {
    const unsigned Some = unsigned(X >> L) & 0xff;
    auto *Out = reinterpret_cast<__m256i *>(To);
    if (Some == 0xff) {
      _mm256_storeu_si256(
          Out, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(From)));
    } else if (Some) {
      const __m256i Mask = lanesOf(X >> L);
      const __m256i New =
          _mm256_maskload_epi32(reinterpret_cast<const int *>(From), Mask);
      if (Ours) {
        _mm256_storeu_si256(
            Out, _mm256_blendv_epi8(_mm256_loadu_si256(Out), New, Mask));
      } else {
        for (unsigned Left = Some; Left; Left &= Left - 1) {
          const unsigned At = 4 * unsigned(__builtin_ctz(Left));
          std::memcpy(To + At, From + At, 4);
        }
      }
    }
  }
}

/// Moves the dwords of the active lanes \a X. Returns false, without any
/// access, for other patterns or if some of it can't be accessed.
template <bool Write, unsigned Size>
WAVELANE_AVX2 bool moveRows(MemoryOp &O, const FlatAddress &A, u32 *D, u64 X) {
  Machine &M = O.M;
  if (M.Watches || !hasRows())
    return false;
  const unsigned Lanes = M.Lanes, First = unsigned(__builtin_ctzll(X)),
                 Last = 63 - unsigned(__builtin_clzll(X));
  const u32 Lo0 = A.Lo ? A.Lo[First] : 0;
  const bool IsSame = !A.Lo || areInSteps(A.Lo, Lo0, 0, X, Lanes);
  // Offsets must not wrap around.
  if (!IsSame && (!areInSteps(A.Lo, Lo0 - First * Size, Size, X, Lanes) ||
                  Lo0 + (Last - First) * Size < Lo0))
    return false;
  if (A.Hi && !areInSteps(A.Hi, A.Hi[First], 0, X, Lanes))
    return false;
  const Place P = A(First, Size);
  constexpr Access Kind = Write ? Access::Write : Access::Read;
  constexpr unsigned Words = Size / 4;
  if (P.In == Space::Private) {
    if (!IsSame || (P.Address & 3) || P.Address + Size > M.W.ScratchLaneSize)
      return false;
    u8 *Rows[Words];
    for (unsigned N = 0; N < Words; ++N)
      if (!(Rows[N] = M.global(O.privateAddress(0, P.Address + 4 * N),
                               Lanes * 4, Kind)))
        return false;
    M.Rows[Write] = M.Spans[unsigned(Kind)];
    O.I.Memory.SeenRows |= MemoryFields::PrivateRow;
    for (unsigned N = 0; N < Words; ++N) {
      auto *Register = reinterpret_cast<u8 *>(D + N * Lanes);
      // Only this wave uses its private memory.
      if (Write)
        copyRow(Rows[N], Register, X, Lanes, /*Ours=*/true);
      else
        copyRow(Register, Rows[N], X, Lanes, /*Ours=*/true);
    }
    return true;
  }
  // If several lanes store to one place, the last one counts: leave that to the
  // general case.
  if (P.In != Space::Global || (Write && IsSame))
    return false;
  u8 *Memory =
      M.global(P.Address, IsSame ? Size : Size * (Last - First + 1), Kind);
  if (!Memory)
    return false;
  if (Words == 1 && !IsSame) {
    O.I.Memory.SeenRows |= MemoryFields::GlobalRow;
    u8 *Row = Memory - 4 * First;
    auto *Register = reinterpret_cast<u8 *>(D);
    if (Write)
      copyRow(Row, Register, X, Lanes, /*Ours=*/false);
    else
      copyRow(Register, Row, X, Lanes, /*Ours=*/true);
    return true;
  }
  const unsigned Step = IsSame ? 0 : Size;
  for (u64 Left = X; Left; Left &= Left - 1) {
    const auto L = unsigned(__builtin_ctzll(Left));
    u8 *At = Memory + size_t(L - First) * Step;
    for (unsigned N = 0; N < Words; ++N) {
      if (Write)
        std::memcpy(At + 4 * N, &D[N * Lanes + L], 4);
      else
        std::memcpy(&D[N * Lanes + L], At + 4 * N, 4);
    }
  }
  return true;
}

#else
template <unsigned Lanes>
u32 areInSteps(const u32 *, const u32 *, u32, u32, u32, u64) {
  return 0;
}
template <bool Write, unsigned Size>
bool moveRows(MemoryOp &, const FlatAddress &, u32 *, u64) {
  return false;
}
#endif

} // namespace memory
} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_MEMORYROWS_H
