//===-- GarbageTest.cpp - nonsense in rings of PM4 and SDMA packets -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Device/CopyEngine.h"
#include "Simulator/Device/FileMemory.h"
#include "Simulator/Device/Scheduler.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include "gtest/gtest.h"

#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

constexpr uint64_t At = 0x10000000, RingSize = 4096;
constexpr uint64_t RingAt = At, IndicesAt = At + 0x2000, DataAt = At + 0x4000;

class GarbageTest : public testing::Test {
protected:
  void SetUp() override {
    const int Fd = memfd_create("test-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(Fd, off_t(driver::FileSize)), 0);
    std::string Error;
    ASSERT_TRUE(Memory.map(Fd, 1, uint32_t(getpid()), Error)) << Error;
    Memory.BeforeUnmap = [](uint64_t, uint64_t) {};
    FileMemory::Object O;
    O.Address = At;
    O.Size = 0x10000;
    O.Flags = kfd::AllocVram | kfd::AllocWritable;
    uint64_t Handle;
    ASSERT_EQ(Memory.allocate(O, Handle), 0);
    ASSERT_EQ(Memory.mapOn(Handle, 0), 0);
    Runtime.WritesQuietly = true;
    Runtime.ReportError = [this](const Queue &, const QueueErrorEvent &E) {
      Why = E.instruction;
    };
    Q.Agent = &GPU;
    Q.Ring = RingAt;
    Q.RingSize = RingSize;
    Q.WriteIndex = IndicesAt;
    Q.ReadIndex = IndicesAt + 8;
  }

  template <typename T> T &memory(uint64_t Address) {
    return *reinterpret_cast<T *>(
        Memory.get(Address, sizeof(T), isa::Access::Atomic));
  }
  /// Fills the ring; half of the packets begin with \a Header and an address in
  /// the memory.
  template <typename F> void fillRing(F Header) {
    for (uint64_t I = 0; I < RingSize / 4; ++I)
      memory<uint32_t>(RingAt + 4 * I) = uint32_t(Random());
    for (uint64_t I = 0; I < RingSize / 4; I += 8 + Random() % 8) {
      memory<uint32_t>(RingAt + 4 * I) = Header();
      for (uint64_t J : {1, 2, 3, 4, 5, 6})
        if (Random() % 2 && I + J + 1 < RingSize / 4)
          memory<uint64_t>(RingAt + 4 * (I + J) / 8 * 8) =
              DataAt + Random() % 0x800 * 4;
    }
  }
  void restart() {
    Waves.abandon(Q);
    Q.Failed = false;
    Q.InIndirect = Q.WordsDone = 0;
    Why.clear();
    memory<uint64_t>(IndicesAt) = memory<uint64_t>(IndicesAt + 8) = 0;
  }

  std::mt19937_64 Random{42};
  FileMemory Memory;
  Agent GPU{gpu::get(gpu::DefaultDevice), 2, 0, Memory};
  DebugSession Debug;
  ProgramRuntime Runtime;
  Scheduler Waves{Memory, Debug, Runtime};
  PageRetry Retry{Memory};
  CopyEngine Copies{Memory, Waves, Retry};
  Queue Q;
  std::string Why;
};

} // namespace

TEST_F(GarbageTest, Pm4QueueEndsWithAnError) {
  Q.Kind = QueueKind::Pm4;
  unsigned Failed = 0;
  for (unsigned I = 0; I < 3000; ++I) {
    restart();
    fillRing([this] {
      static const uint32_t Known[] = {0x10, 0x15, 0x1e, 0x37, 0x3c, 0x3f,
                                       0x40, 0x46, 0x49, 0x58, 0x76};
      return 3u << 30 | uint32_t(Random() % 12) << 16 |
             Known[Random() % std::size(Known)] << 8;
    });
    memory<uint64_t>(IndicesAt) = RingSize / 4;
    // It ends, or waits for memory: never anything else.
    for (unsigned Turn = 0; Turn < 1000 && !Q.Failed; ++Turn)
      if (!Waves.run(Q).Worked)
        break;
    if (Q.Failed) {
      ++Failed;
      EXPECT_NE(Why, "");
    }
  }
  EXPECT_GT(Failed, 1000u);
}

TEST_F(GarbageTest, SdmaQueueEndsWithAnError) {
  Q.Kind = QueueKind::Sdma;
  testing::internal::CaptureStderr();
  unsigned Refused = 0;
  for (unsigned I = 0; I < 3000; ++I) {
    restart();
    fillRing([this] {
      return uint32_t(Random() % 18) | uint32_t(Random() % 5) << 8 |
             uint32_t(Random() % 4096) << 20;
    });
    memory<uint64_t>(IndicesAt) = RingSize;
    for (unsigned Turn = 0; Turn < 1000 && !Q.Failed; ++Turn)
      if (!Copies.run(Q).Worked)
        break;
    Refused += !Why.empty();
  }
  const std::string Text = testing::internal::GetCapturedStderr();
  EXPECT_GT(Refused, 500u);
  EXPECT_NE(Text.find("SDMA queue 0 has stopped: packet with operation"),
            std::string::npos);
}

TEST_F(GarbageTest, IndexBeyondTheRingIsAnError) {
  Q.Kind = QueueKind::Pm4;
  restart();
  memory<uint64_t>(IndicesAt) = ~uint64_t(0);
  Waves.run(Q);
  EXPECT_TRUE(Q.Failed);
  EXPECT_EQ(Why, "the write index is beyond the ring");

  Q.Kind = QueueKind::Sdma;
  restart();
  memory<uint64_t>(IndicesAt) = RingSize + 4;
  testing::internal::CaptureStderr();
  Copies.run(Q);
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(Q.Failed);
  EXPECT_EQ(Why, "its indices 0 and 4100 don't fit a ring of 4096 bytes");
}

TEST_F(GarbageTest, IndicesInUnmappedMemoryDoNothing) {
  Q.WriteIndex = 0x1000;
  for (QueueKind Kind : {QueueKind::Pm4, QueueKind::Aql}) {
    Q.Kind = Kind;
    EXPECT_FALSE(Waves.run(Q).Worked);
  }
  EXPECT_FALSE(Copies.run(Q).Worked);
}

TEST_F(GarbageTest, SharedHandlesMustBeKnown) {
  FileMemory::Object O;
  O.Address = At + 0x100000;
  O.Size = 0x1000;
  O.Flags = kfd::AllocVram;
  uint64_t Handle;
  ASSERT_EQ(Memory.allocate(O, Handle), 0);
  driver::SharedObject S;
  ASSERT_EQ(Memory.share(Handle, 5, S), 0);
  EXPECT_EQ(Memory.findShared(S.handle), Handle);
  driver::ShareHandle Guess = S.handle;
  ++Guess.nonce;
  EXPECT_EQ(Memory.findShared(Guess), 0u);
  Guess = {S.handle.pid, uint32_t(1), 0};
  EXPECT_EQ(Memory.findShared(Guess), 0u);
  // Another program still needs it.
  Memory.hold(Handle);
  EXPECT_EQ(Memory.free(Handle), 0);
  EXPECT_EQ(Memory.free(Handle), -EINVAL);
  EXPECT_NE(Memory.find(Handle), nullptr);
  Memory.release(Handle);
  EXPECT_EQ(Memory.find(Handle), nullptr);
}
