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

/// "in" for one subscript, "in 2" for another number of them, "in moves", "in
/// with x" for an array of that name.
static std::string pointer(const wavelane::check::PointerAccess &A) {
  return A.Name + (A.Subscripts < 2 ? "" : " " + std::to_string(A.Subscripts)) +
         (A.Moves ? " moves" : "") +
         (A.Array.empty() ? "" : " with " + A.Array);
}

TEST(SourceText, PointerThatIsRead) {
  const auto Read = [](llvm::StringRef Line, unsigned Column) {
    return pointer(wavelane::check::readPointer(Line, Column));
  };
  EXPECT_EQ(Read("x = in[0];", 5), "in");
  EXPECT_EQ(Read("x = s.in[0];", 5), "s.in");
  EXPECT_EQ(Read("x = in[i][a[j]] + b[1];", 5), "in 2");
  EXPECT_EQ(Read("x = in[i][a[j]] + b[1];", 11), "a");
  EXPECT_EQ(Read("x = in[i].y;", 11), "in");
  EXPECT_EQ(Read("x = in[i].y[2];", 11), "in with y");
  EXPECT_EQ(Read("x = in->y;", 9), "in");
  EXPECT_EQ(Read("x = in->y.z;", 11), "in");
  EXPECT_EQ(Read("x = in->y[2];", 9), "in with y");
  EXPECT_EQ(Read("x = in->y[2];", 5), "in with y");
  EXPECT_EQ(Read("x = in->y;", 5), "");
  EXPECT_EQ(Read("x = in[1].y[2];", 5), "in with y");
  EXPECT_EQ(Read("x = in[3]->y;", 12), "");
  EXPECT_EQ(Read("x = *in;", 5), "in");
  EXPECT_EQ(Read("x = *in++;", 5), "in moves");
  EXPECT_EQ(Read("x = *s.in;", 5), "s.in");
  EXPECT_EQ(Read("x = *(in + 1);", 5), "in");
  EXPECT_EQ(Read("x = *(in - i);", 5), "in");
  EXPECT_EQ(Read("x = *(in++);", 5), "");
  EXPECT_EQ(Read("x = *(in[1]);", 5), "");
  EXPECT_EQ(Read("x = *in[0];", 5), "");
  EXPECT_EQ(Read("x = *in(0);", 5), "");
  EXPECT_EQ(Read("x = *in->data;", 5), "");
  EXPECT_EQ(Read("x = *N::in;", 5), "");
  EXPECT_EQ(Read("x = N::in[1];", 8), "");
  EXPECT_EQ(Read("x = **in;", 5), "");
  EXPECT_EQ(Read("x = *2;", 5), "");
  EXPECT_EQ(Read("in[0] = 1;", 7), "");
  EXPECT_EQ(Read("in[0] += 1;", 7), "in");
  EXPECT_EQ(Read("*in += 1;", 5), "in");
  EXPECT_EQ(Read("++in[0];", 1), "in");
  EXPECT_EQ(Read("in[0]--;", 6), "in");
  EXPECT_EQ(Read("x = f(1);", 5), "");
  EXPECT_EQ(Read("x = in[0", 5), "");
  EXPECT_EQ(Read("x = in['['];", 5), "");
  EXPECT_EQ(Read("*", 1), "");
  EXPECT_EQ(Read("*in", 0), "");
  EXPECT_EQ(Read("*in", 4), "");
}

TEST(SourceText, PointerThatIsWritten) {
  const auto Written = [](llvm::StringRef Line, unsigned Column) {
    return pointer(wavelane::check::writtenPointer(Line, Column));
  };
  EXPECT_EQ(Written("out[0] = 1;", 8), "out");
  EXPECT_EQ(Written("out[i][j] = 1;", 11), "out 2");
  EXPECT_EQ(Written("out[i].x = 1;", 10), "out");
  EXPECT_EQ(Written("out[i].x.y <<= 1;", 12), "out");
  EXPECT_EQ(Written("out[i]->x = 1;", 11), "");
  EXPECT_EQ(Written("s.out[i].x = 1;", 12), "s.out");
  EXPECT_EQ(Written("s[1].out[i] = 1;", 13), "s with out");
  EXPECT_EQ(Written("s[1].a[2].out[i] = 1;", 18), "");
  EXPECT_EQ(Written("out->x = 1;", 8), "out");
  EXPECT_EQ(Written("out->x.y = 1;", 10), "out");
  EXPECT_EQ(Written("out->x[2] = 1;", 11), "out with x");
  EXPECT_EQ(Written("*out = 1;", 6), "out");
  EXPECT_EQ(Written("*s.out = 1;", 8), "s.out");
  EXPECT_EQ(Written("*out++ = 1;", 8), "out moves");
  EXPECT_EQ(Written("*(out + i) = 1;", 12), "out");
  EXPECT_EQ(Written("out = 1;", 5), "");
  EXPECT_EQ(Written("out.x = 1;", 7), "");
  EXPECT_EQ(Written("**out = 1;", 7), "");
  EXPECT_EQ(Written("x = out[0];", 5), "");
  EXPECT_EQ(Written("out[0] == 1;", 8), "");
  EXPECT_EQ(Written("++out[0];", 1), "out");
  EXPECT_EQ(Written("++out;", 1), "");
  EXPECT_EQ(Written("=", 1), "");
  EXPECT_EQ(Written("*out = 1;", 0), "");
  EXPECT_EQ(Written("*out = 1;", 10), "");
}

TEST(SourceText, PointerThatIsPassed) {
  const auto Passed = [](llvm::StringRef Line, unsigned Column) {
    return pointer(wavelane::check::passedPointer(Line, Column));
  };
  EXPECT_EQ(Passed("  atomicAdd(&sum[i], 1);", 3), "sum");
  EXPECT_EQ(Passed("  atomicAdd( & sum [i][j], 1);", 3), "sum 2");
  EXPECT_EQ(Passed("  atomicAdd(&s.sum[i], 1);", 3), "s.sum");
  EXPECT_EQ(Passed("  atomicAdd(&sum[i].x, 1);", 3), "sum");
  EXPECT_EQ(Passed("  atomicAdd(&sum->x, 1);", 3), "sum");
  EXPECT_EQ(Passed("  atomicAdd(&sum[i]->x, 1);", 3), "");
  EXPECT_EQ(Passed("  atomicAdd(&sum, 1);", 3), "");
  EXPECT_EQ(Passed("  atomicAdd(sum, 1);", 3), "sum");
  EXPECT_EQ(Passed("  atomicAdd(sum + i, 1);", 3), "sum");
  EXPECT_EQ(Passed("  atomicAdd(sum[i], 1);", 3), "");
  EXPECT_EQ(Passed("  atomicAdd(f(sum), 1);", 3), "");
  EXPECT_EQ(Passed("  atomicAdd", 3), "");
  EXPECT_EQ(Passed("  atomicAdd(", 3), "");
  EXPECT_EQ(Passed("  atomicAdd(&sum[i", 3), "");
  EXPECT_EQ(Passed("atomicAdd(sum)", 0), "");
  EXPECT_EQ(Passed("atomicAdd(sum)", 20), "");
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
