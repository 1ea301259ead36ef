//===-- History.cpp - recording -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "History.h"
#include "SaveContext.h"
#include "Scheduler.h"

#include <algorithm>
#include <cstring>
#include <malloc.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using isa::MemorySpan;

// How much one instant of the log may join.
static constexpr uint32_t LongestEntry = 1u << 30;

/// Keeps pages before they are accessed, and values of clocks.
class History::RecordedMemory : public isa::MemoryAccess {
public:
  RecordedMemory(History &H, isa::MemoryAccess &Inner) : H(H), Inner(Inner) {}

  MemorySpan resolve(uint64_t Address, Access Kind) override {
    if (!H.Recording)
      return Inner.resolve(Address, Kind);
    if (Kind == Access::Execute) {
      const MemorySpan S = find(Address, Kind);
      return H.KeepsCode && S.Host ? H.Pages.touch(S, Address, Access::Read)
                                   : S;
    }
    MemorySpan &Known = Last[unsigned(Kind)];
    if (!Known.Host || Address < Known.Begin || Address >= Known.End)
      Known = find(Address, Kind);
    return Known.Host ? H.Pages.touch(Known, Address, Kind) : Known;
  }
  /// Which run has accessed a page is recorded.
  uint64_t epoch() const override {
    return H.Recording || H.Away ? 0 : Inner.epoch();
  }
  uint64_t clock(bool RealTime) override {
    return H.Recording ? H.readClock(Inner, RealTime) : Inner.clock(RealTime);
  }
  void forget() {
    for (MemorySpan &S : Last)
      S = MemorySpan();
  }

private:
  /// In the past, what the program has freed since is there.
  MemorySpan find(uint64_t Address, Access Kind) {
    MemorySpan S = Inner.resolve(Address, Kind);
    if (!H.Away && S.Host) {
      H.noteSpan(S);
      if (Kind == Access::Execute)
        join(H.Executed, S);
    }
    if (H.Away && !S.Host)
      S = H.findSeen(Address);
    return S;
  }

  History &H;
  isa::MemoryAccess &Inner;
  MemorySpan Last[3]; ///< by Access, valid during a run
};

History::History(DeviceMemory &Memory, const Agents &All,
                 const Queues &TheQueues, Scheduler &Waves)
    : Memory(Memory), All(All), TheQueues(TheQueues), Waves(Waves) {}

History::~History() = default;

isa::MemoryAccess &History::wrap(isa::MemoryAccess &Inner) {
  Wrapped.push_back(std::make_unique<RecordedMemory>(*this, Inner));
  return *Wrapped.back();
}

void History::join(Spans &Into, const MemorySpan &S) {
  auto Delta = [](const MemorySpan &Of) {
    return reinterpret_cast<uint64_t>(Of.Host) - Of.Begin;
  };
  auto It = Into.upper_bound(S.Begin);
  if (It != Into.begin() && std::prev(It)->second.End >= S.End &&
      Delta(std::prev(It)->second) == Delta(S))
    return;
  // Joins what it touches, and replaces what was at its addresses before.
  MemorySpan Joined = S;
  if (It != Into.begin())
    --It;
  while (It != Into.end() && It->second.Begin <= S.End) {
    MemorySpan &Old = It->second;
    if (Old.End < S.Begin) {
      ++It;
      continue;
    }
    if (Delta(Old) == Delta(S)) {
      if (Old.Begin < Joined.Begin)
        Joined.Begin = Old.Begin, Joined.Host = Old.Host;
      Joined.End = std::max(Joined.End, Old.End);
      It = Into.erase(It);
      continue;
    }
    const MemorySpan Rest = {Old.Host + (S.End - Old.Begin), S.End, Old.End};
    const bool HasRest = Old.End > S.End;
    if (Old.Begin < S.Begin) {
      Old.End = std::min(Old.End, S.Begin);
      ++It;
    } else if (Old.Begin < S.End) {
      It = Into.erase(It);
    } else {
      ++It;
    }
    if (HasRest && Rest.Begin < Rest.End)
      It = Into.emplace(Rest.Begin, Rest).first;
    if (HasRest)
      break;
  }
  Into[Joined.Begin] = Joined;
}

