//===-- FloatCheck.cpp - where numbers stop being numbers -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FloatCheck.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::LaneAccess;
using isa::ObservedInstruction;
using isa::RegisterRange;
using isa::WaveState;
using llvm::APFloat;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// A type of floating-point values in registers.
struct Format {
  unsigned Bits = 0;
  uint64_t Exponent = 0; ///< all ones: infinite, or not a number
  const llvm::fltSemantics *Semantics = nullptr;

  uint64_t mantissa() const { return (Exponent & -Exponent) - 1; }
  bool isSpecial(uint64_t V) const { return (V & Exponent) == Exponent; }
  bool isNaN(uint64_t V) const { return isSpecial(V) && (V & mantissa()); }
  bool isInfinite(uint64_t V) const { return isSpecial(V) && !isNaN(V); }
  bool isZero(uint64_t V) const { return !(V & (Exponent | mantissa())); }
  std::string text(uint64_t V) const {
    std::string Out;
    llvm::raw_string_ostream(Out) << llvm::format(
        "%g", APFloat(*Semantics, llvm::APInt(Bits, V)).convertToDouble());
    return Out;
  }
};
} // namespace

/// By the type in a mnemonic; nothing for integers.
static std::optional<Format> formatOf(StringRef Type) {
  if (Type == "f16")
    return Format{16, 0x7c00, &APFloat::IEEEhalf()};
  if (Type == "bf16")
    return Format{16, 0x7f80, &APFloat::BFloat()};
  if (Type == "f32")
    return Format{32, 0x7f800000, &APFloat::IEEEsingle()};
  if (Type == "f64")
    return Format{64, uint64_t(0x7ff) << 52, &APFloat::IEEEdouble()};
  return std::nullopt;
}

/// A register's place in WaveState::VGPR.
static size_t placeOf(const WaveState &Wave, RegisterRange::File In,
                      unsigned Register, unsigned Lane) {
  return (Register + (In == RegisterRange::Acc ? Wave.AccumOffset : 0)) *
             size_t(Wave.LaneCount) +
         Lane;
}

static uint32_t readRegister(const WaveState &Wave, const RegisterRange &R,
                             unsigned N, unsigned Lane) {
  if (R.In == RegisterRange::Scalar)
    return R.First + N < isa::scalar::Count ? Wave.Scalar[R.First + N] : 0;
  const size_t At = placeOf(Wave, R.In, R.First + N, Lane);
  return At < Wave.VGPR.size() ? Wave.VGPR[At] : 0;
}

/// Calls Use(uint64_t Value, unsigned N) for each value of type \a F that a
/// lane has in \a R, in its registers from N on.
template <typename UseValue>
static void forEachValue(const WaveState &Wave, const RegisterRange &R,
                         const Format &F, bool IsPacked, unsigned Lane,
                         UseValue Use) {
  const unsigned Step = F.Bits == 64 ? 2 : 1;
  for (unsigned N = 0; N + Step <= R.Count; N += Step) {
    const uint32_t Low = readRegister(Wave, R, N, Lane);
    if (F.Bits == 32) {
      Use(Low, N);
    } else if (F.Bits == 64) {
      Use(uint64_t(readRegister(Wave, R, N + 1, Lane)) << 32 | Low, N);
    } else {
      if (IsPacked || (R.Bits & 0xffff))
        Use(Low & 0xffff, N);
      if (IsPacked || R.Bits == 0xffff0000)
        Use(Low >> 16, N);
    }
  }
}

/// The lane whose register becomes the result in \a Lane; nothing if none or
/// any may.
static std::optional<unsigned> sourceLane(const RegisterRange &R,
                                          unsigned Lane) {
  if (R.How == RegisterRange::SameLane)
    return Lane;
  if (R.How == RegisterRange::FromLane && R.Source &&
      R.Source[Lane] != RegisterRange::NoLane)
    return R.Source[Lane];
  return std::nullopt;
}

/// Whether it is a value of the program's, unlike VCC, EXEC and M0.
static bool isOperand(const RegisterRange &R) {
  return R.isVector() || (R.In == RegisterRange::Scalar &&
                          R.First < isa::scalar::FlatScratchLo);
}

