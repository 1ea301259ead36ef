//===-- StoppedWavesTest.cpp - The waves of a stop reply ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Server/StoppedWaves.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace wavelane::server;
using testing::ElementsAre;
using wavelane::protocol::StopKind;

namespace {

StoppedWaves MakeFold(std::optional<uint64_t> address,
                      std::vector<uint64_t> threads) {
  StoppedWaves fold;
  fold.address = address;
  fold.threads = std::move(threads);
  return fold;
}

TEST(StoppedWavesTest, AreRuns) {
  std::vector<uint64_t> all(1000);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(FormatStoppedWaves(MakeFold(0x200003474f3c, all)),
            "200003474f3c=1+3e7");
  StoppedWaves hit = MakeFold(0x10, {5, 7, 8, 0x20});
  hit.stop.emplace().Kind = StopKind::Trace;
  const std::string record = llvm::toHex(R"({"kind":"trace"})", true);
  EXPECT_EQ(FormatStoppedWaves({MakeFold(std::nullopt, {6}), hit}),
            "=6|10," + record + "=5,2+1,18");
}

TEST(StoppedWavesTest, AreReadAsTheyWereWritten) {
  StoppedWaves fault = MakeFold(0x2000, {1, 3});
  fault.stop.emplace().Kind = StopKind::MemoryViolation;
  fault.stop->Signal = 11;
  fault.stop->Instruction = "x|y=z,";
  auto folds = ParseStoppedWaves(
      FormatStoppedWaves({fault, MakeFold(std::nullopt, {2, 4, 5, 6})}));
  ASSERT_TRUE(bool(folds));
  ASSERT_EQ(folds->size(), 2u);
  EXPECT_EQ((*folds)[0].address, 0x2000u);
  EXPECT_EQ((*folds)[0].stop, fault.stop);
  EXPECT_THAT((*folds)[0].threads, ElementsAre(1, 3));
  EXPECT_EQ((*folds)[1].address, std::nullopt);
  EXPECT_EQ((*folds)[1].stop, std::nullopt);
  EXPECT_THAT((*folds)[1].threads, ElementsAre(2, 4, 5, 6));
}

TEST(StoppedWavesTest, AreRefusedIfMalformed) {
  for (const char *text :
       {"x=1", "10=", "10=1+", "10=z", "10,xy=1", "10,7b7d=1", "10,5=1",
        "10=1+ffffffffffffffff", "10=ffffffffffffffff", "10=1+400000"}) {
    auto folds = ParseStoppedWaves(text);
    EXPECT_FALSE(bool(folds)) << text;
    llvm::consumeError(folds.takeError());
  }
}

} // namespace
