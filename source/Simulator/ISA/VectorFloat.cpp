//===-- VectorFloat.cpp - floating-point instructions of lanes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host rounds f32 and f64 (MXCSR is set from MODE before the handler runs);
// halves are computed exactly in a double and rounded once. Denormals are
// flushed when operands are fetched and results written.
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"

#include <cmath>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

// The result of invalid operations.
f32 defaultNaN(f32) { return f32FromBits(0xffc00000u); }
f64 defaultNaN(f64) { return bitCast<f64>(u64(0xfff8000000000000ull)); }

using WAVELANE_ISA_VARIANT::quiet;
h16 quiet(h16 H) { return {quiet(H.V)}; }
bool isSignaling(f32 F) { return isNaN(F) && !(bitsOf(F) & 0x400000u); }
bool isSignaling(f64 D) { return isNaN(D) && !(bitsOf(D) >> 51 & 1); }
bool isSignaling(h16 H) { return isSignaling(H.V); }
bool isNaN(h16 H) { return H.V != H.V; }
using WAVELANE_ISA_VARIANT::isNaN;
bool less(f32 A, f32 B) { return A < B; }
bool less(f64 A, f64 B) { return A < B; }
bool less(h16 A, h16 B) { return A.V < B.V; }
bool negative(f32 A) { return bitsOf(A) >> 31; }
bool negative(f64 A) { return bitsOf(A) >> 63; }
bool negative(h16 A) { return negative(A.V); }
unsigned biased(f32 A) { return bitsOf(A) >> 23 & 0xff; }
unsigned biased(f64 A) { return bitsOf(A) >> 52 & 0x7ff; }

/// The smaller or larger of two numbers; if one is NaN, the other, or the quiet
/// NaN in IEEE mode.
template <bool Larger, class F> F extremum(const Env &E, F A, F B) {
  if (E.IEEE && isSignaling(A))
    return quiet(A);
  if (E.IEEE && isSignaling(B))
    return quiet(B);
  if (isNaN(A))
    return B;
  if (isNaN(B))
    return A;
  if (less(A, B))
    return Larger ? B : A;
  if (less(B, A))
    return Larger ? A : B;
  return negative(A) != Larger ? A : B;
}
template <class F> F minimum(const Env &E, F A, F B) {
  return extremum<false>(E, A, B);
}
template <class F> F maximum(const Env &E, F A, F B) {
  return extremum<true>(E, A, B);
}
template <class F> F median(const Env &E, F A, F B, F C) {
  if (isNaN(A) || isNaN(B) || isNaN(C))
    return minimum(E, minimum(E, A, B), C);
  const F Max = maximum(E, maximum(E, A, B), C);
  const auto Same = [](F X, F Y) { return !less(X, Y) && !less(Y, X); };
  if (Same(Max, A))
    return maximum(E, B, C);
  if (Same(Max, B))
    return maximum(E, A, C);
  return maximum(E, A, B);
}

// gfx12: a number takes precedence over any NaN.
template <class F> F minNumber(F A, F B) {
  if (isNaN(A))
    return isNaN(B) ? quiet(A) : B;
  return isNaN(B) || less(A, B) || (!less(B, A) && negative(A)) ? A : B;
}
template <class F> F maxNumber(F A, F B) {
  if (isNaN(A))
    return isNaN(B) ? quiet(A) : B;
  return isNaN(B) || less(B, A) || (!less(A, B) && !negative(A)) ? A : B;
}
template <class F> F medianNumber(F A, F B, F C) {
  if (isNaN(A) || isNaN(B) || isNaN(C))
    return minNumber(minNumber(A, B), C);
  return maxNumber(minNumber(A, B), minNumber(maxNumber(A, B), C));
}
// gfx12: any NaN takes precedence.
template <class F> bool takesNaN(F A, F B, F &NaN) {
  if (!isNaN(A) && !isNaN(B))
    return false;
  NaN = quiet(isSignaling(A) || (isNaN(A) && !isSignaling(B)) ? A : B);
  return true;
}
template <class F> F minimumNaN(F A, F B) {
  F NaN{};
  return takesNaN(A, B, NaN) ? NaN : minNumber(A, B);
}
template <class F> F maximumNaN(F A, F B) {
  F NaN{};
  return takesNaN(A, B, NaN) ? NaN : maxNumber(A, B);
}

/// v_mad and v_mac treat denormals as zero, even between their two roundings.
f32 ftz(f32 F) {
  return bitsOf(F) & 0x7f800000u ? F : f32FromBits(bitsOf(F) & 0x80000000u);
}
f32 mad(f32 A, f32 B, f32 C) {
  return ftz(sum(ftz(product(ftz(A), ftz(B))), ftz(C)));
}
/// Zero times anything is zero.
f32 fmaLegacy(f32 A, f32 B, f32 C) {
  return A == 0 || B == 0 ? 0 + C : fused(A, B, C);
}
f32 mulLegacy(f32 A, f32 B) { return A == 0 || B == 0 ? 0 : product(A, B); }

