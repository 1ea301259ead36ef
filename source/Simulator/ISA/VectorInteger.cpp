//===-- VectorInteger.cpp - integer and bit instructions of lanes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOperands.h"

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

u32 clz(u32 V) { return V ? u32(__builtin_clz(V)) : ~0u; }
u32 absDiff(u32 A, u32 B) { return A > B ? A - B : B - A; }
u32 byteOf(u32 V, unsigned N) { return V >> (8 * N) & 0xff; }
i32 sext24(u32 V) { return i32(V << 8) >> 8; }
u32 satAdd(u32 A, u32 B) { return A + B < A ? ~0u : A + B; }
u32 satSub(u32 A, u32 B) { return A < B ? 0 : A - B; }
template <class T> T clampTo(i64 V, i64 Lo, i64 Hi) {
  return T(V < Lo ? Lo : V > Hi ? Hi : V);
}
template <class T> T med3(T A, T B, T C) {
  const T Lo = A < B ? A : B, Hi = A < B ? B : A;
  return C < Lo ? Lo : C > Hi ? Hi : C;
}
template <class T> T min2(T A, T B) { return A < B ? A : B; }
template <class T> T max2(T A, T B) { return A > B ? A : B; }

u32 sad8(u32 A, u32 B, bool Masked) {
  u32 R = 0;
  for (unsigned N = 0; N < 4; ++N)
    if (!Masked || byteOf(B, N))
      R += absDiff(byteOf(A, N), byteOf(B, N));
  return R;
}

u32 permute(u32 A, u32 B, u32 Sel) {
  const u64 In = u64(A) << 32 | B;
  u32 R = 0;
  for (unsigned N = 0; N < 4; ++N) {
    const u32 S = byteOf(Sel, N);
    u32 V;
    if (S < 8)
      V = u32(In >> (8 * S)) & 0xff;
    else if (S < 12)
      V = In >> (16 * (S - 8) + 15) & 1 ? 0xff : 0;
    else
      V = S == 12 ? 0 : 0xff;
    R |= V << (8 * N);
  }
  return R;
}

/// Carry in and out. F(a, b, carry) returns 64 bits; bit 32 is the carry.
template <bool In, class F> void carryOp(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X) {
    M.writeMask(I.SDst, 0);
    return;
  }
  const u32 *A = fetch32(M, I, 0, Kind::B32), *B = fetch32(M, I, 1, Kind::B32);
  const u32 *Mask = laneMask(M, I);
  alignas(64) u32 C[MaxLanes];
  if (In)
    expand(M.mask(I.Src[2]), C, M.Lanes);
  u32 *R = M.Tmp[3];
  alignas(64) u8 Out[MaxLanes];
  const unsigned Lanes = M.Lanes;
  for (unsigned L = 0; L < Lanes; ++L) {
    Meaning<F> Fn;
    const u64 V = Fn.Fn(A[L], B[L], In ? C[L] & 1 : 0);
    R[L] = u32(V);
    Out[L] = u8(V >> 32 & 1);
  }
  const u64 Carry = pack(Out, Lanes) & X;
  finish32(M, I, R, Kind::B32, Mask);
  M.writeMask(I.SDst, Carry);
}
template <bool In, class F> Op carry(F) {
  Op O;
  O.Fn = &carryOp<In, F>;
  O.Args[0] = O.Args[1] = Kind::B32;
  O.Args[2] = Kind::Mask;
  O.NumArgs = In ? 3 : 2;
  O.Result = Kind::B32;
  return O;
}

void cndmask(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const u32 *P[2];
  for (unsigned N = 0; N < 2; ++N) {
    P[N] = fetch32(M, I, N, Kind::B32);
    const Operand &S = I.Src[N];
    if (S.Neg || S.Abs) { // Only the modifiers treat them as floats.
      const u32 And = S.Abs ? 0x7fffffffu : ~0u, Xor = S.Neg ? 0x80000000u : 0;
      u32 *T = M.Tmp[N];
      for (unsigned L = 0; L < M.Lanes; ++L)
        T[L] = (P[N][L] & And) ^ Xor;
      P[N] = T;
    }
  }
  const u32 *Mask = laneMask(M, I);
  alignas(64) u32 C[MaxLanes];
  expand(M.mask(I.Src[2]), C, M.Lanes);
  u32 *R = M.Tmp[3];
  const unsigned Lanes = M.Lanes;
  for (unsigned L = 0; L < Lanes; ++L)
    R[L] = (P[1][L] & C[L]) | (P[0][L] & ~C[L]);
  finish32(M, I, R, I.O->Result, Mask);
}

