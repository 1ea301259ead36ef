//===-- Origin.cpp - what happened in a window ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Origin.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using isa::InstClass;
using isa::LaneAccess;
using isa::RegisterRange;

// Notes of a window; if there are more, the window is looked at in parts.
static constexpr uint64_t MostBytes = uint64_t(256) << 20;

static_assert(uint8_t(protocol::CellSpace::Scalar) == Cell::Scalar &&
              uint8_t(protocol::CellSpace::Private) == Cell::Private);

static bool isExec(const RegisterRange &R) {
  return R.In == RegisterRange::Scalar && R.First >= isa::scalar::ExecLo &&
         R.First <= isa::scalar::ExecHi;
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Origin>>
Origin::create(const protocol::OriginRequest &Request, const Subject &Of,
               uint64_t Position) {
  std::unique_ptr<Origin> O(new Origin(Of));
  O->At = Position;
  O->RootType = Request.Type;
  O->WantsHistory = Request.History;
  O->Most = size_t(std::clamp<uint64_t>(Request.Most, 1, 100000));
  O->Until = Request.Until;
  Node Root;
  Root.Position = Position;
  Root.Number = Of.Number;
  Root.Type = O->RootType;
  Root.IsCopy = true;
  O->Nodes.push_back(Root);
  uint8_t Part = 0;
  const auto Parts = uint8_t(std::min<size_t>(Request.Cells.size(), UINT8_MAX));
  for (const protocol::OriginCell &One : Request.Cells) {
    // In the same order.
    const auto Space = Cell::Space(One.Space);
    const uint64_t Limit = Space == Cell::Scalar  ? uint64_t(isa::scalar::Count)
                           : Space == Cell::SCC   ? 1
                           : Space < Cell::Global ? O->LanesNeeded[0].size()
                                                  : uint64_t(1) << 46;
    if (One.Index >= Limit || One.Lane > 63 || !One.Bits)
      return llvm::createStringError("malformed cell");
    Cell C{Space, 0, One.Index};
    if (C.In == Cell::Vector || C.In == Cell::Acc || C.In == Cell::Private)
      C.Lane = uint8_t(One.Lane);
    O->need(0, {C, One.Bits, 0, Part++, Parts});
  }
  return std::move(O);
}

//===----------------------------------------------------------------------===//
// Noting
//===----------------------------------------------------------------------===//

uint64_t Origin::Event::bytes() const {
  return sizeof(*this) +
         (Reads.size() + Writes.size()) * sizeof(RegisterRange) +
         Sources.size() * 64 + Moves.size() * sizeof(Move) +
         (Values.size() + Choices.size()) * 4;
}

void Origin::beginWindow(bool TheWaveBegins, bool TheGroupBegins) {
  Events.clear();
  EventBytes = 0;
  IsShort = false;
  WaveBegins = TheWaveBegins;
  GroupBegins = TheGroupBegins;
  RunsFirst = true;
  Running = ~0u;
}

bool Origin::isOwnGroup(const simulator::Queue &Q, const Wave &W) const {
  return Q.Id == Of.Queue && Q.Current && Q.Current->PacketId == Of.PacketId &&
         !memcmp(W.Group->Id, Of.Group, sizeof(Of.Group));
}

void Origin::runs(const simulator::Queue &Q, const Wave &W, uint64_t Position) {
  Next = Position;
  if (Running == W.Number)
    return;
  Running = W.Number;
  RunsOwn = isOwn(W);
  RunsOwnGroup = isOwnGroup(Q, W);
  if (Q.Current)
    Names.try_emplace(W.Number,
                      WaveName{{W.Group->Id[0], W.Group->Id[1], W.Group->Id[2]},
                               W.IndexInGroup,
                               Q.Current->Kernel.Entry,
                               Q.Current->PacketId,
                               Q.Id});
}

unsigned Origin::wants() const {
  return RunsOwn ? isa::observe::Registers | isa::observe::Accesses
                 : isa::observe::Accesses | isa::observe::FilterAccesses;
}

bool Origin::needsAccesses(const isa::AccessBounds &B) {
  return B.Kind != Access::Read &&
         (B.In == LaneAccess::Global ||
          (B.In == LaneAccess::Local && RunsOwnGroup));
}

void Origin::push(Event E) {
  EventBytes += E.bytes();
  Events.push_back(std::move(E));
  while (EventBytes > MostBytes && Events.size() > 1) {
    EventBytes -= Events.front().bytes();
    Events.pop_front();
    IsShort = true;
  }
}

/// Appends the registers of a range.
void Origin::read(const isa::WaveState &W, const RegisterRange &R,
                  std::vector<uint32_t> &To) {
  if (R.In == RegisterRange::SCC)
    return To.push_back(W.Status & isa::status::SCC);
  for (unsigned N = 0; N < R.Count; ++N) {
    const unsigned Reg = R.First + N;
    if (R.In == RegisterRange::Scalar) {
      To.push_back(Reg < isa::scalar::Count ? W.Scalar[Reg] : 0);
      continue;
    }
    const size_t Row = Reg + (R.In == RegisterRange::Acc ? W.AccumOffset : 0);
    for (uint64_t Left = R.Lanes; Left; Left &= Left - 1) {
      const size_t At = Row * W.LaneCount + unsigned(llvm::countr_zero(Left));
      To.push_back(At < W.VGPR.size() ? W.VGPR[At] : 0);
    }
  }
}

/// Whether the operands' values determine which of them the result is.
static bool needsOperands(const gpu::InstructionFacts &Facts) {
  return Facts.Move == gpu::MoveKind::Select ||
         Facts.Halves != gpu::HalfMove::None;
}

bool Origin::before(const isa::WaveState &W,
                    const isa::ObservedInstruction &I) {
  if (RunsOwn && std::exchange(RunsFirst, false))
    Began = std::make_unique<isa::WaveState>(W);
  Event &E = Pending;
  E = Event();
  E.Position = Next;
  E.PC = I.PC;
  E.Number = Running;
  E.Facts = I.Facts;
  E.Class = I.Class;
  E.IsLoad = I.IsLoad;
  E.IsAtomic = I.IsAtomic;
  E.Exec = I.Exec;
  for (const LaneAccess &A : I.Accesses) {
    if (!RunsOwn && (A.Kind == Access::Read || A.In == LaneAccess::Private ||
                     (A.In == LaneAccess::Local && !RunsOwnGroup)))
      continue;
    Move M{A.Address, A.Register, A.Size, A.Lane,    A.In,
           A.Kind,    A.File,     A.High, A.InRange, 0};
    if (A.Kind == Access::Write) {
      // The data is in registers now.
      M.ValueAt = uint32_t(E.Values.size());
      RegisterRange R;
      R.In = A.File;
      R.First = A.Register;
      R.Count = uint16_t((A.Size + 3) / 4);
      R.Lanes = A.Lane == LaneAccess::Scalar ? 0 : uint64_t(1) << A.Lane;
      if (A.Register == LaneAccess::NoRegister)
        E.Values.resize(E.Values.size() + R.Count);
      else
        read(W, R, E.Values);
      if (A.High)
        E.Values.back() >>= 16;
    }
    E.Moves.push_back(M);
  }
  if (!RunsOwn)
    return true;
  // Whether lanes are active isn't data.
  const bool IsVector = I.Class == InstClass::VectorALU ||
                        I.Class == InstClass::VectorMemory ||
                        I.Class == InstClass::Local;
  bool HasExec = !IsVector;
  for (size_t N = I.Reads.size(); N-- > 0;) {
    const RegisterRange &R = I.Reads[N];
    const bool IsOfAll = isExec(R) && !std::exchange(HasExec, true);
    if (IsOfAll || R.In == RegisterRange::Mode ||
        R.In == RegisterRange::FlatScratch || !E.Moves.empty())
      continue;
    E.Reads.push_back(R);
  }
  std::reverse(E.Reads.begin(), E.Reads.end());
  for (RegisterRange &R : E.Reads) {
    if (R.Source) {
      E.Sources.emplace_back();
      memcpy(E.Sources.back().data(), R.Source, W.LaneCount);
    }
    R.Source = nullptr;
  }
  if (needsOperands(*I.Facts))
    for (const RegisterRange &R : E.Reads)
      read(W, R, E.Choices);
  for (const RegisterRange &R : I.Writes)
    if (R.In != RegisterRange::Mode && R.In != RegisterRange::FlatScratch)
      E.Writes.push_back(R);
  return true;
}

void Origin::after(const isa::WaveState &W, const isa::ObservedInstruction &I) {
  Event &E = Pending;
  // What moves have written comes first.
  size_t N = 0;
  for (const LaneAccess &A : I.Accesses) {
    if (N == E.Moves.size() || E.Moves[N].Address != A.Address ||
        E.Moves[N].Lane != A.Lane || E.Moves[N].Kind != A.Kind)
      continue;
    Move &M = E.Moves[N++];
    if (A.Kind != Access::Atomic)
      continue;
    M.ValueAt = uint32_t(E.Values.size());
    E.Values.resize(E.Values.size() + (A.Size + 3) / 4);
    if (A.Host)
      memcpy(&E.Values[M.ValueAt], A.Host, A.Size);
  }
  E.WrittenAt = uint32_t(E.Values.size());
  for (const RegisterRange &R : E.Writes)
    read(W, R, E.Values);
  if (!E.Writes.empty() || !E.Moves.empty())
    push(std::move(E));
}

void Origin::changes(const simulator::Queue &Q, const Wave &W,
                     const isa::WaveState &To, llvm::ArrayRef<uint8_t> LDS,
                     uint64_t Position) {
  if (!isOwnGroup(Q, W))
    return;
  Event E;
  E.Position = Position;
  E.PC = W.State.PC;
  E.Number = W.Number;
  E.Kind = Event::Changed;
  auto Add = [&](Cell C, uint32_t Value) {
    E.Changes.push_back({C, ~0u, Value});
  };
  if (isOwn(W)) {
    for (unsigned N = 0; N < isa::scalar::TTMP0; ++N)
      if (W.State.Scalar[N] != To.Scalar[N])
        Add({Cell::Scalar, 0, N}, To.Scalar[N]);
    for (unsigned N :
         {isa::scalar::M0, isa::scalar::ExecLo, isa::scalar::ExecHi})
      if (W.State.Scalar[N] != To.Scalar[N])
        Add({Cell::Scalar, 0, N}, To.Scalar[N]);
    if ((W.State.Status ^ To.Status) & isa::status::SCC)
      Add({Cell::SCC, 0, 0}, To.Status & isa::status::SCC);
    const unsigned Lanes = W.State.LaneCount;
    const size_t Size = std::min(W.State.VGPR.size(), To.VGPR.size());
    for (size_t N = 0; N < Size; ++N) {
      if (W.State.VGPR[N] == To.VGPR[N])
        continue;
      const size_t Reg = N / Lanes;
      const bool IsAcc = Reg >= W.State.AccumOffset;
      Add({IsAcc ? Cell::Acc : Cell::Vector, uint8_t(N % Lanes),
           IsAcc ? Reg - W.State.AccumOffset : Reg},
          To.VGPR[N]);
    }
  }
  const std::vector<uint8_t> &Old = W.Group->LDS;
  for (size_t N = 0; N + 4 <= std::min(Old.size(), LDS.size()); N += 4)
    if (memcmp(&Old[N], &LDS[N], 4) != 0) {
      uint32_t Value;
      memcpy(&Value, &LDS[N], 4);
      Add({Cell::Local, 0, N / 4}, Value);
    }
  push(std::move(E));
}

void Origin::wrote(uint64_t Address, llvm::ArrayRef<uint8_t> Bytes,
                   uint64_t Position, bool ByHost, const Wave *Own) {
  Event E;
  E.ByHost = ByHost;
  E.Position = Position;
  E.Number = ~0u;
  E.Kind = Event::Changed;
  for (uint64_t A = Address & ~uint64_t(3); A < Address + Bytes.size();
       A += 4) {
    uint32_t Bits = 0, Value = 0;
    for (unsigned B = 0; B < 4; ++B)
      if (A + B >= Address && A + B < Address + Bytes.size()) {
        Bits |= 0xffu << (8 * B);
        Value |= uint32_t(Bytes[A + B - Address]) << (8 * B);
      }
    E.Changes.push_back({{Cell::Global, 0, A / 4}, Bits, Value});
    // The wave's private memory has rows of dwords, one for each lane.
    if (Own) {
      const uint64_t Lanes = Own->State.LaneCount,
                     At = A - Own->State.flatScratch();
      if (At / Lanes < Own->State.ScratchLaneSize)
        E.Changes.push_back(
            {{Cell::Private, uint8_t(At / 4 % Lanes), At / 4 / Lanes},
             Bits,
             Value});
    }
  }
  push(std::move(E));
}
