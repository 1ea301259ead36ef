//===-- EventsTest.cpp - KFD's events -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Driver/KfdEvents.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

using namespace wavelane;
using driver::Events;

namespace {

class EventsTest : public testing::Test {
protected:
  simulator::driver::Control Shared = {};
  Events All{Shared, [] { return false; }};

  uint32_t create(uint32_t Type, bool AutoReset) {
    kfd::CreateEventArguments A = {};
    A.event_type = Type;
    A.auto_reset = AutoReset;
    EXPECT_EQ(All.create(A), 0);
    return A.event_id;
  }

  struct Outcome {
    int Error;
    uint32_t Result;
  };
  Outcome wait(const std::vector<uint32_t> &Ids, uint32_t Timeout,
               bool ForAll = false) {
    std::vector<kfd::EventData> Data(Ids.size());
    for (size_t I = 0; I < Ids.size(); ++I)
      Data[I].event_id = Ids[I];
    kfd::WaitEventsArguments A = {};
    A.events_ptr = reinterpret_cast<uint64_t>(Data.data());
    A.num_events = uint32_t(Data.size());
    A.wait_for_all = ForAll;
    A.timeout = Timeout;
    const int Error = All.wait(A);
    return {Error, A.wait_result};
  }

  void waitUntilWaiting(uint32_t Count) {
    while (__atomic_load_n(&Shared.waiters, __ATOMIC_SEQ_CST) != Count)
      std::this_thread::yield();
  }
};

} // namespace

TEST_F(EventsTest, SignalWakesEveryWaiter) {
  // AMD's runtime destroys a queue in one thread while another one waits for
  // the same event.
  const uint32_t Id = create(kfd::EventSignal, /*AutoReset=*/true);
  std::atomic<int> Woken{0};
  std::vector<std::thread> Threads;
  for (int I = 0; I < 3; ++I)
    Threads.emplace_back(
        [&] { Woken += wait({Id}, UINT32_MAX).Result == kfd::WaitComplete; });
  waitUntilWaiting(3);
  EXPECT_EQ(All.set(Id), 0);
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Woken, 3);
  // Waiters took the signal.
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitTimeout);
}

TEST_F(EventsTest, SignalWithoutWaitersIsKeptForOne) {
  const uint32_t Id = create(kfd::EventSignal, /*AutoReset=*/true);
  EXPECT_EQ(All.set(Id), 0);
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitComplete);
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitTimeout);
}

TEST_F(EventsTest, DevicesMarkIsASignal) {
  const uint32_t Id = create(kfd::EventSignal, /*AutoReset=*/true);
  Shared.signaled[Id / 64] |= uint64_t(1) << Id % 64;
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitComplete);
}

TEST_F(EventsTest, ManualEventStaysSignaled) {
  const uint32_t Id = create(kfd::EventSignal, /*AutoReset=*/false);
  EXPECT_EQ(All.set(Id), 0);
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitComplete);
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitComplete);
  EXPECT_EQ(All.reset(Id), 0);
  EXPECT_EQ(wait({Id}, 0).Result, kfd::WaitTimeout);
}

TEST_F(EventsTest, WaitForAllKeepsWhatItDidNotUse) {
  const uint32_t First = create(kfd::EventSignal, /*AutoReset=*/true);
  const uint32_t Second = create(kfd::EventSignal, /*AutoReset=*/true);
  EXPECT_EQ(All.set(First), 0);
  EXPECT_EQ(wait({First, Second}, 0, /*ForAll=*/true).Result, kfd::WaitTimeout);
  EXPECT_EQ(wait({First}, 0).Result, kfd::WaitComplete);
}

TEST_F(EventsTest, DestroyedEventEndsItsWait) {
  const uint32_t Id = create(kfd::EventSignal, /*AutoReset=*/true);
  Outcome Found = {};
  std::thread Waiter([&] { Found = wait({Id}, UINT32_MAX); });
  waitUntilWaiting(1);
  EXPECT_EQ(All.destroy(Id), 0);
  Waiter.join();
  EXPECT_EQ(Found.Error, -EIO);
  EXPECT_EQ(Found.Result, kfd::WaitFail);
  EXPECT_EQ(wait({Id}, 0).Error, -EINVAL);
}

/// Waits without limit for an event of a device that has ended.
static kfd::EventData waitForLost(Events &Lost, uint32_t Type) {
  kfd::CreateEventArguments Create = {};
  Create.event_type = Type;
  EXPECT_EQ(Lost.create(Create), 0);
  kfd::EventData Data = {};
  Data.event_id = Create.event_id;
  kfd::WaitEventsArguments A = {};
  A.events_ptr = reinterpret_cast<uint64_t>(&Data);
  A.num_events = 1;
  A.timeout = UINT32_MAX;
  EXPECT_EQ(Lost.wait(A), 0);
  EXPECT_EQ(A.wait_result, kfd::WaitComplete);
  return Data;
}

TEST_F(EventsTest, LostDeviceIsAnExceptionOfItsGpu) {
  Events Lost{Shared, [] { return true; }};
  const kfd::EventData Data = waitForLost(Lost, kfd::EventHwException);
  // The kernel's reset_type, reset_cause, memory_lost and gpu_id.
  uint32_t Words[4];
  memcpy(Words, &Data, sizeof(Words));
  EXPECT_EQ(Words[2], 1u);
  EXPECT_NE(Words[3], 0u);
}

TEST_F(EventsTest, LostDeviceEndsAProgramThatGetsNoEvent) {
  EXPECT_DEATH(
      {
        Events Lost(Shared, [] { return true; });
        waitForLost(Lost, kfd::EventSignal);
      },
      "the simulated device has ended");
}