MemorySpan History::findSeen(uint64_t Address) const {
  auto It = Seen.upper_bound(Address);
  if (It == Seen.begin() || Address >= std::prev(It)->second.End)
    return MemorySpan();
  return std::prev(It)->second;
}

void History::beginRun() {
  for (auto &M : Wrapped)
    M->forget();
}

uint64_t History::readClock(isa::MemoryAccess &Inner, bool RealTime) {
  if (Away)
    return At.Clock < FirstClock + Clocks.size()
               ? Clocks[At.Clock++ - FirstClock]
               : 0;
  Clocks.push_back(Inner.clock(RealTime));
  return Clocks.back();
}

void History::start() {
  if (Recording)
    return;
  // Waves that are stopped are as their debugger has left them, at their own
  // code.
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (!Q.Current || (Q.Suspended && !loadContext(Memory, Q)))
      continue;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves)
        if (!W->Ended && loadWave(Memory, Q, *W)) {
          W->OwnPC = W->State.PC;
          W->IsChanged = false;
        }
  }
  Recording = true;
  HasTooMany = Dropped = Unread = false;
  Memory.setRecorded(true);
  makeSnapshot(nullptr);
}

void History::stop() {
  returnToPresent();
  if (Recording)
    Memory.setRecorded(false);
  Recording = HasTooMany = false;
  Log.clear();
  Snapshots.clear();
  Clocks.clear();
  Ids.clear();
  Seen.clear();
  Executed.clear();
  Pages.clear();
  Actions.clear();
  Looking.reset();
  SnapshotBytes = LogBytes = FirstEntry = FirstClock = Now = 0;
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

void History::note(Entry::What Kind, uint32_t Number, uint32_t Count,
                   uint32_t PC, std::shared_ptr<const DebuggerChange> Change) {
  if (!isRecording())
    return;
  Log.push_back({Now, Number, Count, PC, Kind, std::move(Change)});
  LogBytes += Log.back().size();
  Now += Count;
}

void History::ran(Wave &W, uint64_t Count) {
  if (!isRecording() || !Count)
    return;
  const uint32_t PC = uint32_t(W.OwnPC ? *W.OwnPC : W.State.PC);
  if (!Log.empty() && Log.back().Kind == Entry::Ran &&
      Log.back().Number == W.Number && Log.back().Count < LongestEntry &&
      Snapshots.back().LogIndex < FirstEntry + Log.size()) {
    Log.back().Count += uint32_t(Count);
    Log.back().PC = PC;
    Now += Count;
    return;
  }
  note(Entry::Ran, W.Number, uint32_t(Count), PC);
}

void History::noteWrite(uint64_t Address, uint8_t *To,
                        llvm::ArrayRef<uint8_t> Bytes, bool ByHost) {
  if (!isRecording() || !Pages.covers(To, Bytes.size()))
    return;
  Pages.touch(To, Bytes.size());
  auto Change = std::make_shared<DebuggerChange>();
  Change->Address = Address;
  Change->Bytes = Bytes.vec();
  note(Entry::Wrote, ByHost, 1, 0, std::move(Change));
}

/// The registers that a debugger may write and that aren't its own.
static bool areSame(const isa::WaveState &A, const isa::WaveState &B) {
  constexpr unsigned Sgprs = isa::scalar::TTMP0;
  return !memcmp(A.Scalar, B.Scalar, Sgprs * 4) && A.VGPR == B.VGPR;
}

bool History::load(Queue &Q, Wave &W) {
  if ((!W.IsInArea && !W.Group->IsInArea) || !isRecording())
    return loadWave(Memory, Q, W);
  const isa::WaveState Before = W.State;
  const std::vector<uint8_t> LDS =
      W.Group->IsInArea ? W.Group->LDS : std::vector<uint8_t>();
  const bool HadLDS = W.Group->IsInArea;
  if (!loadWave(Memory, Q, W))
    return false;
  W.IsChanged |= !areSame(Before, W.State) || (HadLDS && LDS != W.Group->LDS);
  return true;
}

void History::begins(Queue &Q, Wave &W) {
  if (!isRecording())
    return;
  beginRun();
  const uint64_t Own = W.OwnPC ? *W.OwnPC : W.State.PC;
  const uint64_t Area = Q.debuggerMemory();
  W.Displaced = 0;
  bool IsMoved = false;
  if (W.State.PC != Own) {
    if (Q.SaveArea && W.State.PC - Area < Q.DebuggerSize) {
      W.Displaced = W.State.PC;
      W.OwnPC = Own;
    } else {
      IsMoved = true;
    }
  }
  if (!W.Displaced)
    W.OwnPC = W.State.PC;
  if (!W.IsChanged && !IsMoved)
    return;
  auto Change = std::make_shared<DebuggerChange>();
  Change->OnlyPC = !std::exchange(W.IsChanged, false);
  if (!Change->OnlyPC) {
    Change->State = W.State;
    Change->LDS = W.Group->LDS;
  }
  Change->State.PC = *W.OwnPC;
  note(Entry::Changed, W.Number, 1, 0, std::move(Change));
}

void History::ends(Wave &W, const isa::StepResult &R) {
  if (!isRecording())
    return;
  uint64_t Count = R.Executed;
  uint64_t PC = W.State.PC;
  if (R.Reason == isa::StepResult::Trap) {
    // A debugger's breakpoint isn't an instruction of the program.
    const bool IsBreakpoint = R.Code == BreakpointTrap;
    Count -= IsBreakpoint;
    PC = IsBreakpoint ? R.Address : R.NextAddress;
  }
  W.OwnPC = W.Displaced ? *W.OwnPC + (PC - W.Displaced) : PC;
  W.Displaced = 0;
  ran(W, Count);
}

void History::passes(Wave &W, const isa::StepResult &R) {
  if (!isRecording())
    return;
  *W.OwnPC += R.NextAddress - R.Address;
  ran(W, 1);
}

void History::goesBack(Wave &W) {
  W.OwnPC = W.State.PC;
  if (isRecording() && !Log.empty() && Log.back().Number == W.Number)
    Log.back().PC = uint32_t(W.State.PC);
}

//===----------------------------------------------------------------------===//
// Snapshots
//===----------------------------------------------------------------------===//

uint64_t History::bytes() const {
  return Pages.bytes() + SnapshotBytes + LogBytes + Actions.bytes() +
         Clocks.size() * sizeof(uint64_t);
}

void History::letGo(Wave &W) {
  W.State.Status &= ~uint32_t(isa::status::Halt | isa::status::SkipExport);
  W.State.Mode &= ~uint32_t(isa::mode::DebugEn);
  W.State.ttmp()[6] &= ~(0x3fu << 25);
}

std::unique_ptr<Dispatch> History::copy(const Dispatch &From, bool WithWaves,
                                        uint64_t &Bytes) {
  auto D = std::make_unique<Dispatch>();
  static_cast<DispatchParts &>(*D) = From;
  Bytes += sizeof(*D);
  if (!WithWaves)
    return D;
  for (const Workgroup &G : From.Resident) {
    D->Resident.emplace_back();
    Workgroup &Copy = D->Resident.back();
    static_cast<WorkgroupParts &>(Copy) = G;
    Copy.IsInArea = Copy.IsSaved = false;
    Bytes += sizeof(Copy) + Copy.LDS.size();
    for (const auto &Each : G.Waves) {
      auto W = std::make_unique<Wave>();
      static_cast<WaveParts &>(*W) = *Each;
      isa::WaveState &S = W->State;
      W->Group = &Copy;
      S.LDS = Copy.LDS.data();
      S.Owner = nullptr;
      S.PC = W->OwnPC ? *W->OwnPC : S.PC;
      W->OwnPC.reset();
      W->Displaced = 0;
      W->IsChanged = W->IsInArea = W->IsSaved = false;
      W->StepPending = W->IsTouched = false;
      W->Layout = 0;
      letGo(*W);
      if (W->Ended)
        S.VGPR = std::vector<uint32_t>();
      Bytes += sizeof(*W) + S.VGPR.size() * 4;
      Copy.Waves.push_back(std::move(W));
    }
  }
  return D;
}

History::Snapshot History::copyWaves(const Queue *Starting) const {
  Snapshot S;
  S.NextNumber = Waves.nextNumber();
  for (auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    if (Q.Current)
      S.Queues.push_back(
          {Q.Id, Q.NextWave, Q.Failed, Q.GridSemaphore,
           copy(*Q.Current, /*WithWaves=*/&Q != Starting, S.Bytes)});
  }
  for (auto &A : All)
    S.Agents.push_back({A->Units, A->SlotUsed});
  return S;
}

bool History::areTooMany(const Queue *Starting) const {
  constexpr uint64_t Few = 64 << 20;
  uint64_t Bytes = 0;
  for (auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    if (Q.Current && &Q != Starting)
      for (const Workgroup &G : Q.Current->Resident)
        for (const auto &W : G.Waves)
          Bytes += sizeof(Wave) + W->State.VGPR.size() * sizeof(uint32_t);
  }
  return Bytes > std::max(Limit / 2, Few);
}

void History::makeSnapshot(const Queue *Starting) {
  if (areTooMany(Starting)) {
    stop();
    // The snapshots lay between the registers of waves that go on.
    malloc_trim(0);
    HasTooMany = true;
    return;
  }
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (Q.Current)
      for (Workgroup &G : Q.Current->Resident)
        for (auto &W : G.Waves)
          if (!W->Ended)
            load(Q, *W);
  }
  Snapshot S = copyWaves(Starting);
  S.Position = Now;
  S.LogIndex = FirstEntry + Log.size();
  S.Clock = FirstClock + Clocks.size();
  S.Epoch = Pages.beginEpoch();
  SnapshotBytes += S.Bytes;
  Snapshots.push_back(std::move(S));
  PagesAtSnapshot = Pages.bytes();
  while (bytes() > Limit && Snapshots.size() > 1)
    dropOldest();
}

