//===-- CoverageTest.cpp - what must be modeled is ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include "InstructionTable.h"

#include <fstream>
#include <set>

using namespace isatest;

// The files list the instructions of at least five of 424 (gfx90a) or 77
// (gfx1030) real HIP programs at -O0 or -O2.
static void expectAll(wavelane::isa::Target T, const char *File,
                      unsigned AtLeast) {
  std::ifstream In(std::string(ISA_TEST_INPUTS "/") + File);
  ASSERT_TRUE(In.good());
  unsigned Count = 0;
  for (std::string Name; std::getline(In, Name); ++Count)
    EXPECT_TRUE(Executor::isModeled(T, Name)) << Name;
  EXPECT_GE(Count, AtLeast);
}
TEST(ISACoverage, InstructionsOfRealProgramsAreModeled) {
  expectAll(wavelane::isa::Target::GFX90A, "common-mnemonics.txt", 400);
  expectAll(wavelane::isa::Target::GFX1030, "common-mnemonics-gfx1030.txt",
            200);
}

TEST(ISACoverage, OthersAreNot) {
  EXPECT_FALSE(
      Executor::isModeled(wavelane::isa::Target::GFX90A, "image_sample_c"));
  EXPECT_FALSE(
      Executor::isModeled(wavelane::isa::Target::GFX90A, "v_nonsense_e32"));
}

// Tries the first words of all encodings with a few operands. What the executor
// says that it doesn't model is in the table of docs/instructions.md, and has
// no other name there.
TEST(ISACoverage, WhatIsNotModeledIsInTheTable) {
  std::set<wavelane::gpu::FamilyId> Done;
  for (const wavelane::gpu::Processor &P : wavelane::gpu::processors()) {
    if (!P.isModeled() || !Done.insert(P.Group).second)
      continue;
    SCOPED_TRACE(P.Name);
    const std::set<std::string> All = instructionsOf(P);
    EXPECT_GT(All.size(), 500u);
    const std::string Why = std::string(": not modeled on ") + P.Name;
    std::set<std::string> Lacks;
    unsigned Good = 0;
    Wave W(P.Id);
    W.S.allocateVGPRs(256, 0);
    uint8_t *Code = W.Memory.add(Wave::Code, 64);
    const auto Try = [&](uint32_t First, uint32_t Second) {
      const uint32_t Words[4] = {First, Second, 0, 0};
      std::memcpy(Code, Words, sizeof(Words));
      W.Exec.invalidate(Wave::Code, Wave::Code + 64);
      W.S.PC = Wave::Code;
      W.S.setExec(0);
      const StepResult R = W.Exec.step(W.S);
      const size_t At = R.Text.find(Why);
      if (R.Reason != StepResult::IllegalInstruction)
        ++Good;
      else if (At != std::string::npos)
        Lacks.insert(withoutEncoding(R.Text.substr(0, At)).str());
    };
    for (uint32_t High = 0; High < 1 << 16; ++High)
      Try(High << 16 | 0x100, 0x04020100);
    // These have the number of their operation in the lower half.
    for (uint32_t Low = 0; Low < 1 << 16; Low += 1 << 8)
      for (uint32_t High : {0xbe80u, 0x7e00u, 0x7e01u})
        Try(High << 16 | Low, 0);
    EXPECT_GT(Good, 1000u);
    EXPECT_FALSE(Lacks.empty());
    for (const std::string &Name : Lacks) {
      EXPECT_TRUE(All.count(Name)) << Name << " isn't in the table";
      EXPECT_FALSE(isModeled(P, Name)) << Name;
    }
  }
}
