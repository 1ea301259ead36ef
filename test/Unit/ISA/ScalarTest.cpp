//===-- ScalarTest.cpp - SOP*, SMEM ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace isatest;

TEST(ISAScalar, CarryChainsAddAndSubtract64Bits) {
  Wave W;
  W.S.Scalar[0] = 0xffffffff, W.S.Scalar[1] = 5;
  W.S.Scalar[2] = 2, W.S.Scalar[3] = 7;
  W.run("s_add_u32 s4, s0, s2\ns_addc_u32 s5, s1, s3\n"
        "s_sub_u32 s6, s2, s0\ns_subb_u32 s7, s3, s1");
  EXPECT_EQ(W.S.pair(4), 0x5ffffffffull + 0x700000002ull);
  EXPECT_EQ(W.S.pair(6), 0x700000002ull - 0x5ffffffffull);
}

TEST(ISAScalar, SignedOverflowSetsScc) {
  Wave W;
  W.S.Scalar[0] = 0x7fffffff;
  W.run("s_add_i32 s1, s0, 1\ns_cselect_b32 s2, 1, 0\n"
        "s_add_i32 s1, s0, -1\ns_cselect_b32 s3, 1, 0\n"
        "s_sub_i32 s4, 0x80000000, 1\ns_cselect_b32 s5, 1, 0\n"
        "s_addk_i32 s0, 1\ns_cselect_b32 s6, 1, 0");
  EXPECT_EQ(W.S.Scalar[2], 1u);
  EXPECT_EQ(W.S.Scalar[3], 0u);
  EXPECT_EQ(W.S.Scalar[5], 1u);
  EXPECT_EQ(W.S.Scalar[6], 1u);
  EXPECT_EQ(W.S.Scalar[0], 0x80000000u);
}

TEST(ISAScalar, ShiftsTakeTheirCountModuloWidth) {
  Wave W;
  W.S.Scalar[0] = 0x80000001;
  W.S.setPair(2, 0x8000000000000001ull);
  W.run("s_lshl_b32 s4, s0, 33\ns_ashr_i32 s5, s0, 63\n"
        "s_lshr_b64 s[6:7], s[2:3], 65\ns_ashr_i64 s[8:9], s[2:3], 127");
  EXPECT_EQ(W.S.Scalar[4], 2u);
  EXPECT_EQ(W.S.Scalar[5], 0xffffffffu);
  EXPECT_EQ(W.S.pair(6), 0x4000000000000000ull);
  EXPECT_EQ(W.S.pair(8), ~uint64_t(0));
}

TEST(ISAScalar, BitFields) {
  Wave W;
  W.S.Scalar[0] = 0xdeadbeef;
  W.S.setPair(2, 0x8123456789abcdefull);
  W.run(
      "s_bfe_u32 s4, s0, 0x80008\ns_bfe_i32 s5, s0, 0x80008\n"
      "s_bfe_u64 s[6:7], s[2:3], 0x140020\ns_bfe_i64 s[8:9], s[2:3], 0x200020\n"
      "s_bfm_b32 s10, 8, 4\ns_bfe_u32 s11, s0, 0x400000\n"
      "s_bfe_i32 s12, s0, 0x100018");
  EXPECT_EQ(W.S.Scalar[4], 0xbeu);
  EXPECT_EQ(W.S.Scalar[5], 0xffffffbeu);
  EXPECT_EQ(W.S.pair(6), 0x34567ull & 0xfffff);
  EXPECT_EQ(W.S.pair(8), 0xffffffff81234567ull);
  EXPECT_EQ(W.S.Scalar[10], 0xff0u);
  EXPECT_EQ(W.S.Scalar[11], 0xdeadbeefu);
  EXPECT_EQ(W.S.Scalar[12], 0xffffffdeu);
}

TEST(ISAScalar, CountsAndSearches) {
  Wave W;
  W.S.Scalar[0] = 0x00f00000;
  W.S.Scalar[1] = 0;
  W.S.Scalar[2] = 0xfff00000;
  W.run(
      "s_ff1_i32_b32 s4, s0\ns_ff1_i32_b32 s5, s1\ns_flbit_i32_b32 s6, s0\n"
      "s_flbit_i32 s7, s2\ns_bcnt1_i32_b32 s8, s0\ns_bcnt1_i32_b64 s9, s[0:1]\n"
      "s_brev_b32 s10, s0\ns_ff1_i32_b64 s11, s[0:1]\ns_abs_i32 s12, s2\n"
      "s_sext_i32_i8 s13, 0x80\ns_flbit_i32 s14, -1");
  EXPECT_EQ(W.S.Scalar[4], 20u);
  EXPECT_EQ(W.S.Scalar[5], ~0u);
  EXPECT_EQ(W.S.Scalar[6], 8u);
  EXPECT_EQ(W.S.Scalar[7], 12u);
  EXPECT_EQ(W.S.Scalar[8], 4u);
  EXPECT_EQ(W.S.Scalar[9], 4u);
  EXPECT_EQ(W.S.Scalar[10], 0x00000f00u);
  EXPECT_EQ(W.S.Scalar[11], 20u);
  EXPECT_EQ(W.S.Scalar[12], 0x00100000u);
  EXPECT_EQ(W.S.Scalar[13], 0xffffff80u);
  EXPECT_EQ(W.S.Scalar[14], ~0u);
}

