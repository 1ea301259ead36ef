//===-- BackSearch.cpp - where a step back ends ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BackSearch.h"

using namespace wavelane;
using namespace wavelane::simulator;
using protocol::BackKind;

/// In bytes, of each instruction that calls.
static constexpr uint64_t CallSize = 4;

void BackSearch::addCode(llvm::ArrayRef<Code> More) {
  // Splits the run that an address is inside.
  auto Split = [this](uint64_t At) {
    auto It = Runs.upper_bound(At);
    if (It == Runs.begin())
      return;
    Code &Head = std::prev(It)->second;
    const uint64_t End = Head.Begin + Head.Size;
    if (At == Head.Begin || At >= End)
      return;
    Code Tail = Head;
    Tail.Begin = At;
    Tail.Size = End - At;
    Tail.Begins = 0;
    Head.Size = At - Head.Begin;
    Runs[At] = Tail;
  };
  for (const Code &Run : More) {
    const uint64_t End = Run.Begin + Run.Size;
    if (End <= Run.Begin)
      continue;
    Split(Run.Begin);
    Split(End);
    Runs.erase(Runs.lower_bound(Run.Begin), Runs.lower_bound(End));
    Runs[Run.Begin] = Run;
  }
}

void BackSearch::addSteps(std::vector<ExecutedStep> Earlier) {
  Earlier.insert(Earlier.end(), Steps.begin(), Steps.end());
  Steps = std::move(Earlier);
}

const protocol::CodeRun *BackSearch::findKnown(uint64_t Address) const {
  auto It = Runs.upper_bound(Address);
  if (It == Runs.begin())
    return nullptr;
  const Code &Last = std::prev(It)->second;
  return Address - Last.Begin < Last.Size ? &Last : nullptr;
}

const protocol::CodeRun *BackSearch::find(uint64_t Address) {
  const Code *Known = findKnown(Address);
  if (!Known)
    Unknown = Address;
  return Known;
}

std::optional<int> BackSearch::findChange(uint64_t PC, FindFlow Find) const {
  auto FlowAt = [&](uint64_t Address) -> std::optional<Flow> {
    if (const Code *Known = findKnown(Address))
      return Flow{Known->Calls, Known->JumpsFar};
    return Find(Address);
  };
  const std::optional<Flow> Here = FlowAt(PC);
  if (!Here)
    return std::nullopt;
  if (Here->Calls)
    return Later == PC + CallSize ? 0 : -1;
  if (!Here->JumpsFar)
    return 0;
  // A jump into another function is a call at its end; one within a function
  // goes too far for a branch. Neither goes after a call.
  const std::optional<Flow> Before = FlowAt(Later - CallSize);
  if (!Before)
    return std::nullopt;
  return Before->Calls ? 1 : 0;
}

bool BackSearch::passBy(const ExecutedStep &Step, FindFlow Find) {
  const std::optional<int> Change = findChange(Step.PC, Find);
  if (!Change)
    return false;
  const bool OnlyDepth = Kind == BackKind::InstructionOver;
  const bool IsCalled =
      Depth + *Change > Visited.Depth && (Kind != BackKind::Into || IsInside);
  if (!OnlyDepth && !IsCalled)
    return false;
  Depth += *Change;
  Later = Step.PC;
  if (OnlyDepth) {
    if (Depth <= 0)
      Target = Place{Step.Position, std::nullopt};
    return true;
  }
  Oldest = Step.Position;
  if (Step.Exec >> Lane & 1)
    OldestOfLane = Step.Position;
  return true;
}

BackSearch::State BackSearch::run(FindFlow Find) {
  if (!Start && Kind != BackKind::InstructionOver) {
    const Code *Here = find(PC);
    if (!Here)
      return State::NeedsCode;
    begin(*Here);
  }
  while (!Steps.empty()) {
    const ExecutedStep Last = Steps.back();
    if (Waiting.empty() && passBy(Last, Find)) {
      Steps.pop_back();
      if (Target)
        return State::Done;
      continue;
    }
    const Code *Here = find(Last.PC);
    if (!Here)
      return State::NeedsCode;
    if (Here->SavesExec) {
      Waiting.push_back(Last);
      Steps.pop_back();
      continue;
    }
    Waiting.push_back(Last);
    const State Visited = visitWaiting(Last.Exec, Find);
    if (Visited == State::Done)
      return Visited;
    if (Visited == State::NeedsCode) {
      Waiting.pop_back(); // comes again
      return Visited;
    }
    Steps.pop_back();
  }
  return HasEnded ? finish(Find) : State::NeedsSteps;
}

