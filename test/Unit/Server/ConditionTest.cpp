//===-- ConditionTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server/Condition/Condition.h"
#include "gtest/gtest.h"

using namespace wavelane::server;
namespace location = wavelane::location;

namespace {

/// A wave of 8 lanes: register 2560 has the lane's number; memory has 100 more.
class Subject : public ExpressionSubject {
public:
  uint64_t GetActiveLanes() override { return active; }
  std::optional<uint64_t> GetNumber(llvm::StringRef kind, unsigned,
                                    uint32_t lane) override {
    if (kind == "lane")
      return lane;
    if (kind == "dispatch")
      return dispatch;
    return std::nullopt;
  }
  void SetLane(uint32_t lane) override { current = lane; }
  std::optional<uint32_t> getLane() override { return current; }
  uint32_t getLaneCount() override { return 8; }
  uint64_t getThread() override { return 4; }
  std::optional<location::AddressSpace> getAddressSpace(uint64_t) override {
    return location::AddressSpace();
  }
  llvm::Expected<uint64_t> getRegisterSize(uint64_t) override { return 32; }
  llvm::Error readRegister(uint64_t number, uint64_t, uint64_t offset,
                           llvm::MutableArrayRef<uint8_t> into) override {
    if (number != 2560)
      return location::missing("register");
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = (offset + i) % 4 ? 0 : uint8_t((offset + i) / 4);
    return llvm::Error::success();
  }
  llvm::Error readMemory(uint64_t, std::optional<uint32_t>, uint64_t,
                         uint64_t address,
                         llvm::MutableArrayRef<uint8_t> into) override {
    if (address >= 0x1000)
      return location::failed("no memory");
    std::fill(into.begin(), into.end(), 0);
    into[0] = uint8_t(address);
    return llvm::Error::success();
  }
  bool isVectorRegister(uint64_t number, unsigned &size) override {
    size = 4;
    return number == 2560;
  }

  uint64_t active = 0xff, dispatch = 1;
  uint32_t current = 0;
};

Condition::Outcome Ask(llvm::StringRef text, Subject &subject) {
  auto value = llvm::json::parse(text);
  EXPECT_TRUE(bool(value)) << llvm::toString(value.takeError());
  auto condition = Condition::Parse(*value->getAsObject());
  EXPECT_TRUE(bool(condition)) << llvm::toString(condition.takeError());
  return condition->Test(subject);
}

std::string Error(llvm::StringRef text) {
  auto value = llvm::json::parse(text);
  auto condition = Condition::Parse(*value->getAsObject());
  return condition ? "" : llvm::toString(condition.takeError());
}

/// Variable 0 is the element of register 2560.
std::string WithVariable(const std::string &test) {
  return R"({"variables":[{"expression":"908014","size":4}],"test":)" + test +
         "}";
}

} // namespace

TEST(ConditionTest, HoldsInTheLanesWhereItDoes) {
  Subject subject;
  const std::string equal =
      WithVariable(R"(["==","s4",["var","s4",0,0],["const","s4",5]])");
  EXPECT_EQ(Ask(equal, subject).lanes, 1u << 5);
  subject.active = 0x0f;
  EXPECT_EQ(Ask(equal, subject).lanes, 0u);
  EXPECT_FALSE(Ask(equal, subject).unknown);
}

TEST(ConditionTest, ArithmeticIsC) {
  Subject subject;
  auto lanes = [&](const char *test) {
    return Ask(WithVariable(test), subject).lanes;
  };
  // Only true for a signed -1 < 0.
  EXPECT_EQ(
      lanes(R"(["<","s4",["neg","s4",["var","s4",0,0]],["const","s4",0]])"),
      0xfeu);
  EXPECT_EQ(
      lanes(R"(["<","u4",["neg","u4",["var","u4",0,0]],["const","u4",0]])"),
      0u);
  EXPECT_EQ(lanes(R"([">","f4",["convert","f4",["var","s4",0,0]],)"
                  R"(["const","f4",1080033280]])"), // 3.5
            0xf0u);
  EXPECT_EQ(lanes(R"(["!",["&","s4",["var","s4",0,0],["const","s4",1]]])"),
            0x55u);
  EXPECT_EQ(lanes(R"(["==","s4",["<<","s4",["const","s4",1],)"
                  R"(["var","u8",0,0]],["const","s4",8]])"),
            0u); // 8 bytes of a variable of 4
  EXPECT_EQ(lanes(R"(["==","u4",["number","u4","lane",0],["const","u4",3]])"),
            8u);
}

TEST(ConditionTest, WhatIsUnknownIsTheClients) {
  Subject subject;
  // Lanes 4 and up read unmapped memory.
  const std::string read =
      R"(["==","u1",["read","u1",["*","u8",["convert","u8",["var","s4",0,0]],)"
      R"(["const","u8",1024]]],["const","u1",0]])";
  Condition::Outcome outcome = Ask(WithVariable(read), subject);
  EXPECT_TRUE(outcome.unknown);
  EXPECT_EQ(outcome.lanes, 0xfu);
  // && doesn't evaluate its right side then.
  outcome = Ask(WithVariable(R"(["&&",["<","s4",["var","s4",0,0],)"
                             R"(["const","s4",4]],)" +
                             read + "]"),
                subject);
  EXPECT_FALSE(outcome.unknown);
  EXPECT_EQ(outcome.lanes, 0xfu);
  EXPECT_TRUE(
      Ask(WithVariable(R"(["/","s4",["const","s4",1],["var","s4",0,0]])"),
          subject)
          .unknown);
}

TEST(ConditionTest, ForAWaveAndOncePerDispatch) {
  Subject subject;
  EXPECT_TRUE(Ask(R"({"thread":4})", subject).holds);
  EXPECT_EQ(Ask(R"({"thread":4})", subject).lanes, 0u);
  EXPECT_FALSE(Ask(R"({"thread":5})", subject).holds);
  auto value = llvm::json::parse(R"({"once_per_dispatch":true})");
  auto condition = Condition::Parse(*value->getAsObject());
  ASSERT_TRUE(bool(condition));
  EXPECT_TRUE(condition->Test(subject).holds);
  EXPECT_FALSE(condition->Test(subject).holds);
  subject.dispatch = 2;
  EXPECT_TRUE(condition->Test(subject).holds);
}

TEST(ConditionTest, IllFormed) {
  EXPECT_NE(Error(R"({"test":5})"), "");
  EXPECT_NE(Error(R"({"test":[]})"), "");
  EXPECT_NE(Error(R"({"test":["nosuch","s4",["const","s4",1]]})"), "");
  EXPECT_NE(Error(R"({"test":["const","s3",1]})"), "");
  EXPECT_NE(Error(R"({"test":["const","f1",1]})"), "");
  EXPECT_NE(Error(R"({"test":["var","s4",0,0]})"), "");
  EXPECT_NE(Error(R"({"test":["!",["const","s4",1],["const","s4",1]]})"), "");
  EXPECT_NE(Error(R"({"variables":[{"expression":"zz","size":4}]})"), "");
  EXPECT_NE(Error(R"({"variables":[{"expression":"50","size":0}]})"), "");
  EXPECT_NE(Error(R"({"variables":[{"expression":"50","size":99999999}]})"),
            "");
  std::string deep = R"(["const","s4",1])";
  for (int i = 0; i < 100; ++i)
    deep = R"(["!",)" + deep + "]";
  EXPECT_NE(Error(R"({"test":)" + deep + "}"), "");
}
