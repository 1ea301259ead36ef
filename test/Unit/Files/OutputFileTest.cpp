//===-- OutputFileTest.cpp - what an output may be ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace llvm;
using wavelane::files::OutputFile;
using wavelane::files::writeOutput;

namespace {

/// \return The error's text; empty if there is none.
std::string write(StringRef Path, StringRef Text) {
  return toString(writeOutput(Path, [&](raw_ostream &Out) { Out << Text; }));
}

class OutputFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("output", Folder));
    Path = (Folder + "/out").str();
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  static std::string read(StringRef Path) {
    auto Buffer = MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : "unreadable";
  }
  static mode_t mode(StringRef Path) {
    struct stat Info;
    return ::lstat(Path.str().c_str(), &Info) == 0 ? Info.st_mode : 0;
  }
  unsigned countFiles() const {
    std::error_code Error;
    unsigned Count = 0;
    for (sys::fs::directory_iterator I(Folder, Error), End; I != End && !Error;
         I.increment(Error))
      ++Count;
    return Count;
  }

  SmallString<128> Folder;
  std::string Path;
};

TEST_F(OutputFileTest, ANewFileIsItsOwnersAlone) {
  const mode_t Old = ::umask(0);
  EXPECT_EQ(write(Path, "text"), "");
  ::umask(Old);
  EXPECT_EQ(read(Path), "text");
  EXPECT_EQ(mode(Path), mode_t(S_IFREG | 0600));
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFileTest, AnOlderFileStaysUntilTheNewOneIsComplete) {
  ASSERT_EQ(write(Path, "old"), "");
  ASSERT_EQ(::chmod(Path.c_str(), 0644), 0);
  {
    auto Output = OutputFile::create(Path);
    ASSERT_TRUE(bool(Output)) << toString(Output.takeError());
    ASSERT_EQ(::write(Output->descriptor(), "half", 4), 4);
    EXPECT_EQ(read(Path), "old");
  }
  EXPECT_EQ(read(Path), "old");
  EXPECT_EQ(countFiles(), 1u);
  EXPECT_EQ(write(Path, "new"), "");
  EXPECT_EQ(read(Path), "new");
  EXPECT_EQ(mode(Path), mode_t(S_IFREG | 0644));
}

TEST_F(OutputFileTest, ALinkIsFollowed) {
  const std::string Link = (Folder + "/link").str();
  ASSERT_EQ(::symlink("out", Link.c_str()), 0);
  EXPECT_EQ(write(Link, "text"), Link + ": No such file or directory");
  ASSERT_EQ(write(Path, "old"), "");
  EXPECT_EQ(write(Link, "new"), "");
  EXPECT_EQ(read(Path), "new");
  EXPECT_TRUE(S_ISLNK(mode(Link)));
}

TEST_F(OutputFileTest, ADeviceStaysADevice) {
  EXPECT_EQ(write("/dev/null", "text"), "");
  EXPECT_TRUE(S_ISCHR(mode("/dev/null")));
  EXPECT_EQ(write("/dev/full", "text"), "/dev/full: No space left on device");
  EXPECT_TRUE(S_ISCHR(mode("/dev/full")));
}

TEST_F(OutputFileTest, APipeNeedsAReader) {
  ASSERT_EQ(::mkfifo(Path.c_str(), 0600), 0);
  EXPECT_EQ(write(Path, "text"), Path + ": Broken pipe");
  const int Reader = ::open(Path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(Reader, 0);
  EXPECT_EQ(write(Path, "text"), "");
  char Text[5] = {};
  EXPECT_EQ(::read(Reader, Text, 4), 4);
  EXPECT_STREQ(Text, "text");
  ::close(Reader);
  EXPECT_TRUE(S_ISFIFO(mode(Path)));
}

TEST_F(OutputFileTest, ADescriptorOfThisProcessIsWrittenTo) {
  const int Fd = ::open(Path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(Fd, 0);
  ASSERT_EQ(::write(Fd, "first ", 6), 6);
  EXPECT_EQ(write("/dev/fd/" + std::to_string(Fd), "second"), "");
  EXPECT_EQ(read(Path), "first second");
  ::close(Fd);
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOlderFile) {
  ASSERT_EQ(write(Path, "old"), "");
  const auto Handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit Old;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &Old), 0);
  rlimit Small = Old;
  Small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &Small), 0);
  const std::string Failed = write(Path, std::string(100000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &Old), 0);
  ::signal(SIGXFSZ, Handler);
  EXPECT_EQ(Failed, Path + ": File too large");
  EXPECT_EQ(read(Path), "old");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFileTest, AFolderIsRefused) {
  EXPECT_EQ(write(Folder, "text"), Folder.str().str() + ": Is a directory");
  EXPECT_EQ(write("/nowhere/out", "text"),
            "/nowhere/out: No such file or directory");
}

} // namespace
