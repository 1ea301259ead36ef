//===-- HistoryRequests.cpp - what debuggers ask of a recording -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "History.h"
#include "SaveContext.h"
#include "Scheduler.h"
#include "wavelane/Formats/JSON/Parse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using llvm::json::Array;
using Object = llvm::json::Object;

static llvm::Error fail(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Why);
}

static llvm::Expected<uint64_t> readPosition(const Object &Request,
                                             llvm::StringRef Name) {
  const std::optional<int64_t> Value = Request.getInteger(Name);
  if (Value && *Value >= 0)
    return uint64_t(*Value);
  return fail("'" + Name + "' must be a position");
}

uint64_t History::idOf(uint32_t Number) const {
  auto It = Ids.find(Number);
  return It == Ids.end() ? 0 : It->second;
}

llvm::Expected<uint32_t> History::readNumber(const Object &Request) const {
  if (auto Number = Request.getInteger("number"))
    return uint32_t(*Number);
  auto Id = Request.getInteger("wave");
  if (!Id || !*Id)
    return fail("a wave is missing");
  for (const auto &Entry : Ids)
    if (Entry.second == uint64_t(*Id))
      return Entry.first;
  // Not seen since it was shown last.
  for (auto &Entry : Work) {
    const Queue &Q = *Entry.second;
    if (!Q.Current || !Q.SaveArea || Q.Layout == 0)
      continue;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        uint64_t Known = 0;
        if (W->Ended || W->Layout != Q.Layout)
          continue;
        if (const uint8_t *From =
                Memory.get(Q.SaveArea + W->Record.Ttmps + 4 * 4, sizeof(Known),
                           isa::Access::Read))
          memcpy(&Known, From, sizeof(Known));
        if (Known == uint64_t(*Id))
          return W->Number;
      }
  }
  return fail("the recording doesn't know wave " + llvm::Twine(*Id));
}

llvm::Error History::readTraps(const Object &Request, std::vector<Trap> &Traps,
                               Search &S) const {
  const Array *List = Request.getArray("breakpoints");
  if (!List)
    return llvm::Error::success();
  for (const llvm::json::Value &Each : *List) {
    const Object *One = Each.getAsObject();
    auto Address = One ? One->getInteger("address") : std::nullopt;
    auto Bytes = One ? One->getString("bytes") : std::nullopt;
    std::string Raw;
    if (!Address || !Bytes || !llvm::tryGetFromHex(*Bytes, Raw) || Raw.empty())
      return fail("malformed breakpoint");
    Traps.push_back({uint64_t(*Address), {Raw.begin(), Raw.end()}});
    if (One->getBoolean("stops").value_or(true))
      S.Breakpoints.push_back(uint64_t(*Address));
  }
  llvm::sort(S.Breakpoints);
  return llvm::Error::success();
}

llvm::Error History::withoutTraps(const std::vector<Trap> &Traps,
                                  llvm::function_ref<llvm::Error()> Work) {
  std::vector<std::pair<uint8_t *, std::vector<uint8_t>>> Kept;
  for (const Trap &T : Traps)
    if (uint8_t *At =
            Memory.get(T.Address, T.Original.size(), isa::Access::Execute)) {
      Kept.emplace_back(At, std::vector<uint8_t>(At, At + T.Original.size()));
      memcpy(At, T.Original.data(), T.Original.size());
    }
  llvm::Error Error = Work();
  for (auto It = Kept.rbegin(); It != Kept.rend(); ++It)
    memcpy(It->first, It->second.data(), It->second.size());
  return Error;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Object History::where() const {
  Object R{{"recording", Recording}, {"idle", IsIdle && !Away}};
  if (!Recording)
    return R;
  R["begin"] = int64_t(begin());
  R["now"] = int64_t(Now);
  R["position"] = int64_t(Away ? At.Position : Now);
  R["past"] = Away;
  R["dropped"] = Dropped;
  R["unread"] = Unread;
  R["bytes"] = int64_t(bytes());
  R["snapshots"] = int64_t(Snapshots.size());
  R["repeated"] = int64_t(Repeated);
  return R;
}

/// {"position"}, and optionally {"number"}, whose place in its queue's save
/// area is then told.
llvm::Expected<Object> History::go(const Object &Request) {
  auto Target = readPosition(Request, "position");
  if (!Target)
    return Target.takeError();
  if (*Target < begin() || *Target > Now)
    return fail("the recording has positions " + llvm::Twine(begin()) + " to " +
                llvm::Twine(Now));
  std::vector<Trap> Traps;
  Search S;
  if (llvm::Error Error = readTraps(Request, Traps, S))
    return Error;
  if (*Target == Now) {
    returnToPresent();
  } else {
    if (llvm::Error Error = leavePresent())
      return Error;
    hide();
    if (llvm::Error Error = withoutTraps(Traps, [&]() -> llvm::Error {
          if (llvm::Error Error = goTo(*Target, S))
            return Error;
          return checkEntry(S);
        }))
      return Error;
    if (llvm::Error Error = show())
      return Error;
  }
  Object R = where();
  auto Number = Request.getInteger("number");
  for (auto &Entry : Work) {
    const Queue &Q = *Entry.second;
    int64_t Index = 0;
    if (!Number || !Q.Current)
      continue;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        if (W->Ended)
          continue;
        if (W->Number == uint32_t(*Number)) {
          R["queue"] = int64_t(Q.Id);
          R["index"] = Index;
        }
        ++Index;
      }
  }
  return R;
}

