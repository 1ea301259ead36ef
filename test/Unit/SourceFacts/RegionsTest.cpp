//===-- RegionsTest.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether one line of a source is executed whenever another is.
//===----------------------------------------------------------------------===//

#include "wavelane/SourceFacts/Regions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::source;

namespace {

class RegionsTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("regions", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  void read(StringRef Name, StringRef Text) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    std::error_code Error;
    raw_fd_ostream(Path, Error) << Text;
    Request From;
    From.How = {{"/usr/bin/clang++"}, std::string(Folder), /*IsKnown=*/false};
    From.File = File = std::string(Path);
    From.ResourceFolder = RESOURCE_FOLDER;
    From.IsAsCompiled = [](StringRef, StringRef) { return true; };
    Expected<std::unique_ptr<Regions>> Read = Regions::read(From);
    ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
    Found = std::move(*Read);
  }
  std::string compare(unsigned From, unsigned To) const {
    return Found->compare(File, From, To).value_or("unknown");
  }

  SmallString<128> Folder;
  std::string File;
  std::unique_ptr<Regions> Found;
};

TEST_F(RegionsTest, Branches) {
  read("a.cpp", "int f(int n) {\n"    // 1
                "  if (n == 1) {\n"   // 2
                "    n = 2;\n"        // 3
                "    // nothing\n"    // 4
                "  } else if (n) {\n" // 5
                "    n = 3;\n"        // 6
                "  } else\n"          // 7
                "    n = 4;\n"        // 8
                "\n"                  // 9
                "  return n;\n"       // 10
                "}\n");
  EXPECT_EQ(compare(3, 4), "");
  EXPECT_EQ(compare(3, 5), "after the 'if' of line 2");
  EXPECT_EQ(compare(3, 6), "in the 'if' of line 5");
  EXPECT_EQ(compare(6, 8), "in the 'else' of line 7");
  EXPECT_EQ(compare(8, 10), "after the 'else' of line 5");
  EXPECT_EQ(compare(9, 10), "");
  EXPECT_EQ(compare(1, 2), "");
  // A line with a brace leads into what it begins.
  EXPECT_EQ(compare(5, 6), "");
  EXPECT_EQ(compare(7, 8), "");
}

TEST_F(RegionsTest, Loops) {
  read("a.c", "void g(int);\n"                    // 1
              "void f(int n) {\n"                 // 2
              "  for (int i = 0; i < n; i++) {\n" // 3
              "    g(i);\n"                       // 4
              "    // nothing\n"                  // 5
              "  }\n"                             // 6
              "  do {\n"                          // 7
              "    g(n);\n"                       // 8
              "\n"                                // 9
              "  } while (n--);\n"                // 10
              "  while (n)\n"                     // 11
              "    n--;\n"                        // 12
              "  g(2);\n"                         // 13
              "}\n");
  EXPECT_EQ(compare(5, 6), "");
  EXPECT_EQ(compare(5, 7), "after the loop of line 3");
  EXPECT_EQ(compare(5, 8), "in the loop of line 7");
  EXPECT_EQ(compare(9, 10), "");
  EXPECT_EQ(compare(12, 13), "after the loop of line 11");
}

TEST_F(RegionsTest, CasesAndHandlers) {
  read("a.cpp", "int f(int n) {\n"    // 1
                "  switch (n) {\n"    // 2
                "  case 1:\n"         // 3
                "    n = 2;\n"        // 4
                "    break;\n"        // 5
                "  default:\n"        // 6
                "    n = 3;\n"        // 7
                "  }\n"               // 8
                "  try {\n"           // 9
                "    n = f(n);\n"     // 10
                "  } catch (int) {\n" // 11
                "    n = 4;\n"        // 12
                "  }\n"               // 13
                "  return n;\n"       // 14
                "}\n");
  EXPECT_EQ(compare(4, 5), "");
  EXPECT_EQ(compare(4, 7), "in the 'case' of line 6");
  EXPECT_EQ(compare(7, 9), "after the 'case' of line 6");
  EXPECT_EQ(compare(10, 12), "in the 'catch' of line 11");
}

TEST_F(RegionsTest, Functions) {
  read("a.cpp", "template <typename T>\n"           // 1
                "T f(T n) {\n"                      // 2
                "  return n;\n"                     // 3
                "}\n"                               // 4
                "\n"                                // 5
                "int g(int n) {\n"                  // 6
                "  auto twice = [&](int m) {\n"     // 7
                "    n += m;\n"                     // 8
                "    return 2 * m;\n"               // 9
                "  };\n"                            // 10
                "  return twice(n);\n"              // 11
                "}\n"                               // 12
                "int h(int n) { return g(n); }\n"); // 13
  EXPECT_EQ(compare(1, 3), "");
  EXPECT_EQ(compare(3, 6), "in the function g");
  EXPECT_EQ(compare(5, 6), "in the function g");
  EXPECT_EQ(compare(9, 11), "after the lambda of line 7");
  EXPECT_EQ(compare(11, 13), "in the function h");
}

