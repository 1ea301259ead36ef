//===-- InitTranslated.cpp - undefined values in translated code ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is undefined in registers, and in private memory that registers were
// saved in, is a state with a number. Translated code is allowed part by part
// if it only copies undefined values, and goes from one state to the next.
//
//===----------------------------------------------------------------------===//

#include "InitCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace wavelane;
using namespace wavelane::check;
using isa::LaneAccess;
using isa::ObservedInstruction;
using isa::RegisterRange;
using isa::StraightCode;
using isa::WaveState;
using llvm::StringRef;

void InitCheck::Needs::read(const WaveState &Wave, const RegisterRange &R) {
  UsesSCC |= R.In == RegisterRange::SCC;
  for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N) {
    if (R.In == RegisterRange::Scalar) {
      if (N < isa::scalar::Count && !ScalarWrites[N])
        ScalarReads.set(N);
    } else if (R.isVector()) {
      const size_t At = vectorIndex(Wave, R.In, N);
      const auto Known = llvm::find_if(
          Writes, [At](const Lanes &L) { return L.Register == At; });
      const Lanes Before = Known == Writes.end() ? Lanes{At} : *Known;
      UsesFirstLane |= !R.Lanes && R.How == RegisterRange::AnyLane;
      if (!R.Lanes && !Before.OfExec)
        at(Reads, At).OfExec = true;
      if (R.Lanes & ~Before.Others)
        at(Reads, At).Others |= R.Lanes & ~Before.Others;
    }
  }
}

void InitCheck::Needs::write(const WaveState &Wave, const RegisterRange &R) {
  UsesSCC |= R.In == RegisterRange::SCC;
  // The other bits stay as they are, and other lanes.
  if (R.Bits != ~0u || (R.isVector() && llvm::popcount(R.Lanes) > 1))
    read(Wave, R);
  for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N) {
    if (R.In == RegisterRange::Scalar && N < isa::scalar::Count) {
      ScalarWrites.set(N);
    } else if (R.isVector()) {
      Lanes &To = at(Writes, vectorIndex(Wave, R.In, N));
      To.OfExec |= !R.Lanes;
      To.Others |= R.Lanes;
    }
  }
}

const InitCheck::Needs &InitCheck::needsOf(const isa::StraightCode &Code) {
  constexpr size_t MostKnown = 1 << 16;
  if (OfCode.size() >= MostKnown)
    OfCode.clear();
  auto &N = OfCode[Code.Id];
  if (N)
    return *N;
  N = std::make_unique<Needs>();
  for (const ObservedInstruction &I : Code.Steps) {
    for (const RegisterRange &R : I.Reads)
      N->read(*Now->State, R);
    for (const RegisterRange &R : I.Writes)
      N->write(*Now->State, R);
  }
  return *N;
}

uint64_t InitCheck::Bits::lanes() const {
  uint64_t Lanes = 0;
  for (size_t L = 0; L < Words.size(); ++L)
    Lanes |= uint64_t(Words[L] != 0) << L;
  return Lanes;
}

/// The number of SCC among scalar registers.
static constexpr unsigned SCCNumber = isa::scalar::Count;

InitCheck::Undefined InitCheck::undefined() const {
  Undefined Out;
  if (!Current->HasUndefined)
    return Out;
  for (unsigned N = 0; N < isa::scalar::Count; ++N)
    if (Current->Scalar[N])
      Out[{PlaceKind::Scalar, N}] = {{Current->Scalar[N]},
                                     Current->ScalarFrom[N]};
  if (Current->SCCFrom)
    Out[{PlaceKind::Scalar, SCCNumber}] = {{1}, Current->SCCFrom};
  const unsigned Lanes = Now->State->LaneCount;
  for (unsigned N = 0; N < Current->VectorFrom.size(); ++N) {
    if (!Current->VectorFrom[N])
      continue;
    const auto First = Current->Vector.begin() + N * Lanes;
    Bits B = {{First, First + Lanes}, Current->VectorFrom[N]};
    if (B.lanes())
      Out[{PlaceKind::Vector, N}] = std::move(B);
  }
  for (const uint32_t Dword : Current->Rows)
    addRow(Out, Dword);
  return Out;
}

