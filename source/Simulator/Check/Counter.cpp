//===-- Counter.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Counter.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::LaneAccess;

void Counts::add(const Counts &Other) {
  Instructions += Other.Instructions;
  VectorInstructions += Other.VectorInstructions;
  ActiveLanes += Other.ActiveLanes;
  Bytes += Other.Bytes;
  Transactions += Other.Transactions;
  FewestTransactions += Other.FewestTransactions;
  BankConflicts += Other.BankConflicts;
  Divergences += Other.Divergences;
}

void Counter::waveRuns(const WaveInfo &W) {
  Check::waveRuns(W);
  const gpu::Family &Of = gpu::get(W.State->Processor).family();
  LineSize = Of.CacheLine;
  Banks = Of.LocalBanks;
}

void Counter::waveEnds(const WaveInfo &W) { WholeWave.erase(W.Number); }

void Counter::countGlobal(const isa::ObservedInstruction &I, Counts &C) {
  llvm::SmallVector<uint64_t, 128> Lines;
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 64> Ranges;
  for (const LaneAccess &A : I.Accesses) {
    if (A.In != LaneAccess::Global || !A.InRange)
      continue;
    C.Bytes += A.Size;
    Ranges.emplace_back(A.Address, A.Address + A.Size);
    for (uint64_t Line = A.Address / LineSize;
         Line <= (A.Address + A.Size - 1) / LineSize; ++Line)
      if (Lines.empty() || Lines.back() != Line)
        Lines.push_back(Line);
  }
  if (Lines.empty())
    return;
  llvm::sort(Lines);
  C.Transactions +=
      uint64_t(std::unique(Lines.begin(), Lines.end()) - Lines.begin());
  // Lanes may access the same bytes.
  llvm::sort(Ranges);
  uint64_t Distinct = 0, End = 0;
  for (const auto &[First, Behind] : Ranges) {
    if (Behind > End)
      Distinct += Behind - std::max(First, End);
    End = std::max(End, Behind);
  }
  C.FewestTransactions += llvm::divideCeil(Distinct, LineSize);
}

void Counter::countLocal(const isa::ObservedInstruction &I, Counts &C) {
  // A pass takes as many lanes as have a dword for each bank.
  llvm::SmallVector<uint64_t, 64> Dwords;
  auto EndPass = [&] {
    llvm::sort(Dwords);
    Dwords.erase(std::unique(Dwords.begin(), Dwords.end()), Dwords.end());
    llvm::SmallVector<unsigned, 64> InBank(Banks);
    unsigned Most = 0;
    for (uint64_t Dword : Dwords)
      Most = std::max(Most, ++InBank[Dword % Banks]);
    C.BankConflicts += Most ? Most - 1 : 0;
    Dwords.clear();
  };
  unsigned Taken = 0;
  for (const LaneAccess &A : I.Accesses) {
    if (A.In != LaneAccess::Local || !A.InRange)
      continue;
    const uint64_t First = A.Address / 4, Last = (A.Address + A.Size - 1) / 4;
    const unsigned Count = unsigned(Last - First + 1);
    if (Taken + Count > Banks) {
      EndPass();
      Taken = 0;
    }
    Taken += Count;
    for (uint64_t Dword = First; Dword <= Last; ++Dword)
      Dwords.push_back(Dword);
  }
  EndPass();
}

void Counter::countDivergence(const isa::WaveState &Wave,
                              const isa::ObservedInstruction &I, Counts &C) {
  const uint64_t All =
      Wave.LaneCount == 64 ? ~uint64_t(0) : (uint64_t(1) << 32) - 1;
  const uint64_t Exec = Wave.exec() & All;
  if (Exec == I.Exec)
    return;
  // Compilers turn all lanes on to save registers, and then go back.
  if (Exec == All && I.Facts->SavesExec &&
      I.Facts->Logic == gpu::LogicOperation::Or) {
    WholeWave[Now->Number] = I.Exec;
    return;
  }
  if (auto It = WholeWave.find(Now->Number); It != WholeWave.end()) {
    const uint64_t Before = It->second;
    WholeWave.erase(It);
    if (Before == Exec)
      return;
  }
  if (Exec && (Exec & ~I.Exec) == 0)
    ++C.Divergences;
}

void Counter::after(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I) {
  Counts &C = ByAddress[I.PC];
  ++C.Instructions;
  if (I.Class == InstClass::VectorALU || I.Class == InstClass::VectorMemory ||
      I.Class == InstClass::Local) {
    ++C.VectorInstructions;
    C.ActiveLanes += unsigned(llvm::popcount(I.Exec));
  }
  if (!I.Accesses.empty()) {
    countGlobal(I, C);
    countLocal(I, C);
  }
  countDivergence(Wave, I, C);
}

llvm::json::Array Counter::lines(Symbols &Names) const {
  using Line = std::pair<std::string, uint32_t>;
  std::map<Line, std::map<std::string, Counts>> ByLine; // and by function
  for (const auto &[Address, C] : ByAddress) {
    const Frame At = Names.frames(Address).front();
    ByLine[{At.File, At.Line}][At.Function].add(C);
  }
  for (const auto &Line : Names.lines())
    if (auto [It, IsNew] = ByLine.try_emplace(Line); IsNew)
      It->second[""];
  llvm::json::Array Out;
  for (const auto &[Line, Functions] : ByLine)
    for (const auto &[Function, C] : Functions) {
      llvm::json::Object O{{"file", llvm::json::fixUTF8(Line.first)},
                           {"line", Line.second},
                           {"instructions", C.Instructions},
                           {"vectorInstructions", C.VectorInstructions},
                           {"activeLanes", C.ActiveLanes},
                           {"bytes", C.Bytes},
                           {"transactions", C.Transactions},
                           {"fewestTransactions", C.FewestTransactions},
                           {"bankConflicts", C.BankConflicts},
                           {"divergences", C.Divergences}};
      if (!Function.empty())
        O["function"] = llvm::json::fixUTF8(Function);
      Out.push_back(std::move(O));
    }
  return Out;
}
