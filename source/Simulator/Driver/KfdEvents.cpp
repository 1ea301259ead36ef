//===-- KfdEvents.cpp - KFD's events --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KfdEvents.h"
#include "UserMemory.h"

#include "Simulator/Common/Agent.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace wavelane;
using namespace wavelane::driver;
using Clock = std::chrono::steady_clock;

// Signal events have the first numbers; number 0 isn't an event.
static constexpr uint32_t FirstOther = 0x80000000;
// How often a waiting thread checks whether the device is still running.
static constexpr auto Patience = std::chrono::seconds(1);
// No program has more events than this to wait for at once.
static constexpr uint32_t MaxWaits = 2 * simulator::driver::SignalEvents;

void Events::wake() {
  __atomic_add_fetch(&Shared.interrupts, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&Shared.waiters, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &Shared.interrupts, FUTEX_WAKE, INT_MAX, nullptr,
            nullptr, 0);
}

int Events::create(kfd::CreateEventArguments &A) {
  std::lock_guard<std::mutex> Guard(Lock);
  const bool IsSignal =
      A.event_type == kfd::EventSignal || A.event_type == kfd::EventDebug;
  if (!IsSignal && A.event_type != kfd::EventMemory &&
      A.event_type != kfd::EventHwException)
    return -EINVAL;
  uint32_t Id = IsSignal ? 1 : FirstOther;
  const uint32_t End = IsSignal ? simulator::driver::SignalEvents : UINT32_MAX;
  while (Id < End && ById.count(Id))
    ++Id;
  if (Id == End)
    return -ENOSPC;
  Event &E = ById[Id];
  E.Type = A.event_type;
  E.AutoReset = A.auto_reset;
  A.event_id = Id;
  if (IsSignal) {
    A.event_slot_index = A.event_trigger_data = Id;
    // Nonzero, or libhsakmt doesn't give the event's address to the device.
    A.event_page_offset = kfd::MapEvents;
    // Clear a mark left by an earlier event with this number.
    __atomic_fetch_and(&Shared.signaled[Id / 64], ~(uint64_t(1) << Id % 64),
                       __ATOMIC_SEQ_CST);
  }
  return 0;
}

int Events::destroy(uint32_t Id) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (!ById.erase(Id))
      return -EINVAL;
    for (Waiters *Others : Waiting)
      for (Waiter &W : *Others)
        W.IsGone |= W.Id == Id;
  }
  wake();
  return 0;
}

void Events::signal(uint32_t Id, Event &E) {
  bool Any = false;
  for (Waiters *Others : Waiting)
    for (Waiter &W : *Others)
      if (W.Id == Id && !W.IsGone && !W.IsActivated)
        W.IsActivated = Any = true;
  E.Signaled = !E.AutoReset || !Any;
  ++E.Age;
}

int Events::set(uint32_t Id) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    auto It = ById.find(Id);
    if (It == ById.end() || It->second.Type != kfd::EventSignal)
      return -EINVAL;
    signal(Id, It->second);
  }
  wake();
  return 0;
}

int Events::reset(uint32_t Id) {
  std::lock_guard<std::mutex> Guard(Lock);
  takeMarks();
  auto It = ById.find(Id);
  if (It == ById.end() || It->second.Type != kfd::EventSignal)
    return -EINVAL;
  It->second.Signaled = false;
  return 0;
}

void Events::takeMarks() {
  for (uint32_t Word = 0; Word < simulator::driver::SignalEvents / 64; ++Word) {
    if (!__atomic_load_n(&Shared.signaled[Word], __ATOMIC_RELAXED))
      continue;
    uint64_t Marks =
        __atomic_exchange_n(&Shared.signaled[Word], 0, __ATOMIC_SEQ_CST);
    for (; Marks; Marks &= Marks - 1) {
      auto It = ById.find(Word * 64 + uint32_t(__builtin_ctzll(Marks)));
      if (It != ById.end())
        signal(It->first, It->second);
    }
  }
  if (__atomic_load_n(&Shared.faulted, __ATOMIC_SEQ_CST) &&
      __atomic_exchange_n(&Shared.faulted, 0, __ATOMIC_SEQ_CST)) {
    const simulator::driver::MemoryFault &F = Shared.fault;
    for (auto &[Id, E] : ById)
      if (E.Type == kfd::EventMemory) {
        E.Memory = {F.not_present,
                    F.read_only,
                    F.no_execute,
                    0,
                    F.address,
                    F.gpu_id,
                    0};
        signal(Id, E);
      }
  }
}

bool Events::startWaiting(const WantedEvents &Wanted, Waiters &Own) {
  takeMarks();
  for (const kfd::EventData &D : Wanted)
    if (!ById.count(D.event_id))
      return false;
  for (const kfd::EventData &D : Wanted) {
    Event &E = ById[D.event_id];
    Waiter W;
    W.Id = D.event_id;
    W.IsActivated = E.Signaled;
    E.Signaled &= !E.AutoReset;
    if (E.Type == kfd::EventSignal && D.last_event_age)
      W.IsActivated |= D.last_event_age != E.Age;
    Own.push_back(W);
  }
  Waiting.push_back(&Own);
  return true;
}

