//===-- CommandTest.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/SourceFacts/Command.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace wavelane::source;

static std::vector<std::string> makeCommand(std::vector<std::string> Words) {
  Words.insert(Words.begin(), "/usr/bin/clang++");
  auto Made = makeParseCommand({Words, "/work", true}, "a.hip", "gfx1100", 32,
                               "/resources");
  if (Made)
    return *Made;
  return {"error: " + llvm::toString(Made.takeError())};
}

static bool has(const std::vector<std::string> &Words, llvm::StringRef Word) {
  return llvm::is_contained(Words, Word.str());
}

TEST(Command, IsFoundInTheProducer) {
  auto Found = findRecordedCommand(
      "Debian clang version 19.1.7 (3~deb12u1) /usr/lib/llvm-19/bin/clang "
      "--driver-mode=g++ -D NAME=a\\ b m.hip");
  ASSERT_TRUE(Found);
  EXPECT_EQ(*Found, (std::vector<std::string>{"/usr/lib/llvm-19/bin/clang",
                                              "--driver-mode=g++", "-D",
                                              "NAME=a b", "m.hip"}));
  EXPECT_FALSE(findRecordedCommand("Debian clang version 19.1.7 (3~deb12u1)"));
  EXPECT_FALSE(findRecordedCommand("GNU C++17 12.2.0 -mtune=generic"));
  EXPECT_FALSE(findRecordedCommand(""));
}

TEST(Command, KeepsWhatSaysWhatSourceMeans) {
  const auto Words =
      makeCommand({"-DN=3", "-I", "include", "-std=c++20", "-O2", "-ffast-math",
                   "-Xarch_device", "-DDEVICE", "-Xarch_host", "-DHOST",
                   "--offload-arch=gfx90a", "b.hip"});
  for (const char *Word :
       {"N=3", "include", "-std=c++20", "-O2", "-ffast-math", "DEVICE",
        "--offload-arch=gfx1100", "-D__AMDGCN_WAVEFRONT_SIZE=32", "a.hip"})
    EXPECT_TRUE(has(Words, Word)) << Word;
  for (const char *Word : {"HOST", "--offload-arch=gfx90a", "b.hip"})
    EXPECT_FALSE(has(Words, Word)) << Word;
}

// Debug information may be hostile.
TEST(Command, NeitherWritesFilesNorLoadsCode) {
  const auto Words = makeCommand(
      {"-o", "out", "-MD", "-MF", "deps", "-fplugin=evil.so",
       "-fpass-plugin=evil.so", "-ftime-trace=trace", "-save-temps",
       "-fmodules-cache-path=cache", "-mllvm", "-load=evil.so", "-c"});
  for (const char *Word :
       {"out", "deps", "-fplugin=evil.so", "-fpass-plugin=evil.so",
        "-ftime-trace=trace", "-save-temps", "-fmodules-cache-path=cache",
        "-load=evil.so", "-c"})
    EXPECT_FALSE(has(Words, Word)) << Word;
  EXPECT_EQ(makeCommand({"-Xclang", "-load", "-Xclang", "evil.so"}).front(),
            "error: it was compiled with -Xclang -load");
}
