//===-- SourceTextTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check/SourceText.h"

#include <gtest/gtest.h>

using wavelane::check::accessedArray;

/// The array at the mark "^" of the second line.
static std::string at(llvm::StringRef Line, llvm::StringRef Mark) {
  return accessedArray(Line, unsigned(Mark.size())).Name.str();
}

TEST(SourceText, NameOfTheArrayThatIsRead) {
  EXPECT_EQ(at("  x = tile[i + 1] * 2;", "        ^"), "");
  EXPECT_EQ(at("  x = tile[i + 1] * 2;", "      ^"), "tile");
  EXPECT_EQ(at("  x = tile [i];", "      ^"), "tile");
  EXPECT_EQ(at("  x = a.tile[i];", "        ^"), "");
  EXPECT_EQ(at("  x = a->tile[i];", "         ^"), "");
  EXPECT_EQ(at("  x = N::tile[i];", "         ^"), "");
  EXPECT_EQ(at("  x = tile(i);", "      ^"), "");
  EXPECT_EQ(at("  x = tile;", "      ^"), "");
  EXPECT_EQ(at("  x = tile", "      ^"), "");
}

TEST(SourceText, AssignmentsAreAtTheirOperator) {
  EXPECT_EQ(at("  tile[i] = 3;", "          ^"), "tile");
  EXPECT_EQ(at("  tile[a[i]][f(j, k)] = 3;", "                      ^"),
            "tile");
  EXPECT_EQ(at("  tile[i] <<= 3;", "          ^"), "tile");
  EXPECT_EQ(at("  tile[i]++;", "         ^"), "tile");
  EXPECT_EQ(at("  ++tile[i];", "  ^"), "tile");
  EXPECT_EQ(at("  x = ++ tile[i];", "      ^"), "tile");
  EXPECT_EQ(at("  s.tile[i] = 3;", "            ^"), "");
  EXPECT_EQ(at("  tile[i] == 3;", "          ^"), "");
  EXPECT_EQ(at("  tile['['] = 3;", "            ^"), "");
  EXPECT_EQ(at("  i] = 3;", "     ^"), "");
  EXPECT_EQ(at("  x = 3;", "    ^"), "");
  EXPECT_EQ(at("  (p + 1)[i] = 3;", "             ^"), "");
  EXPECT_EQ(at("  *p = 3;", "     ^"), "");
}

TEST(SourceText, ColumnsOutsideOfTheLine) {
  EXPECT_EQ(accessedArray("tile[1]", 0).Name, "");
  EXPECT_EQ(accessedArray("tile[1]", 8).Name, "");
  EXPECT_EQ(accessedArray("", 1).Name, "");
  EXPECT_EQ(accessedArray("++", 1).Name, "");
}

TEST(SourceText, WhatIsDoneWithIt) {
  const auto Does = [](llvm::StringRef Line, unsigned Column) {
    const wavelane::check::ArrayAccess A = accessedArray(Line, Column);
    return std::string(A.Reads ? "r" : "") + (A.Writes ? "w" : "");
  };
  EXPECT_EQ(Does("a[1] = b[2]", 1), "r");
  EXPECT_EQ(Does("a[1] = b[2]", 6), "w");
  EXPECT_EQ(Does("a[1] += b[2]", 6), "rw");
  EXPECT_EQ(Does("a[1]--", 5), "rw");
  EXPECT_EQ(Does("--a[1]", 1), "rw");
}
