//===-- InitCheck.cpp - values that were never written --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InitCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <utility>

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::LaneAccess;
using isa::ObservedInstruction;
using isa::RegisterRange;
using isa::WaveState;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Executing aside
//===----------------------------------------------------------------------===//

/// Executes single instructions on a copy of the registers that they read.
class InitCheck::Evaluator {
public:
  /// Values that take the place of undefined bits.
  static constexpr unsigned Patterns = 4;

  /// The value of each written register, lane by lane for vectors, in the order
  /// of I.Writes. Empty if it can't be executed.
  template <typename ShadowOf>
  std::vector<uint32_t> run(const WaveState &Wave, const ObservedInstruction &I,
                            unsigned Pattern, bool UndefinedSCC,
                            ShadowOf Shadow) {
    if (!On || Processor != Wave.Processor) {
      Processor = Wave.Processor;
      On = std::make_unique<isa::Executor>(Processor, Code);
    }
    Code.Host = reinterpret_cast<const uint8_t *>(I.Words);
    Code.Begin = I.PC;
    Code.Size = I.Size;
    S.Processor = Wave.Processor;
    S.LaneCount = Wave.LaneCount;
    S.AccumOffset = Wave.AccumOffset;
    S.VGPRCount = Wave.VGPRCount;
    S.VGPR.resize(Wave.VGPR.size());
    S.PC = I.PC;
    S.Mode = Wave.Mode & ~uint32_t(isa::mode::DebugEn);
    S.Status = Wave.Status & ~uint32_t(isa::status::Halt);
    S.ScratchBase = Wave.ScratchBase;
    if (UndefinedSCC)
      S.Status = (S.Status & ~uint32_t(isa::status::SCC)) | (Pattern & 1);
    std::memcpy(S.Scalar, Wave.Scalar, sizeof(S.Scalar));
    const unsigned Lanes = Wave.LaneCount;
    for (const RegisterRange &R : I.Reads)
      for (unsigned N = 0; N < R.Count; ++N) {
        if (R.In == RegisterRange::Scalar && R.First + N < isa::scalar::Count) {
          const uint32_t T = Shadow(R, N, 0);
          uint32_t &V = S.Scalar[R.First + N];
          V = (V & ~T) | (fill(Pattern, R.First + N, 0) & T);
        } else if (R.isVector()) {
          const size_t At = vectorIndex(Wave, R.In, R.First + N) * Lanes;
          if (At + Lanes > Wave.VGPR.size())
            return {};
          for (unsigned L = 0; L < Lanes; ++L) {
            const uint32_t T = Shadow(R, N, L);
            S.VGPR[At + L] =
                (Wave.VGPR[At + L] & ~T) | (fill(Pattern, R.First + N, L) & T);
          }
        }
      }
    const isa::StepResult Result = On->step(S);
    if (Result.Reason == isa::StepResult::IllegalInstruction ||
        Result.Reason == isa::StepResult::MemoryViolation)
      return {};
    std::vector<uint32_t> Out;
    for (const RegisterRange &R : I.Writes)
      for (unsigned N = 0; N < R.Count; ++N) {
        if (R.In == RegisterRange::Scalar && R.First + N < isa::scalar::Count)
          Out.push_back(S.Scalar[R.First + N]);
        else if (R.In == RegisterRange::SCC)
          Out.push_back(S.Status & isa::status::SCC);
        else if (R.isVector())
          for (unsigned L = 0; L < Lanes; ++L) {
            const size_t At = vectorIndex(Wave, R.In, R.First + N) * Lanes + L;
            Out.push_back(At < S.VGPR.size() ? S.VGPR[At] : 0);
          }
      }
    return Out;
  }

private:
  static uint32_t fill(unsigned Pattern, unsigned Register, unsigned Lane) {
    if (Pattern < 2)
      return Pattern ? ~0u : 0;
    uint64_t X = (uint64_t(Register) << 32 | Lane << 8 | Pattern) *
                 0x9e3779b97f4a7c15ull;
    X = (X ^ X >> 29) * 0xbf58476d1ce4e5b9ull;
    return uint32_t(X >> 32);
  }

  struct OneInstruction : isa::MemoryAccess {
    const uint8_t *Host = nullptr;
    uint64_t Begin = 0;
    unsigned Size = 0;
    isa::MemorySpan resolve(uint64_t, isa::Access Kind) override {
      if (Kind != isa::Access::Execute)
        return {};
      return {const_cast<uint8_t *>(Host), Begin, Begin + Size};
    }
    uint64_t clock(bool) override { return 0; }
  } Code;
  WaveState S;
  isa::Target Processor = {};
  std::unique_ptr<isa::Executor> On;
};

