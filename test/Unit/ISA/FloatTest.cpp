//===-- FloatTest.cpp - floating point against the host's arithmetic ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <cfenv>

using namespace isatest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

bool same(float A, float B) { // all NaNs are equal
  return bits(A) == bits(B) || (std::isnan(A) && std::isnan(B));
}
bool same(double A, double B) {
  return bits(A) == bits(B) || (std::isnan(A) && std::isnan(B));
}

struct SingleCase {
  const char *Text;
  float (*Host)(float A, float B, float C);
};
// Prevents the compiler from folding, so the host's rounding mode applies.
volatile float Sink;
const SingleCase Singles[] = {
    {"v_add_f32 v3, v0, v1", [](float A, float B, float) { return A + B; }},
    {"v_sub_f32 v3, v0, v1", [](float A, float B, float) { return A - B; }},
    {"v_subrev_f32 v3, v0, v1", [](float A, float B, float) { return B - A; }},
    {"v_mul_f32 v3, v0, v1", [](float A, float B, float) { return A * B; }},
    {"v_fma_f32 v3, v0, v1, v2",
     [](float A, float B, float C) { return std::fma(A, B, C); }},
    {"v_fma_f32 v3, -v0, |v1|, -|v2|",
     [](float A, float B, float C) {
       return std::fma(-A, std::fabs(B), -std::fabs(C));
     }},
    {"v_mov_b32 v3, v2\nv_fmac_f32 v3, v0, v1",
     [](float A, float B, float C) { return std::fma(A, B, C); }},
    {"v_cvt_f32_i32 v3, v0",
     [](float A, float, float) { return float(int32_t(bits(A))); }},
    {"v_cvt_f32_u32 v3, v0",
     [](float A, float, float) { return float(bits(A)); }},
    {"v_trunc_f32 v3, v0", [](float A, float, float) { return std::trunc(A); }},
    {"v_ceil_f32 v3, v0", [](float A, float, float) { return std::ceil(A); }},
    {"v_floor_f32 v3, v0", [](float A, float, float) { return std::floor(A); }},
    {"v_mul_f32_e64 v3, v0, v1 clamp",
     [](float A, float B, float) {
       const float R = A * B;
       return std::isnan(R) || R <= 0 ? 0 : std::min(R, 1.0f);
     }},
    {"v_pk_mul_f32 v[4:5], v[0:1], v[2:3]\nv_mov_b32 v3, v4",
     [](float A, float, float C) { return A * C; }},
};

struct DoubleCase {
  const char *Text;
  double (*Host)(double A, double B, double C);
};
const DoubleCase Doubles[] = {
    {"v_add_f64 v[6:7], v[0:1], v[2:3]",
     [](double A, double B, double) { return A + B; }},
    {"v_add_f64 v[6:7], v[0:1], -v[2:3]",
     [](double A, double B, double) { return A - B; }},
    {"v_mul_f64 v[6:7], v[0:1], v[2:3]",
     [](double A, double B, double) { return A * B; }},
    {"v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5]",
     [](double A, double B, double C) { return std::fma(A, B, C); }},
    {"v_trunc_f64 v[6:7], v[0:1]",
     [](double A, double, double) { return std::trunc(A); }},
    {"v_floor_f64 v[6:7], v[0:1]",
     [](double A, double, double) { return std::floor(A); }},
    {"v_cvt_f32_f64 v8, v[0:1]\nv_cvt_f64_f32 v[6:7], v8",
     [](double A, double, double) { return double(float(A)); }},
};

const int HostRounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                            FE_TOWARDZERO};

} // namespace

TEST(ISAFloat, SinglesInEveryRoundingMode) {
  for (const SingleCase &C : Singles)
    for (unsigned Mode = 0; Mode < 4; ++Mode) {
      Wave W;
      W.S.Mode = (W.S.Mode & ~3u) | Mode;
      for (unsigned Salt = 0; Salt < 8; ++Salt) {
        for (unsigned R = 0; R < 3; ++R)
          W.setV(R, [&](unsigned L) { return floatPattern(L, Salt * 3 + R); });
        W.run(C.Text);
        for (unsigned L = 0; L < 64; ++L) {
          volatile float A = asFloat(floatPattern(L, Salt * 3)),
                         B = asFloat(floatPattern(L, Salt * 3 + 1)),
                         D = asFloat(floatPattern(L, Salt * 3 + 2));
          std::fesetround(HostRounding[Mode]);
          Sink = C.Host(A, B, D);
          std::fesetround(FE_TONEAREST);
          const float Want = Sink, Got = asFloat(W.v(3, L));
          ASSERT_TRUE(same(Got, Want))
              << C.Text << " mode " << Mode << ": " << A << " " << B << " " << D
              << " gives " << Got << ", host " << Want;
        }
      }
    }
}