BackSearch::State BackSearch::visitWaiting(uint64_t Lanes, FindFlow Find) {
  for (size_t I = 0; I < Waiting.size(); ++I) {
    const Code *Here = find(Waiting[I].PC);
    const std::optional<int> Change =
        Here ? findChange(Waiting[I].PC, Find) : std::nullopt;
    if (!Change) {
      if (Here)
        Unknown = Later - CallSize;
      Waiting.erase(Waiting.begin(), Waiting.begin() + ptrdiff_t(I));
      return State::NeedsCode;
    }
    Depth += *Change;
    Later = Waiting[I].PC;
    if (visit(Waiting[I], *Here, Lanes))
      return State::Done;
  }
  Waiting.clear();
  return State::NeedsSteps;
}

BackSearch::State BackSearch::finish(FindFlow Find) {
  // The recording begins in the middle of code that has changed EXEC.
  const uint64_t Lanes = Waiting.empty() ? 0 : Waiting.back().Exec;
  const State Visited = visitWaiting(Lanes, Find);
  if (Visited != State::NeedsSteps)
    return Visited;
  if (visitCalls(nullptr))
    return State::Done;
  const std::optional<uint64_t> Last =
      Kind == BackKind::Out && OldestOfLane ? OldestOfLane : Oldest;
  Target = First;
  if (!Target && Last)
    Target = Place{Last, std::nullopt};
  return State::Done;
}

void BackSearch::begin(const Code &Here) {
  Start = Here;
  StartLevel = std::min(Shown.value_or(Here.depth()), Here.depth());
  if (Kind != BackKind::Out)
    Visited = {{std::nullopt, StartLevel}, 0, Here.Levels[StartLevel].Line};
  // The functions that aren't shown have begun already.
  const uint32_t Hidden = Here.depth() - StartLevel;
  if (Here.Begin == PC && Here.Begins > Hidden)
    Begun =
        Beginning{std::nullopt, 0,
                  std::vector(Here.Levels.begin(), Here.Levels.end() - Hidden),
                  Here.Begins - Hidden};
}

bool BackSearch::visit(const ExecutedStep &Step, const Code &Here,
                       uint64_t Lanes) {
  // If the lane has done nothing before, the wave goes to its beginning.
  Oldest = Step.Position;
  if (!(Lanes >> Lane & 1))
    return false;
  if (visitCalls(&Here))
    return true;
  OldestOfLane = Step.Position;
  if (Here.Begin == Step.PC && Here.Begins)
    Begun = Beginning{Step.Position, Depth, Here.Levels, Here.Begins};
  return visitView(
      {{Step.Position, Here.depth()}, Depth, Here.Levels.back().Line});
}

bool BackSearch::visitCalls(const Code *Before) {
  if (!Begun)
    return false;
  const Beginning Here = std::move(*Begun);
  Begun.reset();
  uint32_t Level = uint32_t(Here.Levels.size() - 1);
  for (uint32_t I = 0; I < Here.Begins; ++I, --Level) {
    // A loop has come back to the function's first instruction.
    if (Before && Depth == Here.Depth && Level <= Before->depth() &&
        Before->Levels[Level].Function == Here.Levels[Level].Function)
      return false;
    if (visitView({{Here.Position, Level - 1},
                   Here.Depth,
                   Here.Levels[Level - 1].Line}))
      return true;
  }
  return false;
}

bool BackSearch::visitView(const View &Seen) {
  if (Kind != BackKind::Out)
    return visitLine(Seen);
  if (Seen.Depth < 0 || (Seen.Depth == 0 && Seen.At.Level < StartLevel))
    Target = Seen.At;
  return Target.has_value();
}

bool BackSearch::visitLine(const View &Seen) {
  const bool IsDeeper =
      Seen.Depth > Visited.Depth ||
      (Seen.Depth == Visited.Depth && Seen.At.Level > Visited.At.Level);
  if (IsDeeper && (Kind == BackKind::Over || IsInside))
    return false; // a function that the line has called
  if (!Seen.Line)
    return false; // code without a line belongs to what follows
  if (IsDeeper) {
    // The end of a function that the line has called.
    IsInside = true;
  } else if (Seen.Depth == Visited.Depth && Seen.Line == Visited.Line) {
    First = Seen.At;
    return false;
  } else if (First) {
    Target = First;
    return true;
  }
  // At the beginning of its line: the line before is visited now.
  Visited = Seen;
  First = Seen.At;
  return false;
}