/// A + B rounded to odd, so that rounding to fewer bits afterwards is correct.
double addToOdd(double A, double B) {
  const double S = sum(A, B);
  if (!(S - S == 0))
    return S;
  const double Bv = S - A, Av = S - Bv;
  const double Err = (A - Av) + (B - Bv);
  if (Err == 0 || (bitsOf(S) & 1))
    return S;
  const u64 Bits = bitsOf(S);
  return bitCast<double>((Err > 0) == (S > 0) ? Bits + 1 : Bits - 1);
}
/// A * B + C; the product is exact.
double fusedToOdd(double A, double B, double C) {
  if (isNaN(C) && !isNaN(A) && !isNaN(B))
    return quiet(C); // even if the product is invalid
  return addToOdd(product(A, B), C);
}
/// The product is rounded to half, then the sum.
h16 madHalf(const Env &E, h16 A, h16 B, h16 C) {
  const double P =
      fromHalf(toHalf(product(A.V, B.V), E.RoundF64, E.FlushOutF64));
  return {sum(P, C.V)};
}

template <class I, class F> I toInt(F V, double Lo, double Hi) {
  if (isNaN(V))
    return 0;
  const double D = double(V);
  return D <= Lo ? I(Lo) : D >= Hi ? I(Hi) : I(D);
}
i32 toI32(double D) { return toInt<i32>(D, -2147483648.0, 2147483647.0); }
u32 toU32(double D) { return toInt<u32>(D, 0.0, 4294967295.0); }

/// Hides that the number came from 32 bits, because the host's idiom for
/// converting unsigned numbers gives -0 when rounding down.
i64 widen(u32 V) {
  i64 W = V;
  asm("" : "+r"(W));
  return W;
}

template <class F> F fract(F V, F Largest) {
  const F R = V - std::floor(V);
  return R > Largest ? Largest : R;
}

// Transcendental functions: the ISA allows an error of one unit in the last
// place.
f32 exp2Of(f32 V) { return std::exp2(V); }
f32 log2Of(f32 V) {
  if (V < 0)
    return defaultNaN(V);
  return std::log2(V);
}
double turnFraction(double V) { return V - std::rint(V); }
double sinTurns(double V) {
  if (!(V - V == 0))
    return defaultNaN(V);
  if (V < -256 || V > 256)
    return 0;
  const double F = turnFraction(V);
  return F == 0 ? F : std::sin(F * 6.283185307179586476925);
}
double cosTurns(double V) {
  if (!(V - V == 0))
    return defaultNaN(V);
  if (V < -256 || V > 256)
    return 1;
  return std::cos(turnFraction(V) * 6.283185307179586476925);
}

i32 frexpExp(double V) {
  if (!(V - V == 0) || V == 0)
    return 0;
  int E;
  (void)std::frexp(V, &E);
  return E;
}
template <class F> F frexpMant(F V) {
  if (isNaN(V))
    return quiet(V);
  if (!(V - V == 0))
    return V;
  int E;
  return std::frexp(V, &E);
}

// Division. Operands: the number to scale, denominator, numerator.
template <class F> struct DivLimits;
template <> struct DivLimits<f32> {
  static constexpr int Near = 96, Scale = 64, Tiny = 23, Underflow = -150;
};
template <> struct DivLimits<f64> {
  static constexpr int Near = 768, Scale = 128, Tiny = 53, Underflow = -1075;
};
template <class F> bool isDenormal(F V) { return V != 0 && biased(V) == 0; }
template <class F> F divScale(F S, F Den, F Num, bool &Vcc) {
  using L = DivLimits<F>;
  Vcc = false;
  if (Den == 0 || Num == 0)
    return defaultNaN(S);
  const auto Same = [](F A, F B) { return bitsOf(A) == bitsOf(B); };
  if (int(biased(Num)) - int(biased(Den)) >= L::Near) {
    Vcc = true;
    return Same(S, Den) ? std::ldexp(S, L::Scale) : S;
  }
  if (isDenormal(Den))
    return std::ldexp(S, L::Scale);
  const bool SmallRcp = isDenormal(F(1) / Den), SmallQ = isDenormal(Num / Den);
  if (SmallRcp && SmallQ) {
    // Only the denominator is scaled down, so the quotient goes up.
    Vcc = true;
    return Same(S, Den) ? std::ldexp(S, -L::Scale) : S;
  }
  if (SmallRcp)
    return std::ldexp(S, -L::Scale);
  if (SmallQ) {
    Vcc = true;
    return Same(S, Num) ? std::ldexp(S, L::Scale) : S;
  }
  if (int(biased(Num)) <= L::Tiny)
    return std::ldexp(S, L::Scale);
  return S;
}

/// Whether none of eight divisions needs scaling or a special result: neither
/// number is a denormal, infinity or NaN, and so is neither the quotient nor
/// the denominator's reciprocal.
template <class F> bool areUsual(const F *Den, const F *Num) {
  using L = DivLimits<F>;
  constexpr int Largest = sizeof(F) == 4 ? 255 : 2047, Bias = Largest / 2;
  int Bad = 0;
  for (unsigned N = 0; N < 8; ++N) {
    const int D = int(biased(Den[N])), U = int(biased(Num[N]));
    // Exponents of a quotient are the difference, or less by one.
    Bad |= int(D < 1) | int(D > Largest - 3) | int(U <= L::Tiny) |
           int(U >= Largest) | int(U - D >= L::Near) | int(U - D < 2 - Bias);
  }
  return !Bad;
}

