//===-- DefinedMemoryTest.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/DefinedMemory.h"
#include "Simulator/Check/AccessShadow.h"

#include "gtest/gtest.h"

using namespace wavelane::check;

TEST(DefinedMemory, DeviceMemoryIsUndefinedUntilItIsWritten) {
  Blocks B;
  B.add(0x10010, 0x3000, Allocation::Device, {});
  B.add(0x20000, 0x100, Allocation::Host, {});
  DefinedMemory M(B, 1 << 20);
  EXPECT_EQ(M.get(0x1000f), 0u); // before it
  EXPECT_EQ(M.get(0x10010), 0xffu);
  EXPECT_EQ(M.get(0x20000), 0u);
  M.define(0x10020, 0x2000); // parts of pages, and a whole one
  EXPECT_EQ(M.get(0x1001f), 0xffu);
  EXPECT_EQ(M.get(0x10020), 0u);
  EXPECT_EQ(M.get(0x11800), 0u);
  EXPECT_EQ(M.get(0x1201f), 0u);
  EXPECT_EQ(M.get(0x12020), 0xffu);
  M.set(0x11800, 0x0f); // in the page that was all defined
  EXPECT_EQ(M.get(0x11800), 0x0fu);
  EXPECT_EQ(M.get(0x11801), 0u);
  M.forget(0x10010, 0x3000);
  EXPECT_EQ(M.get(0x10020), 0xffu);
}

TEST(DefinedMemory, IsBounded) {
  Blocks B;
  B.add(0x10000, 0x10000, Allocation::Device, {});
  DefinedMemory M(B, 2 * 4096);
  M.set(0x10000, 0);
  M.set(0x11000, 0);
  EXPECT_FALSE(M.isFull());
  M.set(0x12000, 0);
  EXPECT_TRUE(M.isFull());
  EXPECT_EQ(M.bytes(), M.limit());
  // What is around it may have been written as well.
  EXPECT_EQ(M.get(0x12000), 0u);
  EXPECT_EQ(M.get(0x12001), 0u);
  EXPECT_TRUE(M.isDefined(0x12000, 0x1000));
  EXPECT_EQ(M.get(0x10001), 0xffu);
  EXPECT_EQ(M.get(0x13000), 0xffu);
  M.define(0x13010, 0x10);
  EXPECT_EQ(M.get(0x13000), 0u);
  M.define(0x10000, 0x1000); // needs no bytes any more
  M.set(0x12000, 0xff);
  EXPECT_EQ(M.get(0x12000), 0xffu);
}

TEST(AccessShadow, IsBounded) {
  AccessShadow S(2 * 1024 / 4 * sizeof(Cell));
  Cell *First = S.at(0x1000);
  ASSERT_TRUE(First);
  First->Write.Wave = 3;
  EXPECT_TRUE(S.at(0x1400));
  EXPECT_FALSE(S.at(0x1800));
  EXPECT_EQ(S.at(0x1002)->Write.Wave, 3u);
  EXPECT_EQ(S.at(0x1004)->Write.Wave, 0u);
  S.clear();
  EXPECT_TRUE(S.at(0x1800));
}

TEST(AccessShadow, BytesOfOneDwordAreOfSeveralLanes) {
  Stamp First, Second, Third;
  First.Wave = Second.Wave = Third.Wave = 7;
  First.Lane = 4;
  First.Bytes = 1;
  Second.Lane = 5;
  Second.Bytes = 2;
  Third.Lane = 7;
  Third.Bytes = 8;
  Second.join(First);
  Third.join(Second);
  EXPECT_EQ(Third.Bytes, 11u);
  EXPECT_EQ(Third.laneOf(1), 4u);
  EXPECT_EQ(Third.laneOf(2), 5u);
  EXPECT_EQ(Third.laneOf(8), 7u);
  EXPECT_EQ(Third.laneOf(10), 5u); // the first of both
  Stamp Other = Third;             // another access
  Other.Bytes = 4;
  Other.Lane = 9;
  Other.Clock = 1;
  Other.join(Third);
  EXPECT_EQ(Other.Bytes, 4u);
  Stamp Far = Third; // too far to be kept
  Far.Bytes = 4;
  Far.Lane = 40;
  Far.join(Third);
  EXPECT_EQ(Far.Bytes, 4u);
}
