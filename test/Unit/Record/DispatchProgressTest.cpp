//===-- DispatchProgressTest.cpp ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Record/DispatchProgress.h"
#include "Core/Format/NumberRange.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

TEST(DispatchProgress, SaysWhatIsExact) {
  EXPECT_EQ((DispatchProgress{40, 3, 16, 21, true}.Format()),
            "3 of 40 workgroups done, 16 running, 21 waiting");
  EXPECT_EQ((DispatchProgress{40, 3, 16, 21, false}.Format()),
            "at least 3 of 40 workgroups done, 16 running, at most 21 waiting");
  EXPECT_EQ((DispatchProgress{40, 24, 16, 0, false}.Format()),
            "at least 24 of 40 workgroups done, 16 running, 0 waiting");
}

TEST(DispatchProgress, BarShowsWhateverThereIs) {
  EXPECT_EQ((DispatchProgress{1000000, 1, 1, 999998, true}.DrawBar()),
            "[=-..................]");
  EXPECT_EQ((DispatchProgress{4, 4, 0, 0, true}.DrawBar()),
            "[====================]");
  EXPECT_EQ((DispatchProgress{0, 0, 0, 0, true}.DrawBar()),
            "[....................]");
}

TEST(NumberRange, IsAsWideAsAllFiniteNumbers) {
  NumberRange range;
  range.Add(1.7e308);
  range.Add(-1.7e308);
  EXPECT_EQ(range.GetPart(-1.7e308), 0);
  EXPECT_EQ(range.GetPart(1.7e308), 1);
  EXPECT_EQ(range.GetPart(0), 0.5);
  NumberRange one;
  one.Add(7);
  EXPECT_EQ(one.GetPart(7), 0);
}
