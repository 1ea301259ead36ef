//===-- SourceFileTest.cpp - files with relative names --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/SourceFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using wavelane::files::findSource;
using wavelane::files::findSourceFolder;

namespace {

class SourceFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::current_path(Before));
    SmallString<128> Made;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("sources", Made));
    ASSERT_FALSE(sys::fs::real_path(Made, Top));
    for (const char *Folder : {"/program", "/program/sub", "/here"})
      ASSERT_FALSE(sys::fs::create_directory(Top + Folder));
    write("/program/both.hip");
    write("/here/both.hip");
    write("/here/one.hip");
    write("/program/sub/deep.h");
    ASSERT_FALSE(sys::fs::set_current_path(Top + "/here"));
    Program = (Top + "/program/app").str();
  }
  void TearDown() override {
    sys::fs::set_current_path(Before);
    sys::fs::remove_directories(Top);
  }
  void write(const Twine &Name) {
    std::error_code Error;
    raw_fd_ostream((Top + Name).str(), Error) << "text";
    ASSERT_FALSE(Error);
  }
  std::string in(const Twine &Name) { return (Top + Name).str(); }

  SmallString<128> Before, Top;
  std::string Program;
};

TEST_F(SourceFileTest, ComesFromTheProgramsFolderFirst) {
  EXPECT_EQ(findSource("both.hip", Program), in("/program/both.hip"));
  EXPECT_EQ(findSource("./sub/../both.hip", Program), in("/program/both.hip"));
  EXPECT_EQ(findSource("sub/deep.h", Program), in("/program/sub/deep.h"));
  EXPECT_EQ(findSourceFolder("sub/deep.h", Program), in("/program"));
}

TEST_F(SourceFileTest, ComesFromTheCurrentFolderElse) {
  EXPECT_EQ(findSource("one.hip", Program), in("/here/one.hip"));
  EXPECT_EQ(findSource("both.hip", ""), in("/here/both.hip"));
  EXPECT_EQ(findSourceFolder("one.hip", Program), in("/here"));
}

TEST_F(SourceFileTest, OthersStayAsTheyAre) {
  EXPECT_EQ(findSource("none.hip", Program), "none.hip");
  EXPECT_EQ(findSource("sub", Program), "sub"); // a folder
  EXPECT_EQ(findSource("", Program), "");
  EXPECT_EQ(findSource("/no/such.hip", Program), "/no/such.hip");
  EXPECT_EQ(findSourceFolder(in("/here/one.hip"), Program), "");
  EXPECT_EQ(findSourceFolder("none.hip", Program), "");
}

} // namespace
