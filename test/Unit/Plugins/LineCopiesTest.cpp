//===-- LineCopiesTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test is a function, an instruction a word: an opcode, or a branch. "*"
// marks a statement of the line, which begins a row with the column after it.
//===----------------------------------------------------------------------===//

#include "SymbolFile/LaneDWARF/LineCopies.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Words: "load", "add", "store" and "other" are instructions; "if:7" and
/// "jump:7" go to instruction 7, "table" to one that a register holds; "end".
/// In front of a word may be the line's column, "5/load", with "*" if the line
/// table recommends it for breakpoints, and "!" for the second lexical block.
struct Code {
  std::vector<FlowInstruction> code;
  std::vector<LineStatement> statements;
  std::vector<LineRow> rows;

  explicit Code(llvm::StringRef text) {
    static const int blocks[2] = {};
    for (llvm::StringRef word : llvm::split(text, ' ')) {
      FlowInstruction inst;
      inst.address = code.size();
      inst.size = 1;
      const bool is_statement = word.consume_front("*");
      const bool is_second = word.consume_front("!");
      if (word.contains('/')) {
        LineRow row;
        row.begin = inst.address;
        row.end = inst.address + 1;
        EXPECT_FALSE(word.split('/').first.getAsInteger(10, row.column));
        word = word.split('/').second;
        rows.push_back(row);
      }
      if (is_statement)
        statements.push_back({inst.address, &blocks[is_second]});
      auto [name, target] = word.split(':');
      inst.opcode = llvm::StringSwitch<unsigned>(name)
                        .Case("load", 1)
                        .Case("add", 2)
                        .Case("store", 3)
                        .Case("wideload", 4)
                        .Case("wideadd", 5)
                        .Case("if", 6)
                        .Case("jump", 7)
                        .Case("widestore", 9)
                        .Default(8);
      inst.loads = name.ends_with("load");
      inst.stores = name.ends_with("store");
      inst.branches = name == "if" || name == "jump";
      inst.falls_through = name != "jump" && name != "end" && name != "table";
      inst.is_indirect = name == "table";
      uint64_t to;
      if (inst.branches && !target.getAsInteger(10, to))
        inst.target = to;
      code.push_back(inst);
    }
  }
  std::vector<LineStop> Find() const {
    return FindLineStops(code, 0, statements, rows);
  }
};

std::vector<uint64_t> Stops(llvm::StringRef text) {
  std::vector<uint64_t> addresses;
  for (const LineStop &stop : Code(text).Find())
    addresses.push_back(stop.address);
  return addresses;
}

TEST(LineCopies, OneWithoutCopies) {
  EXPECT_THAT(Stops("other *5/load *9/add end"), ElementsAre(1));
}

TEST(LineCopies, APartIsNoCopy) {
  // The scheduler put another line between the parts; in a loop, too.
  EXPECT_THAT(Stops("*5/load other *9/add other *7/store end"), ElementsAre(0));
  EXPECT_THAT(Stops("other *5/load other *9/add if:1 end"), ElementsAre(1));
}

TEST(LineCopies, VersionsOfALoop) {
  EXPECT_THAT(Stops("if:5 other *5/wideload 9/wideadd jump:9 *5/load 9/add "
                    "if:5 other end"),
              ElementsAre(2, 5));
}

TEST(LineCopies, ARemainder) {
  // The vectorized loop dominates the remainder, whose load is part of its
  // addition.
  const Code code("other *5/wideload 9/wideadd if:1 other *9/add if:5 end");
  const std::vector<LineStop> stops = code.Find();
  ASSERT_EQ(stops.size(), 2u);
  EXPECT_EQ(stops[0].address, 1u);
  EXPECT_EQ(stops[0].loop, 1u);
  EXPECT_TRUE(stops[0].is_copy);
  EXPECT_EQ(stops[1].address, 5u);
  EXPECT_EQ(stops[1].loop, 5u);
}

TEST(LineCopies, ARemainderOfOneRound) {
  // It loads and stores where the loop does; a sum of its lanes, or a store
  // that is left for after the loop, doesn't.
  EXPECT_THAT(Stops("other *5/wideload 9/wideadd 7/widestore if:1 other "
                    "*5/load 9/add 7/store end"),
              ElementsAre(1, 6));
  EXPECT_THAT(Stops("other *5/wideload 9/wideadd if:1 *9/add end"),
              ElementsAre(1));
  EXPECT_THAT(Stops("other *5/wideload 9/wideadd if:1 *9/add 7/store end"),
              ElementsAre(1));
}

