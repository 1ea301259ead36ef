//===-- Gfx950Test.cpp - what gfx950 has beside matrices and conversions --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace isatest;
using wavelane::isa::Target;

namespace {

float brain(uint32_t V, bool High) {
  return asFloat(High ? V & 0xffff0000 : V << 16);
}
/// Two BF16 numbers of moderate size.
uint32_t brains(unsigned L, unsigned Salt) {
  const uint32_t A = pattern(L, Salt) * 40503u,
                 B = pattern(L, Salt + 1) * 2654435761u;
  return (A & 0x807f) | (124 + A % 7) << 7 | (B & 0x807f0000) |
         (124 + B % 7) << 23;
}

} // namespace

TEST(ISAGfx950, BitsByTable) {
  Wave W(Target::GFX950);
  for (unsigned R = 0; R < 3; ++R)
    W.setV(R, [&](unsigned L) { return pattern(L, R) * 2654435761u; });
  W.setV(6, [](unsigned) { return 0xabcd1234u; });
  W.run("v_bitop3_b32 v3, v0, v1, v2 bitop3:0xe8\nv_bitop3_b32 v4, v0, v1, v2 "
        "bitop3:0x96\n"
        "v_bitop3_b32 v5, v0, v1, v2 bitop3:0x1d\n"
        "v_bitop3_b16 v6, v0, v1, v2 bitop3:0xca op_sel:[1,0,0,1]");
  for (unsigned L = 0; L < 64; ++L) {
    const uint32_t A = W.v(0, L), B = W.v(1, L), C = W.v(2, L);
    EXPECT_EQ(W.v(3, L), (A & B) | (A & C) | (B & C));
    EXPECT_EQ(W.v(4, L), A ^ B ^ C);
    uint32_t Want = 0;
    for (unsigned Bit = 0; Bit < 32; ++Bit)
      Want |=
          (0x1du >> ((A >> Bit & 1) * 4 + (B >> Bit & 1) * 2 + (C >> Bit & 1)) &
           1)
          << Bit;
    EXPECT_EQ(W.v(5, L), Want);
    EXPECT_EQ(W.v(6, L), 0x1234u | (((A >> 16 & B) | (~(A >> 16) & C)) & 0xffff)
                                       << 16);
  }
}

TEST(ISAGfx950, ShiftedAndPacked) {
  Wave W(Target::GFX950);
  W.setV(0, [](unsigned L) { return pattern(L, 1); });
  W.setV(1, [](unsigned L) { return uint32_t(int(L) * 300 - 9000); });
  W.setV(2, [](unsigned L) { return L; });
  for (unsigned R = 3; R < 6; ++R)
    W.setV(R, [](unsigned) { return 0x55667788u; });
  W.run("v_ashr_pk_i8_i32 v3, v0, v1, v2\nv_ashr_pk_u8_i32 v4, v0, v1, v2\n"
        "v_ashr_pk_i8_i32 v5, v0, v1, v2 op_sel:[0,0,0,1]");
  const auto Limited = [](int V, int Least, int Most) {
    return uint32_t(std::max(std::min(V, Most), Least)) & 0xff;
  };
  for (unsigned L = 0; L < 64; ++L) {
    const int A = int(W.v(0, L)) >> L % 32, B = int(W.v(1, L)) >> L % 32;
    const uint32_t Signed = Limited(A, -128, 127) | Limited(B, -128, 127) << 8;
    EXPECT_EQ(W.v(3, L), 0x55660000u | Signed);
    EXPECT_EQ(W.v(4, L),
              0x55660000u | Limited(A, 0, 255) | Limited(B, 0, 255) << 8);
    EXPECT_EQ(W.v(5, L), 0x7788u | Signed << 16);
  }
}