TEST(ISAFloat, DoublesInEveryRoundingMode) {
  for (const DoubleCase &C : Doubles)
    for (unsigned Mode = 0; Mode < 4; ++Mode) {
      Wave W;
      W.S.Mode = (W.S.Mode & ~15u) | Mode << 2 | Mode;
      for (unsigned Salt = 0; Salt < 8; ++Salt) {
        for (unsigned R = 0; R < 3; ++R)
          W.setV64(2 * R,
                   [&](unsigned L) { return doublePattern(L, Salt * 3 + R); });
        W.run(C.Text);
        for (unsigned L = 0; L < 64; ++L) {
          volatile double A = asDouble(doublePattern(L, Salt * 3)),
                          B = asDouble(doublePattern(L, Salt * 3 + 1)),
                          D = asDouble(doublePattern(L, Salt * 3 + 2));
          std::fesetround(HostRounding[Mode]);
          volatile double Want = C.Host(A, B, D);
          std::fesetround(FE_TONEAREST);
          const double Got = asDouble(W.v64(6, L));
          ASSERT_TRUE(same(Got, Want))
              << C.Text << " mode " << Mode << ": " << A << " " << B << " " << D
              << " gives " << Got << ", host " << Want;
        }
      }
    }
}

TEST(ISAFloat, RoundToEvenWhateverTheMode) {
  Wave W;
  W.S.Mode |= 15;
  W.setV(0, [](unsigned L) { return bits(float(L) * 0.5f - 10); });
  W.setV64(2, [](unsigned L) { return bits(double(L) * 0.5 - 10); });
  W.run("v_rndne_f32 v1, v0\nv_rndne_f64 v[4:5], v[2:3]");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(asFloat(W.v(1, L)), std::nearbyint(float(L) * 0.5f - 10));
    EXPECT_EQ(asDouble(W.v64(4, L)), std::nearbyint(double(L) * 0.5 - 10));
  }
}

TEST(ISAFloat, DenormalsAreFlushedWhenModeSaysSo) {
  Wave W;
  const u32 Small = 0x00400000, Least = 0x00800000;
  W.setV(0, [=](unsigned L) { return (L & 1) << 31 | Small; });
  W.setV(1, [=](unsigned) { return Least; });
  W.S.Mode &= ~0x30u; // Neither inputs nor outputs are kept.
  W.run("v_add_f32 v2, v0, v0\nv_mul_f32 v3, 0.5, v1\nv_max_f32 v4, v0, v0");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(2, L), (L & 1) << 31);
    EXPECT_EQ(W.v(3, L), 0u);
    EXPECT_EQ(W.v(4, L), (L & 1) << 31);
  }
  W.S.Mode |= 0x10; // Inputs are kept.
  W.run("v_add_f32 v2, v0, v0\nv_mul_f32 v3, 0.5, v1");
  EXPECT_EQ(W.v(2, 0), Least);
  EXPECT_EQ(W.v(3, 0), 0u);
  W.S.Mode |= 0x30;
  W.run("v_mul_f32 v3, 0.5, v1\nv_mad_f32 v5, v0, 1.0, v0");
  EXPECT_EQ(W.v(3, 0), Small);
  EXPECT_EQ(W.v(5, 0), 0u) << "v_mad has no denormals";
}

TEST(ISAFloat, OutputModifiersNeedIeeeOffAndNoDenormals) {
  Wave W;
  W.setV(0, [](unsigned) { return bits(3.0f); });
  W.run("v_add_f32_e64 v1, v0, v0 mul:2");
  EXPECT_EQ(W.v(1, 0), bits(6.0f));
  W.S.Mode &= ~u32(mode::IEEE | 0x30);
  W.run("v_add_f32_e64 v1, v0, v0 mul:2\nv_add_f32_e64 v2, v0, v0 div:2\n"
        "v_add_f32_e64 v3, v0, v0 clamp mul:4");
  EXPECT_EQ(W.v(1, 0), bits(12.0f));
  EXPECT_EQ(W.v(2, 0), bits(3.0f));
  EXPECT_EQ(W.v(3, 0), bits(1.0f));
}

