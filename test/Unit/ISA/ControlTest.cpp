//===-- ControlTest.cpp - branches, calls, outcomes, hardware registers ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace isatest;

TEST(ISAControl, LoopRunsToItsEnd) {
  Wave W;
  W.run("s_mov_b32 s0, 0\ns_mov_b32 s1, 0\n"
        "1: s_add_u32 s1, s1, s0\ns_add_u32 s0, s0, 1\n"
        "s_cmp_lt_u32 s0, 100\ns_cbranch_scc1 1b");
  EXPECT_EQ(W.S.Scalar[1], 4950u);
}

TEST(ISAControl, CallAndReturn) {
  Wave W;
  W.run("s_mov_b32 s8, 1\ns_getpc_b64 s[0:1]\ns_add_u32 s0, s0, f-.\n"
        "s_addc_u32 s1, s1, 0\n"
        "s_swappc_b64 s[30:31], s[0:1]\ns_add_u32 s8, s8, 100\ns_branch e\n"
        "f: s_add_u32 s8, s8, 10\ns_setpc_b64 s[30:31]\ne:");
  EXPECT_EQ(W.S.Scalar[8], 111u);
}

TEST(ISAControl, BranchesOnExecAndVcc) {
  Wave W;
  W.run("s_mov_b32 s0, 0\ns_mov_b64 vcc, 0\ns_cbranch_vccnz 1f\ns_add_u32 s0, "
        "s0, 1\n"
        "1: s_cbranch_vccz 2f\ns_add_u32 s0, s0, 10\n"
        "2: s_mov_b64 exec, 0\ns_cbranch_execnz 3f\ns_add_u32 s0, s0, 100\n"
        "3: s_cbranch_execz 4f\ns_add_u32 s0, s0, 1000\n4:");
  EXPECT_EQ(W.S.Scalar[0], 101u);
}

TEST(ISAControl, OutcomesOfEachKind) {
  Wave W;
  W.load("s_barrier\ns_sleep 5\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_trap 3\n"
         "s_sethalt 1\ns_endpgm");
  StepResult R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::Barrier);
  EXPECT_EQ(W.S.PC, Wave::Code + 4);
  R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::Sleep);
  EXPECT_EQ(R.Code, 5u);
  R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::SendMsg);
  EXPECT_EQ(R.Code, 1u);
  R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::Trap);
  EXPECT_EQ(R.Code, 3u);
  EXPECT_EQ(W.S.PC, Wave::Code + 12);
  EXPECT_EQ(R.NextAddress, Wave::Code + 16);
  W.S.PC = R.NextAddress;
  R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::Halt);
  EXPECT_TRUE(W.S.Status & status::Halt);
  R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::EndPgm);
}

TEST(ISAControl, BudgetIsCounted) {
  Wave W;
  W.load("1: s_add_u32 s0, s0, 1\ns_branch 1b");
  const StepResult R = W.Exec.run(W.S, 1001);
  EXPECT_EQ(R.Reason, StepResult::Continued);
  EXPECT_EQ(R.Executed, 1001u);
  EXPECT_EQ(W.S.Scalar[0], 501u);
}

TEST(ISAControl, SingleStep) {
  Wave W;
  W.load("s_mov_b32 s0, 1\ns_mov_b32 s0, 2\ns_barrier\ns_endpgm");
  W.S.Mode |= mode::DebugEn;
  StepResult R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::SingleStep);
  EXPECT_EQ(W.S.Scalar[0], 1u);
  EXPECT_EQ(W.S.PC, Wave::Code + 4);
  W.Exec.run(W.S, 100);
  R = W.Exec.run(W.S, 100);
  EXPECT_EQ(R.Reason, StepResult::Barrier);
  EXPECT_TRUE(R.StepTrap);
}

TEST(ISAControl, ABreakpointWrittenLaterIsSeen) {
  Wave W;
  W.load("1: s_add_u32 s0, s0, 1\ns_nop 0\ns_branch 1b");
  W.Exec.run(W.S, 300);
  const uint32_t Trap = 0xbf920007, Nop = 0xbf800000;
  std::memcpy(W.Memory.at(Wave::Code + 4), &Trap, 4);
  StepResult R = W.Exec.run(W.S, 300);
  EXPECT_EQ(R.Reason, StepResult::Trap);
  EXPECT_EQ(R.Code, 7u);
  EXPECT_EQ(R.Address, Wave::Code + 4);
  std::memcpy(W.Memory.at(Wave::Code + 4), &Nop, 4);
  R = W.Exec.run(W.S, 300);
  EXPECT_EQ(R.Reason, StepResult::Continued);
}

TEST(ISAControl, IllegalInstructionsAreNamed) {
  Wave W;
  W.load("s_nop 0\nimage_atomic_add v0, v[0:3], s[0:7] dmask:0x1 unorm");
  StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_EQ(R.Address, Wave::Code + 4);
  EXPECT_NE(R.Text.find("image_atomic_add"), std::string::npos) << R.Text;
  EXPECT_TRUE(R.IsUnmodeled);
  W.load(".long 0xffffffff\n.long 0xffffffff");
  R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_NE(R.Text.find("0xffffffff"), std::string::npos) << R.Text;
  EXPECT_FALSE(R.IsUnmodeled);
}

TEST(ISAControl, LiteralsThatCannotBeRead) {
  Wave W;
  // VOP3 has no literals on gfx9.
  W.load(".long 0xd1f405e2\n.long 0x0bff2941\n.long 0x3f800000");
  StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_NE(R.Text.find("0xd1f405e2"), std::string::npos) << R.Text;
  // s_mov_b32 s0 at the end of memory.
  W.load(".long 0xbe8000ff");
  R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_NE(R.Text.find("0xbe8000ff"), std::string::npos) << R.Text;
}