template <class F> u32 divScaleEight(const Env &, void *Lanes, u32) {
  const auto *A = static_cast<const F *>(Lanes),
             *D = A + Op::EightStep / sizeof(F),
             *X = D + Op::EightStep / sizeof(F);
  F *R = static_cast<F *>(Lanes) + Op::ResultAt / sizeof(F);
  if (areUsual(D, X)) {
    std::memcpy(R, A, 8 * sizeof(F));
    return 0;
  }
  u32 Vcc = 0;
  for (unsigned L = 0; L < 8; ++L) {
    bool V;
    R[L] = divScale(A[L], D[L], X[L], V);
    Vcc |= u32(V) << L;
  }
  return Vcc;
}

template <class F> void divScaleOp(Machine &M, const Inst &I) {
  const u64 X = M.exec();
  u64 Vcc = 0;
  const auto Run = [&](auto *A, auto *B, auto *C, auto *R) {
    for (unsigned L = 0; L < M.Lanes; ++L) {
      if (!(X >> L & 1))
        continue;
      bool V;
      const F Q =
          divScale(bitCast<F>(A[L]), bitCast<F>(B[L]), bitCast<F>(C[L]), V);
      R[L] = bitsOf(Q);
      Vcc |= u64(V) << L;
    }
  };
  if constexpr (sizeof(F) == 4) {
    Run(fetch32(M, I, 0, Kind::F32), fetch32(M, I, 1, Kind::F32),
        fetch32(M, I, 2, Kind::F32), M.Tmp[3]);
    finish32(M, I, M.Tmp[3], Kind::F32, laneMask(M, I));
  } else {
    Run(fetch64(M, I, 0, Kind::F64), fetch64(M, I, 1, Kind::F64),
        fetch64(M, I, 2, Kind::F64), M.Tmp64[3]);
    finish64(M, I, M.Tmp64[3], Kind::F64, laneMask(M, I));
  }
  M.writeMask(I.SDst, Vcc);
}

f32 fmaScaled(f32 A, f32 B, f32 C, bool Scale) {
  if (!Scale)
    return fused(A, B, C);
  const double R = fusedToOdd(A, B, C);
  return f32(R * (biased(C) > 127 ? 0x1p64 : 0x1p-64));
}
f64 fmaScaled(f64 A, f64 B, f64 C, bool Scale) {
  const f64 R = fused(A, B, C);
  if (!Scale)
    return R;
  const f64 Factor = biased(C) > 1023 ? 0x1p128 : 0x1p-128;
  const f64 S = R * Factor;
  if (biased(S) > 1 || Factor > 1)
    return S; // the factor only changed the exponent
  // The result is denormal, so it has been rounded twice. This only matters if
  // R is half way between two denormals but the exact sum isn't.
  const f64 P = A * B, Pe = std::fma(A, B, -P);
  const f64 T = P + C, Cv = T - P, Pv = T - Cv;
  const f64 Rest = (T - R) + (((P - Pv) + (C - Cv)) + Pe);
  const f64 Lost = R - S * 0x1p128;
  if (std::fabs(Lost) == 0x1p-947 && Rest != 0 && (Rest > 0) == (Lost > 0))
    return S + (Lost > 0 ? 0x1p-1074 : -0x1p-1074);
  return S;
}
template <class F> u32 divFmasEight(const Env &, void *Lanes, u32 Vcc) {
  const auto *A = static_cast<const F *>(Lanes),
             *D = A + Op::EightStep / sizeof(F),
             *X = D + Op::EightStep / sizeof(F);
  F *R = static_cast<F *>(Lanes) + Op::ResultAt / sizeof(F);
  if (!Vcc) {
    F Out[8];
    for (unsigned L = 0; L < 8; ++L)
      Out[L] = fused(A[L], D[L], X[L]);
    std::memcpy(R, Out, sizeof(Out));
    return 0;
  }
  for (unsigned L = 0; L < 8; ++L)
    R[L] = fmaScaled(A[L], D[L], X[L], Vcc >> L & 1);
  return 0;
}

template <class F> void divFmas(Machine &M, const Inst &I) {
  const u64 X = M.exec(), Vcc = M.vcc();
  if (!X)
    return;
  const auto Run = [&](auto *A, auto *B, auto *C, auto *R) {
    for (unsigned L = 0; L < M.Lanes; ++L)
      if (X >> L & 1)
        R[L] = bitsOf(fmaScaled(bitCast<F>(A[L]), bitCast<F>(B[L]),
                                bitCast<F>(C[L]), Vcc >> L & 1));
  };
  if constexpr (sizeof(F) == 4) {
    Run(fetch32(M, I, 0, Kind::F32), fetch32(M, I, 1, Kind::F32),
        fetch32(M, I, 2, Kind::F32), M.Tmp[3]);
    finish32(M, I, M.Tmp[3], Kind::F32, laneMask(M, I));
  } else {
    Run(fetch64(M, I, 0, Kind::F64), fetch64(M, I, 1, Kind::F64),
        fetch64(M, I, 2, Kind::F64), M.Tmp64[3]);
    finish64(M, I, M.Tmp64[3], Kind::F64, laneMask(M, I));
  }
}

template <class F> F divFixup(F Q, F Den, F Num) {
  const bool Neg = negative(Den) != negative(Num);
  const auto Signed = [&](F V) { return Neg ? -V : V; };
  const F Inf = F(HUGE_VAL);
  if (isNaN(Num))
    return quiet(Num);
  if (isNaN(Den))
    return quiet(Den);
  const bool DenInf = std::fabs(Den) == Inf, NumInf = std::fabs(Num) == Inf;
  if ((Den == 0 && Num == 0) || (DenInf && NumInf))
    return defaultNaN(Q);
  if (Den == 0 || NumInf)
    return Signed(Inf);
  if (DenInf || Num == 0)
    return Signed(F(0));
  if (int(biased(Num)) - int(biased(Den)) < DivLimits<F>::Underflow)
    return Signed(F(0));
  // Quotients out of range result from the sequence as inf - inf.
  if (isNaN(Q))
    return Signed(Inf);
  return Signed(std::fabs(Q));
}

