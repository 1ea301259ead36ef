//===-- WaveMatrix.cpp - matrices over the lanes of gfx11 and gfx12 -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B + C for matrices of 16 x 16 (v_wmma_*). The instructions ignore
// EXEC and MODE. The rules of arithmetic are those of Matrix.cpp: products are
// exact, they are added as doubles in the order of depth, C last, and the sum
// is rounded once.
//
// A lane has a row of A and a column of B: on gfx11 the first 16 lanes have
// all of it, and the others, which have copies, aren't read; on gfx12 each half
// of the wave has a half in depth. A register of C and D has 16 elements of a
// row in neighboring lanes.
//
//===----------------------------------------------------------------------===//

#include "LaneOperands.h"
#include "SmallFloat.h"

#include <algorithm>
#include <array>

namespace wavelane::isa {
namespace WAVELANE_ISA_VARIANT {
namespace {

enum class Element : u8 { F16, BF16, FP8, BF8, I8, I4 };

struct Form {
  const char *Name;
  u8 Depth;
  Element A, B;
  Kind Result;
};

using E = Element;
constexpr Form Forms[] = {
    {"v_wmma_f32_16x16x16_f16", 16, E::F16, E::F16, Kind::F32},
    {"v_wmma_f32_16x16x16_bf16", 16, E::BF16, E::BF16, Kind::F32},
    {"v_wmma_f16_16x16x16_f16", 16, E::F16, E::F16, Kind::F16},
    {"v_wmma_bf16_16x16x16_bf16", 16, E::BF16, E::BF16, Kind::BF16},
    {"v_wmma_i32_16x16x16_iu8", 16, E::I8, E::I8, Kind::B32},
    {"v_wmma_i32_16x16x16_iu4", 16, E::I4, E::I4, Kind::B32},
    {"v_wmma_i32_16x16x32_iu4", 32, E::I4, E::I4, Kind::B32},
    {"v_wmma_f32_16x16x16_fp8_fp8", 16, E::FP8, E::FP8, Kind::F32},
    {"v_wmma_f32_16x16x16_fp8_bf8", 16, E::FP8, E::BF8, Kind::F32},
    {"v_wmma_f32_16x16x16_bf8_fp8", 16, E::BF8, E::FP8, Kind::F32},
    {"v_wmma_f32_16x16x16_bf8_bf8", 16, E::BF8, E::BF8, Kind::F32},
};

constexpr unsigned Side = 16, MaxDepth = 32;

constexpr unsigned bitsOf(Element K) {
  return K == E::F16 || K == E::BF16 ? 16 : K == E::I4 ? 4 : 8;
}

/// Where the elements of an instruction's matrices are.
struct Layout {
  unsigned Lanes, Depth;
  unsigned Copies; ///< 16 for lanes that have all of the depth

  Layout(const Machine &M, const Form &F)
      : Lanes(M.Lanes), Depth(F.Depth),
        Copies(M.features().HasReplicatedWmma ? 1 : M.Lanes / Side) {}