/// Adds what is undefined of a dword of private memory, if it has one origin.
void InitCheck::addRow(Undefined &To, uint32_t Dword) const {
  const auto It = Current->Private.find(Dword);
  if (It == Current->Private.end())
    return;
  const unsigned Lanes = Now->State->LaneCount;
  Bits B = {std::vector<uint32_t>(Lanes), 0};
  for (unsigned L = 0; L < Lanes; ++L) {
    if (isQuiet(Dword, L) || !It->second[L])
      continue;
    const uint32_t From = Current->PrivateFrom.lookup(uint64_t(Dword) << 6 | L);
    if (!From || (B.From && B.From != From))
      return;
    B.From = From;
    B.Words[L] = It->second[L];
  }
  if (B.From)
    To[{PlaceKind::Row, Dword}] = std::move(B);
}

/// Makes what isn't quiet of a dword of private memory what \a B says.
void InitCheck::setRow(uint32_t Dword, const Bits &B) {
  Current->Rows.insert(Dword);
  std::vector<uint32_t> &Lanes = Current->Private[Dword];
  if (Lanes.empty())
    Lanes.assign(64, Current->UnknownPrivate);
  for (unsigned L = 0; L < B.Words.size(); ++L)
    if (B.Words[L] && !isQuiet(Dword, L)) {
      Lanes[L] = B.Words[L];
      Current->PrivateFrom[uint64_t(Dword) << 6 | L] = B.From;
    }
}

/// A number that no other wave has.
uint32_t InitCheck::numberOf(Undefined State) {
  const auto [It, IsNew] =
      Current->Numbers.try_emplace(std::move(State), LastNumber + 1);
  if (IsNew)
    Current->States[++LastNumber] = &It->first;
  return It->second;
}

uint64_t InitCheck::state() {
  constexpr size_t MostKnown = 1024;
  if (!Current)
    return 0;
  if (Current->Numbers.size() >= MostKnown) {
    Current->Number = 0;
    Current->Behinds.clear();
    Current->Numbers.clear();
    Current->States.clear();
  }
  // EXEC may have any number of values.
  constexpr size_t MostAnswers = 4096;
  if (Current->Behinds.size() >= MostAnswers)
    Current->Behinds.clear();
  if (!Current->Number)
    Current->Number = numberOf(undefined());
  return Current->Number;
}

void InitCheck::setState(uint64_t State) {
  if (!Current || Current->Number == State)
    return;
  const auto It = Current->States.find(uint32_t(State));
  if (It == Current->States.end())
    return;
  const Undefined &To = *It->second;
  const auto Known = Current->States.find(Current->Number);
  const Undefined Found =
      Known == Current->States.end() ? undefined() : Undefined();
  const Undefined &Old =
      Known == Current->States.end() ? Found : *Known->second;
  Current->HasUndefined |= !To.empty();
  if (Current->Vector.empty()) {
    Current->Vector.assign(Now->State->VGPR.size(), 0);
    Current->VectorFrom.assign(Now->State->VGPRCount, 0);
  }
  for (const auto &[Place, B] : Old)
    if (!To.count(Place))
      setPlace(Place, {std::vector<uint32_t>(B.Words.size()), B.From});
  for (const auto &[Place, B] : To)
    if (const auto Same = Old.find(Place);
        Same == Old.end() || !(Same->second == B))
      setPlace(Place, B);
  Current->Number = uint32_t(State);
}

/// Makes what is undefined of a place what \a B says.
void InitCheck::setPlace(UndefinedPlace Place, const Bits &B) {
  const auto [Kind, N] = Place;
  if (Kind == PlaceKind::Row)
    return setRow(N, B);
  if (Kind == PlaceKind::Vector) {
    llvm::copy(B.Words, Current->Vector.begin() + N * Now->State->LaneCount);
    Current->VectorFrom[N] = B.From;
  } else if (N == SCCNumber) {
    Current->SCCFrom = B.Words[0] ? B.From : 0;
  } else {
    Current->Scalar[N] = B.Words[0];
    Current->ScalarFrom[N] = B.From;
  }
}

