//===-- CheckObserver.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckObserver.h"

#include "llvm/ADT/STLExtras.h"

using namespace wavelane;
using namespace wavelane::check;

void CheckObserver::add(Check &C) {
  if (isa::Observer *O = C.observer())
    Entries.push_back({&C, O, 0, 0});
}

void CheckObserver::waveRuns(WaveInfo &W, isa::Executor &On) {
  if (!looksAt(W)) {
    On.setObserver(nullptr);
    return;
  }
  Running = &W;
  RunsOn = &On;
  Varies = false;
  for (Entry &L : Entries) {
    L.Wants = L.Of->observes();
    L.Translated = L.Of->translatedObserves();
    Varies |= L.Of->observesVary();
  }
  Wants = wants();
  On.setObserver(this, Wants, translatedWants());
}

/// What \a Single have to be called for together.
static unsigned combine(llvm::ArrayRef<unsigned> Single) {
  using namespace isa::observe;
  unsigned All = 0;
  for (unsigned One : Single)
    All |= One;
  // Nobody filters for others: each of them must be able to say what it needs.
  for (unsigned One : Single) {
    if ((One & (Accesses | FlatAccesses | Registers | OtherRegisters)) &&
        !(One & FilterAccesses))
      All &= ~unsigned(FilterAccesses);
    const unsigned ForRegisters =
        Registers | (All & Accesses ? 0u : unsigned(OtherRegisters));
    if ((One & ForRegisters) && !(One & FilterRegisters))
      All &= ~unsigned(FilterRegisters);
  }
  // The calls are for stacks.
  return All | Calls;
}

unsigned CheckObserver::wants() const {
  llvm::SmallVector<unsigned, 8> Single;
  for (const Entry &L : Entries)
    Single.push_back(L.Wants);
  return combine(Single);
}

bool CheckObserver::needsAccesses(const isa::AccessBounds &B) {
  return llvm::any_of(Entries, [&](const Entry &L) {
    return ((L.Wants | L.Translated) & isa::observe::FilterAccesses) &&
           L.By->needsAccesses(B);
  });
}

bool CheckObserver::needsRows(uint64_t PC) {
  return llvm::any_of(Entries,
                      [&](const Entry &L) { return L.By->needsRows(PC); });
}

bool CheckObserver::needsRegisters(
    isa::InstClass Class, const std::vector<isa::RegisterRange> &Reads,
    const std::vector<isa::RegisterRange> &Writes) {
  return llvm::any_of(Entries, [&](const Entry &L) {
    return (L.Wants & isa::observe::FilterRegisters) &&
           L.By->needsRegisters(Class, Reads, Writes);
  });
}

/// A check's part of a state() of translated code.
static uint64_t stateOf(uint64_t All, size_t Guard) {
  return uint32_t(All >> 32 * Guard);
}

bool CheckObserver::before(const isa::WaveState &Wave,
                           const isa::ObservedInstruction &I) {
  bool GoesOn = true;
  IsQuiet = Running->Kernel->IsRuntimes;
  if (I.IsTranslated)
    for (size_t N = 0; N < Guards.size(); ++N)
      Guards[N].Of->setState(stateOf(I.State, N));
  for (const Entry &L : Entries)
    GoesOn &= L.By->before(Wave, I);
  IsQuiet = false;
  return GoesOn;
}

void CheckObserver::after(const isa::WaveState &Wave,
                          const isa::ObservedInstruction &I) {
  if (I.Facts->Flow == gpu::ControlFlow::IndirectCall ||
      I.Facts->Flow == gpu::ControlFlow::Call)
    Running->Stack = Calls.push(Running->Stack, I.PC + I.Size);
  else if (I.Facts->Flow == gpu::ControlFlow::Jump)
    Running->Stack = Calls.pop(Running->Stack, Wave.PC);
  for (const Entry &L : Entries)
    L.By->after(Wave, I);
  setWants();
}

void CheckObserver::setWants() {
  if (!Varies)
    return;
  for (Entry &L : Entries)
    if (L.Of->observesVary())
      L.Wants = L.Of->observes();
  const unsigned New = wants();
  if (New == Wants)
    return;
  Wants = New;
  RunsOn->setObserver(this, Wants, translatedWants());
}

//===----------------------------------------------------------------------===//
// Translated code
//===----------------------------------------------------------------------===//

unsigned CheckObserver::translatedWants() {
  using namespace isa::observe;
  Guards.clear();
  QuietBy = nullptr;
  unsigned Quiet = 0;
  llvm::SmallVector<unsigned, 8> Single;
  for (const Entry &L : Entries) {
    if (L.Translated & isa::observe::Guards)
      Guards.push_back(L);
    // Translated code doesn't say what it does with registers.
    else if (L.Wants & (Registers | OtherRegisters))
      return Wants;
    if (L.Translated & QuietRows) {
      QuietBy = L.By;
      ++Quiet;
    }
    Single.push_back(L.Translated);
  }
  if (Guards.size() > MostGuards || Quiet > 1)
    return Wants;
  const unsigned All = combine(Single);
  for (const Entry &L : Guards)
    L.Of->setReports(All);
  return All;
}

uint64_t CheckObserver::state() {
  uint64_t All = 0;
  for (size_t N = 0; N < Guards.size(); ++N)
    All |= Guards[N].By->state() << 32 * N;
  return All;
}

bool CheckObserver::enters(const isa::StraightCode &Code, uint64_t Exec,
                           uint64_t &State, isa::PlannedRows &Rows) {
  uint64_t Next = 0;
  // InitCheck takes it that all of it is executed, so it comes last.
  for (size_t N = Guards.size(); N--;) {
    uint64_t Own = stateOf(State, N);
    if (!Guards[N].By->enters(Code, Exec, Own, Rows))
      return false;
    Next |= Own << 32 * N;
  }
  State = Next;
  return true;
}

bool CheckObserver::mayGoOn(uint64_t State) {
  for (size_t N = 0; N < Guards.size(); ++N)
    if (!Guards[N].By->mayGoOn(stateOf(State, N)))
      return false;
  return true;
}

void CheckObserver::left(const isa::StraightCode &Last, size_t Steps,
                         uint64_t Exec, uint64_t State, uint64_t Next,
                         const isa::PlannedRows &Rows) {
  for (size_t N = 0; N < Guards.size(); ++N)
    Guards[N].By->left(Last, Steps, Exec, stateOf(State, N), stateOf(Next, N),
                       Rows);
  setWants();
}