/// {"before"} or {"after"}: looks for stops in the part of the recording before
/// or after a position, up to a snapshot or a point: {"hits", "from", "to"}.
/// The waves are somewhere in that part then.
llvm::Expected<Object> History::scan(const Object &Request) {
  const bool IsBack = Request.get("before");
  auto Edge = readPosition(Request, IsBack ? "before" : "after");
  if (!Edge)
    return Edge.takeError();
  std::vector<Trap> Traps;
  Search S;
  if (llvm::Error Error = readTraps(Request, Traps, S))
    return Error;
  const uint64_t Limit = std::min(*Edge, Now);
  uint64_t From = begin(), To = Now;
  if (IsBack) {
    To = Limit;
    From = To > begin() ? Snapshots[findSnapshot(To - 1)].Position : To;
    if (const std::optional<size_t> Known =
            To ? findPoint(To - 1) : std::nullopt)
      From = std::max(From, Points[*Known].Where.Position);
  } else {
    From = std::max(Limit, begin());
    const size_t Next = findSnapshot(From) + 1;
    if (Next < Snapshots.size())
      To = Snapshots[Next].Position;
  }
  Array Hits;
  if (From < To) {
    if (llvm::Error Error = leavePresent())
      return Error;
    hide();
    llvm::Error Error = withoutTraps(Traps, [&]() -> llvm::Error {
      if (llvm::Error Error = goTo(From, S))
        return Error;
      S.Stops = true;
      if (auto Number = Request.getInteger("trace"))
        S.Traced = uint32_t(*Number);
      return repeatTo(To, S);
    });
    if (Error)
      return Error;
    for (const Hit &H : S.Hits)
      Hits.push_back(Object{{"position", int64_t(H.Position)},
                            {"number", int64_t(H.Number)},
                            {"wave", int64_t(idOf(H.Number))},
                            {"pc", int64_t(H.PC)},
                            {"why", H.Why},
                            {"lanes", llvm::utohexstr(H.Lanes)},
                            {"code", int64_t(H.Code)}});
  }
  Object R = where();
  R["hits"] = std::move(Hits);
  R["from"] = int64_t(From);
  R["to"] = int64_t(To);
  if (Request.get("trace"))
    addTrace(R, S,
             size_t(std::max<int64_t>(
                 1, Request.getInteger("most").value_or(1 << 16))));
  return R;
}

/// The instructions of one wave: "pcs", and in runs of equal or consecutive
/// ones, "positions" and "exec".
void History::addTrace(Object &R, const Search &S, size_t Most) {
  Array PCs, Positions, Exec;
  const size_t Begin = S.Trace.size() - std::min(Most, S.Trace.size());
  for (size_t I = Begin, Next; I < S.Trace.size(); I = Next) {
    for (Next = I + 1;
         Next < S.Trace.size() && S.Trace[Next].Exec == S.Trace[I].Exec;)
      ++Next;
    Exec.push_back(Array{int64_t(Next - I), llvm::utohexstr(S.Trace[I].Exec)});
  }
  for (size_t I = Begin, Next; I < S.Trace.size(); I = Next) {
    for (Next = I + 1;
         Next < S.Trace.size() &&
         S.Trace[Next].Position == S.Trace[I].Position + (Next - I);)
      ++Next;
    Positions.push_back(Array{int64_t(Next - I), int64_t(S.Trace[I].Position)});
  }
  for (size_t I = Begin; I < S.Trace.size(); ++I)
    PCs.push_back(int64_t(S.Trace[I].PC));
  R["pcs"] = std::move(PCs);
  R["positions"] = std::move(Positions);
  R["exec"] = std::move(Exec);
  R["complete"] = Begin == 0;
}

