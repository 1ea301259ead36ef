//===-- WaveProcessPartsTest.cpp - small parts of the waves' process ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process/AMDGPU/NotedReads.h"
#include "Process/AMDGPU/OpenedCore.h"
#include "Process/AMDGPU/PauseReport.h"
#include "Process/AMDGPU/StepBreakpoints.h"

#include "gmock/gmock.h"

#include <thread>

using namespace lldb_private;
using namespace lldb_private::wavelane;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using ::wavelane::protocol::Simulation;

TEST(NotedReads, AThreadsReadsAreNotedOthersCount) {
  NotedReads reads;
  EXPECT_FALSE(reads.Add(0x1000, 4));
  reads.Begin();
  EXPECT_TRUE(reads.Add(0x2000, 8));
  EXPECT_TRUE(reads.Add(0x1000, 4));
  EXPECT_TRUE(reads.Add(0x2000, 8));
  bool is_noted = true;
  std::thread([&] { is_noted = reads.Add(0x3000, 4); }).join();
  EXPECT_FALSE(is_noted);
  EXPECT_THAT(reads.Take(), ElementsAre(Pair(0x1000, 4), Pair(0x2000, 8)));
  EXPECT_FALSE(reads.Add(0x2000, 8));
  EXPECT_THAT(reads.Take(), IsEmpty());
  EXPECT_EQ(reads.GetCount(), 3u);
}

TEST(NotedReads, WhatWasGivenUpIsForgotten) {
  NotedReads reads;
  reads.Begin();
  reads.Add(0x1000, 4);
  reads.Begin();
  EXPECT_THAT(reads.Take(), IsEmpty());
}

TEST(PauseReport, OfTheStopOfThePause) {
  PauseReport pause;
  EXPECT_FALSE(pause.IsOf(0));
  EXPECT_EQ(pause.DescribeOthers(7, 0), "");
  EXPECT_EQ(pause.DescribeOthers(7, 1),
            "  1 more wave is stopped ('thread list' shows it)\n");
  pause.Set(7, "2 wait at a barrier at a.hip:7");
  EXPECT_TRUE(pause.IsOf(7));
  EXPECT_EQ(pause.DescribeOthers(7, 2),
            "  2 more waves are stopped: 2 wait at a barrier at a.hip:7 "
            "('thread list' shows them)\n");
  EXPECT_EQ(pause.DescribeOthers(8, 2),
            "  2 more waves are stopped ('thread list' shows them)\n");
}

TEST(StepBreakpoints, EachIsTakenOnce) {
  StepBreakpoints kept;
  EXPECT_FALSE(kept.Take(0x100));
  kept.Keep(0x100);
  kept.Keep(0x104);
  EXPECT_TRUE(kept.Take(0x100));
  EXPECT_FALSE(kept.Take(0x100));
  EXPECT_TRUE(kept.Take(0x104));
}

TEST(OpenedCore, AProgramIsLive) {
  OpenedCore none{FileSpec()};
  EXPECT_FALSE(none);
  EXPECT_TRUE(none.IsLive());
  EXPECT_FALSE(none.Simulates());
  EXPECT_FALSE(llvm::cantFail(none.Simulate([]() -> llvm::Expected<Simulation> {
    ADD_FAILURE() << "nothing is to be simulated";
    return Simulation();
  })));
}

TEST(OpenedCore, ItsWavesRunOnOnce) {
  OpenedCore core(FileSpec("/tmp/core.7"));
  EXPECT_TRUE(core);
  EXPECT_FALSE(core.IsLive());
  EXPECT_TRUE(
      llvm::errorToBool(core.Simulate([]() -> llvm::Expected<Simulation> {
                              return llvm::createStringError("not on this GPU");
                            })
                            .takeError()));
  EXPECT_FALSE(core.IsLive());
  unsigned asked = 0;
  const auto answer = [&]() -> llvm::Expected<Simulation> {
    ++asked;
    Simulation begun;
    begun.Processor = "gfx90a";
    return begun;
  };
  auto begun = llvm::cantFail(core.Simulate(answer));
  ASSERT_TRUE(begun);
  EXPECT_EQ(core.Describe(*begun),
            "This is a simulation from here: the core's waves run on a "
            "simulated gfx90a; core.7 stays as it is\n");
  EXPECT_TRUE(core.IsLive());
  EXPECT_TRUE(core.Simulates());
  EXPECT_FALSE(llvm::cantFail(core.Simulate(answer)));
  EXPECT_EQ(asked, 1u);
}

TEST(OpenedCore, TheHostsMemoryIsInAnotherFileOrNone) {
  OpenedCore core(FileSpec("/tmp/gpucore.7"));
  core.SetHostCore(FileSpec("/tmp/host.7"));
  EXPECT_EQ(core.GetHostCore(), FileSpec("/tmp/host.7"));
  core.SetHostCore(core.GetFile());
  EXPECT_FALSE(core.GetHostCore());
}
