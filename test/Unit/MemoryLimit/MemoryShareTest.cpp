//===-- MemoryShareTest.cpp - control groups' limits, and our shares ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/MemoryLimit/MemoryShare.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace wavelane::memorylimit;
namespace fs = std::filesystem;

namespace {

class GroupLimit : public testing::Test {
protected:
  void SetUp() override {
    char Path[] = "/tmp/wavelane-groups-XXXXXX";
    ASSERT_NE(mkdtemp(Path), nullptr);
    Root = Path;
  }
  void TearDown() override { fs::remove_all(Root); }
  void limit(const std::string &Group, const char *File, const char *Value) {
    fs::create_directories(Root + Group);
    std::ofstream(Root + Group + "/" + File) << Value << '\n';
  }
  std::string Root;
};

TEST_F(GroupLimit, TheLowestOfAGroupAndThoseAroundIt) {
  limit("/a/b", "memory.max", "max");
  EXPECT_EQ(groupLimit("0::/a/b\n", Root), UINT64_MAX);
  limit("/a", "memory.max", "4096");
  EXPECT_EQ(groupLimit("0::/a/b\n", Root), 4096u);
  limit("/a/b", "memory.max", "1024");
  EXPECT_EQ(groupLimit("0::/a/b\n", Root), 1024u);
  EXPECT_EQ(groupLimit("0::/a\n", Root), 4096u);
}

TEST_F(GroupLimit, AContainerSeesItsOwnAsTheRoot) {
  limit("", "memory.max", "2048");
  EXPECT_EQ(groupLimit("0::/docker/5f\n", Root), 2048u);
  EXPECT_EQ(groupLimit("0::/\n", Root), 2048u);
}

TEST_F(GroupLimit, TheFirstVersion) {
  limit("/memory/a", "memory.limit_in_bytes", "512");
  EXPECT_EQ(groupLimit("5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n", Root), 512u);
  EXPECT_EQ(groupLimit("5:cpu,memory:/a\n", Root), 512u);
  EXPECT_EQ(groupLimit("5:memory_other:/a\n", Root), UINT64_MAX);
}

TEST_F(GroupLimit, WhatIsNoTableHasNone) {
  for (const char *Text : {"", ":", "0:", "\n\n", "0::", "::::"})
    EXPECT_EQ(groupLimit(Text, Root), UINT64_MAX);
}

TEST(Shares, NoneIsMoreThanMostOfTheMachine) {
  EXPECT_GT(machineMemory(), 0u);
  EXPECT_LT(mostOfMachine(), machineMemory());
  for (uint64_t Share : {deviceShare(), serverShare(), contentsShare()}) {
    EXPECT_GT(Share, 0u);
    EXPECT_LE(Share, mostOfMachine());
  }
  EXPECT_LE(serverShare(), deviceShare());
}

} // namespace