bool Events::isOver(kfd::WaitEventsArguments &A, WantedEvents &Wanted,
                    const Waiters &Own) {
  takeMarks();
  uint32_t Ready = 0;
  for (const Waiter &W : Own) {
    if (W.IsGone) {
      A.wait_result = kfd::WaitFail;
      return true;
    }
    Ready += W.IsActivated;
  }
  if (A.wait_for_all ? Ready != A.num_events : Ready == 0)
    return false;
  A.wait_result = kfd::WaitComplete;
  for (uint32_t I = 0; I < A.num_events; ++I) {
    const Event &E = ById[Own[I].Id];
    if (E.Type == kfd::EventSignal) {
      if (Wanted[I].last_event_age)
        Wanted[I].last_event_age = E.Age;
    } else if (Own[I].IsActivated) {
      Wanted[I].memory = E.Memory;
    }
  }
  return true;
}

void Events::sleep(uint32_t Seen, std::chrono::nanoseconds Left) {
  const auto Ns = Left.count();
  const timespec Time = {Ns / 1000000000, Ns % 1000000000};
  if (syscall(SYS_futex, &Shared.interrupts, FUTEX_WAIT, Seen, &Time, nullptr,
              0) == 0 ||
      errno != ETIMEDOUT || !DeviceHasEnded())
    return;
  // As when a GPU is lost.
  std::lock_guard<std::mutex> Guard(Lock);
  if (std::exchange(EndIsReported, true))
    return;
  fprintf(stderr, "wavelane: the simulated device has ended\n");
  bool IsDelivered = false;
  for (auto &[Id, E] : ById)
    if (E.Type == kfd::EventHwException) {
      // Reset type 0, cause 0: a hang; memory is lost. libhsakmt ignores it
      // without a GPU.
      E.Memory = {0, 0, 1, simulator::AgentId, 0, 0, 0};
      signal(Id, E);
      IsDelivered = true;
    }
  // Runtimes before ROCr 6 have no such event, and would wait for ever.
  if (!IsDelivered)
    abort();
}

int Events::wait(kfd::WaitEventsArguments &A) {
  const auto Begin = Clock::now();
  const auto Timeout = std::chrono::milliseconds(A.timeout);
  std::vector<uint8_t> Bytes;
  if (A.num_events > MaxWaits)
    return -ENOMEM;
  if (!copyFromUser(Bytes, A.events_ptr, A.num_events * sizeof(kfd::EventData)))
    return -EFAULT;
  WantedEvents Wanted(A.num_events);
  if (!Bytes.empty())
    memcpy(Wanted.data(), Bytes.data(), Bytes.size());
  Waiters Own;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (!startWaiting(Wanted, Own)) {
      A.wait_result = kfd::WaitFail;
      return -EINVAL;
    }
  }
  __atomic_add_fetch(&Shared.waiters, 1, __ATOMIC_SEQ_CST);
  while (true) {
    const uint32_t Seen = __atomic_load_n(&Shared.interrupts, __ATOMIC_SEQ_CST);
    {
      std::lock_guard<std::mutex> Guard(Lock);
      if (isOver(A, Wanted, Own))
        break;
    }
    auto Left = Clock::duration(Patience);
    if (A.timeout != UINT32_MAX) {
      const auto Spent = Clock::now() - Begin;
      if (Spent >= Timeout) {
        A.wait_result = kfd::WaitTimeout;
        break;
      }
      Left = std::min<Clock::duration>(Left, Timeout - Spent);
    }
    sleep(Seen, Left);
  }
  __atomic_sub_fetch(&Shared.waiters, 1, __ATOMIC_SEQ_CST);
  std::lock_guard<std::mutex> Guard(Lock);
  Waiting.remove(&Own);
  // An event that this wait reset, without having waited long enough for the
  // others, is signaled again.
  if (A.wait_result == kfd::WaitTimeout)
    for (const Waiter &W : Own)
      if (auto It = ById.find(W.Id); W.IsActivated && It != ById.end())
        It->second.Signaled |= It->second.AutoReset;
  if (A.wait_result == kfd::WaitFail)
    return -EIO;
  return copyToUser(A.events_ptr, Wanted.data(), Bytes.size()) ? 0 : -EFAULT;
}

bool Events::waitUntil(const std::function<bool()> &IsDone, uint64_t Deadline) {
  __atomic_add_fetch(&Shared.waiters, 1, __ATOMIC_SEQ_CST);
  bool Done = false;
  while (true) {
    const uint32_t Seen = __atomic_load_n(&Shared.interrupts, __ATOMIC_SEQ_CST);
    if ((Done = IsDone()) || DeviceHasEnded())
      break;
    const auto Now = uint64_t(
        std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
    if (Now >= Deadline)
      break;
    sleep(Seen, std::chrono::nanoseconds(std::min<uint64_t>(
                    Deadline - Now,
                    uint64_t(std::chrono::nanoseconds(Patience).count()))));
  }
  __atomic_sub_fetch(&Shared.waiters, 1, __ATOMIC_SEQ_CST);
  return Done;
}
