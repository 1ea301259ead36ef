//===-- VectorPacked.cpp - two halves or two words at once, dot products --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOperands.h"

#include <cmath>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

/// A half of a packed operand, with sign modifiers applied.
template <class T> T half(const Env &E, u32 V, bool High, bool Neg) {
  u16 H = u16(High ? V >> 16 : V);
  if constexpr (std::is_same<T, h16>::value) {
    if (Neg)
      H ^= 0x8000;
    if (E.FlushInF64 && !(H & 0x7c00))
      H &= 0x8000;
    return h16{fromHalf(H)};
  } else {
    (void)Neg, (void)E;
    return T(H);
  }
}

u16 halfResult(const Env &E, const Inst &I, h16 R) {
  double D = R.V;
  if (I.Out.Clamp) {
    D = fromHalf(toHalf(D, E.RoundF64, E.FlushOutF64));
    D = D != D ? (E.DX10Clamp ? 0 : D) : D <= 0 ? 0 : D > 1 ? 1 : D;
  }
  return limitHalf(E, D, toHalf(D, E.RoundF64, E.FlushOutF64));
}
u16 halfResult(const Env &, const Inst &, u16 R) { return R; }
u16 halfResult(const Env &, const Inst &, i16 R) { return u16(R); }

template <class F> struct PackedOp {
  using Sig = Signature<F>;
  template <class... A> struct With {
    template <size_t... N>
    static void go(Machine &M, const Inst &I, std::index_sequence<N...>) {
      if (!M.exec())
        return;
      const u32 *P[] = {fetch32(M, I, N, Kind::B16)...};
      const u32 *Mask = execMask(M);
      u32 *R = M.Tmp[3];
      const Env E = M.E;
      const u8 Sel[2] = {I.Packed.OpSel, I.Packed.OpSelHi},
               Neg[2] = {I.Packed.NegLo, I.Packed.NegHi};
      for (unsigned L = 0; L < M.Lanes; ++L) {
        if (!Mask[L])
          continue;
        u32 Out = 0;
        for (unsigned H = 0; H < 2; ++H)
          Out |= u32(halfResult(E, I,
                                LaneOp<F>::template With<A...>::call(
                                    E, half<A>(E, P[N][L], Sel[H] >> N & 1,
                                               Neg[H] >> N & 1)...)))
                 << (16 * H);
        R[L] = Out;
      }
      u32 *D = M.vgpr(I.Dst);
      for (unsigned L = 0; L < M.Lanes; ++L)
        D[L] = (R[L] & Mask[L]) | (D[L] & ~Mask[L]);
    }
    static void run(Machine &M, const Inst &I) {
      go(M, I, std::index_sequence_for<A...>());
    }
    static void describe(Op &O) { LaneOp<F>::template With<A...>::describe(O); }
  };
  using Run = typename Sig::template Apply<With>;
};

template <class F> Op packed(F) {
  Op O;
  using P = PackedOp<F>;
  O.Fn = &P::Run::run;
  P::Run::describe(O);
  O.Result = Kind::B32;
  if (O.Args[0] == Kind::F16) {
    O.Fp = FpClass::Near;
    O.Flags = Op::Packed; // clamp is handled above
  }
  return O;
}
/// With a different function for clamp.
template <class F, class G> Op packed(F Fn, G) {
  Op O = packed(Fn);
  O.ClampFn = &PackedOp<G>::Run::run;
  return O;
}

i32 clampTo(i64 V, i64 Lo, i64 Hi) {
  return i32(V < Lo ? Lo : V > Hi ? Hi : V);
}
u16 satU16(i64 V) { return u16(clampTo(V, 0, 0xffff)); }
i16 satI16(i64 V) { return i16(clampTo(V, -32768, 32767)); }

/// Word \a Half of source \a N of a packed 32-bit instruction.
const u32 *wordOf(Machine &M, const Inst &I, unsigned N, bool High, u32 *Buf) {
  const Operand &S = I.Src[N];
  u32 V;
  switch (S.At) {
  case Operand::Where::VGPR:
    return M.vgpr(S.Reg + High);
  case Operand::Where::Scalar:
    V = M.W.Scalar[S.Reg + High];
    break;
  case Operand::Where::Const:
    if (High) {
      M.unmodeled(I, "the upper word of an inline constant is not modeled");
      return nullptr;
    }
    V = u32(S.Const);
    break;
  default:
    V = u32(M.special(S) >> (32 * High));
    break;
  }
  for (unsigned L = 0; L < M.Lanes; ++L)
    Buf[L] = V;
  return Buf;
}

