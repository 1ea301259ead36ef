//===-- SyncCheck.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncCheck.h"
#include "Findings.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <utility>

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::LaneAccess;
using isa::ObservedInstruction;

// After this many runs without a barrier, a wave is observed in some of them.
static constexpr uint64_t SuspectRuns = 64, ObservedRuns = 8;
// A wave that doesn't come back to a load within this many runs is looked at
// from the beginning.
static constexpr unsigned MaxRunsWithoutSpin = 48;
// How many barriers are remembered that lanes have missed.
static constexpr size_t MaxMissedBarriers = 64;
// Workgroups whose waves are followed from their begin on, and how many runs
// without a barrier. The others' are while a wave waits.
static constexpr uint64_t FollowedWaves = 32;
static constexpr uint64_t FollowedRuns = 1;
// After this many barriers, a wave is followed from one to the next in one of
// four cases: a loop with barriers would cost too much.
static constexpr uint64_t FollowedRounds = 32, FollowedShare = 4;
// How many places of a wave are remembered.
static constexpr size_t MaxAccesses = 64;
// How long nothing may happen: the host could still write. The second if it
// isn't known whether all of its threads wait.
static constexpr uint64_t PatienceNs = 500'000'000;
static constexpr uint64_t LongPatienceNs = 5'000'000'000;

void SyncCheck::waveBegins(const WaveInfo &W) {
  Facts &F = Waves[W.Number];
  Found[W.Number] = &F;
  F.Wave = &W;
  F.AllLanes = W.State->exec();
  F.Of = &Groups[W.GroupNumber];
  F.Of->Waves.push_back(&F);
  F.Of->IsFirst = ++Begun[W.Kernel.get()] <= FollowedWaves;
}

void SyncCheck::waveEnds(const WaveInfo &W) {
  auto It = Waves.find(W.Number);
  if (It == Waves.end())
    return;
  if (Current == &It->second)
    Current = nullptr;
  Group &G = *It->second.Of;
  llvm::erase_if(It->second.Accesses, [&](const Access &A) {
    return A.Round != It->second.Round || !A.IsLocal;
  });
  if (!It->second.Accesses.empty() && !It->second.IsWaiting)
    G.Ended.emplace_back(W, std::move(It->second.Accesses));
  G.Waiting -= It->second.IsWaiting && !It->second.IsAtGrid;
  llvm::erase(G.Waves, &It->second);
  if (G.Waves.empty())
    Groups.erase(W.GroupNumber);
  Waves.erase(It);
  Found.erase(W.Number);
  ++Changes;
}

void SyncCheck::waveRuns(const WaveInfo &W) {
  Now = &W;
  Current = Found.lookup(W.Number);
  if (!Current)
    return;
  ++Current->Runs;
  if (++Current->RunsWithoutSpin > MaxRunsWithoutSpin) {
    Current->SpinPC = 0;
    Current->Returns = 0;
    WatchesAll = false;
  }
  if (!isSuspect()) {
    Current->LoadPC = 0;
    Current->ComesBack = Current->DoesntSpin = false;
  }
  Current->IsWatched = Current->Missed || WatchesAll || Current->ComesBack;
}

/// Whether the present run is one of those that are observed for spinning.
bool SyncCheck::isSuspect() const {
  return Current->Runs % SuspectRuns >= SuspectRuns - ObservedRuns;
}

unsigned SyncCheck::observes() const {
  if (!Current)
    return 0;
  if (Current->IsWatched)
    return isa::observe::Accesses | isa::observe::Rows;
  return isSuspect() || followsAccesses()
             ? isa::observe::Accesses | isa::observe::FilterAccesses
             : 0;
}

/// Who spins loads from the same place again.
void SyncCheck::noteLoad(uint64_t PC, uint64_t Begin, uint64_t End) {
  Facts &F = *Current;
  if (F.ComesBack || F.DoesntSpin || (F.LoadPC && F.LoadPC != PC))
    return;
  if (F.LoadPC && F.LoadBegin == Begin && F.LoadEnd == End) {
    F.ComesBack = true;
    F.SpinPC = F.PrivateWrites = 0;
    F.Returns = 0;
  }
  F.LoadPC = PC;
  F.LoadBegin = Begin;
  F.LoadEnd = End;
}