//===----------------------------------------------------------------------===//
// What the device and the program report
//===----------------------------------------------------------------------===//

InitCheck::InitCheck(Reporter &R, const Blocks &Memory, uint64_t Limit)
    : R(R), Memory(Memory), Global(Memory, Limit), Origins(1),
      Aside(std::make_unique<Evaluator>()) {}
InitCheck::~InitCheck() = default;

/// How many dwords of private memory are noted in WaveShadow::QuietLanes: from
/// the beginning, and at most.
static constexpr size_t FirstQuiet = 4096, MostQuiet = 1 << 16;

void InitCheck::waveBegins(const WaveInfo &W) {
  if (!W.Kernel->IsChecked)
    return;
  auto Shadow = std::make_unique<WaveShadow>();
  // Special registers count as written, but for VCC.
  Shadow->Written = W.SetScalars;
  for (unsigned N = isa::scalar::FlatScratchLo; N < isa::scalar::Count; ++N)
    Shadow->Written[N] = N != isa::scalar::VccLo && N != isa::scalar::VccHi;
  // Lanes without a work-item aren't looked at.
  Shadow->WrittenLanes.assign(W.State->VGPRCount, ~W.State->exec());
  for (unsigned N = 0; N < W.SetVectors && N < W.State->VGPRCount; ++N)
    Shadow->WrittenLanes[N] = ~uint64_t(0);
  Shadow->QuietLanes.resize(
      std::clamp<size_t>(W.State->ScratchLaneSize / 4, 4, FirstQuiet));
  if (W.HasBegun) {
    Shadow->QuietLanes.assign(Shadow->QuietLanes.size(), ~uint64_t(0));
    Shadow->Written.set();
    Shadow->WrittenLanes.assign(W.State->VGPRCount, ~uint64_t(0));
    Shadow->UnknownPrivate = 0;
  }
  Waves[W.Number] = std::move(Shadow);
  auto &G = Groups[W.GroupNumber];
  if (!G)
    G = std::make_unique<Group>();
  if (W.HasBegun)
    G->Local.assign(W.State->LDSSize, 0);
  ++G->Waves;
}

void InitCheck::waveEnds(const WaveInfo &W) {
  if (!Waves.erase(W.Number))
    return;
  auto G = Groups.find(W.GroupNumber);
  if (G != Groups.end() && --G->second->Waves == 0)
    Groups.erase(G);
  Current = nullptr;
}

void InitCheck::waveRuns(const WaveInfo &W) {
  Check::waveRuns(W);
  auto It = Waves.find(W.Number);
  auto G = Groups.find(W.GroupNumber);
  const bool Known = It != Waves.end() && G != Groups.end();
  Current = Known ? It->second.get() : nullptr;
  OfCurrent = Known ? G->second.get() : nullptr;
  if (Known && OfCurrent->Local.size() != W.State->LDSSize)
    OfCurrent->Local.assign(W.State->LDSSize, 0xff);
}

void InitCheck::allocated(const AllocationRef &A) {
  GlobalFrom.clear();
  Global.forget(A->Address, A->Size);
}
void InitCheck::freed(const AllocationRef &A) {
  Global.forget(A->Address, A->Size);
}

bool InitCheck::isDevice(uint64_t Address) const {
  const Allocation *Block = Address ? Memory.find(Address) : nullptr;
  return Block && Block->What == Allocation::Device;
}

void InitCheck::reportLimit() {
  if (Global.isFull() && !std::exchange(HasReportedLimit, true))
    R.notChecked("undefined values in global memory beyond " +
                 std::to_string(Global.limit() >> 20) +
                 " MiB of shadows (--shadow-limit)");
}

void InitCheck::moved(uint64_t To, uint64_t From, uint64_t Size) {
  if (!isDevice(To))
    return;
  if (!isDevice(From))
    Global.define(To, Size);
  else
    for (uint64_t N = 0; N < Size; ++N)
      Global.set(To + N, Global.get(From + N));
  reportLimit();
}

