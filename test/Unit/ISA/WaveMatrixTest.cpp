//===-- WaveMatrixTest.cpp - v_wmma_* against its definition --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B + C is computed from matrices of 16 x 16, which are distributed to
// lanes according to AMD's documents: on gfx11 a lane has all of a row of A (a
// column of B), on gfx12 half of it.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <random>

using namespace isatest;
using wavelane::isa::Target;

namespace {

enum class Type { F32, F16, BF16, FP8, BF8, I32, I8, I4 };
unsigned bitsOf(Type T) {
  return T == Type::F32 || T == Type::I32    ? 32
         : T == Type::F16 || T == Type::BF16 ? 16
         : T == Type::I4                     ? 4
                                             : 8;
}

/// A floating-point number by the fields of its format.
double decode(unsigned Exponent, unsigned Mantissa, bool OneNaN,
              uint32_t Bits) {
  const uint32_t E = Bits >> Mantissa & ((1u << Exponent) - 1),
                 M = Bits & ((1u << Mantissa) - 1);
  const int Bias = (1 << (Exponent - 1)) - 1;
  // Formats with one NaN say nothing more of it.
  if (OneNaN && M + 1 == 1u << Mantissa && E + 1 == 1u << Exponent)
    return NAN;
  double V;
  if (E + 1 == 1u << Exponent && !OneNaN)
    V = !M ? INFINITY
        : Mantissa < 4
            ? asDouble(uint64_t(0x7ff8) << 48)
            : asDouble(uint64_t(0x7ff8) << 48 | uint64_t(M) << (52 - Mantissa));
  else
    V = E ? std::ldexp(double(M | 1u << Mantissa),
                       int(E) - Bias - int(Mantissa))
          : std::ldexp(double(M), 1 - Bias - int(Mantissa));
  return Bits >> (Exponent + Mantissa) & 1 ? -V : V;
}
double valueOf(Type T, uint32_t Bits, bool Signed) {
  switch (T) {
  case Type::F32:
    return decode(8, 23, false, Bits);
  case Type::F16:
    return decode(5, 10, false, Bits);
  case Type::BF16:
    return decode(8, 7, false, Bits);
  case Type::FP8:
    return decode(4, 3, true, Bits);
  case Type::BF8:
    return decode(5, 2, false, Bits);
  default: {
    const unsigned N = bitsOf(T);
    const int64_t V = Bits;
    return double(Signed && (V >> (N - 1) & 1) ? V - (int64_t(1) << N) : V);
  }
  }
}

/// The bits of a float after one rounding to nearest, found among all.
uint32_t encode(Type T, double D) {
  if (T == Type::F32)
    return bits(float(D));
  const bool IsHalf = T == Type::F16;
  const uint32_t Infinite = IsHalf ? 0x7c00 : 0x7f80;
  const double A = std::fabs(D);
  // The largest that isn't larger.
  uint32_t Low = 0, High = Infinite;
  while (High - Low > 1) {
    const uint32_t Middle = (Low + High) / 2;
    (valueOf(T, Middle, false) <= A ? Low : High) = Middle;
  }
  const double Under = valueOf(T, Low, false);
  const double Over = Low + 1 == Infinite ? (IsHalf ? 0x1p16 : 0x1p128)
                                          : valueOf(T, Low + 1, false);
  const bool Up = A - Under > Over - A || (A - Under == Over - A && (Low & 1));
  return (std::isinf(A) ? Infinite : Low + Up) | (std::signbit(D) ? 0x8000 : 0);
}

struct Case {
  Target T;
  unsigned Lanes;
  const char *Name;
  unsigned Depth;
  Type A, B, Result;
  const char *Modifiers = "";
  unsigned NegLo = 0, NegHi = 0;
  bool High = false, Clamp = false;
};

class Matrices {
public:
  Matrices(const Case &C, std::mt19937 &Random, bool Small)
      : C(C), IsLater(C.T == Target::GFX1201), W(C.T, C.Lanes) {
    W.S.allocateVGPRs(64, 0);
    for (unsigned R = 0; R < 64; ++R)
      W.setV(R, [&](unsigned) { return uint32_t(Random()); });
    if (!Small)
      return;
    // Sums of such numbers aren't rounded.
    for (unsigned Side = 0; Side < 2; ++Side)
      for (unsigned Row = 0; Row < 16; ++Row)
        for (unsigned K = 0; K < C.Depth; ++K)
          set(Side, Row, K, small(Side ? C.B : C.A, unsigned(Random())));
    for (unsigned Row = 0; Row < 16; ++Row)
      for (unsigned Column = 0; Column < 16; ++Column)
        setResult(32, Row, Column, small(C.Result, unsigned(Random())));
  }
  void run() {
    const unsigned Count = 256 / C.Lanes / (isPacked() ? 2 : 1);
    W.S.setExec(1); // which is ignored
    const auto Name = [](unsigned First, unsigned N) {
      return N == 1 ? "v" + std::to_string(First)
                    : "v[" + std::to_string(First) + ":" +
                          std::to_string(First + N - 1) + "]";
    };
    std::copy_n(&W.S.vgpr(32, 0), Count * C.Lanes, &W.S.vgpr(48, 0));
    W.run(std::string(C.Name) + " " + Name(48, Count) + ", " +
          Name(0, registers(C.A)) + ", " + Name(16, registers(C.B)) + ", " +
          Name(32, Count) + " " + C.Modifiers);
  }
  double a(unsigned Row, unsigned K) { return side(0, C.A, Row, K); }
  double b(unsigned Column, unsigned K) { return side(1, C.B, Column, K); }
  double c(unsigned Row, unsigned Column) {
    double V = valueOf(C.Result, result(32, Row, Column), true);
    if (C.Result != Type::I32) {
      V = C.NegHi & 4 ? std::fabs(V) : V;
      V = C.NegLo & 4 ? -V : V;
    }
    return V;
  }
  uint32_t result(unsigned First, unsigned Row, unsigned Column) {
    const auto [R, L, Shift] = placeOfResult(Row, Column);
    const uint32_t V = W.v(First + R, L) >> Shift;
    return bitsOf(C.Result) == 32 ? V : V & 0xffff;
  }
  /// The half beside a 16-bit result, before or after.
  uint32_t besides(unsigned First, unsigned Row, unsigned Column) {
    const auto [R, L, Shift] = placeOfResult(Row, Column);
    return W.v(First + R, L) >> (16 - Shift) & 0xffff;
  }
  bool isPacked() const { return IsLater && bitsOf(C.Result) == 16; }

private:
  static uint32_t small(Type T, unsigned R) {
    const int V = int(R % 9) - 4;
    return T == Type::I32 || T == Type::I8 ? uint32_t(V)
           : T == Type::I4                 ? uint32_t(V) & 15
           : T == Type::F32                ? bits(float(V))
           : T == Type::FP8                ? 0x30 + R % 16
           : T == Type::BF8                ? 0x38 + R % 8
                                           : encode(T, V);
  }
  unsigned perLane() const { return IsLater ? C.Depth / 2 : C.Depth; }
  unsigned registers(Type T) const { return perLane() * bitsOf(T) / 32; }
  struct Place {
    unsigned Reg, Lane, Shift;
  };
  Place placeOf(unsigned Side, unsigned Row, unsigned K) const {
    const unsigned At = K % perLane() * bitsOf(Side ? C.B : C.A);
    return {Side * 16 + At / 32, Row + 16 * (K / perLane()), At % 32};
  }
  Place placeOfResult(unsigned Row, unsigned Column) const {
    if (!IsLater)
      return {Row / (C.Lanes / 16), Row % (C.Lanes / 16) * 16 + Column,
              C.High ? 16u : 0u};
    return {isPacked() ? Row % 8 / 2 : Row % 8, Row / 8 * 16 + Column,
            isPacked() ? Row % 2 * 16 : 0};
  }
  static void put(uint32_t &Word, unsigned Shift, unsigned Bits, uint32_t V) {
    const uint32_t Mask = (Bits == 32 ? ~0u : (1u << Bits) - 1) << Shift;
    Word = (Word & ~Mask) | (V << Shift & Mask);
  }
  void set(unsigned Side, unsigned Row, unsigned K, uint32_t V) {
    const Place P = placeOf(Side, Row, K);
    put(W.S.vgpr(P.Reg, P.Lane), P.Shift, bitsOf(Side ? C.B : C.A), V);
  }
  void setResult(unsigned First, unsigned Row, unsigned Column, uint32_t V) {
    const Place P = placeOfResult(Row, Column);
    put(W.S.vgpr(First + P.Reg, P.Lane), P.Shift, bitsOf(C.Result), V);
  }
  double side(unsigned Side, Type T, unsigned Row, unsigned K) {
    const Place P = placeOf(Side, Row, K);
    const uint32_t V = W.v(P.Reg, P.Lane) >> P.Shift & ((1u << bitsOf(T)) - 1);
    const double D = valueOf(T, V, C.NegLo >> Side & 1);
    const bool Neg =
        C.Result != Type::I32 && ((K % 2 ? C.NegHi : C.NegLo) >> Side & 1);
    return Neg ? -D : D;
  }