TEST(ISAGfx950, RowsChangePlaces) {
  for (unsigned Row : {16u, 32u}) {
    Wave W(Target::GFX950);
    const std::string Name =
        "v_permlane" + std::to_string(Row) + "_swap_b32_e64 ";
    const auto Set = [&] {
      W.setV(0, [](unsigned L) { return L; });
      W.setV(1, [](unsigned L) { return 1000 + L; });
    };
    Set();
    W.run(Name + "v0, v1");
    for (unsigned L = 0; L < 64; ++L) {
      EXPECT_EQ(W.v(0, L), L & Row ? 1000 + L - Row : L);
      EXPECT_EQ(W.v(1, L), L & Row ? 1000 + L : L + Row);
    }
    // Lanes 1 and Row + 2 are inactive.
    for (const std::string How : {"", " fi:1", " bound_ctrl:1"}) {
      Set();
      W.S.setExec(~(2ull | 4ull << Row));
      W.run(Name + "v0, v1" + How);
      W.S.setExec(~0ull);
      EXPECT_EQ(W.v(1, 1), 1001u);
      EXPECT_EQ(W.v(0, Row + 2), Row + 2);
      const bool Fetches = How == " fi:1", Zero = How == " bound_ctrl:1";
      EXPECT_EQ(W.v(0, Row + 1), Fetches ? 1001u : Zero ? 0u : Row + 1);
      EXPECT_EQ(W.v(1, 2), Fetches ? Row + 2 : Zero ? 0u : 1002u);
      EXPECT_EQ(W.v(1, 3), Row + 3);
    }
  }
}

TEST(ISAGfx950, MinimumsWithNaNs) {
  Wave W(Target::GFX950);
  W.setV(0, [](unsigned) { return 0x3c007e00u; }); // 1, NaN
  W.setV(1, [](unsigned) { return 0xc0004000u; }); // -2, 2
  W.setV(2, [](unsigned) { return 0x42003800u; }); // 3, 0.5
  W.setV(3, [](unsigned) { return bits(-1.5f); });
  W.setV(4, [](unsigned) { return 0x7fc00000u; });
  W.setV(5, [](unsigned) { return bits(4.0f); });
  W.run("v_pk_minimum3_f16 v6, v0, v1, v2\nv_pk_maximum3_f16 v7, v0, v1, v2\n"
        "v_minimum3_f32 v8, v3, v5, 1.0\nv_maximum3_f32 v9, v3, v4, v5\n"
        "v_pk_maximum3_f16 v10, v1, v1, v2 neg_lo:[1,0,0] neg_hi:[1,0,0]");
  EXPECT_EQ(W.v(6, 0) >> 16, 0xc000u);
  EXPECT_EQ(W.v(6, 0) & 0x7c00, 0x7c00u);
  EXPECT_NE(W.v(6, 0) & 0x3ff, 0u);
  EXPECT_EQ(W.v(7, 0) >> 16, 0x4200u);
  EXPECT_GT(W.v(7, 0) & 0x7fff, 0x7c00u);
  EXPECT_EQ(W.v(8, 0), bits(-1.5f));
  EXPECT_TRUE(std::isnan(asFloat(W.v(9, 0))));
  EXPECT_EQ(W.v(10, 0), 0x42004000u);
}

TEST(ISAGfx950, DotProductsOfHalves) {
  Wave W(Target::GFX950);
  W.setV(0, [](unsigned L) { return brains(L, 10); });
  W.setV(1, [](unsigned L) { return brains(L, 20); });
  for (unsigned R : {2, 3, 4, 5})
    W.setV(R, [](unsigned L) { return bits(float(L) * 0.37f - 9); });
  W.setV(6, [](unsigned) { return 0x42003c00u; }); // F16 3, 1
  W.setV(7, [](unsigned) { return 0xc0003800u; }); // F16 -2, 0.5
  W.run("v_dot2_f32_bf16 v8, v0, v1, v2\nv_dot2c_f32_bf16 v3, v0, v1\n"
        "v_dot2_f32_bf16 v9, v0, v1, v2 neg_lo:[0,1,1] neg_hi:[1,0,0]\n"
        "v_dot2c_f32_bf16_dpp v4, v0, v1 quad_perm:[1,0,3,2] row_mask:0xf "
        "bank_mask:0xf\n"
        "v_dot2_f32_f16 v10, v6, v7, 1.0");
  for (unsigned L = 0; L < 64; ++L) {
    const uint32_t A = W.v(0, L), B = W.v(1, L), Other = W.v(0, L ^ 1);
    const float C = asFloat(W.v(2, L));
    const auto Low = [](uint32_t X, uint32_t Y) {
      return brain(X, false) * brain(Y, false);
    };
    const auto High = [](uint32_t X, uint32_t Y) {
      return brain(X, true) * brain(Y, true);
    };
    EXPECT_EQ(asFloat(W.v(8, L)), (Low(A, B) + High(A, B)) + C);
    EXPECT_EQ(asFloat(W.v(3, L)), (C + Low(A, B)) + High(A, B));
    EXPECT_EQ(asFloat(W.v(9, L)), (brain(A, false) * -brain(B, false) +
                                   -brain(A, true) * brain(B, true)) -
                                      C);
    EXPECT_EQ(asFloat(W.v(4, L)), (C + Low(Other, B)) + High(Other, B));
    EXPECT_EQ(asFloat(W.v(10, L)), 1 + 0.5f - 6);
  }
}