void InitCheck::copied(const CopyInfo &C) {
  const bool FromDevice = isDevice(C.From), ToDevice = isDevice(C.To);
  uint64_t Undefined = 0, First = 0;
  for (uint64_t Row = 0; Row < std::max<uint64_t>(C.Rows, 1); ++Row) {
    const uint64_t To = C.To + Row * C.ToPitch,
                   From = C.From + Row * C.FromPitch;
    if (!FromDevice) {
      if (ToDevice)
        Global.define(To, C.Size);
      continue;
    }
    for (uint64_t N = 0; N < C.Size; ++N) {
      const uint8_t Shadow = Global.get(From + N);
      if (ToDevice) {
        Global.set(To + N, Shadow);
      } else if (Shadow) {
        First = Undefined ? First : From + N;
        ++Undefined;
      }
    }
  }
  reportLimit();
  if (!Undefined)
    return;
  R.report({Kind::UndefinedCopy, 0, hash(C.HostStack)}, 1, [&] {
    Finding F;
    F.What = "Copy to the host of " + std::to_string(Undefined) +
             (Undefined == 1 ? " byte that depends" : " bytes that depend") +
             " on what was never written";
    if (const uint32_t From = GlobalFrom.lookup(First / 4)) {
      const Origin &O = Origins[From];
      F.Other = O.Wave.at(O.PC, O.Lanes, AccessKind::Read);
      F.OtherWhat =
          (O.Register.empty() ? "read of " : "the first use of ") + O.what();
    }
    F.Memory = Space::Global;
    F.Address = First;
    F.Size = uint32_t(std::min<uint64_t>(Undefined, UINT32_MAX));
    F.Block = Memory.findLive(First);
    F.HostStack = C.HostStack;
    F.Notes.push_back(std::to_string(First - C.From) + " of " +
                      std::to_string(C.Size * std::max<uint64_t>(C.Rows, 1)) +
                      " bytes are before the first of them");
    return F;
  });
}

//===----------------------------------------------------------------------===//
// Shadows of registers
//===----------------------------------------------------------------------===//

uint32_t InitCheck::shadowOf(const RegisterRange &R, unsigned N,
                             unsigned Lane) const {
  if (R.In == RegisterRange::Scalar)
    return R.First + N < isa::scalar::Count
               ? Current->Scalar[R.First + N] & R.Bits
               : 0;
  if (!R.isVector() || Current->Vector.empty() || !(R.Lanes >> Lane & 1))
    return 0;
  const WaveState &Wave = *Now->State;
  const size_t At =
      vectorIndex(Wave, R.In, R.First + N) * Wave.LaneCount + Lane;
  return At < Current->Vector.size() ? Current->Vector[At] & R.Bits : 0;
}

/// The origin of what is undefined in a range; 0 if nothing is.
uint32_t InitCheck::fromOf(const RegisterRange &R) const {
  if (R.In == RegisterRange::SCC)
    return Current->SCCFrom;
  for (unsigned N = 0; N < R.Count; ++N) {
    if (R.In == RegisterRange::Scalar) {
      if (shadowOf(R, N, 0))
        return Current->ScalarFrom[R.First + N];
      continue;
    }
    if (!R.isVector() || Current->Vector.empty())
      return 0;
    const size_t Reg = vectorIndex(*Now->State, R.In, R.First + N);
    if (Reg >= Current->VectorFrom.size() || !Current->VectorFrom[Reg])
      continue;
    for (unsigned L = 0; L < Now->State->LaneCount; ++L)
      if (shadowOf(R, N, L))
        return Current->VectorFrom[Reg];
  }
  return 0;
}

/// A finding is reported once: what follows has the same cause.
void InitCheck::clear(const RegisterRange &R) {
  Current->Number = 0;
  if (R.In == RegisterRange::SCC)
    Current->SCCFrom = 0;
  for (unsigned N = 0; N < R.Count; ++N) {
    if (R.In == RegisterRange::Scalar && R.First + N < isa::scalar::Count) {
      Current->Scalar[R.First + N] = 0;
    } else if (R.isVector() && !Current->Vector.empty()) {
      const unsigned Lanes = Now->State->LaneCount;
      const size_t At = vectorIndex(*Now->State, R.In, R.First + N) * Lanes;
      for (unsigned L = 0; L < Lanes && At + L < Current->Vector.size(); ++L)
        if (R.Lanes >> L & 1)
          Current->Vector[At + L] = 0;
    }
  }
}

