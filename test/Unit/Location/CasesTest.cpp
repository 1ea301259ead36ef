// The cases of test/cases, a test for each.
#include "Case.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
struct NamedCase {
  std::string Name;
  json::Object Case;
};

std::vector<NamedCase> loadCases() {
  std::vector<NamedCase> All;
  std::error_code EC;
  for (sys::fs::directory_iterator It(WAVELANE_CASES, EC), End; It != End && !EC;
       It.increment(EC)) {
    if (sys::path::extension(It->path()) != ".json")
      continue;
    Expected<json::Array> Cases = readCases(It->path());
    if (!Cases) {
      ADD_FAILURE() << toString(Cases.takeError());
      continue;
    }
    for (json::Value &Item : *Cases) {
      std::string Name = (sys::path::stem(It->path()) + "_" +
                          Item.getAsObject()->getString("id").value_or("?"))
                             .str();
      for (char &C : Name)
        if (!isalnum(static_cast<unsigned char>(C)))
          C = '_';
      All.push_back({Name, std::move(*Item.getAsObject())});
    }
  }
  return All;
}

class CasesTest : public testing::TestWithParam<NamedCase> {};

TEST_P(CasesTest, GivesWhatItWants) {
  const json::Object &Case = GetParam().Case;
  Expected<json::Object> Result = runCase(Case);
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  std::optional<std::string> Difference = compareCase(Case, *Result);
  std::string Got;
  raw_string_ostream(Got) << json::Value(json::Object(*Result));
  EXPECT_FALSE(Difference) << *Difference << "\ngot " << Got;
}

// Encoding, decoding and encoding again changes nothing.
TEST_P(CasesTest, DisassemblesToItself) {
  const json::Object &Case = GetParam().Case;
  std::string Text;
  raw_string_ostream OS(Text);
  if (Error E = explainCase(Case, OS))
    FAIL() << toString(std::move(E));
  EXPECT_FALSE(Text.empty());
}

INSTANTIATE_TEST_SUITE_P(Files, CasesTest, testing::ValuesIn(loadCases()),
                         [](const testing::TestParamInfo<NamedCase> &Info) {
                           return Info.param.Name;
                         });

TEST(Comparison, SeesDifferences) {
  auto Differs = [](const char *Want, const char *Got) {
    json::Object Case{{"want", cantFail(json::parse(Want))}};
    return compareCase(Case, *cantFail(json::parse(Got)).getAsObject())
        .has_value();
  };
  EXPECT_TRUE(Differs(R"({"error":true})", R"({"kind":"value","value":1})"));
  EXPECT_FALSE(Differs(R"({"error":true})", R"({"error":"x"})"));
  EXPECT_TRUE(Differs(R"({"kind":"value","value":2})",
                      R"({"kind":"value","type":"generic","value":1})"));
  EXPECT_TRUE(Differs(R"({"kind":"location","bytes":"01"})",
                      R"({"kind":"location","bytes":"02","parts":[]})"));
  EXPECT_TRUE(Differs(R"({"kind":"location","bytes":"??"})",
                      R"({"kind":"location","bytes":"02","parts":[]})"));
  EXPECT_TRUE(Differs(
      R"({"kind":"location","parts":[{"start":0,"end":4,"storage":"register","number":3,"offset":0}]})",
      R"({"kind":"location","parts":[{"start":0,"end":4,"storage":"register","register":4,"offset":0}]})"));
}
} // namespace
