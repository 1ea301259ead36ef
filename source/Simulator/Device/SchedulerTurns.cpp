//===-- SchedulerTurns.cpp - turns of a schedule --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scheduler.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

using namespace wavelane;
using namespace wavelane::simulator;

/// The longest turn, as a power of 2 of instructions.
static constexpr unsigned LongestTurn = 12, LongestChaosTurn = 6;
/// One turn in so many begins a hold of at most 2^LongestHold rounds.
static constexpr unsigned HeldOneIn = 16, LongestHold = 10;
/// Small enough for the product with any number of workgroups that can be run.
static constexpr uint64_t LongestGroupStep = 1 << 16;

void Scheduler::chooseOrder(Queue &Q) {
  Dispatch &D = *Q.Current;
  Q.Turns = Order.of(Q.Id, Q.Dispatches++);
  if (!D.GroupCount)
    return;
  D.LanesReversed = Q.Turns.below(2);
  D.LateSeed = Order.isChaos() ? Q.Turns.next() | 1 : 0;
  D.FirstGroup = Q.Turns.below(D.GroupCount);
  // Without a common divisor, each workgroup begins once.
  do
    D.GroupStep =
        1 + Q.Turns.below(std::min<uint64_t>(D.GroupCount, LongestGroupStep));
  while (std::gcd(D.GroupStep, D.GroupCount) != 1);
}

void Scheduler::observeStores(Queue &Q, Wave &W) {
  const bool AreLate = Q.Current->LateSeed != 0;
  Q.Agent->Executor->setLastObserver(AreLate ? &Late : nullptr);
  if (AreLate)
    Late.runs(*Q.Agent, W);
}

void Scheduler::letStoresArrive(Queue &Q, Wave &W) {
  if (W.Late.Stores.empty())
    return;
  LateStores::arriveAll(*Q.Agent, W);
  if (TheRecorder)
    TheRecorder->arrives(W);
}

bool Scheduler::runInOrder(Queue &Q, bool &Waiting) {
  std::vector<Wave *> Able;
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves)
      if (canRun(*W))
        Able.push_back(W.get());
  ScheduleRandom &Turns = Q.Turns;
  for (size_t I = Able.size(); I > 1; --I)
    std::swap(Able[I - 1], Able[Turns.below(I)]);
  const unsigned Longest = Order.isChaos() ? LongestChaosTurn : LongestTurn;
  bool Worked = false, Ran = false, Held = false;
  uint64_t Executed = 0;
  for (Wave *W : Able) {
    // A turn before may have stopped it.
    if (!canRun(*W))
      continue;
    if (!W->HeldRounds && Order.isChaos() && Turns.below(HeldOneIn) == 0)
      W->HeldRounds = 1u << Turns.below(LongestHold + 1);
    if (W->HeldRounds) {
      --W->HeldRounds;
      Held = true;
      continue;
    }
    if (TheRecorder)
      TheRecorder->makeDueSnapshot();
    Worked |= runWave(Q, *W, Executed, uint64_t(1) << Turns.below(Longest + 1));
    Ran = true;
    if (Q.Failed)
      return true;
    // The others have as good a chance in the next round.
    if (Executed >= RoundLength) {
      Worked = true;
      break;
    }
  }
  // Those that are held go on before everything stands still.
  if (!Ran)
    for (Wave *W : Able)
      W->HeldRounds = 0;
  for (const Wave *W : Able)
    Waiting |= canRun(*W);
  reapGroups(Q);
  return Worked || Held;
}
