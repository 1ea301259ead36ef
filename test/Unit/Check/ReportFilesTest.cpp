//===-- ReportFilesTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/ReportFiles.h"
#include "Simulator/Check/Options.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::check;

namespace {
class ReportFilesTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("report", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  std::string report() const {
    return (Folder + "/" + ReportPrefix + std::to_string(getpid()) + ".json")
        .str();
  }
  static std::string read(const std::string &Path) {
    auto Text = llvm::MemoryBuffer::getFile(Path);
    return Text ? (*Text)->getBuffer().str() : "(none)";
  }

  llvm::SmallString<64> Folder;
};
} // namespace

TEST_F(ReportFilesTest, TheReportIsLockedUntilItIsWritten) {
  ReportFiles Files(Folder.str().str());
  ASSERT_TRUE(Files.isAwaited());
  const int Fd = open(report().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(Fd, 0);
  EXPECT_EQ(flock(Fd, LOCK_EX | LOCK_NB), -1);
  EXPECT_EQ(errno, EWOULDBLOCK);
  Files.write(llvm::json::Object{{"a", 1}});
  EXPECT_FALSE(Files.isAwaited());
  EXPECT_EQ(flock(Fd, LOCK_EX | LOCK_NB), 0);
  close(Fd);
  EXPECT_EQ(read(report()), "{\"a\":1}\n");
  Files.write(llvm::json::Object{{"a", 2}});
  EXPECT_EQ(read(report()), "{\"a\":1}\n");
}

TEST_F(ReportFilesTest, EachFindingIsALine) {
  const std::string Path = (Folder + "/" + simulator::CheckFindingsFile).str();
  {
    const ReportFiles Files(Folder.str().str());
    Files.append(llvm::json::Object{{"id", 1}});
    Files.append("two\nlines");
  }
  EXPECT_EQ(read(Path), "{\"id\":1}\n\"two\\nlines\"\n");
  // A device that hasn't come to its report leaves an empty one.
  EXPECT_EQ(read(report()), "");
}

TEST_F(ReportFilesTest, WithoutAFolderNothingIsWritten) {
  for (const std::string &In : {std::string(), (Folder + "/missing").str()}) {
    ReportFiles Files(In);
    EXPECT_FALSE(Files.isAwaited());
    Files.append(llvm::json::Object{{"id", 1}});
    Files.write(llvm::json::Object{{"a", 1}});
    EXPECT_FALSE(llvm::sys::fs::exists(Folder + "/missing"));
  }
}