TEST(ISAControl, RegistersBeyondTheWavesAreIllegal) {
  Wave W;
  W.load("v_add_u32 v70, v0, v1");
  EXPECT_EQ(W.Exec.run(W.S, 10).Reason, StepResult::IllegalInstruction);
  W.load("v_accvgpr_read_b32 v0, a40");
  EXPECT_EQ(W.Exec.run(W.S, 10).Reason, StepResult::IllegalInstruction);
  W.load("global_load_dwordx4 v[62:65], v[0:1], off");
  EXPECT_EQ(W.Exec.run(W.S, 10).Reason, StepResult::IllegalInstruction);
}

TEST(ISAControl, PcOutsideOfCodeIsAViolation) {
  Wave W;
  W.S.PC = 0x10;
  const StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::MemoryViolation);
  EXPECT_EQ(R.FaultAccess, Access::Execute);
  EXPECT_EQ(R.FaultAddress, 0x10u);
}

TEST(ISAControl, InstructionsStraddlePages) {
  Wave W;
  std::string Text;
  for (unsigned N = 0; N < 1023; ++N)
    Text += "s_nop 0\n";
  W.run(Text + "s_mov_b32 s0, 0x12345678\ns_mov_b32 s1, 2");
  EXPECT_EQ(W.S.Scalar[0], 0x12345678u);
  EXPECT_EQ(W.S.Scalar[1], 2u);
}

TEST(ISAControl, ModeRegister) {
  Wave W;
  W.setV(1, [](unsigned) { return bits(0x1.8p-24f); });
  W.run("v_add_f32 v0, 1.0, v1\n"
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n"
        "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 8)\n"
        "v_add_f32 v2, 1.0, v1");
  EXPECT_EQ(W.S.Scalar[0], 0xf3u);
  EXPECT_EQ(W.v(0, 0), bits(1.0f) + 1);
  EXPECT_EQ(W.v(2, 0), bits(1.0f));
}

TEST(ISAControl, IndexedRegisters) {
  Wave W;
  W.setV(10, [](unsigned L) { return 100 + L; });
  W.setV(13, [](unsigned L) { return 200 + L; });
  W.S.Scalar[0] = 3;
  W.run("s_set_gpr_idx_on s0, gpr_idx(SRC0)\nv_mov_b32_e32 v1, v10\n"
        "s_set_gpr_idx_off\nv_mov_b32_e32 v2, v10\n"
        "s_set_gpr_idx_on s0, gpr_idx(DST)\nv_mov_b32_e32 v20, v10\n"
        "s_set_gpr_idx_off");
  EXPECT_EQ(W.v(1, 5), 205u);
  EXPECT_EQ(W.v(2, 5), 105u);
  EXPECT_EQ(W.v(23, 5), 105u);
  EXPECT_EQ(W.v(20, 5), 0u);
}

TEST(ISAControl, ArithmeticTrapsOnlyForActiveLanes) {
  Wave W;
  W.setV(0, [](unsigned L) { return L == 3 ? 0 : bits(2.0f); });
  W.setV(1, [](unsigned) { return bits(1e38f); });
  W.S.Mode |= 1u << (mode::ExcpEnShift + 3); // Overflow.
  W.S.setExec(8);
  W.load("v_mul_f32 v2, v0, v1\nv_mul_f32 v2, v1, v1\ns_endpgm");
  const StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::FPException);
  EXPECT_EQ(R.Address, Wave::Code + 4);
  EXPECT_EQ(R.Code, 8u);
  EXPECT_TRUE(W.S.TrapSts & 8);
}

// Any words have an outcome: never a crash, and never an access outside the
// wave's registers.
TEST(ISAControl, ArbitraryWordsHaveAnOutcome) {
  Wave W;
  uint8_t *Code = W.Memory.add(Wave::Code, 64);
  uint64_t Seed = 12345;
  const auto Random = [&] {
    Seed = Seed * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t(Seed >> 32);
  };
  // The upper bits of each encoding, since most random words would be VOP2.
  const uint32_t Top[] = {0x00000000, 0x7e000000, 0x7c000000, 0x80000000,
                          0xb0000000, 0xbe800000, 0xbf000000, 0xbf800000,
                          0xc0000000, 0xd0000000, 0xd1000000, 0xd3800000,
                          0xd8000000, 0xdc000000, 0xe0000000, 0xe8000000};
  unsigned Done = 0;
  for (unsigned N = 0; N < 60000; ++N) {
    const uint32_t T = Top[Random() % 16];
    const uint32_t Words[2] = {
        T | (Random() & (T >> 24 >= 0xbe ? 0x7fffff : 0x3ffffff)), Random()};
    std::memcpy(Code, Words, 8);
    W.S.PC = Wave::Code;
    W.S.setExec(uint64_t(Random()) << 32 | Random());
    W.S.Scalar[scalar::M0] = Random() % 128;
    W.S.Mode =
        (W.S.Mode & ~mode::GprIdxEn) | (Random() % 8 == 0 ? mode::GprIdxEn : 0);
    const StepResult R = W.Exec.step(W.S);
    if (R.Reason == StepResult::IllegalInstruction)
      EXPECT_FALSE(R.Text.empty());
    else
      ++Done;
  }
  EXPECT_GT(Done, 10000u);
}
