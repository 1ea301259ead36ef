//===-- RaceCheck.cpp - accesses that aren't ordered ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RaceCheck.h"
#include "WaitCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compiler.h"

#include <cstring>
#include <utility>

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::LaneAccess;
using isa::ObservedInstruction;
using llvm::StringRef;

// How much is remembered of streams that nothing synchronizes.
static constexpr size_t MaxWaves = 1 << 18, MaxCopies = 4096;
/// Clocks that waves keep when they have ended.
static constexpr uint64_t MaxKnownByEnded = 1 << 20;

//===----------------------------------------------------------------------===//
// Launches, workgroups and waves
//===----------------------------------------------------------------------===//

bool RaceCheck::ordered(const simulator::OrderNote &N) {
  const bool Good = Streams.note(N);
  forgetSettled();
  return Good;
}

void RaceCheck::launchBegins(const LaunchRef &L) {
  LaunchOrder &Order = Launches[L->Number];
  Order.Op = Streams.kernel(L->Queue, L->PacketId);
  for (const auto &C : Copies)
    if (!StreamOrder::isBefore(C->Op, Order.Op))
      Order.Unordered.push_back(C);
}

void RaceCheck::launchEnds(const LaunchRef &L) {
  LaunchOrder &Order = Launches[L->Number];
  MostShadows = shadowBytes();
  Order.HasEnded = true;
  Order.Unordered.clear();
  Order.Atomics = AtomicPlaces();
  Order.AtomicBytes = 0;
  Current = nullptr;
  OfLaunch = nullptr;
  forgetSettled();
}

/// When all that has happened comes before all that will, forgets it.
void RaceCheck::forgetSettled() {
  if (Launches.empty() && Copies.empty())
    return;
  if (!llvm::all_of(Launches, [](const auto &E) { return E.second.HasEnded; }))
    return;
  if (Waves.size() > MaxWaves || Copies.size() > MaxCopies)
    R.notChecked("races between streams with too many operations between "
                 "synchronizations");
  else if (!Streams.isSettled())
    return;
  Launches.clear();
  Waves.clear();
  KnownByEnded = 0;
  Copies.clear();
  OfHost.clear();
  MostShadows = shadowBytes();
  Global.clear();
}

void RaceCheck::waveBegins(const WaveInfo &W) {
  if (!W.Kernel->IsChecked)
    return;
  auto Order = std::make_unique<WaveOrder>();
  Order->Info = W;
  Waves[uint32_t(W.Number)] = std::move(Order);
  auto &G = Groups[W.GroupNumber];
  if (!G)
    G = std::make_unique<Group>();
  G->Waves.push_back(uint32_t(W.Number));
}

void RaceCheck::waveEnds(const WaveInfo &W) {
  auto It = Waves.find(uint32_t(W.Number));
  if (It == Waves.end())
    return;
  if (Current == It->second.get())
    reportDoubts();
  It->second->Seen = It->second->Settled = Clocks();
  // Its place is still named by findings, and a flag that it has set may still
  // be read: this reports the workgroup's waves, whom a barrier has ordered
  // before, and of others while that takes little memory.
  Clocks &Known = It->second->Known;
  if (KnownByEnded + Known.size() > MaxKnownByEnded) {
    Clocks OfGroup;
    for (const auto &[Number, Clock] : Known)
      if (auto Other = Waves.find(Number);
          Other != Waves.end() &&
          Other->second->Info.GroupNumber == W.GroupNumber)
        OfGroup[Number] = Clock;
    Known = std::move(OfGroup);
  } else {
    KnownByEnded += Known.size();
  }
  auto G = Groups.find(W.GroupNumber);
  if (G != Groups.end()) {
    llvm::erase(G->second->Waves, uint32_t(W.Number));
    if (G->second->Waves.empty())
      Groups.erase(G);
  }
  Current = nullptr;
}