  unsigned perLane() const { return Depth / Copies; }
  unsigned registers(Element K) const { return perLane() * bitsOf(K) / 32; }
  bool isPacked(Kind Result) const {
    return Copies > 1 && (Result == Kind::F16 || Result == Kind::BF16);
  }
  unsigned results(Kind Result) const {
    return Side * Side / Lanes / (isPacked(Result) ? 2 : 1);
  }
  /// The first of the 16 words that have a row of C or D.
  unsigned row(unsigned Row, Kind Result) const {
    if (Copies == 1)
      return Row * Side;
    const unsigned PerLane = Side / Copies;
    return Row % PerLane / (isPacked(Result) ? 2 : 1) * Lanes +
           Row / PerLane * Side;
  }
  /// Whether a 16-bit row is the upper half of these words.
  bool isHigh(unsigned Row, const Inst &I) const {
    return Copies > 1 ? Row % 2 : I.Packed.OpSel >> 2 & 1;
  }
};

// The values of elements, exactly. Loops over them become vector code.

inline f32 valueOf(u32 Bits, std::integral_constant<Element, E::F16>) {
  const u32 Magnitude = (Bits & 0x7fff) << 13;
  const u32 Finite = bitCast<u32>(bitCast<f32>(Magnitude) * 0x1p112f);
  const u32 All = (Bits & 0x7c00) == 0x7c00 ? Magnitude | 0x7f800000 : Finite;
  return bitCast<f32>(All | (Bits & 0x8000) << 16);
}
inline f32 valueOf(u32 Bits, std::integral_constant<Element, E::BF16>) {
  return bitCast<f32>(Bits << 16);
}
f32 smallValue(const SmallFloat &F, u32 Bits) {
  using Values = std::array<std::array<f32, 256>, 2>;
  static const Values All = [] {
    Values V;
    for (u32 N = 0; N < 256; ++N) {
      V[0][N] = f32(small::FP8.decode(N));
      V[1][N] = f32(small::BF8.decode(N));
    }
    return V;
  }();
  return All[F.Exponent == small::BF8.Exponent][Bits];
}
inline f32 valueOf(u32 Bits, std::integral_constant<Element, E::FP8>) {
  return smallValue(small::FP8, Bits);
}
inline f32 valueOf(u32 Bits, std::integral_constant<Element, E::BF8>) {
  return smallValue(small::BF8, Bits);
}

/// Reads A or B: row K has the elements of all lanes at this depth.
template <Element K>
void load(const u32 *From, const Layout &L, u32 NegLo, u32 NegHi,
          double (*To)[Side]) {
  constexpr unsigned Bits = bitsOf(K), PerWord = 32 / Bits;
  for (unsigned Copy = 0; Copy < L.Copies; ++Copy)
    for (unsigned Reg = 0; Reg < L.registers(K); ++Reg) {
      const u32 *Word = From + Reg * L.Lanes + Copy * Side;
#pragma clang loop unroll(full)
      for (unsigned Item = 0; Item < PerWord; ++Item, ++To) {
        const u32 Sign = (Item % 2 ? NegHi : NegLo) << (Bits - 1);
        alignas(64) f32 Values[Side];
        for (unsigned N = 0; N < Side; ++N)
          Values[N] =
              valueOf((Word[N] >> (Item * Bits) & ((1u << Bits) - 1)) ^ Sign,
                      std::integral_constant<Element, K>());
        for (unsigned N = 0; N < Side; ++N)
          (*To)[N] = Values[N];
      }
    }
}
void load(Element K, const u32 *From, const Layout &L, u32 NegLo, u32 NegHi,
          double (*To)[Side]) {
  switch (K) {
  case E::F16:
    return load<E::F16>(From, L, NegLo, NegHi, To);
  case E::BF16:
    return load<E::BF16>(From, L, NegLo, NegHi, To);
  case E::FP8:
    return load<E::FP8>(From, L, NegLo, NegHi, To);
  default:
    return load<E::BF8>(From, L, NegLo, NegHi, To);
  }
}
void loadIntegers(Element K, const u32 *From, const Layout &L, bool Signed,
                  i32 (*To)[Side]) {
  const unsigned Bits = bitsOf(K), PerWord = 32 / Bits, Drop = 32 - Bits;
  for (unsigned At = 0; At < L.Depth; ++At) {
    const unsigned Item = At % L.perLane();
    const u32 *Word = From + Item / PerWord * L.Lanes + At / L.perLane() * Side;
    const unsigned Up = Drop - Item % PerWord * Bits;
    for (unsigned N = 0; N < Side; ++N)
      To[At][N] =
          Signed ? i32(Word[N] << Up) >> Drop : i32(Word[N] << Up >> Drop);
  }
}

// A few neighbors in a row.
using Doubles = double __attribute__((vector_size(32)));
using Words = i32 __attribute__((vector_size(32)));

/// Sum += X * Y. The products of doubles are exact, so it makes no difference
/// whether they are rounded.
inline void add(Doubles &Sum, const double &X, const Doubles &Y) {
#ifdef __FMA__
  Sum = __builtin_elementwise_fma(Doubles{X, X, X, X}, Y, Sum);
#else
  Sum += X * Y;
#endif
}
inline void add(Words &Sum, const i32 &X, const Words &Y) { Sum += X * Y; }

/// The sums of the products, by row. Two rows at a time have enough sums for
/// the host's processor not to wait for the last ones.
template <class V, class T>
void multiply(const T (*A)[Side], const T (*B)[Side], unsigned Depth,
              T (*Out)[Side]) {
  constexpr unsigned Count = sizeof(V) / sizeof(T), Parts = Side / Count;
  for (unsigned Row = 0; Row < Side; Row += 2) {
    V Sum[2][Parts] = {};
    for (unsigned K = 0; K < Depth; ++K)
#pragma clang loop unroll(full)
      for (unsigned P = 0; P < Parts; ++P) {
        V Right;
        std::memcpy(&Right, &B[K][P * Count], sizeof(V));
        add(Sum[0][P], A[K][Row], Right);
        add(Sum[1][P], A[K][Row + 1], Right);
      }
    std::memcpy(Out[Row], Sum, sizeof(Sum));
  }
}

/// As bf16, rounded once.
u16 toBF16(double D) {
  f32 F = f32(D);
  u32 Bits = bitCast<u32>(F);
  if (isNaN(F))
    return u16(Bits >> 16);
  // The last bit says that something was cut off.
  if (double(F) != D && !(Bits & 1))
    Bits += std::fabs(double(F)) < std::fabs(D) ? 1 : -1u;
  return u16((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16);
}

/// The operands of one instruction.
struct Operands {
  const u32 *A, *B;
  const u32 *C; ///< null for a constant
  u32 Constant;
  u32 *D;
};

/// A row's sums by the rule of which of several NaNs is the result.
void sumAgain(const double (*A)[Side], const double (*B)[Side], unsigned Depth,
              unsigned Row, const double *C, double *D) {
  for (unsigned N = 0; N < Side; ++N) {
    double Products = 0;
    for (unsigned K = 0; K < Depth; ++K)
      Products = sum(Products, product(A[K][Row], B[K][N]));
    D[N] = sum(Products, C[N]);
  }
}

template <Kind Result>
void floats(const Inst &I, const Form &F, const Layout &L, const Operands &O) {
  constexpr bool IsSingle = Result == Kind::F32;
  using Of =
      std::integral_constant<Element, Result == Kind::F16 ? E::F16 : E::BF16>;
  alignas(64) double A[MaxDepth][Side], B[MaxDepth][Side], Sums[Side][Side];
  load(F.A, O.A, L, I.Packed.NegLo & 1, I.Packed.NegHi & 1, A);
  load(F.B, O.B, L, I.Packed.NegLo >> 1 & 1, I.Packed.NegHi >> 1 & 1, B);
  multiply<Doubles, double>(A, B, L.Depth, Sums);
  const u32 Sign = IsSingle ? 0x80000000 : 0x8000,
            Keep = I.Packed.NegHi & 4 ? Sign - 1
                   : IsSingle         ? ~0u
                                      : 0xffff,
            Flip = I.Packed.NegLo & 4 ? Sign : 0;
  alignas(64) u32 Results[Side][Side], Constants[Side];
  std::fill_n(Constants, Side, O.Constant);
  for (unsigned Row = 0; Row < Side; ++Row) {
    const unsigned Shift = L.isHigh(Row, I) && O.C ? 16 : 0;
    const u32 *Words = O.C ? O.C + L.row(Row, Result) : Constants;
    alignas(64) double C[Side], D[Side];
    for (unsigned N = 0; N < Side; ++N) {
      const u32 Bits =
          ((IsSingle ? Words[N] : Words[N] >> Shift) & Keep) ^ Flip;
      if constexpr (IsSingle)
        C[N] = bitCast<f32>(Bits);
      else
        C[N] = valueOf(Bits, Of());
    }
    u64 HasNaN = 0;
    for (unsigned N = 0; N < Side; ++N) {
      D[N] = Sums[Row][N] + C[N];
      HasNaN |= isNaN(D[N]);
    }
    if (HasNaN)
      sumAgain(A, B, L.Depth, Row, C, D);
    for (unsigned N = 0; N < Side; ++N)
      if constexpr (IsSingle)
        Results[Row][N] = bitCast<u32>(f32(D[N]));
      else
        Results[Row][N] =
            Result == Kind::F16 ? toHalf(D[N], 0, false) : toBF16(D[N]);
  }
  // D may be C, or a part of A and B.
  for (unsigned Row = 0; Row < Side; ++Row) {
    u32 *To = O.D + L.row(Row, Result);
    const unsigned Shift = L.isHigh(Row, I) ? 16 : 0;
    if constexpr (IsSingle)
      std::memcpy(To, Results[Row], sizeof(Results[Row]));
    else
      for (unsigned N = 0; N < Side; ++N)
        To[N] = (To[N] & ~(0xffffu << Shift)) | Results[Row][N] << Shift;
  }
}

void integers(const Inst &I, const Form &F, const Layout &L,
              const Operands &O) {
  alignas(64) i32 A[MaxDepth][Side], B[MaxDepth][Side], Sums[Side][Side];
  loadIntegers(F.A, O.A, L, I.Packed.NegLo & 1, A);
  loadIntegers(F.B, O.B, L, I.Packed.NegLo & 2, B);
  multiply<Words, i32>(A, B, L.Depth, Sums);
  for (unsigned Row = 0; Row < Side; ++Row)
    for (unsigned N = 0; N < Side; ++N) {
      const i32 C = i32(O.C ? O.C[L.row(Row, F.Result) + N] : O.Constant);
      const i64 Sum = i64(Sums[Row][N]) + C;
      Sums[Row][N] = !I.Out.Clamp      ? i32(Sum)
                     : Sum > INT32_MAX ? INT32_MAX
                     : Sum < INT32_MIN ? INT32_MIN
                                       : i32(Sum);
    }
  for (unsigned Row = 0; Row < Side; ++Row)
    std::memcpy(O.D + L.row(Row, F.Result), Sums[Row], sizeof(Sums[Row]));
}

void waveMatrix(Machine &M, const Inst &I) {
  const Form &F = Forms[I.O->Data];
  const Layout L(M, F);
  if ((L.Copies > 1 && M.Lanes != 32) ||
      (I.Out.Clamp && F.Result != Kind::B32) ||
      I.Src[0].At != Operand::Where::VGPR ||
      I.Src[1].At != Operand::Where::VGPR)
    return M.illegal(I, "this form is not modeled");
  const auto Run = [&](unsigned First, unsigned Count) -> u32 * {
    return First + Count > M.W.AccumOffset ? nullptr : M.vgpr(First);
  };
  const unsigned Results = L.results(F.Result);
  const bool HasC = I.Src[2].At == Operand::Where::VGPR;
  const Operands O = {Run(I.Src[0].Reg, L.registers(F.A)),
                      Run(I.Src[1].Reg, L.registers(F.B)),
                      HasC ? Run(I.Src[2].Reg, Results) : nullptr,
                      HasC ? 0 : M.scalar32(I.Src[2]), Run(I.Dst, Results)};
  if (!O.A || !O.B || (HasC && !O.C) || !O.D)
    return M.illegal(I, "vector registers beyond those the wave has");
  const OwnRounding Rounding;
  switch (F.Result) {
  case Kind::F32:
    return floats<Kind::F32>(I, F, L, O);
  case Kind::F16:
    return floats<Kind::F16>(I, F, L, O);
  case Kind::BF16:
    return floats<Kind::BF16>(I, F, L, O);
  default:
    return integers(I, F, L, O);
  }
}

} // namespace

void addWaveMatrixOps(OpTable &T) {
  for (unsigned N = 0; N < sizeof(Forms) / sizeof(*Forms); ++N) {
    const Form &F = Forms[N];
    Op O = custom(waveMatrix, F.Result, {Kind::B32, Kind::B32, F.Result},
                  Op::Packed, N);
    O.Fp = FpClass::None;
    T.add(F.Name, O);
  }
}

} // namespace WAVELANE_ISA_VARIANT
} // namespace wavelane::isa