/// If registers that are read have been written, and what is undefined is only
/// copied, nothing can be found, and what changes is known.
bool InitCheck::enters(const StraightCode &Code, uint64_t Exec, uint64_t &State,
                       isa::PlannedRows &Rows) {
  if (!Current)
    return true;
  const auto [It, IsNew] =
      Current->Behinds.try_emplace({Code.Id, Exec, uint32_t(State)});
  // What has been written stays so.
  if (IsNew) {
    if (std::optional<StateAfter> B = behind(Code, Exec, uint32_t(State))) {
      It->second = std::move(*B);
    } else {
      Current->Behinds.erase(It);
      return false;
    }
  }
  State = It->second.State;
  if (It->second.Rows) {
    Rows.IsSet = true;
    llvm::copy(It->second.Rows->At, Rows.At);
  }
  return true;
}

/// Whether \a Code may be entered, and what is after it.
std::optional<InitCheck::StateAfter>
InitCheck::behind(const StraightCode &Code, uint64_t Exec, uint32_t State) {
  const Needs &N = needsOf(Code);
  if ((N.UsesFirstLane && !Exec) || (N.ScalarReads & ~Current->Written).any())
    return std::nullopt;
  std::vector<uint64_t> &Written = Current->WrittenLanes;
  for (const Needs::Lanes &L : N.Reads)
    if (L.Register < Written.size() && L.all(Exec) & ~Written[L.Register])
      return std::nullopt;
  const auto From = Current->States.find(State);
  if (From == Current->States.end())
    return std::nullopt;
  StateAfter B;
  B.State = State;
  if (!From->second->empty()) {
    Undefined After = *From->second;
    isa::PlannedRows Rows = plan(Code, N, After);
    if (!follow(Code, N, Code.Steps.size(), Exec, After, Rows))
      return std::nullopt;
    B.State = numberOf(std::move(After));
    if (Rows.IsSet)
      B.Rows = std::make_unique<isa::PlannedRows>(Rows);
  }
  Current->Written |= N.ScalarWrites;
  for (const Needs::Lanes &L : N.Writes)
    if (L.Register < Written.size())
      Written[L.Register] |= L.all(Exec);
  return B;
}

/// What it has reported may have changed the state, otherwise it is what
/// enters() has said.
void InitCheck::left(const StraightCode &Last, size_t Steps, uint64_t Exec,
                     uint64_t State, uint64_t Next,
                     const isa::PlannedRows &Rows) {
  if (!Current || !Current->Number)
    return;
  if (Steps == Last.Steps.size() || !Rows.IsSet)
    return setState(Next);
  // A row wasn't as planned.
  const auto From = Current->States.find(uint32_t(State));
  if (From == Current->States.end())
    return;
  Undefined After = *From->second;
  isa::PlannedRows Known = Rows;
  follow(Last, needsOf(Last), Steps, Exec, After, Known);
  setState(numberOf(std::move(After)));
  Current->Behinds.erase({Last.Id, Exec, uint32_t(State)});
  Current->Number = 0;
}

/// Notes which dword all lanes access.
void InitCheck::noteRow(const ObservedInstruction &I) {
  if (!Current->HasUndefined || I.Accesses.empty())
    return;
  const LaneAccess &First = I.Accesses.front();
  const bool IsRow = llvm::all_of(I.Accesses, [&](const LaneAccess &A) {
    return A.In == LaneAccess::Private && A.Size == 4 && !(A.Address & 3) &&
           A.Address == First.Address;
  });
  if (IsRow)
    RowOfPC[I.PC] = uint32_t(First.Address / 4);
}

/// Predicts the rows of \a Code if that matters. The lanes are set by
/// follow().
isa::PlannedRows InitCheck::plan(const StraightCode &Code, const Needs &N,
                                 const Undefined &State) const {
  isa::PlannedRows Rows;
  const auto Accesses =
      llvm::count_if(Code.Steps, [](const ObservedInstruction &I) {
        return I.IsLoad || I.IsStore;
      });
  if (!Accesses || size_t(Accesses) != Code.Rows.size() ||
      !llvm::all_of(Code.Rows, [](const auto &R) { return R.MayBePlanned; }))
    return Rows;
  bool Matters = llvm::any_of(
      State, [&](const auto &Entry) { return N.uses(Entry.first); });
  for (size_t K = 0; K < Code.Rows.size(); ++K) {
    const auto Known = RowOfPC.find(Code.Steps[Code.Rows[K].Step].PC);
    if (Known == RowOfPC.end())
      return Rows;
    Rows.At[K].Dword = Known->second;
    Matters |= State.count({PlaceKind::Row, Known->second}) != 0;
  }
  Rows.IsSet = Matters;
  return Rows;
}