/// With DX10_CLAMP, clamp makes 0 of NaN. gfx12 has no such mode, and always
/// does.
TEST(ISAFloat, ClampOfNaN) {
  for (const Target T : {Target::GFX90A, Target::GFX1100, Target::GFX1201})
    for (const bool Clamps : {false, true}) {
      Wave W(T);
      W.S.Mode &= ~u32(mode::DX10Clamp);
      W.S.Mode |= Clamps ? u32(mode::DX10Clamp) : 0;
      W.setV(0, [](unsigned L) { return L == 3 ? 0x7fc00000 : bits(2.0f); });
      W.run("v_add_f32_e64 v1, v0, v0 clamp\nv_fma_mix_f32 v2, v0, v0, v0 "
            "clamp\n");
      const bool IsZero = Clamps || T == Target::GFX1201;
      for (unsigned N : {1, 2}) {
        EXPECT_EQ(W.v(N, 2), bits(1.0f));
        EXPECT_EQ(W.v(N, 3), IsZero ? 0 : 0x7fc00000u) << getProcessorName(T);
      }
    }
}

/// With FP16_OVFL, overflow of a half gives the largest one; an infinite
/// operand still gives infinity.
TEST(ISAFloat, OverflowOfHalves) {
  for (const bool Saturates : {false, true}) {
    Wave W;
    W.S.Mode |= Saturates ? u32(mode::FP16Ovfl) : 0;
    W.setV(0, [](unsigned L) { return L == 3 ? 0x7c00 : 0x7bff; });
    W.setV(1, [](unsigned) { return 0xfbff; });
    W.run("v_add_f16 v2, v0, v0\nv_mul_f16 v3, v0, v1\n"
          "v_pk_add_f16 v4, v0, v0 op_sel_hi:[0,0]\n");
    const uint32_t Most = Saturates ? 0x7bff : 0x7c00;
    EXPECT_EQ(W.v(2, 2), Most);
    EXPECT_EQ(W.v(2, 3), 0x7c00u);
    EXPECT_EQ(W.v(3, 2), Most | 0x8000);
    EXPECT_EQ(W.v(3, 3), 0xfc00u);
    EXPECT_EQ(W.v(4, 2), Most | Most << 16);
  }
}

TEST(ISAFloat, MultiplyAddIsNotFusedButFmaIs) {
  Wave W;
  const float A = 1.0f + 0x1p-12f, C = -1.0f - 0x1p-11f;
  W.setV(0, [=](unsigned) { return bits(A); });
  W.setV(1, [=](unsigned) { return bits(C); });
  W.run("v_mad_f32 v2, v0, v0, v1\nv_fma_f32 v3, v0, v0, v1");
  EXPECT_EQ(asFloat(W.v(2, 0)), 0.0f);
  EXPECT_EQ(asFloat(W.v(3, 0)), 0x1p-24f);
}

TEST(ISAFloat, MinimumAndMaximumOfNaNAndZero) {
  Wave W;
  const u32 Q = 0x7fc01234, S = 0x7f801234;
  const u32 A[] = {Q, bits(1.0f), S, bits(1.0f), bits(-0.0f), bits(0.0f), Q};
  const u32 B[] = {bits(2.0f), Q, bits(2.0f), S, bits(0.0f), bits(-0.0f), S};
  const u32 MinIeee[] = {bits(2.0f),  bits(1.0f),  S | 0x400000, S | 0x400000,
                         bits(-0.0f), bits(-0.0f), S | 0x400000};
  const u32 MaxOther[] = {bits(2.0f), bits(1.0f), bits(2.0f), bits(1.0f),
                          bits(0.0f), bits(0.0f), S};
  W.setV(0, [&](unsigned L) { return A[L % 7]; });
  W.setV(1, [&](unsigned L) { return B[L % 7]; });
  W.run("v_min_f32 v2, v0, v1");
  W.S.Mode &= ~u32(mode::IEEE);
  W.run("v_max_f32 v3, v0, v1");
  for (unsigned L = 0; L < 7; ++L) {
    EXPECT_EQ(W.v(2, L), MinIeee[L]) << L;
    EXPECT_EQ(W.v(3, L), MaxOther[L]) << L;
  }
}

