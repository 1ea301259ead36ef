//===-- SchedulerSharing.cpp - turns of several threads -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves of different workgroups execute their turns at the same time, ahead of
// the schedule; what a turn ends with is done when it is due. So the schedule
// is the same as with one thread, and only accesses of memory meet in another
// order: by eight turns at most, and never across an atomic of global memory,
// which waits until its turn is due.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <sched.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::StepResult;

/// After so many instructions, in all its dispatches, a kernel is worth further
/// threads, each of which decodes and translates its code once more; and a
/// dispatch, after so many of its own.
static constexpr uint64_t LeastInstructions = 1 << 22,
                          LeastOfDispatch = 1 << 16;
static constexpr size_t MostKernels = 1 << 12;
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

void Scheduler::noteInstructions(Dispatch &D, uint64_t Executed) {
  D.Executed += Executed;
  if (Threads == 1)
    return;
  if (KernelInstructions.size() == MostKernels &&
      !KernelInstructions.count(D.Kernel.Entry))
    KernelInstructions.clear();
  KernelInstructions[D.Kernel.Entry] += Executed;
}

bool Scheduler::canShare(const Queue &Q) const {
  const Dispatch &D = *Q.Current;
  const auto Found = KernelInstructions.find(D.Kernel.Entry);
  return Threads > 1 && D.Executed >= LeastOfDispatch &&
         Found != KernelInstructions.end() &&
         Found->second >= LeastInstructions && !D.RoundsAlone &&
         D.Resident.size() > 1 && Order.isUsual() && !Checks && !Repeating &&
         !Debug.attached() && !(TheRecorder && TheRecorder->isRecording());
}

namespace {
/// Waves of a workgroup, which take turns with each other as usual.
struct SharedGroup {
  std::vector<Wave *> Waves;
  /// Others of the workgroup can run as well.
  bool IsPartial = false;
  uint64_t Left = 0; ///< turns of each wave

  /// \return Whether more turns can follow. What comes after some ends depends
  ///     on what is done when they are due.
  bool run(isa::Executor &On, uint64_t Turns, uint64_t Length,
           uint64_t Overtime) {
    bool GoesOn = true;
    for (; Turns && GoesOn; --Turns)
      for (Wave *W : Waves) {
        StepResult R = On.run(W->State, Length, /*PassBreak=*/false, Overtime);
        const auto Reason = R.Reason;
        W->Ahead.push(std::move(R));
        // The rest of this turn comes before the turns of the others.
        if (Reason == StepResult::Ordered)
          return false;
        GoesOn &= Reason == StepResult::Continued;
      }
    return GoesOn;
  }
};

/// Threads take a group for half of the turns that it has left, and put it back
/// after the others, so that they end at nearly the same time.
class SharedGroups {
public:
  explicit SharedGroups(std::vector<SharedGroup> &Groups) {
    for (SharedGroup &Group : Groups)
      Waiting.push_back(&Group);
  }

  void run(isa::Executor &On, uint64_t Length, uint64_t Overtime) {
    std::unique_lock<std::mutex> Lock(Mutex);
    while (!Waiting.empty()) {
      SharedGroup *Group = Waiting.front();
      Waiting.pop_front();
      Lock.unlock();
      const uint64_t Turns = (Group->Left + 1) / 2;
      Group->Left -= Turns;
      const bool GoesOn = Group->run(On, Turns, Length, Overtime);
      Lock.lock();
      if (GoesOn && Group->Left)
        Waiting.push_back(Group);
    }
  }

private:
  std::deque<SharedGroup *> Waiting;
  std::mutex Mutex;
};
} // namespace

/// The rest of its turn is executed when it is due.
static bool waitsForOrder(const Wave &W) {
  return !W.Ahead.empty() &&
         W.Ahead.turns().back().Reason == StepResult::Ordered;
}

void Scheduler::runAhead(Queue &Q, unsigned First, uint64_t Most,
                         uint64_t MostOfWave) {
  std::vector<SharedGroup> Groups;
  unsigned Turn = 0;
  size_t Count = 0;
  for (Workgroup &G : Q.Current->Resident) {
    if (llvm::any_of(G.Waves,
                     [](const auto &W) { return waitsForOrder(*W); })) {
      Turn += unsigned(G.Waves.size());
      continue;
    }
    SharedGroup Able;
    for (auto &W : G.Waves) {
      const bool IsBefore = Turn++ < First;
      if (!canRun(*W))
        continue;
      if (IsBefore || Count == Most || !W->Ahead.empty()) {
        Able.IsPartial = true;
        continue;
      }
      if (!prepareTurn(Q, *W))
        return;
      Able.Waves.push_back(W.get());
      ++Count;
    }
    if (!Able.Waves.empty())
      Groups.push_back(std::move(Able));
    if (Count == Most)
      break;
  }
  if (Groups.size() < 2)
    return;
  const uint64_t Turns = std::clamp<uint64_t>(Most / Count, 1, MostOfWave);
  for (SharedGroup &Group : Groups)
    Group.Left = Group.IsPartial ? 1 : Turns;
  SharedGroups Shared(Groups);
  auto RunTurn = [&](unsigned Number) {
    isa::Executor &On = Q.Agent->executor(Number);
    On.setLanesReversed(Q.Current->LanesReversed);
    On.setUnordered(true);
    Shared.run(On, Slice, Overtime);
    On.setUnordered(false);
  };
  if (!Sharing)
    Sharing = std::make_unique<TurnThreads>(Threads);
  const auto Used = unsigned(std::min<size_t>(Threads, Groups.size()));
  Q.Agent->executor(Used - 1); // makes all of them
  Sharing->run(Used, RunTurn);
  uint64_t Executed = 0;
  size_t Ordered = 0;
  for (const SharedGroup &Group : Groups)
    for (const Wave *W : Group.Waves) {
      for (const StepResult &R : W->Ahead.turns())
        Executed += R.Executed;
      // Those after a wave that waits have no turn.
      Ordered += W->Ahead.empty() || waitsForOrder(*W);
      Q.Current->TurnsAhead += W->Ahead.size();
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
  StepResult R = W.Ahead.pop();
  --Q.Current->TurnsAhead;
  if (R.Reason != StepResult::Ordered)
    return R;
  const uint64_t Before = R.Executed;
  R = Q.Agent->Executor->run(
      W.State, Length - std::min(Length, Before),
      /*PassBreak=*/false, Overtime - (Before > Length ? Before - Length : 0));
  R.Executed += Before;
  return R;
}
