//===-- Events.cpp - KFD's events -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Events.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
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
  while (Id < End && All.count(Id))
    ++Id;
  if (Id == End)
    return -ENOSPC;
  Event &E = All[Id];
  E.Type = A.event_type;
  E.AutoReset = A.auto_reset;
  A.event_id = Id;
  if (IsSignal) {
    A.event_slot_index = A.event_trigger_data = Id;
    // Nonzero, or libhsakmt doesn't give the event's address to the device.
    A.event_page_offset = kfd::MapEvents;
    // Clear a mark left by an earlier event with this number.
    __atomic_fetch_and(&Shared.signalled[Id / 64], ~(uint64_t(1) << Id % 64),
                       __ATOMIC_SEQ_CST);
  }
  return 0;
}

int Events::destroy(uint32_t Id) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (!All.erase(Id))
      return -EINVAL;
  }
  wake(); // a thread that waits for it waits forever
  return 0;
}

void Events::signal(Event &E) {
  E.Signalled = true;
  ++E.Age;
}

int Events::set(uint32_t Id) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    auto It = All.find(Id);
    if (It == All.end() || It->second.Type != kfd::EventSignal)
      return -EINVAL;
    signal(It->second);
  }
  wake();
  return 0;
}

int Events::reset(uint32_t Id) {
  std::lock_guard<std::mutex> Guard(Lock);
  takeMarks();
  auto It = All.find(Id);
  if (It == All.end() || It->second.Type != kfd::EventSignal)
    return -EINVAL;
  It->second.Signalled = false;
  return 0;
}

void Events::takeMarks() {
  for (uint32_t Word = 0; Word < simulator::driver::SignalEvents / 64; ++Word) {
    if (!__atomic_load_n(&Shared.signalled[Word], __ATOMIC_RELAXED))
      continue;
    uint64_t Marks =
        __atomic_exchange_n(&Shared.signalled[Word], 0, __ATOMIC_SEQ_CST);
    for (; Marks; Marks &= Marks - 1) {
      auto It = All.find(Word * 64 + uint32_t(__builtin_ctzll(Marks)));
      if (It != All.end())
        signal(It->second);
    }
  }
  if (__atomic_load_n(&Shared.faulted, __ATOMIC_SEQ_CST) &&
      __atomic_exchange_n(&Shared.faulted, 0, __ATOMIC_SEQ_CST)) {
    const simulator::driver::MemoryFault &F = Shared.fault;
    for (auto &[Id, E] : All)
      if (E.Type == kfd::EventMemory) {
        E.Memory = {F.not_present,
                    F.read_only,
                    F.no_execute,
                    0,
                    F.address,
                    F.gpu_id,
                    0};
        signal(E);
      }
  }
}

int Events::wait(kfd::WaitEventsArguments &A) {
  auto *Wanted = reinterpret_cast<kfd::EventData *>(A.events_ptr);
  const auto Begin = Clock::now();
  const auto Timeout = std::chrono::milliseconds(A.timeout);
  __atomic_add_fetch(&Shared.waiters, 1, __ATOMIC_SEQ_CST);
  int Result = 0;
  for (bool First = true;; First = false) {
    const uint32_t Seen = __atomic_load_n(&Shared.interrupts, __ATOMIC_SEQ_CST);
    {
      std::lock_guard<std::mutex> Guard(Lock);
      takeMarks();
      uint32_t Ready = 0;
      bool Unknown = false;
      for (uint32_t I = 0; I < A.num_events; ++I) {
        auto It = All.find(Wanted[I].event_id);
        if (It == All.end()) {
          Unknown = true;
          break;
        }
        const Event &E = It->second;
        const bool HasChanged = E.Type == kfd::EventSignal &&
                                Wanted[I].last_event_age &&
                                Wanted[I].last_event_age != E.Age;
        Ready += E.Signalled || HasChanged;
      }
      if (Unknown) {
        A.wait_result = kfd::WaitFail;
        Result = First ? -EINVAL : -EIO;
        break;
      }
      if (A.wait_for_all ? Ready == A.num_events : Ready > 0) {
        A.wait_result = kfd::WaitComplete;
        for (uint32_t I = 0; I < A.num_events; ++I) {
          Event &E = All[Wanted[I].event_id];
          if (E.Type == kfd::EventSignal) {
            if (Wanted[I].last_event_age)
              Wanted[I].last_event_age = E.Age;
          } else if (E.Signalled) {
            Wanted[I].memory = E.Memory;
          }
          if (E.Signalled && E.AutoReset)
            E.Signalled = false;
        }
        break;
      }
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
    const auto Ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Left).count();
    const timespec Time = {Ns / 1000000000, Ns % 1000000000};
    if (syscall(SYS_futex, &Shared.interrupts, FUTEX_WAIT, Seen, &Time, nullptr,
                0) == 0 ||
        errno != ETIMEDOUT || !DeviceHasEnded())
      continue;
    // As when a GPU is lost.
    std::lock_guard<std::mutex> Guard(Lock);
    if (std::exchange(ToldOfEnd, true))
      continue;
    fprintf(stderr, "wavelane: the simulated device has ended\n");
    for (auto &[Id, E] : All)
      if (E.Type == kfd::EventHwException) {
        // Reset type 0, cause 0: a hang; memory is lost.
        E.Memory = {0, 0, 1, Shared.fault.gpu_id, 0, 0, 0};
        signal(E);
      }
  }
  __atomic_sub_fetch(&Shared.waiters, 1, __ATOMIC_SEQ_CST);
  return Result;
}
