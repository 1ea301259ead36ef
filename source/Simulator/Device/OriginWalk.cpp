//===-- OriginWalk.cpp - back over what was noted -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Origin.h"

#include "wavelane/GPU/SmallFloat.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using isa::InstClass;
using isa::LaneAccess;
using isa::RegisterRange;
using llvm::StringRef;

// Inputs of one instruction that are followed: more is a matrix, or all lanes.
static constexpr size_t MostInputs = 16;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool Origin::isCopy(const Event &E) const {
  if (E.Kind == Event::Changed || E.IsAtomic)
    return false;
  return !E.Moves.empty() || E.Facts->Move != gpu::MoveKind::None;
}

static Cell::Space spaceOf(RegisterRange::File In) {
  return In == RegisterRange::Vector ? Cell::Vector
         : In == RegisterRange::Acc  ? Cell::Acc
         : In == RegisterRange::SCC  ? Cell::SCC
                                     : Cell::Scalar;
}

static Cell::Space spaceOf(LaneAccess::Space In) {
  return In == LaneAccess::Global  ? Cell::Global
         : In == LaneAccess::Local ? Cell::Local
                                   : Cell::Private;
}

/// How many values a range has in Event::Values.
static size_t sizeOf(const RegisterRange &R) {
  if (R.In == RegisterRange::SCC)
    return 1;
  const bool IsVector =
      R.In == RegisterRange::Vector || R.In == RegisterRange::Acc;
  return IsVector ? R.Count * size_t(llvm::popcount(R.Lanes)) : R.Count;
}