void SyncCheck::noteLoad(const ObservedInstruction &I) {
  uint64_t Begin = ~uint64_t(0), End = 0;
  for (const LaneAccess &A : I.Accesses) {
    if (A.In == LaneAccess::Private)
      continue;
    Begin = std::min(Begin, A.Address);
    End = std::max(End, A.Address + A.Size);
  }
  if (End)
    noteLoad(I.PC, Begin, End);
}

bool SyncCheck::needsAccesses(const isa::AccessBounds &B) {
  if (!Current)
    return false;
  if (B.Kind != isa::Access::Write && B.In != LaneAccess::Private &&
      isSuspect())
    noteLoad(NotedLoad = Now->State->PC, B.First, B.End);
  const bool IsWrite =
      B.Kind != isa::Access::Read && Now->State->exec() != Current->AllLanes;
  return (B.In == LaneAccess::Local ||
          (B.In == LaneAccess::Global && IsWrite)) &&
         !isNoted({Now->State->PC, Now->Stack});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// What a finding says of the \a Missed ones of a wave's lanes.
static std::string missedBy(uint64_t Missed, uint64_t All) {
  return "Barrier that " + std::to_string(llvm::popcount(Missed)) +
         " of a wave's " + std::to_string(llvm::popcount(All)) +
         " lanes don't reach";
}

void SyncCheck::arrives(const WaveInfo &W, uint64_t PC, bool Grid) {
  if (!Current || Current->Wave != &W) {
    Facts *Known = Found.lookup(W.Number);
    if (!Known)
      return;
    Current = Known;
  }
  Facts &F = *Current;
  F.IsWaiting = true;
  F.IsAtGrid = Grid;
  F.BarrierPC = PC;
  F.BarrierStack = W.Stack;
  F.Runs = 0;
  F.Returns = 0;
  ++F.Round;
  // One lane of a wave is enough for the grid's barrier.
  if (Grid)
    return;
  ++F.Of->Waiting;
  if (F.Doubt.Lanes)
    reportMissed(W, RunOn(F.Doubt));
  F.Missed = F.AllLanes & ~W.State->exec();
  if (!F.Missed) {
    F.MissedBarriers.clear();
    return;
  }
  checkBranch(W, F);
  const auto Same = llvm::find_if(F.MissedBarriers, [&](const Barrier &B) {
    return B.PC == PC && B.Stack == W.Stack;
  });
  if (Same != F.MissedBarriers.end()) {
    Same->Reached |= W.State->exec();
    Same->Missed |= F.Missed & ~Same->Reached;
  } else if (F.MissedBarriers.size() < MaxMissedBarriers) {
    F.MissedBarriers.push_back({PC, W.Stack, W.State->exec(), F.Missed});
  }
}

void SyncCheck::released(const WaveInfo &W, bool Grid) {
  ++Changes;
  const Facts *First = nullptr;
  if (Grid) {
    for (auto &[Number, F] : Waves)
      if (F.Wave->Kernel == W.Kernel)
        open(W, F, Grid, First);
    return;
  }
  const auto It = Groups.find(W.GroupNumber);
  if (It == Groups.end())
    return;
  for (Facts *F : It->second.Waves)
    open(W, *F, Grid, First);
}

SyncCheck::SourceOrder SyncCheck::order(CodePlace A, CodePlace B) {
  if (!InSource)
    return SourceOrder::Unknown;
  const auto [It, IsNew] = Orders.try_emplace({A, B}, SourceOrder::Unknown);
  if (IsNew)
    It->second = InSource(A, B);
  return It->second;
}

/// A wave goes on that may have waited.
/// \param First One of those that go on before it.
void SyncCheck::open(const WaveInfo &W, Facts &F, bool Grid,
                     const Facts *&First) {
  if (!F.IsWaiting || F.IsAtGrid != Grid)
    return;
  F.IsWaiting = false;
  if (!First) {
    First = &F;
    if (!Grid) {
      F.Of->Waiting = 0;
      checkEnded(*F.Of, F);
    }
  }
  if ((First->BarrierPC == F.BarrierPC &&
       First->BarrierStack == F.BarrierStack) ||
      !W.Kernel->IsChecked)
    return;
  const Facts &Other = *First, &Here = F;
  R.report({Kind::BarrierDivergence, Here.BarrierPC, Other.BarrierPC,
            Here.BarrierStack},
           unsigned(llvm::popcount(Here.Wave->State->exec())), [&] {
             Finding Out;
             Out.What = "Waves of a workgroup wait at different barriers";
             Out.Here = Here.Wave->at(Here.BarrierPC, Here.Wave->State->exec());
             Out.Other =
                 Other.Wave->at(Other.BarrierPC, Other.Wave->State->exec());
             Out.OtherWhat = "another wave of the workgroup";
             return Out;
           });
}

/// Whether it matters what the wave accesses: it, or some of its lanes, may end
/// without a barrier.
bool SyncCheck::followsAccesses() const {
  if (Current->Round > FollowedRounds && Current->Round % FollowedShare)
    return false;
  return Current->Of->Waiting ||
         (Current->Of->IsFirst && Current->Runs <= FollowedRuns);
}

/// Of a wave that ends, only accesses of local memory count: nothing else is
/// shared by the workgroup alone, and compilers merge what is done before a
/// return with what is done at the end.
void SyncCheck::noteAccess(const ObservedInstruction &I) {
  uint64_t Lanes = 0;
  bool IsLocal = false;
  const bool Writes = I.IsStore || I.IsAtomic;
  for (const LaneAccess &A : I.Accesses) {
    IsLocal |= A.In == LaneAccess::Local;
    if (A.Lane != LaneAccess::Scalar &&
        (A.In == LaneAccess::Local || (Writes && A.In == LaneAccess::Global)))
      Lanes |= uint64_t(1) << A.Lane;
  }
  if (!IsLocal && Lanes == Current->AllLanes)
    return;
  const CodePlace At = {I.PC, Now->Stack};
  if (Lanes && !isNoted(At))
    Current->Accesses.push_back({At, Lanes, Current->Round, IsLocal, Writes});
}

/// Whether a place is known, which is at work again, or there are too many.
bool SyncCheck::isNoted(CodePlace At) {
  for (Access &A : Current->Accesses)
    if (A.At == At) {
      A.Round = Current->Round;
      return true;
    }
  return Current->Accesses.size() >= MaxAccesses;
}

/// Looks for waves that have ended and would have had to be at the barrier of
/// \a At, which opens.
void SyncCheck::checkEnded(Group &G, const Facts &At) {
  const CodePlace Barrier = {At.BarrierPC, At.BarrierStack};
  for (const auto &Entry : std::exchange(G.Ended, {})) {
    const auto Behind = llvm::find_if(Entry.second, [&](const Access &A) {
      return order(A.At, Barrier) == SourceOrder::After;
    });
    if (Behind == Entry.second.end())
      continue;
    R.report({Kind::BarrierDivergence, At.BarrierPC, 0, At.BarrierStack},
             unsigned(llvm::popcount(At.Wave->State->exec())), [&] {
               Finding Out;
               Out.What = "Barrier that a wave of the workgroup doesn't reach";
               Out.Here = At.Wave->at(At.BarrierPC, At.Wave->State->exec());
               Out.Here.Stack = At.BarrierStack;
               Out.Other = Entry.first.at(Behind->At.first, Behind->Lanes);
               Out.Other->Stack = Behind->At.second;
               Out.OtherWhat = "a wave that has missed it runs on, and ends";
               return Out;
             });
  }
}

/// Lanes that miss the barrier to which \a F has come may have run first what
/// follows it in the source, as the other branch of a condition: they do
/// nothing afterwards.
void SyncCheck::checkBranch(const WaveInfo &W, const Facts &F) {
  const CodePlace Barrier = {F.BarrierPC, F.BarrierStack};
  const auto Behind = llvm::find_if(F.Accesses, [&](const Access &A) {
    return A.Writes && A.Round + 1 == F.Round && !(A.Lanes & ~F.Missed) &&
           order(A.At, Barrier) == SourceOrder::After;
  });
  if (Behind == F.Accesses.end())
    return;
  R.report({Kind::BarrierDivergence, F.BarrierPC, 0, F.BarrierStack},
           unsigned(llvm::popcount(F.Missed)), [&] {
             Finding Out;
             Out.What = missedBy(F.Missed, F.AllLanes);
             Out.Here = W.at(F.BarrierPC, W.State->exec());
             Out.Here.Stack = F.BarrierStack;
             Out.Other = W.at(Behind->At.first, Behind->Lanes);
             Out.Other->Stack = Behind->At.second;
             Out.OtherWhat = "lanes that have missed it were in a later line";
             return Out;
           });
}

/// A lane that has missed a barrier does something: it hasn't returned from the
/// kernel.
bool SyncCheck::checkMissed(const ObservedInstruction &I) {
  uint64_t Active = I.Class == InstClass::Barrier ? I.Exec : 0;
  // Whole waves save registers in private memory.
  for (const LaneAccess &A : I.Accesses)
    if (A.In != LaneAccess::Private && A.Lane != LaneAccess::Scalar)
      Active |= uint64_t(1) << A.Lane;
  const uint64_t Again = Active & Current->Missed;
  if (!Again)
    return true;
  const CodePlace At = {I.PC, Now->Stack};
  // The first that one of these lanes has missed.
  RunOn By = {{}, At, Again};
  const auto First =
      llvm::find_if(Current->MissedBarriers,
                    [&](const Barrier &B) { return (B.Missed & Again) != 0; });
  if (First != Current->MissedBarriers.end())
    By.Of = *First;
  if (I.Class != InstClass::Barrier) {
    const SourceOrder Where = order(At, {By.Of.PC, By.Of.Stack});
    if (Where != SourceOrder::After && Where != SourceOrder::Unknown) {
      if (!Current->Doubt.Lanes)
        Current->Doubt = By;
      return true;
    }
  }
  return reportMissed(*Now, By);
}

/// \return false to stop the wave.
bool SyncCheck::reportMissed(const WaveInfo &W, const RunOn &By) {
  Current->MissedBarriers.clear();
  Current->Missed = 0;
  Current->Doubt = {};
  if (!By.Of.PC)
    return true;
  return !R.report({Kind::BarrierDivergence, By.Of.PC, 0, By.Of.Stack},
                   unsigned(llvm::popcount(By.Of.Missed)), [&] {
                     Finding Out;
                     Out.What = missedBy(By.Of.Missed, Current->AllLanes);
                     Out.Here = W.at(By.Of.PC, By.Of.Reached);
                     Out.Here.Stack = By.Of.Stack;
                     Out.Other = W.at(By.At.first, By.Lanes);
                     Out.Other->Stack = By.At.second;
                     Out.OtherWhat = "lanes that have missed it run on";
                     return Out;
                   });
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

/// A write of memory that other lanes see.
static bool isSharedWrite(const LaneAccess &A) {
  return A.Host && A.Kind != isa::Access::Read && A.In != LaneAccess::Private;
}

/// Continues the hash of a sequence of private writes. If two turns of a loop
/// make the same writes, private memory is the same after both.
static uint64_t hashPrivate(uint64_t Before, const isa::WaveState &Wave,
                            const LaneAccess &A) {
  uint64_t Words[2] = {Before, A.Address * 64 + A.Lane};
  Words[0] = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(Words), sizeof(Words)));
  if (A.Kind == isa::Access::Read)
    return Before;
  // The dwords of a lane are as far apart as the wave has lanes.
  for (unsigned I = 0; I < A.Size; I += 4) {
    uint32_t Value = 0;
    memcpy(&Value, A.Host + size_t(I) * Wave.LaneCount,
           std::min<unsigned>(A.Size - I, 4));
    Words[1] = Value;
    Words[0] = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(Words), sizeof(Words)));
  }
  return Words[0];
}

