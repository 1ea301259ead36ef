//===-- BlocksTest.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/Blocks.h"
#include "Simulator/Check/MemoryCheck.h"

#include <gmock/gmock.h>

using namespace wavelane::check;

TEST(Blocks, FindsTheLastByteAndNotTheNext) {
  Blocks B;
  B.add(0x1000, 100, Allocation::Device, {});
  EXPECT_EQ(B.find(0xfff), nullptr);
  ASSERT_NE(B.find(0x1000), nullptr);
  ASSERT_NE(B.find(0x1063), nullptr);
  EXPECT_EQ(B.find(0x1064), nullptr);
}

TEST(Blocks, RemembersFreedMemoryUntilItIsUsedAgain) {
  Blocks B;
  B.add(0x1000, 64, Allocation::Device, {1});
  ASSERT_TRUE(B.remove(0x1000, {2}));
  EXPECT_EQ(B.find(0x1000), nullptr);
  const AllocationRef Freed = B.findFreed(0x103f);
  ASSERT_TRUE(Freed);
  EXPECT_THAT(Freed->Made, testing::ElementsAre(1));
  EXPECT_THAT(Freed->Freed, testing::ElementsAre(2));
  B.add(0x1020, 64, Allocation::Device, {});
  EXPECT_FALSE(B.findFreed(0x1000)) << "its second half is in use";
  EXPECT_FALSE(B.remove(0x1000, {}));
}

TEST(Blocks, NearestIsTheProgramsOwn) {
  Blocks B;
  B.add(0x1000, 64, Allocation::Device, {});
  B.add(0x1100, 64, Allocation::Internal, {});
  B.add(0x4000, 64, Allocation::Host, {});
  EXPECT_EQ(B.nearest(0x1180)->Address, 0x1000u);
  EXPECT_EQ(B.nearest(0x3fff)->Address, 0x4000u);
  EXPECT_EQ(B.nearest(0)->Address, 0x1000u);
}

TEST(Blocks, SaysWhereAnAddressIs) {
  Allocation A;
  A.Address = 0x1000;
  A.Size = 1;
  EXPECT_EQ(whereFrom(A, 0xfff),
            "1 byte before 1 byte of device memory at 0x1000");
  EXPECT_EQ(whereFrom(A, 0x1001),
            "0 bytes after the end of 1 byte of device memory at 0x1000");
}
