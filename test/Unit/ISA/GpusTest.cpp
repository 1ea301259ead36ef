//===-- GpusTest.cpp - what other GPUs than gfx90a do differently ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include "Simulator/Device/Dispatch.h"

using namespace isatest;
using wavelane::isa::Target;

TEST(ISAGpus, Wave32MasksAreOneRegister) {
  Wave W(Target::GFX1030, 32);
  W.S.setExec(0xffffffff00ff00ffull);
  W.S.Scalar[scalar::VccHi] = 0x1234;
  W.setV(0, [](unsigned L) { return L; });
  W.run("v_cmp_lt_u32_e32 vcc_lo, 3, v0\n"
        "v_cmp_gt_u32_e64 s4, 20, v0\n"
        "v_cndmask_b32_e32 v1, 7, v0, vcc_lo\n"
        "s_and_saveexec_b32 s6, vcc_lo\n"
        "v_mov_b32_e32 v2, 1\n");
  EXPECT_EQ(W.S.Scalar[scalar::VccLo], 0x00ff00f0u);
  EXPECT_EQ(W.S.Scalar[scalar::VccHi], 0x1234u);
  EXPECT_EQ(W.S.Scalar[4], 0x000f00ffu);
  EXPECT_EQ(W.S.Scalar[6], 0x00ff00ffu);
  EXPECT_EQ(W.S.Scalar[scalar::ExecLo], 0x00ff00f0u);
  EXPECT_EQ(W.v(1, 2), 2u + 5);
  EXPECT_EQ(W.v(1, 5), 5u);
  EXPECT_EQ(W.v(2, 3), 0u);
  EXPECT_EQ(W.v(2, 5), 1u);
}

TEST(ISAGpus, CompareToExecAlone) {
  for (unsigned Lanes : {32u, 64u}) {
    Wave W(Target::GFX1100, Lanes);
    W.S.setVcc(0x5555);
    W.setV(0, [](unsigned L) { return L; });
    W.run("v_cmpx_gt_u32_e32 8, v0\nv_mov_b32_e32 v1, 1");
    EXPECT_EQ(W.S.exec() & (Lanes == 64 ? ~0ull : 0xffffffffull), 0xffu);
    EXPECT_EQ(W.S.vcc(), 0x5555u);
    EXPECT_EQ(W.v(1, 7), 1u);
    EXPECT_EQ(W.v(1, 8), 0u);
  }
}

TEST(ISAGpus, DualIssueReadsBeforeItWrites) {
  Wave W(Target::GFX1100, 32);
  W.setV(2, [](unsigned L) { return L + 100; });
  W.setV(3, [](unsigned L) { return L + 200; });
  W.run("v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2\n"
        "v_dual_add_f32 v4, 1.0, v4 :: v_dual_fmamk_f32 v5, v4, 0x40000000, "
        "v5\n");
  for (unsigned L = 0; L < 32; ++L) {
    EXPECT_EQ(W.v(2, L), L + 200);
    EXPECT_EQ(W.v(3, L), L + 100);
    EXPECT_EQ(W.v(4, L), bits(1.0f));
    EXPECT_EQ(W.v(5, L), 0u); // original v4
  }
}

TEST(ISAGpus, SixteenBitResultsLeaveTheOtherHalf) {
  for (Target T : {Target::GFX90A, Target::GFX1030, Target::GFX1100}) {
    Wave W(T, T == Target::GFX90A ? 64 : 32);
    W.setV(0, [](unsigned) { return 0xabcd0005u; });
    W.setV(1, [](unsigned) { return 0x12340003u; });
    W.setV(2, [](unsigned) { return 0x77770000u; });
    W.run(T == Target::GFX90A ? "v_add_u16 v2, v0, v1"
                              : "v_add_nc_u16 v2, v0, v1");
    EXPECT_EQ(W.v(2, 1), T == Target::GFX90A ? 8u : 0x77770008u);
  }
}