/// Whether all that an instruction does is to copy a register.
static bool copies(const ObservedInstruction &I) {
  const auto IsVector = [](const RegisterRange &R) { return R.isVector(); };
  const auto IsWhole = [](const RegisterRange &R) {
    return !R.isVector() || (R.Count == 1 && R.Bits == ~0u && !R.Lanes &&
                             R.How == RegisterRange::SameLane);
  };
  return I.Facts->isMoveOf(gpu::MoveKind::Vector, 32) &&
         llvm::count_if(I.Reads, IsVector) == 1 &&
         llvm::count_if(I.Writes, IsVector) == 1 &&
         llvm::all_of(I.Reads, IsWhole) && llvm::all_of(I.Writes, IsWhole);
}

/// Calls \a Use with each register of \a R, and the lanes.
template <typename F>
void InitCheck::forEach(uint64_t Exec, const RegisterRange &R, F Use) const {
  if (R.In == RegisterRange::SCC)
    return Use(UndefinedPlace(PlaceKind::Scalar, SCCNumber), uint64_t(1));
  for (unsigned N = R.First; N < unsigned(R.First) + R.Count; ++N)
    if (R.In == RegisterRange::Scalar)
      Use(UndefinedPlace(PlaceKind::Scalar, N), uint64_t(1));
    else if (R.isVector())
      Use(UndefinedPlace(PlaceKind::Vector,
                         unsigned(vectorIndex(*Now->State, R.In, N))),
          R.Lanes ? R.Lanes : Exec);
}

bool InitCheck::Needs::uses(UndefinedPlace Place) const {
  const auto [Kind, N] = Place;
  if (Kind == PlaceKind::Row)
    return false;
  if (Kind == PlaceKind::Scalar)
    return N == SCCNumber ? UsesSCC : ScalarReads[N] || ScalarWrites[N];
  const auto Is = [Number = N](const Lanes &L) { return L.Register == Number; };
  return llvm::any_of(Reads, Is) || llvm::any_of(Writes, Is);
}

/// Copies the lanes \a Exec of \a From, which may be absent, to \a To.
/// \return Those of them that are undefined.
uint64_t InitCheck::copyLanes(Undefined &State, UndefinedPlace From,
                              UndefinedPlace To, uint64_t Exec) const {
  const auto Source = State.find(From);
  const uint64_t Lanes =
      Source == State.end() ? 0 : Source->second.lanes() & Exec;
  const auto Old = State.find(To);
  if (!Lanes && Old == State.end())
    return 0;
  Bits New = Old == State.end() ? Bits() : Old->second;
  New.Words.resize(Now->State->LaneCount);
  for (size_t L = 0; L < New.Words.size(); ++L)
    if (Exec >> L & 1)
      New.Words[L] = Lanes >> L & 1 ? Source->second.Words[L] : 0;
  if (Lanes)
    New.From = Source->second.From;
  if (New.lanes())
    State[To] = std::move(New);
  else
    State.erase(To);
  return Lanes;
}

/// The same for a load or store that is planned.
bool InitCheck::followRow(const StraightCode::Row &R,
                          const ObservedInstruction &I, uint64_t Exec,
                          Undefined &State, isa::PlannedRows::Row &Plan) const {
  constexpr unsigned MostRows = 16;
  const UndefinedPlace Data = {PlaceKind::Vector, R.Register},
                       Memory = {PlaceKind::Row, unsigned(Plan.Dword)};
  unsigned DataReads = 0;
  bool IsGood = true;
  for (const RegisterRange &Read : I.Reads)
    forEach(Exec, Read, [&](UndefinedPlace Place, uint64_t Lanes) {
      const bool IsData = R.IsStore && Place == Data;
      DataReads += IsData;
      const auto It = State.find(Place);
      IsGood &= IsData || It == State.end() || !(It->second.lanes() & Lanes);
    });
  // It may be the address, too.
  if (!IsGood || DataReads > 1)
    return false;
  if (!R.IsStore) {
    Plan.Lanes = Exec & ~copyLanes(State, Memory, Data, Exec);
    return true;
  }
  const auto Old = State.find(Memory);
  if (Old == State.end()) {
    const auto IsRow = [](const auto &Entry) {
      return Entry.first.first == PlaceKind::Row;
    };
    if (llvm::count_if(State, IsRow) >= MostRows)
      return false;
  } else if (Old->second.lanes() & ~Exec) {
    // A row has one origin.
    const auto New = State.find(Data);
    if (New != State.end() && New->second.From != Old->second.From)
      return false;
  }
  Plan.Lanes = Exec & ~copyLanes(State, Data, Memory, Exec);
  return true;
}

