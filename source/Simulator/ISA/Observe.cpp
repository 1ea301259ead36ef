//===-- Observe.cpp - what an instruction is about to do ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Observe.h"

#include "Dpp.h"
#include "MemoryPlaces.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace wavelane::isa {

using llvm::StringRef;
using File = RegisterRange::File;

Observer::~Observer() = default;
bool Observer::before(const WaveState &, const ObservedInstruction &) {
  return true;
}
void Observer::after(const WaveState &, const ObservedInstruction &) {}

/// Runs a handler that may stop the wave as if it hadn't.
static void runAside(Machine &M, const Inst &I) {
  I.Fn(M, I);
  if (!M.Stop)
    return;
  M.Stop = false;
  M.Result = StepResult();
  M.NextPC = M.InstPC + I.Size;
}

bool Describer::isFiltered(Machine &M, const Inst &I, const Uses &U,
                           unsigned Wants, unsigned Matched, Observer &By) {
  IsProbed = false;
  const bool OnlyRegisters =
      Matched == observe::Registers ||
      (!(Wants & observe::Accesses) && !(Matched & observe::Calls) &&
       U.Class != InstClass::ScalarMemory &&
       U.Class != InstClass::VectorMemory && U.Class != InstClass::Local &&
       U.Class != InstClass::Message);
  if (OnlyRegisters && (Wants & observe::FilterRegisters))
    return U.Lanes != Uses::Relative && !(M.W.Mode & mode::GprIdxEn) &&
           !By.needsRegisters(U.Class, U.Reads, U.Writes);
  if (!(Wants & observe::FilterAccesses) || (Matched & observe::Calls))
    return false;
  if (!(I.O->Flags & Op::Accesses))
    return true;
  O.Accesses.clear();
  M.Filter = &By;
  M.IsFiltered = false;
  probe(M, I);
  M.Filter = nullptr;
  IsProbed = !M.IsFiltered;
  return M.IsFiltered;
}

static void setFacts(ObservedInstruction &O, const Inst &I, const Uses &U,
                     uint64_t PC) {
  O.PC = PC;
  O.Size = I.Size;
  O.Class = U.Class;
  O.Facts = U.Facts;
  O.Mnemonic = U.Mnemonic.c_str();
  O.Name = U.Name.c_str();
  O.Id = U.Id;
  O.Words = I.Words;
  O.Immediate = I.Imm;
  O.Cache = U.Cache;
  O.Scope = U.Scope;
  O.IsLoad = U.IsLoad;
  O.IsStore = U.IsStore;
  O.IsAtomic = U.IsAtomic;
  O.Returns = U.Returns;
  O.IsFlat = I.Enc == Encoding::FLAT && I.Memory.Seg == 0;
}

ObservedInstruction describeAhead(const Inst &I, uint64_t PC, unsigned Lanes) {
  const Uses &U = *I.Observed;
  ObservedInstruction O;
  setFacts(O, I, U, PC);
  O.Reads = U.Reads;
  O.Writes = U.Writes;
  const bool IsUsual = U.Lanes == Uses::EachLane && !I.Dpp.IsOn &&
                       !(I.O->Flags & Op::MovesLanes);
  if (IsUsual)
    return O;
  uint64_t May = ~uint64_t(0);
  if (U.Facts->Move == gpu::MoveKind::ReadFirstLane)
    May = 0;
  else if (U.Lanes == Uses::OneLane && I.Src[1].At == Operand::Where::Const)
    May = uint64_t(1) << I.Src[1].Const % Lanes;
  for (auto *List : {&O.Reads, &O.Writes})
    for (RegisterRange &R : *List)
      if (R.isVector()) {
        R.How = RegisterRange::AnyLane;
        R.Lanes = May;
      }
  return O;
}

