//===-- HistoryTravel.cpp - going back, and forward again -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "History.h"
#include "SaveContext.h"
#include "Scheduler.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::StepResult;

static llvm::Error differs() {
  return llvm::createStringError(
      "the recording can't be replayed past this point: the program "
      "has changed "
      "memory that a kernel was using");
}

static std::optional<protocol::HitKind> findHit(StepResult::Kind Reason) {
  switch (Reason) {
  case StepResult::Watch:
    return protocol::HitKind::Watch;
  case StepResult::Trap:
    return protocol::HitKind::Trap;
  case StepResult::FPException:
    return protocol::HitKind::Exception;
  default:
    return std::nullopt;
  }
}

Wave *History::findWave(uint32_t Number, Queue *&On) const {
  for (auto &Entry : TheQueues) {
    On = Entry.second.get();
    if (On->Current)
      for (Workgroup &G : On->Current->Resident)
        for (auto &W : G.Waves)
          if (W->Number == Number)
            return W.get();
  }
  return nullptr;
}

size_t History::findSnapshot(uint64_t At) const {
  auto Next = std::upper_bound(
      Snapshots.begin(), Snapshots.end(), At,
      [](uint64_t At, const Snapshot &S) { return At < S.Position; });
  return size_t(Next - Snapshots.begin()) - (Next != Snapshots.begin());
}

//===----------------------------------------------------------------------===//
// Between present and past
//===----------------------------------------------------------------------===//

/// What a queue says about its private memory, in amd_queue_t.
static constexpr uint32_t AmdQueueScratchFields =
    AmdQueueScratchSize + sizeof(uint64_t) - AmdQueueComputeTmpringSize;

static uint8_t *getScratchFields(DeviceMemory &Memory, const Queue &Q) {
  return Q.AmdQueue ? Memory.get(Q.AmdQueue + AmdQueueComputeTmpringSize,
                                 AmdQueueScratchFields, isa::Access::Read)
                    : nullptr;
}

llvm::Error History::leavePresent() {
  if (Away)
    return llvm::Error::success();
  for (auto &Entry : TheQueues)
    if (Entry.second->Current && !Entry.second->Suspended)
      return llvm::createStringError("a queue of the GPU is running");
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (!Q.Current)
      continue;
    // What the debugger has changed since the queue was suspended.
    if (!loadContext(Memory, Q))
      return llvm::createStringError("the state of the waves can't be read");
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        if (W->Ended)
          continue;
        if (!load(Q, *W))
          return llvm::createStringError("the state of a wave can't be read");
        Ids[W->Number] = W->State.ttmp()[4] | uint64_t(W->State.ttmp()[5])
                                                  << 32;
      }
  }
  Present = Snapshot();
  Present.NextNumber = Waves.nextNumber();
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    Present.Queues.push_back(
        {Q.Id, Q.NextWave, Q.Failed, Q.GridSemaphore, std::move(Q.Current)});
    if (const uint8_t *From = getScratchFields(Memory, Q))
      Present.Queues.back().Scratch.assign(From, From + AmdQueueScratchFields);
    Q.Failed = false;
  }
  for (auto &A : All) {
    Present.Agents.push_back({A->Units, A->SlotUsed});
    A->Executor->setObserver(nullptr);
  }
  Pages.leavePresent();
  Away = true;
  Waves.setRepeating(true);
  At.Position = ~uint64_t(0); // nowhere yet
  return llvm::Error::success();
}

void History::returnToPresent() {
  if (!Away)
    return;
  forgetPoints();
  Pages.returnToPresent();
  for (SavedQueue &S : Present.Queues) {
    auto It = TheQueues.find(S.Id);
    if (It == TheQueues.end())
      continue;
    Queue &Q = *It->second;
    Q.NextWave = S.NextWave;
    Q.Failed = S.Failed;
    Q.GridSemaphore = S.GridSemaphore;
    Q.Current = std::move(S.Current);
    if (Q.SaveArea)
      saveContext(Memory, Q);
  }
  for (size_t I = 0; I < Present.Agents.size(); ++I) {
    All[I]->Units = Present.Agents[I].Units;
    All[I]->SlotUsed = Present.Agents[I].SlotUsed;
  }
  Waves.setNextNumber(Present.NextNumber);
  Waves.setRepeating(false);
  Present = Snapshot();
  Away = false;
}

