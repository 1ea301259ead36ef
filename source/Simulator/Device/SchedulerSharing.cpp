//===-- SchedulerSharing.cpp - turns of several threads -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves of different workgroups execute their turns at the same time, ahead of
// the schedule; what a turn ends with is done when it is due. So the schedule
// is the same as with one thread, and only accesses of memory meet in another
// order: by a turn's length at most, and never across an atomic of global
// memory, which waits until its turn is due.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include <algorithm>
#include <atomic>
#include <sched.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::StepResult;

/// After so many instructions a kernel is worth further threads, each of which
/// decodes and translates its code once more.
static constexpr uint64_t LeastWork = 1 << 22;
/// What a host with many cores has, since each has code of its own.
static constexpr unsigned UsualThreads = 4;
/// Turns that are shorter all together don't pay, nor do those of which most
/// wait for their order. After so many, it is tried again some rounds later.
static constexpr uint64_t LeastAhead = 1 << 14;
static constexpr unsigned MostPoor = 16, RoundsAlone = 64;

void Scheduler::setThreads(unsigned Count) {
  cpu_set_t Cores;
  if (!Count && sched_getaffinity(0, sizeof(Cores), &Cores) == 0)
    Count = std::min(unsigned(CPU_COUNT(&Cores)), UsualThreads);
  Threads = std::max(Count, 1u);
}

bool Scheduler::canShare(const Queue &Q) const {
  const Dispatch &D = *Q.Current;
  return Threads > 1 && D.Executed >= LeastWork && !D.RoundsAlone &&
         D.Resident.size() > 1 && Order.isUsual() && !Checks && !Repeating &&
         !Debug.attached() && !(Past && Past->isRecording());
}

void Scheduler::runAhead(Queue &Q, unsigned First, uint64_t Most) {
  std::vector<std::vector<Wave *>> Groups;
  unsigned Turn = 0;
  for (Workgroup &G : Q.Current->Resident) {
    std::vector<Wave *> Able;
    for (auto &W : G.Waves) {
      if (Turn++ < First || !Most || W->Ahead || !canRun(*W))
        continue;
      if (!prepareTurn(Q, *W))
        return;
      Able.push_back(W.get());
      --Most;
    }
    if (!Able.empty())
      Groups.push_back(std::move(Able));
    if (!Most)
      break;
  }
  if (Groups.size() < 2)
    return;
  std::atomic<size_t> Taken = 0;
  auto Work = [&](isa::Executor &On) {
    On.setLanesReversed(Q.Current->LanesReversed);
    On.setUnordered(true);
    for (size_t I; (I = Taken++) < Groups.size();)
      for (Wave *W : Groups[I])
        W->Ahead = On.run(W->State, Slice, /*PassBreak=*/false, Overtime);
    On.setUnordered(false);
  };
  if (!Pool)
    Pool = std::make_unique<llvm::DefaultThreadPool>(
        llvm::hardware_concurrency(Threads - 1));
  for (unsigned I = 1; I < Threads && I < Groups.size(); ++I)
    Pool->async([&Work, &On = Q.Agent->executor(I)] { Work(On); });
  Work(*Q.Agent->Executor);
  Pool->wait();
  uint64_t Executed = 0;
  size_t Count = 0, Ordered = 0;
  for (const std::vector<Wave *> &Group : Groups)
    for (const Wave *W : Group) {
      ++Count;
      Executed += W->Ahead->Executed;
      Ordered += W->Ahead->Reason == StepResult::Ordered;
    }
  unsigned &Poor = Q.Current->PoorShares;
  if (Executed >= LeastAhead && 2 * Ordered <= Count) {
    Poor -= Poor != 0;
  } else if ((Poor += 2) >= MostPoor) {
    Poor = MostPoor / 2;
    Q.Current->RoundsAlone = RoundsAlone;
  }
}

StepResult Scheduler::takeAhead(Queue &Q, Wave &W, uint64_t Length,
                                uint64_t Overtime) {
  StepResult R = std::move(*W.Ahead);
  W.Ahead.reset();
  if (R.Reason != StepResult::Ordered)
    return R;
  const uint64_t Before = R.Executed;
  R = Q.Agent->Executor->run(
      W.State, Length - std::min(Length, Before),
      /*PassBreak=*/false, Overtime - (Before > Length ? Before - Length : 0));
  R.Executed += Before;
  return R;
}