/// {"wave"} or {"number"}: the position of the last instruction of that wave
/// before the current position, or of its next one with "forward".
llvm::Expected<Object> History::step(const Object &Request) {
  auto Number = readNumber(Request);
  if (!Number)
    return Number.takeError();
  const uint64_t Here = Away ? At.Position : Now;
  const bool IsForward = Request.getBoolean("forward").value_or(false);
  Object R = where();
  R["number"] = int64_t(*Number);
  auto IsOf = [&](const Entry &E) {
    return (E.Kind == Entry::Ran || E.Kind == Entry::Changed) &&
           E.Number == *Number;
  };
  auto After = std::upper_bound(
      Log.begin(), Log.end(), Here,
      [](uint64_t At, const Entry &E) { return At < E.Position; });
  if (IsForward) {
    // The entry that Here is in may be before.
    for (auto It = After == Log.begin() ? After : std::prev(After);
         It != Log.end(); ++It)
      if (IsOf(*It) && It->Position + It->Count > Here) {
        R["step"] = int64_t(std::max(It->Position, Here));
        break;
      }
    return R;
  }
  while (After != Log.begin()) {
    --After;
    if (IsOf(*After) && After->Position < Here) {
      R["step"] = int64_t(std::min(After->Position + After->Count, Here) - 1);
      return R;
    }
  }
  // It has begun here, unless it was there before.
  const auto &Old = Snapshots.front().Queues;
  R["begins"] =
      Here > begin() && llvm::none_of(Old, [&](const SavedQueue &Q) {
        return llvm::any_of(Q.Current->Resident, [&](const Workgroup &G) {
          return llvm::any_of(G.Waves, [&](const std::unique_ptr<Wave> &W) {
            return W->Number == *Number;
          });
        });
      });
  return R;
}

/// The position becomes the present. In the past, waves have what the program
/// has freed since; in a new future they don't.
llvm::Expected<Object> History::fork() {
  const std::string Refusal = "no new future can begin here: the program has ";
  for (const auto &Entry : Work) {
    const Queue &Q = *Entry.second;
    if (!Away || !Q.Current)
      continue;
    const Dispatch &D = *Q.Current;
    if (D.Kernel.Scratch && D.Packet.PrivateSize &&
        !Memory.get(D.ScratchBase, D.ScratchSize, isa::Access::Write))
      return fail(Refusal + "freed the private memory of this kernel's waves");
    for (const Workgroup &G : D.Resident)
      for (const auto &W : G.Waves)
        if (!W->Ended && !Memory.get(W->State.PC, 4, isa::Access::Execute))
          return fail(Refusal + "unloaded this kernel's code");
  }
  if (llvm::Error Error = startNewFuture())
    return std::move(Error);
  return where();
}

/// {"address", "bytes"}: a debugger is about to write them.
llvm::Expected<Object> History::wrote(const Object &Request) {
  auto Address = Request.getInteger("address");
  auto Bytes = Request.getString("bytes");
  std::string Raw;
  if (!Address || !Bytes || !llvm::tryGetFromHex(*Bytes, Raw))
    return fail("malformed note of a write");
  if (!isRecording() || Raw.empty())
    return where();
  const uint64_t To = uint64_t(*Address);
  // Breakpoints and registers aren't the program's.
  for (auto &Entry : Work)
    if (To - Entry.second->SaveArea < Entry.second->saveAreaBytes())
      return where();
  uint8_t *Host = Memory.get(To, Raw.size(), isa::Access::Read);
  if (!Host || Memory.get(To, Raw.size(), isa::Access::Execute))
    return where();
  noteWrite(
      To, Host,
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Raw.data()), Raw.size()),
      /*ByHost=*/false);
  return where();
}

llvm::Expected<Object> History::answer(llvm::StringRef Text) {
  llvm::Expected<llvm::json::Value> Parsed = wavelane::parseJSON(Text);
  if (!Parsed)
    return Parsed.takeError();
  const Object *Request = Parsed->getAsObject();
  const llvm::StringRef What =
      Request ? Request->getString("do").value_or("") : "";
  if (What == "where")
    return where();
  if (What == "record") {
    if (auto Bytes = Request->getInteger("limit")) {
      Limit = uint64_t(std::max<int64_t>(*Bytes, 1 << 20));
      while (!Away && bytes() > Limit && Snapshots.size() > 1)
        dropOldest();
    }
    if (Request->getBoolean("on").value_or(true))
      start();
    else
      stop();
    return where();
  }
  if (!Recording)
    return fail(
        HasTooMany ? "nothing is recorded: the registers of so many waves take "
                     "more than half of the recording's memory ('settings set "
                     "plugin.process.amdgpu.record-limit' raises it)"
                   : "nothing has been recorded: 'settings set "
                     "plugin.process.amdgpu.record on' does, from the next "
                     "resume on");
  if (What == "go")
    return go(*Request);
  if (What == "scan")
    return scan(*Request);
  if (What == "step")
    return step(*Request);
  if (What == "wrote")
    return wrote(*Request);
  if (What == "crossed")
    return crossed(*Request);
  if (What == "covers")
    return covers(*Request);
  if (What == "origin")
    return origin(*Request);
  if (What == "fork")
    return fork();
  return fail("unknown request '" + What + "'");
}