TEST(ISAGfx950, LoadsIntoLocalMemory) {
  for (Target T : {Target::GFX942, Target::GFX950}) {
    Wave W(T);
    W.LDS.resize(131072 + 8192);
    W.S.LDS = W.LDS.data();
    W.S.LDSSize = uint32_t(W.LDS.size());
    for (unsigned N = 0; N < 4096; ++N)
      W.data<uint32_t>(4 * N) = N * 2654435761u;
    W.setV64(2, [](unsigned L) { return Wave::Data + (63 - L) * 32; });
    W.setV(4, [](unsigned L) { return (63 - L) * 32; });
    W.S.Scalar[4] = uint32_t(Wave::Data);
    W.S.Scalar[5] = 0;
    W.S.Scalar[6] = 65536;
    W.S.Scalar[7] = 0x00020000;
    const bool Big = T == Target::GFX950;
    const uint32_t M0 = Big ? 0x20000 : 0x4000;
    struct {
      std::string Text;
      unsigned Size;
      bool Signed;
    } Cases[] = {
        {"global_load_lds_dword v[2:3], off offset:16", 4, false},
        {"global_load_lds_ubyte v[2:3], off offset:16", 1, false},
        {"global_load_lds_sshort v[2:3], off offset:16", 2, true},
        {"buffer_load_dword v4, s[4:7], 0 offen offset:16 lds", 4, false},
        {"buffer_load_sbyte v4, s[4:7], 0 offen offset:16 lds", 1, true},
        {"global_load_lds_dwordx3 v[2:3], off offset:16", 12, false},
        {"global_load_lds_dwordx4 v[2:3], off offset:16", 16, false},
        {"buffer_load_dwordx3 v4, s[4:7], 0 offen offset:16 lds", 12, false},
        {"buffer_load_dwordx4 v4, s[4:7], 0 offen offset:16 lds", 16, false},
    };
    for (const auto &C : Cases) {
      if (!Big && C.Size > 4)
        continue;
      SCOPED_TRACE(C.Text);
      std::fill(W.LDS.begin(), W.LDS.end(), 0xee);
      W.S.Scalar[scalar::M0] = M0;
      W.S.setExec(~0x10ull);
      W.run(C.Text);
      const unsigned Step = std::max(C.Size, 4u);
      for (unsigned L = 0; L < 64; ++L) {
        uint8_t Want[16] = {};
        std::memcpy(Want, W.Memory.at(Wave::Data + (63 - L) * 32 + 16), C.Size);
        if (C.Signed && Want[C.Size - 1] & 0x80)
          std::memset(Want + C.Size, 0xff, 4 - C.Size);
        if (L == 4)
          std::memset(Want, 0xee, sizeof(Want));
        EXPECT_EQ(std::memcmp(&W.LDS[M0 + 16 + L * Step], Want, Step), 0) << L;
      }
      EXPECT_EQ(W.LDS[M0 + 15], 0xee);
      EXPECT_EQ(W.LDS[M0 + 16 + 64 * Step], 0xee);
    }
  }
}

