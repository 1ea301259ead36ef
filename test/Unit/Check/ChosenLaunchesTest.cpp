//===-- ChosenLaunchesTest.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/ChosenLaunches.h"

#include <gtest/gtest.h>

using namespace wavelane::check;

namespace {
/// The launch of a kernel.
Launch launch(ChosenLaunches &All, const std::string &Name,
              bool IsRuntimes = false) {
  Launch L;
  L.IsRuntimes = IsRuntimes;
  All.add(L, [&] { return Name; });
  return L;
}
} // namespace

TEST(ChosenLaunches, AllWithoutAChoice) {
  ChosenLaunches All{Options()};
  EXPECT_TRUE(launch(All, "a").IsChecked);
  EXPECT_EQ(launch(All, "b").Number, 2u);
  EXPECT_EQ(All.count(), 2u);
  EXPECT_EQ(All.describeLeftOut(), "");
}

TEST(ChosenLaunches, ARuntimesKernelsHaveNumbersOfTheirOwn) {
  Options O;
  O.Launches = {{2, 2}};
  O.Kernel = "sum";
  ChosenLaunches All(O);
  EXPECT_FALSE(launch(All, "sum").IsChecked);
  const Launch Copy = launch(All, "copy", /*IsRuntimes=*/true);
  EXPECT_TRUE(Copy.IsChecked);
  EXPECT_EQ(Copy.Number, uint64_t(1) << 63 | 1);
  const Launch Second = launch(All, "sum");
  EXPECT_EQ(Second.Number, 2u);
  EXPECT_TRUE(Second.IsChecked);
  EXPECT_EQ(All.count(), 2u);
  EXPECT_EQ(All.describeLeftOut(),
            "1 of 2 launches, by --kernel and --launches");
}

TEST(ChosenLaunches, ByKernelAndByNumber) {
  Options O;
  O.Kernel = "^s.*m$";
  ChosenLaunches ByKernel(O);
  EXPECT_TRUE(launch(ByKernel, "sum").IsChecked);
  EXPECT_FALSE(launch(ByKernel, "sums").IsChecked);
  EXPECT_EQ(ByKernel.describeLeftOut(), "1 of 2 launches, by --kernel");
  O.Kernel.clear();
  O.Launches = {{1, 1}, {3, 4}};
  ChosenLaunches ByNumber(O);
  std::string Chosen;
  for (unsigned N = 0; N < 5; ++N)
    Chosen += launch(ByNumber, "k").IsChecked ? 'y' : 'n';
  EXPECT_EQ(Chosen, "ynyyn");
  EXPECT_EQ(ByNumber.describeLeftOut(), "2 of 5 launches, by --launches");
}