  const Case &C;
  const bool IsLater;
  Wave W;
};

/// The first operand that is NaN is the result.
double sum(double A, double B) { return A != A ? A : A + B; }
double product(double A, double B) { return A != A ? A : A * B; }

void check(const Case &C, bool Small) {
  SCOPED_TRACE(std::string(C.Name) + " " + C.Modifiers + " on " +
               getProcessorName(C.T) + ", " + std::to_string(C.Lanes) +
               " lanes");
  std::mt19937 Random(Small);
  for (unsigned Turn = 0; Turn < 4; ++Turn) {
    Matrices M(C, Random, Small);
    M.run();
    for (unsigned Row = 0; Row < 16; ++Row)
      for (unsigned Column = 0; Column < 16; ++Column) {
        double Want = 0;
        for (unsigned K = 0; K < C.Depth; ++K)
          Want = sum(Want, product(M.a(Row, K), M.b(Column, K)));
        Want = sum(Want, M.c(Row, Column));
        const uint32_t Got = M.result(48, Row, Column);
        if (C.Result == Type::I32) {
          const int64_t Exact = int64_t(Want);
          const int64_t Limited =
              std::clamp<int64_t>(Exact, INT32_MIN, INT32_MAX);
          ASSERT_EQ(int32_t(Got), C.Clamp ? int32_t(Limited) : int32_t(Exact));
        } else if (Want != Want) {
          // Which one it is can be seen by its sign and its first bits.
          const double V = valueOf(C.Result, Got, true);
          ASSERT_NE(V, V) << Row << "," << Column;
          const unsigned Bits = bitsOf(C.Result);
          const uint32_t Top = Bits == 32 ? Got >> 16 : Got;
          const uint64_t From = bits(Want);
          ASSERT_EQ(Top >> 15, From >> 63) << Row << "," << Column;
          ASSERT_EQ(C.Result == Type::F16 ? Top >> 6 & 15 : Top >> 3 & 15,
                    From >> 48 & 15)
              << Row << "," << Column;
        } else {
          ASSERT_EQ(Got, encode(C.Result, Want)) << Row << "," << Column;
        }
        if (bitsOf(C.Result) == 16 && !M.isPacked())
          ASSERT_EQ(M.besides(48, Row, Column), M.besides(32, Row, Column));
      }
  }
}

const std::vector<Case> &cases() {
  static const std::vector<Case> All = [] {
    std::vector<Case> V;
    const Target G11 = Target::GFX1100, G12 = Target::GFX1201;
    const std::pair<Target, unsigned> Where[] = {
        {G11, 32}, {G11, 64}, {G12, 32}};
    for (const auto &[T, Lanes] : Where) {
      const auto Add = [&V, T = T,
                        Lanes = Lanes](const char *Name, Type In, Type Result,
                                       const char *Modifiers = "",
                                       unsigned NegLo = 0, unsigned NegHi = 0,
                                       bool High = false, bool Clamp = false) {
        V.push_back({T, Lanes, Name, 16, In, In, Result, Modifiers, NegLo,
                     NegHi, High, Clamp});
      };
      Add("v_wmma_f32_16x16x16_f16", Type::F16, Type::F32);
      Add("v_wmma_f32_16x16x16_bf16", Type::BF16, Type::F32);
      Add("v_wmma_f16_16x16x16_f16", Type::F16, Type::F16);
      Add("v_wmma_bf16_16x16x16_bf16", Type::BF16, Type::BF16);
      Add("v_wmma_f32_16x16x16_f16", Type::F16, Type::F32,
          "neg_lo:[0,1,1] neg_hi:[0,1,0]", 6, 2);
      Add("v_wmma_f32_16x16x16_bf16", Type::BF16, Type::F32,
          "neg_lo:[1,0,1] neg_hi:[1,0,1]", 5, 5);
      Add("v_wmma_i32_16x16x16_iu8", Type::I8, Type::I32);
      Add("v_wmma_i32_16x16x16_iu4", Type::I4, Type::I32);
      Add("v_wmma_i32_16x16x16_iu8", Type::I8, Type::I32, "neg_lo:[1,0,0]", 1);
      Add("v_wmma_i32_16x16x16_iu4", Type::I4, Type::I32, "neg_lo:[0,1,0]", 2);
      Add("v_wmma_i32_16x16x16_iu8", Type::I8, Type::I32,
          "neg_lo:[1,1,0] clamp", 3, 0, false, true);
      if (T == G12)
        continue;
      Add("v_wmma_f16_16x16x16_f16", Type::F16, Type::F16, "op_sel:[0,0,1]", 0,
          0, true);
      Add("v_wmma_bf16_16x16x16_bf16", Type::BF16, Type::BF16, "op_sel:[0,0,1]",
          0, 0, true);
    }
    const Type F = Type::FP8, B = Type::BF8, R = Type::F32;
    V.push_back({G12, 32, "v_wmma_i32_16x16x32_iu4", 32, Type::I4, Type::I4,
                 Type::I32, "neg_lo:[1,1,0]", 3});
    V.push_back({G12, 32, "v_wmma_f32_16x16x16_fp8_fp8", 16, F, F, R});
    V.push_back({G12, 32, "v_wmma_f32_16x16x16_fp8_bf8", 16, F, B, R});
    V.push_back({G12, 32, "v_wmma_f32_16x16x16_bf8_fp8", 16, B, F, R});
    V.push_back({G12, 32, "v_wmma_f32_16x16x16_bf8_bf8", 16, B, B, R});
    return V;
  }();
  return All;
}

} // namespace

