//===-- RegularFileTest.cpp - pipes, devices and wrong sizes --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/RegularFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <sys/stat.h>

using namespace llvm;
using wavelane::files::mapRegular;
using wavelane::files::readRegular;

namespace {

class RegularFileTest : public testing::Test {
protected:
  void SetUp() override {
    int Fd;
    ASSERT_FALSE(sys::fs::createTemporaryFile("regular", "", Fd, Path));
    raw_fd_ostream(Fd, /*shouldClose=*/true) << "0123456789";
  }
  void TearDown() override { sys::fs::remove(Path); }

  SmallString<128> Path;
};

TEST_F(RegularFileTest, WholeAndParts) {
  EXPECT_EQ((*readRegular(Path))->getBuffer(), "0123456789");
  EXPECT_EQ((*readRegular(Path, 3))->getBuffer(), "3456789");
  EXPECT_EQ((*readRegular(Path, 3, 4))->getBuffer(), "3456");
  EXPECT_EQ((*readRegular(Path, 10, 0))->getBuffer(), "");
  EXPECT_EQ((*mapRegular(Path))->getBuffer(), "0123456789");
}

TEST_F(RegularFileTest, SizesBeyondTheFileAreErrors) {
  EXPECT_EQ(readRegular(Path, 3, 8).getError(), std::errc::result_out_of_range);
  EXPECT_EQ(readRegular(Path, 11).getError(), std::errc::result_out_of_range);
  EXPECT_EQ(readRegular(Path, ~uint64_t(0), ~uint64_t(0)).getError(),
            std::errc::result_out_of_range);
  // Sparse, so that no disk is needed.
  ASSERT_EQ(truncate(Path.c_str(), off_t(1) << 40), 0);
  EXPECT_EQ(readRegular(Path).getError(), std::errc::file_too_large);
  EXPECT_EQ((*mapRegular(Path))->getBuffer().take_front(11),
            StringRef("0123456789\0", 11));
}

TEST_F(RegularFileTest, WhatHasNoEndIsAnError) {
  auto Check = [](StringRef Name, std::errc Expected) {
    EXPECT_EQ(readRegular(Name).getError(), Expected);
    EXPECT_EQ(mapRegular(Name).getError(), Expected);
  };
  Check("/dev/zero", std::errc::invalid_argument);
  Check("/", std::errc::is_a_directory);
  Check("/nowhere", std::errc::no_such_file_or_directory);
  sys::fs::remove(Path);
  ASSERT_EQ(mkfifo(Path.c_str(), 0600), 0);
  Check(Path, std::errc::invalid_argument);
}

} // namespace
