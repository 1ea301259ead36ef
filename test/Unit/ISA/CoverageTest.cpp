//===-- CoverageTest.cpp - what must be modelled is ------------------------===//

#include "Harness.h"

#include <fstream>

using namespace isatest;

// common-mnemonics.txt lists what ten or more of 424 real HIP programs contain
// at -O0 or at -O2.
TEST(ISACoverage, InstructionsOfRealProgramsAreModelled) {
  std::ifstream In(ISA_TEST_INPUTS "/common-mnemonics.txt");
  ASSERT_TRUE(In.good());
  unsigned Count = 0;
  for (std::string Name; std::getline(In, Name); ++Count)
    EXPECT_TRUE(Executor::isModelled(wavelane::isa::Target::GFX90A, Name)) << Name;
  EXPECT_GT(Count, 300u);
}

TEST(ISACoverage, OthersAreNot) {
  EXPECT_FALSE(Executor::isModelled(wavelane::isa::Target::GFX90A, "image_sample"));
  EXPECT_FALSE(Executor::isModelled(wavelane::isa::Target::GFX90A, "v_nonsense_e32"));
}
