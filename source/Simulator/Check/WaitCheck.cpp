//===-- WaitCheck.cpp - registers used before their load has come ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaitCheck.h"

#include "llvm/ADT/STLExtras.h"

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::ObservedInstruction;
using isa::RegisterRange;
using llvm::StringRef;

void WaitCheck::waveBegins(const WaveInfo &W) {
  Waves[W.Number] = std::make_unique<WaveWaits>();
}

void WaitCheck::waveEnds(const WaveInfo &W) {
  auto It = Waves.find(W.Number);
  if (It == Waves.end())
    return;
  if (State == It->second.get())
    State = nullptr;
  Waves.erase(It);
}

void WaitCheck::waveRuns(const WaveInfo &W) {
  Check::waveRuns(W);
  auto &S = Waves[W.Number];
  if (!S)
    S = std::make_unique<WaveWaits>();
  State = S.get();
  Encoding = gpu::features(W.Kernel->Processor).Waits;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// The largest number that a counter can have: an operation that would make it
/// larger waits.
static unsigned capacity(WaitCheck::Counter C, gpu::WaitEncoding In) {
  switch (C) {
  case WaitCheck::Local:
    return In == gpu::WaitEncoding::GFX9 ? 15 : 63;
  case WaitCheck::Scalar:
    return 31;
  default:
    return 63;
  }
}

WaitCheck::Waits WaitCheck::decodeWait(gpu::WaitEncoding In,
                                       const ObservedInstruction &I) {
  Waits W;
  const auto Imm = uint16_t(I.Immediate);
  switch (I.Facts->Wait) {
  case gpu::WaitKind::Packed:
    switch (In) {
    case gpu::WaitEncoding::GFX9:
      W.Limit[Vector] = (Imm & 15) | (Imm >> 14 & 3) << 4;
      W.Limit[Local] = Imm >> 8 & 15;
      break;
    case gpu::WaitEncoding::GFX10:
      W.Limit[Vector] = (Imm & 15) | (Imm >> 14 & 3) << 4;
      W.Limit[Local] = Imm >> 8 & 63;
      break;
    default:
      W.Limit[Vector] = Imm >> 10 & 63;
      W.Limit[Local] = Imm >> 4 & 63;
      break;
    }
    break;
  case gpu::WaitKind::Store:
    W.Limit[Store] = Imm & 63;
    break;
  case gpu::WaitKind::Load:
    W.Limit[Vector] = Imm & 63;
    break;
  case gpu::WaitKind::Local:
    W.Limit[Local] = Imm & 63;
    break;
  case gpu::WaitKind::Scalar:
    W.Limit[Scalar] = Imm & 31;
    break;
  case gpu::WaitKind::LoadAndLocal:
    W.Limit[Vector] = Imm >> 8 & 63;
    W.Limit[Local] = Imm & 63;
    break;
  case gpu::WaitKind::StoreAndLocal:
    W.Limit[Store] = Imm >> 8 & 63;
    W.Limit[Local] = Imm & 63;
    break;
  case gpu::WaitKind::All:
    for (unsigned &L : W.Limit)
      L = 0;
    break;
  case gpu::WaitKind::None:
  case gpu::WaitKind::Other:
    break;
  }
  // A field that is full doesn't wait.
  for (unsigned C = 0; C < CounterCount; ++C)
    if (W.Limit[C] >= capacity(Counter(C), In))
      W.Limit[C] = NoWait;
  return W;
}

/// How many operations of its type began after \a Of, on the same counter.
unsigned WaitCheck::laterOnes(const Operation &Of) const {
  unsigned Count = 0;
  const auto First = size_t(&Of - State->Pending.data());
  for (const Operation &O : llvm::drop_begin(State->Pending, First + 1))
    Count += O.In == Of.In && O.Order == Of.Order;
  return Count;
}

/// At most \a Limit operations are still outstanding. Of one type, these are
/// the last ones. An operation of another type, and a scalar load, can be among
/// them wherever it is, unless there are none.
void WaitCheck::wait(Counter In, unsigned Limit) {
  unsigned Later[5] = {};
  bool Any = false;
  for (Operation &O : llvm::reverse(State->Pending)) {
    if (O.In != In)
      continue;
    unsigned &N = Later[unsigned(O.Order)];
    O.HasEnded |= Limit == 0 || (O.Order != Type::Scalar && N >= Limit);
    Any |= O.HasEnded;
    ++N;
  }
  if (!Any)
    return;
  llvm::erase_if(State->Pending, [](const Operation &O) { return O.HasEnded; });
  noteRegisters();
}

void WaitCheck::noteRegisters() {
  State->Number = 0;
  State->ScalarPending.reset();
  State->VectorPending.reset();
  for (const Operation &O : State->Pending)
    noteRegisters(O);
}

void WaitCheck::noteRegisters(const Operation &O) {
  for (const RegisterRange &R : O.Writes)
    for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N) {
      if (R.In == RegisterRange::Scalar && N < State->ScalarPending.size())
        State->ScalarPending.set(N);
      else if (R.In == RegisterRange::Vector)
        State->VectorPending.set(N & 511);
      else if (R.In == RegisterRange::Acc)
        State->VectorPending.set(512 | (N & 511));
    }
}