void History::makeDueSnapshot() {
  if (!isRecording())
    return;
  // To copy many waves takes less time than the instructions in between.
  constexpr uint64_t Many = 16 << 20, BytesPerInstruction = 8;
  const Snapshot &Last = Snapshots.back();
  if (Now - Last.Position >=
          std::max(Interval,
                   Last.Bytes > Many ? Last.Bytes / BytesPerInstruction : 0) ||
      Pages.bytes() - PagesAtSnapshot > Limit / 4)
    makeSnapshot(nullptr);
}

void History::starts(Queue &Q) {
  if (HasTooMany && !areTooMany(&Q))
    start();
  if (isRecording())
    makeSnapshot(&Q);
  if (!isRecording())
    return;
  // The descriptor is code, too.
  const uint64_t Kernel = Q.Current->Packet.KernelObject / PageSize * PageSize;
  if (uint8_t *At =
          KeepsCode ? Memory.get(Kernel, PageSize, Access::Read) : nullptr) {
    const MemorySpan Page = {At, Kernel, Kernel + PageSize};
    noteSpan(Page);
    Pages.touch(Page, Kernel, Access::Read);
  }
  HostActions::Action A;
  A.Position = Now;
  A.Is = HostActions::Action::Launch;
  A.To = Q.Current->Kernel.Entry;
  A.PacketId = Q.Current->PacketId;
  A.Queue = Q.Id;
  Actions.add(std::move(A));
}

void History::dropOldest() {
  SnapshotBytes -= Snapshots.front().Bytes;
  Snapshots.pop_front();
  const Snapshot &First = Snapshots.front();
  Pages.forgetBefore(First.Epoch);
  Actions.dropBefore(First.Position);
  while (FirstEntry < First.LogIndex) {
    LogBytes -= Log.front().size();
    Log.pop_front();
    ++FirstEntry;
  }
  while (FirstClock < First.Clock) {
    Clocks.pop_front();
    ++FirstClock;
  }
  Dropped = true;
}
