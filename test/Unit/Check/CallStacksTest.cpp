//===-- CallStacksTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/CallStacks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace wavelane::check;
using testing::ElementsAre;

TEST(CallStacks, CallsAndReturns) {
  CallStacks C;
  const uint32_t One = C.push(0, 0x100), Two = C.push(One, 0x200);
  EXPECT_THAT(C.returns(Two), ElementsAre(0x200, 0x100));
  EXPECT_EQ(C.push(One, 0x200), Two);
  EXPECT_EQ(C.pop(Two, 0x200), One);
  EXPECT_EQ(C.pop(One, 0x100), 0u);
  // A jump to another function: its caller is the same.
  EXPECT_EQ(C.pop(Two, 0x300), Two);
  // A return across a function.
  EXPECT_EQ(C.pop(Two, 0x100), 0u);
}

TEST(CallStacks, StacksWithoutEndAreBounded) {
  CallStacks C;
  uint32_t S = 0;
  for (int I = 0; I < 100000; ++I)
    S = C.push(S, 0x100);
  EXPECT_EQ(C.returns(S).size(), 64u);
  EXPECT_EQ(C.key(S), C.key(C.push(0, 0x100)));
  for (uint64_t I = 1; I < 100000; ++I)
    C.push(0, 0x1000 + I);
  EXPECT_EQ(C.push(0, 7), 0u);
}