llvm::Error History::startNewFuture() {
  if (!Away || At.Position == ~uint64_t(0))
    return llvm::createStringError("the waves aren't in the past");
  while (Snapshots.size() > At.Snapshot + 1) {
    SnapshotBytes -= Snapshots.back().Bytes;
    Snapshots.pop_back();
  }
  while (FirstEntry + Log.size() > At.LogIndex + (At.Offset ? 1 : 0)) {
    LogBytes -= Log.back().size();
    Log.pop_back();
  }
  if (At.Offset) {
    Entry &Last = Log.back();
    Last.Count = uint32_t(At.Offset);
    Queue *On = nullptr;
    if (const Wave *W = findWave(Last.Number, On))
      Last.PC = uint32_t(W->State.PC);
  }
  while (FirstClock + Clocks.size() > At.Clock)
    Clocks.pop_back();
  Ids.erase(Ids.lower_bound(Waves.nextNumber()), Ids.end());
  Actions.dropAfter(At.Position);
  Looking.reset();
  forgetPoints();
  Pages.forgetAfter(Snapshots.back().Epoch);
  PagesAtSnapshot = Pages.bytes();
  Now = At.Position;
  for (SavedQueue &S : Present.Queues) {
    if (S.Current)
      Waves.forget(*S.Current);
    // Later launches have the private memory that the program has given since.
    auto It = TheQueues.find(S.Id);
    uint8_t *To = It == TheQueues.end() || S.Scratch.empty()
                      ? nullptr
                      : getScratchFields(Memory, *It->second);
    if (To)
      memcpy(To, S.Scratch.data(), S.Scratch.size());
  }
  Present = Snapshot();
  Waves.setRepeating(false);
  Away = false;
  return llvm::Error::success();
}

llvm::Error History::goToEnd() {
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (Q.Current && Q.SaveArea && !saveContext(Memory, Q))
      return llvm::createStringError("the waves can't be saved");
    Q.Suspended = true;
  }
  if (llvm::Error Error = leavePresent())
    return Error;
  Pages.moveAll();
  Search S;
  if (llvm::Error Error = goTo(Now - 1, S))
    return Error;
  if (llvm::Error Error = show())
    return Error;
  return startNewFuture();
}

/// Goes to a snapshot.
void History::enter(size_t Which) {
  const Snapshot &S = Snapshots[Which];
  forgetPoints();
  Pages.moveTo(S.Epoch);
  enter(S);
  // The dispatch that has just started.
  for (const SavedQueue &Saved : S.Queues) {
    auto It = TheQueues.find(Saved.Id);
    if (It == TheQueues.end())
      continue;
    Queue &Q = *It->second;
    if (Q.Current->Resident.empty() && !Q.Current->NextGroup)
      Waves.repeatLaunch(Q);
  }
  At = {Which, S.LogIndex, 0, S.Position, S.Clock};
}

/// Gives the queues their waves.
void History::enter(const Snapshot &S) {
  for (size_t I = 0; I < S.Agents.size(); ++I) {
    All[I]->Units = S.Agents[I].Units;
    All[I]->SlotUsed = S.Agents[I].SlotUsed;
  }
  Waves.setNextNumber(S.NextNumber);
  for (auto &Entry : TheQueues)
    Entry.second->Current.reset();
  uint64_t Bytes = 0;
  for (const SavedQueue &Saved : S.Queues) {
    auto It = TheQueues.find(Saved.Id);
    if (It == TheQueues.end())
      continue;
    Queue &Q = *It->second;
    Q.NextWave = Saved.NextWave;
    Q.GridSemaphore = Saved.GridSemaphore;
    Q.Current = copy(*Saved.Current, /*WithWaves=*/true, Bytes);
  }
}

void History::addPoint() {
  Point P = {copyWaves(/*Starting=*/nullptr), At};
  // Where waves have much, many of them would be as much as the recording.
  if (PointBytes + P.Waves.Bytes > Limit / 8)
    return;
  PointBytes += P.Waves.Bytes;
  Pages.addPoint();
  Points.push_back(std::move(P));
}