// A matrix of 16 rows is stored by columns; each lane reads some neighbors of
// a column and gets as many of its row.
TEST(ISAGfx950, TransposedReads) {
  for (unsigned Bits : {16u, 8u, 6u, 4u}) {
    SCOPED_TRACE(Bits);
    Wave W(Target::GFX950);
    const unsigned Bytes = Bits == 6 ? 12 : 8, Columns = Bytes * 8 / Bits;
    const auto Element = [&](unsigned Group, unsigned Row, unsigned Column) {
      return (Group * 7919 + Row * 613 + Column * 101 + 5) * 2654435761u >> 13 &
             ((1u << Bits) - 1);
    };
    // Pieces of a lane, 16 bytes each; lane l's pieces are in a permuted order.
    const auto PlaceOf = [](unsigned L) { return (L * 5 % 64) * 16; };
    const unsigned PerColumn = 16 / Columns; // lanes
    for (unsigned L = 0; L < 64; ++L)
      for (unsigned N = 0; N < Columns; ++N) {
        const unsigned Column = L % 16 / PerColumn,
                       Row = L % 16 % PerColumn * Columns + N;
        const uint32_t V = Element(L / 16, Row, Column);
        for (unsigned B = 0; B < Bits; ++B)
          if (V >> B & 1)
            W.LDS[8 + PlaceOf(L) + (N * Bits + B) / 8] |= 1
                                                          << (N * Bits + B) % 8;
      }
    W.setV(0, [&](unsigned L) { return PlaceOf(L); });
    W.run(Bits == 6 ? "ds_read_b96_tr_b6 v[4:6], v0 offset:8"
                    : "ds_read_b64_tr_b" + std::to_string(Bits) +
                          " v[4:5], v0 offset:8");
    for (unsigned L = 0; L < 64; ++L)
      for (unsigned N = 0; N < Columns; ++N) {
        uint32_t Got = 0;
        for (unsigned B = 0; B < Bits; ++B)
          Got |= (W.v(4 + (N * Bits + B) / 32, L) >> (N * Bits + B) % 32 & 1)
                 << B;
        EXPECT_EQ(Got, Element(L / 16, L % 16, N)) << L << " " << N;
      }
  }
}

TEST(ISAGfx950, AtomicAdditionsOfPairs) {
  Wave W(Target::GFX950);
  W.setV64(2, [](unsigned L) { return Wave::Data + L / 2 * 4; });
  W.setV(4, [](unsigned L) { return L / 2 * 4; });
  W.setV(5, [](unsigned L) {
    return L % 2 ? 0x3fc04000u : 0xbf004080u;
  });                                              // 1.5 2, -0.5 4
  W.setV(6, [](unsigned) { return 0x3c004000u; }); // F16 1, 2
  W.S.Scalar[4] = uint32_t(Wave::Data);
  W.S.Scalar[5] = 0;
  W.S.Scalar[6] = 65536;
  W.S.Scalar[7] = 0x00020000;
  W.run("global_atomic_pk_add_bf16 v[2:3], v5, off\nflat_atomic_pk_add_bf16 "
        "v[2:3], v5\n"
        "buffer_atomic_pk_add_bf16 v5, v4, s[4:7], 0 offen\nds_pk_add_bf16 v4, "
        "v5\n"
        "ds_pk_add_rtn_bf16 v7, v4, v5\nds_pk_add_rtn_f16 v8, v4, v6 "
        "offset:1024");
  for (unsigned N = 0; N < 32; ++N) {
    // Each word has six; two of them add 1 and 6.
    EXPECT_EQ(W.data<uint32_t>(4 * N), 0x40404190u) << N; // 3, 18
    uint32_t Local;
    std::memcpy(&Local, &W.LDS[4 * N], 4);
    EXPECT_EQ(Local, 0x40004140u); // 2, 12
    EXPECT_EQ(W.v(7, 2 * N), 0x3f8040c0u);
    EXPECT_EQ(W.v(7, 2 * N + 1), 0x3f004120u);
    EXPECT_EQ(W.v(8, 2 * N), 0u);
    EXPECT_EQ(W.v(8, 2 * N + 1), 0x3c004000u);
  }
}
