//===-- HistoryRequests.cpp - what debuggers ask of a recording -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "History.h"
#include "SaveContext.h"
#include "Scheduler.h"
#include "wavelane/MemoryLimit/MemoryWatch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using Object = llvm::json::Object;

uint64_t History::idOf(uint32_t Number) const {
  auto It = Ids.find(Number);
  return It == Ids.end() ? 0 : It->second;
}

llvm::Expected<uint32_t> History::findNumber(std::optional<uint32_t> Number,
                                             std::optional<uint64_t> Id) const {
  if (Number)
    return *Number;
  if (!Id || !*Id)
    return llvm::createStringError("a wave is missing");
  for (const auto &Entry : Ids)
    if (Entry.second == *Id)
      return Entry.first;
  // Not seen since it was shown last.
  for (auto &Entry : TheQueues) {
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
        if (Known == *Id)
          return W->Number;
      }
  }
  return llvm::createStringError("the recording doesn't know wave " +
                                 llvm::Twine(*Id));
}

llvm::Error History::readTraps(const std::vector<protocol::HistoryTrap> &From,
                               std::vector<Trap> &Traps, Search &S) {
  for (const protocol::HistoryTrap &One : From) {
    const std::string &Raw = One.Original.Data;
    if (Raw.empty())
      return llvm::createStringError("malformed breakpoint");
    Traps.push_back({One.Address, {Raw.begin(), Raw.end()}});
    if (One.Stops)
      S.Breakpoints.push_back(One.Address);
  }
  llvm::sort(S.Breakpoints);
  return llvm::Error::success();
}

llvm::Error History::withoutTraps(const std::vector<Trap> &Traps,
                                  llvm::function_ref<llvm::Error()> Body) {
  std::vector<std::pair<uint8_t *, std::vector<uint8_t>>> Replaced;
  for (const Trap &T : Traps)
    if (uint8_t *At =
            Memory.get(T.Address, T.Original.size(), isa::Access::Execute)) {
      Replaced.emplace_back(At,
                            std::vector<uint8_t>(At, At + T.Original.size()));
      memcpy(At, T.Original.data(), T.Original.size());
    }
  llvm::Error Error = Body();
  for (auto It = Replaced.rbegin(); It != Replaced.rend(); ++It)
    memcpy(It->first, It->second.data(), It->second.size());
  return Error;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

protocol::HistoryState History::where() const {
  protocol::HistoryState R;
  R.Recording = Recording;
  R.Idle = IsIdle && !Away;
  if (!Recording)
    return R;
  R.Begin = begin();
  R.Now = Now;
  R.Position = Away ? At.Position : Now;
  R.InPast = Away;
  R.Dropped = Dropped;
  R.Unread = Unread;
  R.Bytes = bytes();
  R.Snapshots = Snapshots.size();
  R.Repeated = Repeated;
  return R;
}

llvm::Expected<protocol::HistoryState>
History::answer(const protocol::WhereRequest &) {
  return where();
}

llvm::Expected<protocol::HistoryState>
History::answer(const protocol::RecordRequest &Request) {
  if (Request.Limit) {
    Limit = std::max<uint64_t>(*Request.Limit, 1 << 20);
    memorylimit::allowMemory(Limit);
    while (!Away && bytes() > Limit && Snapshots.size() > 1)
      dropOldest();
  }
  if (Request.On)
    start();
  else
    stop();
  return where();
}

llvm::Expected<protocol::GoAnswer>
History::answer(const protocol::GoRequest &Request) {
  const uint64_t Target = Request.Position;
  if (Target < begin() || Target > Now)
    return llvm::createStringError("the recording has positions " +
                                   llvm::Twine(begin()) + " to " +
                                   llvm::Twine(Now));
  std::vector<Trap> Traps;
  Search S;
  if (llvm::Error Error = readTraps(Request.Breakpoints, Traps, S))
    return Error;
  if (Target == Now) {
    returnToPresent();
  } else {
    if (llvm::Error Error = leavePresent())
      return Error;
    hide();
    if (llvm::Error Error = withoutTraps(Traps, [&]() -> llvm::Error {
          if (llvm::Error Error = goTo(Target, S))
            return Error;
          return checkEntry(S);
        }))
      return Error;
    if (llvm::Error Error = show())
      return Error;
  }
  auto R = begun<protocol::GoAnswer>();
  for (auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    uint64_t Index = 0;
    if (!Request.Number || !Q.Current)
      continue;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        if (W->Ended)
          continue;
        if (W->Number == *Request.Number) {
          R.Queue = Q.Id;
          R.Index = Index;
        }
        ++Index;
      }
  }
  return R;
}