TEST(ISAGpus, DppReachesWithinRows) {
  Wave W(Target::GFX1030, 32);
  W.S.setExec(0xfffffffe); // lane 0 can't be read
  W.setV(0, [](unsigned L) { return L + 1; });
  W.setV(1, [](unsigned) { return 99; });
  W.setV(2, [](unsigned) { return 99; });
  W.setV(3, [](unsigned) { return 99; });
  W.run("v_mov_b32_dpp v1, v0 row_share:0 row_mask:0xf bank_mask:0xf "
        "bound_ctrl:1\n"
        "v_mov_b32_dpp v2, v0 row_share:0 row_mask:0xf bank_mask:0xf fi:1\n"
        "v_mov_b32_dpp v3, v0 row_xmask:5 row_mask:0xf bank_mask:0xf\n"
        "v_mov_b32_dpp v4, v0 dpp8:[7,6,5,4,3,2,1,0]\n");
  EXPECT_EQ(W.v(1, 0), 99u);
  EXPECT_EQ(W.v(1, 3), 0u);
  EXPECT_EQ(W.v(1, 20), 17u);
  EXPECT_EQ(W.v(2, 3), 1u);
  EXPECT_EQ(W.v(3, 5), 99u); // its source is lane 0
  EXPECT_EQ(W.v(3, 4), 2u);
  EXPECT_EQ(W.v(3, 18), (18u ^ 5) + 1);
  EXPECT_EQ(W.v(4, 7), 0u);
  EXPECT_EQ(W.v(4, 8), 16u);
}

TEST(ISAGpus, PermlaneWithinAndAcrossRows) {
  Wave W(Target::GFX1100, 32);
  W.S.Scalar[2] = 0x01234567;
  W.S.Scalar[3] = 0x89abcdef;
  W.setV(0, [](unsigned L) { return 3 * L; });
  W.run("v_permlane16_b32 v1, v0, s2, s3\nv_permlanex16_b32 v2, v0, s2, s3");
  const uint64_t Select = 0x89abcdef01234567ull;
  for (unsigned L = 0; L < 32; ++L) {
    const unsigned From = unsigned(Select >> (4 * (L & 15)) & 15);
    EXPECT_EQ(W.v(1, L), 3 * ((L & 16) + From));
    EXPECT_EQ(W.v(2, L), 3 * ((~L & 16) + From));
  }
}

TEST(ISAGpus, TranscendentalsOnScalarRegisters) {
  Wave W(Target::GFX1201, 32);
  W.S.Scalar[scalar::ExecLo] = 0;
  W.S.Scalar[2] = 0x41100000; // 9.0
  W.S.Scalar[3] = 0x4400;     // 4.0 in 16 bits
  W.run("v_s_sqrt_f32 s4, s2\nv_s_rcp_f32 s5, -s2\nv_s_rsq_f32 s6, s2 clamp\n"
        "v_s_exp_f32 s7, 3.0\nv_s_log_f32 s8, 0x44800000\nv_s_sqrt_f32 s9, -s2 "
        "clamp\n"
        "v_s_sqrt_f16 s10, s3\nv_s_rcp_f16 s11, -|s3|\nv_s_log_f16 s12, "
        "s3\nv_s_exp_f16 s13, 2.0");
  const uint32_t Want[] = {0x40400000, 0xbde38e39, 0x3eaaaaab, 0x41000000,
                           0x41200000, 0,          0x4000,     0xb400,
                           0x4000,     0x4400};
  for (unsigned N = 0; N < 10; ++N)
    EXPECT_EQ(W.S.Scalar[4 + N], Want[N]) << "s" << 4 + N;
}

TEST(ISAGpus, PermuteOfHalvesOfAWave) {
  // gfx10 and gfx11 permute each half separately, gfx9 and gfx12 all lanes.
  for (Target T :
       {Target::GFX90A, Target::GFX1030, Target::GFX1100, Target::GFX1201}) {
    Wave W(T, 64);
    W.setV(0, [](unsigned L) { return (63 - L) * 4; });
    W.setV(1, [](unsigned L) { return L; });
    W.run("ds_bpermute_b32 v2, v0, v1");
    const bool Halves = T == Target::GFX1030 || T == Target::GFX1100;
    for (unsigned L = 0; L < 64; ++L)
      EXPECT_EQ(W.v(2, L), Halves ? (L & 32) + 31 - (L & 31) : 63 - L);
  }
}