void History::enterPoint(size_t Which) {
  while (Points.size() > Which + 1) {
    PointBytes -= Points.back().Waves.Bytes;
    Points.pop_back();
  }
  Pages.returnToPoint(Which);
  enter(Points[Which].Waves);
  At = Points[Which].Where;
}

std::optional<size_t> History::findPoint(uint64_t Target) const {
  for (size_t I = Points.size(); I-- > 0;)
    if (Points[I].Where.Position <= Target)
      return Points[I].Where.Snapshot == findSnapshot(Target) ? std::optional(I)
                                                              : std::nullopt;
  return std::nullopt;
}

void History::forgetPoints() {
  Points.clear();
  PointBytes = 0;
  CheckedEntry.reset();
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

llvm::Error History::repeat(Queue &Q, Wave &W, uint64_t Count, Search &S) {
  constexpr uint32_t WatchFlags = 1u << 7 | 7u << 12;
  isa::Executor &Executor = *Q.Agent->Executor;
  const bool IsTraced = S.Traced == W.Number;
  bool PassBreak = false;
  beginRun();
  Executor.setLanesReversed(Q.Current->LanesReversed);
  Executor.setBreaks(S.Stops ? S.Breakpoints : std::vector<uint64_t>());
  Executor.setObserver(S.Look, 0);
  Waves.observeStores(Q, W);
  while (Count) {
    if (W.Ended || W.AtBarrier)
      return differs();
    const uint32_t OldFlags = W.State.TrapSts & WatchFlags;
    if (IsTraced && !PassBreak)
      S.Trace.push_back({At.Position, W.State.PC, W.State.exec()});
    if (S.Look) {
      S.Look->runs(Q, W, At.Position);
      Executor.setObserver(S.Look, S.Look->wants());
    }
    StepResult R =
        Executor.run(W.State, IsTraced || S.Look ? 1 : Count, PassBreak);
    if (R.Reason == StepResult::MemoryViolation && R.NextAddress != R.Address) {
      W.State.PC = R.NextAddress;
      ++R.Executed;
    }
    PassBreak = R.Reason == StepResult::Break;
    W.State.TrapSts = (W.State.TrapSts & ~WatchFlags) | OldFlags;
    At.Position += R.Executed;
    At.Offset += R.Executed;
    Repeated += R.Executed;
    Count -= R.Executed;
    if (PassBreak) {
      S.Hits.push_back({At.Position, W.Number, R.Address,
                        protocol::HitKind::Breakpoint, 0, 0});
      continue;
    }
    if (!R.Executed ||
        (R.Reason == StepResult::Trap && R.Code == BreakpointTrap))
      return differs();
    if (R.Reason == StepResult::Trap)
      W.State.PC = R.NextAddress;
    const std::optional<protocol::HitKind> Why = findHit(R.Reason);
    if (S.Stops && Why)
      S.Hits.push_back(
          {At.Position - 1, W.Number, R.Address, *Why, R.LaneMask, R.Code});
    Waves.repeat(Q, W, R);
  }
  return llvm::Error::success();
}

Wave *History::findRepeated(uint32_t Number, Queue *&On) {
  if (ByNumber.empty())
    for (auto &Entry : TheQueues)
      if (Queue &Q = *Entry.second; Q.Current)
        for (Workgroup &G : Q.Current->Resident)
          for (auto &W : G.Waves)
            ByNumber.try_emplace(W->Number, &Q, W.get());
  auto It = ByNumber.find(Number);
  if (It == ByNumber.end())
    return nullptr;
  On = It->second.first;
  return It->second.second;
}

llvm::Error History::apply(const Entry &E, Origin *Look) {
  Queue *Q = nullptr;
  switch (E.Kind) {
  case Entry::Ran:
    break;
  case Entry::Changed: {
    Wave *W = findRepeated(E.Number, Q);
    if (!W)
      return differs();
    if (E.Change->OnlyPC) {
      W->State.PC = E.Change->State.PC;
      break;
    }
    if (Look)
      Look->changes(*Q, *W, E.Change->State, E.Change->LDS, At.Position);
    uint8_t *LDS = W->State.LDS;
    const uint32_t Status = W->State.Status;
    W->State = E.Change->State;
    W->State.LDS = LDS;
    W->State.Owner = nullptr;
    W->State.Status = (W->State.Status & isa::status::SCC) |
                      (Status & ~uint32_t(isa::status::SCC));
    W->State.Mode &= ~uint32_t(isa::mode::DebugEn);
    W->State.ttmp()[6] &= ~(0x3fu << 25);
    W->Group->LDS = E.Change->LDS;
    W->Group->LDS.resize(W->State.LDSSize);
    W->State.LDS = W->Group->LDS.data();
    for (auto &Other : W->Group->Waves)
      Other->State.LDS = W->State.LDS;
    break;
  }
  case Entry::Wrote:
    if (Look)
      Look->wrote(E.Change->Address, E.Change->Bytes, At.Position,
                  /*ByHost=*/E.Number != 0,
                  findWave(Look->subject().Number, Q));
    if (uint8_t *To = Memory.get(E.Change->Address, E.Change->Bytes.size(),
                                 isa::Access::Read)) {
      Pages.touch(To, E.Change->Bytes.size());
      memcpy(To, E.Change->Bytes.data(), E.Change->Bytes.size());
    }
    break;
  case Entry::Arrived:
    if (Wave *W = findRepeated(E.Number, Q))
      LateStores::arriveAll(*Q->Agent, *W);
    else
      return differs();
    break;
  case Entry::Reaped:
  case Entry::Abandoned: {
    auto It = TheQueues.find(E.Number);
    if (It == TheQueues.end() || !It->second->Current)
      return differs();
    if (E.Kind == Entry::Reaped)
      Waves.repeatReap(*It->second);
    else
      Waves.abandon(*It->second);
    ByNumber.clear();
    break;
  }
  }
  At.Position += E.Count;
  return llvm::Error::success();
}

llvm::Error History::repeatTo(uint64_t Target, Search &S) {
  // The last two points are so far from the target that none pays.
  const uint64_t Least = std::max<uint64_t>(Interval / 64, 16);
  auto FindPointAfter = [&](uint64_t Position) {
    const uint64_t Left = Target - std::min(Target, Position);
    return S.Look || !S.AddsPoints || Left < Least ? ~uint64_t(0)
                                                   : Position + Left / 2;
  };
  uint64_t NextPoint = FindPointAfter(At.Position);
  ByNumber.clear();
  for (;;) {
    if (At.Position >= NextPoint) {
      addPoint();
      NextPoint = FindPointAfter(At.Position);
    }
    // From the next snapshot on, memory may be the program's.
    const size_t Next = At.Snapshot + 1;
    if (At.LogIndex == (Next < Snapshots.size() ? Snapshots[Next].LogIndex
                                                : FirstEntry + Log.size()))
      break;
    const Entry &E = Log[At.LogIndex - FirstEntry];
    if (E.Count && At.Position >= Target)
      break;
    if (E.Kind == Entry::Ran) {
      Queue *Q = nullptr;
      Wave *W = findRepeated(E.Number, Q);
      if (!W)
        return differs();
      const uint64_t Count = std::min<uint64_t>(
          E.Count - At.Offset, std::min(Target, NextPoint) - At.Position);
      if (llvm::Error Error = repeat(*Q, *W, Count, S))
        return Error;
      if (At.Offset < E.Count) {
        if (At.Position >= Target)
          break;
        continue;
      }
      if (uint32_t(W->State.PC) != E.PC)
        return differs();
    } else if (llvm::Error Error = apply(E, S.Look)) {
      return Error;
    }
    ++At.LogIndex;
    At.Offset = 0;
  }
  for (auto &A : All) {
    A->Executor->setBreaks({});
    A->Executor->setObserver(nullptr);
    A->Executor->setLastObserver(nullptr);
  }
  return llvm::Error::success();
}

llvm::Error History::goTo(uint64_t Target, Search &S) {
  const size_t Before = findSnapshot(Target);
  if (At.Position > Target || At.Snapshot < Before) {
    if (const std::optional<size_t> Known = findPoint(Target))
      enterPoint(*Known);
    else
      enter(Before);
  }
  return repeatTo(Target, S);
}

llvm::Error History::checkEntry(Search &S) {
  if (!At.Offset || CheckedEntry == At.LogIndex)
    return llvm::Error::success();
  const Place Here = At;
  const Entry &E = Log[Here.LogIndex - FirstEntry];
  const size_t Count = Points.size();
  addPoint();
  const bool CanReturn = Points.size() > Count;
  Search Rest;
  Rest.AddsPoints = false;
  if (llvm::Error Error =
          repeatTo(Here.Position + (E.Count - Here.Offset), Rest))
    return Error;
  CheckedEntry = Here.LogIndex;
  if (!CanReturn)
    return goTo(Here.Position, S);
  enterPoint(Count);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What the debugger sees
//===----------------------------------------------------------------------===//

/// The program may have used its place for a later packet.
static void showPacket(DeviceMemory &Memory, PageHistory &Pages,
                       const Queue &Q) {
  if (!Q.Current || !Q.Current->PacketAddress)
    return;
  constexpr uint64_t Bytes = sizeof(Q.Current->Packet);
  uint8_t *To = Memory.get(Q.Current->PacketAddress, Bytes, isa::Access::Read);
  if (!To || !Pages.covers(To, Bytes))
    return;
  Pages.touch(To, Bytes);
  memcpy(To, &Q.Current->Packet, Bytes);
}

/// The program may have given the queue more private memory since, elsewhere.
static void showScratch(DeviceMemory &Memory, PageHistory &Pages,
                        const Queue &Q) {
  if (!Q.Current || !Q.Current->WaveScratchSize)
    return;
  const Dispatch &D = *Q.Current;
  uint8_t *To = getScratchFields(Memory, Q);
  if (!To || !Pages.covers(To, AmdQueueScratchFields))
    return;
  // See setScratchRing().
  const bool PerEngine = Q.Agent->Info.family().CountsScratchPerEngine;
  const uint32_t Ring = PerEngine
                            ? D.ScratchSlots | (D.WaveScratchSize / 256) << 12
                            : D.ScratchSlots * Q.Agent->EnginesPerXcc |
                                  (D.WaveScratchSize / 1024) << 12;
  Pages.touch(To, AmdQueueScratchFields);
  memcpy(To, &Ring, sizeof(Ring));
  memcpy(To + AmdQueueScratchLocation - AmdQueueComputeTmpringSize,
         &D.ScratchBase, sizeof(D.ScratchBase));
  uint8_t *Stated = To + AmdQueueScratchSize - AmdQueueComputeTmpringSize;
  if (llvm::support::endian::read64le(Stated))
    memcpy(Stated, &D.ScratchSize, sizeof(D.ScratchSize));
}

llvm::Error History::show() {
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (!Q.SaveArea)
      continue;
    showPacket(Memory, Pages, Q);
    showScratch(Memory, Pages, Q);
    if (Q.Current) {
      Q.Current->Saved.clear();
      for (Workgroup &G : Q.Current->Resident)
        for (auto &W : G.Waves) {
          if (W->Ended)
            continue;
          auto Id = Ids.find(W->Number);
          const uint64_t Known = Id == Ids.end() ? 0 : Id->second;
          W->State.ttmp()[4] = uint32_t(Known);
          W->State.ttmp()[5] = uint32_t(Known >> 32);
          markStopped(Q, *W, /*TrapId=*/0, W->State.PC);
        }
    }
    if (!saveContext(Memory, Q))
      return llvm::createStringError("the waves can't be shown");
  }
  return llvm::Error::success();
}

/// Learns the ids that the debugger has given to waves, and ends what show()
/// has done to them.
void History::hide() {
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (!Q.Current)
      continue;
    Q.Current->Saved.clear();
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        if (W->Ended || W->Layout != Q.Layout || !Q.SaveArea)
          continue;
        letGo(*W);
        uint64_t Id = 0;
        if (const uint8_t *From =
                Memory.get(Q.SaveArea + W->Record.Ttmps + 4 * 4, sizeof(Id),
                           isa::Access::Read))
          memcpy(&Id, From, sizeof(Id));
        if (Id)
          Ids[W->Number] = Id;
      }
  }
}
