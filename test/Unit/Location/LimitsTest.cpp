// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a hostile file may ask for ends with an error that says so.
#include "TestContext.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
std::string getError(StringRef Text, const EvaluationOptions &O = {}) {
  TestContext C;
  C.Registers[3] = {1, 2, 3, 4};
  Expected<Entry> E = run(C, Text, ResultKind::Any, O);
  return E ? std::string() : toString(E.takeError());
}

std::string getErrorOfBytes(ArrayRef<uint8_t> Bytes) {
  TestContext C;
  Expected<Entry> E = evaluate(Bytes, C, ResultKind::Any);
  return E ? std::string() : toString(E.takeError());
}

TEST(Limits, Steps) {
  EXPECT_NE(getError("skip -1").find("operations"), std::string::npos);
}
TEST(Limits, Stack) {
  EvaluationOptions O;
  O.MaxStack = 8;
  EXPECT_NE(getError("lit0; skip -2", O).find("entries"), std::string::npos);
}
TEST(Limits, Parts) {
  EXPECT_NE(getError("reg3; extend 8 100000000").find("parts"),
            std::string::npos);
}
TEST(Limits, HugePieces) {
  EXPECT_EQ(getError("piece 0xffffffffffffffff; piece 0xffffffffffffffff"), "");
}
TEST(Limits, CutOperands) {
  EXPECT_NE(getErrorOfBytes({0x0c, 1, 2}).find("cut off"), std::string::npos);
  EXPECT_NE(getErrorOfBytes({0x10, 0x80}).find("cut off"), std::string::npos);
  EXPECT_NE(getErrorOfBytes({0x9e, 0x7f, 1}).find("cut off"),
            std::string::npos);
  EXPECT_NE(getErrorOfBytes({0xe9}).find("cut off"), std::string::npos);
}
TEST(Limits, NumbersBeyond64Bits) {
  EXPECT_NE(getErrorOfBytes({0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                             0xff, 0xff, 0xff, 0x7f, 0x96})
                .find("64 bits"),
            std::string::npos);
}
TEST(Limits, BranchIntoAnOperation) {
  EXPECT_NE(getErrorOfBytes({0x2f, 1, 0, 0x08, 0x96, 0x96}).find("begins"),
            std::string::npos);
  EXPECT_NE(getErrorOfBytes({0x2f, 0xff, 0x7f}).find("begins"),
            std::string::npos);
}
TEST(Limits, UnknownOperations) {
  EXPECT_NE(getErrorOfBytes({0xff}).find("0xFF"), std::string::npos);
  EXPECT_NE(getErrorOfBytes({0xe9, 0x7e}).find("0x7E"), std::string::npos);
}
TEST(Limits, MissingContextIsNamed) {
  EXPECT_NE(getError("fbreg 1").find("frame base"), std::string::npos);
  EXPECT_NE(getError("call_frame_cfa").find("canonical frame address"),
            std::string::npos);
  EXPECT_NE(getError("regx 99; deref").find("register 99"), std::string::npos);
  EXPECT_NE(getError("addrx 1").find(".debug_addr"), std::string::npos);
  EXPECT_NE(getError("form_tls_address").find("stack entries"),
            std::string::npos);
}
} // namespace
