//===-- ConvertTest.cpp - conversions of small floating-point numbers -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected result is searched for among all numbers of the format, listed
// in order: the nearest one, and of two equally near the one with an even code.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <sstream>

using namespace isatest;
using wavelane::isa::Target;

namespace {

struct Format {
  const char *Name;
  unsigned Bits, Exponent, Mantissa;
  int Bias;
  char Ends; ///< i: infinity and NaNs, n: one NaN, z: NaN is -0, f: finite
};
const Format Formats[] = {
    {"f32", 32, 8, 23, 127, 'i'}, {"f16", 16, 5, 10, 15, 'i'},
    {"bf16", 16, 8, 7, 127, 'i'}, {"fp8", 8, 4, 3, 7, 'n'},
    {"bf8", 8, 5, 2, 15, 'i'},    {"fp6", 6, 2, 3, 1, 'f'},
    {"bf6", 6, 3, 2, 3, 'f'},     {"fp4", 4, 2, 1, 1, 'f'},
};
const Format Old8{"fp8", 8, 4, 3, 8, 'z'}, OldB8{"bf8", 8, 5, 2, 16, 'z'};

const Format &named(Target T, const std::string &Name) {
  if (T == Target::GFX942 && (Name == "fp8" || Name == "bf8"))
    return Name == "fp8" ? Old8 : OldB8;
  for (const Format &F : Formats)
    if (Name == F.Name)
      return F;
  ADD_FAILURE() << Name;
  return Formats[0];
}

double valueOf(const Format &F, uint32_t Code) {
  const uint32_t Top = 1u << (F.Bits - 1), Rest = Code & (Top - 1);
  const uint32_t E = Rest >> F.Mantissa, M = Rest & ((1u << F.Mantissa) - 1),
                 AllOnes = (1u << F.Exponent) - 1;
  double V = std::pow(2.0, int(E ? E : 1) - F.Bias) *
             ((E ? 1 : 0) + double(M) / (1u << F.Mantissa));
  if (F.Ends == 'i' && E == AllOnes)
    V = M ? NAN : INFINITY;
  if ((F.Ends == 'n' && Rest == Top - 1) || (F.Ends == 'z' && Code == Top))
    V = NAN;
  return Code & Top ? -V : V;
}
/// The code of the largest number.
uint32_t largest(const Format &F) {
  const uint32_t All = (1u << (F.Bits - 1)) - 1;
  return All - (F.Ends == 'i' ? 1u << F.Mantissa : F.Ends == 'n' ? 1 : 0);
}
bool same(const Format &F, uint32_t Got, uint32_t Want) {
  return Got == Want ||
         (std::isnan(valueOf(F, Got)) && std::isnan(valueOf(F, Want)));
}

/// \p Chance: rounded up if it and the part cut off make one; negative: to
///     nearest.
uint32_t convert(const Format &F, double V, double Chance) {
  const uint32_t Top = 1u << (F.Bits - 1), Most = largest(F);
  const uint32_t NaN = F.Ends == 'z'   ? Top
                       : F.Ends == 'n' ? Top - 1
                       : F.Ends == 'f' ? Most
                                       : Most + 2;
  if (std::isnan(V))
    return F.Ends == 'f' && std::signbit(V) ? NaN | Top : NaN;
  const uint32_t Sign = std::signbit(V) ? Top : 0;
  const uint32_t Beyond = F.Ends == 'i' ? Most + 1 : F.Ends == 'f' ? Most : NaN;
  V = std::fabs(V);
  // Finds the last code not above V by bisection.
  uint32_t Low = 0, High = Most + 1;
  while (High - Low > 1) {
    const uint32_t Middle = (Low + High) / 2;
    (valueOf(F, Middle) <= V ? Low : High) = Middle;
  }
  const double Below = valueOf(F, Low),
               Step = Low == Most ? Below - valueOf(F, Most - 1)
                                  : valueOf(F, Low + 1) - Below;
  const double Rest = std::isinf(V) ? 2 : (V - Below) / Step;
  const bool Up =
      Chance >= 0 ? Rest + Chance >= 1 : Rest > 0.5 || (Rest == 0.5 && Low % 2);
  uint32_t Code = Low + Up;
  if (Code > Most || Rest >= 1)
    return F.Ends == 'z' ? Beyond : Beyond | Sign;
  return F.Ends == 'z' && !Code ? 0 : Code | Sign;
}

uint64_t bitsAt(WaveState &S, unsigned Reg, unsigned Lane, unsigned At,
                unsigned Bits) {
  uint64_t V = 0;
  for (unsigned N = 0; N < Bits; ++N)
    V |= uint64_t(S.vgpr(Reg + (At + N) / 32, Lane) >> (At + N) % 32 & 1) << N;
  return V;
}
std::string registers(unsigned First, unsigned Bits) {
  const unsigned Count = (Bits + 31) / 32;
  return Count == 1 ? "v" + std::to_string(First)
                    : "v[" + std::to_string(First) + ":" +
                          std::to_string(First + Count - 1) + "]";
}

/// Checks v_cvt_[scalef32_][sr_][pk_|pk32_|2xpk16_]TO_FROM, parsed from its
/// name; \p OpSel goes into the encoding's bits.
void check(Target T, const std::string &Name, unsigned OpSel) {
  SCOPED_TRACE(Name + " op_sel " + std::to_string(OpSel));
  std::vector<std::string> Parts;
  std::istringstream In(Name);
  for (std::string Part; std::getline(In, Part, '_');)
    Parts.push_back(Part);
  const auto Has = [&](const char *Part) {
    return std::find(Parts.begin(), Parts.end(), Part) != Parts.end();
  };
  const Format &From = named(T, Parts.back()),
               &To = named(T, Parts[Parts.size() - 2]);
  const bool Scaled = Has("scalef32"), Random = Has("sr");
  const unsigned Count = Has("pk32") || Has("2xpk16") ? 32 : Has("pk") ? 2 : 1;
  const bool Two = Has("2xpk16") || (Has("pk") && !Random && From.Bits == 32);
  const unsigned FromBits = From.Bits * Count / (Two ? 2 : 1),
                 ToBits = To.Bits * Count;

  Wave W(T);
  W.S.allocateVGPRs(256, 0);
  for (unsigned R = 0; R < 64; ++R)
    W.setV(R, [&](unsigned L) {
      return From.Bits == 32 ? floatPattern(L, R * 7 + 3)
                             : pattern(L, R * 13 + 5);
    });
  W.setV(70, [](unsigned L) { return pattern(L, 999) * 2654435761u; });
  W.setV(71, [](unsigned L) { // about 1, with a mantissa that is ignored
    return L == 9 ? 0x7f800000u
                  : (120 + L % 15) << 23 | (L * 77777 & 0x7fffff) | L << 31;
  });
  for (unsigned R = 80; R < 112; ++R)
    W.setV(R, [&](unsigned L) { return pattern(L, R); });
  W.S.setExec(0xfffffffffffffff7ull); // without lane 3
  std::string Text =
      Name + " " + registers(80, ToBits) + ", " + registers(0, FromBits);
  if (Two)
    Text += ", " + registers(32, FromBits);
  if (Random)
    Text += ", v70";
  if (Scaled)
    Text += ", v71";
  W.load(Text + "\ns_endpgm");
  *reinterpret_cast<uint32_t *>(W.Memory.at(Wave::Code)) |= OpSel << 11;
  WaveState Before = W.S;
  const StepResult End = W.Exec.run(W.S, 10);
  ASSERT_EQ(End.Reason, StepResult::EndPgm) << End.Text;

  const unsigned FromAt = FromBits == 8    ? OpSel % 4 * 8
                          : FromBits == 16 ? OpSel % 2 * 16
                                           : 0,
                 ToAt = ToBits == 8    ? OpSel / 4 * 8
                        : ToBits == 16 ? OpSel / 8 * 16
                                       : 0;
  for (unsigned L = 0; L < 64; ++L) {
    uint32_t R = W.v(70, L);
    for (unsigned N = 0; N < Count; ++N) {
      const uint32_t Bits =
          uint32_t(bitsAt(Before, Two && N % 2 ? 32 : 0, L,
                          FromAt + (Two ? N / 2 : N) * From.Bits, From.Bits));
      double V = valueOf(From, Bits);
      if (Scaled) {
        const unsigned E = W.v(71, L) >> 23 & 255;
        const double Scale = E == 255 ? NAN : std::pow(2.0, int(E) - 127);
        V = From.Bits > To.Bits ? V / Scale : V * Scale;
      }
      const uint32_t Got =
          uint32_t(bitsAt(W.S, 80, L, ToAt + N * To.Bits, To.Bits));
      const uint32_t Want =
          convert(To, V, Random ? double(R) / 4294967296.0 : -1);
      if (L == 3)
        EXPECT_EQ(Got, bitsAt(Before, 80, L, ToAt + N * To.Bits, To.Bits));
      else
        EXPECT_TRUE(same(To, Got, Want) ||
                    (std::isnan(V) && To.Ends == 'f' &&
                     (Got ^ Want) == 1u << (To.Bits - 1)))
            << "lane " << L << " element " << N << ": " << V << " from 0x"
            << std::hex << Bits << " became 0x" << Got << ", not 0x" << Want;
      R = (R << 1) ^ (R & 0x80000000 ? 0xc5 : 0);
    }
    // The rest of the register is unchanged.
    for (unsigned At = 0; ToBits < 32 && At < 32; ++At)
      if (At < ToAt || At >= ToAt + ToBits)
        EXPECT_EQ(bitsAt(W.S, 80, L, At, 1), bitsAt(Before, 80, L, At, 1)) << L;
  }
}

} // namespace

