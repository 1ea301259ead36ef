//===-- HistoryOrigin.cpp - where values come from, what was crossed ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "History.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;

// How long one request may take: the debugger wants to interrupt, and to show
// how far the search is.
static constexpr std::chrono::milliseconds Slice(200);

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

void History::copied(uint64_t To, uint64_t From, uint64_t Size) {
  if (!isRecording() || !Size)
    return;
  HostActions::Action A;
  A.Position = Now;
  A.Is = From ? HostActions::Action::Copy : HostActions::Action::Fill;
  A.To = To;
  A.From = From;
  A.Size = Size;
  Actions.add(std::move(A));
}

llvm::Expected<protocol::CrossedAnswer>
History::answer(const protocol::CrossedRequest &Request) {
  if (Request.To < Request.From || Request.To == UINT64_MAX)
    return llvm::createStringError("the positions are out of order");
  auto R = begun<protocol::CrossedAnswer>();
  // One at the end is crossed by what follows it.
  const size_t Begin = Actions.find(Request.From + 1);
  const size_t End = Actions.find(Request.To + 1);
  for (size_t I = Begin; I < End && R.Actions.size() < Request.Most; ++I)
    R.Actions.push_back(Actions[I].describe());
  R.Count = End - Begin;
  return R;
}

llvm::Expected<protocol::CoversAnswer>
History::answer(const protocol::CoversRequest &Request) {
  if (!Request.Size || Request.Size > INT64_MAX)
    return llvm::createStringError("invalid size");
  auto R = begun<protocol::CoversAnswer>();
  const uint8_t *Host =
      Memory.get(Request.Address, Request.Size, isa::Access::Read);
  R.Covers = Host && Pages.covers(Host, Request.Size);
  return R;
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

/// The wave that executes what comes at a position.
uint32_t History::findNext(uint64_t Position) const {
  auto It = llvm::partition_point(
      Log, [&](const Entry &E) { return E.Position + E.Count <= Position; });
  while (It != Log.end() && It->Kind != Entry::Ran)
    ++It;
  return It == Log.end() ? 0 : It->Number;
}

/// What memory had at the beginning of an epoch.
std::optional<uint32_t> History::readAt(uint64_t Address,
                                        uint32_t Epoch) const {
  uint32_t Value;
  const uint8_t *Host = Memory.get(Address, 4, isa::Access::Read);
  if (!Host || !Pages.covers(Host, 4))
    return std::nullopt;
  Pages.read(Host, 4, Epoch, reinterpret_cast<uint8_t *>(&Value));
  return Value;
}

llvm::Error History::beginOrigin(const protocol::OriginRequest &Request) {
  auto Number = findNumber(Request.Number, Request.Wave);
  if (!Number)
    return Number.takeError();
  Queue *Q = nullptr;
  const Wave *W = findWave(*Number, Q);
  if (!W)
    return llvm::createStringError("the wave has ended");
  Origin::Subject Of;
  Of.Number = *Number;
  Of.Queue = Q->Id;
  Of.PacketId = Q->Current->PacketId;
  memcpy(Of.Group, W->Group->Id, sizeof(Of.Group));
  Of.Kernel = Q->Current->Kernel;
  Of.Kernarg = Q->Current->Packet.Kernarg;
  Of.KernargSize = Of.Kernel.KernargSize;
  Of.Packet = Q->Current->PacketAddress;
  const uint64_t Here = Away ? At.Position : Now;
  auto Created = Origin::create(Request, Of, Here);
  if (!Created)
    return Created.takeError();
  Looking = std::move(*Created);
  Window = findSnapshot(Here);
  WindowEnd = Here;
  LookedNow = Now;
  return llvm::Error::success();
}

/// Whether anything that the search needs may have been written in a window.
bool History::isOfInterest(size_t Which) const {
  const Snapshot &S = Snapshots[Which];
  const uint64_t End = Which + 1 < Snapshots.size()
                           ? Snapshots[Which + 1].LogIndex
                           : FirstEntry + Log.size();
  for (uint64_t I = S.LogIndex; I < End; ++I) {
    const Entry &E = Log[I - FirstEntry];
    if (E.Kind == Entry::Wrote ||
        (Looking->needsWave() &&
         (E.Kind == Entry::Ran || E.Kind == Entry::Changed) &&
         (Looking->isOf(E.Number) || Looking->needsGroup())))
      return true;
  }
  bool Written = false;
  Looking->forEachPage([&](uint64_t Address) {
    const uint8_t *Host = Memory.get(Address, 4, isa::Access::Read);
    Written |=
        !Host || !Pages.covers(Host, 4) || Pages.wasWritten(Host, S.Epoch);
  });
  return Written;
}

/// Looks at the last window that hasn't been looked at, or a part of it.
llvm::Error History::lookAtWindow(Search &S) {
  const Snapshot &Snap = Snapshots[Window];
  const Origin::Subject &Of = Looking->subject();
  bool WaveBegins = true, GroupBegins = true;
  for (const SavedQueue &Q : Snap.Queues) {
    if (Q.Id != Of.Queue || Q.Current->PacketId != Of.PacketId)
      continue;
    for (const Workgroup &G : Q.Current->Resident) {
      GroupBegins &= memcmp(G.Id, Of.Group, sizeof(Of.Group)) != 0;
      for (const auto &W : G.Waves)
        WaveBegins &= W->Number != Of.Number;
    }
  }
  Looking->beginWindow(WaveBegins, GroupBegins);
  if (WindowEnd > Snap.Position && isOfInterest(Window)) {
    enter(Window);
    S.Look = Looking.get();
    if (llvm::Error Error = repeatTo(WindowEnd, S))
      return Error;
  }
  auto Read = [&](uint32_t Epoch) {
    return [this, Epoch](uint64_t Address) { return readAt(Address, Epoch); };
  };
  const Snapshot *Next =
      Window + 1 < Snapshots.size() ? &Snapshots[Window + 1] : nullptr;
  WindowEnd =
      Looking->walk(Snap.Position, Next ? Next->Position : Now, Actions,
                    [&](uint64_t Address) {
                      return Next ? readAt(Address, Next->Epoch) : std::nullopt;
                    });
  if (WindowEnd > Snap.Position || Looking->isDone())
    return llvm::Error::success();
  if (Next)
    Looking->endWindow(Next->Position, Read(Snap.Epoch), Read(Next->Epoch));
  if (Window)
    --Window;
  else
    Looking->reachBeginning(Snap.Position, Read(Snap.Epoch));
  return llvm::Error::success();
}

llvm::Expected<protocol::OriginAnswer>
History::answer(const protocol::OriginRequest &Request) {
  std::vector<Trap> Traps;
  Search S;
  if (llvm::Error Error = readTraps(Request.Breakpoints, Traps, S))
    return Error;
  if (!Request.Cells.empty())
    if (llvm::Error Error = beginOrigin(Request))
      return Error;
  if (!Looking || LookedNow != Now)
    return llvm::createStringError("no search has begun");
  if (llvm::Error Error = leavePresent())
    return Error;
  hide();
  const auto End = std::chrono::steady_clock::now() + Slice;
  llvm::Error Error = withoutTraps(Traps, [&]() -> llvm::Error {
    do {
      if (llvm::Error Error = lookAtWindow(S))
        return Error;
    } while (!Looking->isDone() && std::chrono::steady_clock::now() < End);
    return llvm::Error::success();
  });
  if (Error) {
    Looking.reset();
    return Error;
  }
  auto R = begun<protocol::OriginAnswer>();
  R.Done = Looking->isDone();
  R.At = WindowEnd;
  if (!R.Done)
    return R;
  Looking->takeAnswer(R);
  for (protocol::OriginWave &Each : R.Waves)
    Each.Wave = idOf(Each.Number);
  for (protocol::OriginNode &Each : R.Nodes)
    if (Each.Kind == protocol::OriginKind::Host) {
      // No wave has done it: this is the first that sees it.
      Each.Number = findNext(Each.Position);
      if (Each.Detail)
        Each.Action = Actions[size_t(*Each.Detail)].describe();
    }
  Looking.reset();
  return R;
}
