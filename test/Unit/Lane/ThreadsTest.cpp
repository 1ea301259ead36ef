//===-- ThreadsTest.cpp - what threads of LLDB share ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands, the event handler and the status line access the same waves
// concurrently. Also runs under ThreadSanitizer.
//===----------------------------------------------------------------------===//

#include "Core/Lane/LaneTables.h"
#include "Core/Lane/WindowAddress.h"
#include "Process/AMDGPU/StopLanes.h"
#include "Process/AMDGPU/WaveName.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace lldb_private::wavelane;
using testing::ElementsAre;

namespace lldb_private::wavelane {
/// Like the one in ProcessLanes.h, without a process.
class WindowObject {
public:
  explicit WindowObject(uint32_t stop_id = 0) : stop_id(stop_id) {}
  const uint32_t stop_id;
};
} // namespace lldb_private::wavelane

namespace {

constexpr unsigned kThreads = 4;
constexpr unsigned kRounds = 2000;

/// Calls \a work concurrently in several threads, with the number of each.
void InThreads(const std::function<void(unsigned)> &work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

TEST(LaneTables, FirstFocusIsDecidedOnce) {
  LaneTables tables;
  for (uint64_t tid = 0; tid < 100; ++tid) {
    uint32_t seen[kThreads];
    InThreads([&](unsigned i) { seen[i] = tables.SetFirstFocus(tid, i); });
    EXPECT_THAT(seen, testing::Each(*tables.GetFocus(tid)));
  }
}

TEST(LaneTables, ThreadsUseThemAtOnce) {
  LaneTables tables;
  InThreads([&](unsigned i) {
    for (unsigned round = 0; round < kRounds; ++round) {
      const uint64_t tid = round % 16;
      tables.SetFocus(tid, round % 3 ? std::optional(i) : std::nullopt);
      if (std::optional<uint32_t> focus = tables.GetFocus(tid))
        EXPECT_LT(*focus, kThreads);
      tables.SetName(tid, i, round % 2 ? "one" : "");
      EXPECT_THAT(tables.GetName(tid, i), testing::AnyOf("", "one"));
      for (const NamedLane &named : tables.GetLaneNames())
        EXPECT_EQ(named.name, "one");
      if (round % 64 == 0)
        tables.Forget({tid});
      EXPECT_LE(tables.GetThreads().size(), 16u);
      // Each thread has one number, whichever thread asks first.
      std::optional<uint32_t> slot = tables.GetSlot(tid);
      ASSERT_TRUE(slot);
      EXPECT_EQ(tables.FindThreadOfSlot(*slot), tid);
    }
  });
  EXPECT_EQ(tables.FindThreadOfSlot(16), std::nullopt);
}

TEST(LaneTables, AnObjectIsOfItsStop) {
  LaneTables tables;
  InThreads([&](unsigned) {
    for (unsigned round = 0; round < kRounds; ++round) {
      const uint32_t stop_id = round / 100;
      std::optional<uint32_t> id = tables.AddObject(
          stop_id, "object", std::make_shared<WindowObject>(stop_id));
      ASSERT_TRUE(id);
      // Another thread may be at a later stop.
      if (std::shared_ptr<WindowObject> object =
              tables.FindObject(stop_id, *id))
        EXPECT_EQ(object->stop_id, stop_id);
    }
  });
  const uint32_t id =
      *tables.AddObject(1000, "one", std::make_shared<WindowObject>(1000));
  EXPECT_EQ(tables.AddObject(1000, "one", std::make_shared<WindowObject>(1000)),
            id);
  EXPECT_NE(tables.AddObject(1000, "two", std::make_shared<WindowObject>(1000)),
            id);
  EXPECT_FALSE(tables.FindObject(1001, id));
  EXPECT_TRUE(tables.FindObject(1000, id));
}

TEST(LaneTables, ItIsTimeToForgetEachThousandThreads) {
  LaneTables tables;
  unsigned times = 0;
  for (uint64_t tid = 0; tid < 2048; ++tid) {
    times += tables.SetFocus(tid, 1);
    EXPECT_FALSE(tables.SetFocus(tid, 2));
  }
  EXPECT_EQ(times, 2u);
}

TEST(LaneTables, NumbersOfThreadsEnd) {
  LaneTables tables;
  for (uint64_t tid = 0; tid <= SpaceAddress::kMaxSlot; ++tid)
    ASSERT_EQ(tables.GetSlot(tid), tid);
  EXPECT_EQ(tables.GetSlot(SpaceAddress::kMaxSlot + 1), std::nullopt);
  EXPECT_EQ(tables.GetSlot(7), 7u);
}

TEST(WaveName, ThreadsUseItAtOnce) {
  WaveName wave;
  std::array<const char *, kThreads> first;
  InThreads([&](unsigned i) {
    first[i] = wave.Keep("lane " + std::to_string(i));
    for (unsigned round = 0; round < kRounds; ++round) {
      wave.Set("saxpy (1,0,0)/2");
      wave.SetOrigin(std::make_shared<const WaveOrigin>(WaveOrigin{"saxpy"}));
      EXPECT_EQ(wave.Get(), "saxpy (1,0,0)/2");
      EXPECT_EQ(wave.GetOrigin()->kernel, "saxpy");
      const std::string text = "lane " + std::to_string(round % 64);
      EXPECT_EQ(wave.Keep(text), text);
    }
  });
  // Numbers given out at the beginning haven't changed.
  EXPECT_THAT(first,
              ElementsAre(testing::StrEq("lane 0"), testing::StrEq("lane 1"),
                          testing::StrEq("lane 2"), testing::StrEq("lane 3")));
}

TEST(StopLanes, ThreadsUseThemAtOnce) {
  StopLanes lanes;
  InThreads([&](unsigned i) {
    for (unsigned round = 0; round < kRounds; ++round) {
      if (i == 0)
        lanes.Set({{1, round % 2 ? 4 : 8}});
      EXPECT_THAT(lanes.Get(1), testing::AnyOf(0u, 4u, 8u));
      EXPECT_EQ(lanes.Get(2), 0u);
      EXPECT_LE(lanes.GetAll().size(), 1u);
    }
  });
  EXPECT_THAT(lanes.GetAll(), ElementsAre(testing::Pair(1, 4)));
}

} // namespace
