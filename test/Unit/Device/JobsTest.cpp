//===-- JobsTest.cpp - jobs of the render nodes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Device/FileMemory.h"
#include "Simulator/Device/RenderJobs.h"
#include "Simulator/Device/Scheduler.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <initializer_list>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

constexpr uint64_t At = 0x10000000;
constexpr uint64_t DataAt = At + 0x4000;

class JobsTest : public testing::Test {
protected:
  void SetUp() override {
    const int Fd = memfd_create("test-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(Fd, off_t(driver::FileSize)), 0);
    std::string Error;
    ASSERT_TRUE(Memory.map(Fd, 2, uint32_t(getpid()), Error)) << Error;
    FileMemory::Object O;
    O.Address = At;
    O.Size = 0x10000;
    O.Flags = kfd::AllocVram | kfd::AllocWritable;
    uint64_t Handle;
    ASSERT_EQ(Memory.allocate(O, Handle), 0);
    ASSERT_EQ(Memory.mapOn(Handle, 0), 0);
    ASSERT_EQ(Memory.mapOn(Handle, 1), 0);
    Runtime.ReportError = [](const Queue &, const QueueErrorEvent &) {};
    for (unsigned I = 0; I < 2; ++I)
      All.push_back(std::make_unique<Agent>(gpu::get(gpu::DefaultDevice), 2, I,
                                            Memory.of(I)));
  }

  uint32_t &word(uint64_t Address) {
    return *reinterpret_cast<uint32_t *>(
        Memory.get(Address, 4, isa::Access::Atomic));
  }
  /// \return The job's fence; 0 if it was refused.
  uint64_t submit(unsigned Gpu, std::initializer_list<uint32_t> Words) {
    kfd::JobArguments A = {Next, uint32_t(Words.size() * 4), Gpu, 0};
    for (uint32_t W : Words) {
      word(Next) = W;
      Next += 4;
    }
    return Work.submit(A) ? 0 : A.fence;
  }
  int query(uint64_t Fence) { return Work.query({0, 0, 0, Fence}); }

  // Packets of a copy engine.
  static constexpr uint32_t Low = uint32_t(DataAt);
  static constexpr uint32_t FenceOp = 5, PollOp = 8 | 3u << 28 | 1u << 31;

  FileMemory Memory;
  Agents All;
  DebugSession Debug;
  ProgramRuntime Runtime;
  Scheduler Waves{Memory, Debug, Runtime};
  PageRetry Retry{Memory};
  CopyEngine Engine{Memory, Waves, Retry};
  Jobs Work{Memory, All, Engine};
  uint64_t Next = At;
};

} // namespace

TEST_F(JobsTest, EndInTheirOrder) {
  // The first waits until the word is 7.
  const uint64_t First =
      submit(0, {PollOp, Low, 0, 7, ~0u, 0, FenceOp, Low + 8, 0, 11});
  const uint64_t Second = submit(0, {FenceOp, Low + 12, 0, 12});
  const uint64_t Other = submit(1, {FenceOp, Low + 16, 0, 13});
  ASSERT_TRUE(First && Second && Other);
  for (unsigned I = 0; I < 3; ++I)
    EXPECT_TRUE(Work.run().Waiting);
  EXPECT_EQ(query(First), -EBUSY);
  EXPECT_EQ(query(Second), -EBUSY);
  EXPECT_EQ(query(Other), 0);
  EXPECT_EQ(word(DataAt + 16), 13u);
  word(DataAt) = 7;
  EXPECT_TRUE(Work.run().Worked);
  EXPECT_EQ(query(First), 0);
  EXPECT_EQ(query(Second), -EBUSY);
  EXPECT_TRUE(Work.run().Worked);
  EXPECT_EQ(query(Second), 0);
  EXPECT_EQ(word(DataAt + 8), 11u);
  EXPECT_EQ(word(DataAt + 12), 12u);
  EXPECT_FALSE(Work.run().Worked);
}

TEST_F(JobsTest, OneThatFailsDoesNotKeepOthers) {
  testing::internal::CaptureStderr();
  const uint64_t Bad = submit(0, {0xff, FenceOp, Low, 0, 1});
  const uint64_t Good = submit(0, {FenceOp, Low + 8, 0, 2});
  Work.run();
  Work.run();
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(query(Bad), 0);
  EXPECT_EQ(query(Good), 0);
  EXPECT_EQ(word(DataAt), 0u);
  EXPECT_EQ(word(DataAt + 8), 2u);
}

TEST_F(JobsTest, WrongOnesAreRefused) {
  EXPECT_EQ(query(1234), -EINVAL);
  EXPECT_EQ(submit(2, {0}), 0u);
  EXPECT_EQ(submit(0, {}), 0u);
}
