//===-- SourceTextTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/SourceText.h"

#include <gtest/gtest.h>

using wavelane::check::accessedArray;

/// The array at the mark "^" of the second line.
static std::string at(llvm::StringRef Line, llvm::StringRef Mark) {
  return accessedArray(Line, unsigned(Mark.size())).Name;
}

TEST(SourceText, NameOfTheArrayThatIsRead) {
  EXPECT_EQ(at("  x = tile[i + 1] * 2;", "        ^"), "");
  EXPECT_EQ(at("  x = tile[i + 1] * 2;", "      ^"), "tile");
  EXPECT_EQ(at("  x = tile [i];", "      ^"), "tile");
  EXPECT_EQ(at("  x = a.tile[i];", "        ^"), "a.tile");
  EXPECT_EQ(at("  x = a.b.tile[i];", "          ^"), "a.b.tile");
  EXPECT_EQ(at("  x = a . tile[i];", "          ^"), "");
  EXPECT_EQ(at("  x = p->a.tile[i];", "           ^"), "");
  EXPECT_EQ(at("  x = N::a.tile[i];", "           ^"), "");
  EXPECT_EQ(at("  x = f().tile[i];", "          ^"), "");
  EXPECT_EQ(at("  x = a[1].tile[i];", "           ^"), "a[].tile");
  EXPECT_EQ(at("  x = a[f(1)][2].b.x + 1;", "                 ^"), "a[].b.x");
  EXPECT_EQ(at("  x = a[1].b[2].x;", "                ^"), "a[].b[].x");
  EXPECT_EQ(at("  x = a[1].f();", "           ^"), "");
  EXPECT_EQ(at("  x = a.y;", "        ^"), "");
  EXPECT_EQ(at("  x = f()[1].y;", "             ^"), "");
  EXPECT_EQ(at("  x = p->a[1].y;", "              ^"), "");
  EXPECT_EQ(at("  x = a[1]->y;", "            ^"), "");
  EXPECT_EQ(at("  x = ].y;", "        ^"), "");
  EXPECT_EQ(at("  x = 1.tile[i];", "        ^"), "");
  EXPECT_EQ(at("  x = a.b.tile[i];", "      ^"), "a.b.tile");
  EXPECT_EQ(at("  x = a.tile(i);", "      ^"), "");
  EXPECT_EQ(at("  x = a..tile[i];", "      ^"), "");
  EXPECT_EQ(at("  x = a.", "      ^"), "");
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
  EXPECT_EQ(at("  s.tile[i] = 3;", "            ^"), "s.tile");
  EXPECT_EQ(at("  s[0].tile[i] = 3;", "               ^"), "s[].tile");
  EXPECT_EQ(at("  s[0].x = 3;", "         ^"), "s[].x");
  EXPECT_EQ(at("  s[0].x += 3;", "         ^"), "s[].x");
  EXPECT_EQ(at("  s[0].x == 3;", "         ^"), "");
  EXPECT_EQ(at("  tile[i] == 3;", "          ^"), "");
  EXPECT_EQ(at("  tile['['] = 3;", "            ^"), "");
  EXPECT_EQ(at("  i] = 3;", "     ^"), "");
  EXPECT_EQ(at("  x = 3;", "    ^"), "");
  EXPECT_EQ(at("  (p + 1)[i] = 3;", "             ^"), "");
  EXPECT_EQ(at("  *p = 3;", "     ^"), "");
}

TEST(SourceText, NameOfTheVariableThatIsRead) {
  using wavelane::check::readVariable;
  EXPECT_EQ(readVariable("x = data[0];", 5), "data");
  EXPECT_EQ(readVariable("x = *data;", 5), "data");
  EXPECT_EQ(readVariable("x = *data++;", 5), "data");
  EXPECT_EQ(readVariable("data[0] = 1;", 9), "");
  EXPECT_EQ(readVariable("x = *data[0];", 5), "");
  EXPECT_EQ(readVariable("x = *data(0);", 5), "");
  EXPECT_EQ(readVariable("x = *a.data;", 5), "");
  EXPECT_EQ(readVariable("x = *a->data;", 5), "");
  EXPECT_EQ(readVariable("x = *N::data;", 5), "");
  EXPECT_EQ(readVariable("x = **data;", 5), "");
  EXPECT_EQ(readVariable("x = *2;", 5), "");
  EXPECT_EQ(readVariable("*", 1), "");
  EXPECT_EQ(readVariable("*data", 0), "");
  EXPECT_EQ(readVariable("*data", 6), "");
}

TEST(SourceText, NameOfTheVariableThatIsWritten) {
  using wavelane::check::writtenVariable;
  EXPECT_EQ(writtenVariable("data[0] = 1;", 9), "data");
  EXPECT_EQ(writtenVariable("*data = 1;", 7), "data");
  EXPECT_EQ(writtenVariable("data = 1;", 6), "");
  EXPECT_EQ(writtenVariable("**data = 1;", 8), "");
  EXPECT_EQ(writtenVariable("*a.data = 1;", 9), "a.data");
  EXPECT_EQ(writtenVariable("x = data[0];", 5), "");
  EXPECT_EQ(writtenVariable("=", 1), "");
  EXPECT_EQ(writtenVariable("*data = 1;", 0), "");
  EXPECT_EQ(writtenVariable("*data = 1;", 11), "");
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