void RaceCheck::waveRuns(const WaveInfo &W) {
  Check::waveRuns(W);
  Me = uint32_t(W.Number);
  auto It = Waves.find(Me);
  auto G = Groups.find(W.GroupNumber);
  const bool Known = It != Waves.end() && G != Groups.end();
  Current = Known ? It->second.get() : nullptr;
  OfCurrent = Known ? G->second.get() : nullptr;
  OfLaunch = Known ? &Launches[W.Kernel->Number] : nullptr;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Orders all accesses of this wave so far before whatever acquires \a To. The
/// caller increments the clock.
template <typename Map> void RaceCheck::release(Map &To) {
  join(To, Current->Known);
  To[Me] = Current->Clock;
}

void RaceCheck::arrive(BarrierClocks &At) {
  release(At.Known);
  ++Current->Clock;
  join(At.Seen, Current->Seen);
  join(At.Settled, Current->Settled);
}

void RaceCheck::leave(WaveOrder &W, const BarrierClocks &At) {
  join(W.Known, At.Known);
  join(W.Seen, At.Seen);
  join(W.Settled, At.Settled);
}

void RaceCheck::released(const WaveInfo &W, bool Grid) {
  if (Grid) {
    const BarrierClocks &At = Launches[W.Kernel->Number].Arrived;
    for (auto &[Number, Other] : Waves)
      if (Other->LeavesGrid && Other->Info.Kernel == W.Kernel) {
        leave(*Other, At);
        Other->LeavesGrid = false;
      }
    return;
  }
  auto It = Groups.find(W.GroupNumber);
  if (It == Groups.end())
    return;
  Group &G = *It->second;
  G.Open = G.Arrived;
  for (const uint32_t Number : G.Waves) {
    WaveOrder &Other = *Waves[Number];
    if (Other.LeavesBarrier)
      leave(Other, G.Open);
    Other.LeavesBarrier = false;
  }
}

/// A load that no cache of the compute unit answers: of an atomic or volatile
/// object. It isn't distinguished from other instructions' loads otherwise.
static bool isCoherent(const ObservedInstruction &I) {
  return I.Scope || (I.Cache & (isa::cache::GLC | isa::cache::DLC |
                                isa::cache::SC0 | isa::cache::SC1));
}

/// Whether an invalidation makes what other compute units have written visible.
static bool invalidatesForDevice(const ObservedInstruction &I) {
  switch (I.Facts->Invalidates) {
  case gpu::Invalidation::None:
    return false;
  case gpu::Invalidation::Device:
    return true;
  case gpu::Invalidation::DeviceIfSc1:
    return I.Cache & isa::cache::SC1;
  case gpu::Invalidation::DeviceIfInScope:
    return I.Scope >= 2;
  }
  return false;
}

uint64_t RaceCheck::bytes() const {
  uint64_t Bytes = Global.bytes();
  for (const auto &[Number, L] : Launches)
    Bytes += L.AtomicBytes;
  return Bytes;
}

RaceCheck::AtomicPlaces &RaceCheck::atomicPlaces(const LaneAccess &A) {
  return A.In == LaneAccess::Local ? OfCurrent->Atomics : OfLaunch->Atomics;
}

/// \return Null if there is no memory for another place: from then on, what
///     orders the launch's accesses of global memory isn't known.
RaceCheck::AtomicPlace *RaceCheck::atomicPlace(const LaneAccess &A) {
  AtomicPlaces &Places = atomicPlaces(A);
  if (A.In == LaneAccess::Local)
    return &Places[A.Address];
  if (OfLaunch->HasLostAtomics)
    return nullptr;
  const auto It = Places.find(A.Address);
  if (It != Places.end())
    return &It->second;
  // A map that grows has four places for three in use, and both copies.
  constexpr uint64_t Room = 3 * sizeof(AtomicPlaces::value_type);
  if (bytes() + Room <= Global.limit()) {
    OfLaunch->AtomicBytes += Room;
    return &Places[A.Address];
  }
  OfLaunch->HasLostAtomics = true;
  MostShadows = shadowBytes();
  Places = AtomicPlaces();
  OfLaunch->AtomicBytes = 0;
  return nullptr;
}

/// An atomic orders what is before its release with what is after its acquire.
void RaceCheck::synchronize(const ObservedInstruction &I, const LaneAccess &A) {
  AtomicPlace *Place = atomicPlace(A);
  if (!Place)
    return;
  auto &At = Place->Released;
  if (A.In == LaneAccess::Local) {
    join(Current->Known, At);
    release(At);
    return;
  }
  if (I.Returns) {
    join(Current->Seen, At);
    join(Current->Settled, At);
  }
  if (Current->HasOpenStores)
    return;
  const uint64_t Before = At.getMemorySize();
  release(At);
  OfLaunch->AtomicBytes += At.getMemorySize() - Before;
}

void RaceCheck::after(const isa::WaveState &, const ObservedInstruction &I) {
  if (!Current)
    return;
  const gpu::BarrierStep Barrier = I.Facts->Barrier;
  switch (I.Class) {
  case InstClass::Barrier:
    reportDoubts();
    if (Barrier == gpu::BarrierStep::Grid) {
      arrive(Launches[Now->Kernel->Number].Arrived);
      Current->LeavesGrid = true;
      return;
    }
    if (Barrier == gpu::BarrierStep::Signal ||
        Barrier == gpu::BarrierStep::SignalAndWait)
      arrive(OfCurrent->Arrived);
    // It leaves when the barrier opens, or at once if it has.
    if (Barrier == gpu::BarrierStep::Wait ||
        Barrier == gpu::BarrierStep::SignalAndWait)
      Current->LeavesBarrier = true;
    return;
  case InstClass::Wait: {
    const gpu::WaitEncoding In = gpu::features(Now->Kernel->Processor).Waits;
    const WaitCheck::Waits W = WaitCheck::decodeWait(In, I);
    if (W.Limit[WaitCheck::storeCounter(In)] == 0)
      Current->HasOpenStores = false;
    // The waves of a workgroup share a cache.
    if (W.Limit[WaitCheck::Vector] == 0)
      for (const auto &[Wave, Clock] : Current->Seen) {
        auto It = Waves.find(Wave);
        if (It == Waves.end() ||
            It->second->Info.GroupNumber != Now->GroupNumber)
          continue;
        uint32_t &Mine = Current->Known[Wave];
        Mine = std::max(Mine, Clock);
      }
    return;
  }
  case InstClass::Cache:
    Current->HasFenced = true;
    if (!invalidatesForDevice(I))
      return;
    join(Current->Known, Current->Seen);
    Current->Seen.clear();
    Current->Settled.clear();
    Current->Signals.clear();
    llvm::erase_if(Current->DoubtfulAccesses,
                   [](const DoubtfulAccess &D) { return D.OfVolatile; });
    return;
  case InstClass::VectorMemory:
    if (I.IsStore && !I.IsAtomic)
      Current->HasOpenStores |=
          llvm::any_of(I.Accesses, [](const LaneAccess &A) {
            return A.In == LaneAccess::Global;
          });
    return;
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// What a store writes.
static uint64_t storedByte(const isa::WaveState &Wave, const LaneAccess &A,
                           unsigned N) {
  const unsigned Reg = A.Register + N / 4;
  uint32_t V = 0;
  if (A.File == isa::RegisterRange::Scalar) {
    if (Reg < isa::scalar::Count)
      V = Wave.Scalar[Reg];
  } else {
    const size_t At =
        size_t(Reg +
               (A.File == isa::RegisterRange::Acc ? Wave.AccumOffset : 0)) *
            Wave.LaneCount +
        A.Lane;
    if (At < Wave.VGPR.size())
      V = Wave.VGPR[At];
  }
  return V >> (8 * (N % 4) + (A.High ? 16 : 0)) & 0xff;
}

/// Whether a store leaves some bytes of the dword at \p Dword as they are.
static bool isSilent(const isa::WaveState &Wave, const LaneAccess &A,
                     uint64_t Dword, unsigned Bytes) {
  if (!A.Host || A.Register == LaneAccess::NoRegister)
    return false;
  for (unsigned N = 0; N < 4; ++N) {
    const uint64_t At = Dword + N - A.Address;
    if (Bytes & 1u << N && At < A.Size &&
        A.Host[At] != storedByte(Wave, A, unsigned(At)))
      return false;
  }
  return true;
}

/// Of a wave, so that they are bounded.
static constexpr size_t MaxDoubts = 256;

static AccessKind accessKind(const LaneAccess &A) {
  return A.Kind == isa::Access::Atomic  ? AccessKind::Atomic
         : A.Kind == isa::Access::Write ? AccessKind::Write
                                        : AccessKind::Read;
}

/// What look() does for a plain load of a dword that only this wave has
/// written, if any. \return false for others.
LLVM_ATTRIBUTE_ALWAYS_INLINE bool RaceCheck::noteRead(const LaneAccess &A,
                                                      KnownRead &Known) {
  if (A.Kind != isa::Access::Read || A.Size != 4 || A.Address & 3)
    return false;
  AccessShadow &Shadow = A.In == LaneAccess::Local ? OfCurrent->Local : Global;
  Cell *C = Shadow.at(A.Address);
  if (!C || (C->Write.Wave && C->Write.Wave != Me) || C->AtomicBefore.Wave)
    return false;
  Stamp *To = &C->Read;
  if (To->Wave && To->Wave != Me) {
    if (To->Wave != Known.Wave || To->Clock != Known.Clock) {
      Known.Wave = To->Wave;
      Known.Clock = To->Clock;
      Known.IsPast = isOrdered(*To, AccessKind::Read) || !concerns(*To);
    }
    if (!Known.IsPast)
      To = &C->OtherRead;
  }
  *To = Known.Present;
  To->Lane = A.Lane;
  return true;
}

bool RaceCheck::before(const isa::WaveState &Wave,
                       const ObservedInstruction &I) {
  if (!Current)
    return true;
  if (Current->LeavesBarrier) {
    leave(*Current, OfCurrent->Open);
    Current->LeavesBarrier = false;
  }
  if (I.Accesses.empty())
    return true;
  Here = Places.number(I.PC, Now->Stack);
  for (OtherWave &O : Others)
    O = {};
  if (I.IsAtomic) {
    for (const LaneAccess &A : I.Accesses)
      if (A.In != LaneAccess::Private && A.InRange && !comparePlain(Wave, I, A))
        return false;
    for (const LaneAccess &A : I.Accesses)
      if (A.In != LaneAccess::Private && A.InRange)
        synchronize(I, A);
    // What orders other accesses doesn't order the atomic itself with ordinary
    // accesses of the same place.
    ++Current->Clock;
    for (OtherWave &O : Others)
      O = {};
  } else if (I.IsStore && !compareLanes(Wave, I)) {
    return false;
  }
  const bool Compares = !OfLaunch->Unordered.empty() || !OfHost.empty();
  const bool IsPlain = !Compares && !I.IsAtomic && !I.IsStore && !isCoherent(I);
  KnownRead Known;
  Known.Present.Wave = Me;
  Known.Present.Clock = Current->Clock;
  Known.Present.Site = Here;
  Known.Present.Bytes = 15;
  Known.Present.Kind = unsigned(AccessKind::Read);
  for (const LaneAccess &A : I.Accesses)
    if (A.In != LaneAccess::Private && A.InRange &&
        !(IsPlain && noteRead(A, Known)) &&
        (!look(Wave, I, A) ||
         (Compares && (!compareCopies(A, I) || !compareHost(A, I)))))
      return false;
  return true;
}

/// A kernel that uses an object as a flag, in memory that the host uses.
void RaceCheck::noteTalk(const LaneAccess &A) {
  if (OfLaunch->TalksToHost || A.In != LaneAccess::Global)
    return;
  const Allocation *Block = Memory.find(A.Address);
  if (!Block || Block->What == Allocation::Device ||
      Block->What == Allocation::Internal)
    return;
  bool IsFlag = true; // a coherent load's
  if (A.Kind == isa::Access::Atomic) {
    // Otherwise it is a counter, which publishes nothing.
    IsFlag = Current->HasFenced || Current->WritesToHost;
  } else if (A.Kind == isa::Access::Write) {
    const auto [It, IsNew] = VolatileSites.try_emplace(Here);
    if (IsNew)
      It->second =
          Source.WritesVolatile && Source.WritesVolatile(Places[Here].PC);
    IsFlag = Current->HasFenced || It->second;
    Current->WritesToHost = true;
  }
  OfLaunch->TalksToHost = IsFlag;
}

/// Lanes of one instruction that write different values to the same address.
bool RaceCheck::compareLanes(const isa::WaveState &Wave,
                             const ObservedInstruction &I) {
  uint64_t End = 0;
  const bool Ascends = llvm::all_of(I.Accesses, [&](const LaneAccess &A) {
    const bool After = A.Address >= End;
    End = A.Address + A.Size;
    return After;
  });
  if (Ascends)
    return true;
  llvm::SmallDenseMap<uint64_t, const LaneAccess *, 256> Bytes;
  for (const LaneAccess &A : I.Accesses) {
    if (A.Kind != isa::Access::Write || A.In == LaneAccess::Private ||
        A.Register == LaneAccess::NoRegister || !A.InRange)
      continue;
    for (unsigned N = 0; N < A.Size; ++N) {
      const uint64_t At = (A.Address + N) | uint64_t(A.In) << 62;
      const auto [It, New] = Bytes.try_emplace(At, &A);
      const LaneAccess &B = *It->second;
      if (New || B.Lane == A.Lane ||
          storedByte(Wave, B, unsigned(A.Address + N - B.Address)) ==
              storedByte(Wave, A, N))
        continue;
      Stamp S;
      S.Wave = Me;
      S.Site = Here;
      S.Lane = B.Lane;
      S.Kind = unsigned(AccessKind::Write);
      return report(Wave, Here, I.Exec, A, S);
    }
  }
  return true;
}

bool RaceCheck::concerns(uint32_t OtherWave) const {
  auto It = Waves.find(OtherWave);
  if (It == Waves.end())
    return false;
  if (It->second->Info.Kernel == Now->Kernel)
    return true;
  const auto Theirs = Launches.find(It->second->Info.Kernel->Number);
  return Theirs != Launches.end() &&
         !StreamOrder::isBefore(Theirs->second.Op, OfLaunch->Op);
}

bool RaceCheck::look(const isa::WaveState &Wave, const ObservedInstruction &I,
                     const LaneAccess &A) {
  AccessKind Kind = accessKind(A);
  if (Kind == AccessKind::Atomic)
    llvm::erase_if(Current->DoubtfulAccesses, [&](const DoubtfulAccess &D) {
      return D.A.In == A.In && D.A.Address == A.Address;
    });
  else if (Kind == AccessKind::Read && A.In == LaneAccess::Global &&
           isCoherent(I)) {
    Kind = AccessKind::Atomic; // an atomic load
    const auto &Atomics = OfLaunch->Atomics;
    if (const auto It = Atomics.find(A.Address); It != Atomics.end()) {
      join(Current->Seen, It->second.Released);
      join(Current->Settled, It->second.Released);
    }
  }
  if (Kind != AccessKind::Read && Streams.followsHost())
    noteTalk(A);
  const auto NotChecked = [&] {
    R.notChecked("races in global memory beyond " +
                 std::to_string(Global.limit() >> 20) +
                 " MiB of shadows (--shadow-limit)");
  };
  if (A.In == LaneAccess::Global && OfLaunch->HasLostAtomics) {
    NotChecked();
    return true;
  }
  AccessShadow &Shadow = A.In == LaneAccess::Local ? OfCurrent->Local : Global;
  for (unsigned N = 0; N < A.Size;) {
    const unsigned First = unsigned((A.Address + N) & 3);
    const unsigned Count = std::min(4 - First, A.Size - N);
    const unsigned Bytes = ((1u << Count) - 1) << First;
    Cell *C = Shadow.at(A.Address + N);
    if (!C) {
      NotChecked();
      if (Kind == AccessKind::Atomic && A.Kind == isa::Access::Read)
        seeAll();
      return true;
    }
    const uint64_t Dword = (A.Address + N) & ~uint64_t(3);
    if (!lookAt(Wave, I, A, Dword, *C, Bytes, Kind))
      return false;
    N += Count;
  }
  return true;
}

/// Whose store an atomic load sees isn't known: it may be anybody's.
void RaceCheck::seeAll() {
  for (const auto &[Number, Other] : Waves)
    Current->Seen[Number] = Other->Clock;
}

/// A load that no cache answers sees another wave's ordinary store. On some
/// GPUs, an atomic store is one: what its wave did before is seen after the
/// acquire. If the object is volatile, only its first can be a flag.
void RaceCheck::seeStore(const LaneAccess &A, const Stamp &Write,
                         uint64_t Exec) {
  uint32_t &Seen = Current->Seen[Write.Wave];
  const auto [First, IsNew] =
      Current->Signals.try_emplace(Write.Wave, Signal{A.Address, Here});
  if (!IsNew && Source.ReadsVolatile && Seen >= Write.Clock &&
      First->second.Address != A.Address && First->second.At != Here &&
      Current->DoubtfulAccesses.size() < MaxDoubts &&
      llvm::none_of(Current->DoubtfulAccesses,
                    [&](const DoubtfulAccess &D) { return D.At == Here; }))
    Current->DoubtfulAccesses.push_back(
        {A, Here, Exec, Write, /*OfVolatile=*/true});
  Seen = std::max(Seen, uint32_t(Write.Clock));
  if (auto It = Waves.find(Write.Wave); It != Waves.end())
    join(Current->Seen, It->second->Known);
}

/// An atomic after an ordinary store that earlier atomics of the same place
/// have hidden. These order what their waves did before, but not the store with
/// the atomics: this one could have come first.
bool RaceCheck::comparePlain(const isa::WaveState &Wave,
                             const ObservedInstruction &I,
                             const LaneAccess &A) {
  const AtomicPlaces &Places = atomicPlaces(A);
  const auto It = Places.find(A.Address);
  if (It == Places.end())
    return true;
  const Stamp &Plain = It->second.Plain;
  return isOrdered(Plain, AccessKind::Atomic) || !concerns(Plain) ||
         report(Wave, Here, I.Exec, A, Plain);
}

bool RaceCheck::lookAt(const isa::WaveState &Wave, const ObservedInstruction &I,
                       const LaneAccess &A, uint64_t Dword, Cell &C,
                       unsigned Bytes, AccessKind Kind) {
  const bool Writes = A.Kind != isa::Access::Read;
  const auto Conflicts = [&](const Stamp &S) {
    return (S.Bytes & Bytes) && !isOrdered(S, Kind) &&
           !(Kind == AccessKind::Atomic && S.kind() == AccessKind::Atomic) &&
           concerns(S);
  };
  // Whether this wave has read this very place after a write, by a load that no
  // cache answers.
  const auto HasSeen = [&](const Stamp &S) {
    const auto It = Current->Signals.find(S.Wave);
    return It != Current->Signals.end() && It->second.Address == A.Address &&
           Current->Seen.lookup(S.Wave) >= S.Clock;
  };
  // Of the bytes that are accessed now.
  const auto Its = [&](Stamp S) {
    S.Lane = S.laneOf(Bytes);
    return S;
  };
  if (Conflicts(C.Write)) {
    if (Kind == AccessKind::Atomic && !Writes) {
      seeStore(A, Its(C.Write), I.Exec);
      return true;
    }
    if (Kind == AccessKind::Read && C.Write.kind() == AccessKind::Atomic) {
      if (Current->DoubtfulAccesses.size() < MaxDoubts)
        Current->DoubtfulAccesses.push_back({A, Here, I.Exec, Its(C.Write)});
    } else if (!(Kind == AccessKind::Write &&
                 C.Write.kind() == AccessKind::Write &&
                 (isSilent(Wave, A, Dword, Bytes & C.Write.Bytes) ||
                  HasSeen(C.Write))) &&
               !report(Wave, Here, I.Exec, A, Its(C.Write))) {
      // Two that write the same value do no harm, and a wave that has seen the
      // other's value replaces that one.
      return false;
    }
  }
  if (Kind == AccessKind::Read && Conflicts(C.AtomicBefore) &&
      Current->DoubtfulAccesses.size() < MaxDoubts)
    Current->DoubtfulAccesses.push_back({A, Here, I.Exec, Its(C.AtomicBefore)});
  Stamp S;
  S.Wave = Me;
  S.Clock = Current->Clock;
  S.Site = Here;
  S.Lane = A.Lane;
  S.Bytes = Bytes;
  S.Kind = unsigned(Kind);
  if (!Writes) {
    Stamp &Read =
        C.Read.Wave == Me || isOrdered(C.Read, Kind) || !concerns(C.Read)
            ? C.Read
            : C.OtherRead;
    S.join(Read);
    Read = S;
    return true;
  }
  // An atomic load sees a store of any kind. For a read before an atomic, see
  // Doubt: if it is wrong, some wave reads after one.
  for (const Stamp *Read : {&C.Read, &C.OtherRead})
    if (Conflicts(*Read) && Read->kind() != AccessKind::Atomic &&
        Kind != AccessKind::Atomic &&
        !report(Wave, Here, I.Exec, A, Its(*Read)))
      return false;
  if (Kind != AccessKind::Atomic)
    C.AtomicBefore = Stamp();
  else if (C.Write.kind() == AccessKind::Atomic && C.Write.Wave != Me)
    C.AtomicBefore = C.Write;
  else if (C.Write.kind() == AccessKind::Write && C.Write.Wave)
    if (AtomicPlace *Place = atomicPlace(A))
      Place->Plain = C.Write;
  S.join(C.Write);
  C.Write = S;
  for (Stamp *Read : {&C.Read, &C.OtherRead})
    if (!(Read->Bytes &= ~Bytes))
      *Read = Stamp();
  return true;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

static constexpr char NoOrder[] =
    "they are of different streams or nodes of a graph, and neither an event, "
    "an edge nor the host's waiting orders them";
static constexpr char NoWait[] =
    "the host hasn't waited for it: neither for the device, the stream nor an "
    "event";
static constexpr char OfTalk[] =
    "races of the host with kernels that exchange data with it while they run";

static const char *verb(AccessKind Kind) {
  switch (Kind) {
  case AccessKind::Write:
    return "write";
  case AccessKind::Atomic:
    return "atomic access";
  default:
    return "read";
  }
}

/// What it is: "copy", "hipFreeAsync".
static const char *nameOf(const CopyInfo &Info) {
  switch (Info.Does) {
  case CopyInfo::Allocates:
    return "hipMallocAsync";
  case CopyInfo::Frees:
    return "hipFreeAsync";
  case CopyInfo::Copies:
    break;
  }
  return Info.From ? "copy" : "fill";
}

/// What it does with the memory.
static const char *doesWhat(const CopyInfo &Info, bool Writes) {
  switch (Info.Does) {
  case CopyInfo::Allocates:
    return "allocates";
  case CopyInfo::Frees:
    return "frees";
  case CopyInfo::Copies:
    break;
  }
  return Writes ? "writes" : "reads";
}

/// "a copy", "hipFreeAsync".
static std::string withArticle(const CopyInfo &Info) {
  return std::string(Info.Does == CopyInfo::Copies ? "a " : "") + nameOf(Info);
}

/// "Copy that writes", "hipFreeAsync frees".
static std::string sentence(const CopyInfo &Info, bool Writes) {
  std::string Out = nameOf(Info);
  if (Info.Does == CopyInfo::Copies) {
    Out[0] = llvm::toUpper(Out[0]);
    Out += " that";
  }
  return Out + " " + doesWhat(Info, Writes);
}

void RaceCheck::reportDoubts() {
  for (const DoubtfulAccess &D : std::exchange(Current->DoubtfulAccesses, {}))
    if (!D.OfVolatile || Source.ReadsVolatile(Places[D.At].PC))
      report(*Now->State, D.At, D.Exec, D.A, D.Other);
}

bool RaceCheck::report(const isa::WaveState &Wave, uint32_t Site, uint64_t Exec,
                       const LaneAccess &A, const Stamp &Other) {
  const Sites::Site &Mine = Places[Site], &Theirs = Places[Other.Site];
  const bool IsLocal = A.In == LaneAccess::Local;
  const bool OfLanes = Other.Wave == Me;
  const auto OtherWave = Waves.find(Other.Wave);
  const bool OfStreams = !OfLanes && OtherWave != Waves.end() &&
                         OtherWave->second->Info.Kernel != Now->Kernel;
  const check::Kind What = OfLanes     ? Kind::LaneRace
                           : IsLocal   ? Kind::LocalRace
                           : OfStreams ? Kind::StreamRace
                                       : Kind::GlobalRace;
  const AccessKind Access = accessKind(A);
  const uint64_t Lanes =
      A.Lane == LaneAccess::Scalar ? Exec : uint64_t(1) << A.Lane;
  return !R.report({What, Mine.PC, Theirs.PC, Mine.Stack}, 1, [&] {
    Finding F;
    const std::string Where = IsLocal ? "local" : "global";
    F.What = OfLanes ? "Lanes of one instruction write different values to the "
                       "same address in " +
                           Where + " memory"
                     : "Race in " + Where + " memory: " + verb(Access) +
                           " after an unordered " + verb(Other.kind());
    F.Here = Now->at(Mine.PC, Lanes, Access);
    F.Here.Stack = Mine.Stack;
    F.Memory = IsLocal ? Space::Local : Space::Global;
    F.Address = A.Address;
    F.Size = A.Size;
    if (!IsLocal)
      F.Block = Memory.findLive(A.Address);
    auto It = Waves.find(Other.Wave);
    if (It != Waves.end()) {
      const uint64_t OtherLanes =
          Other.Lane == LaneAccess::Scalar ? 0 : uint64_t(1) << Other.Lane;
      F.Other = It->second->Info.at(Theirs.PC, OtherLanes, Other.kind());
      F.Other->Stack = Theirs.Stack;
      F.OtherWhat = std::string("the ") + verb(Other.kind()) + " before";
      if (OfLanes)
        F.OtherWhat = "the other lane's write";
    }
    if (Access == AccessKind::Write && A.Host && A.Size <= 8 &&
        A.Register != LaneAccess::NoRegister) {
      uint64_t Old = 0, New = 0;
      std::memcpy(&Old, A.Host, A.Size);
      for (unsigned N = 0; N < A.Size; ++N)
        New |= storedByte(Wave, A, N) << (8 * N);
      F.Notes.push_back("it writes 0x" + llvm::utohexstr(New, true) +
                        " where 0x" + llvm::utohexstr(Old, true) + " was");
    }
    if (!OfLanes)
      F.Notes.push_back(OfStreams ? NoOrder
                        : IsLocal ? "no barrier of the workgroup is in between"
                                  : "nothing orders the two: neither a barrier "
                                    "nor an atomic with fences");
    return F;
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool RaceCheck::Copy::touches(uint64_t First, uint64_t Limit) const {
  if (First >= End || Limit <= Begin)
    return false;
  if (Pitch <= Width)
    return true;
  First = std::max(First, Begin);
  const uint64_t Row = Begin + (First - Begin) / Pitch * Pitch;
  return First < Row + Width || Limit > Row + Pitch;
}

bool RaceCheck::Copy::touches(const Copy &Other) const {
  if (Pitch <= Width)
    return Other.touches(Begin, End);
  for (uint64_t Row = Begin; Row < End; Row += Pitch)
    if (Other.touches(Row, Row + Width))
      return true;
  return false;
}

void RaceCheck::copied(const CopyInfo &Info) {
  const StreamOrder::Operation Op = Streams.copy(Info.Queue);
  const auto Add = [&](uint64_t Begin, uint64_t Pitch, bool Writes) {
    const Allocation *Block = Begin ? Memory.find(Begin) : nullptr;
    if (!Block || Block->What == Allocation::Internal)
      return;
    const uint64_t Rows = std::max<uint64_t>(Info.Rows, 1);
    auto C = std::make_shared<Copy>(
        Copy{Op, Begin, Begin + (Rows - 1) * Pitch + Info.Size, Writes, Info,
             /*IsHost=*/false, Info.Size, Rows > 1 ? Pitch : 0});
    compare(*C);
    compareCopies(*C);
    for (auto &[Number, L] : Launches)
      if (!L.HasEnded && !StreamOrder::isBefore(L.Op, Op))
        L.Unordered.push_back(C);
    Copies.push_back(std::move(C));
  };
  Add(Info.To, Info.ToPitch, true);
  Add(Info.From, Info.FromPitch, false);
  forgetSettled();
}

/// Whether the source says that an atomic isn't one with the host.
bool RaceCheck::isOfDevice(uint64_t PC) const {
  return Source.IsOfDevice && Source.IsOfDevice(PC);
}

/// Looks for a kernel's access that isn't ordered before a copy.
void RaceCheck::compare(const Copy &C) {
  for (uint64_t At = C.Begin & ~uint64_t(3); At < C.End;) {
    const Cell *Cell = Global.find(At);
    if (!Cell) {
      At = AccessShadow::next(At);
      continue;
    }
    unsigned Bytes = 0;
    for (unsigned N = 0; N < 4; ++N)
      Bytes |= unsigned(C.touches(At + N, At + N + 1)) << N;
    for (const Stamp *S : {&Cell->Write, &Cell->Read, &Cell->OtherRead}) {
      const auto W = Waves.find(S->Wave);
      if (!S->Wave || W == Waves.end() || !(S->Bytes & Bytes) ||
          (!C.Writes && S->kind() == AccessKind::Read))
        continue;
      const auto L = Launches.find(W->second->Info.Kernel->Number);
      if (L == Launches.end() || StreamOrder::isBefore(L->second.Op, C.Op))
        continue;
      const bool MayTalk = C.IsHost && (L->second.TalksToHost ||
                                        (S->kind() == AccessKind::Atomic &&
                                         !isOfDevice(Places[S->Site].PC)));
      if (!MayTalk) {
        Stamp Of = *S;
        Of.Lane = S->laneOf(Bytes);
        return reportCopy(C, Of, At);
      }
      R.notChecked(OfTalk);
    }
    At += 4;
  }
}

void RaceCheck::reportCopy(const Copy &C, const Stamp &Other,
                           uint64_t Address) {
  const Sites::Site &Theirs = Places[Other.Site];
  const FindingKey Key = {Kind::StreamRace, 0,
                          hash(C.Info.HostStack) ^ Theirs.PC};
  R.report(Key, 1, [&] {
    Finding F;
    F.What = (C.IsHost ? "Race in global memory: the host " +
                             std::string(C.Writes ? "writes" : "reads") +
                             " what a kernel "
                       : sentence(C.Info, C.Writes) +
                             " what a kernel of another stream ") +
             (Other.kind() == AccessKind::Read ? "reads" : "writes");
    F.Memory = Space::Global;
    F.Address = Address;
    F.Size = 4;
    F.HostStack = C.Info.HostStack;
    F.IsHostAccess = C.IsHost;
    F.Block = Memory.findLive(Address);
    const uint64_t Lanes =
        Other.Lane == LaneAccess::Scalar ? 0 : uint64_t(1) << Other.Lane;
    F.Other =
        Waves.find(Other.Wave)->second->Info.at(Theirs.PC, Lanes, Other.kind());
    F.Other->Stack = Theirs.Stack;
    F.OtherWhat = std::string("the kernel's ") + verb(Other.kind());
    F.Notes.push_back(C.IsHost ? NoWait : NoOrder);
    return F;
  });
}

/// Looks for a copy that isn't ordered before an access.
bool RaceCheck::compareCopies(const LaneAccess &A,
                              const ObservedInstruction &I) {
  if (OfLaunch->Unordered.empty() || A.In != LaneAccess::Global)
    return true;
  for (const auto &C : OfLaunch->Unordered)
    if ((A.Kind != isa::Access::Read || C->Writes) &&
        C->touches(A.Address, A.Address + A.Size))
      return compareWith(*C, A, I);
  return true;
}

/// \return false to stop the wave.
bool RaceCheck::compareWith(const Copy &C, const LaneAccess &A,
                            const ObservedInstruction &I) {
  const AccessKind Access = accessKind(A);
  const uint64_t Lanes =
      A.Lane == LaneAccess::Scalar ? I.Exec : uint64_t(1) << A.Lane;
  const FindingKey Key = {Kind::StreamRace, I.PC, hash(C.Info.HostStack),
                          Now->Stack};
  return !R.report(Key, 1, [&] {
    Finding F;
    F.What =
        std::string("Race in global memory: ") + verb(Access) + " of what " +
        (C.IsHost ? "the host " : withArticle(C.Info) + " of another stream ") +
        doesWhat(C.Info, C.Writes);
    F.Here = Now->at(I.PC, Lanes, Access);
    F.Memory = Space::Global;
    F.Address = A.Address;
    F.Size = A.Size;
    F.Block = Memory.findLive(A.Address);
    F.HostStack = C.Info.HostStack;
    F.IsHostAccess = C.IsHost;
    F.Notes.push_back(C.IsHost ? NoWait : NoOrder);
    return F;
  });
}

//===----------------------------------------------------------------------===//
// The host's own accesses
//===----------------------------------------------------------------------===//

bool RaceCheck::concernsHost(uint64_t Address) const {
  const Allocation *Block = Memory.find(Address);
  return Block && (Block->What == Allocation::Host ||
                   Block->What == Allocation::Managed);
}

void RaceCheck::hostAccessed(uint64_t Address, bool Writes,
                             std::vector<uint64_t> Stack) {
  CopyInfo Info;
  Info.HostStack = std::move(Stack);
  auto Mine = std::make_shared<Copy>(
      Copy{Streams.host(), Address, Address + 1, Writes, Info, true});
  compare(*Mine);
  compareCopies(*Mine);
  const bool IsBusy =
      Streams.hasLaunched() ||
      llvm::any_of(Launches, [](const auto &E) { return !E.second.HasEnded; });
  if (!IsBusy)
    return;
  if (OfHost.size() >= MaxCopies)
    return R.notChecked("races with what the host itself does to more than " +
                        std::to_string(MaxCopies) + " pages while kernels run");
  auto &Last = OfHost[Address / 4];
  if (!Last || Writes || !Last->Writes)
    Last = std::move(Mine);
}

/// Looks for an access of the host that isn't ordered before a kernel's.
bool RaceCheck::compareHost(const LaneAccess &A, const ObservedInstruction &I) {
  const bool IsAtomic = accessKind(A) == AccessKind::Atomic;
  if (OfHost.empty() || A.In != LaneAccess::Global ||
      (!IsAtomic && isCoherent(I)))
    return true;
  for (uint64_t At = A.Address / 4; At <= (A.Address + A.Size - 1) / 4; ++At) {
    const auto It = OfHost.find(At);
    if (It == OfHost.end())
      continue;
    const Copy &C = *It->second;
    if (C.Begin < A.Address || C.Begin >= A.Address + A.Size ||
        (A.Kind == isa::Access::Read && !C.Writes) ||
        StreamOrder::isBefore(C.Op, OfLaunch->Op))
      continue;
    if (!OfLaunch->TalksToHost && (!IsAtomic || isOfDevice(I.PC)))
      return compareWith(C, A, I);
    R.notChecked(OfTalk);
  }
  return true;
}

void RaceCheck::compareCopies(const Copy &C) {
  for (const auto &Other : Copies)
    if ((C.Writes || Other->Writes) &&
        !StreamOrder::isBefore(Other->Op, C.Op) && C.touches(*Other))
      return reportCopies(C, *Other);
}

void RaceCheck::reportCopies(const Copy &Later, const Copy &C) {
  const FindingKey Key = {Kind::StreamRace, 0,
                          hash(Later.Info.HostStack) ^
                              hash(C.Info.HostStack) * 3};
  R.report(Key, 1, [&] {
    Finding F;
    F.What = (Later.IsHost ? "Race in global memory: the host " +
                                 std::string(Later.Writes ? "writes" : "reads")
                           : sentence(Later.Info, Later.Writes)) +
             " what " + withArticle(C.Info) +
             (Later.IsHost ? " " : " of another stream ") +
             doesWhat(C.Info, C.Writes);
    F.Memory = Space::Global;
    F.Address = std::max(Later.Begin, C.Begin);
    F.Size = 1;
    F.HostStack = Later.Info.HostStack;
    F.IsHostAccess = Later.IsHost;
    F.CopyStack = C.Info.HostStack;
    F.Block = Memory.findLive(F.Address);
    F.Notes.push_back(Later.IsHost ? NoWait : NoOrder);
    return F;
  });
}