/// Changes \a State to what is undefined after the first \a Steps of \a Code,
/// and sets the lanes of \a Rows. \return false if it uses undefined bits
/// otherwise than by copying them.
bool InitCheck::follow(const StraightCode &Code, const Needs &N, size_t Steps,
                       uint64_t Exec, Undefined &State,
                       isa::PlannedRows &Rows) const {
  if (!Rows.IsSet && llvm::none_of(State, [&](const auto &Entry) {
        return N.uses(Entry.first);
      }))
    return true;
  // What is reported sees the state after all.
  const bool MayCopy =
      Rows.IsSet || llvm::none_of(Code.Steps, [](const ObservedInstruction &I) {
        return I.IsLoad || I.IsStore;
      });
  size_t Row = 0;
  for (size_t Step = 0; Step < Steps; ++Step) {
    const ObservedInstruction &I = Code.Steps[Step];
    if (Rows.IsSet && Row < Code.Rows.size() && Code.Rows[Row].Step == Step) {
      if (!followRow(Code.Rows[Row], I, Exec, State, Rows.At[Row]))
        return false;
      ++Row;
      continue;
    }
    bool IsGood = true;
    const Bits *Copied = nullptr;
    const bool Copies = MayCopy && copies(I);
    for (const RegisterRange &R : I.Reads)
      forEach(Exec, R, [&](UndefinedPlace Place, uint64_t Lanes) {
        const auto It = State.find(Place);
        if (It == State.end() || !(It->second.lanes() & Lanes))
          return;
        IsGood &= Copies;
        Copied = &It->second;
      });
    if (!IsGood)
      return false;
    const Bits From = Copied ? *Copied : Bits();
    for (const RegisterRange &R : I.Writes)
      forEach(Exec, R, [&](UndefinedPlace Place, uint64_t Lanes) {
        const auto It = State.find(Place);
        if (It == State.end() && !Copied)
          return;
        Bits To = It == State.end() ? Bits() : It->second;
        To.Words.resize(
            Place.first == PlaceKind::Scalar ? 1 : Now->State->LaneCount);
        // What is left of it isn't known otherwise.
        IsGood &= R.Bits == ~0u && (R.How == RegisterRange::SameLane ||
                                    llvm::popcount(R.Lanes) == 1);
        for (size_t L = 0; L < To.Words.size(); ++L)
          if (Lanes >> L & 1)
            To.Words[L] = Copied ? From.Words[L] : 0;
        if (Copied)
          To.From = From.From;
        if (To.lanes())
          State[Place] = std::move(To);
        else
          State.erase(Place);
      });
    if (!IsGood)
      return false;
  }
  return true;
}

isa::QuietRows InitCheck::quietRows() {
  static uint64_t All[4] = {};
  if (!Current)
    return {All, 0};
  return {Current->QuietLanes.data(), Current->QuietLanes.size()};
}

bool InitCheck::needsAccesses(const isa::AccessBounds &B) {
  constexpr uint64_t MostLookedAt = 16384;
  if (!Current)
    return false;
  const uint64_t Size = B.End - B.First;
  if (Size > MostLookedAt)
    return true;
  switch (B.In) {
  case LaneAccess::Global:
    return !Global.isDefined(B.First, Size);
  case LaneAccess::Local:
    return B.End > OfCurrent->Local.size() ||
           !DefinedMemory::areZero(&OfCurrent->Local[B.First], Size);
  case LaneAccess::Private:
    break;
  }
  const uint64_t Exec = Now->State->exec();
  for (uint64_t Dword = B.First / 4; Dword < (B.End + 3) / 4; ++Dword)
    if (Dword >= Current->QuietLanes.size() ||
        (Exec & ~Current->QuietLanes[Dword]))
      return true;
  return false;
}