TEST(ISAFloat, ConversionsToIntegersSaturate) {
  Wave W;
  const float In[] = {0.0f,     -0.9f,     1.9f,          -1.9f,
                      3e9f,     -3e9f,     5e9f,          NAN,
                      INFINITY, -INFINITY, 2147483520.0f, 4294967040.0f};
  const int32_t I[] = {0,         0,         1,          -1,
                       INT32_MAX, INT32_MIN, INT32_MAX,  0,
                       INT32_MAX, INT32_MIN, 2147483520, INT32_MAX};
  const u32 U[] = {0,   0, 1,   0, 3000000000u, 0,
                   ~0u, 0, ~0u, 0, 2147483520u, 4294967040u};
  W.setV(0, [&](unsigned L) { return bits(In[L % 12]); });
  W.run("v_cvt_i32_f32 v1, v0\nv_cvt_u32_f32 v2, v0\nv_cvt_f64_f32 v[4:5], v0\n"
        "v_cvt_i32_f64 v6, v[4:5]\nv_cvt_u32_f64 v7, v[4:5]\nv_cvt_flr_i32_f32 "
        "v8, v0");
  for (unsigned L = 0; L < 12; ++L) {
    EXPECT_EQ(W.v(1, L), u32(I[L])) << L;
    EXPECT_EQ(W.v(2, L), U[L]) << L;
    EXPECT_EQ(W.v(6, L), u32(I[L])) << L;
    EXPECT_EQ(W.v(7, L), U[L]) << L;
  }
  EXPECT_EQ(W.v(8, 3), u32(-2));
}

TEST(ISAFloat, ComparesWithNaN) {
  Wave W;
  W.setV(0, [](unsigned L) { return floatPattern(L, 1); });
  W.setV(1, [](unsigned L) { return floatPattern(L, 2); });
  W.run("v_cmp_lt_f32 s[0:1], v0, v1\nv_cmp_nlt_f32 s[2:3], v0, v1\n"
        "v_cmp_lg_f32 s[4:5], v0, v1\nv_cmp_neq_f32 s[6:7], v0, v1\n"
        "v_cmp_u_f32 s[8:9], v0, v1\nv_cmp_o_f32 s[10:11], v0, v1\n"
        "v_cmp_ge_f32 s[12:13], -v0, |v1|");
  for (unsigned L = 0; L < 64; ++L) {
    const float A = asFloat(floatPattern(L, 1)),
                B = asFloat(floatPattern(L, 2));
    const bool U = std::isnan(A) || std::isnan(B);
    EXPECT_EQ(W.S.pair(0) >> L & 1, u64(A < B));
    EXPECT_EQ(W.S.pair(2) >> L & 1, u64(!(A < B)));
    EXPECT_EQ(W.S.pair(4) >> L & 1, u64(A < B || A > B));
    EXPECT_EQ(W.S.pair(6) >> L & 1, u64(!(A == B)));
    EXPECT_EQ(W.S.pair(8) >> L & 1, u64(U));
    EXPECT_EQ(W.S.pair(10) >> L & 1, u64(!U));
    EXPECT_EQ(W.S.pair(12) >> L & 1, u64(-A >= std::fabs(B)));
  }
}

TEST(ISAFloat, Classes) {
  Wave W;
  const u32 In[] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                    0x80000000, 0,          1,          0x3f800000, 0x7f800000};
  W.setV(0, [&](unsigned L) { return In[L % 10]; });
  W.setV(1, [](unsigned L) { return 1u << L % 10; });
  W.setV64(2, [&](unsigned L) {
    return L == 0 ? 0x7ff0000000000001 : bits(double(asFloat(In[L % 10])));
  });
  W.run("v_cmp_class_f32 s[0:1], v0, v1\nv_cmp_class_f64 s[2:3], v[2:3], v1\n"
        "v_cmp_class_f32 s[4:5], -v0, v1");
  EXPECT_EQ(W.S.pair(0) & 1023, 1023u);
  // Denormal singles are normal doubles; signaling NaNs are quiet ones.
  EXPECT_EQ(W.S.pair(2) & 1023, 1023u & ~(1u << 4 | 1u << 7));
  EXPECT_EQ(W.S.pair(4) & 1023, 3u);
}