u32 inputF32(const Env &E, u32 V, bool Neg) {
  if (E.FlushInF32 && !(V & 0x7f800000u))
    V &= 0x80000000u;
  return Neg ? V ^ 0x80000000u : V;
}
u32 outputF32(const Env &E, const Inst &I, f32 F) {
  u32 V = bitsOf(F);
  if (E.FlushOutF32 && !(V & 0x7f800000u))
    V &= 0x80000000u;
  if (I.Out.Clamp) {
    F = f32FromBits(V);
    F = isNaN(F) ? (E.DX10Clamp ? 0 : F) : F <= 0 ? 0 : F > 1 ? 1 : F;
    V = bitsOf(F);
  }
  return V;
}

enum class Pk32 : uint32_t { Add, Mul, Fma };
template <Pk32 What> void packedF32(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  constexpr unsigned Count = What == Pk32::Fma ? 3 : 2;
  const u32 *Mask = execMask(M);
  const Env E = M.E;
  const bool Simple = !I.Out.Clamp && !E.FlushInF32 && !E.FlushOutF32;
  alignas(64) u32 Out[2][MaxLanes];
  for (unsigned H = 0; H < 2; ++H) {
    const u32 *P[3] = {nullptr, nullptr, nullptr};
    u32 Neg[3] = {};
    for (unsigned N = 0; N < Count; ++N) {
      const u8 Sel = H ? I.Packed.OpSelHi : I.Packed.OpSel;
      if (!(P[N] = wordOf(M, I, N, Sel >> N & 1, M.Tmp[N])))
        return;
      Neg[N] = ((H ? I.Packed.NegHi : I.Packed.NegLo) >> N & 1) << 31;
    }
    const auto One = [](f32 A, f32 B, f32 C) -> f32 {
      return What == Pk32::Add   ? sum(A, B)
             : What == Pk32::Mul ? product(A, B)
                                 : fused(A, B, C);
    };
    if (Simple) {
      const u32 *A = P[0], *B = P[1], *C = Count == 3 ? P[2] : P[1];
      const u32 NegA = Neg[0], NegB = Neg[1], NegC = Neg[2];
      u32 *R = Out[H];
      const unsigned Lanes = M.Lanes;
#pragma clang loop vectorize(assume_safety)
      for (unsigned L = 0; L < Lanes; ++L)
        R[L] = bitsOf(One(f32FromBits(A[L] ^ NegA), f32FromBits(B[L] ^ NegB),
                          f32FromBits(C[L] ^ NegC)));
    } else {
      for (unsigned L = 0; L < M.Lanes; ++L)
        Out[H][L] = outputF32(
            E, I,
            One(f32FromBits(inputF32(E, P[0][L], Neg[0])),
                f32FromBits(inputF32(E, P[1][L], Neg[1])),
                Count == 3 ? f32FromBits(inputF32(E, P[2][L], Neg[2])) : 0));
    }
  }
  for (unsigned H = 0; H < 2; ++H) {
    u32 *D = M.vgpr(I.Dst + H);
    for (unsigned L = 0; L < M.Lanes; ++L)
      D[L] = (Out[H][L] & Mask[L]) | (D[L] & ~Mask[L]);
  }
}

void packedMove(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const u32 *Mask = execMask(M);
  const u32 *P[2];
  for (unsigned N = 0; N < 2; ++N)
    if (!(P[N] = wordOf(M, I, N, I.Packed.OpSel >> N & 1, M.Tmp[N])))
      return;
  // The first half may overwrite the second source.
  if (P[1] == M.vgpr(I.Dst)) {
    std::memcpy(M.Tmp[2], P[1], M.Lanes * 4);
    P[1] = M.Tmp[2];
  }
  for (unsigned H = 0; H < 2; ++H) {
    u32 *D = M.vgpr(I.Dst + H);
    const u32 *S = P[H];
    for (unsigned L = 0; L < M.Lanes; ++L)
      D[L] = (S[L] & Mask[L]) | (D[L] & ~Mask[L]);
  }
}