TEST(ISAGpus, ScratchInstructionsFindTheLane) {
  for (Target T : {Target::GFX942, Target::GFX1100, Target::GFX1201})
    for (unsigned Lanes : {32u, 64u}) {
      if (Lanes == 32 && !hasWave32(T))
        continue;
      Wave W(T, Lanes);
      W.S.Scalar[33] = 16;
      W.setV(0, [](unsigned L) { return L * 7; });
      W.setV(3, [](unsigned L) { return L % 4 * 4; });
      const bool Old = T == Target::GFX942;
      W.run(std::string(Old ? "scratch_store_dword" : "scratch_store_b32") +
            " off, v0, s33 offset:8\n" +
            (Old ? "scratch_load_dword" : "scratch_load_b32") +
            " v1, off, s33 offset:8\n" +
            (Old ? "scratch_store_dword" : "scratch_store_b32") +
            " v3, v0, off offset:64\n");
      for (unsigned L = 0; L < Lanes; ++L) {
        EXPECT_EQ(W.v(1, L), L * 7);
        uint32_t V;
        std::memcpy(&V, W.Memory.at(Wave::Scratch + 24 / 4 * Lanes * 4 + L * 4),
                    4);
        EXPECT_EQ(V, L * 7);
        std::memcpy(
            &V,
            W.Memory.at(Wave::Scratch + (64 / 4 + L % 4) * Lanes * 4 + L * 4),
            4);
        EXPECT_EQ(V, L * 7);
      }
    }
}

TEST(ISAGpus, NullIsNowhere) {
  for (Target T : {Target::GFX1030, Target::GFX1100}) {
    Wave W(T, 32);
    const uint64_t Exec = W.S.exec();
    W.S.Scalar[scalar::M0] = 77;
    W.run("s_mov_b64 null, -1\ns_add_u32 s4, null, 5\nv_add_co_u32 v0, null, "
          "v1, v2\n"
          "s_mov_b32 s5, m0\ns_mov_b32 m0, 78\n");
    EXPECT_EQ(W.S.exec(), Exec);
    EXPECT_EQ(W.S.Scalar[4], 5u);
    EXPECT_EQ(W.S.Scalar[5], 77u);
    EXPECT_EQ(W.S.m0(), 78u);
  }
}

TEST(ISAGpus, SplitBarrier) {
  Wave W(Target::GFX1201, 32);
  W.load("s_barrier_signal -1\nv_mov_b32 v0, 1\ns_barrier_wait -1\ns_endpgm");
  EXPECT_EQ(W.Exec.run(W.S, 100).Reason, StepResult::BarrierSignal);
  EXPECT_EQ(W.S.PC, Wave::Code + 4);
  EXPECT_EQ(W.Exec.run(W.S, 100).Reason, StepResult::BarrierWait);
  EXPECT_EQ(W.Exec.run(W.S, 100).Reason, StepResult::EndPgm);
}

TEST(ISAGpus, ScalarFloatingPoint) {
  Wave W(Target::GFX1201, 32);
  W.S.Scalar[2] = bits(1.5f);
  W.S.Scalar[3] = bits(-0.25f);
  W.S.Scalar[4] = bits(10.0f);
  W.S.Scalar[20] = 7;
  W.run(
      "s_add_f32 s5, s2, s3\ns_mul_f32 s6, s2, s4\ns_fmac_f32 s4, s2, s3\n"
      "s_fmaak_f32 s7, s2, s2, 0x40a00000\ns_fmamk_f32 s8, s2, 0x40000000, s3\n"
      "s_cvt_i32_f32 s9, s6\ns_cvt_f32_u32 s10, s20\ns_floor_f32 s11, s3\n"
      "s_min_num_f32 s12, s2, s3\ns_max_num_f32 s13, 0x7fc00000, s3\n"
      "s_cmp_lt_f32 s3, s2\ns_cselect_b32 s14, 1, 2\n"
      "s_cmp_nge_f32 s2, 0x7fc00000\ns_cselect_b32 s15, 1, 2\n");
  EXPECT_EQ(W.S.Scalar[5], bits(1.25f));
  EXPECT_EQ(W.S.Scalar[6], bits(15.0f));
  EXPECT_EQ(W.S.Scalar[4], bits(10.0f - 0.375f));
  EXPECT_EQ(W.S.Scalar[7], bits(7.25f));
  EXPECT_EQ(W.S.Scalar[8], bits(2.75f));
  EXPECT_EQ(W.S.Scalar[9], 15u);
  EXPECT_EQ(W.S.Scalar[10], bits(7.0f));
  EXPECT_EQ(W.S.Scalar[11], bits(-1.0f));
  EXPECT_EQ(W.S.Scalar[12], bits(-0.25f));
  EXPECT_EQ(W.S.Scalar[13], bits(-0.25f));
  EXPECT_EQ(W.S.Scalar[14], 1u);
  EXPECT_EQ(W.S.Scalar[15], 1u);
}