TEST(ISAScalar, LiteralsAndConstantsWiden) {
  Wave W;
  W.run("s_mov_b64 s[0:1], -16\ns_mov_b64 s[2:3], 0x12345678\n"
        "s_mov_b64 s[4:5], 1.0\ns_mov_b32 s6, 1.0\ns_movk_i32 s7, 0x8000\n"
        "s_mov_b64 s[8:9], src_shared_base\ns_mov_b64 s[10:11], "
        "src_private_base");
  EXPECT_EQ(W.S.pair(0), uint64_t(-16));
  EXPECT_EQ(W.S.pair(2), 0x12345678ull);
  EXPECT_EQ(W.S.pair(4), bits(1.0));
  EXPECT_EQ(W.S.Scalar[6], bits(1.0f));
  EXPECT_EQ(W.S.Scalar[7], 0xffff8000u);
  EXPECT_EQ(W.S.pair(8), wavelane::gpu::LocalAperture);
  EXPECT_EQ(W.S.pair(10), wavelane::gpu::PrivateAperture);
}

TEST(ISAScalar, SaveExec) {
  Wave W;
  W.S.setExec(0xff00ff00);
  W.S.setPair(0, 0x0ff00ff0);
  W.run("s_and_saveexec_b64 s[2:3], s[0:1]\ns_or_saveexec_b64 s[4:5], s[2:3]\n"
        "s_andn2_saveexec_b64 s[6:7], s[0:1]\ns_xor_saveexec_b64 s[8:9], -1");
  EXPECT_EQ(W.S.pair(2), 0xff00ff00ull);
  EXPECT_EQ(W.S.pair(4), 0x0f000f00ull);
  EXPECT_EQ(W.S.pair(6), 0xff00ff00ull);
  EXPECT_EQ(W.S.pair(8), 0x00f000f0ull);
  EXPECT_EQ(W.S.exec(), ~uint64_t(0x00f000f0));
}

TEST(ISAScalar, ComparesSignedAndUnsigned) {
  Wave W;
  W.S.Scalar[0] = 0xffffffff;
  W.run("s_cmp_lt_i32 s0, 1\ns_cselect_b32 s1, 1, 0\n"
        "s_cmp_lt_u32 s0, 1\ns_cselect_b32 s2, 1, 0\n"
        "s_cmpk_eq_i32 s0, 0xffff\ns_cselect_b32 s3, 1, 0\n"
        "s_cmpk_eq_u32 s0, 0xffff\ns_cselect_b32 s4, 1, 0\n"
        "s_bitcmp1_b32 s0, 31\ns_cselect_b32 s5, 1, 0\n"
        "s_cmp_lg_u64 s[0:1], s[0:1]\ns_cselect_b32 s6, 1, 0");
  const uint32_t Want[] = {1, 0, 1, 0, 1, 0};
  for (unsigned N = 0; N < 6; ++N)
    EXPECT_EQ(W.S.Scalar[N + 1], Want[N]) << N;
}

TEST(ISAScalar, LoadsOfEverySizeAndOffset) {
  Wave W;
  for (unsigned N = 0; N < 32; ++N)
    W.data<uint32_t>(4 * N) = 1000 + N;
  W.S.setPair(0, Wave::Data + 32);
  W.S.Scalar[2] = 8;
  W.run("s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], -4\n"
        "s_load_dwordx2 s[6:7], s[0:1], s2\n"
        "s_load_dword s8, s[0:1], s2 offset:0x4\n"
        "s_load_dwordx16 s[16:31], s[0:1], 0x20\ns_waitcnt lgkmcnt(0)");
  EXPECT_EQ(W.S.Scalar[4], 1008u);
  EXPECT_EQ(W.S.Scalar[5], 1007u);
  EXPECT_EQ(W.S.pair(6), 1010 | uint64_t(1011) << 32);
  EXPECT_EQ(W.S.Scalar[8], 1011u);
  for (unsigned N = 0; N < 16; ++N)
    EXPECT_EQ(W.S.Scalar[16 + N], 1016 + N);
}

TEST(ISAScalar, LoadFromNowhereIsAViolation) {
  Wave W;
  W.S.setPair(0, 0xdead0000);
  W.load("s_nop 0\ns_load_dword s4, s[0:1], 0x10");
  const StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::MemoryViolation);
  EXPECT_EQ(R.FaultAddress, 0xdead0010u);
  EXPECT_EQ(R.Address, Wave::Code + 4);
  EXPECT_EQ(W.S.PC, Wave::Code + 4);
}