/// Each source is an f32 or either half: op_sel_hi selects halves, op_sel which
/// one. neg_hi is the absolute value here. Without fusion (v_mad_mix_*),
/// denormals are zero, as in v_mad_f32.
enum class Mix : uint32_t { F32, Lo, Hi };
template <Mix To, bool Fused> void mix(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const Env E = M.E;
  const u32 *P[3];
  for (unsigned N = 0; N < 3; ++N)
    P[N] = fetch32(M, I, N, Kind::B32);
  const u32 *Mask = execMask(M);
  u32 *D = M.vgpr(I.Dst);
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!Mask[L])
      continue;
    f32 V[3];
    for (unsigned N = 0; N < 3; ++N) {
      const bool Abs = I.Packed.NegHi >> N & 1, Neg = I.Packed.NegLo >> N & 1;
      u32 B;
      if (I.Packed.OpSelHi >> N & 1) {
        u16 H = u16(I.Packed.OpSel >> N & 1 ? P[N][L] >> 16 : P[N][L]);
        if (E.FlushInF64 && !(H & 0x7c00))
          H &= 0x8000;
        B = bitsOf(f32(fromHalf(H)));
      } else {
        B = inputF32(E, P[N][L], false);
        if (!Fused && !(B & 0x7f800000u))
          B &= 0x80000000u;
      }
      if (Abs)
        B &= 0x7fffffffu;
      if (Neg)
        B ^= 0x80000000u;
      V[N] = f32FromBits(B);
    }
    const auto Flush = [](f32 F) {
      return bitsOf(F) & 0x7f800000u ? F : f32FromBits(bitsOf(F) & 0x80000000u);
    };
    const f32 F = Fused ? fused(V[0], V[1], V[2])
                        : Flush(sum(Flush(product(V[0], V[1])), V[2]));
    if (To == Mix::F32) {
      D[L] = outputF32(E, I, F);
      continue;
    }
    const u32 H = halfResult(E, I, h16{f64(f32FromBits(outputF32(E, I, F)))});
    D[L] = To == Mix::Lo ? (D[L] & 0xffff0000u) | H : (D[L] & 0xffff) | H << 16;
  }
}

/// Two halves, moved unchanged, so a signaling NaN stays one.
void pack16(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  const u32 *A = fetch32(M, I, 0, Kind::F16), *B = fetch32(M, I, 1, Kind::F16);
  const u32 *Mask = laneMask(M, I);
  u16 And[2], Xor[2];
  for (unsigned N = 0; N < 2; ++N) {
    And[N] = I.Src[N].Abs ? 0x7fff : 0xffff;
    Xor[N] = I.Src[N].Neg ? 0x8000 : 0;
  }
  u32 *R = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L)
    R[L] = u32(u16((A[L] & And[0]) ^ Xor[0])) |
           u32(u16((B[L] & And[1]) ^ Xor[1])) << 16;
  finish32(M, I, R, Kind::B32, Mask);
}

template <unsigned Bits, bool Signed> i64 dot(u32 A, u32 B) {
  i64 R = 0;
  for (unsigned N = 0; N < 32; N += Bits) {
    const auto Part = [&](u32 V) -> i64 {
      const u32 Top = V << (32 - Bits - N);
      return Signed ? i64(i32(Top) >> (32 - Bits)) : i64(Top >> (32 - Bits));
    };
    R += Part(A) * Part(B);
  }
  return R;
}

/// gfx11's dot products: neg_lo selects signed sides.
template <unsigned Bits> void dotEither(Machine &M, const Inst &I) {
  if (I.Out.Clamp)
    return M.unmodeled(I, "clamp is not modeled");
  if (!M.exec())
    return;
  const u32 *A = fetch32(M, I, 0, Kind::B32), *B = fetch32(M, I, 1, Kind::B32),
            *C = fetch32(M, I, 2, Kind::B32);
  const auto Part = [](u32 V, unsigned At, bool Signed) -> i64 {
    const u32 Top = V << (32 - Bits - At);
    return Signed ? i64(i32(Top) >> (32 - Bits)) : i64(Top >> (32 - Bits));
  };
  u32 *R = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    i64 Sum = 0;
    for (unsigned N = 0; N < 32; N += Bits)
      Sum +=
          Part(A[L], N, I.Packed.NegLo & 1) * Part(B[L], N, I.Packed.NegLo & 2);
    R[L] = C[L] + u32(Sum);
  }
  finish32(M, I, R, Kind::B32, execMask(M));
}