TEST(LineCopies, APeeledRound) {
  EXPECT_THAT(Stops("*5/load 9/add other *5/load 9/add if:3 end"),
              ElementsAre(0, 3));
}

TEST(LineCopies, Unrolled) {
  EXPECT_THAT(Stops("*5/add 9/store other *4/add 9/store other *4/add 9/store "
                    "end"),
              ElementsAre(0, 3, 6));
  // In parts.
  EXPECT_THAT(Stops("*5/load other *9/store other *5/load other *9/store end"),
              ElementsAre(0, 4));
  // In a loop: the copies share it.
  const std::vector<LineStop> stops =
      Code("other *5/load other *5/load other if:1 end").Find();
  ASSERT_EQ(stops.size(), 2u);
  EXPECT_EQ(stops[0].loop, 1u);
  EXPECT_EQ(stops[1].loop, 1u);
}

TEST(LineCopies, TheOtherPiecesOfALoopsLine) {
  // Initializer, condition, and increment of a `for` that isn't rotated: the
  // branches have the column of the word `for`.
  EXPECT_THAT(Stops("*12/store 19/load 3/if:6 other *24/add 3/jump:1 end"),
              ElementsAre(0));
}

TEST(LineCopies, EachLexicalBlockKeepsOne) {
  const std::vector<LineStop> stops = Code("*5/load other *!9/add end").Find();
  ASSERT_EQ(stops.size(), 2u);
  EXPECT_FALSE(stops[0].is_copy);
}

TEST(LineCopies, ACopyThatIsFirstByAddressIsntNeeded) {
  // The loop's second half lies below its first.
  EXPECT_THAT(Stops("jump:4 *9/add other if:7 *5/load other jump:1 end"),
              ElementsAre(4));
}

TEST(LineCopies, WhatOnlyATableOfJumpsReaches) {
  EXPECT_THAT(Stops("table *5/load 9/add jump:7 other *5/load 9/add end"),
              ElementsAre(1, 5));
}

TEST(LineCopies, CodeThatNothingReaches) {
  // A landing pad has no copy, but keeps the only place of a line.
  EXPECT_THAT(Stops("*5/load end *5/load end"), ElementsAre(0));
  EXPECT_THAT(Stops("other end *5/load end"), ElementsAre(2));
}

TEST(LineCopies, NoSaying) {
  EXPECT_THAT(FindLineStops({}, 0, {}, {}), IsEmpty());
  Code code("*5/load end");
  EXPECT_THAT(FindLineStops(code.code, 7, code.statements, code.rows),
              IsEmpty());
  code.statements.push_back({9, nullptr});
  EXPECT_THAT(code.Find(), IsEmpty());
}

enum class Order { Before, After };

std::optional<size_t> Without(llvm::StringRef text,
                              llvm::ArrayRef<uint64_t> copies,
                              llvm::ArrayRef<uint64_t> other, Order order) {
  return CountWithout(Code(text).code, 0, copies, other,
                      order == Order::Before);
}

TEST(LineCopies, RoundsWithoutAnotherLine) {
  // Two loops; the line at 4, or 3, is in the second one only.
  const char *loops = "other add if:1 add add if:3 end";
  EXPECT_EQ(Without(loops, {1, 3}, {4}, Order::After), 1u);
  EXPECT_EQ(Without(loops, {1, 3}, {2, 4}, Order::After), 0u);
  EXPECT_EQ(Without(loops, {1, 4}, {3}, Order::Before), 1u);
  // Unrolled, with the line in the second of three copies.
  EXPECT_EQ(
      Without("other add store add add end", {1, 3, 4}, {2}, Order::Before),
      2u);
  EXPECT_EQ(
      Without("other add add store add end", {1, 2, 4}, {3}, Order::After), 1u);
  // A way around the line.
  EXPECT_EQ(Without("other if:3 store add jump:1 end", {1}, {2}, Order::After),
            1u);
  // Not repeated.
  EXPECT_EQ(Without("other add store end", {1}, {2}, Order::After), 0u);
  EXPECT_EQ(Without("other add if:4 end end", {1}, {5}, Order::After), 0u);
  // What a register says.
  EXPECT_EQ(Without("other add table store end", {1}, {3}, Order::After),
            std::nullopt);
  EXPECT_EQ(Without("other add end", {9}, {1}, Order::After), std::nullopt);
}

} // namespace