bool SyncCheck::before(const isa::WaveState &Wave,
                       const ObservedInstruction &I) {
  Old.clear();
  if (!Current)
    return true;
  const bool GoesOn = !Current->Missed || checkMissed(I);
  noteAccess(I);
  if (I.IsStore || I.IsAtomic)
    for (const LaneAccess &A : I.Accesses)
      if (isSharedWrite(A))
        Old.insert(Old.end(), A.Host, A.Host + A.Size);
  if (I.IsLoad || I.Returns) {
    if (Current->IsWatched)
      lookForSpin(Wave, I);
    else if (std::exchange(NotedLoad, 0) != I.PC && isSuspect())
      noteLoad(I);
  }
  return GoesOn;
}

void SyncCheck::after(const isa::WaveState &Wave,
                      const ObservedInstruction &I) {
  if (!I.IsStore && !I.IsAtomic)
    return;
  size_t At = 0;
  bool HasChanged = false;
  for (const LaneAccess &A : I.Accesses) {
    if (A.In == LaneAccess::Private && A.Host && Current)
      Current->PrivateWrites = hashPrivate(Current->PrivateWrites, Wave, A);
    if (!isSharedWrite(A))
      continue;
    HasChanged |= At + A.Size > Old.size() ||
                  memcmp(A.Host, Old.data() + At, A.Size) != 0;
    At += A.Size;
  }
  Changes += HasChanged;
}