/// Two products of halves and a third source, added in f32, with that source
/// first or last. Products of such halves are exact.
template <bool Brain, bool Tied> void dot2(Machine &M, const Inst &I) {
  if (!M.exec())
    return;
  constexpr Kind Half = Brain ? Kind::BF16 : Kind::F16;
  const Env E = M.E;
  const u32 *P[2] = {fetch32(M, I, 0, Half), fetch32(M, I, 1, Half)};
  const u32 *C = fetch32(M, I, 2, Kind::F32);
  const u32 *Mask = laneMask(M, I);
  // VOP2 has neither selections nor sign modifiers.
  const bool Packed = I.Enc == Encoding::VOP3P;
  const u8 Sel[2] = {Packed ? I.Packed.OpSel : u8(0),
                     Packed ? I.Packed.OpSelHi : u8(3)},
           Neg[2] = {I.Packed.NegLo, I.Packed.NegHi};
  const auto Value = [&](unsigned N, unsigned H, unsigned L) -> f32 {
    u16 V = u16(Sel[H] >> N & 1 ? P[N][L] >> 16 : P[N][L]);
    if (Packed && Neg[H] >> N & 1)
      V ^= 0x8000;
    return Brain ? f32FromBits(u32(V) << 16) : f32(fromHalf(V));
  };
  u32 *R = M.Tmp[3];
  for (unsigned L = 0; L < M.Lanes; ++L) {
    if (!Mask[L])
      continue;
    const f32 Third =
        f32FromBits(Packed && I.Packed.NegLo & 4 ? C[L] ^ 0x80000000u : C[L]);
    const f32 Low = product(Value(0, 0, L), Value(1, 0, L)),
              High = product(Value(0, 1, L), Value(1, 1, L));
    const f32 Sum = Brain && !Tied ? sum(sum(Low, High), Third)
                                   : sum(sum(Third, Low), High);
    R[L] = outputF32(E, I, Sum);
  }
  u32 *D = M.vgpr(I.Dst);
  for (unsigned L = 0; L < M.Lanes; ++L)
    D[L] = (R[L] & Mask[L]) | (D[L] & ~Mask[L]);
}

} // namespace

