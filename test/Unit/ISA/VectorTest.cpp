//===-- VectorTest.cpp - integers, encodings, lanes and registers ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace isatest;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

struct Case32 {
  const char *Text; ///< v3 from v0, v1, v2.
  u32 (*Host)(u32 A, u32 B, u32 C);
};

u32 clz(u32 V) {
  for (unsigned N = 0; N < 32; ++N)
    if (V >> (31 - N) & 1)
      return N;
  return ~0u;
}
i32 s24(u32 V) {
  return V & 0x800000 ? i32(V | 0xff000000) : i32(V & 0xffffff);
}
i64 clampTo(i64 V, i64 Lo, i64 Hi) { return std::min(std::max(V, Lo), Hi); }

const Case32 Cases[] = {
    {"v_mov_b32 v3, v0", [](u32 A, u32, u32) { return A; }},
    {"v_not_b32 v3, v0", [](u32 A, u32, u32) { return ~A; }},
    {"v_add_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return A + B; }},
    {"v_sub_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return A - B; }},
    {"v_subrev_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return B - A; }},
    {"v_add_u32_e64 v3, v0, v1 clamp",
     [](u32 A, u32 B, u32) { return u32(clampTo(i64(A) + B, 0, ~0u)); }},
    {"v_sub_u32_e64 v3, v0, v1 clamp",
     [](u32 A, u32 B, u32) { return u32(clampTo(i64(A) - B, 0, ~0u)); }},
    {"v_add_i32 v3, v0, v1 clamp",
     [](u32 A, u32 B, u32) {
       return u32(clampTo(i64(i32(A)) + i32(B), INT32_MIN, INT32_MAX));
     }},
    {"v_lshlrev_b32 v3, v0, v1", [](u32 A, u32 B, u32) { return B << A % 32; }},
    {"v_lshrrev_b32 v3, v0, v1", [](u32 A, u32 B, u32) { return B >> A % 32; }},
    {"v_ashrrev_i32 v3, v0, v1",
     [](u32 A, u32 B, u32) { return u32(i32(B) >> A % 32); }},
    {"v_and_b32 v3, v0, v1", [](u32 A, u32 B, u32) { return A & B; }},
    {"v_or_b32 v3, v0, v1", [](u32 A, u32 B, u32) { return A | B; }},
    {"v_xor_b32 v3, v0, v1", [](u32 A, u32 B, u32) { return A ^ B; }},
    {"v_xnor_b32 v3, v0, v1", [](u32 A, u32 B, u32) { return ~(A ^ B); }},
    {"v_min_i32 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(std::min<i32>(A, B)); }},
    {"v_max_i32 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(std::max<i32>(A, B)); }},
    {"v_min_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return std::min(A, B); }},
    {"v_max_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return std::max(A, B); }},
    {"v_mul_lo_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return A * B; }},
    {"v_mul_hi_u32 v3, v0, v1", [](u32 A, u32 B, u32) { return u32((u64(A) * B) >> 32); }},
    {"v_mul_hi_i32 v3, v0, v1",
     [](u32 A, u32 B, u32) { return u32((i64(i32(A)) * i32(B)) >> 32); }},
    {"v_mul_i32_i24 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(i64(s24(A)) * s24(B)); }},
    {"v_mul_hi_i32_i24 v3, v0, v1",
     [](u32 A, u32 B, u32) { return u32((i64(s24(A)) * s24(B)) >> 32); }},
    {"v_mul_u32_u24 v3, v0, v1",
     [](u32 A, u32 B, u32) { return u32(u64(A & 0xffffff) * (B & 0xffffff)); }},
    {"v_mad_u32_u24 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(u64(A & 0xffffff) * (B & 0xffffff) + C); }},
    {"v_mad_i32_i24 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(i64(s24(A)) * s24(B)) + C; }},
    {"v_mad_u32_u16 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(u16(A)) * u16(B) + C; }},
    {"v_mad_i32_i16 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(i16(A) * i16(B)) + C; }},
    {"v_add3_u32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return A + B + C; }},
    {"v_lshl_add_u32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return (A << B % 32) + C; }},
    {"v_add_lshl_u32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return (A + B) << C % 32; }},
    {"v_lshl_or_b32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return (A << B % 32) | C; }},
    {"v_and_or_b32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return (A & B) | C; }},
    {"v_or3_b32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return A | B | C; }},
    {"v_xad_u32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return (A ^ B) + C; }},
    {"v_bfi_b32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return (A & B) | (~A & C); }},
    {"v_bfe_u32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       u32 R = 0;
       for (unsigned N = 0; N < C % 32 && B % 32 + N < 32; ++N)
         R |= (A >> (B % 32 + N) & 1) << N;
       return R;
     }},
    {"v_bfe_i32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       u32 R = 0;
       const unsigned W = C % 32;
       for (unsigned N = 0; W && N < 32; ++N)
         R |= (A >> std::min(31u, B % 32 + std::min(N, W - 1)) & 1) << N;
       return R;
     }},
    {"v_alignbit_b32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(((u64(A) << 32) | B) >> C % 32); }},
    {"v_alignbyte_b32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(((u64(A) << 32) | B) >> C % 4 * 8); }},
    {"v_bfrev_b32 v3, v0",
     [](u32 A, u32, u32) {
       u32 R = 0;
       for (unsigned N = 0; N < 32; ++N)
         R |= (A >> N & 1) << (31 - N);
       return R;
     }},
    {"v_ffbh_u32 v3, v0", [](u32 A, u32, u32) { return clz(A); }},
    {"v_ffbh_i32 v3, v0", [](u32 A, u32, u32) { return clz(i32(A) < 0 ? ~A : A); }},
    {"v_ffbl_b32 v3, v0",
     [](u32 A, u32, u32) {
       for (u32 N = 0; N < 32; ++N)
         if (A >> N & 1)
           return N;
       return ~0u;
     }},
    {"v_bcnt_u32_b32 v3, v0, v1",
     [](u32 A, u32 B, u32) {
       for (unsigned N = 0; N < 32; ++N)
         B += A >> N & 1;
       return B;
     }},
    {"v_bfm_b32 v3, v0, v1",
     [](u32 A, u32 B, u32) { return ((1u << A % 32) - 1) << B % 32; }},
    {"v_sad_u32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return (A > B ? A - B : B - A) + C; }},
    {"v_sad_u8 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       for (unsigned N = 0; N < 32; N += 8)
         C += u32(std::abs(i32(A >> N & 255) - i32(B >> N & 255)));
       return C;
     }},
    {"v_sad_u16 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       for (unsigned N = 0; N < 32; N += 16)
         C += u32(std::abs(i32(A >> N & 65535) - i32(B >> N & 65535)));
       return C;
     }},
    {"v_min3_i32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(std::min({i32(A), i32(B), i32(C)})); }},
    {"v_max3_u32 v3, v0, v1, v2", [](u32 A, u32 B, u32 C) { return std::max({A, B, C}); }},
    {"v_med3_i32 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       i32 V[] = {i32(A), i32(B), i32(C)};
       std::sort(V, V + 3);
       return u32(V[1]);
     }},
    {"v_cvt_pk_i16_i32 v3, v0, v1",
     [](u32 A, u32 B, u32) {
       return u32(u16(clampTo(i32(A), -32768, 32767))) |
              u32(clampTo(i32(B), -32768, 32767)) << 16;
     }},
    {"v_add_u16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(A + B)); }},
    {"v_sub_u16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(A - B)); }},
    {"v_mul_lo_u16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(u16(A) * u32(u16(B)))); }},
    {"v_lshlrev_b16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(B << A % 16)); }},
    {"v_lshrrev_b16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(B) >> A % 16); }},
    {"v_ashrrev_i16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(i16(B) >> A % 16)); }},
    {"v_max_i16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(u16(std::max(i16(A), i16(B)))); }},
    {"v_min_u16 v3, v0, v1", [](u32 A, u32 B, u32) { return u32(std::min(u16(A), u16(B))); }},
    {"v_mad_legacy_u16 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) { return u32(u16(u32(u16(A)) * u16(B) + C)); }},
    {"v_pk_add_u16 v3, v0, v1",
     [](u32 A, u32 B, u32) { return u32(u16(A + B)) | ((A >> 16) + (B >> 16)) << 16; }},
    {"v_pk_sub_i16 v3, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]",
     [](u32 A, u32 B, u32) { return u32(u16((A >> 16) - B)) | (A - (B >> 16)) << 16; }},
    {"v_pk_lshlrev_b16 v3, 4, v1 op_sel_hi:[0,1]",
     [](u32, u32 B, u32) { return (B << 4 & 0xfff0) | (B << 4 & 0xfff00000); }},
    {"v_pk_mad_u16 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       return u32(u16(u32(u16(A)) * u16(B) + C)) |
              ((A >> 16) * (B >> 16) + (C >> 16)) << 16;
     }},
    {"v_pk_add_u16 v3, v0, v1 clamp",
     [](u32 A, u32 B, u32) {
       return u32(clampTo(u16(A) + u16(B), 0, 65535)) |
              u32(clampTo((A >> 16) + (B >> 16), 0, 65535)) << 16;
     }},
    {"v_dot4_i32_i8 v3, v0, v1, v2",
     [](u32 A, u32 B, u32 C) {
       for (unsigned N = 0; N < 32; N += 8)
         C += u32(i32(int8_t(A >> N)) * int8_t(B >> N));
       return C;
     }},
};

} // namespace

TEST(ISAVector, IntegerInstructionsAgreeWithTheHost) {
  for (const Case32 &C : Cases) {
    Wave W;
    for (unsigned Salt = 0; Salt < 12; ++Salt) {
      for (unsigned R = 0; R < 3; ++R)
        W.setV(R, [&](unsigned L) { return pattern(L, Salt * 3 + R); });
      W.run(C.Text);
      for (unsigned L = 0; L < 64; ++L) {
        const u32 A = pattern(L, Salt * 3), B = pattern(L, Salt * 3 + 1),
                  D = pattern(L, Salt * 3 + 2);
        ASSERT_EQ(W.v(3, L), C.Host(A, B, D))
            << C.Text << std::hex << " of 0x" << A << " 0x" << B << " 0x" << D;
      }
    }
  }
}

TEST(ISAVector, InactiveLanesKeepWhatTheyHave) {
  for (const Case32 &C : Cases) {
    Wave W;
    const u64 X = 0x123456789abcdef0ull;
    W.S.setExec(X);
    for (unsigned R = 0; R < 3; ++R)
      W.setV(R, [&](unsigned L) { return pattern(L, R); });
    W.setV(3, [](unsigned L) { return 0xcafe0000 + L; });
    W.run(C.Text);
    for (unsigned L = 0; L < 64; ++L) {
      const u32 Want = X >> L & 1
                           ? C.Host(pattern(L, 0), pattern(L, 1), pattern(L, 2))
                           : 0xcafe0000 + L;
      ASSERT_EQ(W.v(3, L), Want) << C.Text;
    }
  }
}

TEST(ISAVector, NoLaneIsActive) {
  Wave W;
  W.S.setExec(0);
  W.S.setVcc(~u64(0));
  W.setV(0, [](unsigned L) { return L; });
  W.S.Scalar[5] = 9;
  W.run("v_add_u32 v0, v0, v0\nv_readfirstlane_b32 s4, v0\n"
        "v_writelane_b32 v0, s5, 7\nv_cmp_eq_u32 vcc, v0, v0");
  EXPECT_EQ(W.v(0, 3), 3u);
  EXPECT_EQ(W.S.Scalar[4], 0u);
  EXPECT_EQ(W.v(0, 7), 9u);
  EXPECT_EQ(W.S.vcc(), 0u);
}

TEST(ISAVector, SourcesOfEveryKind) {
  Wave W;
  W.S.Scalar[4] = 77;
  W.setV(0, [](unsigned L) { return L; });
  W.run("v_add_u32 v1, s4, v0\nv_add_u32 v2, 0x12345678, v0\nv_add_u32 v3, "
        "-16, v0\n"
        "v_add_u32_e64 v4, v0, s4\nv_mov_b32 v5, 1.0\nv_mov_b32 v6, exec_lo\n"
        "v_lshlrev_b64 v[8:9], 4, s[4:5]\nv_mov_b32 v10, 0.15915494\n"
        "s_cmp_eq_u32 s4, s4\nv_mov_b32 v11, src_scc\nv_add_u32 v0, v0, v0");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(1, L), 77 + L);
    EXPECT_EQ(W.v(2, L), 0x12345678 + L);
    EXPECT_EQ(W.v(3, L), L - 16);
    EXPECT_EQ(W.v(4, L), 77 + L);
    EXPECT_EQ(W.v(5, L), bits(1.0f));
    EXPECT_EQ(W.v(6, L), ~0u);
    EXPECT_EQ(W.v64(8, L), 77u * 16);
    EXPECT_EQ(W.v(10, L), 0x3e22f983u);
    EXPECT_EQ(W.v(11, L), 1u);
    EXPECT_EQ(W.v(0, L), 2 * L);
  }
}

TEST(ISAVector, SixtyFourBits) {
  Wave W;
  for (unsigned Salt = 0; Salt < 10; ++Salt) {
    W.setV64(0, [&](unsigned L) { return pattern64(L, Salt); });
    W.setV64(2, [&](unsigned L) { return pattern64(L, Salt + 50); });
    W.setV(4, [&](unsigned L) { return pattern(L, Salt + 90); });
    W.run("v_lshlrev_b64 v[6:7], v4, v[0:1]\nv_lshrrev_b64 v[8:9], v4, v[0:1]\n"
          "v_ashrrev_i64 v[10:11], v4, v[0:1]\n"
          "v_add_co_u32 v12, vcc, v0, v2\nv_addc_co_u32 v13, vcc, v1, v3, vcc\n"
          "v_sub_co_u32 v14, s[0:1], v0, v2\n"
          "v_subb_co_u32 v15, s[2:3], v1, v3, s[0:1]\n"
          "v_subrev_co_u32 v16, s[4:5], v0, v2\n"
          "v_subbrev_co_u32 v17, s[6:7], v1, v3, s[4:5]\n"
          "v_mad_u64_u32 v[18:19], s[8:9], v0, v2, v[2:3]\n"
          "v_mad_i64_i32 v[20:21], s[10:11], v0, v2, v[2:3]\n"
          "v_cmp_lt_i64 s[12:13], v[0:1], v[2:3]\nv_cmp_lt_u64 s[14:15], "
          "v[0:1], v[2:3]\n"
          "v_mov_b32 v22, v0\nv_mov_b32 v23, v1\n"
          "v_pk_mov_b32 v[22:23], v[22:23], v[22:23] op_sel:[1,0]");
    for (unsigned L = 0; L < 64; ++L) {
      const u64 A = pattern64(L, Salt), B = pattern64(L, Salt + 50);
      const unsigned S = pattern(L, Salt + 90) % 64;
      EXPECT_EQ(W.v64(6, L), A << S);
      EXPECT_EQ(W.v64(8, L), A >> S);
      EXPECT_EQ(W.v64(10, L), u64(i64(A) >> S));
      EXPECT_EQ(W.v64(12, L), A + B);
      EXPECT_EQ(W.S.vcc() >> L & 1, u64(A + B < A));
      EXPECT_EQ(W.v64(14, L), A - B);
      EXPECT_EQ(W.S.pair(2) >> L & 1, u64(A < B));
      EXPECT_EQ(W.v64(16, L), B - A);
      EXPECT_EQ(W.S.pair(6) >> L & 1, u64(B < A));
      EXPECT_EQ(W.v64(18, L), u64(u32(A)) * u32(B) + B);
      EXPECT_EQ(W.v64(20, L), u64(i64(i32(A)) * i32(B)) + B);
      EXPECT_EQ(W.S.pair(12) >> L & 1, u64(i64(A) < i64(B)));
      EXPECT_EQ(W.S.pair(14) >> L & 1, u64(A < B));
      EXPECT_EQ(W.v64(22, L), A >> 32 | A << 32);
    }
  }
}

TEST(ISAVector, SdwaSelectsAndPlaces) {
  Wave W;
  W.setV(0, [](unsigned L) { return 0x80f1a203u + L; });
  W.setV(1, [](unsigned L) { return 0x11223344u + L; });
  for (unsigned R = 2; R < 9; ++R)
    W.setV(R, [](unsigned) { return 0xdddddddd; });
  W.run("v_add_u32_sdwa v2, v0, v1 dst_sel:DWORD src0_sel:BYTE_2 "
        "src1_sel:WORD_1\n"
        "v_add_u32_sdwa v3, sext(v0), v1 dst_sel:DWORD src0_sel:BYTE_3 "
        "src1_sel:BYTE_0\n"
        "v_or_b32_sdwa v4, v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE "
        "src0_sel:BYTE_0 src1_sel:BYTE_0\n"
        "v_or_b32_sdwa v5, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD "
        "src0_sel:WORD_0 src1_sel:BYTE_0\n"
        "v_mov_b32_sdwa v6, v0 dst_sel:BYTE_2 dst_unused:UNUSED_SEXT "
        "src0_sel:BYTE_3\n"
        "v_cmp_eq_u32_sdwa s[4:5], v0, v0 src0_sel:BYTE_1 src1_sel:BYTE_1\n"
        "v_lshlrev_b32_sdwa v7, v1, v0 dst_sel:DWORD src0_sel:BYTE_3 "
        "src1_sel:BYTE_0\n"
        "v_add_u16_sdwa v8, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
        "src0_sel:WORD_1 src1_sel:WORD_0");
  EXPECT_EQ(W.S.pair(4), ~u64(0));
  for (unsigned L = 0; L < 64; ++L) {
    const u32 A = 0x80f1a203u + L, B = 0x11223344u + L;
    EXPECT_EQ(W.v(2, L), (A >> 16 & 255) + (B >> 16));
    EXPECT_EQ(W.v(3, L), u32(i32(int8_t(A >> 24))) + (B & 255));
    EXPECT_EQ(W.v(4, L), 0xdddd00ddu | ((A | B) & 255) << 8);
    EXPECT_EQ(W.v(5, L), ((A & 0xffff) | (B & 255)) << 16);
    EXPECT_EQ(W.v(6, L), 0xff800000u);
    EXPECT_EQ(W.v(7, L), (A & 255) << 17);
    EXPECT_EQ(W.v(8, L), 0xddddu | ((A >> 16) + B) << 16);
  }
}

TEST(ISAVector, DppMovesBetweenLanes) {
  Wave W;
  W.setV(0, [](unsigned L) { return L + 100; });
  for (unsigned R = 1; R < 8; ++R)
    W.setV(R, [](unsigned) { return 7; });
  W.run(
      "v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
      "v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n"
      "v_mov_b32_dpp v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n"
      "v_mov_b32_dpp v4, v0 row_mirror row_mask:0x3 bank_mask:0xf\n"
      "v_add_u32_dpp v5, v0, v0 row_bcast:15 row_mask:0xa bank_mask:0xf\n"
      "v_mov_b32_dpp v6, v0 row_shl:2 row_mask:0xf bank_mask:0x1\n"
      "v_mov_b32_dpp v7, v0 wave_ror:1 row_mask:0xf bank_mask:0xf");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(1, L), (L ^ 1) + 100);
    EXPECT_EQ(W.v(2, L), L % 16 ? L + 99 : 7);
    EXPECT_EQ(W.v(3, L), L % 16 ? L + 99 : 0);
    EXPECT_EQ(W.v(4, L), L < 32 ? (L ^ 15) + 100 : 7);
    EXPECT_EQ(W.v(5, L), L / 16 % 2 ? L / 16 * 16 - 1 + 100 + L + 100 : 7);
    EXPECT_EQ(W.v(6, L), L % 16 < 4 ? L + 102 : 7);
    EXPECT_EQ(W.v(7, L), (L + 63) % 64 + 100);
  }
}

TEST(ISAVector, LanesAndScalars) {
  Wave W;
  W.setV(0, [](unsigned L) { return L * 3; });
  W.S.setExec(0xfffffffffffffff0ull);
  W.S.Scalar[1] = 70; // Modulo 64: lane 6.
  W.run("v_readfirstlane_b32 s2, v0\nv_readlane_b32 s3, v0, s1\nv_readlane_b32 "
        "s4, v0, 1\n"
        "v_writelane_b32 v1, s3, 2\nv_mbcnt_lo_u32_b32 v2, -1, 0\n"
        "v_mbcnt_hi_u32_b32 v2, -1, v2\nv_mov_b32 v3, 5\nv_swap_b32 v0, v3");
  EXPECT_EQ(W.S.Scalar[2], 12u);
  EXPECT_EQ(W.S.Scalar[3], 18u);
  EXPECT_EQ(W.S.Scalar[4], 3u);
  EXPECT_EQ(W.v(1, 2), 18u);
  for (unsigned L = 4; L < 64; ++L) {
    EXPECT_EQ(W.v(2, L), L);
    EXPECT_EQ(W.v(0, L), 5u);
    EXPECT_EQ(W.v(3, L), L * 3);
  }
  EXPECT_EQ(W.v(0, 1), 3u);
}

TEST(ISAVector, ConditionalMaskTakesVccOrAPair) {
  Wave W;
  W.S.setVcc(0xf0f0f0f0f0f0f0f0ull);
  W.S.setPair(4, 0x00ff00ff00ff00ffull);
  W.setV(0, [](unsigned L) { return bits(float(L)); });
  W.setV(1, [](unsigned L) { return bits(-float(L)); });
  W.run("v_cndmask_b32 v2, v0, v1, vcc\nv_cndmask_b32_e64 v3, 0, 1, s[4:5]\n"
        "v_cndmask_b32_e64 v4, -v0, |v1|, vcc");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(2, L), bits(L & 4 ? -float(L) : float(L)));
    EXPECT_EQ(W.v(3, L), L & 8 ? 0u : 1u);
    EXPECT_EQ(W.v(4, L), bits(L & 4 ? float(L) : -float(L)));
  }
}

TEST(ISAVector, ComparesWriteBitsOfActiveLanes) {
  Wave W;
  W.S.setExec(0x0fffffffffffffffull);
  for (unsigned R = 0; R < 2; ++R)
    W.setV(R, [&](unsigned L) { return pattern(L, R); });
  W.run("v_cmp_gt_i32 vcc, v0, v1\nv_cmp_ge_u32 s[0:1], v0, v1\n"
        "v_cmp_ne_u16 s[2:3], v0, v1\nv_cmp_lt_i16 s[4:5], v0, v1\n"
        "v_cmp_t_u32 s[6:7], v0, v1\nv_cmpx_le_u32 s[8:9], v0, v1");
  u64 Want[5] = {}, Exec = 0;
  for (unsigned L = 0; L < 60; ++L) {
    const u32 A = pattern(L, 0), B = pattern(L, 1);
    Want[0] |= u64(i32(A) > i32(B)) << L;
    Want[1] |= u64(A >= B) << L;
    Want[2] |= u64(u16(A) != u16(B)) << L;
    Want[3] |= u64(i16(A) < i16(B)) << L;
    Want[4] |= u64(1) << L;
    Exec |= u64(A <= B) << L;
  }
  EXPECT_EQ(W.S.vcc(), Want[0]);
  for (unsigned N = 0; N < 4; ++N)
    EXPECT_EQ(W.S.pair(2 * N), Want[N + 1]) << N;
  EXPECT_EQ(W.S.pair(8), Exec);
  EXPECT_EQ(W.S.exec(), Exec);
}

TEST(ISAVector, PermuteBytes) {
  Wave W;
  W.setV(0, [](unsigned) { return 0x87654321; });
  W.setV(1, [](unsigned) { return 0x0fedcba9; });
  W.S.Scalar[0] = 0x00070c0d, W.S.Scalar[1] = 0x0b0a0908;
  W.run("v_perm_b32 v2, v0, v1, s0\nv_perm_b32 v3, v0, v1, s1");
  EXPECT_EQ(W.v(2, 0), 0xa98700ffu);
  EXPECT_EQ(W.v(3, 0), 0xff0000ffu | 0u);
}

TEST(ISAVector, SixteenBitHalves) {
  Wave W;
  W.setV(0, [](unsigned L) { return 0xaaaa0000 + L; });
  W.setV(1, [](unsigned) { return 0x00050003; });
  W.setV(2, [](unsigned) { return 0x12345678; });
  W.setV(3, [](unsigned) { return 0x12345678; });
  W.run("v_mad_u16 v2, v0, v1, v1\nv_mad_u16 v3, v0, v1, v1 op_sel:[0,1,0,1]\n"
        "v_add_u16 v4, v0, v1");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(2, L), 0x12340000u | (L * 3 + 3));
    EXPECT_EQ(W.v(3, L), 0x5678u | (L * 5 + 3) << 16);
    EXPECT_EQ(W.v(4, L), L + 3);
  }
}