static uint64_t hashState(const isa::WaveState &W) {
  const llvm::ArrayRef<uint8_t> Vector(
      reinterpret_cast<const uint8_t *>(W.VGPR.data()), W.VGPR.size() * 4);
  const llvm::ArrayRef<uint8_t> Scalar(
      reinterpret_cast<const uint8_t *>(W.Scalar), sizeof(W.Scalar));
  return llvm::xxh3_64bits(Vector) ^ (llvm::xxh3_64bits(Scalar) * 3) ^
         (W.Status & isa::status::SCC);
}

void SyncCheck::lookForSpin(const isa::WaveState &Wave,
                            const ObservedInstruction &I) {
  const LaneAccess *Read = nullptr;
  uint64_t Lanes = 0;
  for (const LaneAccess &A : I.Accesses) {
    if (A.In == LaneAccess::Private || !A.Host)
      continue;
    if (!Read)
      Read = &A;
    Lanes |= A.Lane == LaneAccess::Scalar ? I.Exec : uint64_t(1) << A.Lane;
  }
  if (!Read || (Current->SpinPC && Current->SpinPC != I.PC))
    return;
  const uint64_t Hash =
      hashState(Wave) ^ std::exchange(Current->PrivateWrites, 0);
  const bool IsSame = Current->SpinPC && Hash == Current->SpinHash &&
                      Changes == Current->SpinChanges;
  if (Current->SpinPC && !IsSame) {
    Current->ComesBack = false;
    Current->DoesntSpin = true;
  }
  Current->Returns = IsSame ? Current->Returns + 1 : 0;
  Current->RunsWithoutSpin = 0;
  Current->SpinPC = I.PC;
  Current->SpinStack = Now->Stack;
  Current->SpinHash = Hash;
  Current->SpinChanges = Changes;
  Current->SpinSpace =
      Read->In == LaneAccess::Local ? Space::Local : Space::Global;
  Current->SpinAddress = Read->Address;
  Current->SpinLanes = Lanes;
  Current->SpinSize = Read->Size;
  Current->SpinValue = 0;
  memcpy(&Current->SpinValue, Read->Host, std::min<unsigned>(Read->Size, 8));
}