void addPackedOps(OpTable &T) {
  T.add("v_pk_mad_i16",
        packed([](i16 A, i16 B, i16 C) { return i16(A * B + C); },
               [](i16 A, i16 B, i16 C) { return satI16(i64(A) * B + C); }));
  T.add("v_pk_mad_u16",
        packed([](u16 A, u16 B, u16 C) { return u16(u32(A) * B + C); },
               [](u16 A, u16 B, u16 C) { return satU16(i64(A) * B + C); }));
  T.add("v_pk_mul_lo_u16",
        packed([](u16 A, u16 B) { return u16(u32(A) * B); }));
  T.add("v_pk_add_i16", packed([](i16 A, i16 B) { return i16(A + B); },
                               [](i16 A, i16 B) { return satI16(A + B); }));
  T.add("v_pk_sub_i16", packed([](i16 A, i16 B) { return i16(A - B); },
                               [](i16 A, i16 B) { return satI16(A - B); }));
  T.add("v_pk_add_u16", packed([](u16 A, u16 B) { return u16(A + B); },
                               [](u16 A, u16 B) { return satU16(A + B); }));
  T.add("v_pk_sub_u16", packed([](u16 A, u16 B) { return u16(A - B); },
                               [](u16 A, u16 B) { return satU16(A - B); }));
  T.add("v_pk_lshlrev_b16",
        packed([](u16 A, u16 B) { return u16(B << (A & 15)); }));
  T.add("v_pk_lshrrev_b16",
        packed([](u16 A, u16 B) { return u16(B >> (A & 15)); }));
  T.add("v_pk_ashrrev_i16",
        packed([](u16 A, i16 B) { return i16(B >> (A & 15)); }));
  T.add("v_pk_max_i16", packed([](i16 A, i16 B) { return A > B ? A : B; }));
  T.add("v_pk_min_i16", packed([](i16 A, i16 B) { return A < B ? A : B; }));
  T.add("v_pk_max_u16", packed([](u16 A, u16 B) { return A > B ? A : B; }));
  T.add("v_pk_min_u16", packed([](u16 A, u16 B) { return A < B ? A : B; }));

  T.add("v_pk_add_f16",
        packed([](h16 A, h16 B) { return h16{sum(A.V, B.V)}; }));
  T.add("v_pk_mul_f16",
        packed([](h16 A, h16 B) { return h16{product(A.V, B.V)}; }));
  T.add("v_pk_fma_f16",
        packed([](h16 A, h16 B, h16 C) { return fmaHalf(A, B, C); }));
  T.add("v_pk_min_f16",
        packed([](const Env &E, h16 A, h16 B) { return minHalf(E, A, B); }));
  T.add("v_pk_min_num_f16",
        packed([](h16 A, h16 B) { return minNumHalf(A, B); }));
  T.add("v_pk_max_num_f16",
        packed([](h16 A, h16 B) { return maxNumHalf(A, B); }));
  T.add("v_pk_max_f16",
        packed([](const Env &E, h16 A, h16 B) { return maxHalf(E, A, B); }));

  T.add("v_pk_minimum3_f16", packed([](h16 A, h16 B, h16 C) {
          return minimumHalf(minimumHalf(A, B), C);
        }));
  T.add("v_pk_maximum3_f16", packed([](h16 A, h16 B, h16 C) {
          return maximumHalf(maximumHalf(A, B), C);
        }));

  T.add("v_pk_add_f32", custom(packedF32<Pk32::Add>, Kind::PF32,
                               {Kind::PF32, Kind::PF32}, Op::Packed));
  T.add("v_pk_mul_f32", custom(packedF32<Pk32::Mul>, Kind::PF32,
                               {Kind::PF32, Kind::PF32}, Op::Packed));
  T.add("v_pk_fma_f32",
        custom(packedF32<Pk32::Fma>, Kind::PF32,
               {Kind::PF32, Kind::PF32, Kind::PF32}, Op::Packed));
  T.add("v_pk_mov_b32",
        custom(packedMove, Kind::PF32, {Kind::PF32, Kind::PF32}));

  const auto Dot = [&](const char *Name, Handler Fn, Kind Half,
                       uint32_t Flags) {
    T.add(Name,
          custom(Fn, Kind::F32, {Half, Half, Kind::F32}, Op::Packed | Flags));
  };
  Dot("v_dot2_f32_f16", dot2<false, false>, Kind::F16, 0);
  Dot("v_dot2_f32_bf16", dot2<true, false>, Kind::BF16, 0);
  Dot("v_dot2c_f32_f16", dot2<false, true>, Kind::F16, Op::ReadsDst);
  Dot("v_dot2c_f32_bf16", dot2<true, true>, Kind::BF16, Op::ReadsDst);

  T.add("v_pack_b32_f16", custom(pack16, Kind::B32, {Kind::F16, Kind::F16}));

  const auto Three = {Kind::F32, Kind::F32, Kind::F32};
  constexpr uint32_t Flags = Op::Packed | Op::MixesHalves;
  T.add("v_mad_mix_f32", custom(mix<Mix::F32, false>, Kind::F32, Three, Flags));
  T.add("v_mad_mixlo_f16",
        custom(mix<Mix::Lo, false>, Kind::F32, Three, Flags));
  T.add("v_mad_mixhi_f16",
        custom(mix<Mix::Hi, false>, Kind::F32, Three, Flags));
  T.add("v_fma_mix_f32", custom(mix<Mix::F32, true>, Kind::F32, Three, Flags));
  T.add("v_fma_mixlo_f16", custom(mix<Mix::Lo, true>, Kind::F32, Three, Flags));
  T.add("v_fma_mixhi_f16", custom(mix<Mix::Hi, true>, Kind::F32, Three, Flags));

#define DOT(NAME, BITS, SIGNED, TYPE, LO, HI, FLAGS)                           \
  T.add(NAME, lane([](u32 A, u32 B,                                            \
                      u32 C) { return u32(dot<BITS, SIGNED>(A, B)) + C; },     \
                   [](u32 A, u32 B, TYPE C) {                                  \
                     const i64 V = dot<BITS, SIGNED>(A, B) + i64(C);           \
                     return u32(V < LO ? LO : V > HI ? HI : V);                \
                   },                                                          \
                   FLAGS))
  constexpr i64 Min = INT32_MIN, Max = INT32_MAX, UMax = UINT32_MAX;
  DOT("v_dot2_i32_i16", 16, true, i32, Min, Max, 0);
  DOT("v_dot2_u32_u16", 16, false, u32, 0, UMax, 0);
  DOT("v_dot4_i32_i8", 8, true, i32, Min, Max, 0);
  DOT("v_dot4_u32_u8", 8, false, u32, 0, UMax, 0);
  DOT("v_dot8_i32_i4", 4, true, i32, Min, Max, 0);
  DOT("v_dot8_u32_u4", 4, false, u32, 0, UMax, 0);
  DOT("v_dot2c_i32_i16", 16, true, i32, Min, Max, Op::ReadsDst);
  DOT("v_dot4c_i32_i8", 8, true, i32, Min, Max, Op::ReadsDst);
  DOT("v_dot8c_i32_i4", 4, true, i32, Min, Max, Op::ReadsDst);
#undef DOT
  const auto Words = {Kind::B32, Kind::B32, Kind::B32};
  T.add("v_dot4_i32_iu8", custom(dotEither<8>, Kind::B32, Words, Op::Packed));
  T.add("v_dot8_i32_iu4", custom(dotEither<4>, Kind::B32, Words, Op::Packed));
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