void InitCheck::commit(const WaveState &Wave, const Change &C) {
  if (C.Shadow) {
    Current->HasUndefined = true;
    Current->Quiet = 0;
  }
  const auto Set = [this](uint32_t &To, uint32_t Value) {
    if (To != Value)
      Current->Number = 0;
    To = Value;
  };
  if (C.In == RegisterRange::SCC)
    return Set(Current->SCCFrom, C.Shadow ? C.From : 0);
  if (C.In == RegisterRange::Scalar) {
    if (C.Register >= isa::scalar::Count)
      return;
    uint32_t &S = Current->Scalar[C.Register];
    Set(S, (S & ~C.Bits) | (C.Shadow & C.Bits));
    if (C.Shadow)
      Set(Current->ScalarFrom[C.Register], C.From);
    return;
  }
  if (Current->Vector.empty()) {
    if (!C.Shadow)
      return;
    Current->Vector.assign(Wave.VGPR.size(), 0);
    Current->VectorFrom.assign(Wave.VGPRCount, 0);
  }
  const size_t Reg = vectorIndex(Wave, C.In, C.Register);
  const size_t At = Reg * Wave.LaneCount + C.Lane;
  if (At >= Current->Vector.size())
    return;
  uint32_t &S = Current->Vector[At];
  Set(S, (S & ~C.Bits) | (C.Shadow & C.Bits));
  if (C.Shadow)
    Set(Current->VectorFrom[Reg], C.From);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool InitCheck::before(const WaveState &Wave, const ObservedInstruction &I) {
  Changes.clear();
  Stores.clear();
  OfInstruction = 0;
  if (!Current)
    return true;
  useRegisters(I);
  noteRow(I);
  if (!Current->HasUndefined) {
    if (I.IsLoad)
      readMemory(Wave, I);
    if (I.IsStore)
      writeMemory(Wave, I);
    return true;
  }
  if (!decide(Wave, I))
    return false;
  // What is written is defined, unless the following finds otherwise.
  for (const RegisterRange &W : I.Writes)
    for (unsigned N = 0; N < W.Count; ++N) {
      const auto Reg = uint16_t(W.First + N);
      if (W.In == RegisterRange::SCC) {
        Changes.push_back({W.In, 0, 0, 1, 0, 0});
      } else if (W.In == RegisterRange::Scalar) {
        Changes.push_back({W.In, Reg, 0, W.Bits, 0, 0});
      } else if (W.isVector() && !Current->Vector.empty()) {
        const size_t At = vectorIndex(Wave, W.In, Reg);
        if (At < Current->VectorFrom.size() && Current->VectorFrom[At])
          for (unsigned L = 0; L < Wave.LaneCount; ++L)
            if (W.Lanes >> L & 1)
              Changes.push_back({W.In, Reg, uint8_t(L), W.Bits, 0, 0});
      }
    }
  if (I.IsLoad || I.IsStore) {
    if (I.IsLoad)
      readMemory(Wave, I);
    if (I.IsStore)
      writeMemory(Wave, I);
    return true;
  }
  if (I.Class == InstClass::Branch)
    return true;
  for (const RegisterRange &Read : I.Reads)
    if (const uint32_t From = fromOf(Read)) {
      compute(Wave, I, From);
      break;
    }
  // Undefined lanes of EXEC: whether they go on is undefined.
  uint64_t Lanes = 0;
  uint32_t From = 0;
  for (Change &C : Changes) {
    if (C.In != RegisterRange::Scalar || !C.Shadow ||
        (C.Register != isa::scalar::ExecLo &&
         C.Register != isa::scalar::ExecHi))
      continue;
    Lanes |= uint64_t(C.Shadow) << (C.Register == isa::scalar::ExecHi ? 32 : 0);
    From = From ? From : C.From;
    C.Shadow = 0;
  }
  return !Lanes || report(I, Kind::UndefinedBranch, From, Lanes,
                          "Which lanes go on depends on");
}

void InitCheck::after(const WaveState &Wave, const ObservedInstruction &) {
  if (!Current)
    return;
  for (const Change &C : Changes)
    commit(Wave, C);
  storeAll();
  rest();
}

//===----------------------------------------------------------------------===//
// Registers of other code
//===----------------------------------------------------------------------===//

bool InitCheck::mayBeUndefined(const RegisterRange &R) const {
  if (R.In == RegisterRange::SCC)
    return Current->SCCFrom;
  if (R.In == RegisterRange::Scalar) {
    for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N)
      if (N < isa::scalar::Count && Current->Scalar[N])
        return true;
    return false;
  }
  if (!R.isVector())
    return false;
  const size_t First = vectorIndex(*Now->State, R.In, R.First);
  for (size_t N = First; N < First + R.Count; ++N)
    if (N < Current->VectorFrom.size() && Current->VectorFrom[N])
      return true;
  return false;
}

bool InitCheck::needsRegisters(isa::InstClass,
                               const std::vector<RegisterRange> &Reads,
                               const std::vector<RegisterRange> &Writes) {
  if (!Current)
    return false;
  for (const RegisterRange &R : Reads)
    if (isUnwritten(R, /*IsRead=*/true))
      return true;
  for (const RegisterRange &R : Writes)
    if (isUnwritten(R, /*IsRead=*/false))
      return true;
  if (!Current->HasUndefined)
    return false;
  const auto May = [&](const RegisterRange &R) { return mayBeUndefined(R); };
  if (llvm::any_of(Reads, May) || llvm::any_of(Writes, May))
    return true;
  rest();
  return false;
}

