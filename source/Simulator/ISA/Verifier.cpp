//===-- Verifier.cpp - translated code against the interpreter ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

namespace wavelane::isa {

/// A multiple of the rows of private memory, which are then found in one.
static constexpr uint64_t WindowSize = 4096;

static std::string inBoth(const std::string &What, uint64_t Translated,
                          uint64_t Interpreted) {
  std::string Text;
  llvm::raw_string_ostream(Text)
      << What << " is 0x" << llvm::utohexstr(Translated, true)
      << " in translated code, 0x" << llvm::utohexstr(Interpreted, true)
      << " in the interpreter";
  return Text;
}

//===-- CopiedMemory ------------------------------------------------------===//

void CopiedMemory::clear() {
  Windows.clear();
  Clocks[0] = Clocks[1] = std::nullopt;
}

void CopiedMemory::rewind(Side S) {
  for (auto &Entry : Windows)
    Entry.second.Copies[S] = Entry.second.Before;
}

void CopiedMemory::advance() {
  for (auto &Entry : Windows) {
    Window &W = Entry.second;
    W.Copies[Translated] = W.Before = W.Copies[Interpreted];
  }
}

std::string CopiedMemory::difference() const {
  for (const auto &Entry : Windows) {
    const Window &W = Entry.second;
    const auto &A = W.Copies[Translated], &B = W.Copies[Interpreted];
    const auto At = std::mismatch(A.begin(), A.end(), B.begin());
    if (At.first != A.end())
      return inBoth(
          "the byte at 0x" +
              llvm::utohexstr(W.Begin + uint64_t(At.first - A.begin()), true),
          *At.first, *At.second);
  }
  return "";
}

MemorySpan CopiedMemory::resolve(uint64_t Address, Access Kind) {
  const MemorySpan S = Real.resolve(Address, Kind);
  if (!S.Host || Kind == Access::Execute || Address < S.Begin ||
      Address >= S.End)
    return S;
  Window &W = Windows[Address / WindowSize];
  if (Address < W.Begin || Address >= W.End) {
    // The parts of a window may have different owners. Spans of the old one
    // are of this run, which resolves them again.
    const uint64_t Begin = std::max(S.Begin, Address / WindowSize * WindowSize),
                   End = std::min(S.End - Begin,
                                  WindowSize - Begin % WindowSize) +
                         Begin;
    if (W.Begin == W.End) {
      W.Begin = Begin;
      W.End = End;
      W.Before.assign(S.Host + (Begin - S.Begin), S.Host + (End - S.Begin));
      W.Copies[Translated] = W.Copies[Interpreted] = W.Before;
    } else {
      // Left to what is there, which both read, and neither may write.
      return Kind == Access::Read ? S : MemorySpan();
    }
  }
  const uint64_t Begin = std::max(W.Begin, S.Begin),
                 End = std::min(W.End, S.End);
  return {W.Copies[Now].data() + (Begin - W.Begin), Begin, End};
}

uint64_t CopiedMemory::clock(bool RealTime) {
  auto &Clock = Clocks[RealTime];
  if (!Clock)
    Clock = Real.clock(RealTime);
  return *Clock;
}

//===-- Verifier ----------------------------------------------------------===//

/// A machine for a copy of a wave's state, as the one that executes the wave.
static Machine machineFor(WaveState &State, MemoryAccess &Memory,
                          const Machine &As) {
  Machine M(State, Memory);
  M.Retries = As.Retries;
  M.Unordered = As.Unordered;
  M.LanesReversed = As.LanesReversed;
  M.LocalRangeFaults = As.LocalRangeFaults;
  M.CurCsr = As.CurCsr;
  M.updateEnv();
  return M;
}

void Verifier::begin(Run &R, const Machine &) const {
  R.State = First;
  R.Local = FirstLocal;
  R.State.LDS = R.Local.data();
  R.Done = 0;
  R.IsStopped = false;
  R.Result = StepResult();
}

__attribute__((no_sanitize("function"))) void
Verifier::runTranslated(const Trace &T, const Machine &M, uint64_t Budget,
                        uint64_t Limit) {
  Memory.use(CopiedMemory::Translated);
  const Trace::Entry Code = T.Code.load(std::memory_order_acquire);
  ResolvedSpans Spans;
  T.forgetSpans();
  // What the first run has found, the second finds at once, so that both ways
  // to access memory are compared.
  for (int Times = 0; Times < 2; ++Times) {
    Memory.rewind(CopiedMemory::Translated);
    begin(Translated, M);
    Machine Own = machineFor(Translated.State, Memory, M);
    static_cast<ResolvedSpans &>(Own) = Spans;
    Translated.IsStopped =
        Code(&Own, &Translated.State, Own.V, &Translated.Done, Budget, Limit) ==
        Trace::Stopped;
    if (Translated.IsStopped)
      Translated.State.PC = Own.InstPC;
    Translated.Result = Own.Result;
    Spans = Own;
  }
  T.forgetSpans(); // of the copies
}

void Verifier::runInterpreted(const Trace &T, const Machine &M) {
  Memory.use(CopiedMemory::Interpreted);
  Memory.rewind(CopiedMemory::Interpreted);
  begin(Interpreted, M);
  Machine Own = machineFor(Interpreted.State, Memory, M);
  const uint64_t Wanted = Translated.Done + (Translated.IsStopped ? 1 : 0);
  for (size_t N = 0; Interpreted.Done < Wanted; ++N) {
    // Where the trace leads back to its beginning, it is executed again.
    if (N == T.Steps.size() || T.Steps[N].PC != Own.W.PC)
      N = 0;
    if (T.Steps[N].PC != Own.W.PC)
      return; // it has left the trace
    const Inst &I = T.Steps[N].I;
    Own.InstPC = Own.W.PC;
    Own.NextPC = Own.InstPC + I.Size;
    I.Fn(Own, I);
    if (Own.Stop) {
      Interpreted.IsStopped = true;
      Interpreted.Result = Own.Result;
      return;
    }
    Own.W.PC = Own.NextPC;
    ++Interpreted.Done;
  }
}

static std::string nameOf(unsigned Scalar) {
  switch (Scalar) {
  case scalar::VccLo:
    return "vcc_lo";
  case scalar::VccHi:
    return "vcc_hi";
  case scalar::M0:
    return "m0";
  case scalar::ExecLo:
    return "exec_lo";
  case scalar::ExecHi:
    return "exec_hi";
  default:
    return "s" + std::to_string(Scalar);
  }
}

/// What differs between the two runs; empty if nothing does.
std::string Verifier::difference() const {
  const WaveState &A = Translated.State, &B = Interpreted.State;
  if (Translated.Done != Interpreted.Done ||
      Translated.IsStopped != Interpreted.IsStopped)
    return inBoth("the number of executed instructions", Translated.Done,
                  Interpreted.Done);
  const auto Vector =
      std::mismatch(A.VGPR.begin(), A.VGPR.end(), B.VGPR.begin());
  if (Vector.first != A.VGPR.end()) {
    const auto At = size_t(Vector.first - A.VGPR.begin());
    const size_t Reg = At / A.LaneCount;
    return inBoth((Reg < A.AccumOffset
                       ? "v" + std::to_string(Reg)
                       : "a" + std::to_string(Reg - A.AccumOffset)) +
                      " of lane " + std::to_string(At % A.LaneCount),
                  *Vector.first, *Vector.second);
  }
  for (unsigned N = 0; N < scalar::Null; ++N)
    if (A.Scalar[N] != B.Scalar[N])
      return inBoth(nameOf(N), A.Scalar[N], B.Scalar[N]);
  if ((A.Status ^ B.Status) & status::SCC)
    return inBoth("scc", A.Status & status::SCC, B.Status & status::SCC);
  if (A.PC != B.PC)
    return inBoth("the next instruction's address", A.PC, B.PC);
  if (A.Mode != B.Mode || A.ScratchBase != B.ScratchBase)
    return inBoth("mode or flat_scratch", A.Mode ^ A.ScratchBase,
                  B.Mode ^ B.ScratchBase);
  const StepResult &P = Translated.Result, &Q = Interpreted.Result;
  if (Translated.IsStopped &&
      (P.Reason != Q.Reason || P.Code != Q.Code || P.LaneMask != Q.LaneMask ||
       P.FaultAddress != Q.FaultAddress))
    return inBoth("the address or the mask of lanes of a fault",
                  P.FaultAddress ^ P.LaneMask, Q.FaultAddress ^ Q.LaneMask);
  const auto Local =
      std::mismatch(Translated.Local.begin(), Translated.Local.end(),
                    Interpreted.Local.begin());
  if (Local.first != Translated.Local.end())
    return inBoth(
        "the byte at 0x" +
            llvm::utohexstr(uint64_t(Local.first - Translated.Local.begin()),
                            true) +
            " of local memory",
        *Local.first, *Local.second);
  return Memory.difference();
}

std::string Verifier::compare(const Trace &T, const Machine &M, uint64_t Budget,
                              uint64_t Limit) {
  runTranslated(T, M, Budget, Limit);
  runInterpreted(T, M);
  return difference();
}

std::optional<Verifier::Difference> Verifier::verify(const Trace &T,
                                                     const Machine &M,
                                                     uint64_t Budget,
                                                     uint64_t Limit) {
  Memory.clear();
  First = M.W;
  FirstLocal.assign(M.W.LDS, M.W.LDS + (M.W.LDS ? M.W.LDSSize : 0));
  std::string Text = compare(T, M, Budget, Limit);
  Count += Translated.Done;
  if (Text.empty())
    return std::nullopt;
  return find(T, M, Budget, std::move(Text));
}

/// The first steps of a trace, which haven't been translated yet.
std::shared_ptr<Trace> Verifier::prefix(const Trace &T, size_t Steps) const {
  auto P = std::make_shared<Trace>();
  P->Steps.assign(T.Steps.begin(), T.Steps.begin() + ptrdiff_t(Steps));
  P->Pieces = T.Pieces;
  P->End = Steps < T.Steps.size() ? T.Steps[Steps].PC : T.End;
  P->Which = T.Which;
  P->Lanes = T.Lanes;
  P->Mode = T.Mode;
  P->AccumOffset = T.AccumOffset;
  P->VGPRCount = T.VGPRCount;
  P->LocalRangeFaults = T.LocalRangeFaults;
  P->LanesReversed = T.LanesReversed;
  return P;
}

/// Looks for the first instruction after which the two differ: in the first
/// of the trace's rounds after which they do, by translating more and more of
/// it.
Verifier::Difference Verifier::find(const Trace &T, const Machine &M,
                                    uint64_t Budget, std::string Whole) {
  const size_t Size = T.Steps.size();
  Memory.rewind(CopiedMemory::Interpreted);
  for (uint64_t Before = 0;; Before += Size) {
    std::string Text = compare(T, M, Budget, Size);
    if (!Text.empty()) {
      for (size_t Steps = 1; Steps <= Size; ++Steps) {
        const std::shared_ptr<Trace> Part = prefix(T, Steps);
        Translates.add(Part);
        Translates.finish();
        if (!Part->Code)
          break;
        std::string Here = compare(*Part, M, Budget, Steps);
        if (!Here.empty())
          return {Before + Steps - 1, T.Steps[Steps - 1].I.Text + ": " + Here};
      }
      return {Before, T.Steps.front().I.Text + " and the next " +
                          std::to_string(Size - 1) + " instructions: " + Text};
    }
    if (Translated.IsStopped || Translated.State.PC != T.begin())
      break;
    First = Interpreted.State;
    FirstLocal = Interpreted.Local;
    Memory.advance();
  }
  return {0, T.Steps.front().I.Text + ", a loop that begins here: " + Whole};
}

} // namespace wavelane::isa
