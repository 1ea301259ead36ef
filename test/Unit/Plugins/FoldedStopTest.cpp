//===-- FoldedStopTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process/AMDGPU/WaveStops.h"

#include "gtest/gtest.h"
#include <map>

using namespace lldb_private::wavelane;
using wavelane::protocol::StopKind;
using wavelane::server::StoppedWaves;

namespace {

StoppedWaves At(uint64_t address, std::vector<uint64_t> threads,
                std::optional<StopKind> kind = std::nullopt) {
  StoppedWaves fold;
  fold.address = address;
  fold.threads = std::move(threads);
  if (kind)
    fold.stop.emplace().Kind = *kind;
  return fold;
}

const auto IsReason = [](const StoppedWaves &fold) { return bool(fold.stop); };

TEST(FoldedStopTest, PlacesOfMovedWavesCountOnce) {
  auto base_sp = std::make_shared<const FoldedStop>(
      std::vector{At(0x10, {1, 2, 5}), At(0x20, {3}), At(0x30, {4, 6})});
  const FoldedStop stop(base_sp,
                        {At(0x20, {1}), At(0x40, {3}, StopKind::Trace)});
  std::map<uint64_t, size_t> counts;
  for (const FoldedStop::Place &place : stop.GetPlaces()) {
    counts[*place.address] += place.count;
    ASSERT_TRUE(stop.Find(place.wave));
    EXPECT_EQ(stop.Find(place.wave)->address, place.address);
  }
  EXPECT_EQ(counts, (std::map<uint64_t, size_t>{
                        {0x10, 2}, {0x20, 1}, {0x30, 2}, {0x40, 1}}));
}

TEST(FoldedStopTest, SelectsFewWavesOrNone) {
  const FoldedStop stop({At(0x10, {1, 2, 3}),
                         At(0x20, {4}, StopKind::Breakpoint),
                         At(0x30, {5, 6}, StopKind::MemoryViolation)});
  EXPECT_EQ(stop.Select(3, IsReason), (std::vector<lldb::tid_t>{4, 5, 6}));
  EXPECT_EQ(stop.Select(2, IsReason), std::nullopt);
}

TEST(FoldedStopTest, SelectsOnlyFromAStopThatListsAll) {
  auto base_sp = std::make_shared<const FoldedStop>(
      std::vector{At(0x10, {1, 2}, StopKind::Breakpoint)});
  EXPECT_EQ(FoldedStop(base_sp, {At(0x20, {1})}).Select(9, IsReason),
            std::nullopt);
}

} // namespace
