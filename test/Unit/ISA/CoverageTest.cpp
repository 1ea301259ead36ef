//===-- CoverageTest.cpp - what must be modelled is ------------------------===//

#include "Harness.h"

#include <fstream>

using namespace isatest;

// The files list what five or more of 424 (gfx90a) or 77 (gfx1030) real HIP programs
// contain at -O0 or at -O2.
static void expectAll(wavelane::isa::Target T, const char *File, unsigned AtLeast) {
  std::ifstream In(std::string(ISA_TEST_INPUTS "/") + File);
  ASSERT_TRUE(In.good());
  unsigned Count = 0;
  for (std::string Name; std::getline(In, Name); ++Count)
    EXPECT_TRUE(Executor::isModelled(T, Name)) << Name;
  EXPECT_GE(Count, AtLeast);
}
TEST(ISACoverage, InstructionsOfRealProgramsAreModelled) {
  expectAll(wavelane::isa::Target::GFX90A, "common-mnemonics.txt", 400);
  expectAll(wavelane::isa::Target::GFX1030, "common-mnemonics-gfx1030.txt", 200);
}

TEST(ISACoverage, OthersAreNot) {
  EXPECT_FALSE(Executor::isModelled(wavelane::isa::Target::GFX90A, "image_sample"));
  EXPECT_FALSE(Executor::isModelled(wavelane::isa::Target::GFX90A, "v_nonsense_e32"));
}