/// The same for words; op_sel selects halves.
void cndmask16(Machine &M, const Inst &I) {
  if (I.Src[0].Neg || I.Src[0].Abs || I.Src[1].Neg || I.Src[1].Abs)
    return M.unmodeled(I, "this form is not modeled");
  cndmask(M, I);
}

template <bool Signed> void mad64(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  if (!X) {
    M.writeMask(I.SDst, 0);
    return;
  }
  const u32 *A = fetch32(M, I, 0, Kind::B32), *B = fetch32(M, I, 1, Kind::B32);
  const u64 *C = fetch64(M, I, 2, Signed ? Kind::I64 : Kind::B64);
  u64 *R = M.Tmp64[3];
  alignas(64) u8 Out[MaxLanes];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (Signed) {
      i64 V;
      Out[L] =
          __builtin_add_overflow(i64(i32(A[L])) * i32(B[L]), i64(C[L]), &V);
      R[L] = u64(V);
    } else {
      u64 V;
      Out[L] = __builtin_add_overflow(u64(A[L]) * B[L], C[L], &V);
      R[L] = V;
    }
  }
  const u64 Carry = pack(Out, M.Lanes) & X;
  finish64(M, I, R, Kind::B64, laneMask(M, I));
  M.writeMask(I.SDst, Carry);
}

/// The number of lanes below this one whose bit in the mask is set.
template <bool High> void mbcnt(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const u32 *A = fetch32(M, I, 0, Kind::B32), *B = fetch32(M, I, 1, Kind::B32);
  u32 *R = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    const u64 Below = (u64(1) << L) - 1;
    const u32 Mask = High ? u32(Below >> 32) : u32(Below);
    R[L] = u32(__builtin_popcount(A[L] & Mask)) + B[L];
  }
  finish32(M, I, R, Kind::B32, laneMask(M, I));
}

void swap(Machine &M, const Inst &I) {
  if (I.Src[0].At != Operand::Where::VGPR)
    return M.illegal(I, "source is not a vector register");
  const u64 X = M.exec();
  u32 *A = M.vgpr(I.Dst), *B = M.vgpr(I.Src[0].Reg);
  for (unsigned L = 0; L < M.Lanes; ++L)
    if (X >> L & 1) {
      const u32 T = A[L];
      A[L] = B[L];
      B[L] = T;
    }
}

void nothing(Machine &, const Inst &) {}

/// Looks up each bit of the result in the instruction's table for three bits.
template <Kind K> void bitwise3(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const u32 *A = fetch32(M, I, 0, K), *B = fetch32(M, I, 1, K),
            *C = fetch32(M, I, 2, K);
  u32 *R = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    u32 V = 0;
    for (unsigned N = 0; N < 8; ++N)
      if (I.Imm >> N & 1)
        V |= (N & 4 ? A[L] : ~A[L]) & (N & 2 ? B[L] : ~B[L]) &
             (N & 1 ? C[L] : ~C[L]);
    R[L] = K == Kind::B16 ? V & 0xffff : V;
  }
  finish32(M, I, R, K, laneMask(M, I));
}

} // namespace

