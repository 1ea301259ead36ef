//===-- FindingsTest.cpp - folding and reports ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/Findings.h"
#include "Simulator/Check/RunReport.h"

#include <gmock/gmock.h>
#include <unistd.h>

using namespace wavelane::check;
using testing::HasSubstr;

namespace {
class FindingsTest : public testing::Test {
protected:
  FindingsTest()
      : Names(getpid(), wavelane::simulator::memoryOf(getpid()),
              wavelane::simulator::memoryOf(getpid())),
        Found(Wanted, Names, Calls) {}

  const ReportedFinding *add(uint64_t PC, unsigned Lanes = 1,
                             Kind What = Kind::InvalidGlobalAccess) {
    return Found.add({What, PC}, Lanes, [&] {
      ++Described;
      Finding F;
      F.What = "Invalid <global> write of size 4 bytes";
      F.Here.Kernel = std::make_shared<Launch>();
      F.Here.PC = PC;
      F.Here.Lanes = 0xf0;
      F.Here.GroupSize[0] = F.Here.GroupSize[1] = F.Here.GroupSize[2] = 4;
      F.Memory = Space::Global;
      F.Address = 0x1000;
      F.Size = 4;
      return F;
    });
  }
  RunReport report() {
    RunReport R;
    R.add(Found.json("/bin/program"));
    return R;
  }

  Options Wanted;
  Symbols Names;
  CallStacks Calls;
  Findings Found;
  unsigned Described = 0;
};
} // namespace

TEST_F(FindingsTest, LikeFindingsAreOne) {
  const ReportedFinding *First = add(0x100, 3);
  ASSERT_NE(First, nullptr);
  EXPECT_EQ(add(0x100, 4), nullptr);
  EXPECT_EQ(First->Count, 2u);
  EXPECT_EQ(First->Lanes, 7u);
  EXPECT_NE(add(0x104), nullptr);
  EXPECT_NE(add(0x100, 1, Kind::UseAfterFree), nullptr);
  EXPECT_EQ(Found.all().size(), 3u);
  EXPECT_EQ(Described, 3u);
}

TEST_F(FindingsTest, AMillionEndInBoundedMemory) {
  Wanted.Max = 5;
  for (uint64_t I = 0; I < 1000000; ++I)
    add(I);
  EXPECT_EQ(Described, 5u);
  EXPECT_EQ(Found.all().size(), 5u);
  const RunReport R = report();
  EXPECT_THAT(R.summary(), HasSubstr("65531 more aren't shown (--max)"));
  EXPECT_THAT(R.summary(),
              HasSubstr("934464 more findings that aren't distinguished"));
}

TEST_F(FindingsTest, SuppressedFindingsAreCounted) {
  ASSERT_FALSE(
      llvm::errorToBool(Wanted.Suppressed.parse("use-after-free", "test")));
  EXPECT_EQ(add(0x100, 1, Kind::UseAfterFree), nullptr);
  EXPECT_NE(add(0x100), nullptr);
  const RunReport R = report();
  EXPECT_EQ(R.count(), 1u);
  EXPECT_THAT(R.summary(), HasSubstr("1 finding"));
  EXPECT_THAT(R.summary(), HasSubstr("1 more finding suppressed"));
}

TEST_F(FindingsTest, TextNamesWhoAndWhere) {
  const std::string Text = Findings::text(*add(0x100));
  EXPECT_THAT(Text, HasSubstr("Invalid <global> write of size 4 bytes "
                              "[memory #1]"));
  EXPECT_THAT(Text, HasSubstr("at 0x100\n")) << "without symbols: the address";
  EXPECT_THAT(Text, HasSubstr("in kernel an unknown kernel (launch 0"));
  EXPECT_THAT(Text,
              HasSubstr("workgroup (0,0,0), wave 0, lanes 4-7: work-items "
                        "(0,1,0) to (3,1,0)"));
  EXPECT_THAT(Text, HasSubstr("address 0x1000\n"));
}

TEST_F(FindingsTest, RanksWithTheSameFindingAreOneLine) {
  RunReport R;
  for (uint32_t Rank : {3u, 0u, 1u}) {
    Wanted.Rank = Rank;
    Findings OfRank(Wanted, Names, Calls);
    for (uint64_t PC : {0x100, 0x200}) {
      if (PC == 0x200 && Rank != 3)
        continue;
      EXPECT_NE(OfRank.add({Kind::InvalidGlobalAccess, PC}, 1,
                           [&] {
                             Finding F;
                             F.What = "Invalid write";
                             F.Here.Kernel = std::make_shared<Launch>();
                             F.Here.PC = PC;
                             return F;
                           }),
                nullptr);
    }
    R.add(OfRank.json("/bin/program"));
  }
  const std::string Text = R.summary();
  EXPECT_THAT(Text, HasSubstr("4 findings"));
  EXPECT_THAT(Text,
              HasSubstr("ranks 0-1, 3: Invalid write [memory], at 0x100"));
  EXPECT_THAT(Text, HasSubstr("rank 3: Invalid write [memory], at 0x200"));
  EXPECT_THAT(R.json(), HasSubstr("\"in rank 3\""));
}

TEST_F(FindingsTest, ReportsAreWellFormed) {
  add(0x100);
  add(0x100);
  Found.addNotChecked("kernels that <nobody> knows");
  RunReport R = report();
  R.addLost();
  auto Sarif = llvm::json::parse(R.sarif());
  ASSERT_TRUE(bool(Sarif)) << llvm::toString(Sarif.takeError());
  const llvm::json::Object &Log = *Sarif->getAsObject();
  EXPECT_EQ(Log.getString("version"), "2.1.0");
  const llvm::json::Object &Run = *(*Log.getArray("runs"))[0].getAsObject();
  const llvm::json::Object &Result =
      *(*Run.getArray("results"))[0].getAsObject();
  EXPECT_EQ(Result.getString("ruleId"), "invalid-global-access");
  EXPECT_EQ(Result.getInteger("occurrenceCount"), 2);
  const llvm::json::Array &Rules =
      *Run.getObject("tool")->getObject("driver")->getArray("rules");
  EXPECT_EQ(
      Rules[size_t(*Result.getInteger("ruleIndex"))].getAsObject()->getString(
          "id"),
      "invalid-global-access");

  const std::string Page = R.html();
  EXPECT_THAT(Page, HasSubstr("Invalid &lt;global&gt; write"));
  EXPECT_EQ(Page.find("<global>"), std::string::npos);
  EXPECT_EQ(Page.find("<nobody>"), std::string::npos);
  EXPECT_EQ(Page.find("<script"), std::string::npos);
  EXPECT_THAT(Page, HasSubstr("Content-Security-Policy"));

  EXPECT_THAT(R.summary(), HasSubstr("not checked: kernels that <nobody>"));
  EXPECT_THAT(R.summary(), HasSubstr("1 device ended without a report"));
  EXPECT_THAT(R.summary(), HasSubstr("#1 was seen 2 times, by 2 lanes"));
  EXPECT_TRUE(bool(llvm::json::parse(R.json())));
  EXPECT_THAT(R.suggestions(), HasSubstr("\ninvalid-global-access"));
}

TEST(LaneList, JoinsRuns) {
  EXPECT_EQ(laneList(0), "");
  EXPECT_EQ(laneList(0x8000000000000001), "0, 63");
  EXPECT_EQ(laneList(0b101110), "1-3, 5");
  EXPECT_EQ(laneList(~uint64_t(0)), "0-63");
}