TEST(ISAFloat, DivisionSequenceIsExact) {
  Wave W;
  for (unsigned Salt = 0; Salt < 100; ++Salt) {
    const auto Bits = [&](unsigned L, unsigned R) {
      // All exponents, denormals included.
      const u32 P = pattern(L + 64 * Salt, R) * 2654435761u + L * 40503u;
      return Salt % 4 == 3 ? floatPattern(L, Salt + R) : P;
    };
    W.setV(0, [&](unsigned L) { return Bits(L, 1); });
    W.setV(1, [&](unsigned L) { return Bits(L, 2); });
    W.run("v_div_scale_f32 v10, s[0:1], v1, v1, v0\n"
          "v_div_scale_f32 v11, vcc, v0, v1, v0\n"
          "v_rcp_f32 v12, v10\nv_fma_f32 v13, -v10, v12, 1.0\n"
          "v_fma_f32 v12, v13, v12, v12\nv_mul_f32 v14, v11, v12\n"
          "v_fma_f32 v15, -v10, v14, v11\nv_fma_f32 v14, v15, v12, v14\n"
          "v_fma_f32 v10, -v10, v14, v11\nv_div_fmas_f32 v10, v10, v12, v14\n"
          "v_div_fixup_f32 v2, v10, v1, v0");
    for (unsigned L = 0; L < 64; ++L) {
      const float A = asFloat(Bits(L, 1)), B = asFloat(Bits(L, 2));
      EXPECT_TRUE(same(asFloat(W.v(2, L)), A / B))
          << std::hexfloat << A << " / " << B << " = " << A / B << ", got "
          << asFloat(W.v(2, L));
    }
  }
}

TEST(ISAFloat, DoubleDivisionSequenceIsExact) {
  Wave W;
  for (unsigned Salt = 0; Salt < 100; ++Salt) {
    const auto Bits = [&](unsigned L, unsigned R) {
      const u64 P = pattern64(L + 64 * Salt, R) * 0x9e3779b97f4a7c15ull + L;
      return Salt % 4 == 3 ? doublePattern(L, Salt + R) : P;
    };
    W.setV64(0, [&](unsigned L) { return Bits(L, 1); });
    W.setV64(2, [&](unsigned L) { return Bits(L, 2); });
    W.run("v_div_scale_f64 v[10:11], s[0:1], v[2:3], v[2:3], v[0:1]\n"
          "v_rcp_f64 v[12:13], v[10:11]\n"
          "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n"
          "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
          "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n"
          "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
          "v_div_scale_f64 v[16:17], vcc, v[0:1], v[2:3], v[0:1]\n"
          "v_mul_f64 v[18:19], v[16:17], v[12:13]\n"
          "v_fma_f64 v[10:11], -v[10:11], v[18:19], v[16:17]\n"
          "v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[18:19]\n"
          "v_div_fixup_f64 v[4:5], v[10:11], v[2:3], v[0:1]");
    for (unsigned L = 0; L < 64; ++L) {
      const double A = asDouble(Bits(L, 1)), B = asDouble(Bits(L, 2));
      EXPECT_TRUE(same(asDouble(W.v64(4, L)), A / B))
          << std::hexfloat << A << " / " << B << " = " << A / B << ", got "
          << asDouble(W.v64(4, L));
    }
  }
}