TEST(ISAGpus, NumbersAndNaNs) {
  Wave W(Target::GFX1201, 32);
  W.setV(0, [](unsigned) { return 0x7f800001u; }); // signaling
  W.setV(1, [](unsigned) { return bits(2.0f); });
  W.setV(2, [](unsigned) { return 0x80000000u; });
  W.setV(3, [](unsigned) { return 0u; });
  W.run("v_max_num_f32 v4, v0, v1\nv_maximum_f32 v5, v0, v1\n"
        "v_min_num_f32 v6, v3, v2\nv_max_num_f32 v7, v2, v3\nv_min_num_f32 v8, "
        "v0, v0");
  EXPECT_EQ(W.v(4, 0), bits(2.0f));
  EXPECT_EQ(W.v(5, 0), 0x7fc00001u);
  EXPECT_EQ(W.v(6, 0), 0x80000000u);
  EXPECT_EQ(W.v(7, 0), 0u);
  EXPECT_EQ(W.v(8, 0), 0x7fc00001u);
}

TEST(ISAGpus, MixedPrecisionWithoutFusion) {
  Wave W(Target::GFX900);
  W.setV(0, [](unsigned) { return 0x3c014000u; }); // halves 2.0, 1 + 1/1024
  W.setV(1, [](unsigned) { return bits(1 + 0x1p-23f); });
  W.setV(2, [](unsigned) { return bits(-0x1p-23f); });
  W.setV(3, [](unsigned) { return 0xaaaa5555u; });
  W.setV(4, [](unsigned) { return 0x00400000u; }); // a denormal
  W.setV(9, [](unsigned) { return bits(-1 - 0x1p-10f); });
  W.run("v_mad_mix_f32 v5, v0, v1, v9 op_sel_hi:[1,0,0]\n"
        "v_mad_mix_f32 v6, v0, v1, v9 op_sel:[1,0,0] op_sel_hi:[1,0,0]\n"
        "v_mad_mix_f32 v7, v4, v1, -v2\n"
        "v_mad_mixlo_f16 v3, v0, v0, v2 op_sel_hi:[1,1,0]\n"
        "v_mov_b32 v8, v3\n"
        "v_mad_mixhi_f16 v3, v0, |v0|, v2 op_sel:[1,0,0] op_sel_hi:[1,1,0]");
  EXPECT_EQ(W.v(5, 7), bits(1 - 0x1p-10f + 0x1p-22f));
  EXPECT_EQ(W.v(6, 7), bits(0x1p-23f)); // fused, it would be 2^-33 more
  EXPECT_EQ(W.v(7, 7), bits(0x1p-23f));
  EXPECT_EQ(W.v(8, 7), 0xaaaa4400u);
  EXPECT_EQ(W.v(3, 7), 0x40014400u);
}

TEST(ISAGpus, PackedHalvesAccumulate) {
  for (Target T :
       {Target::GFX908, Target::GFX90A, Target::GFX1036, Target::GFX1100}) {
    Wave W(T, hasWave32(T) ? 32 : 64);
    W.setV(0, [](unsigned) { return 0xc0003c00u; }); // 1, -2
    W.setV(1, [](unsigned) { return 0x42004000u; }); // 2, 3
    W.setV(2, [](unsigned) { return 0x3c003800u; }); // 0.5, 1
    W.run("v_pk_fmac_f16 v2, v0, v1");
    EXPECT_EQ(W.v(2, 3), 0xc5004100u) << getProcessorName(T); // 2.5, -5
  }
}

TEST(ISAGpus, WhatLaterGPUsDroppedOfGfx10) {
  Wave W(Target::GFX1010, 32);
  W.setV(0, [](unsigned) { return uint32_t(-3); });
  W.setV(1, [](unsigned) { return 7; });
  W.setV(2, [](unsigned) { return 0x7f800000u; }); // infinity
  W.setV(3, [](unsigned) { return bits(1.5f); });
  W.run("v_mul_lo_i32 v4, v0, v1\nv_mac_legacy_f32 v3, 0, v2");
  EXPECT_EQ(W.v(4, 0), uint32_t(-21));
  EXPECT_EQ(W.v(3, 0), bits(1.5f)); // zero times anything is zero
}