const ObservedInstruction &Describer::describe(Machine &M, const Inst &I,
                                               const Uses &U, unsigned Wants,
                                               bool IsTranslated) {
  setFacts(O, I, U, M.InstPC);
  O.Exec = M.exec();
  O.IsTranslated = IsTranslated;
  O.State = M.ObserverState;
  O.Reads.clear();
  O.Writes.clear();
  if (!IsProbed)
    O.Accesses.clear();
  if (!IsProbed && (I.O->Flags & Op::Accesses) &&
      (Wants & (O.IsFlat ? observe::Accesses | observe::FlatAccesses
                         : observe::Accesses)))
    probe(M, I);
  IsProbed = false;
  if ((Wants & observe::Registers) ||
      ((Wants & observe::OtherRegisters) &&
       (U.ObservedFor & observe::OtherRegisters))) {
    O.Reads = U.Reads;
    O.Writes = U.Writes;
    const bool IsIndexed =
        (M.W.Mode & mode::GprIdxEn) && U.Class == InstClass::VectorALU;
    if (IsIndexed &&
        U.OtherReads + U.OtherWrites < U.Reads.size() + U.Writes.size()) {
      O.Reads.resize(U.OtherReads);
      O.Writes.resize(U.OtherWrites);
      addVectorRanges(I, O.Reads, O.Writes);
    }
    if (U.HasVectors || U.Lanes == Uses::Relative)
      addLanes(M, I, U);
    if (IsIndexed) {
      RegisterRange Index;
      Index.First = scalar::M0;
      O.Reads.push_back(Index);
    }
  }
  return O;
}

void Describer::probe(Machine &M, const Inst &I) {
  M.Probe = &O.Accesses;
  runAside(M, I);
  M.Probe = nullptr;
}

void Describer::addLanes(Machine &M, const Inst &I, const Uses &U) {
  const bool IsMatrix = U.Lanes == Uses::Matrix;
  for (auto *List : {&O.Reads, &O.Writes})
    for (RegisterRange &R : *List)
      if (R.isVector())
        R.Lanes = IsMatrix ? M.LaneMask : O.Exec;
  if (IsMatrix || U.Lanes == Uses::RowSwap)
    for (RegisterRange &R : O.Reads)
      if (R.isVector()) {
        R.How = RegisterRange::AnyLane;
        R.Lanes = M.LaneMask;
      }
  if (I.Dpp.IsOn)
    addDpp(M, I);
  if (I.O->Flags & Op::MovesLanes)
    addMovedLanes(M, I);
  if (U.Lanes == Uses::OneLane)
    addOneLane(M, I, U);
  if (U.Lanes == Uses::Relative)
    addRelative(M, I, U);
}

void Describer::addDpp(Machine &M, const Inst &I) {
  // A mask has a bit of each active lane, also of those that DPP leaves out.
  const bool HasMask =
      std::any_of(O.Writes.begin(), O.Writes.end(),
                  [](const RegisterRange &R) { return R.In == File::Scalar; });
  uint64_t Read = 0, Written = 0;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    Source[L] = RegisterRange::NoLane;
    const int S = dppSource(I.Dpp, L);
    const bool Writes = dppWrites(M, I.Dpp, L);
    Written |= uint64_t(Writes) << L;
    if (!(HasMask ? O.Exec >> L & 1 : Writes))
      continue;
    if (S < 0 || !(dppReadable(M, I.Dpp) >> S & 1))
      continue;
    Source[L] = uint8_t(S);
    Read |= uint64_t(1) << S;
  }
  for (RegisterRange &R : O.Reads) {
    if (R.How == RegisterRange::FromLane) {
      R.Lanes = Read;
      R.Source = Source;
    } else if (R.isVector() && !HasMask) {
      R.Lanes = Written;
    }
  }
  for (RegisterRange &R : O.Writes)
    if (R.isVector())
      R.Lanes = Written;
}