bool InitCheck::isUnwritten(const RegisterRange &R, bool IsRead) const {
  if (R.In == RegisterRange::Scalar) {
    for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N)
      if (N < isa::scalar::Count && !Current->Written[N])
        return true;
    return false;
  }
  if (!R.isVector())
    return false;
  const uint64_t Lanes = IsRead ? Now->State->exec() : ~uint64_t(0);
  const size_t First = vectorIndex(*Now->State, R.In, R.First);
  for (size_t N = First; N < First + R.Count; ++N)
    if (N < Current->WrittenLanes.size() && Lanes & ~Current->WrittenLanes[N])
      return true;
  return false;
}

void InitCheck::useRegisters(const ObservedInstruction &I) {
  for (const RegisterRange &R : I.Reads)
    makeUndefined(I, R);
  for (const RegisterRange &R : I.Writes) {
    // The other bits stay as they are.
    if (R.Bits != ~0u)
      makeUndefined(I, R);
    markWritten(R);
  }
}

/// Gives what was never written a shadow.
void InitCheck::makeUndefined(const ObservedInstruction &I,
                              const RegisterRange &R) {
  const auto Note = [&](char File, unsigned Register, unsigned Lane,
                        uint64_t Lanes) {
    LaneAccess None;
    None.Lane = uint8_t(Lane);
    const uint32_t From = newOrigin(I, None, File + std::to_string(Register));
    Origins[From].Lanes |= Lanes;
    return From;
  };
  if (R.In == RegisterRange::Scalar) {
    for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N) {
      if (N >= isa::scalar::Count || Current->Written[N])
        continue;
      commit(*Now->State, {R.In, uint16_t(N), 0, ~0u, ~0u,
                           Note('s', N, LaneAccess::Scalar, I.Exec)});
      Current->Written.set(N);
    }
    return;
  }
  if (!R.isVector())
    return;
  for (unsigned N = 0; N < R.Count; ++N) {
    const size_t At = vectorIndex(*Now->State, R.In, R.First + N);
    if (At >= Current->WrittenLanes.size())
      return;
    const uint64_t Lanes = R.Lanes & ~Current->WrittenLanes[At];
    if (!Lanes)
      continue;
    const uint32_t From =
        Note(R.In == RegisterRange::Acc ? 'a' : 'v', R.First + N,
             unsigned(llvm::countr_zero(Lanes)), Lanes);
    for (unsigned L = 0; L < Now->State->LaneCount; ++L)
      if (Lanes >> L & 1)
        commit(*Now->State,
               {R.In, uint16_t(R.First + N), uint8_t(L), ~0u, ~0u, From});
    Current->WrittenLanes[At] |= Lanes;
  }
}

void InitCheck::markWritten(const RegisterRange &R) {
  if (R.In == RegisterRange::Scalar) {
    for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N)
      if (N < isa::scalar::Count)
        Current->Written.set(N);
  } else if (R.isVector()) {
    const size_t First = vectorIndex(*Now->State, R.In, R.First);
    for (size_t N = First; N < First + R.Count; ++N)
      if (N < Current->WrittenLanes.size())
        Current->WrittenLanes[N] |= R.Lanes;
  }
}

void InitCheck::rest() {
  constexpr unsigned Often = 1024;
  if (!Current->HasUndefined || ++Current->Quiet < Often)
    return;
  Current->Quiet = 0;
  const auto IsSet = [](uint32_t Bits) { return Bits != 0; };
  if (Current->SCCFrom || llvm::any_of(Current->Scalar, IsSet) ||
      llvm::any_of(Current->Vector, IsSet))
    return;
  Current->HasUndefined = false;
  Current->Vector.clear();
  Current->VectorFrom.clear();
}

