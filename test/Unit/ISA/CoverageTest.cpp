//===-- CoverageTest.cpp - what must be modeled is ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

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

// Tries every opcode of every encoding of gfx9 with a few operands: anything
// that LLVM accepts as an instruction of gfx950 is modeled, except those
// listed.
TEST(ISACoverage, WhatGfx950LacksIsListed) {
  struct {
    uint32_t First;
    unsigned Shift, Count;
    std::vector<uint32_t> Second;
  } const Encodings[] = {
      {0x80000000, 23, 96, {0}},                                    // SOP2
      {0xb0000000, 23, 27, {0}},                                    // SOPK
      {0xbe800000, 8, 256, {0}},                                    // SOP1
      {0xbf000000, 16, 128, {0}},                                   // SOPC
      {0xbf800000, 16, 128, {0}},                                   // SOPP
      {0xc0000000, 18, 256, {0, 0x10000}},                          // SMEM
      {0x00000100, 25, 62, {0}},                                    // VOP2
      {0x7e000100, 9, 256, {0}},                                    // VOP1
      {0x7c000100, 17, 256, {0}},                                   // VOPC
      {0xd0000000, 16, 1024, {0x04020100, 0x00020100, 0x00000100}}, // VOP3
      {0xd3800000,
       16,
       128,
       {0x04020100, 0x1c020100, 0x18020100, 0x00020100}}, // VOP3P
      {0xd3808000, 16, 128, {0x04020100}},             // and into acc registers
      {0xd8000000, 17, 256, {0x04040200, 0}},          // DS
      {0xdc000000, 18, 128, {0x00000200, 0x007f0200}}, // FLAT
      {0xdc004000, 18, 128, {0x007f0200}},             // scratch
      {0xdc008000, 18, 128, {0x007f0200}},             // global
      {0xe0000000, 18, 128, {0x80000000}},             // MUBUF
      {0xe0010000, 18, 128, {0x80000000}},             // with lds
      {0xe8000000, 15, 16, {0x80000000}},              // MTBUF
  };
  std::set<std::string> Lacks;
  unsigned Done = 0;
  Wave W(wavelane::isa::Target::GFX950);
  W.S.allocateVGPRs(256, 256);
  uint8_t *Code = W.Memory.add(Wave::Code, 64);
  for (const auto &E : Encodings)
    for (unsigned N = 0; N < E.Count; ++N)
      for (uint32_t Second : E.Second) {
        const uint32_t Words[4] = {E.First + (N << E.Shift), Second, 0, 0};
        std::memcpy(Code, Words, sizeof(Words));
        W.S.PC = Wave::Code;
        W.S.setExec(0);
        const StepResult R = W.Exec.step(W.S);
        const size_t At = R.Text.find(": not modeled on gfx950");
        if (R.Reason != StepResult::IllegalInstruction)
          ++Done;
        else if (At != std::string::npos)
          Lacks.insert(R.Text.substr(0, At));
      }
  EXPECT_GT(Done, 1000u);
  std::ifstream In(ISA_TEST_INPUTS "/unmodeled-gfx950.txt");
  ASSERT_TRUE(In.good());
  std::set<std::string> Listed;
  for (std::string Name; std::getline(In, Name);)
    Listed.insert(Name);
  for (const std::string &Name : Lacks)
    EXPECT_TRUE(Listed.count(Name)) << Name;
  for (const std::string &Name : Listed)
    EXPECT_TRUE(Lacks.count(Name)) << Name << " is modeled";
}