/// A constant in the code, if it has one behind its words.
static std::optional<uint32_t> literalOf(const ObservedInstruction &I) {
  const bool IsLong =
      StringRef(I.Mnemonic).ends_with("_e64") || !I.Facts->PackedType.empty();
  if (I.Size <= (IsLong ? 8 : 4) || !I.Facts->IsPlain)
    return std::nullopt;
  return I.Words[I.Size / 4 - 1];
}

namespace {
/// What is known of an instruction's values.
struct Types {
  std::optional<Format> Operand, Result;
  bool IsPacked = false;

  explicit Types(const ObservedInstruction &I) {
    // Two operations at once have two types.
    if (I.Class != InstClass::VectorALU || I.Facts->IsDual || I.Facts->IsMatrix)
      return;
    IsPacked = !I.Facts->PackedType.empty();
    Operand = formatOf(IsPacked ? I.Facts->PackedType : I.Facts->OperandType);
    Result = formatOf(IsPacked ? I.Facts->PackedType : I.Facts->ResultType);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Waves
//===----------------------------------------------------------------------===//

void FloatCheck::waveBegins(const WaveInfo &W) {
  if (W.Kernel->IsChecked)
    Waves[W.Number] = std::make_unique<WaveShadow>();
}

void FloatCheck::waveEnds(const WaveInfo &W) {
  Waves.erase(W.Number);
  Current = nullptr;
}

void FloatCheck::waveRuns(const WaveInfo &W) {
  Check::waveRuns(W);
  const auto It = Waves.find(W.Number);
  Current = It == Waves.end() ? nullptr : It->second.get();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

FloatCheck::OriginNumber FloatCheck::findOrigin(const WaveState &Wave,
                                                const RegisterRange &Read,
                                                unsigned Lane) const {
  for (unsigned N = 0; N < Read.Count; ++N)
    if (const auto It = Current->Registers.find(
            uint32_t(placeOf(Wave, Read.In, Read.First + N, Lane)));
        It != Current->Registers.end())
      return It->second;
  return 0;
}

/// What each lane's operands are, and whose results.
void FloatCheck::readOperands(const WaveState &Wave,
                              const ObservedInstruction &I) {
  Operands = LaneClasses();
  OperandValues.clear();
  OriginOfLane.clear();
  const Types Of(I);
  if (Of.Result)
    if (const auto Literal = literalOf(I);
        Literal && formatOf("f32")->isSpecial(*Literal))
      Operands.NaN = Operands.Infinite = ~uint64_t(0);
  for (const RegisterRange &Read : I.Reads) {
    if (!isOperand(Read))
      continue;
    for (unsigned L = 0; L < Wave.LaneCount; ++L) {
      const std::optional<unsigned> Source = sourceLane(Read, L);
      if (!(I.Exec >> L & 1) || !Source)
        continue;
      const uint64_t Bit = uint64_t(1) << L;
      if (Read.isVector() && !Current->Registers.empty())
        if (const OriginNumber From = findOrigin(Wave, Read, *Source)) {
          OriginOfLane.resize(Wave.LaneCount);
          if (!OriginOfLane[L])
            OriginOfLane[L] = From;
        }
      if (Of.Operand)
        forEachValue(Wave, Read, *Of.Operand, Of.IsPacked, *Source,
                     [&](uint64_t V, unsigned) {
                       OperandValues.emplace_back(L, V);
                       Operands.NaN |= Of.Operand->isNaN(V) ? Bit : 0;
                       Operands.Infinite |= Of.Operand->isInfinite(V) ? Bit : 0;
                       Operands.Zero |= Of.Operand->isZero(V) ? Bit : 0;
                     });
    }
  }
}

/// The values that a lane's operands in registers had.
std::string FloatCheck::describeOperands(const ObservedInstruction &I,
                                         unsigned Lane) const {
  std::string Out;
  const Types Of(I);
  for (const auto &[In, V] : OperandValues)
    if (In == Lane)
      Out += (Out.empty() ? "" : ", ") + Of.Operand->text(V);
  return Out;
}

FloatCheck::OriginNumber FloatCheck::addOrigin(const ObservedInstruction &I,
                                               uint64_t Lanes) {
  std::vector<Origin> &All = Current->Origins;
  auto It = llvm::find_if(All, [&](const Origin &O) {
    return O.PC == I.PC && O.Stack == Now->Stack;
  });
  if (It == All.end())
    It = All.insert(All.end(), Origin{I.PC, Now->Stack, 0, false, 0, {}});
  It->Lanes = Lanes;
  It->Bits = Types(I).Result->Bits;
  It->DividesByZero = I.Facts->IsDivision && (Operands.Zero & Lanes);
  It->Operands = describeOperands(I, unsigned(llvm::countr_zero(Lanes)));
  return OriginNumber(It - All.begin() + 1);
}

void FloatCheck::noteResults(const WaveState &Wave,
                             const ObservedInstruction &I) {
  const Types Of(I);
  const auto IsSpecial = [&](const RegisterRange &Write, unsigned N,
                             unsigned L) {
    const uint32_t V = readRegister(Wave, Write, N, L);
    const Format Half = *formatOf("f16"), Single = *formatOf("f32");
    return Single.isSpecial(V) || Half.isSpecial(V) || Half.isSpecial(V >> 16);
  };
  // Lanes with a new result, and the number of their origin.
  uint64_t New = 0;
  OriginNumber Newest = 0;
  if (Of.Result) {
    LaneClasses Results;
    for (const RegisterRange &Write : I.Writes)
      for (unsigned L = 0; L < Wave.LaneCount && Write.isVector(); ++L)
        if (Write.Lanes >> L & 1)
          forEachValue(Wave, Write, *Of.Result, Of.IsPacked, L,
                       [&](uint64_t V, unsigned) {
                         const uint64_t Bit = uint64_t(1) << L;
                         Results.NaN |= Of.Result->isNaN(V) ? Bit : 0;
                         Results.Infinite |= Of.Result->isInfinite(V) ? Bit : 0;
                       });
    New = (Results.NaN & ~Operands.NaN) |
          (Results.Infinite & ~Operands.Infinite & ~Operands.NaN);
    for (unsigned L = 0; L < OriginOfLane.size(); ++L)
      if (OriginOfLane[L])
        New &= ~(uint64_t(1) << L);
    if (New)
      Newest = addOrigin(I, New);
  }
  if (!New && OriginOfLane.empty() && Current->Registers.empty())
    return;
  for (const RegisterRange &Write : I.Writes)
    for (unsigned L = 0; L < Wave.LaneCount && Write.isVector(); ++L) {
      if (!(Write.Lanes >> L & 1))
        continue;
      const OriginNumber From = New >> L & 1           ? Newest
                                : OriginOfLane.empty() ? 0
                                                       : OriginOfLane[L];
      for (unsigned N = 0; N < Write.Count; ++N) {
        const auto At = uint32_t(placeOf(Wave, Write.In, Write.First + N, L));
        // The lower half of a double is as its upper half.
        const unsigned Decides = Write.Count == 2 && N == 0 ? 1 : N;
        if (From && (IsSpecial(Write, N, L) || IsSpecial(Write, Decides, L)))
          Current->Registers[At] = From;
        else
          Current->Registers.erase(At);
      }
    }
}

bool FloatCheck::before(const WaveState &Wave, const ObservedInstruction &I) {
  if (!Current)
    return true;
  if (I.IsStore)
    return noteStores(Wave, I);
  if (I.Class != InstClass::VectorALU)
    return true;
  readOperands(Wave, I);
  return true;
}

void FloatCheck::after(const WaveState &Wave, const ObservedInstruction &I) {
  if (!Current)
    return;
  if (I.Class == InstClass::VectorALU)
    return noteResults(Wave, I);
  // Loads, and what atomics return.
  if (Current->Registers.empty() && Current->Private.empty())
    return;
  for (const RegisterRange &Write : I.Writes)
    for (unsigned L = 0; L < Wave.LaneCount && Write.isVector(); ++L)
      for (unsigned N = 0; N < Write.Count && (Write.Lanes >> L & 1); ++N)
        Current->Registers.erase(
            uint32_t(placeOf(Wave, Write.In, Write.First + N, L)));
  noteLoads(Wave, I);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static uint64_t privatePlace(const LaneAccess &A, unsigned N) {
  return (A.Address / 4 + N) * 64 + A.Lane;
}

/// Calls Use(unsigned N, unsigned Register) for each register of an access.
template <typename UseRegister>
static void forEachRegister(const LaneAccess &A, UseRegister Use) {
  if (A.Lane == LaneAccess::Scalar || A.Register == LaneAccess::NoRegister)
    return;
  for (unsigned N = 0; N < (A.Size + 3u) / 4; ++N)
    Use(N, A.Register + N);
}

void FloatCheck::noteLoads(const WaveState &Wave,
                           const ObservedInstruction &I) {
  if (Current->Private.empty())
    return;
  for (const LaneAccess &A : I.Accesses)
    if (A.In == LaneAccess::Private && A.Kind == isa::Access::Read)
      forEachRegister(A, [&](unsigned N, unsigned Register) {
        const auto It = Current->Private.find(privatePlace(A, N));
        if (It != Current->Private.end())
          Current
              ->Registers[uint32_t(placeOf(Wave, A.File, Register, A.Lane))] =
              It->second;
      });
}

/// Whether the value of so many bits that is in register \a N of a store's data
/// isn't a number.
static bool storesNaN(const WaveState &Wave, const LaneAccess &A, unsigned N,
                      unsigned Bits) {
  RegisterRange Data;
  Data.In = A.File;
  Data.First = A.Register;
  const uint32_t V = readRegister(Wave, Data, N, A.Lane);
  if (A.Size == 2)
    return formatOf("f16")->isNaN(A.High ? V >> 16 : V);
  if (Bits != 64 || A.Size < 8)
    return formatOf("f32")->isNaN(V);
  const unsigned First = N & ~1u;
  return formatOf("f64")->isNaN(
      uint64_t(readRegister(Wave, Data, First + 1, A.Lane)) << 32 |
      readRegister(Wave, Data, First, A.Lane));
}

bool FloatCheck::noteStores(const WaveState &Wave,
                            const ObservedInstruction &I) {
  if (Current->Registers.empty() && Current->Private.empty())
    return true;
  // Of each origin, what is reported together.
  struct Stored {
    const LaneAccess *First = nullptr;
    uint64_t Lanes = 0;
    bool IsNaN = false;
  };
  llvm::SmallDenseMap<OriginNumber, Stored> Found;
  for (const LaneAccess &A : I.Accesses) {
    if (A.Kind == isa::Access::Read)
      continue;
    forEachRegister(A, [&](unsigned N, unsigned Register) {
      const auto It = Current->Registers.find(
          uint32_t(placeOf(Wave, A.File, Register, A.Lane)));
      const OriginNumber From = It == Current->Registers.end() ? 0 : It->second;
      if (A.In == LaneAccess::Private) {
        if (From)
          Current->Private[privatePlace(A, N)] = From;
        else
          Current->Private.erase(privatePlace(A, N));
        return;
      }
      if (!From)
        return;
      Stored &S = Found[From];
      if (!S.First)
        S.First = &A;
      S.Lanes |= uint64_t(1) << A.Lane;
      S.IsNaN |= storesNaN(Wave, A, N, Current->Origins[From - 1].Bits);
    });
  }
  bool GoesOn = true;
  for (const auto &[From, S] : Found)
    GoesOn &= report(I, From, *S.First, S.Lanes, S.IsNaN);
  return GoesOn;
}

bool FloatCheck::report(const ObservedInstruction &I, OriginNumber From,
                        const LaneAccess &First, uint64_t Lanes, bool IsNaN) {
  const Origin &O = Current->Origins[From - 1];
  const Kind What = O.DividesByZero ? Kind::DivisionByZero
                    : IsNaN         ? Kind::NanResult
                                    : Kind::InfiniteResult;
  return !R.report(
      {What, I.PC, O.PC, Now->Stack}, unsigned(llvm::popcount(Lanes)), [&] {
        Finding F;
        F.What = O.DividesByZero ? "Store of a result of a division by zero"
                 : IsNaN         ? "Store of a result that isn't a number"
                                 : "Store of an infinite result";
        F.Here = Now->at(I.PC, Lanes, AccessKind::Write);
        F.Memory = First.In == LaneAccess::Local ? Space::Local : Space::Global;
        F.Address = First.Address;
        F.Size = First.Size;
        if (First.In == LaneAccess::Global)
          F.Block = Memory.findLive(First.Address);
        F.Other = Now->at(O.PC, O.Lanes);
        F.Other->Stack = O.Stack;
        F.OtherWhat = O.DividesByZero ? "the division by zero"
                                      : "the operation that made it";
        if (!O.Operands.empty())
          F.Notes.push_back("the operation's operands in registers were " +
                            O.Operands);
        return F;
      });
}
