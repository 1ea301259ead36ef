//===-- LaneTextTest.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Record/LaneText.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

TEST(LaneText, FormatsRuns) {
  EXPECT_EQ(FormatRuns({}), "");
  EXPECT_EQ(FormatRuns({5}), "5");
  EXPECT_EQ(FormatRuns({0, 1, 2, 3, 7, 12, 13}), "0-3,7,12-13");
  EXPECT_EQ(FormatRuns({1, 3, 5, 7}, 2), "1,3,...");
  EXPECT_EQ(FormatRuns({1, 3}, 2), "1,3");
}

TEST(LaneText, FormatsLanesOfAMask) {
  llvm::BitVector lanes(64);
  EXPECT_EQ(FormatLanes(lanes), "");
  lanes.set(0, 8);
  lanes.set(63);
  EXPECT_EQ(FormatLanes(lanes), "0-7,63");
  lanes.set();
  EXPECT_EQ(FormatLanes(lanes), "0-63");
}

TEST(LaneText, NamesLanes) {
  EXPECT_EQ(NameLanes({3}), "lane 3");
  EXPECT_EQ(NameLanes({4, 6}), "lanes 4,6");
  EXPECT_EQ(NameLanes({0, 1, 9}), "lanes 0-1,9");
  EXPECT_EQ(FormatCount(1, "wave"), "1 wave");
  EXPECT_EQ(FormatCount(0, "wave"), "0 waves");
  EXPECT_EQ(FormatTriple({4, 1, 16}), "(4,1,16)");
}

TEST(LaneText, ShortensNames) {
  EXPECT_EQ(ShortenName("saxpy"), "saxpy");
  EXPECT_EQ(ShortenName("scale<int>"), "scale");
  EXPECT_EQ(ShortenName("(anonymous namespace)::scale<float, 4>"), "scale");
  EXPECT_EQ(ShortenName("a::b<c::d<int>>::scale<e<(1 < 2)>>"),
            "a::b<c::d<int>>::scale<e<(1 < 2)>>")
      << "a comparison isn't a bracket: the name stays";
  EXPECT_EQ(ShortenName("ns::Vec<int>::operator<<"),
            "ns::Vec<int>::operator<<");
  EXPECT_EQ(ShortenName("main::{lambda(int)#1}::run"),
            "main::{lambda(int)#1}::run");
  EXPECT_EQ(ShortenName(""), "");
}

TEST(LaneText, ShortensLongNamesOfWaves) {
  EXPECT_EQ(ShortenWaveName("saxpy<float> (1,0,0)/2"),
            "saxpy<float> (1,0,0)/2");
  EXPECT_EQ(ShortenWaveName("lib::detail::kernel<int, float, lib::config<4>, "
                            "Plus> (1,0,0)/2"),
            "kernel (1,0,0)/2");
  EXPECT_EQ(ShortenWaveName("no place"), "no place");
}