bool WaitCheck::isPending(const RegisterRange &R) const {
  for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N)
    if (R.In == RegisterRange::Scalar
            ? N < State->ScalarPending.size() && State->ScalarPending[N]
        : R.In == RegisterRange::Vector ? State->VectorPending[N & 511]
        : R.In == RegisterRange::Acc    ? State->VectorPending[512 | (N & 511)]
                                        : false)
      return true;
  return false;
}

bool WaitCheck::isPending(const std::vector<RegisterRange> &Ranges) const {
  return llvm::any_of(Ranges,
                      [&](const RegisterRange &R) { return isPending(R); });
}

static bool shareRegisters(const RegisterRange &A, const RegisterRange &B) {
  return A.In == B.In && A.First < B.First + B.Count &&
         B.First < A.First + A.Count;
}

static bool overlap(const RegisterRange &A, const RegisterRange &B) {
  return shareRegisters(A, B) && (A.Bits & B.Bits) &&
         (A.In == RegisterRange::Scalar || (A.Lanes & B.Lanes));
}

/// Whether the result of \a I comes after that of an operation of type \a
/// Order: then the register has it in the end.
static bool comesAfter(const ObservedInstruction &I, WaitCheck::Type Order) {
  if (!I.IsLoad)
    return false;
  if (I.Class == InstClass::Local)
    return Order == WaitCheck::Type::Local;
  return I.Class == InstClass::VectorMemory && !I.IsFlat &&
         Order == WaitCheck::Type::Vector;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void WaitCheck::add(const ObservedInstruction &I, Counter In, Type Order,
                    const std::vector<RegisterRange> &Writes) {
  Operation O;
  O.PC = I.PC;
  O.Stack = Now->Stack;
  O.Mnemonic = I.Mnemonic;
  O.In = In;
  O.Order = Order;
  O.Writes.assign(Writes.begin(), Writes.end());
  O.Lanes = I.Exec;
  State->Number = 0;
  noteRegisters(O);
  State->Pending.push_back(std::move(O));
  if (const unsigned Most = capacity(In, Encoding);
      State->Pending.size() > Most)
    wait(In, Most);
}

void WaitCheck::begin(const ObservedInstruction &I) {
  // A flat instruction counts as one of both memories, and its result comes
  // from those that its lanes access.
  bool IsFlat = false, IsLocal = false, IsGlobal = false;
  for (const isa::LaneAccess &A : I.Accesses) {
    IsFlat |= A.IsFlat;
    (A.IsFlat && A.In == isa::LaneAccess::Local ? IsLocal : IsGlobal) = true;
  }
  IsGlobal |= !IsFlat; // The accesses of others may not be reported.
  begin(I, IsFlat, IsLocal, IsGlobal);
}

void WaitCheck::begin(const ObservedInstruction &I, bool IsFlat, bool IsLocal,
                      bool IsGlobal) {
  static const std::vector<RegisterRange> Nothing;
  const Counter ForScalars =
      Encoding == gpu::WaitEncoding::GFX12 ? Scalar : Local;
  switch (I.Class) {
  case InstClass::ScalarMemory:
    // It has no counter for stores of its own.
    return add(I, ForScalars, Type::Scalar, I.Writes);
  case InstClass::Message:
    return add(I, ForScalars, Type::Message, I.Writes);
  case InstClass::Local:
    return add(I, Local, Type::Local, I.Writes);
  case InstClass::VectorMemory:
    break;
  default:
    return;
  }
  const bool HasResult = I.IsLoad && (!I.IsAtomic || I.Returns);
  const bool IsStore = !HasResult && storeCounter(Encoding) == Store;
  if (IsFlat)
    add(I, Local, Type::Local, IsLocal ? I.Writes : Nothing);
  if (IsStore)
    add(I, Store, Type::Store, Nothing);
  else
    add(I, Vector, Type::Vector, IsGlobal ? I.Writes : Nothing);
}

void WaitCheck::after(const isa::WaveState &, const ObservedInstruction &I) {
  if (!State)
    return;
  noteRow(I);
  if (I.IsTranslated) {
    if (I.IsFlat) {
      LastFlat = {I.PC, false, false};
      for (const isa::LaneAccess &A : I.Accesses)
        (A.In == isa::LaneAccess::Local ? LastFlat.IsLocal
                                        : LastFlat.IsGlobal) = true;
    }
    return;
  }
  if (I.Class != InstClass::Wait)
    return begin(I);
  endWaits(I);
}

void WaitCheck::endWaits(const ObservedInstruction &I) {
  if (State->Pending.empty())
    return;
  const Waits W = decodeWait(Encoding, I);
  for (unsigned C = 0; C < CounterCount; ++C)
    if (W.Limit[C] != NoWait)
      wait(Counter(C), W.Limit[C]);
}

//===----------------------------------------------------------------------===//
// Translated code
//===----------------------------------------------------------------------===//

uint64_t WaitCheck::state() {
  constexpr size_t MostKnown = 1 << 16;
  if (Known.size() > MostKnown || Entered.size() > MostKnown) {
    FirstNumber += uint32_t(Known.size());
    Known.clear();
    Numbers.clear();
    Moves.clear();
    Entered.clear();
  }
  return State ? numberOf(*State) : 0;
}

/// The number of what is outstanding in the present functions.
uint32_t WaitCheck::numberOf(WaveWaits &W) {
  if (W.Number >= FirstNumber && W.Stack == Now->Stack)
    return W.Number;
  W.Stack = Now->Stack;
  const bool OnlyMoved = W.Number >= FirstNumber;
  uint32_t *Moved = OnlyMoved ? &Moves[{W.Number, W.Stack}] : nullptr;
  if (Moved && *Moved)
    return W.Number = *Moved;
  std::string Key;
  const auto Add = [&Key](uint64_t Word) {
    Key.append(reinterpret_cast<const char *>(&Word), sizeof(Word));
  };
  Add(W.Stack);
  for (const Operation &O : W.Pending) {
    Add(O.PC);
    Add(uint64_t(O.Stack) << 32 | unsigned(O.In) << 8 | unsigned(O.Order));
    Add(O.Lanes);
    Add(O.Writes.size());
    for (const RegisterRange &R : O.Writes) {
      Add(uint64_t(R.In) << 32 | unsigned(R.First) << 16 | R.Count);
      Add(R.Bits);
      Add(R.Lanes);
    }
  }
  const auto [It, IsNew] =
      Numbers.try_emplace(std::move(Key), FirstNumber + Known.size());
  W.Number = It->second;
  if (Moved)
    *Moved = W.Number;
  if (IsNew)
    Known.push_back(W);
  return W.Number;
}

/// Whether what \a I writes comes after all operations that write there.
bool WaitCheck::comesAfterAll(const ObservedInstruction &I) const {
  return llvm::all_of(State->Pending, [&](const Operation &O) {
    return comesAfter(I, O.Order) ||
           llvm::none_of(O.Writes, [&](const RegisterRange &Old) {
             return llvm::any_of(I.Writes, [&](const RegisterRange &New) {
               return shareRegisters(Old, New);
             });
           });
  });
}

/// Changes \a From, what is outstanding before \a Code, to what is after
/// its first \a Steps. \return false if they must be looked at one by one:
/// they use a register that is loaded, or what is outstanding isn't known.
/// \param AreRows  As in PlannedRows.
bool WaitCheck::follow(const isa::StraightCode &Code, size_t Steps,
                       uint64_t Exec, WaveWaits &From, uint64_t AreRows) {
  struct ScopedState {
    WaveWaits *&State;
    WaveWaits *Before;
    ~ScopedState() { State = Before; }
  } Restore{State, State};
  State = &From;
  const auto IsInDoubt = [&] {
    return llvm::any_of(From.Pending,
                        [](const Operation &O) { return O.IsDoubtful; });
  };
  size_t Row = 0;
  for (size_t N = 0; N < Steps; ++N) {
    ObservedInstruction I = Code.Steps[N];
    if (I.Class == InstClass::Wait) {
      endWaits(I);
      continue;
    }
    if (!From.Pending.empty() &&
        (isPending(I.Reads) || (isPending(I.Writes) && !comesAfterAll(I))))
      return false;
    if (I.Class == InstClass::ScalarALU || I.Class == InstClass::VectorALU)
      continue;
    if (ReportsAccesses && IsInDoubt())
      return false;
    I.Exec = Exec;
    for (RegisterRange &R : I.Writes)
      if (R.In == RegisterRange::Vector || R.In == RegisterRange::Acc) {
        if (R.How == RegisterRange::AnyLane)
          return false;
        R.Lanes = Exec;
      }
    const bool IsFlat = I.IsFlat && Exec;
    while (Row < Code.Rows.size() && Code.Rows[Row].Step < N)
      ++Row;
    const bool IsRow = Row < std::min<size_t>(Code.Rows.size(), 64) &&
                       Code.Rows[Row].Step == N && (AreRows >> Row & 1);
    const bool IsObserved = LastFlat.PC == I.PC;
    const bool IsKnown = !IsFlat || IsRow || IsObserved;
    const size_t Before = From.Pending.size();
    begin(I, IsFlat, IsFlat && !IsRow && (!IsObserved || LastFlat.IsLocal),
          !IsFlat || IsRow || !IsObserved || LastFlat.IsGlobal);
    if (!IsKnown)
      for (size_t K = Before; K < From.Pending.size(); ++K)
        From.Pending[K].IsDoubtful = !I.Writes.empty();
  }
  return !IsInDoubt();
}

bool WaitCheck::enters(const isa::StraightCode &Code, uint64_t Exec,
                       uint64_t &Number, isa::PlannedRows &Rows) {
  if (!State)
    return true;
  const auto [It, IsNew] =
      Entered.try_emplace({Code.Id, Exec, uint32_t(Number), ReportsAccesses});
  if (IsNew) {
    WaveWaits W = Known[Number - FirstNumber];
    LastFlat = {};
    It->second.AreRows = Exec ? rowsOf(Code) : 0;
    if (!follow(Code, Code.Steps.size(), Exec, W, It->second.AreRows)) {
      Entered.erase(It);
      return false;
    }
    It->second.Number = numberOf(W);
  }
  Number = It->second.Number;
  Rows.AreRows = It->second.AreRows;
  return true;
}

/// Which flat accesses were rows of private memory so far, as bits of
/// PlannedRows::AreRows.
uint64_t WaitCheck::rowsOf(const isa::StraightCode &Code) const {
  uint64_t Rows = 0;
  for (size_t N = 0; N < Code.Rows.size() && N < 64; ++N) {
    const ObservedInstruction &I = Code.Steps[Code.Rows[N].Step];
    if (I.IsFlat && RowsOfPC.lookup(I.PC))
      Rows |= uint64_t(1) << N;
  }
  return Rows;
}

/// Notes whether a flat instruction accesses a row of private memory: always,
/// so far.
void WaitCheck::noteRow(const ObservedInstruction &I) {
  if (!I.IsFlat || I.Accesses.empty())
    return;
  const uint64_t First = I.Accesses.front().Address;
  const bool IsRow =
      !(First & 3) && llvm::all_of(I.Accesses, [&](const auto &A) {
        return A.In == isa::LaneAccess::Private && A.Address == First;
      });
  const auto [It, IsNew] = RowsOfPC.try_emplace(I.PC, IsRow);
  It->second &= IsRow;
}

void WaitCheck::left(const isa::StraightCode &Last, size_t Steps, uint64_t Exec,
                     uint64_t From, uint64_t Next,
                     const isa::PlannedRows &Rows) {
  if (!State || (Steps == Last.Steps.size() && State->Number == Next))
    return;
  *State = Known[(Steps == Last.Steps.size() ? Next : From) - FirstNumber];
  if (Steps < Last.Steps.size()) {
    follow(Last, Steps, Exec, *State, Rows.AreRows);
    // One may not be a row.
    if (Rows.AreRows)
      Entered.erase({Last.Id, Exec, uint32_t(From), ReportsAccesses});
  }
  LastFlat = {};
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

bool WaitCheck::before(const isa::WaveState &, const ObservedInstruction &I) {
  if (!State || I.IsTranslated || State->Pending.empty() ||
      I.Class == InstClass::End)
    return true;
  return look(I, I.Reads, false) && look(I, I.Writes, true);
}

bool WaitCheck::look(const ObservedInstruction &I,
                     const std::vector<RegisterRange> &Ranges, bool IsWrite) {
  for (const RegisterRange &R : Ranges) {
    if (!isPending(R))
      continue;
    for (Operation &O : State->Pending)
      if (llvm::any_of(O.Writes,
                       [&](const RegisterRange &W) { return overlap(R, W); }) &&
          !(IsWrite && comesAfter(I, O.Order)) && !report(I, R, O, IsWrite))
        return false;
  }
  return true;
}

static std::string registerName(const RegisterRange &R) {
  const char *Letter = R.In == RegisterRange::Vector ? "v"
                       : R.In == RegisterRange::Acc  ? "a"
                                                     : "s";
  if (R.In == RegisterRange::Scalar && R.First >= isa::scalar::VccLo) {
    if (R.First <= isa::scalar::VccHi)
      return "vcc";
    if (R.First == isa::scalar::M0)
      return "m0";
    if (R.First >= isa::scalar::ExecLo)
      return "exec";
    return "ttmp" + std::to_string(R.First - isa::scalar::TTMP0);
  }
  return Letter + std::to_string(R.First);
}

static gpu::WaitCounter counterOf(WaitCheck::Counter C) {
  switch (C) {
  case WaitCheck::Local:
    return gpu::WaitCounter::Local;
  case WaitCheck::Store:
    return gpu::WaitCounter::Store;
  case WaitCheck::Scalar:
    return gpu::WaitCounter::Scalar;
  default:
    return gpu::WaitCounter::Load;
  }
}

bool WaitCheck::report(const ObservedInstruction &I, const RegisterRange &Used,
                       Operation &From, bool IsWrite) {
  RegisterRange Common = Used;
  uint64_t Lanes = 0;
  for (const RegisterRange &W : From.Writes)
    if (overlap(Used, W)) {
      Common.First = std::max(Used.First, W.First);
      Lanes = Used.In == RegisterRange::Scalar ? I.Exec : Used.Lanes & W.Lanes;
      break;
    }
  const unsigned Limit = From.Order == Type::Scalar ? 0 : laterOnes(From);
  const bool Stops =
      R.report({Kind::MissingWait, I.PC, From.PC, Now->Stack},
               unsigned(llvm::popcount(Lanes)), [&] {
                 Finding F;
                 const std::string Name = registerName(Common);
                 F.What = "Register " + Name + " is " +
                          (IsWrite ? "overwritten" : "used") +
                          " before its load has ended";
                 F.Here = Now->at(I.PC, Lanes);
                 F.Other = Now->at(From.PC, From.Lanes, AccessKind::Read);
                 F.Other->Stack = From.Stack;
                 F.OtherWhat = "loaded by " + From.Mnemonic.str().str();
                 F.Notes.push_back(
                     gpu::waitInstruction(Encoding, counterOf(From.In), Limit) +
                     " in between would wait for it");
                 return F;
               });
  // The first use is reported; what follows has the same cause.
  From.Writes.clear();
  noteRegisters();
  return !Stops;
}
