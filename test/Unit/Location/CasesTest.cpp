// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of test/cases, a test for each.
#include "wavelane/Location/CaseFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
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
  for (sys::fs::directory_iterator It(WAVELANE_CASES, EC), End;
       It != End && !EC; It.increment(EC)) {
    if (sys::path::extension(It->path()) != ".json")
      continue;
    auto Buffer = MemoryBuffer::getFile(It->path());
    Expected<json::Value> File =
        Buffer ? json::parse((*Buffer)->getBuffer())
               : createStringError(Buffer.getError(), It->path());
    if (!File) {
      ADD_FAILURE() << It->path() << ": " << toString(File.takeError());
      continue;
    }
    for (json::Value &Item : *File->getAsArray()) {
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
  bool IsRun = false;
  json::Object Result = evaluateCase(GetParam().Case, IsRun);
  std::string Got;
  raw_string_ostream(Got) << json::Value(json::Object(Result));
  ASSERT_TRUE(IsRun) << Got;
  EXPECT_EQ(checkCase(GetParam().Case, Result), "") << "got " << Got;
}

/// The result or the error as text.
std::string evaluateWatched(const json::Object &Case, TraceFunction *Trace) {
  Expected<std::unique_ptr<CaseContext>> C = CaseContext::create(Case, {});
  if (!C)
    return toString(C.takeError());
  Expected<Entry> Result = (*C)->evaluateExpression(Trace);
  return Result ? Result->describe(C->get()) : toString(Result.takeError());
}

// Expressions of a single operation take a shortcut unless traced.
TEST_P(CasesTest, IsTheSameWhenWatched) {
  auto Watch = [](const Operation &, ArrayRef<Entry>) {};
  TraceFunction Trace = Watch;
  EXPECT_EQ(evaluateWatched(GetParam().Case, nullptr),
            evaluateWatched(GetParam().Case, &Trace));
}

/// A register is bytes or ascending numbers; anything else is an error.
TEST(CaseResults, Registers) {
  auto Evaluate = [](StringRef Register) {
    Expected<json::Value> Case = json::parse(
        ("{\"id\": \"x\", \"expression\": [[\"DW_OP_reg3\"]], \"context\": "
         "{\"registers\": {\"3\": " +
         Register + "}}, \"want\": {\"size\": 8}}")
            .str());
    EXPECT_TRUE(bool(Case));
    bool IsRun = false;
    const json::Object Result = evaluateCase(*Case->getAsObject(), IsRun);
    return (IsRun ? Result.getString("bytes") : Result.getString("error"))
        .value_or("neither")
        .str();
  };
  EXPECT_EQ(Evaluate(R"("0102030405060708")"), "0102030405060708");
  EXPECT_EQ(Evaluate(R"({"first": "0xa00000ff", "count": 2})"),
            "ff0000a0000100a0");
  for (StringRef Wrong :
       {"7", "{}", R"({"first": 1})", R"({"first": 1, "count": 1000000})"})
    EXPECT_EQ(Evaluate(Wrong),
              R"(register 3: a register is "hex" or {"first", "count"})")
        << Wrong.str();
}

/// Whole bytes are bytes, even if they begin inside a byte.
TEST(CaseResults, WholeBytesFromInsideAByte) {
  Expected<json::Value> Case = json::parse(
      R"({"id": "x", "expression": [["DW_OP_reg3"], ["DW_OP_lit4"],
          ["DW_OP_LLVM_bit_offset"], ["DW_OP_piece", 1], ["DW_OP_piece", 1],
          ["DW_OP_LLVM_piece_end"], ["DW_OP_lit4"], ["DW_OP_LLVM_bit_offset"],
          ["DW_OP_bit_piece", 8, 0], ["DW_OP_LLVM_piece_end"], ["DW_OP_lit0"],
          ["DW_OP_LLVM_bit_offset"]],
          "context": {"registers": {"3": "785634"}}})");
  ASSERT_TRUE(bool(Case)) << toString(Case.takeError());
  bool IsRun;
  json::Object Result = evaluateCase(*Case->getAsObject(), IsRun);
  EXPECT_EQ(Result.getString("bytes"), "??") << "an undefined half";
  EXPECT_EQ(Result.getInteger("size"), 1);
  Case = json::parse(
      R"({"id": "x", "expression": [["DW_OP_reg3"], ["DW_OP_piece", 3],
          ["DW_OP_bit_piece", 4, 0], ["DW_OP_LLVM_piece_end"], ["DW_OP_lit4"],
          ["DW_OP_LLVM_bit_offset"]],
          "context": {"registers": {"3": "785634"}}})");
  ASSERT_TRUE(bool(Case)) << toString(Case.takeError());
  Result = evaluateCase(*Case->getAsObject(), IsRun);
  EXPECT_EQ(Result.getString("bytes"), "6745??");
  EXPECT_EQ(Result.getString("bits"), "11100110101000101100????");
}

INSTANTIATE_TEST_SUITE_P(Files, CasesTest, testing::ValuesIn(loadCases()),
                         [](const testing::TestParamInfo<NamedCase> &Info) {
                           return Info.param.Name;
                         });
} // namespace