TEST(ISAGpus, ScalarFloatsOfGfx11) {
  Wave W(Target::GFX1150, 32);
  W.S.Scalar[2] = bits(1.5f);
  W.S.Scalar[3] = bits(-2.0f);
  W.S.Scalar[4] = 0x7fc00001; // a NaN
  W.S.Scalar[5] = 0x3e00;     // 1.5 in 16 bits
  W.S.Scalar[6] = 0xc000;     // -2
  W.run("s_add_f32 s10, s2, s3\ns_mul_f32 s11, s2, s3\ns_min_f32 s12, s2, s3\n"
        "s_max_f32 s13, s2, s3\ns_min_f32 s14, s2, s4\ns_max_f16 s15, s5, s6\n"
        "s_min_f16 s16, s5, s6\ns_cvt_pk_rtz_f16_f32 s17, s2, s3\n"
        "s_fmac_f32 s10, s2, s3\ns_cmp_lt_f32 s3, s2\ns_cselect_b32 s18, 1, 0");
  const uint32_t Want[] = {bits(-3.5f), bits(-3.0f), bits(-2.0f),
                           bits(1.5f),  bits(1.5f),  0x3e00,
                           0xc000,      0xc0003e00,  1};
  for (unsigned N = 0; N < 9; ++N)
    EXPECT_EQ(W.S.Scalar[10 + N], Want[N]) << "s" << 10 + N;
}

TEST(ISAGpus, ScalarMinimumsOfHalves) {
  Wave W(Target::GFX1200, 32);
  W.S.Scalar[2] = 0x3e00;
  W.S.Scalar[3] = 0xc000;
  W.S.Scalar[4] = 0x7e01; // a NaN, which takes precedence
  W.S.Scalar[5] = bits(1 + 0x1p-11f);
  W.run("s_minimum_f16 s10, s2, s3\ns_maximum_f16 s11, s2, s3\n"
        "s_maximum_f16 s12, s2, s4\ns_cvt_pk_rtz_f16_f32 s13, s5, -1.0");
  EXPECT_EQ(W.S.Scalar[10], 0xc000u);
  EXPECT_EQ(W.S.Scalar[11], 0x3e00u);
  EXPECT_EQ(W.S.Scalar[12], 0x7e01u);
  EXPECT_EQ(W.S.Scalar[13], 0xbc003c00u);
}

TEST(ISAGpus, ScalarSourceOfDpp) {
  // gfx11.5 and gfx12 accept a scalar register together with DPP.
  for (Target T : {Target::GFX1150, Target::GFX1201}) {
    Wave W(T, 32);
    W.S.Scalar[4] = 1000;
    W.setV(0, [](unsigned L) { return L; });
    W.run("v_add_nc_u32_e64_dpp v1, v0, s4 row_xmask:1 row_mask:0xf "
          "bank_mask:0xf");
    for (unsigned L = 0; L < 32; ++L)
      EXPECT_EQ(W.v(1, L), 1000 + (L ^ 1)) << getProcessorName(T);
  }
}

TEST(ISAGpus, AccumulationRegistersOfTheirOwn) {
  Wave W(Target::GFX908);
  W.setV(0, [](unsigned L) { return L; });
  W.setV(63, [](unsigned) { return 5; });
  W.run("v_accvgpr_write_b32 a63, v0\nv_accvgpr_write_b32 a0, 7\n"
        "v_accvgpr_read_b32 v1, a63\nv_accvgpr_read_b32 v2, a0");
  EXPECT_EQ(W.v(1, 9), 9u);
  EXPECT_EQ(W.v(2, 9), 7u);
  EXPECT_EQ(W.v(63, 9), 5u);
}