TEST_F(RegionsTest, Counters) {
  read("a.c", "void f(int *p, int n) {\n"                     // 1
              "  int s = 0, unused = 0;\n"                    // 2
              "  for (int i = 0, k = 9; i < n; i++, k--) {\n" // 3
              "    p[i] = k;\n"                               // 4
              "    if (n)\n"                                  // 5
              "      unused++;\n"                             // 6
              "    for (int j = 0; j < 4; ++j)\n"             // 7
              "      s += p[j];\n"                            // 8
              "  }\n"                                         // 9
              "  while (n--)\n"                               // 10
              "    p[n] = s;\n"                               // 11
              "}\n");
  EXPECT_TRUE(Found->counts(File, "i", 3, {3, 4}));
  EXPECT_TRUE(Found->counts(File, "k", 3, {4}));
  EXPECT_FALSE(Found->counts(File, "i", 4, {3, 4})); // another i
  EXPECT_FALSE(Found->counts(File, "unused", 2, {3, 4, 6}));
  EXPECT_TRUE(Found->counts(File, "i", 0, {3, 4}));
  // The code of the inner loop alone.
  EXPECT_FALSE(Found->counts(File, "i", 3, {7, 8}));
  EXPECT_TRUE(Found->counts(File, "j", 7, {7, 8}));
  EXPECT_TRUE(Found->counts(File, "s", 2, {8}));
  // Each round of the outer loop's code has all of the inner one's.
  EXPECT_FALSE(Found->counts(File, "j", 7, {3, 4, 7, 8}));
  EXPECT_TRUE(Found->counts(File, "i", 3, {3, 4, 7, 8}));
  EXPECT_TRUE(Found->counts(File, "n", 1, {10, 11}));
  EXPECT_FALSE(Found->counts(File, "n", 1, {3, 4}));
  EXPECT_FALSE(Found->counts("other.c", "i", 3, {3, 4}));
  const Counter *C = Found->findCounter(File, "k", 3, 8);
  ASSERT_TRUE(C);
  EXPECT_EQ(C->Step, -1);
  C = Found->findCounter(File, "s", 2, 8);
  ASSERT_TRUE(C);
  EXPECT_EQ(C->Step, 0);
  EXPECT_FALSE(Found->findCounter(File, "s", 2, 4));
}

TEST_F(RegionsTest, RoundsOfALoop) {
  read("a.c", "void f(int *p, int n) {\n"           // 1
              "  for (int i = 0; i < n; i++) {\n"   // 2
              "    p[i] = n;\n"                     // 3
              "    if (n == 1)\n"                   // 4
              "      p[i]++;\n"                     // 5
              "    for (int j = 0; j < 4; ++j) {\n" // 6
              "      if (j == n)\n"                 // 7
              "        break;\n"                    // 8
              "      p[i] += j;\n"                  // 9
              "      n++;\n"                        // 10
              "    }\n"                             // 11
              "    p[0] = i;\n"                     // 12
              "  }\n"                               // 13
              "  do {\n"                            // 14
              "    if (n == 3)\n"                   // 15
              "      return;\n"                     // 16
              "    p[n] = 1;\n"                     // 17
              "    n--;\n"                          // 18
              "  } while (n);\n"                    // 19
              "}\n");
  auto isDue = [&](unsigned From, unsigned To) {
    return Found->isDueInRound(File, From, To);
  };
  EXPECT_TRUE(isDue(3, 12));
  EXPECT_TRUE(isDue(12, 3));
  EXPECT_FALSE(isDue(3, 5)); // in the branch
  EXPECT_FALSE(isDue(3, 9)); // in another loop
  EXPECT_TRUE(isDue(9, 10)); // rounds that end early come to neither
  EXPECT_TRUE(isDue(17, 18));
  EXPECT_FALSE(isDue(7, 9)); // the round may end between them
  EXPECT_FALSE(isDue(15, 17));
  EXPECT_TRUE(isDue(9, 7));
  EXPECT_FALSE(isDue(2, 3)); // the head is executed once more
  EXPECT_FALSE(Found->isDueInRound("other.c", 3, 12));
}

TEST_F(RegionsTest, RoundsThatEndAtJumps) {
  read("a.c", "void f(int *p, int n) {\n"         // 1
              "  for (;;) {\n"                    // 2
              "    p[0]++;\n"                     // 3
              "    switch (n) {\n"                // 4
              "    case 1:\n"                     // 5
              "      break;\n"                    // 6
              "    }\n"                           // 7
              "    for (int j = 0; j < n; ++j)\n" // 8
              "      if (p[j])\n"                 // 9
              "        break;\n"                  // 10
              "    p[1]++;\n"                     // 11
              "    if (p[1] == n) break;\n"       // 12
              "    p[2]++;\n"                     // 13
              "    if (p[2] == n) goto out;\n"    // 14
              "    p[3]++;\n"                     // 15
              "  }\n"                             // 16
              "out:\n"                            // 17
              "  while (n--) {\n"                 // 18
              "    p[4]++;\n"                     // 19
              "  again:\n"                        // 20
              "    p[5]++;\n"                     // 21
              "    if (p[6]++)\n"                 // 22
              "      goto again;\n"               // 23
              "  }\n"                             // 24
              "}\n");
  auto isDue = [&](unsigned From, unsigned To) {
    return Found->isDueInRound(File, From, To);
  };
  EXPECT_TRUE(isDue(3, 11)); // the jumps end a switch and another loop
  EXPECT_FALSE(isDue(11, 13));
  EXPECT_FALSE(isDue(12, 13)); // the jump's line itself
  EXPECT_TRUE(isDue(11, 12));
  EXPECT_FALSE(isDue(13, 15));
  EXPECT_TRUE(isDue(15, 3));
  EXPECT_FALSE(isDue(21, 19)); // round again without it
}

// What the source includes, or its macros, may not be known.
TEST_F(RegionsTest, SourceWithErrors) {
  read("a.cpp", "#include \"missing.h\"\n" // 1
                "int f(int n) {\n"         // 2
                "  if (n == UNKNOWN) {\n"  // 3
                "    n = 2;\n"             // 4
                "  } else {\n"             // 5
                "    n = missing(n);\n"    // 6
                "  }\n"                    // 7
                "  return n;\n"            // 8
                "}\n");
  EXPECT_EQ(compare(4, 6), "in the 'else' of line 5");
}

} // namespace