template <class F> u32 divFixupEight(const Env &, void *Lanes, u32) {
  const auto *Q = static_cast<const F *>(Lanes),
             *D = Q + Op::EightStep / sizeof(F),
             *X = D + Op::EightStep / sizeof(F);
  F *R = static_cast<F *>(Lanes) + Op::ResultAt / sizeof(F);
  F Out[8];
  bool HasNaN = false;
  for (unsigned L = 0; L < 8; ++L)
    HasNaN |= isNaN(Q[L]);
  if (!HasNaN && areUsual(D, X))
    for (unsigned L = 0; L < 8; ++L)
      Out[L] = std::copysign(Q[L], bitCast<F>(bitsOf(D[L]) ^ bitsOf(X[L])));
  else
    for (unsigned L = 0; L < 8; ++L)
      Out[L] = divFixup(Q[L], D[L], X[L]);
  std::memcpy(R, Out, sizeof(Out));
  return 0;
}

/// As ldexp(): the product is exact, and rounded once.
u32 ldexpEight(const Env &, void *Lanes, u32) {
  const auto *A = static_cast<const f32 *>(Lanes);
  const auto *N = static_cast<const i32 *>(Lanes) + Op::EightStep / 4;
  f32 *R = static_cast<f32 *>(Lanes) + Op::ResultAt / 4;
  f32 Out[8];
  // More than any f32's exponents.
  constexpr i32 Most = 300;
  for (unsigned L = 0; L < 8; ++L) {
    const i32 By = N[L] < -Most ? -Most : N[L] > Most ? Most : N[L];
    Out[L] = f32(f64(A[L]) * bitCast<f64>(u64(1023 + By) << 52));
  }
  std::memcpy(R, Out, sizeof(Out));
  return 0;
}

/// The quotient of halves was computed in single precision, so it needs no
/// special care.
h16 divFixup(h16 Q, h16 Den, h16 Num) {
  const bool Neg = negative(Den) != negative(Num);
  const double Inf = HUGE_VAL;
  if (isNaN(Num))
    return quiet(Num);
  if (isNaN(Den))
    return quiet(Den);
  const bool DenInf = std::fabs(Den.V) == Inf, NumInf = std::fabs(Num.V) == Inf;
  if ((Den.V == 0 && Num.V == 0) || (DenInf && NumInf))
    return {defaultNaN(Q.V)};
  const double R = Den.V == 0 || NumInf   ? Inf
                   : DenInf || Num.V == 0 ? 0
                                          : std::fabs(Q.V);
  return {Neg ? -R : R};
}

/// The 53 bits of 2/pi that are relevant for reducing a number of this size.
f64 trigPreop(f64 V, u32 Segment) {
  static const u64 TwoOverPi[19] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
      0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
      0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
      0x56033046fc7b6bab};
  const unsigned E = biased(V);
  unsigned Shift = (Segment & 31) * 53;
  if (E > 1077)
    Shift += E - 1077;
  u64 Bits = 0;
  for (unsigned N = 0; N < 53; ++N) {
    const unsigned At = Shift + N;
    Bits =
        Bits << 1 | (At < 1201 ? TwoOverPi[At / 64] >> (63 - At % 64) & 1 : 0);
  }
  int Scale = -53 - int(Shift);
  if (E >= 1968)
    Scale += 128;
  return std::ldexp(f64(Bits), Scale);
}

Op near(Op O) {
  O.Fp = FpClass::Near;
  return O;
}

Op withEight(Op O, uint32_t (*Eight)(const Env &, void *, uint32_t)) {
  O.Eight = Eight;
  return O;
}

/// Executes a lane's operation once, on a scalar register.
template <class F> Op onScalar(F) {
  using Sig = Signature<F>;
  constexpr bool Half = std::is_same<typename Sig::Result, h16>::value;
  return near(custom(
      [](Machine &M, const Inst &I) {
        Meaning<F> X;
        if constexpr (Half)
          M.W.Scalar[I.Dst] =
              modifiedHalf(M, I, X.Fn(h16{fetchHalf(M, I, 0)[0]}).V);
        else
          M.W.Scalar[I.Dst] = modified32(
              M, I, bitsOf(X.Fn(f32FromBits(fetch32(M, I, 0, Kind::F32)[0]))));
      },
      Half ? Kind::F16 : Kind::F32, {Half ? Kind::F16 : Kind::F32},
      Op::ScalarDst));
}

} // namespace