// A table. NOLINTNEXTLINE(readability-function-size)
void addIntegerOps(OpTable &T) {
  T.add("v_nop", custom(nothing, Kind::None, {}));
  T.add("v_mov_b32", lane([](u32 A) { return A; }));
  T.add("v_mov_b16", lane([](u16 A) { return A; }));
  T.add("v_not_b16", lane([](u16 A) { return u16(~A); }));
  T.add("v_and_b16", lane([](u16 A, u16 B) { return u16(A & B); }));
  T.add("v_or_b16", lane([](u16 A, u16 B) { return u16(A | B); }));
  T.add("v_xor_b16", lane([](u16 A, u16 B) { return u16(A ^ B); }));
  T.add("v_cvt_i32_i16", lane([](i16 A) { return i32(A); }));
  T.add("v_cvt_u32_u16", lane([](u16 A) { return u32(A); }));
  T.add("v_mov_b64", lane([](u64 A) { return A; }));
  T.add("v_not_b32", lane([](u32 A) { return ~A; }));
  T.add("v_bfrev_b32",
        lane([](u32 A) { return u32(__builtin_bitreverse32(A)); }));
  T.add("v_ffbh_u32", lane([](u32 A) { return clz(A); }));
  T.add("v_ffbh_i32", lane([](i32 A) { return clz(u32(A ^ (A >> 31))); }));
  T.add("v_ffbl_b32",
        lane([](u32 A) { return A ? u32(__builtin_ctz(A)) : ~0u; }));
  T.add("v_swap_b32", custom(swap, Kind::B32, {Kind::B32}));
  T.add("v_sat_pk_u8_i16", lane([](u32 A) {
          return u16(clampTo<u32>(i16(A), 0, 255) |
                     clampTo<u32>(i16(A >> 16), 0, 255) << 8);
        }));

  T.add("v_cndmask_b32",
        custom(cndmask, Kind::B32, {Kind::B32, Kind::B32, Kind::Mask}));
  T.add("v_cndmask_b16",
        custom(cndmask16, Kind::B16, {Kind::B16, Kind::B16, Kind::Mask}));
  T.add("v_and_b32", lane([](u32 A, u32 B) { return A & B; }));
  T.add("v_or_b32", lane([](u32 A, u32 B) { return A | B; }));
  T.add("v_xor_b32", lane([](u32 A, u32 B) { return A ^ B; }));
  T.add("v_xnor_b32", lane([](u32 A, u32 B) { return ~(A ^ B); }));
  T.add("v_lshlrev_b32", lane([](u32 A, u32 B) { return B << (A & 31); }));
  T.add("v_lshrrev_b32", lane([](u32 A, u32 B) { return B >> (A & 31); }));
  T.add("v_ashrrev_i32", lane([](u32 A, i32 B) { return B >> (A & 31); }));
  T.add("v_min_i32", lane([](i32 A, i32 B) { return min2(A, B); }));
  T.add("v_max_i32", lane([](i32 A, i32 B) { return max2(A, B); }));
  T.add("v_min_u32", lane([](u32 A, u32 B) { return min2(A, B); }));
  T.add("v_max_u32", lane([](u32 A, u32 B) { return max2(A, B); }));
  T.add("v_mul_i32_i24",
        lane([](u32 A, u32 B) { return u32(i64(sext24(A)) * sext24(B)); }));
  T.add("v_mul_hi_i32_i24", lane([](u32 A, u32 B) {
          return u32(i64(sext24(A)) * sext24(B) >> 32);
        }));
  T.add("v_mul_u32_u24",
        lane([](u32 A, u32 B) { return (A & 0xffffff) * (B & 0xffffff); }));
  T.add("v_mul_hi_u32_u24", lane([](u32 A, u32 B) {
          return u32(u64(A & 0xffffff) * (B & 0xffffff) >> 32);
        }));
  T.add("v_bfm_b32",
        lane([](u32 A, u32 B) { return ((1u << (A & 31)) - 1) << (B & 31); }));
  T.add("v_bcnt_u32_b32",
        lane([](u32 A, u32 B) { return u32(__builtin_popcount(A)) + B; }));
  T.add("v_mbcnt_lo_u32_b32",
        custom(mbcnt<false>, Kind::B32, {Kind::B32, Kind::B32}));
  T.add("v_mbcnt_hi_u32_b32",
        custom(mbcnt<true>, Kind::B32, {Kind::B32, Kind::B32}));

  T.add("v_add_u32", lane([](u32 A, u32 B) { return A + B; },
                          [](u32 A, u32 B) { return satAdd(A, B); }));
  T.add("v_sub_u32", lane([](u32 A, u32 B) { return A - B; },
                          [](u32 A, u32 B) { return satSub(A, B); }));
  T.add("v_subrev_u32", lane([](u32 A, u32 B) { return B - A; },
                             [](u32 A, u32 B) { return satSub(B, A); }));
  T.add("v_add_i32", lane([](u32 A, u32 B) { return A + B; },
                          [](i32 A, i32 B) {
                            return clampTo<i32>(i64(A) + B, INT32_MIN,
                                                INT32_MAX);
                          }));
  T.add("v_sub_i32", lane([](u32 A, u32 B) { return A - B; },
                          [](i32 A, i32 B) {
                            return clampTo<i32>(i64(A) - B, INT32_MIN,
                                                INT32_MAX);
                          }));
  T.add("v_add_co_u32",
        carry<false>([](u32 A, u32 B, u32) { return u64(A) + B; }));
  T.add("v_sub_co_u32",
        carry<false>([](u32 A, u32 B, u32) { return u64(A) - B; }));
  T.add("v_subrev_co_u32",
        carry<false>([](u32 A, u32 B, u32) { return u64(B) - A; }));
  T.add("v_addc_co_u32",
        carry<true>([](u32 A, u32 B, u32 C) { return u64(A) + B + C; }));
  T.add("v_subb_co_u32",
        carry<true>([](u32 A, u32 B, u32 C) { return u64(A) - B - C; }));
  T.add("v_subbrev_co_u32",
        carry<true>([](u32 A, u32 B, u32 C) { return u64(B) - A - C; }));

  T.add("v_mul_lo_u32", lane([](u32 A, u32 B) { return A * B; }));
  T.add("v_mul_lo_i32", lane([](u32 A, u32 B) { return A * B; }));
  T.add("v_mul_hi_u32",
        lane([](u32 A, u32 B) { return u32(u64(A) * B >> 32); }));
  T.add("v_mul_hi_i32",
        lane([](i32 A, i32 B) { return u32(i64(A) * B >> 32); }));
  T.add("v_mad_u64_u32",
        custom(mad64<false>, Kind::B64, {Kind::B32, Kind::B32, Kind::B64}));
  T.add("v_mad_i64_i32",
        custom(mad64<true>, Kind::B64, {Kind::B32, Kind::B32, Kind::I64}));
  T.add("v_mad_i32_i24", lane([](u32 A, u32 B, u32 C) {
          return u32(i64(sext24(A)) * sext24(B)) + C;
        }));
  T.add("v_mad_u32_u24", lane([](u32 A, u32 B, u32 C) {
          return (A & 0xffffff) * (B & 0xffffff) + C;
        }));
  T.add("v_mad_u32_u16",
        lane([](u16 A, u16 B, u32 C) { return u32(A) * B + C; }));
  T.add("v_mad_i32_i16",
        lane([](i16 A, i16 B, u32 C) { return u32(A * B) + C; }));
  T.add("v_lshlrev_b64", lane([](u32 A, u64 B) { return B << (A & 63); }));
  T.add("v_lshrrev_b64", lane([](u32 A, u64 B) { return B >> (A & 63); }));
  T.add("v_ashrrev_i64", lane([](u32 A, i64 B) { return B >> (A & 63); }));
  T.add("v_add3_u32", lane([](u32 A, u32 B, u32 C) { return A + B + C; }));
  T.add("v_lshl_add_u32",
        lane([](u32 A, u32 B, u32 C) { return (A << (B & 31)) + C; }));
  T.add("v_lshl_add_u64",
        lane([](u64 A, u32 B, u64 C) { return (A << (B & 7)) + C; }));
  T.add("v_add_lshl_u32",
        lane([](u32 A, u32 B, u32 C) { return (A + B) << (C & 31); }));
  T.add("v_lshl_or_b32",
        lane([](u32 A, u32 B, u32 C) { return A << (B & 31) | C; }));
  T.add("v_bitop3_b32", custom(bitwise3<Kind::B32>, Kind::B32,
                               {Kind::B32, Kind::B32, Kind::B32}));
  T.add("v_bitop3_b16", custom(bitwise3<Kind::B16>, Kind::B16,
                               {Kind::B16, Kind::B16, Kind::B16}));
  T.add("v_ashr_pk_i8_i32",
        lane(
            [](i32 A, i32 B, u32 C) {
              return u16(u8(clampTo<i32>(A >> C % 32, -128, 127)) |
                         u8(clampTo<i32>(B >> C % 32, -128, 127)) << 8);
            },
            Op::KeepsHigh16));
  T.add("v_ashr_pk_u8_i32", lane(
                                [](i32 A, i32 B, u32 C) {
                                  return u16(clampTo<i32>(A >> C % 32, 0, 255) |
                                             clampTo<i32>(B >> C % 32, 0, 255)
                                                 << 8);
                                },
                                Op::KeepsHigh16));
  T.add("v_and_or_b32", lane([](u32 A, u32 B, u32 C) { return (A & B) | C; }));
  T.add("v_or3_b32", lane([](u32 A, u32 B, u32 C) { return A | B | C; }));
  T.add("v_xor3_b32", lane([](u32 A, u32 B, u32 C) { return A ^ B ^ C; }));
  T.add("v_xad_u32", lane([](u32 A, u32 B, u32 C) { return (A ^ B) + C; }));
  T.add("v_bfe_u32", lane([](u32 A, u32 B, u32 C) {
          return A >> (B & 31) & ((1u << (C & 31)) - 1);
        }));
  T.add("v_bfe_i32", lane([](i32 A, u32 B, u32 C) {
          const u32 Off = B & 31, Width = C & 31;
          // Bits above the register's top are copies of its sign.
          const i64 V = i64(A) >> Off;
          return Width ? i32(i64(u64(V) << (64 - Width)) >> (64 - Width)) : 0;
        }));
  T.add("v_bfi_b32",
        lane([](u32 A, u32 B, u32 C) { return (A & B) | (~A & C); }));
  T.add("v_alignbit_b32", lane([](u32 A, u32 B, u32 C) {
          return u32((u64(A) << 32 | B) >> (C & 31));
        }));
  T.add("v_alignbyte_b32", lane([](u32 A, u32 B, u32 C) {
          return u32((u64(A) << 32 | B) >> (8 * (C & 3)));
        }));
  T.add("v_perm_b32",
        lane([](u32 A, u32 B, u32 C) { return permute(A, B, C); }));
  T.add("v_lerp_u8", lane([](u32 A, u32 B, u32 C) {
          u32 R = 0;
          for (unsigned N = 0; N < 4; ++N)
            R |= (byteOf(A, N) + byteOf(B, N) + (byteOf(C, N) & 1)) >>
                 1 << (8 * N);
          return R;
        }));
  T.add("v_sad_u8",
        lane([](u32 A, u32 B, u32 C) { return sad8(A, B, false) + C; }));
  T.add("v_sad_hi_u8", lane([](u32 A, u32 B, u32 C) {
          return (sad8(A, B, false) << 16) + C;
        }));
  T.add("v_msad_u8",
        lane([](u32 A, u32 B, u32 C) { return sad8(A, B, true) + C; }));
  T.add("v_sad_u16", lane([](u32 A, u32 B, u32 C) {
          return absDiff(A & 0xffff, B & 0xffff) + absDiff(A >> 16, B >> 16) +
                 C;
        }));
  T.add("v_sad_u32",
        lane([](u32 A, u32 B, u32 C) { return absDiff(A, B) + C; }));
#define THREE(TYPE, SUFFIX)                                                    \
  T.add("v_min3_" SUFFIX,                                                      \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) -> TYPE { return min2<TYPE>(min2<TYPE>(A, B), C); },   \
             Op::KeepsHigh16));                                                \
  T.add("v_max3_" SUFFIX,                                                      \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) -> TYPE { return max2<TYPE>(max2<TYPE>(A, B), C); },   \
             Op::KeepsHigh16));                                                \
  T.add(                                                                       \
      "v_med3_" SUFFIX,                                                        \
      lane([](TYPE A, TYPE B, TYPE C) -> TYPE { return med3<TYPE>(A, B, C); }, \
           Op::KeepsHigh16))