uint64_t History::findWindow(uint64_t To) const {
  if (To <= begin())
    return To;
  const uint64_t From = Snapshots[findSnapshot(To - 1)].Position;
  const std::optional<size_t> Known = findPoint(To - 1);
  return Known ? std::max(From, Points[*Known].Where.Position) : From;
}

llvm::Error History::repeatWindow(uint64_t From, uint64_t To,
                                  const std::vector<Trap> &Traps, Search &S) {
  if (From >= To)
    return llvm::Error::success();
  if (llvm::Error Error = leavePresent())
    return Error;
  hide();
  Search Way;
  return withoutTraps(Traps, [&]() -> llvm::Error {
    if (llvm::Error Error = goTo(From, Way))
      return Error;
    return repeatTo(To, S);
  });
}

llvm::Expected<protocol::ScanAnswer>
History::answer(const protocol::ScanRequest &Request) {
  const bool IsBack = Request.Before.has_value();
  const std::optional<uint64_t> Edge = IsBack ? Request.Before : Request.After;
  if (!Edge)
    return llvm::createStringError("a position is missing");
  std::vector<Trap> Traps;
  Search S;
  if (llvm::Error Error = readTraps(Request.Breakpoints, Traps, S))
    return Error;
  const uint64_t Limit = std::min(*Edge, Now);
  uint64_t From = begin(), To = Now;
  if (IsBack) {
    To = Limit;
    From = findWindow(To);
  } else {
    From = std::max(Limit, begin());
    const size_t Next = findSnapshot(From) + 1;
    if (Next < Snapshots.size())
      To = Snapshots[Next].Position;
  }
  S.Stops = true;
  if (llvm::Error Error = repeatWindow(From, To, Traps, S))
    return Error;
  auto R = begun<protocol::ScanAnswer>();
  for (const Hit &H : S.Hits)
    R.Hits.push_back(
        {H.Position, H.Number, idOf(H.Number), H.PC, H.Why, {H.Lanes}, H.Code});
  R.From = From;
  R.To = To;
  return R;
}

std::optional<BackSearch::Flow> History::findFlow(uint64_t PC) {
  // No longer instruction calls or jumps.
  constexpr uint64_t Longest = 4;
  const uint8_t *At = Memory.get(PC, Longest, isa::Access::Execute);
  if (!At || GoesBack.Processor.empty())
    return std::nullopt;
  if (!GoesBack.Code) {
    auto Code = gpu::MachineCode::create(
        GoesBack.Processor,
        gpu::waveFeatures(GoesBack.Processor, GoesBack.Lanes));
    if (!Code) {
      llvm::consumeError(Code.takeError());
      return std::nullopt;
    }
    GoesBack.Code = std::move(*Code);
  }
  llvm::MCInst Inst;
  uint64_t Size = 0;
  if (GoesBack.Code->decode(Inst, Size, llvm::ArrayRef(At, Longest), PC) ==
      llvm::MCDisassembler::Fail)
    return BackSearch::Flow();
  const gpu::ControlFlow Flow = GoesBack.Code->facts(Inst).Flow;
  return BackSearch::Flow{Flow == gpu::ControlFlow::Call ||
                              Flow == gpu::ControlFlow::IndirectCall,
                          Flow == gpu::ControlFlow::Jump};
}

llvm::Expected<protocol::BackAnswer>
History::answer(const protocol::BackRequest &Request) {
  constexpr uint32_t MostLanes = 64;
  if (Request.Lane >= MostLanes)
    return llvm::createStringError("no wave has a lane " +
                                   llvm::Twine(Request.Lane));
  if (!Request.Continues) {
    auto Number = findNumber(std::nullopt, Request.Wave);
    if (!Number)
      return Number.takeError();
    GoesBack = {};
    GoesBack.Number = *Number;
    GoesBack.Before = Away ? At.Position : Now;
    GoesBack.Where = std::make_unique<BackSearch>(Request);
    Queue *Q = nullptr;
    if (const Wave *W = findWave(*Number, Q)) {
      GoesBack.Processor = Q->Agent->Info.Name;
      GoesBack.Lanes = W->State.LaneCount;
    }
  } else if (!GoesBack.Where) {
    return llvm::createStringError("no step back has begun");
  }
  std::vector<Trap> Traps;
  Search S;
  if (llvm::Error Error = readTraps(Request.Breakpoints, Traps, S))
    return Error;
  GoesBack.Where->addCode(Request.Code);
  BackSearch::State State = BackSearch::State::NeedsSteps;
  auto Run = [&] {
    return withoutTraps(Traps, [&] {
      State = GoesBack.Where->run([&](uint64_t PC) { return findFlow(PC); });
      return llvm::Error::success();
    });
  };
  if (llvm::Error Error = Run())
    return Error;
  if (State == BackSearch::State::NeedsSteps) {
    const uint64_t From = findWindow(GoesBack.Before);
    S.Traced = GoesBack.Number;
    if (llvm::Error Error = repeatWindow(From, GoesBack.Before, Traps, S))
      return Error;
    GoesBack.Where->addSteps(std::move(S.Trace));
    GoesBack.Before = From;
    if (From <= begin())
      GoesBack.Where->end();
    if (llvm::Error Error = Run())
      return Error;
  }
  auto R = begun<protocol::BackAnswer>();
  if (State == BackSearch::State::NeedsCode)
    R.Unknown = GoesBack.Where->unknown();
  if (State == BackSearch::State::Done) {
    R.Done = true;
    if (const auto Target = GoesBack.Where->target()) {
      R.Target = Target->Position;
      R.Depth = Target->Level;
    }
    GoesBack.Where.reset();
  }
  return R;
}

