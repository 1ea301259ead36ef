//===-- BackSearchTest.cpp - where a step back ends -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Device/BackSearch.h"
#include "gtest/gtest.h"

using namespace wavelane;
using namespace wavelane::simulator;
using protocol::BackKind;
using protocol::CodeRun;
using State = BackSearch::State;

namespace {

constexpr uint64_t All = ~uint64_t(0);

protocol::BackRequest ask(BackKind Kind, uint64_t PC, uint32_t Lane = 0) {
  protocol::BackRequest Request;
  Request.Kind = Kind;
  Request.PC = PC;
  Request.Lane = Lane;
  return Request;
}

CodeRun line(uint64_t Begin, uint64_t Size, uint32_t Line) {
  CodeRun Run;
  Run.Begin = Begin;
  Run.Size = Size;
  Run.Levels[0].Line = Line;
  return Run;
}
/// Of an inlined function that line \p Call calls.
CodeRun inlined(uint64_t Begin, uint64_t Size, uint32_t Line, uint32_t Call,
                uint32_t Begins = 0, uint32_t Function = 1) {
  CodeRun Run = line(Begin, Size, Call);
  Run.Levels.push_back({Line, Function});
  Run.Begins = Begins;
  return Run;
}
CodeRun call(uint64_t At, uint32_t Line) {
  CodeRun Run = line(At, 4, Line);
  Run.Calls = true;
  return Run;
}
CodeRun jump(uint64_t At, uint32_t Line) {
  CodeRun Run = line(At, 4, Line);
  Run.JumpsFar = true;
  return Run;
}

/// Line 1: 0, 4; line 2: 8, a call of the function at 100 (lines 7, 8), which
/// returns by 108; line 3: 16.
const CodeRun Code[] = {line(0, 8, 1),  line(8, 4, 2),   call(12, 2),
                        line(16, 8, 3), line(100, 4, 7), line(104, 4, 8),
                        jump(108, 8)};

std::vector<ExecutedStep> executed(llvm::ArrayRef<uint64_t> PCs,
                                   uint64_t Exec = All) {
  std::vector<ExecutedStep> Steps;
  for (uint64_t PC : PCs)
    Steps.push_back({10 + Steps.size(), PC, Exec});
  return Steps;
}

std::optional<BackSearch::Flow> unknown(uint64_t) { return std::nullopt; }
std::optional<BackSearch::Flow> read(uint64_t PC) {
  for (const CodeRun &Run : Code)
    if (PC - Run.Begin < Run.Size)
      return BackSearch::Flow{Run.Calls, Run.JumpsFar};
  return std::nullopt;
}

std::optional<uint64_t> position(const BackSearch &Search) {
  const auto Target = Search.target();
  return Target ? Target->Position : std::nullopt;
}

/// Where the step ends; none also if it doesn't.
std::optional<uint64_t> search(const protocol::BackRequest &Request,
                               std::vector<ExecutedStep> Steps,
                               llvm::ArrayRef<CodeRun> Known = Code) {
  BackSearch Search(Request);
  Search.addCode(Known);
  Search.addSteps(std::move(Steps));
  Search.end();
  EXPECT_EQ(Search.run(unknown), State::Done);
  return position(Search);
}

/// Where the step ends, and the inlined functions that are shown there. The
/// position where it has begun is 0.
std::pair<uint64_t, uint32_t> see(protocol::BackRequest Request,
                                  llvm::ArrayRef<uint64_t> PCs,
                                  llvm::ArrayRef<CodeRun> Known,
                                  std::optional<uint32_t> Shown = {}) {
  Request.Depth = Shown;
  BackSearch Search(Request);
  Search.addCode(Known);
  Search.addSteps(executed(PCs));
  Search.end();
  EXPECT_EQ(Search.run(unknown), State::Done);
  const auto Target = Search.target();
  if (!Target || !Target->Level)
    return {~uint64_t(0), ~uint32_t(0)};
  return {Target->Position.value_or(0), *Target->Level};
}

//                 position 10 11 12  13   14   15   16
const uint64_t Path[] = {0, 4, 8, 12, 100, 104, 108};

TEST(BackSearch, LinesAndCalls) {
  const std::vector<ExecutedStep> Steps = executed(Path);
  // At the beginning of line 3: line 2, to its beginning.
  EXPECT_EQ(search(ask(BackKind::Over, 16), Steps), 12u);
  // Into the function that it has called: its last line.
  EXPECT_EQ(search(ask(BackKind::Into, 16), Steps), 15u);
  EXPECT_EQ(search(ask(BackKind::Out, 16), Steps), 10u);
  EXPECT_EQ(search(ask(BackKind::InstructionOver, 16), Steps), 13u);
  // In the function: to its call.
  const std::vector<ExecutedStep> Inside = executed({0, 4, 8, 12, 100});
  EXPECT_EQ(search(ask(BackKind::Out, 104), Inside), 13u);
  EXPECT_EQ(search(ask(BackKind::Over, 104), Inside), 14u);
  // From its beginning to the line of the call.
  EXPECT_EQ(search(ask(BackKind::Over, 100), executed({0, 4, 8, 12})), 12u);
}

TEST(BackSearch, MiddleOfALine) {
  EXPECT_EQ(search(ask(BackKind::Over, 20), executed({0, 4, 16})), 12u);
  EXPECT_EQ(search(ask(BackKind::Over, 4), executed({0})), 10u);
}

TEST(BackSearch, InlinedFunctions) {
  const CodeRun Inlined[] = {line(0, 4, 1), inlined(4, 4, 9, 2), line(8, 8, 2)};
  const std::vector<ExecutedStep> Steps = executed({0, 4});
  EXPECT_EQ(search(ask(BackKind::Over, 8), Steps, Inlined), 10u);
  EXPECT_EQ(search(ask(BackKind::Into, 8), Steps, Inlined), 11u);
  EXPECT_EQ(search(ask(BackKind::Out, 4), executed({0}), Inlined), 10u);
}

TEST(BackSearch, CallsOfInlinedFunctions) {
  using Seen = std::pair<uint64_t, uint32_t>;
  const auto Over = [](uint64_t PC) { return ask(BackKind::Over, PC); };
  const auto Into = [](uint64_t PC) { return ask(BackKind::Into, PC); };
  const auto Out = [](uint64_t PC) { return ask(BackKind::Out, PC); };
  // Line 1: 0; line 2 calls what is inlined at 4 (line 7) and 8 (line 8), and
  // has no code of its own; line 3: 12.
  const CodeRun Only[] = {line(0, 4, 1), inlined(4, 4, 7, 2, 1),
                          inlined(8, 4, 8, 2), line(12, 4, 3)};
  // The function's first line, its call, and then the line before.
  EXPECT_EQ(see(Into(12), {0, 4, 8}, Only), Seen(12, 1));
  EXPECT_EQ(see(Into(8), {0, 4}, Only), Seen(11, 1));
  EXPECT_EQ(see(Into(4), {0}, Only, 1), Seen(0, 0));
  EXPECT_EQ(see(Into(4), {0}, Only, 0), Seen(10, 0));
  EXPECT_EQ(see(Over(12), {0, 4, 8}, Only), Seen(11, 0));
  EXPECT_EQ(see(Out(8), {0, 4}, Only), Seen(11, 0));
  EXPECT_EQ(see(Out(4), {0}, Only), Seen(0, 0));
  // The kernel begins with it.
  EXPECT_EQ(see(Into(4), {}, Only), Seen(0, 0));
  EXPECT_EQ(see(Over(8), {4}, Only), Seen(10, 1));

  // Line 2 has code before the function.
  const CodeRun Own[] = {line(0, 4, 1), line(4, 4, 2), inlined(8, 4, 7, 2, 1),
                         line(12, 4, 3)};
  EXPECT_EQ(see(Into(8), {0, 4}, Own), Seen(11, 0));
  EXPECT_EQ(see(Into(8), {0, 4}, Own, 0), Seen(11, 0));
  EXPECT_EQ(see(Over(12), {0, 4, 8}, Own), Seen(11, 0));

  // Within the function, a loop goes back to its first instruction.
  EXPECT_EQ(see(Into(8), {0, 4, 8, 4, 8, 4}, Only), Seen(15, 1));
  EXPECT_EQ(see(Into(4), {0, 4, 8}, Only), Seen(12, 1));
  // Line 2 calls it twice: two copies, of which one follows the other.
  const CodeRun Two[] = {inlined(4, 4, 7, 2, 1), inlined(8, 4, 7, 2, 1, 2)};
  EXPECT_EQ(see(Into(8), {4}, Two), Seen(10, 1));
  EXPECT_EQ(see(Over(8), {4}, Two), Seen(10, 0));

  // A function in a function, which both begin there.
  CodeRun Both = inlined(4, 4, 7, 2, 2);
  Both.Levels.push_back({9, 2});
  const CodeRun Nested[] = {line(0, 4, 1), Both, inlined(8, 4, 8, 2),
                            line(12, 4, 3)};
  EXPECT_EQ(see(Into(8), {0, 4}, Nested), Seen(11, 2));
  EXPECT_EQ(see(Into(4), {0}, Nested), Seen(0, 1));
  EXPECT_EQ(see(Into(4), {0}, Nested, 1), Seen(0, 0));
  EXPECT_EQ(see(Into(4), {0}, Nested, 0), Seen(10, 0));
  EXPECT_EQ(see(Over(8), {0, 4}, Nested), Seen(11, 1));
  EXPECT_EQ(see(Over(12), {0, 4, 8}, Nested), Seen(11, 0));
}

TEST(BackSearch, FollowsTheLane) {
  // Only lane 1 executes line 2.
  std::vector<ExecutedStep> Steps = executed({0, 4, 8});
  Steps[2].Exec = 2;
  EXPECT_EQ(search(ask(BackKind::Over, 16, 1), Steps), 12u);
  EXPECT_EQ(search(ask(BackKind::Over, 16, 0), Steps), 10u);
  // A lane that has done nothing: to the wave's beginning.
  EXPECT_EQ(search(ask(BackKind::Over, 16, 5), executed({0, 4}, 1)), 10u);
  EXPECT_EQ(search(ask(BackKind::Over, 16), {}), std::nullopt);
}

TEST(BackSearch, LanesWhileExecIsSaved) {
  // Line 2 saves registers with all lanes; lane 3 has executed what was before.
  CodeRun Saves = line(8, 4, 2);
  Saves.SavesExec = true;
  const CodeRun Known[] = {line(0, 8, 1), Saves, line(16, 8, 3)};
  std::vector<ExecutedStep> Steps = executed({0, 4, 8}, 1 << 3);
  Steps[2].Exec = All;
  EXPECT_EQ(search(ask(BackKind::Over, 16, 3), Steps, Known), 12u);
  EXPECT_EQ(search(ask(BackKind::Over, 16, 4), Steps, Known), 10u);
  // The recording begins in the middle of such code.
  EXPECT_EQ(search(ask(BackKind::Over, 16, 4), executed({8}), Known), 10u);
}

TEST(BackSearch, AsksForCodeAndForSteps) {
  const std::vector<ExecutedStep> Steps = executed(Path);
  for (BackKind Kind : {BackKind::Over, BackKind::Into, BackKind::Out,
                        BackKind::InstructionOver}) {
    BackSearch Search(ask(Kind, 16));
    std::vector<ExecutedStep> Earlier = Steps;
    size_t Questions = 0;
    for (State S; (S = Search.run(unknown)) != State::Done; ++Questions) {
      ASSERT_LT(Questions, 30u);
      if (S == State::NeedsCode) {
        for (const CodeRun &Run : Code)
          if (Search.unknown() - Run.Begin < Run.Size) {
            CodeRun One = Run;
            One.Begin = Search.unknown();
            One.Size = 4;
            Search.addCode(One);
          }
      } else if (Earlier.empty()) {
        Search.end();
      } else {
        Search.addSteps({Earlier.back()});
        Earlier.pop_back();
      }
    }
    EXPECT_GT(Questions, 1u);
    EXPECT_EQ(position(Search), search(ask(Kind, 16), Steps));
  }
}

TEST(BackSearch, CalledCodeIsntAskedFor) {
  // Without the function that is called.
  const llvm::ArrayRef<CodeRun> Own = llvm::ArrayRef(Code).take_front(4);
  for (BackKind Kind :
       {BackKind::Over, BackKind::Out, BackKind::InstructionOver}) {
    BackSearch Search(ask(Kind, 16));
    Search.addSteps(executed(Path));
    Search.end();
    Search.addCode(Kind == BackKind::InstructionOver ? llvm::ArrayRef<CodeRun>()
                                                     : Own);
    EXPECT_EQ(Search.run(read), State::Done);
    EXPECT_EQ(position(Search), search(ask(Kind, 16), executed(Path)));
  }
  BackSearch Search(ask(BackKind::Into, 16));
  Search.addSteps(executed(Path));
  Search.addCode(Own);
  EXPECT_EQ(Search.run(read), State::NeedsCode);
  EXPECT_EQ(Search.unknown(), 108u);
}

TEST(BackSearch, LaterCodeReplacesEarlier) {
  BackSearch Search(ask(BackKind::Over, 16));
  Search.addCode({line(0, 100, 1)});
  Search.addCode({line(16, 8, 3), line(8, 4, 2), line(8, ~uint64_t(0), 4)});
  Search.addSteps(executed({4, 8, 20}));
  EXPECT_EQ(Search.run(unknown), State::Done);
  EXPECT_EQ(position(Search), 12u);
}

} // namespace