#define MINMAX(TYPE, SUFFIX)                                                   \
  T.add("v_minmax_" SUFFIX, lane([](TYPE A, TYPE B, TYPE C) -> TYPE {          \
          return max2<TYPE>(min2<TYPE>(A, B), C);                              \
        }));                                                                   \
  T.add("v_maxmin_" SUFFIX, lane([](TYPE A, TYPE B, TYPE C) -> TYPE {          \
          return min2<TYPE>(max2<TYPE>(A, B), C);                              \
        }))
  MINMAX(i32, "i32");
  MINMAX(u32, "u32");
#undef MINMAX
  THREE(i32, "i32");
  THREE(u32, "u32");
  THREE(i16, "i16");
  THREE(u16, "u16");
#undef THREE
  T.add("v_cvt_pk_u16_u32", lane([](u32 A, u32 B) {
          return min2(A, 0xffffu) | min2(B, 0xffffu) << 16;
        }));
  T.add("v_cvt_pk_i16_i32", lane([](i32 A, i32 B) {
          return (u32(clampTo<i32>(A, -32768, 32767)) & 0xffff) |
                 u32(clampTo<i32>(B, -32768, 32767)) << 16;
        }));

  // 16 bits.
  T.add("v_add_u16",
        lane([](u16 A, u16 B) { return u16(A + B); },
             [](u16 A, u16 B) { return clampTo<u16>(A + B, 0, 0xffff); }));
  T.add("v_sub_u16",
        lane([](u16 A, u16 B) { return u16(A - B); },
             [](u16 A, u16 B) { return clampTo<u16>(A - B, 0, 0xffff); }));
  T.add("v_subrev_u16",
        lane([](u16 A, u16 B) { return u16(B - A); },
             [](u16 A, u16 B) { return clampTo<u16>(B - A, 0, 0xffff); }));
  T.add("v_add_i16",
        lane([](i16 A, i16 B) { return i16(A + B); },
             [](i16 A, i16 B) { return clampTo<i16>(A + B, -32768, 32767); },
             Op::KeepsHigh16));
  T.add("v_sub_i16",
        lane([](i16 A, i16 B) { return i16(A - B); },
             [](i16 A, i16 B) { return clampTo<i16>(A - B, -32768, 32767); },
             Op::KeepsHigh16));
  T.add("v_mul_lo_u16", lane([](u16 A, u16 B) { return u16(u32(A) * B); }));
  T.add("v_lshlrev_b16", lane([](u16 A, u16 B) { return u16(B << (A & 15)); }));
  T.add("v_lshrrev_b16", lane([](u16 A, u16 B) { return u16(B >> (A & 15)); }));
  T.add("v_ashrrev_i16", lane([](u16 A, i16 B) { return i16(B >> (A & 15)); }));
  T.add("v_min_i16", lane([](i16 A, i16 B) { return min2(A, B); }));
  T.add("v_max_i16", lane([](i16 A, i16 B) { return max2(A, B); }));
  T.add("v_min_u16", lane([](u16 A, u16 B) { return min2(A, B); }));
  T.add("v_max_u16", lane([](u16 A, u16 B) { return max2(A, B); }));
  // The legacy forms clear the upper half of the destination.
  for (bool Legacy : {false, true}) {
    const uint32_t Flags = Legacy ? 0 : Op::KeepsHigh16;
    T.add(Legacy ? "v_mad_legacy_u16" : "v_mad_u16",
          lane([](u16 A, u16 B, u16 C) { return u16(u32(A) * B + C); },
               [](u16 A, u16 B, u16 C) {
                 return clampTo<u16>(i64(A) * B + C, 0, 0xffff);
               },
               Flags));
    T.add(Legacy ? "v_mad_legacy_i16" : "v_mad_i16",
          lane([](i16 A, i16 B, i16 C) { return i16(A * B + C); },
               [](i16 A, i16 B, i16 C) {
                 return clampTo<i16>(i64(A) * B + C, -32768, 32767);
               },
               Flags));
  }
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