llvm::Expected<protocol::StepAnswer>
History::answer(const protocol::StepRequest &Request) {
  auto Number = findNumber(Request.Number, Request.Wave);
  if (!Number)
    return Number.takeError();
  const uint64_t Here = Away ? At.Position : Now;
  auto R = begun<protocol::StepAnswer>();
  R.Number = *Number;
  auto IsOf = [&](const Entry &E) {
    return (E.Kind == Entry::Ran || E.Kind == Entry::Changed) &&
           E.Number == *Number;
  };
  auto After = std::upper_bound(
      Log.begin(), Log.end(), Here,
      [](uint64_t At, const Entry &E) { return At < E.Position; });
  if (Request.Forward) {
    // The entry that Here is in may be before.
    for (auto It = After == Log.begin() ? After : std::prev(After);
         It != Log.end(); ++It)
      if (IsOf(*It) && It->Position + It->Count > Here) {
        R.Step = std::max(It->Position, Here);
        break;
      }
    return R;
  }
  while (After != Log.begin()) {
    --After;
    if (IsOf(*After) && After->Position < Here) {
      R.Step = std::min(After->Position + After->Count, Here) - 1;
      return R;
    }
  }
  // It has begun here, unless it was there before.
  const auto &Old = Snapshots.front().Queues;
  R.Begins =
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
llvm::Expected<protocol::HistoryState>
History::answer(const protocol::ForkRequest &) {
  const std::string Refusal =
      "the past can't be changed here: the program has ";
  for (const auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    if (!Away || !Q.Current)
      continue;
    const Dispatch &D = *Q.Current;
    if (D.Kernel.Scratch && D.Packet.PrivateSize &&
        !Memory.get(D.ScratchBase, D.ScratchSize, isa::Access::Write))
      return llvm::createStringError(
          Refusal + "freed the private memory of this kernel's waves");
    for (const Workgroup &G : D.Resident)
      for (const auto &W : G.Waves)
        if (!W->Ended && !Memory.get(W->State.PC, 4, isa::Access::Execute))
          return llvm::createStringError(Refusal +
                                         "unloaded this kernel's code");
  }
  if (llvm::Error Error = startNewFuture())
    return std::move(Error);
  return where();
}

llvm::Expected<protocol::HistoryState>
History::answer(const protocol::WroteRequest &Request) {
  const std::string &Raw = Request.Data.Data;
  if (!isRecording() || Raw.empty())
    return where();
  const uint64_t To = Request.Address;
  // Breakpoints and registers aren't the program's.
  for (auto &Entry : TheQueues)
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
  llvm::Expected<protocol::HistoryRequest> Request =
      protocol::parse<protocol::HistoryRequest>(Text, "request");
  if (!Request)
    return Request.takeError();
  const bool NeedsRecording =
      !std::holds_alternative<protocol::WhereRequest>(*Request) &&
      !std::holds_alternative<protocol::RecordRequest>(*Request);
  if (NeedsRecording && !Recording)
    return llvm::createStringError(
        HasTooMany
            ? "nothing is recorded: the registers of this many waves take more "
              "than half of the recording's memory ('settings set "
              "plugin.process.amdgpu.record-limit' raises it)"
            : "nothing has been recorded; turn recording on with 'settings set "
              "plugin.process.amdgpu.record on', from the next resume on");
  return std::visit(
      [&](const auto &One) -> llvm::Expected<Object> {
        auto Answer = answer(One);
        if (!Answer)
          return Answer.takeError();
        return std::move(*toJSON(*Answer).getAsObject());
      },
      *Request);
}