/// Which bits of the results depend on undefined ones.
void InitCheck::compute(const WaveState &Wave, const ObservedInstruction &I,
                        uint32_t From) {
  bool UndefinedSCC = false;
  uint64_t UndefinedLanes = 0;
  const auto Shadow = [&](const RegisterRange &R, unsigned N, unsigned L) {
    return shadowOf(R, N, L);
  };
  for (const RegisterRange &R : I.Reads) {
    UndefinedSCC |= R.In == RegisterRange::SCC && Current->SCCFrom;
    for (unsigned N = 0; N < R.Count && R.isVector(); ++N)
      for (unsigned L = 0; L < Wave.LaneCount; ++L)
        UndefinedLanes |= uint64_t(shadowOf(R, N, L) != 0) << L;
  }
  const bool IsCompare = I.Facts->IsCompare;
  const std::vector<uint32_t> First =
      Aside->run(Wave, I, 0, UndefinedSCC, Shadow);
  std::vector<uint32_t> Differs(First.size());
  for (unsigned P = 1; P < Evaluator::Patterns; ++P) {
    const std::vector<uint32_t> Other =
        Aside->run(Wave, I, P, UndefinedSCC, Shadow);
    for (size_t N = 0; N < First.size() && N < Other.size(); ++N)
      Differs[N] |= First[N] ^ Other[N];
  }
  if (First.empty())
    return; // it ends the wave
  size_t At = 0;
  for (const RegisterRange &W : I.Writes)
    for (unsigned N = 0; N < W.Count; ++N) {
      const auto Reg = uint16_t(W.First + N);
      if (W.In == RegisterRange::SCC) {
        // No value makes all comparisons differ.
        Changes.push_back({W.In, 0, 0, 1, Differs[At++] | IsCompare, From});
      } else if (W.In == RegisterRange::Scalar &&
                 W.First + N < isa::scalar::Count) {
        uint32_t Bits = Differs[At++];
        if (IsCompare)
          Bits |=
              UndefinedLanes ? uint32_t(UndefinedLanes >> (32 * (N & 1))) : ~0u;
        Changes.push_back({W.In, Reg, 0, W.Bits, Bits & W.Bits, From});
      } else if (W.isVector()) {
        for (unsigned L = 0; L < Wave.LaneCount; ++L, ++At)
          if (W.Lanes >> L & 1)
            Changes.push_back(
                {W.In, Reg, uint8_t(L), W.Bits, Differs[At] & W.Bits, From});
      }
    }
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

bool InitCheck::decide(const WaveState &Wave, const ObservedInstruction &I) {
  const bool Accesses = I.IsLoad || I.IsStore;
  if (I.Class != InstClass::Branch && !Accesses)
    return true;
  if (I.Facts->Condition == gpu::BranchCondition::VccZ ||
      I.Facts->Condition == gpu::BranchCondition::VccNZ) {
    // A lane that is defined and set decides, whatever the others are.
    const uint64_t Known =
        ~(Current->Scalar[isa::scalar::VccLo] |
          uint64_t(Current->Scalar[isa::scalar::VccHi]) << 32);
    if (Wave.vcc() & Known &
        (Wave.LaneCount == 64 ? ~uint64_t(0) : 0xffffffffu))
      return true;
  }
  for (const RegisterRange &Read : I.Reads) {
    if (Accesses) {
      const bool IsData = llvm::any_of(I.Accesses, [&](const LaneAccess &A) {
        return A.File == Read.In && A.Kind != isa::Access::Read &&
               A.Register == Read.First;
      });
      if (IsData ||
          (Read.In == RegisterRange::Scalar &&
           Read.First >= isa::scalar::FlatScratchLo) ||
          I.Accesses.empty())
        continue;
    }
    const uint32_t From = fromOf(Read);
    if (!From)
      continue;
    uint64_t Lanes = 0;
    for (unsigned N = 0; N < Read.Count && Read.isVector(); ++N)
      for (unsigned L = 0; L < Wave.LaneCount; ++L)
        Lanes |= uint64_t(shadowOf(Read, N, L) != 0) << L;
    if (!report(I, Accesses ? Kind::UndefinedAddress : Kind::UndefinedBranch,
                From, Lanes ? Lanes : I.Exec,
                Accesses ? "An address depends on" : "A branch depends on"))
      return false;
    clear(Read);
  }
  return true;
}

bool InitCheck::report(const ObservedInstruction &I, Kind What, uint32_t From,
                       uint64_t Lanes, const std::string &Text) {
  const Origin &O = Origins[From];
  return !R.report(
      {What, I.PC, O.PC, Now->Stack}, unsigned(llvm::popcount(Lanes)), [&] {
        Finding F;
        F.What = Text + " " + O.what();
        F.Here = Now->at(I.PC, Lanes);
        if (!O.Register.empty()) {
          F.Other = O.Wave.at(O.PC, O.Lanes);
          F.OtherWhat = "the first use of " + O.Register;
          return F;
        }
        F.Memory = spaceOf(O.A.In);
        F.Address = O.A.Address;
        F.Size = O.A.Size;
        F.Other = O.Wave.at(O.PC, O.Lanes, AccessKind::Read);
        F.OtherWhat = "read of size " + std::to_string(O.A.Size) + " bytes";
        if (O.A.In == LaneAccess::Global)
          F.Block = Memory.findLive(O.A.Address);
        return F;
      });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::string InitCheck::Origin::what() const {
  return Register.empty()
             ? spaceName(spaceOf(A.In)).str() + " memory that was never written"
             : "register " + Register + ", which was never written";
}

uint32_t InitCheck::newOrigin(const ObservedInstruction &I, const LaneAccess &A,
                              const std::string &Register) {
  // One for each execution is enough, and if there are many, for each place in
  // the code: findings are reported once for it.
  constexpr size_t MaxOrigins = 65536;
  if (OfInstruction)
    return OfInstruction;
  uint32_t &Index = OriginOfPC[I.PC];
  if (Index && Origins.size() >= MaxOrigins)
    return OfInstruction = Index;
  OfInstruction = Index = uint32_t(Origins.size());
  Origin &O = Origins.emplace_back();
  O.Wave = *Now;
  O.Wave.State = nullptr;
  O.PC = I.PC;
  O.Lanes = A.Lane == LaneAccess::Scalar ? I.Exec : uint64_t(1) << A.Lane;
  O.A = A;
  O.Register = Register;
  return Index;
}

std::pair<InitCheck::OriginsByPlace &, uint64_t>
InitCheck::placeOf(const LaneAccess &A, unsigned N) {
  const uint64_t Dword = (A.Address + N) / 4;
  switch (A.In) {
  case LaneAccess::Global:
    return {GlobalFrom, Dword};
  case LaneAccess::Local:
    return {OfCurrent->LocalFrom, Dword};
  case LaneAccess::Private:
    break;
  }
  return {Current->PrivateFrom, Dword << 6 | A.Lane};
}

bool InitCheck::isDefined(const LaneAccess &A) const {
  if (A.In == LaneAccess::Global)
    return Global.isDefined(A.Address, A.Size);
  if (A.In == LaneAccess::Local &&
      A.Address + A.Size <= OfCurrent->Local.size())
    return DefinedMemory::areZero(&OfCurrent->Local[A.Address], A.Size);
  for (unsigned N = 0; N < A.Size; ++N)
    if (load(A, N))
      return false;
  return true;
}

uint8_t InitCheck::load(const LaneAccess &A, unsigned N) const {
  const uint64_t At = A.Address + N;
  switch (A.In) {
  case LaneAccess::Global:
    return Global.get(At);
  case LaneAccess::Local:
    return At < OfCurrent->Local.size() ? OfCurrent->Local[At] : 0;
  case LaneAccess::Private:
    break;
  }
  if (isQuiet(At / 4, A.Lane))
    return 0;
  auto It = Current->Private.find(uint32_t(At / 4));
  return It == Current->Private.end()
             ? uint8_t(Current->UnknownPrivate)
             : uint8_t(It->second[A.Lane] >> (8 * (At & 3)));
}

void InitCheck::store(const LaneAccess &A, unsigned N, uint8_t Shadow) {
  const uint64_t At = A.Address + N;
  switch (A.In) {
  case LaneAccess::Global:
    Global.set(At, Shadow);
    return reportLimit();
  case LaneAccess::Local:
    if (At < OfCurrent->Local.size())
      OfCurrent->Local[At] = Shadow;
    return;
  case LaneAccess::Private:
    return storePrivate(A, N, Shadow);
  }
}

void InitCheck::storePrivate(const LaneAccess &A, unsigned N, uint8_t Shadow) {
  const uint64_t At = A.Address + N;
  const bool WasQuiet = isQuiet(At / 4, A.Lane);
  if (WasQuiet && !Shadow)
    return;
  std::vector<uint32_t> &Lanes = Current->Private[uint32_t(At / 4)];
  if (Lanes.empty())
    Lanes.assign(64, Current->UnknownPrivate);
  uint32_t &S = Lanes[A.Lane];
  if (WasQuiet) {
    S = 0;
    Current->QuietLanes[At / 4] &= ~(uint64_t(1) << A.Lane);
  }
  const unsigned Shift = 8 * (At & 3);
  S = (S & ~(0xffu << Shift)) | uint32_t(Shadow) << Shift;
  if (!S)
    setQuiet(At / 4, A.Lane);
}

bool InitCheck::setQuiet(uint64_t Dword, unsigned Lane) {
  std::vector<uint64_t> &Quiet = Current->QuietLanes;
  if (Dword >= MostQuiet)
    return false;
  if (Dword >= Quiet.size())
    Quiet.resize(std::max<size_t>(2 * Quiet.size(), Dword + 1),
                 Current->UnknownPrivate ? 0 : ~uint64_t(0));
  Quiet[Dword] |= uint64_t(1) << Lane;
  return true;
}

void InitCheck::readMemory(const WaveState &, const ObservedInstruction &I) {
  const bool IsSigned = I.Facts->IsSigned;
  if (I.IsAtomic && !I.Returns)
    return;
  for (const LaneAccess &A : I.Accesses) {
    if (A.Kind == isa::Access::Write || !A.InRange ||
        A.Register == LaneAccess::NoRegister || isDefined(A))
      continue;
    uint32_t Words[16] = {};
    bool Any = false;
    for (unsigned N = 0; N < A.Size; ++N) {
      const uint8_t Byte = load(A, N);
      Any |= Byte != 0;
      Words[N / 4] |= uint32_t(Byte) << (8 * (N % 4));
    }
    if (!Any)
      continue;
    uint32_t From = 0;
    for (unsigned N = 0; N < A.Size && !From; ++N)
      if (Words[N / 4] >> (8 * (N % 4)) & 0xff) {
        const auto [Map, Key] = placeOf(A, N);
        From = Map.lookup(Key);
      }
    if (!From)
      From = newOrigin(I, A);
    // An atomic's result goes elsewhere than its data comes from.
    uint16_t To = A.Register;
    if (I.IsAtomic)
      for (const RegisterRange &W : I.Writes)
        if (W.isVector())
          To = W.First;
    uint32_t Bits = ~0u;
    if (A.Size < 4) {
      if (IsSigned && (Words[0] >> (8 * A.Size - 1) & 1))
        Words[0] |= ~0u << (8 * A.Size - 1);
      if (I.Facts->IsHalf) {
        Bits = A.High ? 0xffff0000u : 0xffffu;
        Words[0] = A.High ? Words[0] << 16 : Words[0] & 0xffff;
      }
    }
    for (unsigned N = 0; N < (A.Size + 3u) / 4; ++N)
      Changes.push_back({A.File, uint16_t(To + N),
                         A.Lane == LaneAccess::Scalar ? uint8_t(0) : A.Lane,
                         Bits, Words[N], From});
  }
}

void InitCheck::writeMemory(const WaveState &Wave,
                            const ObservedInstruction &I) {
  const LaneAccess *Before = nullptr;
  // What is defined replaces what is.
  const bool IsPlain = !Current->HasUndefined ||
                       llvm::none_of(I.Reads, [&](const RegisterRange &R) {
                         return mayBeUndefined(R);
                       });
  for (const LaneAccess &A : I.Accesses) {
    const LaneAccess *Source = Before;
    Before = &A;
    if (A.Kind == isa::Access::Read || !A.InRange ||
        (IsPlain && A.Register != LaneAccess::NoRegister && isDefined(A)))
      continue;
    Store S;
    S.A = A;
    for (unsigned N = 0; N < A.Size; ++N) {
      uint8_t &Byte = S.Shadow[N];
      if (A.Register == LaneAccess::NoRegister) {
        // From another memory, by the access before.
        Byte = Source && Source->InRange && N < Source->Size ? load(*Source, N)
                                                             : 0;
        continue;
      }
      RegisterRange R;
      R.In = A.File;
      R.First = uint16_t(A.Register + N / 4);
      R.Lanes = A.Lane < 64 ? uint64_t(1) << A.Lane : 0;
      const uint32_t T = shadowOf(R, 0, A.Lane < Wave.LaneCount ? A.Lane : 0);
      Byte = uint8_t(T >> (8 * (N % 4) + (A.High ? 16 : 0)));
      if (Byte && !S.From)
        S.From = fromOf(R);
      if (A.Kind == isa::Access::Atomic)
        Byte |= load(A, N);
    }
    Stores.push_back(S);
  }
}

/// A store that isn't of a defined dword: its row may become part of state().
void InitCheck::noteRowStore(const Store &S) {
  constexpr unsigned MostRows = 16;
  if (S.A.In != LaneAccess::Private)
    return;
  const auto Dword = uint32_t(S.A.Address / 4);
  if (S.From && S.A.Size == 4 && !(S.A.Address & 3) &&
      Current->Rows.size() < MostRows)
    Current->Rows.insert(Dword);
  if (Current->Rows.contains(Dword))
    Current->Number = 0;
}

void InitCheck::storeAll() {
  for (const Store &S : Stores) {
    const bool IsUsual = S.A.In == LaneAccess::Private && !(S.A.Address & 3) &&
                         S.A.Size == 4 &&
                         DefinedMemory::areZero(S.Shadow, S.A.Size);
    if (IsUsual && setQuiet(S.A.Address / 4, S.A.Lane))
      continue;
    noteRowStore(S);
    for (unsigned N = 0; N < S.A.Size; ++N) {
      store(S.A, N, S.Shadow[N]);
      if (!S.Shadow[N] || !S.From)
        continue;
      const auto [Map, Key] = placeOf(S.A, N);
      Map[Key] = S.From;
    }
  }
}
