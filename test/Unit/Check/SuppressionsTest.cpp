//===-- SuppressionsTest.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Check/Options.h"

#include <gmock/gmock.h>
#include <map>

using namespace wavelane::check;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

static FindingPlace place() {
  return {Kind::InvalidGlobalAccess, "reduce(float*, int)", "sum<float>(\"x\")",
          "/src/lib/reduce.hip", 12};
}

static bool matches(const std::string &Line) {
  Suppressions S;
  EXPECT_FALSE(llvm::errorToBool(S.parse(Line, "test"))) << Line;
  return S.matches(place());
}

TEST(Suppressions, MatchEachPart) {
  for (const char *Line :
       {"*", "memory", "invalid-global-access", "* line=12",
        "memory file=reduce.hip", "memory file=lib/reduce.hip",
        "memory file=/src/*", "* kernel=\"reduce(*\"", "\n# comment\n memory",
        "* function=\"sum<float>(\\\"x\\\")\""})
    EXPECT_TRUE(matches(Line)) << Line;
  for (const char *Line :
       {"", "# memory", "sync", "leak", "* line=13", "* file=duce.hip",
        "* file=reduce.hi", "* kernel=reduce", "memory line=12 file=other.hip"})
    EXPECT_FALSE(matches(Line)) << Line;
}

TEST(Suppressions, SuggestionsMatchWhatTheyAreFor) {
  Suppressions S;
  const std::string Line = Suppressions::suggest(place());
  EXPECT_FALSE(llvm::errorToBool(S.parse(Line, "test"))) << Line;
  EXPECT_TRUE(S.matches(place())) << Line;
  FindingPlace Other = place();
  Other.Line = 13;
  EXPECT_FALSE(S.matches(Other));
}

TEST(Suppressions, ReportsTheFirstMistakeWithItsLine) {
  auto parse = [](Suppressions &S, llvm::StringRef Text) {
    return llvm::toString(S.parse(Text, "my.supp"));
  };
  for (const auto &[Line, Why] : std::map<std::string, std::string>{
           {"memroy", "unknown kind of finding 'memroy'"},
           {"* line=x", "'x' is not a line number"},
           {"* function=\"open", "the value of 'function' has no end"},
           {"* color=red", "unknown word 'color'"},
           {"* file=", "'file' needs a value"}}) {
    Suppressions S;
    const std::string All = parse(S, "# all right\nmemory\n" + Line + "\n");
    EXPECT_THAT(All, StartsWith("my.supp:3: " + Why));
    EXPECT_THAT(All, Not(HasSubstr("wrong lines")));
    EXPECT_TRUE(S.matches(place())) << "the good line counts";
  }
  Suppressions S;
  const std::string All = parse(S, "memroy\nmemory\n* line=x\n* file=\n");
  EXPECT_THAT(All, StartsWith("my.supp:1: unknown kind of finding 'memroy'"));
  EXPECT_THAT(All, EndsWith(" (wrong lines: 3)"));
  EXPECT_THAT(All, Not(HasSubstr("line number")));
  EXPECT_TRUE(S.matches(place())) << "the good line counts";
}

TEST(Options, ParseChecksAndLaunches) {
  EXPECT_EQ(llvm::cantFail(parseList("memory,wait")), 1u | 1u << 4);
  EXPECT_EQ(llvm::cantFail(parseList(" memory, wait ")), 1u | 1u << 4);
  EXPECT_EQ(llvm::cantFail(parseList("all")), BitsOfAll);
  EXPECT_FALSE(BitsOfAll & 1u << unsigned(CheckId::Float));
  for (const char *Bad : {"", "memory,", "Memory", "memory wait"})
    EXPECT_THAT(llvm::toString(parseList(Bad).takeError()),
                HasSubstr("the checks are memory, race, init, sync, wait"));
  EXPECT_THAT(llvm::toString(parseList("race,mermory").takeError()),
              HasSubstr("did you mean 'memory'?"));
  EXPECT_THAT(llvm::cantFail(parseLaunches("3-5,8")),
              testing::ElementsAre(testing::Pair(3, 5), testing::Pair(8, 8)));
  EXPECT_EQ(llvm::cantFail(parseLaunches("3-5, 8")),
            llvm::cantFail(parseLaunches("3-5,8")));
  for (const char *Bad : {"", "0", "5-3", "1-", "-2", "1,,2", "x"})
    EXPECT_TRUE(llvm::errorToBool(parseLaunches(Bad).takeError())) << Bad;
}

TEST(Options, SurviveTheirFile) {
  Options O;
  O.Kernel = "sum.*";
  O.Launches = {{2, 4}};
  O.Max = 7;
  O.FindsLeaks = true;
  EXPECT_FALSE(llvm::errorToBool(O.Suppressed.parse("memory line=12", "x")));
  Options Read;
  ASSERT_FALSE(llvm::errorToBool(Read.fromJSON(O.toJSON())));
  EXPECT_EQ(Read.Kernel, "sum.*");
  EXPECT_EQ(Read.Launches, O.Launches);
  EXPECT_EQ(Read.Max, 7u);
  EXPECT_TRUE(Read.FindsLeaks);
  EXPECT_TRUE(Read.Suppressed.matches(place()));
  EXPECT_TRUE(llvm::errorToBool(Read.fromJSON(llvm::json::Array())));
  EXPECT_TRUE(
      llvm::errorToBool(Read.fromJSON(llvm::json::Object{{"kernel", "("}})));
}
