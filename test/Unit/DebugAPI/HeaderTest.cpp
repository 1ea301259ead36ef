//===-- HeaderTest.cpp - our declarations beside AMD's header -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeaderFacts.h"
#include "gtest/gtest.h"

TEST(Header, DeclaresWhatAMDsHeaderDoes) {
  const HeaderFacts own = readOwnHeader(), amd = readAMDHeader();
  EXPECT_GT(own.numbers.size(), 200u);
  EXPECT_GT(own.functions.size(), 60u);
  for (const auto &[name, number] : own.numbers)
    EXPECT_EQ(number, amd.numbers.at(name)) << name;
  for (const auto &[name, type] : own.functions)
    EXPECT_EQ(type, amd.functions.at(name)) << name;
}