/// Where the value of a lane's register is in that of its range.
static size_t indexIn(const RegisterRange &R, unsigned Dword, unsigned Lane) {
  const uint64_t Below = R.Lanes & ((uint64_t(1) << Lane) - 1);
  return Dword * size_t(llvm::popcount(R.Lanes)) +
         size_t(llvm::popcount(Below));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

std::optional<std::pair<size_t, unsigned>>
Origin::movedFrom(const Event &E, size_t Range, Cell C) const {
  const gpu::HalfMove Halves = E.Facts->Halves;
  if (Halves == gpu::HalfMove::None || !E.Moves.empty() || C.In == Cell::SCC)
    return std::nullopt;
  const RegisterRange &W = E.Writes[Range];
  const unsigned Dword = unsigned(C.Index) - W.First;
  const bool IsShift = Halves == gpu::HalfMove::Shift;
  const uint32_t Value = valueOf(E, Range, C);
  // A shift by 32.
  if (IsShift && (Dword || W.Count != 2 ||
                  valueOf(E, Range, {C.In, C.Lane, W.First + 1ul})))
    return std::nullopt;
  std::optional<std::pair<size_t, unsigned>> Found;
  size_t At = 0, Pairs = 0;
  for (size_t N = 0; N < E.Reads.size(); At += sizeOf(E.Reads[N++])) {
    const RegisterRange &R = E.Reads[N];
    const bool IsVector = spaceOf(R.In) != Cell::Scalar;
    if (R.Count != 2 || (IsVector && !(R.Lanes >> C.Lane & 1)))
      continue;
    auto Has = [&](unsigned D) {
      return E.Choices[At + (IsVector ? indexIn(R, D, C.Lane) : D)] == Value;
    };
    // The second operand gives the second dword.
    const bool IsOwn = IsShift || Pairs++ == Dword || E.Reads.size() == 1;
    if (!IsShift && IsOwn && Has(Dword))
      Found = {N, Dword};
    else if (IsOwn && Has(IsShift ? 1 : 1 - Dword))
      Found = {N, IsShift ? 1 : 1 - Dword};
  }
  return Found;
}

void Origin::addMemory(std::vector<Input> &To, const Move &M, unsigned From,
                       unsigned Size, unsigned Operand) const {
  const uint64_t Begin = M.Address + From, End = Begin + Size;
  for (uint64_t A = Begin & ~uint64_t(3); A < End; A += 4) {
    uint32_t Bits = 0;
    for (unsigned B = 0; B < 4; ++B)
      if (A + B >= Begin && A + B < End)
        Bits |= 0xffu << (8 * B);
    const bool IsPrivate = M.In == LaneAccess::Private;
    To.push_back({{spaceOf(M.In), IsPrivate ? M.Lane : uint8_t(0), A / 4},
                  Bits,
                  Operand,
                  uint8_t(From / 4),
                  M.dwords()});
  }
}

/// The registers that are stored in a dword of memory.
void Origin::addData(std::vector<Input> &To, const Move &M, unsigned Dword,
                     uint32_t Bits) const {
  if (M.Register == LaneAccess::NoRegister)
    return;
  const bool IsScalar = M.Lane == LaneAccess::Scalar;
  const Cell::Space In = spaceOf(M.File);
  auto Add = [&](unsigned N, uint32_t Which) {
    To.push_back(
        {{In, IsScalar ? uint8_t(0) : M.Lane, uint64_t(M.Register + N)},
         Which,
         1,
         uint8_t(N),
         M.dwords()});
  };
  if (M.Address % 4 == 0)
    return Add(Dword, M.High ? Bits << 16 : Bits);
  // The bytes are shifted.
  const uint32_t All = M.Size >= 4 ? ~0u : (1u << (8 * M.Size)) - 1;
  for (unsigned N = 0; N < unsigned(M.Size + 3) / 4; ++N)
    Add(N, M.High ? All << 16 : All);
}

void Origin::addRange(std::vector<Input> &To, const Event &E, size_t Range,
                      Cell C, uint32_t Bits, bool IsMask) const {
  const RegisterRange &R = E.Reads[Range];
  const Cell::Space In = spaceOf(R.In);
  const unsigned Operand = unsigned(Range);
  const bool IsLane = C.In == Cell::Vector || C.In == Cell::Acc;
  if (IsMask && IsLane) {
    To.push_back({{In, 0, R.First + C.Lane / 32u}, 1u << C.Lane % 32, Operand});
    return;
  }
  // Where the result's range begins: its dwords may be independent.
  unsigned Dword = 0, Dwords = 1;
  for (const RegisterRange &W : E.Writes)
    if (spaceOf(W.In) == C.In && C.Index >= W.First &&
        C.Index < uint64_t(W.First) + W.Count) {
      Dword = unsigned(C.Index) - W.First;
      Dwords = W.Count;
    }
  const bool SameDword =
      (E.Facts->IsBitwise || isCopy(E)) && R.Count == Dwords && Dwords > 1;
  const bool SameBits = E.Facts->IsBitwise && C.In != Cell::SCC;
  const bool IsVector = In == Cell::Vector || In == Cell::Acc;
  // The lanes that count.
  uint64_t Lanes = R.Lanes;
  if (IsVector && R.How == RegisterRange::FromLane && IsLane) {
    size_t Which = 0;
    for (size_t N = 0; N < Range; ++N)
      Which += E.Reads[N].How == RegisterRange::FromLane;
    const uint8_t From = Which < E.Sources.size() ? E.Sources[Which][C.Lane]
                                                  : RegisterRange::NoLane;
    Lanes = From < 64 ? uint64_t(1) << From : 0;
  } else if (IsVector && R.How == RegisterRange::SameLane) {
    if (IsLane)
      Lanes &= uint64_t(1) << C.Lane;
    else if (C.In == Cell::Scalar) // a mask
      Lanes &= uint64_t(Bits) << (Dword ? 32 : 0);
  }
  for (unsigned N = SameDword ? Dword : 0;
       N < (SameDword ? Dword + 1 : R.Count); ++N) {
    const uint32_t Which = SameBits ? R.Bits & Bits : R.Bits;
    const uint64_t Index = uint64_t(R.First) + N;
    if (!Which)
      continue;
    auto Add = [&](uint8_t Lane) {
      To.push_back(
          {{In, Lane, Index}, Which, Operand, uint8_t(N), uint8_t(R.Count)});
    };
    if (!IsVector) {
      Add(0);
      continue;
    }
    for (uint64_t Left = Lanes; Left; Left &= Left - 1)
      Add(uint8_t(llvm::countr_zero(Left)));
  }
}

std::vector<Origin::Input> Origin::inputsOf(const Event &E, Cell C,
                                            uint32_t Bits, const Move *M,
                                            size_t Range) const {
  std::vector<Input> R;
  if (M) {
    const unsigned Dword = unsigned(C.Index - M->Address / 4);
    if (!E.IsAtomic) {
      addData(R, *M, Dword, Bits);
      // From memory to memory.
      for (const Move &From : E.Moves)
        if (M->Register == LaneAccess::NoRegister && From.Lane == M->Lane &&
            From.Kind == Access::Read)
          addMemory(R, From, 4 * Dword, std::min<unsigned>(4, From.Size), 1);
      return R;
    }
    R.push_back({C, Bits, 0});
    for (const Move &Other : E.Moves)
      if (Other.In == M->In && Other.Address == M->Address)
        for (unsigned N = 0; N < unsigned(Other.Size + 3) / 4; ++N)
          addData(R, Other, N, ~0u);
    return R;
  }
  if (!E.Moves.empty()) {
    const bool IsLane = C.In == Cell::Vector || C.In == Cell::Acc;
    for (const Move &From : E.Moves) {
      const unsigned Dwords = (From.Size + 3u) / 4;
      if (From.Kind == Access::Write || spaceOf(From.File) != C.In ||
          From.Register == LaneAccess::NoRegister ||
          From.Lane != (IsLane ? C.Lane : LaneAccess::Scalar) ||
          C.Index < From.Register || C.Index >= From.Register + Dwords ||
          !From.InRange)
        continue;
      const unsigned At = 4 * unsigned(C.Index - From.Register);
      addMemory(R, From, At, std::min<unsigned>(4, From.Size - At), 0);
    }
    return R;
  }
  if (const auto From = movedFrom(E, Range, C)) {
    const RegisterRange &Read = E.Reads[From->first];
    const Cell::Space In = spaceOf(Read.In);
    R.push_back({{In, In == Cell::Scalar ? uint8_t(0) : C.Lane,
                  uint64_t(Read.First) + From->second},
                 Bits,
                 unsigned(From->first),
                 uint8_t(From->second),
                 2});
    return R;
  }
  // Arithmetic, and moves between registers.
  size_t Mask = ~size_t(0);
  if (E.Facts->ReadsLaneMask)
    for (size_t N = 0; N < E.Reads.size(); ++N)
      if (E.Reads[N].In == RegisterRange::Scalar)
        Mask = N;
  const bool HasMoved = llvm::any_of(E.Reads, [](const RegisterRange &Read) {
    return Read.How == RegisterRange::FromLane;
  });
  size_t ChoiceAt = 0;
  for (size_t N = 0; N < E.Reads.size(); ++N) {
    const RegisterRange &Read = E.Reads[N];
    const size_t Choice = std::exchange(ChoiceAt, ChoiceAt + sizeOf(Read));
    if (E.Class == InstClass::Local && HasMoved &&
        Read.How != RegisterRange::FromLane)
      continue; // the lane's number
    if (E.Facts->SavesExec && C.In == Cell::Scalar &&
        C.Index != isa::scalar::ExecLo && C.Index != isa::scalar::ExecHi &&
        Read.First != isa::scalar::ExecLo)
      continue; // the old value is saved
    if (!E.Choices.empty()) {
      // Which was chosen is reported by the value.
      const bool IsVectorRead = Read.In == RegisterRange::Vector;
      if (N == Mask || Read.In == RegisterRange::SCC)
        continue;
      const RegisterRange &W = E.Writes[Range];
      const unsigned Dword = unsigned(C.Index) - W.First;
      if (Dword >= Read.Count || (IsVectorRead && !(Read.Lanes >> C.Lane & 1)))
        continue;
      const uint32_t Had =
          E.Choices[Choice +
                    (IsVectorRead ? indexIn(Read, Dword, C.Lane) : Dword)];
      if (Had != valueOf(E, Range, C))
        continue;
    }
    addRange(R, E, N, C, Bits, N == Mask);
    if (!E.Choices.empty() && !R.empty())
      break;
  }
  return R;
}

/// What a write has given to a cell.
uint32_t Origin::valueOf(const Event &E, size_t Range, Cell C) const {
  size_t At = E.WrittenAt;
  for (size_t N = 0; N < Range; ++N)
    At += sizeOf(E.Writes[N]);
  const RegisterRange &W = E.Writes[Range];
  const unsigned Dword = unsigned(C.Index) - W.First;
  At += C.In == Cell::Vector || C.In == Cell::Acc ? indexIn(W, Dword, C.Lane)
                                                  : Dword;
  return At < E.Values.size() ? E.Values[At] : 0;
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

void Origin::need(unsigned Node, const Input &I) {
  auto &List = Needs[I.Of.key()];
  if (List.empty()) {
    CellOf[I.Of.key()] = I.Of;
    OwnNeeds += I.Of.In != Cell::Global;
    if (I.Of.In == Cell::Vector || I.Of.In == Cell::Acc)
      if (I.Of.Index < LanesNeeded[0].size())
        LanesNeeded[I.Of.In == Cell::Acc][I.Of.Index] |= uint64_t(1)
                                                         << I.Of.Lane;
  }
  for (Need &Known : List)
    if (Known.Node == Node && Known.Operand == I.Operand) {
      Known.Bits |= I.Bits;
      return;
    }
  List.push_back({Node, I.Operand, I.Bits, WindowNumber, I.Part, I.Parts});
}

/// Takes the needs of some bits of a cell.
std::vector<Origin::Need> Origin::take(Cell C, uint32_t Bits, bool Older) {
  std::vector<Need> Taken;
  auto It = Needs.find(C.key());
  if (It == Needs.end())
    return Taken;
  auto &List = It->second;
  for (Need &N : List)
    if ((N.Bits & Bits) && (!Older || N.Since != WindowNumber)) {
      Taken.push_back(
          {N.Node, N.Operand, N.Bits & Bits, N.Since, N.Part, N.Parts});
      N.Bits &= ~Bits;
    }
  llvm::erase_if(List, [](const Need &N) { return !N.Bits; });
  if (!List.empty())
    return Taken;
  Needs.erase(It);
  CellOf.erase(C.key());
  OwnNeeds -= C.In != Cell::Global;
  if (C.In == Cell::Vector || C.In == Cell::Acc)
    LanesNeeded[C.In == Cell::Acc][C.Index] &= ~(uint64_t(1) << C.Lane);
  return Taken;
}

template <class Match> std::vector<Cell> Origin::cellsNeeded(Match M) const {
  std::vector<Cell> R;
  for (const auto &Entry : CellOf)
    if (M(Entry.second))
      R.push_back(Entry.second);
  llvm::sort(R, [](const Cell &A, const Cell &B) { return A.key() < B.key(); });
  return R;
}

bool Origin::needsGroup() const {
  return llvm::any_of(
      CellOf, [](const auto &Entry) { return Entry.second.In == Cell::Local; });
}

void Origin::forEachPage(llvm::function_ref<void(uint64_t)> Do) const {
  uint64_t Last = ~uint64_t(0);
  for (const Cell &C :
       cellsNeeded([](const Cell &C) { return C.In == Cell::Global; }))
    if (C.Index / 1024 != Last) {
      Last = C.Index / 1024;
      Do(C.Index * 4);
    }
}

/// The node of an instruction, with another dword of its result.
unsigned Origin::nodeFor(const Event &E, Cell C, int Lane, uint64_t Piece,
                         const Need &By, bool IsCopy) {
  for (Edge &Known : Nodes[By.Node].Inputs) {
    const Node &Child = Nodes[Known.Node];
    if (Known.Operand == By.Operand && Child.Is <= Node::Constant &&
        Child.Position == E.Position && Child.Lane == Lane) {
      if (Known.Part != By.Part)
        Known.Parts = 1;
      return Known.Node;
    }
  }
  auto [It, IsNew] =
      NodeAt.try_emplace({E.Position, Lane, Piece}, unsigned(Nodes.size()));
  if (IsNew) {
    Node N;
    N.Position = E.Position;
    N.PC = E.PC;
    N.Number = E.Number;
    N.Facts = E.Facts;
    N.Lane = Lane;
    N.Place = C;
    N.IsCopy = IsCopy;
    Nodes.push_back(std::move(N));
  }
  // The loop above has no such edge.
  Nodes[By.Node].Inputs.push_back({By.Operand, It->second, By.Part, By.Parts});
  return It->second;
}

std::string Origin::operandType(const Node &N) const {
  if (N.IsCopy || &N == &Nodes.front())
    return N.Type;
  return N.Is == Node::Step ? N.Facts->OperandType : "";
}

bool Origin::isPair(const Event &E, const Need &By, const Move *M, size_t Range,
                    unsigned Dword) const {
  if (By.Parts != 2 || By.Part != (Dword & 1) || By.Bits != ~0u || E.IsAtomic)
    return false;
  return (Dword | 1) < (M ? M->Size / 4u : E.Writes[Range].Count) &&
         E.Facts->Halves != gpu::HalfMove::Shift;
}

void Origin::passHalf(std::vector<Input> &Inputs, const Need &By,
                      std::optional<unsigned> PairDword, bool IsCarry) {
  // The carry comes from the lower half, which is followed itself.
  if (IsCarry)
    llvm::erase_if(Inputs, [](const Input &I) {
      return I.Of.In == Cell::SCC || (I.Of.In == Cell::Scalar && I.Bits != ~0u);
    });
  for (Input &I : Inputs) {
    if (PairDword) {
      I.Part = uint8_t(*PairDword);
      I.Parts = 2;
    } else if (I.Parts == 1 && I.Bits == ~0u) {
      I.Part = By.Part;
      I.Parts = 2;
    }
  }
}

/// The type of a 64-bit value that one of another type is computed from, half
/// by half.
std::string Origin::pairType(StringRef Wanted) const {
  if (Wanted.ends_with("64"))
    return Wanted.str();
  return StringRef(RootType).ends_with("64") && RootType[0] != 'f' ? RootType
                                                                   : "";
}

void Origin::resolve(const Event &E, Cell C, uint32_t Written, int Lane,
                     const Move *M, size_t Range) {
  const bool IsLane = Lane >= 0;
  for (const Need &By : take(C, Written)) {
    const bool IsCopied = isCopy(E) || (!M && movedFrom(E, Range, C));
    const bool IsPart = IsCopied && !WantsHistory;
    const unsigned Dword = M ? unsigned(C.Index - M->Address / 4)
                             : unsigned(C.Index) - E.Writes[Range].First;
    // A mask's bits are results of their own.
    const bool IsMask = C.In == Cell::Scalar && By.Bits != ~0u;
    const bool IsInPair = IsPart && isPair(E, By, M, Range, Dword);
    const uint64_t Piece = (IsInPair ? 2000 + (Dword & ~1u)
                            : IsPart ? Dword
                                     : 0) +
                           (M ? 1000 : 0) +
                           (IsMask ? uint64_t(By.Bits) << 32 : 0);
    const unsigned Which = nodeFor(E, C, Lane, Piece, By, IsCopied);
    if (WantsHistory)
      Later.emplace_back(Which, Input{C, By.Bits, 0, By.Part, By.Parts});
    const std::string Wanted = operandType(Nodes[By.Node]);
    Node &N = Nodes[Which];
    const bool IsFirst = !N.HasValue;
    N.IsPair |= IsFirst && IsInPair;
    // Another dword of a copy; arithmetic has its whole result at once.
    if (N.IsPair ? (N.Followed >> (Dword & 1)) & 1
                 : !IsFirst && (!N.IsCopy || C.In != N.Place.In ||
                                C.Index != N.Place.Index + N.Value.size()))
      continue;
    N.HasValue = true;
    if (N.IsPair) {
      N.Followed |= uint8_t(1 << (Dword & 1));
      const uint64_t First = C.Index - (Dword & 1);
      for (unsigned D = 0; IsFirst && D < 2; ++D)
        N.Value.push_back(M ? E.Values[M->ValueAt + (Dword & ~1u) + D]
                            : valueOf(E, Range, {C.In, C.Lane, First + D}));
      N.Place.Index = First;
      N.Bits = 64;
    } else if (M) {
      N.Value.push_back(E.Values[M->ValueAt + Dword]);
      N.Bits = M->Size < 4 ? M->Size * 8u : 32 * unsigned(N.Value.size());
      if (M->Size < 4)
        N.Value[0] &= (1u << N.Bits) - 1;
    } else if (N.IsCopy) {
      N.Value.push_back(valueOf(E, Range, C));
      N.Bits = 32 * unsigned(N.Value.size());
    } else {
      const RegisterRange &W = E.Writes[Range];
      for (unsigned D = 0; D < W.Count; ++D)
        N.Value.push_back(
            valueOf(E, Range, {C.In, C.Lane, uint64_t(W.First) + D}));
      N.Place.Index = W.First;
      N.Bits = 32 * W.Count;
      if (!IsLane && C.In == Cell::Scalar && (Written & By.Bits) != ~0u)
        N.MaskBits = Written & By.Bits;
    }
    if (IsFirst)
      N.Type = N.IsPair   ? pairType(Wanted)
               : N.IsCopy ? Wanted
                          : E.Facts->ResultType;
    if (N.Type.empty() && !N.IsCopy && C.isMemory())
      N.Type = Wanted;
    if (WantsHistory)
      continue;
    if (Until) {
      const std::optional<bool> Holds =
          By.Parts == 2 && N.Value.size() == 1
              ? std::nullopt // half of it is judged in the end
              : holds(N, E, C, M, Range);
      N.IsOther = !Holds.value_or(false);
      if (Holds && !*Holds)
        continue;
    }
    std::vector<Input> Inputs = inputsOf(E, C, By.Bits, M, Range);
    const bool IsCarry = E.Facts->IsCarry;
    if (By.Parts == 2 && (IsCopied || IsCarry || E.Facts->IsBitwise))
      passHalf(Inputs, By, N.IsPair ? std::optional(Dword & 1) : std::nullopt,
               IsCarry);
    if (Inputs.size() > MostInputs) {
      Node Many;
      Many.Is = Node::TooMany;
      Many.Position = E.Position;
      Many.Number = E.Number;
      Many.Detail = Inputs.size();
      addLeaf(std::move(Many), {Which, 0, 0, 0});
      continue;
    }
    if (Inputs.empty() && IsFirst)
      N.Is = Node::Constant;
    for (const Input &I : Inputs)
      if (!isKnownPlace(I, Which))
        Later.emplace_back(Which, I);
  }
}

/// Whether the launch has put something there: nothing else has written it.
bool Origin::isKnownPlace(const Input &I, unsigned Parent) {
  if (I.Of.In != Cell::Global)
    return false;
  const uint64_t Address = I.Of.Index * 4;
  const bool IsArgument = Address - Of.Kernarg < Of.KernargSize;
  if (!IsArgument && !(Of.Packet && Address - Of.Packet < sizeof(KernelPacket)))
    return false;
  const unsigned Skipped = unsigned(llvm::countr_zero(I.Bits)) / 8;
  for (const Edge &Known : Nodes[Parent].Inputs)
    if (Nodes[Known.Node].Is == Node::Argument ||
        Nodes[Known.Node].Is == Node::Packet)
      return true;
  Node N;
  N.Is = IsArgument ? Node::Argument : Node::Packet;
  N.Position = Nodes[Parent].Position;
  N.Number = Of.Number;
  N.Place = I.Of;
  N.Type = operandType(Nodes[Parent]);
  N.Detail = Address + Skipped - (IsArgument ? Of.Kernarg : Of.Packet);
  addLeaf(std::move(N), {Parent, I.Operand, 0, 0});
  return true;
}

void Origin::addLeaf(Node N, const Need &By) {
  Nodes[By.Node].Inputs.push_back(
      {By.Operand, unsigned(Nodes.size()), By.Part, By.Parts});
  Nodes.push_back(std::move(N));
}

void Origin::finish(Cell C, Node::Kind Is, uint64_t Position,
                    std::optional<uint32_t> Value, uint32_t Bits,
                    std::optional<uint64_t> Detail, const Event *E, int Lane,
                    bool Older) {
  for (const Need &By : take(C, Bits, Older)) {
    // Another dword of the same value.
    Node *Known = nullptr;
    for (Edge &To : Nodes[By.Node].Inputs) {
      Node &N = Nodes[To.Node];
      if (To.Operand == By.Operand && N.Is == Is && N.Position == Position &&
          N.Place.In == C.In && N.Place.Lane == C.Lane &&
          N.Place.Index + std::max<size_t>(N.Value.size(), 1) == C.Index &&
          N.HasValue == Value.has_value()) {
        Known = &N;
        To.Parts = 1;
      }
    }
    if (Known) {
      if (Value)
        Known->Value.push_back(*Value);
      Known->Bits = 32 * unsigned(Known->Value.size());
      if (Until && Value)
        Known->IsOther = isHalf(*Known) || !holds(*Known);
      continue;
    }
    Node N;
    N.Is = Is;
    N.Position = Position;
    N.Number = Of.Number;
    N.Lane = C.In == Cell::Vector || C.In == Cell::Acc || C.In == Cell::Private
                 ? C.Lane
                 : -1;
    if (E) {
      N.PC = E->PC;
      N.Number = E->Number;
      N.Facts = E->Facts;
      N.Lane = Lane;
    }
    N.Place = C;
    N.Type = operandType(Nodes[By.Node]);
    N.Detail = Detail;
    if (Value) {
      N.HasValue = true;
      // A part of a dword.
      const unsigned Low = unsigned(llvm::countr_zero(By.Bits));
      N.Bits = 32 - Low - unsigned(llvm::countl_zero(By.Bits));
      N.Value.push_back((*Value & By.Bits) >> Low);
      if (Until && (isHalf(N) || !holds(N)))
        N.IsOther = true;
    }
    addLeaf(std::move(N), By);
  }
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

/// What a store has given to a dword of memory; its other bits are any.
std::optional<uint32_t> Origin::storedBy(const Event &E, const Move &M,
                                         Cell C) {
  if (M.Size < 4)
    return E.Values[M.ValueAt] << (M.Address % 4 * 8);
  if (M.Address % 4)
    return std::nullopt;
  return E.Values[M.ValueAt + unsigned(C.Index - M.Address / 4)];
}

void Origin::checkHost(const Event &E, const Move &M, Cell C, uint32_t Bits,
                       const WindowEnd &End) {
  const std::optional<uint32_t> Now = End.Read(C.Index * 4);
  if (!Now)
    return;
  // Lanes may have stored to the same place.
  for (const Move &Each : E.Moves) {
    if (Each.Kind == Access::Read || Each.In != M.In ||
        C.Index < Each.Address / 4 || C.Index * 4 >= Each.Address + Each.Size)
      continue;
    const std::optional<uint32_t> Stored = storedBy(E, Each, C);
    if (!Stored || !((*Stored ^ *Now) & Bits))
      return;
  }
  finish(C, Node::Host, End.Position, Now, Bits, std::nullopt, nullptr, -1,
         /*Older=*/true);
}

void Origin::visitMoves(const Event &E, const WindowEnd &End) {
  const bool Own = E.Number == Of.Number;
  // The last lane's store is what remains.
  for (size_t N = E.Moves.size(); N-- > 0;) {
    const Move &M = E.Moves[N];
    if (M.Kind == Access::Read || !M.InRange)
      continue;
    const uint64_t Last = M.Address + M.Size;
    for (uint64_t A = M.Address & ~uint64_t(3); A < Last; A += 4) {
      const bool IsPrivate = M.In == LaneAccess::Private;
      const Cell C{spaceOf(M.In), IsPrivate ? M.Lane : uint8_t(0), A / 4};
      if (!Needs.count(C.key()))
        continue;
      uint32_t Bits = 0;
      for (unsigned B = 0; B < 4; ++B)
        if (A + B >= M.Address && A + B < Last)
          Bits |= 0xffu << (8 * B);
      if (C.In == Cell::Global)
        checkHost(E, M, C, Bits, End);
      const int Lane = M.Lane == LaneAccess::Scalar ? -1 : M.Lane;
      if (Own) {
        resolve(E, C, Bits, Lane, &M, 0);
        continue;
      }
      // Its bytes may begin within the dword.
      const unsigned Dword = unsigned((A & ~uint64_t(3)) / 4 - M.Address / 4);
      const unsigned Shift = M.Size < 4 ? unsigned(M.Address % 4) * 8 : 0;
      finish(C, Node::Store, E.Position,
             E.Values[M.ValueAt + std::min(Dword, (M.Size - 1u) / 4)] << Shift,
             Bits, std::nullopt, &E, Lane);
    }
  }
}

void Origin::visit(const Event &E, const WindowEnd &End) {
  if (E.Kind == Event::Changed) {
    for (const Event::Change &C : E.Changes)
      if (Needs.count(C.Of.key()))
        finish(C.Of, E.ByHost ? Node::Host : Node::Debugger, E.Position,
               C.Value, C.Bits, std::nullopt, nullptr, -1);
    return;
  }
  visitMoves(E, End);
  for (size_t N = 0; N < E.Writes.size(); ++N) {
    const RegisterRange &R = E.Writes[N];
    const Cell::Space In = spaceOf(R.In);
    for (unsigned D = 0; D < R.Count; ++D) {
      const unsigned Index = R.First + D;
      if (In == Cell::Scalar || In == Cell::SCC) {
        const Cell C{In, 0, Index};
        if (Needs.count(C.key()))
          resolve(E, C, R.Bits, -1, nullptr, N);
        continue;
      }
      if (Index >= LanesNeeded[0].size())
        continue;
      for (uint64_t Left = R.Lanes & LanesNeeded[In == Cell::Acc][Index]; Left;
           Left &= Left - 1) {
        const Cell C{In, uint8_t(llvm::countr_zero(Left)), Index};
        resolve(E, C, R.Bits, C.Lane, nullptr, N);
      }
    }
  }
  for (const auto &[Node, I] : std::exchange(Later, {}))
    need(Node, I);
}

void Origin::apply(const HostActions::Action &A, size_t Index) {
  for (const Cell &C : cellsNeeded([&](const Cell &C) {
         return C.In == Cell::Global && A.wrote(C.Index * 4, 4);
       }))
    finish(C, Node::Host, A.Position, std::nullopt, ~0u, Index, nullptr, -1);
}

uint64_t Origin::walk(uint64_t Begin, uint64_t End, const HostActions &Actions,
                      ReadMemory AtEnd) {
  const uint64_t From = IsShort ? Events.front().Position : Begin;
  if (!NextAction)
    NextAction = Actions.find(At + 1);
  auto PassActions = [&](uint64_t Down) {
    // An action at a position is before the instruction there.
    while (*NextAction && Actions[*NextAction - 1].Position >= Down) {
      --*NextAction;
      apply(Actions[*NextAction], *NextAction);
    }
  };
  while (!Events.empty() && !Needs.empty()) {
    const Event &E = Events.back();
    PassActions(E.Position + 1);
    visit(E, {End, AtEnd});
    At = E.Position;
    Events.pop_back();
    if (Nodes.size() >= Most && !Needs.empty())
      giveUp();
  }
  if (!Needs.empty() && !IsShort) {
    PassActions(Begin);
    if (WaveBegins)
      endOwn(GroupBegins);
  }
  At = From;
  Events.clear();
  EventBytes = 0;
  return From;
}

/// The wave has begun.
void Origin::endOwn(bool Group) {
  for (const Cell &C :
       cellsNeeded([&](const Cell &C) { return C.In != Cell::Global; })) {
    if (C.In == Cell::Local && !Group)
      continue;
    std::optional<uint32_t> Value;
    if (Began && C.In == Cell::Scalar)
      Value = Began->Scalar[C.Index];
    if (Began && (C.In == Cell::Vector || C.In == Cell::Acc)) {
      const size_t Row = C.Index + (C.In == Cell::Acc ? Began->AccumOffset : 0);
      if (const size_t I = Row * Began->LaneCount + C.Lane;
          I < Began->VGPR.size())
        Value = Began->VGPR[I];
    }
    finish(C, C.isMemory() ? Node::Unset : Node::Start, At, Value, ~0u,
           std::nullopt, nullptr, -1);
  }
}

void Origin::endWindow(uint64_t End, ReadMemory AtBegin, ReadMemory AtEnd) {
  for (const Cell &C :
       cellsNeeded([](const Cell &C) { return C.In == Cell::Global; })) {
    const auto Old = AtBegin(C.Index * 4), New = AtEnd(C.Index * 4);
    if (Old && New && *Old != *New)
      finish(C, Node::Host, End, New, ~0u, std::nullopt, nullptr, -1,
             /*Older=*/true);
  }
  ++WindowNumber;
}

void Origin::reachBeginning(uint64_t Begin, ReadMemory Read) {
  for (const Cell &C : cellsNeeded([](const Cell &) { return true; }))
    finish(C, Node::Earlier, Begin,
           C.In == Cell::Global ? Read(C.Index * 4) : std::nullopt, ~0u,
           std::nullopt, nullptr, -1);
}

/// There are too many steps.
void Origin::giveUp() {
  for (const Cell &C : cellsNeeded([](const Cell &) { return true; }))
    finish(C, Node::Limit, At, std::nullopt, ~0u, std::nullopt, nullptr, -1);
}

//===----------------------------------------------------------------------===//
// Conditions and the answer
//===----------------------------------------------------------------------===//

/// A value as a number, by its type: "f32", or "e8m7" for a small number.
static double numberOf(llvm::ArrayRef<uint32_t> Value, StringRef Type) {
  const uint64_t Bits =
      Value[0] | (Value.size() > 1 ? uint64_t(Value[1]) << 32 : 0);
  if (Type == "f64") {
    double D;
    memcpy(&D, &Bits, 8);
    return D;
  }
  if (Type == "f32") {
    float F;
    memcpy(&F, &Value[0], 4);
    return F;
  }
  if (auto Small = gpu::SmallFloat::ofName(Type == "f16" ? "e5m10" : Type))
    return Small->decode(uint32_t(Bits));
  if (Type.starts_with("u"))
    return double(Bits);
  if (Type == "i64" || Value.size() > 1)
    return double(int64_t(Bits));
  return Type == "i16" ? int16_t(Bits) : double(int32_t(Bits));
}

bool Origin::holds(const Node &N) const {
  const double V = numberOf(N.Value, N.Type.empty() ? RootType : N.Type);
  const double To = Until->Number;
  switch (Until->Is) {
  case protocol::Comparison::IsNaN:
    return std::isnan(V);
  case protocol::Comparison::IsInf:
    return std::isinf(V);
  case protocol::Comparison::Less:
    return V < To;
  case protocol::Comparison::LessEqual:
    return V <= To;
  case protocol::Comparison::Greater:
    return V > To;
  case protocol::Comparison::GreaterEqual:
    return V >= To;
  case protocol::Comparison::Equal:
    return V == To;
  case protocol::Comparison::NotEqual:
    return V != To;
  }
  return false;
}

/// Whether the condition holds for what an instruction has copied or computed;
/// nullopt if it has only half of the value.
std::optional<bool> Origin::holds(const Node &N, const Event &E, Cell C,
                                  const Move *M, size_t Range) const {
  if (!N.IsCopy || !StringRef(N.Type).ends_with("64"))
    return holds(N);
  Node Whole;
  Whole.Type = N.Type;
  const unsigned Dword = M ? unsigned(C.Index - M->Address / 4)
                           : unsigned(C.Index) - E.Writes[Range].First;
  const unsigned First = Dword & ~1u;
  if (First + 2u > (M ? M->Size / 4u : E.Writes[Range].Count))
    return std::nullopt;
  for (unsigned D = First; D < First + 2; ++D)
    Whole.Value.push_back(
        M ? E.Values[M->ValueAt + D]
          : valueOf(E, Range,
                    {C.In, C.Lane, uint64_t(E.Writes[Range].First) + D}));
  return holds(Whole);
}

/// What a node is one dword of, for one of those that it gives a value to.
std::optional<Origin::Half> Origin::halfOf(const Node &Parent,
                                           const Edge &E) const {
  if (E.Parts != 2)
    return std::nullopt;
  Half H;
  H.Part = E.Part;
  if (const std::string Type = operandType(Parent);
      StringRef(Type).ends_with("64"))
    H.Type = Type;
  else if (Parent.Of)
    H.Type = Parent.Of->Type;
  // The other half may have gone to the instruction for the other half, whose
  // operands may have another order.
  const bool IsApart = Parent.Of && Parent.Of->Other;
  auto IsSingle = [&](const Edge &Each, unsigned Part) {
    const Node &N = Nodes[Each.Node];
    return Each.Parts == 2 && Each.Part == Part && N.HasValue &&
           (IsApart ? N.Value.size() == 1
                    : Each.Operand == E.Operand && N.Value.size() <= 2);
  };
  const std::vector<Edge> &Edges =
      IsApart ? Nodes[Parent.Of->Other].Inputs : Parent.Inputs;
  auto IsOther = [&](const Edge &Each) { return IsSingle(Each, !E.Part); };
  if (llvm::count_if(Edges, IsOther) != 1 ||
      llvm::count_if(Parent.Inputs, [&](const Edge &Each) {
        return IsSingle(Each, E.Part);
      }) != 1)
    return H;
  H.Other = llvm::find_if(Edges, IsOther)->Node;
  const Node &Other = Nodes[H.Other];
  const uint64_t Own = Nodes[E.Node].Value[0],
                 Rest = Other.Value[Other.Value.size() > 1 ? !E.Part : 0];
  H.Whole = E.Part ? Own << 32 | Rest : Rest << 32 | Own;
  return H;
}

void Origin::findHalves() {
  llvm::BitVector Seen(unsigned(Nodes.size()));
  // Nodes come after those that they give values to.
  for (unsigned P = 0; P < Nodes.size(); ++P)
    for (const Edge &E : Nodes[P].Inputs) {
      const Node &Parent = Nodes[P];
      Node &N = Nodes[E.Node];
      std::optional<Half> H;
      if (N.HasValue && N.Value.size() == 1 && N.Bits == 32) {
        const bool IsOnlyHalf = Parent.IsCopy && Parent.Value.size() == 1;
        // What a place had before is another value.
        if (WantsHistory && P && E.Parts == 2)
          H = Half{E.Part, std::nullopt, "", 0};
        else if (IsOnlyHalf && Parent.Of)
          H = Half{Parent.Of->Part, Parent.Of->Whole, Parent.Of->Type, 0};
        else if (!IsOnlyHalf)
          H = halfOf(Parent, E);
      }
      if (!Seen[E.Node])
        N.Of = std::move(H);
      else if (!(N.Of == H))
        N.Of.reset();
      Seen.set(E.Node);
    }
  for (Node &N : Nodes)
    if (Until && N.Of && N.Of->Whole) {
      Node Whole;
      Whole.Type = N.Of->Type;
      Whole.Value = {uint32_t(*N.Of->Whole), uint32_t(*N.Of->Whole >> 32)};
      N.IsOther = !holds(Whole);
    }
}

protocol::OriginNode Origin::describe(const Node &N) const {
  static_assert(uint8_t(protocol::OriginKind::Step) == Node::Step &&
                uint8_t(protocol::OriginKind::Limit) == Node::Limit);
  protocol::OriginNode R;
  R.Kind = protocol::OriginKind(N.Is);
  R.Position = N.Position;
  R.Number = N.Number;
  const bool IsRun = N.Is <= Node::Constant || N.Is == Node::Store;
  if (IsRun && N.PC) {
    R.PC = N.PC;
    R.Instruction = N.Facts->Mnemonic;
    R.Copies = N.IsCopy;
  }
  if (N.Lane >= 0)
    R.Lane = uint32_t(N.Lane);
  R.Type = N.Type;
  if (N.HasValue) {
    for (size_t I = N.Value.size(); I-- > 0;)
      R.Value += llvm::utohexstr(N.Value[I], true, 8);
    R.Bits = N.Bits;
  }
  if (N.MaskBits)
    R.MaskBits = N.MaskBits;
  if (N.Of) {
    R.Half = N.Of->Part;
    if (N.Of->Whole)
      R.Whole = llvm::utohexstr(*N.Of->Whole, true, 16);
    R.WholeType = N.Of->Type;
    if (N.Of->Other)
      R.OtherHalf = N.Of->Other;
  }
  if (&N != &Nodes.front()) {
    R.Space = protocol::CellSpace(N.Place.In);
    R.Index = N.Place.isMemory() ? N.Place.Index * 4 : N.Place.Index;
  }
  if (N.Is == Node::Start && N.Place.In == Cell::Scalar)
    if (const char *What =
            nameInitialScalar(Of.Kernel, unsigned(N.Place.Index)))
      R.What = What;
  R.Detail = N.Detail;
  R.IsOther = N.IsOther;
  auto Sorted = N.Inputs;
  llvm::sort(Sorted, [](const Edge &A, const Edge &B) {
    return std::pair(A.Operand, A.Node) < std::pair(B.Operand, B.Node);
  });
  for (const Edge &E : Sorted)
    R.Inputs.push_back(E.Node);
  return R;
}

void Origin::takeAnswer(protocol::OriginAnswer &To) {
  findHalves();
  for (const Node &N : Nodes)
    To.Nodes.push_back(describe(N));
  for (const auto &[Number, W] : Names) {
    protocol::OriginWave &Each = To.Waves.emplace_back();
    Each.Number = Number;
    std::copy_n(std::begin(W.Group), 3, Each.Group.begin());
    Each.Index = W.Index;
    Each.Entry = W.Entry;
  }
}