TEST(ISAFloat, TranscendentalsAreWithinOneUnit) {
  Wave W;
  const auto In = [](unsigned L) { return float(L) * 0.37f + 0.01f; };
  W.setV(0, [&](unsigned L) { return bits(In(L)); });
  W.run(
      "v_exp_f32 v1, v0\nv_log_f32 v2, v0\nv_rcp_f32 v3, v0\nv_rsq_f32 v4, v0\n"
      "v_sqrt_f32 v5, v0\nv_sin_f32 v6, v0\nv_cos_f32 v7, v0\nv_log_f32 v8, "
      "-v0\n"
      "v_sqrt_f32 v9, -v0\nv_exp_f32 v10, 0");
  const auto Near = [](float Got, double Want) {
    const float F = float(Want);
    return std::fabs(Got - Want) <=
           std::fabs(double(std::nextafter(F, INFINITY)) - F) * 1.01;
  };
  for (unsigned L = 0; L < 64; ++L) {
    const double X = In(L), Turn = 6.283185307179586;
    EXPECT_TRUE(Near(asFloat(W.v(1, L)), std::exp2(X)));
    EXPECT_TRUE(Near(asFloat(W.v(2, L)), std::log2(X)));
    EXPECT_TRUE(Near(asFloat(W.v(3, L)), 1 / X));
    EXPECT_TRUE(Near(asFloat(W.v(4, L)), 1 / std::sqrt(X)));
    EXPECT_TRUE(Near(asFloat(W.v(5, L)), std::sqrt(X)));
    EXPECT_NEAR(asFloat(W.v(6, L)), std::sin(X * Turn), 1e-6);
    EXPECT_NEAR(asFloat(W.v(7, L)), std::cos(X * Turn), 1e-6);
    EXPECT_TRUE(std::isnan(asFloat(W.v(8, L))));
    EXPECT_TRUE(std::isnan(asFloat(W.v(9, L))));
    EXPECT_EQ(W.v(10, L), bits(1.0f));
  }
}

TEST(ISAFloat, ExponentsAndMantissas) {
  Wave W;
  W.setV(0, [](unsigned L) { return floatPattern(L, 5); });
  W.setV(10, [](unsigned L) { return pattern(L, 5); });
  W.setV64(2, [](unsigned L) { return doublePattern(L, 5); });
  W.run("v_frexp_exp_i32_f32 v1, v0\nv_frexp_mant_f32 v4, v0\nv_ldexp_f32 v5, "
        "v4, v1\n"
        "v_frexp_exp_i32_f64 v6, v[2:3]\nv_frexp_mant_f64 v[8:9], v[2:3]\n"
        "v_ldexp_f64 v[8:9], v[8:9], v6\nv_ldexp_f32 v11, v0, v10\nv_fract_f32 "
        "v12, v0");
  for (unsigned L = 0; L < 64; ++L) {
    const float A = asFloat(floatPattern(L, 5));
    EXPECT_TRUE(same(asFloat(W.v(5, L)), A)) << A;
    EXPECT_TRUE(same(asDouble(W.v64(8, L)), asDouble(doublePattern(L, 5))));
    EXPECT_TRUE(same(asFloat(W.v(11, L)), std::ldexp(A, int(pattern(L, 5)))))
        << A;
    const float F = asFloat(W.v(12, L));
    EXPECT_TRUE(!(A - A == 0) || (F >= 0 && F < 1)) << A << " " << F;
  }
}

TEST(ISAFloat, TrigPreopGivesTheBitsOfTwoOverPi) {
  Wave W;
  W.setV64(0, [](unsigned) { return bits(1.0); });
  W.run(
      "v_trig_preop_f64 v[2:3], v[0:1], 0\nv_trig_preop_f64 v[4:5], v[0:1], 1");
  const double Hi = asDouble(W.v64(2, 0)), Lo = asDouble(W.v64(4, 0));
  EXPECT_NEAR(Hi, 0.63661977236758134308, 1e-15);
  EXPECT_LT(Hi, 0.63661977236758138);
  EXPECT_GT(Lo, 0);
  EXPECT_LT(Lo, 0x1p-52);
}