SyncCheck::HostWrites SyncCheck::hostWrites(const Facts &F) const {
  if (F.SpinSpace == Space::Local)
    return HostWrites::Never;
  const Allocation *Block = Memory.find(F.SpinAddress);
  // A __device__ variable, or memory of which little is known.
  if (!Block || Block->What == Allocation::Internal)
    return IsCode && IsCode(F.SpinAddress) ? HostWrites::Never
                                           : HostWrites::Any;
  return Block->What == Allocation::Device    ? HostWrites::Never
         : Block->What == Allocation::Managed ? HostWrites::OwnThreads
                                              : HostWrites::Any;
}

bool SyncCheck::isStuck(uint64_t NowNs, llvm::function_ref<HostState()> Host,
                        std::string &Why) {
  bool IsStuck = !Waves.empty(), SeemsStuck = IsStuck;
  bool NeedsHost = false; // to be known
  HostWrites Most = HostWrites::Never;
  for (const auto &[Number, F] : Waves) {
    if (F.IsWaiting)
      continue;
    Most = std::max(Most, hostWrites(F));
    SeemsStuck &= F.Returns > 0;
    IsStuck &= isSpinning(F);
    NeedsHost |= F.SpinSpace != Space::Local;
  }
  SeemsStuck &= Most != HostWrites::Any;
  IsStuck &= Most != HostWrites::Any;
  WatchesAll |= SeemsStuck;
  const HostState Now = IsStuck && NeedsHost ? Host() : HostState::Waits;
  if (!IsStuck || Now == HostState::Runs ||
      (Most == HostWrites::OwnThreads && Now != HostState::Waits)) {
    StuckSince = 0;
    return false;
  }
  if (!StuckSince)
    StuckSince = NowNs;
  if (NowNs - StuckSince <
      (Now == HostState::Waits ? PatienceNs : LongPatienceNs))
    return false;
  StuckSince = 0;
  const Facts &First = Waves.begin()->second;
  Finding F = describe();
  Why = F.What;
  R.report({Kind::Deadlock, First.IsWaiting ? First.BarrierPC : First.SpinPC},
           0, [&] { return F; });
  return true;
}