TEST(ISAWaveMatrix, OfSmallNumbers) {
  for (const Case &C : cases())
    check(C, /*Small=*/true);
}

TEST(ISAWaveMatrix, OfAnyNumbers) {
  for (const Case &C : cases())
    check(C, /*Small=*/false);
}

TEST(ISAWaveMatrix, AConstantIsAdded) {
  Wave W(Target::GFX1100, 32);
  W.S.allocateVGPRs(64, 0);
  W.run("v_wmma_f32_16x16x16_f16 v[40:47], v[0:7], v[8:15], 2.0\n"
        "v_wmma_f16_16x16x16_f16 v[48:55], v[0:7], v[8:15], 2.0\n"
        "v_wmma_i32_16x16x16_iu8 v[56:63], v[0:3], v[8:11], 7");
  for (unsigned L = 0; L < 32; ++L) {
    EXPECT_EQ(asFloat(W.v(43, L)), 2.0f);
    EXPECT_EQ(W.v(51, L), 0x4000u);
    EXPECT_EQ(W.v(59, L), 7u);
  }
}

TEST(ISAWaveMatrix, NeedsItsRegisters) {
  for (const char *Text :
       {"v_wmma_f32_16x16x16_f16 v[60:67], v[0:7], v[8:15], 0",
        "v_wmma_f32_16x16x16_f16 v[0:7], v[60:67], v[8:15], 0",
        "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[57:64]"}) {
    Wave W(Target::GFX1100, 32);
    W.S.allocateVGPRs(64, 0);
    W.load(Text);
    const StepResult R = W.Exec.step(W.S);
    EXPECT_EQ(R.Reason, StepResult::IllegalInstruction) << Text;
    EXPECT_NE(R.Text.find("registers beyond"), std::string::npos) << R.Text;
  }
}