TEST(ISAConvert, WithScales) {
  std::vector<std::string> Names;
  for (const char *Wide : {"f32", "f16", "bf16"}) {
    const std::string W = Wide;
    for (const std::string S : {"fp8", "bf8"}) {
      Names.insert(Names.end(), {"pk_" + S + "_" + W, "pk_" + W + "_" + S,
                                 "sr_" + S + "_" + W});
      if (W != "bf16")
        Names.push_back(W + "_" + S);
    }
    for (const std::string S : {"fp6", "bf6"}) {
      Names.insert(Names.end(),
                   {"sr_pk32_" + S + "_" + W, "pk32_" + W + "_" + S});
      Names.push_back((W == "f32" ? "2xpk16_" : "pk32_") + S + "_" + W);
    }
    Names.insert(Names.end(),
                 {"pk_fp4_" + W, "sr_pk_fp4_" + W, "pk_" + W + "_fp4"});
  }
  EXPECT_EQ(Names.size(), 49u);
  for (const std::string &N : Names)
    for (unsigned OpSel : {0, 1, 2, 4, 8, 12, 11}) {
      // Only meaningful bits may be set.
      const bool ToSmall = N.find("_f32") != std::string::npos ||
                           N.find("_f16") != std::string::npos ||
                           N.find("_bf16") != std::string::npos;
      const bool Wide =
          N.find("pk32") != std::string::npos || N.find("2x") == 0;
      if (OpSel && (Wide || N.find("bf16") != std::string::npos))
        continue;
      const bool FromSmall =
          N.rfind("_fp") > N.size() - 5 || N.rfind("_bf8") == N.size() - 4;
      if ((FromSmall && (OpSel & 12)) || (!FromSmall && ToSmall && (OpSel & 3)))
        continue;
      if (N.find("8_") != std::string::npos && N.find("pk") == 0 && OpSel & 4)
        continue; // a word of the result
      check(Target::GFX950, "v_cvt_scalef32_" + N, OpSel);
    }
}

