//===-- StopFilterTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/StopFilter.h"

#include "wavelane/Formats/JSON/Parse.h"

#include <gtest/gtest.h>

using namespace wavelane::check;

namespace {
ReportedFinding finding(Kind What, const char *Kernel = "sum(int*)") {
  ReportedFinding T;
  T.What = What;
  T.Here.Kernel = Kernel;
  return T;
}
/// \return Whether the request is taken.
bool choose(StopFilter &Stops, llvm::StringRef Request) {
  llvm::Expected<llvm::json::Value> Parsed = wavelane::parseJSON(Request);
  return !llvm::errorToBool(
      Stops.choose(*llvm::cantFail(std::move(Parsed)).getAsObject()));
}
} // namespace

TEST(StopFilter, NothingStopsWithoutADebugger) {
  StopFilter Stops;
  const ReportedFinding T = finding(Kind::InvalidGlobalAccess);
  EXPECT_FALSE(Stops.stops(T));
  EXPECT_EQ(Stops.take(), nullptr);
  Stops.setActive(true);
  EXPECT_TRUE(Stops.stops(T));
  EXPECT_EQ(Stops.take(), &T);
  EXPECT_EQ(Stops.take(), nullptr);
  // What nobody has taken isn't of the next debugger.
  EXPECT_TRUE(Stops.stops(T));
  Stops.setActive(true);
  EXPECT_EQ(Stops.take(), nullptr);
}

TEST(StopFilter, ADebuggerChoosesChecksAndKernels) {
  StopFilter Stops;
  Stops.setActive(true);
  const ReportedFinding OfMemory = finding(Kind::InvalidGlobalAccess),
                        OfRace = finding(Kind::GlobalRace),
                        Other = finding(Kind::GlobalRace, "copy(int*)");
  ASSERT_TRUE(choose(Stops, R"({"stopOn":"race"})"));
  EXPECT_FALSE(Stops.stops(OfMemory));
  EXPECT_TRUE(Stops.stops(OfRace));
  ASSERT_TRUE(choose(
      Stops,
      R"({"ignore":"* kernel=copy*","suppressions":"memory","name":"a"})"));
  EXPECT_FALSE(Stops.stops(Other));
  EXPECT_FALSE(Stops.stops(OfMemory));
  EXPECT_TRUE(Stops.stops(OfRace));
  EXPECT_EQ(Stops.take(), &OfRace);
  ASSERT_TRUE(choose(Stops, R"({"stopOn":"","ignore":""})"));
  EXPECT_FALSE(Stops.stops(OfRace));
  ASSERT_TRUE(choose(Stops, R"({"stopOn":"all"})"));
  EXPECT_TRUE(Stops.stops(Other));
}

TEST(StopFilter, AWrongRequestChangesNothing) {
  StopFilter Stops;
  Stops.setActive(true);
  ASSERT_TRUE(choose(Stops, R"({"stopOn":"race"})"));
  for (const char *Request :
       {R"({"stopOn":"nonsense"})", R"({"stopOn":"memory","ignore":"* x=1"})",
        R"({"stopOn":"memory","ignore":"*","suppressions":"nonsense"})"})
    EXPECT_FALSE(choose(Stops, Request)) << Request;
  EXPECT_FALSE(Stops.stops(finding(Kind::InvalidGlobalAccess)));
  const ReportedFinding OfRace = finding(Kind::GlobalRace);
  EXPECT_TRUE(Stops.stops(OfRace));
}