TEST(ISAGpus, WorkItemIdsInOneRegisterOrThree) {
  using namespace wavelane::simulator;
  const std::pair<Target, bool> Cases[] = {{Target::GFX906, false},
                                           {Target::GFX908, false},
                                           {Target::GFX90A, true},
                                           {Target::GFX1036, false},
                                           {Target::GFX1150, true}};
  for (const auto &[T, Packed] : Cases) {
    KernelSetup Kernel;
    Kernel.Target = T;
    Kernel.Lanes = 64;
    Kernel.ArchVgprs = 8;
    Kernel.Rsrc2 = 2u << 11; // x, y and z
    WaveState S;
    S.Processor = T;
    S.LaneCount = 64;
    WavePlace Place = {};
    Place.GroupSize[0] = Place.GroupSize[1] = Place.GroupSize[2] = 4;
    Place.RingPackets = 1;
    KernelPacket Packet = {};
    initializeWave(S, Kernel, Packet, Place);
    // Lane 27 is at 3, 2, 1.
    EXPECT_EQ(S.vgpr(0, 27), Packed ? 3u | 2u << 10 | 1u << 20 : 3u);
    EXPECT_EQ(S.vgpr(1, 27), Packed ? 0u : 2u);
    EXPECT_EQ(S.vgpr(2, 27), Packed ? 0u : 1u);
  }
}

/// Workgroups whose rows begin and end within waves, and the last wave of which
/// isn't full; and registers that another wave has had.
TEST(ISAGpus, WorkItemIdsOfAnySize) {
  using namespace wavelane::simulator;
  const uint32_t Sizes[][3] = {{64, 1, 1},  {250, 1, 1}, {7, 5, 3},
                               {1, 200, 1}, {1, 1, 65},  {64, 3, 2},
                               {100, 2, 3}, {33, 1, 1}};
  for (const auto &[T, Lanes] :
       {std::pair(Target::GFX906, 64u), std::pair(Target::GFX90A, 64u),
        std::pair(Target::GFX1030, 32u), std::pair(Target::GFX1100, 32u)})
    for (const auto &Size : Sizes)
      for (unsigned Dims = 0; Dims < 3; ++Dims) {
        KernelSetup Kernel;
        Kernel.Target = T;
        Kernel.Lanes = Lanes;
        Kernel.ArchVgprs = 8;
        Kernel.Rsrc2 = Dims << 11;
        const bool IsPacked = wavelane::gpu::get(T).family().PacksWorkItemIds;
        const uint32_t Items = Size[0] * Size[1] * Size[2];
        for (uint32_t Number = 0; Number * Lanes < Items; ++Number) {
          WaveState S;
          S.Processor = T;
          S.LaneCount = uint8_t(Lanes);
          S.VGPR.assign(size_t(8) * Lanes, 77);
          WavePlace Place = {};
          std::copy(std::begin(Size), std::end(Size), Place.GroupSize);
          Place.WaveInGroup = Number;
          Place.RingPackets = 1;
          initializeWave(S, Kernel, KernelPacket(), Place);
          uint64_t Active = 0;
          for (unsigned L = 0; L < Lanes; ++L) {
            const uint32_t Item = Number * Lanes + L;
            const bool Is = Item < Items;
            Active |= uint64_t(Is) << L;
            const uint32_t X = Is ? Item % Size[0] : 0,
                           Y = Is && Dims > 0 ? Item / Size[0] % Size[1] : 0,
                           Z = Is && Dims > 1 ? Item / Size[0] / Size[1] : 0;
            ASSERT_EQ(S.vgpr(0, L), IsPacked ? X | Y << 10 | Z << 20 : X);
            ASSERT_EQ(S.vgpr(1, L), IsPacked ? 0 : Y);
            ASSERT_EQ(S.vgpr(2, L), IsPacked ? 0 : Z);
            ASSERT_EQ(S.vgpr(7, L), 0u);
          }
          ASSERT_EQ(S.exec(), Active);
        }
      }
}