TEST(ISAConvert, WithoutScales) {
  for (Target T : {Target::GFX942, Target::GFX950})
    for (const char *Name :
         {"v_cvt_f32_fp8_e64", "v_cvt_f32_bf8_e64", "v_cvt_pk_f32_fp8_e64",
          "v_cvt_pk_f32_bf8_e64", "v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32",
          "v_cvt_sr_fp8_f32", "v_cvt_sr_bf8_f32"}) {
      std::string N = Name;
      if (N.size() > 4 && N.compare(N.size() - 4, 4, "_e64") == 0)
        N.resize(N.size() - 4);
      check(T, N, 0);
    }
  check(Target::GFX950, "v_cvt_pk_fp8_f32", 8);
  check(Target::GFX942, "v_cvt_sr_fp8_f32", 4);
  check(Target::GFX950, "v_cvt_sr_bf8_f32", 12);
  for (const char *Name :
       {"v_cvt_pk_f16_f32", "v_cvt_pk_bf16_f32", "v_cvt_sr_f16_f32",
        "v_cvt_sr_bf16_f32", "v_cvt_f32_bf16"})
    check(Target::GFX950, Name, 0);
  check(Target::GFX950, "v_cvt_sr_f16_f32", 8);
  check(Target::GFX950, "v_cvt_sr_bf16_f32", 8);
}

TEST(ISAConvert, ModifiersLimitsAndConstants) {
  Wave W(Target::GFX950);
  W.setV(0, [](unsigned) { return bits(1000.0f); });
  W.setV(1, [](unsigned) { return bits(-0.75f); });
  W.setV(2, [](unsigned) { return 0x3fc0c040u; }); // BF16 1.5 and -3
  W.setV(3, [](unsigned) { return 0u; });
  W.setV(10, [](unsigned) { return 0x30b82838u; }); // FP8: 1, 0.25, -1, 0.5
  W.run("v_cvt_scalef32_pk_fp8_f32 v4, v0, -|v1|, 1.0\n"
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n"
        "v_cvt_scalef32_pk_fp8_f32 v5, v0, -v1, 1.0\n"
        "v_cvt_f32_bf16 v6, 0.5\nv_cvt_f32_bf16 v7, -|v2|\n"
        "v_cvt_f32_fp8_sdwa v8, v10 src0_sel:BYTE_2\n"
        "v_prng_b32 v9, 0x80000001\nv_prng_b32 v11, 5\n"
        "v_cvt_pk_bf16_f32 v12, v1, 2.0");
  EXPECT_EQ(W.v(4, 0) & 0xffff, 0xb47fu);
  EXPECT_EQ(W.v(5, 0) & 0xffff, 0x347eu);
  EXPECT_EQ(W.v(6, 0), bits(0.5f));
  EXPECT_EQ(W.v(7, 0), bits(-3.0f));
  EXPECT_EQ(W.v(8, 0), bits(-1.0f));
  EXPECT_EQ(W.v(9, 0), 2u ^ 197);
  EXPECT_EQ(W.v(11, 0), 10u);
  EXPECT_EQ(W.v(12, 0), 0x4000bf40u);
}
