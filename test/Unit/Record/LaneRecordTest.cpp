//===-- LaneRecordTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Record/LaneRecord.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

template <typename T> static std::string Print(const T &record) {
  return llvm::formatv("{0}", toJSON(record)).str();
}

static std::string Print(const LaneValues &values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  {
    llvm::json::OStream json(stream);
    WriteJSON(values, json);
  }
  return text;
}

/// Prints a record, parses the result, and prints it again.
template <typename T> static std::string PrintAgain(const T &record) {
  llvm::Expected<T> read = llvm::json::parse<T>(Print(record));
  return read ? Print(*read) : llvm::toString(read.takeError());
}

TEST(LaneRecord, IsReadAsItIsWritten) {
  LaneList list;
  list.thread = 3;
  list.tid = UINT64_C(0xfedcba9876543210);
  list.frame = 1;
  list.focus = 1;
  list.wave = "saxpy (1,0,0)/2";
  list.lanes.push_back({0, true, false, true, Triple{1, 2, 3}, Triple{4, 5, 6},
                        "", LaneRecord::eStands, "saxpy.hip:13:5"});
  list.lanes.push_back({1,
                        false,
                        true,
                        false,
                        {},
                        {},
                        "producer",
                        LaneRecord::eGoesOn,
                        "saxpy.hip:14"});
  list.lanes.push_back(
      {2, false, false, false, {}, {}, "", LaneRecord::eDone, ""});
  list.lanes.push_back(
      {3, false, false, false, {}, {}, "", LaneRecord::eUnknown, ""});
  EXPECT_EQ(PrintAgain(list), Print(list));
  EXPECT_NE(Print(list).find("18364758544493064720"), std::string::npos);

  LaneValues values{"a[i]",
                    "int",
                    3,
                    7,
                    "w",
                    {{0, true, "5", false, "05000000", "", 5.0},
                     {1, false, "no memory", true, "", "", {}},
                     {2, true, "7", false, "", "t [value at line 12]", 7.0}}};
  EXPECT_EQ(PrintAgain(values), Print(values));
  // As json::Value prints it.
  llvm::Expected<llvm::json::Value> printed = llvm::json::parse(Print(values));
  ASSERT_TRUE(bool(printed));
  EXPECT_EQ(llvm::formatv("{0}", *printed).str(), Print(values));

  LanesFound found{3, 7, "", {0, 1, 5}, {9}};
  EXPECT_EQ(PrintAgain(found), Print(found));

  LaneStack stack{
      3,
      7,
      "w",
      list.lanes[1],
      {{0, 0x1000, "inner", "a.hip:1", false}, {1, 0x2000, "", "", true}}};
  EXPECT_EQ(PrintAgain(stack), Print(stack));
}

TEST(LaneRecord, SaysOnceWhatIsStale) {
  LaneValue value{2, true, "8", false, "", "t [value at line 12]", 8.0};
  EXPECT_EQ(value.FormatText(), "8 [stale: t [value at line 12]]");
  value.text = "7 [value at line 12]";
  EXPECT_EQ(value.FormatText(), "7 [value at line 12]");
  value.stale = "";
  value.text = "a[1]";
  EXPECT_EQ(value.FormatText(), "a[1]");
}

TEST(LaneRecord, RefusesWhatIsDamaged) {
  for (
      const char *text :
      {"[]", "{}", R"({"thread":1,"tid":2,"frame":0,"focus":0,"lanes":[]})",
       R"({"thread":1,"tid":2,"frame":0,"focus":0,"lanes":[{}]})",
       R"({"thread":1,"tid":2,"frame":0,"focus":0,"lanes":[{"lane":0,"active":1,"focus":true}]})",
       R"({"thread":1,"tid":2,"frame":0,"focus":0,
            "lanes":[{"lane":0,"active":true,"focus":true,"work_item":[1,2]}]})"}) {
    llvm::Expected<LaneList> list = llvm::json::parse<LaneList>(text);
    EXPECT_FALSE(bool(list)) << text;
    llvm::consumeError(list.takeError());
  }
}

TEST(LaneRecord, DescribesALane) {
  LaneRecord lane{5,
                  true,
                  false,
                  false,
                  Triple{17, 0, 0},
                  Triple{81, 0, 0},
                  "",
                  LaneRecord::eStands,
                  "saxpy.hip:13:5"};
  EXPECT_EQ(lane.Describe(), "active, work-item (17,0,0), saxpy.hip:13:5");
  lane.is_active = false;
  lane.progress = LaneRecord::eGoesOn;
  EXPECT_EQ(lane.Describe(),
            "inactive, work-item (17,0,0), continues at saxpy.hip:13:5");
  lane.progress = LaneRecord::eDone;
  EXPECT_EQ(lane.Describe(), "inactive, work-item (17,0,0), has finished");
}