TEST(ISAGpus, RegistersThatAKernelAsksFor) {
  using namespace wavelane::simulator;
  const struct {
    Target T;
    bool Wave32;
    unsigned Arch, Acc;
  } Cases[] = {{Target::GFX906, false, 24, 0},
               {Target::GFX908, false, 24, 24},
               {Target::GFX90A, false, 16, 32},
               {Target::GFX1036, false, 24, 0},
               {Target::GFX1036, true, 48, 0}};
  for (const auto &C : Cases) {
    KernelDescriptor D = {};
    D.Rsrc1 = 5;                             // six units
    D.Rsrc3 = C.T == Target::GFX90A ? 3 : 0; // 16 before the others
    D.Properties = C.Wave32 ? uint16_t(1 << 10) : uint16_t(0);
    KernelSetup Kernel;
    std::string Error;
    ASSERT_TRUE(Kernel.decode(C.T, D, 0x1000, Error)) << Error;
    EXPECT_EQ(Kernel.ArchVgprs, C.Arch) << getProcessorName(C.T);
    EXPECT_EQ(Kernel.AccVgprs, C.Acc) << getProcessorName(C.T);
  }
  KernelDescriptor D = {};
  D.Properties = 1 << 10;
  KernelSetup Kernel;
  std::string Error;
  EXPECT_FALSE(Kernel.decode(Target::GFX908, D, 0x1000, Error));
}

TEST(ISAGpus, UnmodeledInstructionsAreNamed) {
  const struct {
    Target T;
    unsigned Lanes;
    const char *Text;
  } Cases[] = {
      {Target::GFX900, 64, "ds_add_src2_u32 v0"},
      {Target::GFX906, 64, "v_cubeid_f32 v0, v1, v2, v3"},
      {Target::GFX1010, 32, "s_get_waveid_in_workgroup s0"},
      {Target::GFX1150, 32, "ds_bvh_stack_rtn_b32 v1, v0, v1, v[2:5]"},
      {Target::GFX942, 64,
       "v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]"},
      {Target::GFX1030, 32,
       "image_atomic_add v0, v[4:5], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"},
      {Target::GFX1100, 32, "v_dot2_bf16_bf16 v0, v1, v2, v3"},
      {Target::GFX1201, 32,
       "v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20"},
      {Target::GFX1201, 32, "ds_append v0"},
      {Target::GFX906, 64, "buffer_load_dword v[0:1], off, s[0:3], 0 tfe"},
      {Target::GFX1030, 32,
       "v_movrels_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf "
       "bank_mask:0xf"},
  };
  for (const auto &C : Cases) {
    Wave W(C.T, C.Lanes);
    W.load(std::string(C.Text) + "\ns_endpgm");
    const StepResult R = W.Exec.run(W.S, 10);
    EXPECT_EQ(R.Reason, StepResult::IllegalInstruction) << C.Text;
    const std::string Name =
        std::string(C.Text).substr(0, std::string(C.Text).find(' '));
    EXPECT_NE(R.Text.find(Name), std::string::npos) << R.Text;
    EXPECT_NE(R.Text.find(getProcessorName(C.T)), std::string::npos) << R.Text;
    EXPECT_TRUE(R.IsUnmodeled) << R.Text;
    EXPECT_EQ(W.S.PC, Wave::Code);
  }
}

TEST(ISAGpus, ArbitraryWordsHaveAnOutcome) {
  uint64_t Seed = 99;
  const auto Random = [&] {
    Seed = Seed * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t(Seed >> 32);
  };
  for (Target T : {Target::GFX942, Target::GFX950, Target::GFX1030,
                   Target::GFX1100, Target::GFX1201})
    for (unsigned Lanes : {32u, 64u}) {
      if (Lanes == 32 && !hasWave32(T))
        continue;
      Wave W(T, Lanes);
      uint8_t *Code = W.Memory.add(Wave::Code, 64);
      unsigned Done = 0;
      for (unsigned N = 0; N < 20000; ++N) {
        uint32_t Words[3] = {Random(), Random(), Random()};
        if (N & 1) // encodings that are rare among random words
          Words[0] =
              (Words[0] & 0x03ffffff) | (0xc8000000 + (Random() % 14 << 26));
        std::memcpy(Code, Words, sizeof(Words));
        W.S.PC = Wave::Code;
        W.S.setExec(uint64_t(Random()) << 32 | Random());
        W.S.Scalar[scalar::M0] = Random() % 128;
        const StepResult R = W.Exec.step(W.S);
        if (R.Reason == StepResult::IllegalInstruction)
          EXPECT_TRUE(
              R.IsUnmodeled ||
              (!R.Text.empty() && R.Text.find("modeled") == std::string::npos))
              << R.Text;
        else
          ++Done;
      }
      EXPECT_GT(Done, 1000u);
    }
}