/// Finds where each lane of the result comes from, by running the instruction
/// on the lanes' numbers.
void Describer::addMovedLanes(Machine &M, const Inst &I) {
  const bool IsLocal = I.Enc == Encoding::DS;
  // A swizzle's data is in the first operand.
  const bool IsSwizzle = O.Class == InstClass::Local && O.Reads.size() < 3;
  unsigned From = !IsLocal    ? I.Src[0].Reg
                  : IsSwizzle ? I.Memory.VAddr
                              : I.Memory.VData;
  const bool Acc = IsLocal && !IsSwizzle && I.Memory.AccData;
  unsigned To = I.Dst;
  if (Acc)
    From += M.W.AccumOffset;
  if (IsLocal && I.Memory.AccData)
    To += M.W.AccumOffset;
  const bool HasAddress = IsLocal && !IsSwizzle;
  const auto Mark = [&](RegisterRange::Flow How, uint64_t Lanes) {
    for (RegisterRange &R : O.Reads)
      if (R.isVector() && R.First == From - (Acc ? M.W.AccumOffset : 0) &&
          (R.In == File::Acc) == Acc) {
        R.How = How;
        R.Source = Source;
        R.Lanes = Lanes;
      }
  };
  if (From >= M.W.VGPRCount || To >= M.W.VGPRCount)
    return; // it will be illegal
  if (HasAddress && From == I.Memory.VAddr)
    return Mark(RegisterRange::AnyLane, O.Exec);
  uint32_t OldFrom[MaxLanes], OldTo[MaxLanes];
  const size_t Bytes = M.Lanes * 4;
  uint32_t *F = M.vgpr(From), *T = M.vgpr(To);
  std::memcpy(OldFrom, F, Bytes);
  std::memcpy(OldTo, T, Bytes);
  constexpr uint32_t Unwritten = 0x1000;
  if (!HasAddress || To != I.Memory.VAddr)
    std::fill(T, T + M.Lanes, Unwritten);
  for (unsigned L = 0; L < M.Lanes; ++L)
    F[L] = From == To ? (L + 1) | Unwritten : L + 1;
  runAside(M, I);
  uint64_t Read = 0, Written = 0;
  for (unsigned L = 0; L < M.Lanes; ++L) {
    const uint32_t V = T[L];
    // In one register, a lane that gets its own value counts as written.
    const bool Changed = (O.Exec >> L & 1) && (From == To || V != Unwritten);
    const uint32_t Number = V & (Unwritten - 1);
    Source[L] = RegisterRange::NoLane;
    if (!Changed)
      continue;
    Written |= uint64_t(1) << L;
    if (Number && Number <= M.Lanes) {
      Source[L] = uint8_t(Number - 1);
      Read |= uint64_t(1) << (Number - 1);
    }
  }
  std::memcpy(T, OldTo, Bytes);
  std::memcpy(F, OldFrom, Bytes);
  Mark(RegisterRange::FromLane, Read);
  for (RegisterRange &R : O.Writes)
    if (R.isVector())
      R.Lanes = Written;
}

void Describer::addOneLane(Machine &M, const Inst &I, const Uses &U) {
  unsigned L;
  if (U.Facts->Move == gpu::MoveKind::ReadFirstLane)
    L = O.Exec ? unsigned(__builtin_ctzll(O.Exec)) : 0;
  else
    L = M.scalar32(I.Src[1]) % M.Lanes;
  for (auto *List : {&O.Reads, &O.Writes})
    for (RegisterRange &R : *List)
      if (R.isVector()) {
        R.Lanes = uint64_t(1) << L;
        R.How = RegisterRange::AnyLane;
      }
}

/// Registers that M0 is added to.
void Describer::addRelative(Machine &M, const Inst &I, const Uses &U) {
  const StringRef Name = U.Name;
  const bool IsSource = Name.contains("_movrels");
  const bool IsScalar = Name.starts_with("s_");
  // LLVM has the destination of s_movreld among the sources.
  if (IsScalar && !IsSource) {
    RegisterRange R;
    R.First = I.Dst;
    R.Count = Name.ends_with("64") ? 2 : 1;
    O.Writes.push_back(R);
  }
  for (RegisterRange &R : IsSource ? O.Reads : O.Writes)
    if (IsScalar ? R.In == File::Scalar && R.First < scalar::FlatScratchLo &&
                       R.First == (IsSource ? I.Src[0].Reg : I.Dst)
                 : R.In == File::Vector)
      R.First = uint16_t(
          std::min<uint64_t>(R.First + uint64_t(M.W.m0()), UINT16_MAX));
}