f32 minNumF32(f32 A, f32 B) { return minNumber(A, B); }
f32 maxNumF32(f32 A, f32 B) { return maxNumber(A, B); }
h16 minNumHalf(h16 A, h16 B) { return minNumber(A, B); }
h16 maxNumHalf(h16 A, h16 B) { return maxNumber(A, B); }
f32 minimumF32(f32 A, f32 B) { return minimumNaN(A, B); }
f32 maximumF32(f32 A, f32 B) { return maximumNaN(A, B); }
h16 fmaHalf(h16 A, h16 B, h16 C) { return {fusedToOdd(A.V, B.V, C.V)}; }
h16 minimumHalf(h16 A, h16 B) { return minimumNaN(A, B); }
h16 maximumHalf(h16 A, h16 B) { return maximumNaN(A, B); }
f32 minF32(const Env &E, f32 A, f32 B) { return minimum(E, A, B); }
f32 maxF32(const Env &E, f32 A, f32 B) { return maximum(E, A, B); }
h16 minHalf(const Env &E, h16 A, h16 B) { return minimum(E, A, B); }
h16 maxHalf(const Env &E, h16 A, h16 B) { return maximum(E, A, B); }

// A table. NOLINTNEXTLINE(readability-function-size)
void addFloatOps(OpTable &T) {
  // f32.
  T.add("v_add_f32", lane([](f32 A, f32 B) { return sum(A, B); }));
  T.add("v_sub_f32", lane([](f32 A, f32 B) { return difference(A, B); }));
  T.add("v_subrev_f32", lane([](f32 A, f32 B) { return difference(B, A); }));
  T.add("v_mul_f32", lane([](f32 A, f32 B) { return product(A, B); }));
  T.add("v_mul_legacy_f32", lane([](f32 A, f32 B) { return mulLegacy(A, B); }));
  T.add("v_fma_f32", lane([](f32 A, f32 B, f32 C) { return fused(A, B, C); }));
  T.add("v_fmac_f32",
        lane([](f32 A, f32 B, f32 C) { return fused(A, B, C); }, Op::ReadsDst));
  T.add("v_mad_f32", lane([](f32 A, f32 B, f32 C) { return mad(A, B, C); }));
  T.add("v_mac_f32",
        lane([](f32 A, f32 B, f32 C) { return mad(A, B, C); }, Op::ReadsDst));
  T.add("v_fmaak_f32",
        lane([](f32 A, f32 B, f32 C) { return fused(A, B, C); }));
  T.add("v_fmamk_f32",
        lane([](f32 A, f32 B, f32 C) { return fused(A, B, C); }));
  T.add("v_fma_legacy_f32",
        lane([](f32 A, f32 B, f32 C) { return fmaLegacy(A, B, C); }));
  T.add("v_fmac_legacy_f32",
        lane([](f32 A, f32 B, f32 C) { return fmaLegacy(A, B, C); },
             Op::ReadsDst));
  T.add("v_madak_f32", lane([](f32 A, f32 B, f32 C) { return mad(A, B, C); }));
  T.add("v_madmk_f32", lane([](f32 A, f32 B, f32 C) { return mad(A, B, C); }));
  T.add("v_mad_legacy_f32", lane([](f32 A, f32 B, f32 C) {
          return ftz(sum(ftz(mulLegacy(ftz(A), ftz(B))), ftz(C)));
        }));
  T.add("v_mac_legacy_f32",
        lane(
            [](f32 A, f32 B, f32 C) {
              return ftz(sum(ftz(mulLegacy(ftz(A), ftz(B))), ftz(C)));
            },
            Op::ReadsDst));
  T.add("v_min_f32",
        lane([](const Env &E, f32 A, f32 B) { return minimum(E, A, B); }));
  T.add("v_max_f32",
        lane([](const Env &E, f32 A, f32 B) { return maximum(E, A, B); }));
  T.add("v_min3_f32", lane([](const Env &E, f32 A, f32 B, f32 C) {
          return minimum(E, minimum(E, A, B), C);
        }));
  T.add("v_max3_f32", lane([](const Env &E, f32 A, f32 B, f32 C) {
          return maximum(E, maximum(E, A, B), C);
        }));
  T.add("v_med3_f32", lane([](const Env &E, f32 A, f32 B, f32 C) {
          return median(E, A, B, C);
        }));
  T.add("v_minmax_f32", lane([](const Env &E, f32 A, f32 B, f32 C) {
          return maximum(E, minimum(E, A, B), C);
        }));
  T.add("v_maxmin_f32", lane([](const Env &E, f32 A, f32 B, f32 C) {
          return minimum(E, maximum(E, A, B), C);
        }));
#define NUMBERS(TYPE, SUFFIX, FLAGS)                                           \
  T.add("v_min_num_" SUFFIX,                                                   \
        lane([](TYPE A, TYPE B) { return minNumber(A, B); }, FLAGS));          \
  T.add("v_max_num_" SUFFIX,                                                   \
        lane([](TYPE A, TYPE B) { return maxNumber(A, B); }, FLAGS));          \
  T.add("v_minimum_" SUFFIX,                                                   \
        lane([](TYPE A, TYPE B) { return minimumNaN(A, B); }, FLAGS));         \
  T.add("v_maximum_" SUFFIX,                                                   \
        lane([](TYPE A, TYPE B) { return maximumNaN(A, B); }, FLAGS))
  NUMBERS(f32, "f32", 0);
  NUMBERS(f64, "f64", 0);
  NUMBERS(h16, "f16", Op::KeepsHigh16);
#undef NUMBERS
#define NUMBERS3(TYPE, SUFFIX, FLAGS)                                          \
  T.add("v_min3_num_" SUFFIX,                                                  \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) { return minNumber(minNumber(A, B), C); },             \
             FLAGS));                                                          \
  T.add("v_max3_num_" SUFFIX,                                                  \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) { return maxNumber(maxNumber(A, B), C); },             \
             FLAGS));                                                          \
  T.add("v_med3_num_" SUFFIX,                                                  \
        lane([](TYPE A, TYPE B, TYPE C) { return medianNumber(A, B, C); },     \
             FLAGS));                                                          \
  T.add("v_minmax_num_" SUFFIX,                                                \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) { return maxNumber(minNumber(A, B), C); },             \
             FLAGS));                                                          \
  T.add("v_maxmin_num_" SUFFIX,                                                \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) { return minNumber(maxNumber(A, B), C); },             \
             FLAGS));                                                          \
  T.add("v_minimum3_" SUFFIX,                                                  \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) { return minimumNaN(minimumNaN(A, B), C); },           \
             FLAGS));                                                          \
  T.add("v_maximum3_" SUFFIX,                                                  \
        lane([](TYPE A, TYPE B,                                                \
                TYPE C) { return maximumNaN(maximumNaN(A, B), C); },           \
             FLAGS))
  NUMBERS3(f32, "f32", 0);
  NUMBERS3(h16, "f16", Op::KeepsHigh16);