/// "1 wave waits", "2 waves wait".
static std::string waits(size_t Count) {
  return std::to_string(Count) + (Count == 1 ? " wave waits" : " waves wait");
}

void SyncCheck::describeSpin(const Facts &F, Finding &Out) const {
  Out.Here = F.Wave->at(F.SpinPC, F.SpinLanes, AccessKind::Read);
  Out.Here.Stack = F.SpinStack;
  Out.Memory = F.SpinSpace;
  Out.Address = F.SpinAddress;
  Out.Size = F.SpinSize;
  if (F.SpinSpace == Space::Global)
    Out.Block = Memory.findLive(F.SpinAddress);
  Out.Notes.push_back(
      "it reads " + hex(F.SpinValue) +
      " there again and again; no wave that can run will write it");
  const uint64_t Others = F.AllLanes & ~F.Wave->State->exec();
  if (Others)
    Out.Notes.push_back(
        "of the wave, lanes that aren't active: " + laneList(Others) +
        "; they wait for these lanes, or have returned");
}

/// Who waits, where, and for whom.
Finding SyncCheck::describe() const {
  Finding Out;
  const Facts *Spin = nullptr, *Barrier = nullptr;
  size_t Spinning = 0, Waiting = 0, AtGrid = 0;
  for (const auto &[Number, F] : Waves) {
    if (F.IsWaiting) {
      Barrier = Barrier ? Barrier : &F;
      ++Waiting;
      AtGrid += F.IsAtGrid;
    } else {
      Spin = Spin ? Spin : &F;
      ++Spinning;
    }
  }
  if (Spin) {
    Out.What =
        "Deadlock: " + waits(Spinning) + " for memory that nobody will write";
    describeSpin(*Spin, Out);
    if (Barrier) {
      Out.Other =
          Barrier->Wave->at(Barrier->BarrierPC, Barrier->Wave->State->exec());
      Out.OtherWhat = waits(Waiting) + " at a barrier for " +
                      (Spinning == 1 ? "it" : "them");
    }
  } else {
    Out.What = "Deadlock: " + waits(Waiting) + " at " +
               (AtGrid ? "the grid's barrier" : "a barrier") +
               " that the others don't reach";
    Out.Here =
        Barrier->Wave->at(Barrier->BarrierPC, Barrier->Wave->State->exec());
  }
  const Launch &L = *(Spin ? Spin : Barrier)->Wave->Kernel;
  const auto It = Begun.find(&L);
  const uint64_t All = L.Groups * L.WavesPerGroup;
  const uint64_t BegunWaves = It == Begun.end() ? 0 : It->second;
  if (BegunWaves < All)
    Out.Notes.push_back("workgroups that haven't begun: " +
                        std::to_string((All - BegunWaves) / L.WavesPerGroup) +
                        "; there is no room for them until one of these ends");
  else if (BegunWaves > Spinning + Waiting)
    Out.Notes.push_back("waves of the kernel that have ended: " +
                        std::to_string(BegunWaves - Spinning - Waiting));
  return Out;
}