// D = A * B + C by definition, and the place of each element in AMD's layouts.
static void checkBytes(Target T, const char *Name, unsigned Rows,
                       unsigned Depth, unsigned Blocks, bool FromAcc) {
  Wave W(T);
  W.S.allocateVGPRs(64, 64);
  const unsigned Words = Depth * Rows * Blocks / 64 / 4,
                 PerLane = Rows * Rows * Blocks / 64;
  const auto A = [&](unsigned B, unsigned R, unsigned K) {
    return int8_t(B * 57 + R * 31 + K * 101 + 7);
  };
  const auto B = [&](unsigned B, unsigned C, unsigned K) {
    return int8_t(B * 91 + C * 17 + K * 39 + 3);
  };
  for (unsigned L = 0; L < 64; ++L)
    for (unsigned Byte = 0; Byte < Words * 4; ++Byte) {
      const unsigned Group = L / Rows, Block = Blocks > 1 ? Group : 0,
                     K = Blocks > 1 ? Byte : Group * Words * 4 + Byte;
      W.S.vgpr(Byte / 4, L) |= uint32_t(uint8_t(A(Block, L % Rows, K)))
                               << (Byte % 4 * 8);
      W.S.vgpr(4 + Byte / 4, L) |= uint32_t(uint8_t(B(Block, L % Rows, K)))
                                   << (Byte % 4 * 8);
    }
  for (unsigned R = 0; R < PerLane; ++R)
    for (unsigned L = 0; L < 64; ++L)
      (FromAcc ? W.S.acc(R, L) : W.S.vgpr(16 + R, L)) = R * 1000 + L;
  const auto Run = [&](char File, unsigned First, unsigned Count) {
    return std::string(1, File) + "[" + std::to_string(First) + ":" +
           std::to_string(First + Count - 1) + "]";
  };
  const auto Source = [&](unsigned First) {
    return Words == 1 ? "v" + std::to_string(First) : Run('v', First, Words);
  };
  const std::string D = FromAcc ? Run('a', 0, PerLane) : Run('v', 16, PerLane);
  W.S.setExec(1); // which is ignored
  W.run(std::string(Name) + " " + D + ", " + Source(0) + ", " + Source(4) +
        ", " + D);
  for (unsigned Block = 0; Block < Blocks; ++Block)
    for (unsigned Row = 0; Row < Rows; ++Row)
      for (unsigned Column = 0; Column < Rows; ++Column) {
        unsigned R, L;
        if (Rows == 4)
          R = Row, L = Block * 4 + Column;
        else if (Rows == 16)
          R = Block * 4 + Row % 4, L = Row / 4 * 16 + Column;
        else
          R = Block * 16 + Row / 8 * 4 + Row % 4, L = Row / 4 % 2 * 32 + Column;
        uint32_t Want = R * 1000 + L;
        for (unsigned K = 0; K < Depth; ++K)
          Want += uint32_t(int32_t(A(Block, Row, K)) * B(Block, Column, K));
        ASSERT_EQ(FromAcc ? W.S.acc(R, L) : W.v(16 + R, L), Want)
            << Name << " block " << Block << " " << Row << "," << Column;
      }
}
TEST(ISAGpus, MatricesOfBytes) {
  // gfx908 has sums in accumulation registers only.
  checkBytes(Target::GFX908, "v_mfma_i32_32x32x4i8", 32, 4, 2, true);
  checkBytes(Target::GFX908, "v_mfma_i32_16x16x16i8", 16, 16, 1, true);
  for (bool FromAcc : {false, true}) {
    checkBytes(Target::GFX90A, "v_mfma_i32_32x32x4i8", 32, 4, 2, FromAcc);
    checkBytes(Target::GFX90A, "v_mfma_i32_16x16x4i8", 16, 4, 4, FromAcc);
    checkBytes(Target::GFX90A, "v_mfma_i32_4x4x4i8", 4, 4, 16, FromAcc);
    checkBytes(Target::GFX90A, "v_mfma_i32_32x32x8i8", 32, 8, 1, FromAcc);
    checkBytes(Target::GFX90A, "v_mfma_i32_16x16x16i8", 16, 16, 1, FromAcc);
    checkBytes(Target::GFX942, "v_mfma_i32_32x32x16_i8", 32, 16, 1, FromAcc);
    checkBytes(Target::GFX942, "v_mfma_i32_16x16x32_i8", 16, 32, 1, FromAcc);
  }
}