TEST(ISAFloat, Halves) {
  Wave W;
  const auto Half = [](float F) {
    _Float16 H = _Float16(F);
    uint16_t B;
    std::memcpy(&B, &H, 2);
    return u32(B);
  };
  const auto Value = [](u32 B) {
    const uint16_t Low = uint16_t(B);
    _Float16 H;
    std::memcpy(&H, &Low, 2);
    return float(H);
  };
  for (unsigned Salt = 0; Salt < 8; ++Salt) {
    // Every second number has moderate size.
    const auto In = [&](unsigned L, unsigned R) {
      return L & 1 ? pattern(L + Salt * 64, R) & 0xffff
                   : (pattern(L + Salt * 64, R) * 2654435761u & 0x83ff) |
                         0x3800 | (L & 14) << 9;
    };
    for (unsigned R = 0; R < 3; ++R)
      W.setV(R, [&](unsigned L) { return 0xdead0000 | In(L, R); });
    W.setV(9, [](unsigned L) { return floatPattern(L, 7); });
    W.run("v_add_f16 v3, v0, v1\nv_mul_f16 v4, v0, v1\nv_cvt_f32_f16 v5, v0\n"
          "v_cvt_f16_f32 v6, v9\nv_pk_add_f16 v7, v0, v1\n"
          "v_cmp_lt_f16 vcc, v0, v1\nv_max_f16 v8, v0, v1\n"
          "v_pack_b32_f16 v10, v0, v1\nv_cvt_pkrtz_f16_f32 v11, v9, 1.0");
    for (unsigned L = 0; L < 64; ++L) {
      const float A = Value(In(L, 0)), B = Value(In(L, 1));
      const auto Check = [&](u32 Got, float Want, const char *What) {
        EXPECT_EQ(Got >> 16, 0u);
        EXPECT_TRUE(Got == Half(Want) ||
                    (std::isnan(Value(Got)) && std::isnan(Want)))
            << What << " " << A << " " << B << ": " << Value(Got);
      };
      Check(W.v(3, L), A + B, "add");
      Check(W.v(4, L), A * B, "mul");
      Check(W.v(6, L), asFloat(floatPattern(L, 7)), "cvt");
      EXPECT_TRUE(same(asFloat(W.v(5, L)), A));
      Check(W.v(7, L) & 0xffff, A + B, "pk_add");
      EXPECT_EQ(W.S.vcc() >> L & 1, u64(A < B));
      EXPECT_EQ(W.v(10, L), In(L, 0) | In(L, 1) << 16);
      EXPECT_EQ(W.v(11, L) >> 16, 0x3c00u);
    }
  }
}

TEST(ISAFloat, MixedPrecision) {
  Wave W;
  W.setV(0, [](unsigned) { return 0x40003c00; }); // 2.0, 1.0 as halves.
  W.setV(1, [](unsigned) { return bits(3.0f); });
  W.setV(2, [](unsigned) { return bits(0.5f); });
  W.setV(4, [](unsigned) { return 0xaaaabbbb; });
  W.setV(5, [](unsigned) { return 0xaaaabbbb; });
  W.run("v_fma_mix_f32 v3, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]\n"
        "v_fma_mixlo_f16 v4, v0, v1, v2 op_sel_hi:[1,0,0]\n"
        "v_fma_mixhi_f16 v5, -v0, v1, v2 op_sel_hi:[1,0,0]");
  EXPECT_EQ(asFloat(W.v(3, 0)), 6.5f);
  EXPECT_EQ(W.v(4, 0), 0xaaaa4300u); // 3.5
  EXPECT_EQ(W.v(5, 0), 0xc100bbbbu); // -2.5
}

TEST(ISAFloat, PackedSingles) {
  Wave W;
  W.setV64(0, [](unsigned L) {
    return bits(float(L)) | u64(bits(float(L + 1))) << 32;
  });
  W.setV64(2, [](unsigned) { return bits(10.0f) | u64(bits(20.0f)) << 32; });
  W.S.setPair(4, bits(2.0f) | u64(bits(4.0f)) << 32);
  W.run("v_pk_fma_f32 v[6:7], v[0:1], v[2:3], s[4:5]\n"
        "v_pk_add_f32 v[8:9], v[0:1], v[2:3] op_sel:[0,1] op_sel_hi:[1,0] "
        "neg_lo:[0,1] neg_hi:[0,0]\n"
        "v_pk_mul_f32 v[10:11], v[0:1], 2.0 op_sel_hi:[1,0]\n"
        "v_pk_add_f32 v[0:1], v[0:1], v[0:1] op_sel:[1,0] op_sel_hi:[0,0]");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(asFloat(W.v(6, L)), L * 10.0f + 2);
    EXPECT_EQ(asFloat(W.v(7, L)), (L + 1) * 20.0f + 4);
    EXPECT_EQ(asFloat(W.v(8, L)), L - 20.0f);
    EXPECT_EQ(asFloat(W.v(9, L)), L + 1 + 10.0f);
    EXPECT_EQ(asFloat(W.v(10, L)), L * 2.0f);
    EXPECT_EQ(asFloat(W.v(11, L)), (L + 1) * 2.0f);
    EXPECT_EQ(asFloat(W.v(0, L)), 2.0f * L + 1);
    EXPECT_EQ(asFloat(W.v(1, L)), 2.0f * L);
  }
}