#undef NUMBERS3
  T.add("v_ldexp_f32",
        withEight(sparseLane([](f32 A, i32 B) { return std::ldexp(A, B); }),
                  ldexpEight));
  T.add("v_fract_f32", lane([](f32 A) { return fract(A, 0x1.fffffep-1f); }));
  T.add("v_trunc_f32", lane([](f32 A) { return std::trunc(A); }));
  T.add("v_ceil_f32", lane([](f32 A) { return std::ceil(A); }));
  T.add("v_floor_f32", lane([](f32 A) { return std::floor(A); }));
  T.add("v_rndne_f32", near(lane([](f32 A) { return std::rint(A); })));
  for (const char *Name : {"v_exp_f32", "v_exp_legacy_f32"})
    T.add(Name, near(sparseLane([](f32 A) { return exp2Of(A); })));
  for (const char *Name : {"v_log_f32", "v_log_legacy_f32"})
    T.add(Name, near(sparseLane([](f32 A) { return log2Of(A); })));
  T.add("v_rcp_f32", near(lane([](f32 A) { return 1 / A; })));
  T.add("v_rcp_iflag_f32",
        near(lane([](f32 A) { return 1 / A; }, Op::IntegerFlags)));
  T.add("v_rsq_f32",
        near(sparseLane([](f32 A) { return f32(1 / std::sqrt(f64(A))); })));
  T.add("v_sqrt_f32", near(lane([](f32 A) { return __builtin_sqrtf(A); })));
  // gfx12's operations on a scalar register, independent of EXEC; the 16-bit
  // ones are below.
  T.add("v_s_exp_f32", onScalar([](f32 A) { return exp2Of(A); }));
  T.add("v_s_log_f32", onScalar([](f32 A) { return log2Of(A); }));
  T.add("v_s_rcp_f32", onScalar([](f32 A) { return 1 / A; }));
  T.add("v_s_rsq_f32",
        onScalar([](f32 A) { return f32(1 / std::sqrt(f64(A))); }));
  T.add("v_s_sqrt_f32", onScalar([](f32 A) { return __builtin_sqrtf(A); }));
  T.add("v_sin_f32", near(sparseLane([](f32 A) { return f32(sinTurns(A)); })));
  T.add("v_cos_f32", near(sparseLane([](f32 A) { return f32(cosTurns(A)); })));
  T.add("v_frexp_exp_i32_f32", sparseLane([](f32 A) { return frexpExp(A); }));
  T.add("v_frexp_mant_f32", sparseLane([](f32 A) { return frexpMant(A); }));
  T.add("v_div_scale_f32", withEight(custom(divScaleOp<f32>, Kind::F32,
                                            {Kind::F32, Kind::F32, Kind::F32}),
                                     divScaleEight<f32>));
  T.add("v_div_fmas_f32",
        withEight(custom(divFmas<f32>, Kind::F32,
                         {Kind::F32, Kind::F32, Kind::F32}, Op::ReadsVcc),
                  divFmasEight<f32>));
  T.add("v_div_fixup_f32",
        withEight(lane([](f32 A, f32 B, f32 C) { return divFixup(A, B, C); }),
                  divFixupEight<f32>));

  // f64.
  T.add("v_add_f64", lane([](f64 A, f64 B) { return sum(A, B); }));
  T.add("v_mul_f64", lane([](f64 A, f64 B) { return product(A, B); }));
  T.add("v_fma_f64", lane([](f64 A, f64 B, f64 C) { return fused(A, B, C); }));
  T.add("v_fmac_f64",
        lane([](f64 A, f64 B, f64 C) { return fused(A, B, C); }, Op::ReadsDst));
  T.add("v_min_f64",
        lane([](const Env &E, f64 A, f64 B) { return minimum(E, A, B); }));
  T.add("v_max_f64",
        lane([](const Env &E, f64 A, f64 B) { return maximum(E, A, B); }));
  T.add("v_ldexp_f64",
        sparseLane([](f64 A, i32 B) { return std::ldexp(A, B); }));
  T.add("v_fract_f64",
        lane([](f64 A) { return fract(A, 0x1.fffffffffffffp-1); }));
  T.add("v_trunc_f64", lane([](f64 A) { return std::trunc(A); }));
  T.add("v_ceil_f64", lane([](f64 A) { return std::ceil(A); }));
  T.add("v_floor_f64", lane([](f64 A) { return std::floor(A); }));
  T.add("v_rndne_f64", near(lane([](f64 A) { return std::rint(A); })));
  T.add("v_rcp_f64", near(lane([](f64 A) { return 1 / A; })));
  T.add("v_rsq_f64", near(lane([](f64 A) { return 1 / __builtin_sqrt(A); })));
  T.add("v_sqrt_f64", near(lane([](f64 A) { return __builtin_sqrt(A); })));
  T.add("v_frexp_exp_i32_f64", sparseLane([](f64 A) { return frexpExp(A); }));
  T.add("v_frexp_mant_f64", sparseLane([](f64 A) { return frexpMant(A); }));
  T.add("v_div_scale_f64", withEight(custom(divScaleOp<f64>, Kind::F64,
                                            {Kind::F64, Kind::F64, Kind::F64}),
                                     divScaleEight<f64>));
  T.add("v_div_fmas_f64",
        withEight(custom(divFmas<f64>, Kind::F64,
                         {Kind::F64, Kind::F64, Kind::F64}, Op::ReadsVcc),
                  divFmasEight<f64>));
  T.add("v_div_fixup_f64",
        withEight(lane([](f64 A, f64 B, f64 C) { return divFixup(A, B, C); }),
                  divFixupEight<f64>));
  T.add("v_trig_preop_f64",
        sparseLane([](f64 A, u32 B) { return trigPreop(A, B); }));

  // Conversions.
  T.add("v_cvt_i32_f32", lane([](f32 A) { return toI32(f64(A)); }));
  T.add("v_cvt_u32_f32", lane([](f32 A) { return toU32(f64(A)); }));
  T.add("v_cvt_i32_f64", lane([](f64 A) { return toI32(A); }));
  T.add("v_cvt_u32_f64", lane([](f64 A) { return toU32(A); }));
  T.add("v_cvt_rpi_i32_f32",
        lane([](f32 A) { return toI32(std::floor(f64(A) + 0.5)); }));
  T.add("v_cvt_flr_i32_f32",
        lane([](f32 A) { return toI32(std::floor(f64(A))); }));
  T.add("v_cvt_f32_i32", lane([](i32 A) { return f32(A); }));
  T.add("v_cvt_f32_u32", lane([](const Env &E, u32 A) {
          return E.RoundF32 == 2 ? f32(widen(A)) : f32(A);
        }));
  T.add("v_cvt_f64_i32", lane([](i32 A) { return f64(A); }));
  T.add("v_cvt_f64_u32", lane([](const Env &E, u32 A) {
          return E.RoundF64 == 2 ? f64(widen(A)) : f64(A);
        }));
  T.add("v_cvt_f64_f32", lane([](f32 A) { return f64(A); }));
  T.add("v_cvt_f32_f64", lane([](f64 A) { return f32(A); }));
  T.add("v_cvt_f32_ubyte0", lane([](u32 A) { return f32(A & 0xff); }));
  T.add("v_cvt_f32_ubyte1", lane([](u32 A) { return f32(A >> 8 & 0xff); }));
  T.add("v_cvt_f32_ubyte2", lane([](u32 A) { return f32(A >> 16 & 0xff); }));
  T.add("v_cvt_f32_ubyte3", lane([](u32 A) { return f32(A >> 24); }));
  T.add("v_cvt_off_f32_i4",
        lane([](u32 A) { return f32(i32(A << 28) >> 28) / 16; }));
  T.add("v_cvt_f16_f32", near(lane([](f32 A) { return h16{f64(A)}; })));
  T.add("v_cvt_f32_f16", near(lane([](h16 A) { return f32(A.V); })));
  T.add("v_cvt_f16_u16", lane([](u16 A) { return h16{f64(A)}; }));
  T.add("v_cvt_f16_i16", lane([](i16 A) { return h16{f64(A)}; }));
  T.add("v_cvt_u16_f16", lane([](h16 A) { return toInt<u16>(A.V, 0, 65535); }));
  T.add("v_cvt_i16_f16",
        lane([](h16 A) { return toInt<i16>(A.V, -32768, 32767); }));
  T.add("v_cvt_pkrtz_f16_f32", near(lane([](const Env &E, f32 A, f32 B) {
          return u32(toHalf(A, 3, E.FlushOutF64)) |
                 u32(toHalf(B, 3, E.FlushOutF64)) << 16;
        })));

  // The halves of a VOP2, without fields to select them.
  T.add("v_pk_fmac_f16",
        near(lane(
            [](const Env &E, u32 A, u32 B, u32 C) {
              const auto Half = [&E](u32 V) {
                u16 H = u16(V);
                if (E.FlushInF64 && !(H & 0x7c00))
                  H &= 0x8000;
                return h16{fromHalf(H)};
              };
              const auto Fma = [&](unsigned Shift) {
                const h16 R = fmaHalf(Half(A >> Shift), Half(B >> Shift),
                                      Half(C >> Shift));
                return u32(
                    limitHalf(E, R.V, toHalf(R.V, E.RoundF64, E.FlushOutF64)));
              };
              return Fma(0) | Fma(16) << 16;
            },
            Op::ReadsDst)));

  // f16.
  T.add("v_add_f16", lane([](h16 A, h16 B) { return h16{sum(A.V, B.V)}; }));
  T.add("v_sub_f16",
        lane([](h16 A, h16 B) { return h16{difference(A.V, B.V)}; }));
  T.add("v_subrev_f16",
        lane([](h16 A, h16 B) { return h16{difference(B.V, A.V)}; }));
  T.add("v_mul_f16", lane([](h16 A, h16 B) { return h16{product(A.V, B.V)}; }));
  T.add("v_min_f16",
        lane([](const Env &E, h16 A, h16 B) { return minimum(E, A, B); }));
  T.add("v_max_f16",
        lane([](const Env &E, h16 A, h16 B) { return maximum(E, A, B); }));
  T.add("v_min3_f16",
        lane([](const Env &E, h16 A, h16 B,
                h16 C) { return minimum(E, minimum(E, A, B), C); },
             Op::KeepsHigh16));
  T.add("v_max3_f16",
        lane([](const Env &E, h16 A, h16 B,
                h16 C) { return maximum(E, maximum(E, A, B), C); },
             Op::KeepsHigh16));
  T.add("v_med3_f16", lane([](const Env &E, h16 A, h16 B,
                              h16 C) { return median(E, A, B, C); },
                           Op::KeepsHigh16));
  T.add("v_fma_f16", lane([](h16 A, h16 B, h16 C) { return fmaHalf(A, B, C); },
                          Op::KeepsHigh16));
  T.add("v_fma_legacy_f16",
        lane([](h16 A, h16 B, h16 C) { return fmaHalf(A, B, C); }));
  T.add("v_fmac_f16", lane([](h16 A, h16 B, h16 C) { return fmaHalf(A, B, C); },
                           Op::ReadsDst | Op::KeepsHigh16));
  T.add("v_fmaak_f16",
        lane([](h16 A, h16 B, h16 C) { return fmaHalf(A, B, C); },
             Op::KeepsHigh16));
  T.add("v_fmamk_f16",
        lane([](h16 A, h16 B, h16 C) { return fmaHalf(A, B, C); },
             Op::KeepsHigh16));
  T.add("v_minmax_f16",
        lane([](const Env &E, h16 A, h16 B,
                h16 C) { return maximum(E, minimum(E, A, B), C); },
             Op::KeepsHigh16));
  T.add("v_maxmin_f16",
        lane([](const Env &E, h16 A, h16 B,
                h16 C) { return minimum(E, maximum(E, A, B), C); },
             Op::KeepsHigh16));
  T.add("v_div_fixup_f16",
        lane([](h16 A, h16 B, h16 C) { return divFixup(A, B, C); },
             Op::KeepsHigh16));
  T.add("v_mad_f16", lane([](const Env &E, h16 A, h16 B,
                             h16 C) { return madHalf(E, A, B, C); },
                          Op::KeepsHigh16));
  T.add("v_mad_legacy_f16", lane([](const Env &E, h16 A, h16 B, h16 C) {
          return madHalf(E, A, B, C);
        }));
  T.add("v_mac_f16", lane([](const Env &E, h16 A, h16 B,
                             h16 C) { return madHalf(E, A, B, C); },
                          Op::ReadsDst | Op::KeepsHigh16));
  T.add("v_madak_f16", lane([](const Env &E, h16 A, h16 B,
                               h16 C) { return madHalf(E, A, B, C); },
                            Op::KeepsHigh16));
  T.add("v_madmk_f16", lane([](const Env &E, h16 A, h16 B,
                               h16 C) { return madHalf(E, A, B, C); },
                            Op::KeepsHigh16));
  T.add("v_ldexp_f16",
        lane([](h16 A, i16 B) { return h16{std::ldexp(A.V, B)}; }));
  T.add("v_fract_f16", lane([](h16 A) { return h16{fract(A.V, 0x1.ffcp-1)}; }));
  T.add("v_trunc_f16", lane([](h16 A) { return h16{std::trunc(A.V)}; }));
  T.add("v_ceil_f16", lane([](h16 A) { return h16{std::ceil(A.V)}; }));
  T.add("v_floor_f16", lane([](h16 A) { return h16{std::floor(A.V)}; }));
  T.add("v_rndne_f16", lane([](h16 A) { return h16{std::rint(A.V)}; }));
  // gfx12 also has these on a scalar register, independent of EXEC.
#define BOTH(NAME, ...)                                                        \
  T.add("v_" NAME, lane(__VA_ARGS__));                                         \
  T.add("v_s_" NAME, onScalar(__VA_ARGS__))
  BOTH("rcp_f16", [](h16 A) { return h16{1 / A.V}; });
  BOTH("sqrt_f16", [](h16 A) { return h16{std::sqrt(A.V)}; });
  BOTH("rsq_f16", [](h16 A) { return h16{1 / std::sqrt(A.V)}; });
  BOTH("exp_f16", [](h16 A) { return h16{std::exp2(A.V)}; });
  BOTH("log_f16",
       [](h16 A) { return h16{A.V < 0 ? defaultNaN(A.V) : std::log2(A.V)}; });
#undef BOTH
  T.add("v_sin_f16", lane([](h16 A) { return h16{sinTurns(A.V)}; }));
  T.add("v_cos_f16", lane([](h16 A) { return h16{cosTurns(A.V)}; }));
  T.add("v_frexp_exp_i16_f16", lane([](h16 A) { return i16(frexpExp(A.V)); }));
  T.add("v_frexp_mant_f16", lane([](h16 A) { return h16{frexpMant(A.V)}; }));
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