namespace memory {

/// Whether each byte is accessible; sets the first one's place.
static bool resolveAll(Machine &M, LaneAccess &A, u64 Address, unsigned Size) {
  A.Host = M.global(Address, Size, A.Kind);
  if (A.Host)
    return true;
  for (unsigned N = 0; N < Size; ++N)
    if (!M.global(Address + N, 1, A.Kind))
      return false;
  A.Host = M.global(Address, 1, A.Kind);
  return true;
}

/// Notes each dword of an access that swizzling separates.
void MemoryOp::notePieces(unsigned Lane, const Place &P, unsigned Size,
                          Access Kind, unsigned Register) {
  for (unsigned Done = 0, N; Done < Size; Done += N) {
    N = std::min(4 - unsigned((P.Address + Done) & 3), Size - Done);
    const u64 At = P.Address + Done;
    const unsigned Data =
        P.Address & 3 ? LaneAccess::NoRegister : Register + Done / 4;
    note(Lane, {Space::Global, Buf->address(u32(At >> 32), u32(At))}, N, Kind,
         Data);
  }
}

void MemoryOp::note(unsigned Lane, const Place &P, unsigned Size, Access Kind,
                    unsigned Register, bool High) {
  LaneAccess A = blank(Size, Kind, Register, High);
  A.Address = P.Address;
  A.Lane = u8(Lane);
  const auto Private = [&](u64 Physical) {
    A.In = LaneAccess::Private;
    A.Host =
        M.global(Physical, std::min(Size, unsigned(4 - (Physical & 3))), Kind);
    A.InRange &= A.Host != nullptr;
  };
  if (P.In == Space::BufferPart) {
    for (unsigned N = 0; N < Size / 4; ++N)
      note(Lane, Buf->dword(P.Address, N), 4, Kind, Register + N);
    return;
  }
  switch (P.In) {
  case Space::BufferPart: // see above
    break;
  case Space::Global:
    A.InRange = resolveAll(M, A, P.Address, Size);
    break;
  case Space::Local:
  case Space::LocalChecked:
    A.In = LaneAccess::Local;
    A.InRange = P.Address + Size <= M.W.LDSSize;
    A.Host = A.InRange ? M.W.LDS + P.Address : nullptr;
    break;
  case Space::Private:
    A.InRange = P.Address + Size <= M.W.ScratchLaneSize;
    Private(privateAddress(Lane, P.Address));
    break;
  case Space::Buffer:
  case Space::Nowhere: {
    A.InRange = P.In == Space::Buffer;
    const u64 Physical = Buf->address(u32(P.Address >> 32), u32(P.Address));
    A.IsDropped = !A.InRange;
    // An atomic's bytes aren't apart.
    if (Kind == Access::Atomic) {
      A.Address = Physical;
      A.InRange = A.InRange && resolveAll(M, A, Physical, Size);
      break;
    }
    // Private memory: rows of dwords, one for each lane.
    if (Buf->Swizzle && Buf->AddTid && Buf->IndexStride == M.Lanes &&
        Buf->SOffset % (M.Lanes * 4) == 0 && Buf->Base % 4 == 0) {
      A.Address = (Physical - Buf->Base) / (M.Lanes * 4) * 4 + Physical % 4;
      A.IsDropped = false; // Its size isn't the program's choice.
      Private(Physical);
    } else if (!Buf->Swizzle || !A.InRange) {
      A.Address = Physical;
      A.InRange = A.InRange && resolveAll(M, A, Physical, Size);
    } else {
      return notePieces(Lane, P, Size, Kind, Register);
    }
    break;
  }
  }
  if (!A.InRange)
    A.Host = nullptr;
  M.Probe->push_back(A);
}

} // namespace memory
} // namespace wavelane::isa
