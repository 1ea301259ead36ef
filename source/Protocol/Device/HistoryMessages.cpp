//===-- HistoryMessages.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Device/HistoryMessages.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace llvm;

namespace wavelane::protocol {

ArrayRef<Word<HitKind>> getWords(HitKind) {
  static constexpr Word<HitKind> Words[] = {{HitKind::Breakpoint, "breakpoint"},
                                            {HitKind::Watch, "watch"},
                                            {HitKind::Trap, "trap"},
                                            {HitKind::Exception, "exception"}};
  return Words;
}

ArrayRef<Word<HostActionKind>> getWords(HostActionKind) {
  static constexpr Word<HostActionKind> Words[] = {
      {HostActionKind::Copy, "copy"},
      {HostActionKind::Fill, "fill"},
      {HostActionKind::Launch, "launch"}};
  return Words;
}

ArrayRef<Word<CellSpace>> getWords(CellSpace) {
  static constexpr Word<CellSpace> Words[] = {
      {CellSpace::Scalar, "scalar"},  {CellSpace::Vector, "vector"},
      {CellSpace::Acc, "acc"},        {CellSpace::SCC, "scc"},
      {CellSpace::Global, "global"},  {CellSpace::Local, "local"},
      {CellSpace::Private, "private"}};
  return Words;
}

ArrayRef<Word<Comparison>> getWords(Comparison) {
  static constexpr Word<Comparison> Words[] = {
      {Comparison::IsNaN, "isnan"}, {Comparison::IsInf, "isinf"},
      {Comparison::Less, "<"},      {Comparison::LessEqual, "<="},
      {Comparison::Greater, ">"},   {Comparison::GreaterEqual, ">="},
      {Comparison::Equal, "=="},    {Comparison::NotEqual, "!="}};
  return Words;
}

ArrayRef<Word<OriginKind>> getWords(OriginKind) {
  static constexpr Word<OriginKind> Words[] = {
      {OriginKind::Step, "step"},         {OriginKind::Constant, "constant"},
      {OriginKind::Argument, "argument"}, {OriginKind::Packet, "packet"},
      {OriginKind::Start, "start"},       {OriginKind::Unset, "unset"},
      {OriginKind::Store, "store"},       {OriginKind::Debugger, "debugger"},
      {OriginKind::Host, "host"},         {OriginKind::Earlier, "earlier"},
      {OriginKind::TooMany, "too many"},  {OriginKind::Limit, "limit"}};
  return Words;
}

ArrayRef<Word<BackKind>> getWords(BackKind) {
  static constexpr Word<BackKind> Words[] = {
      {BackKind::Over, "over"},
      {BackKind::Into, "into"},
      {BackKind::Out, "out"},
      {BackKind::InstructionOver, "instruction-over"}};
  return Words;
}

bool operator==(const CodeLevel &A, const CodeLevel &B) {
  return A.Line == B.Line && A.Function == B.Function;
}

bool operator==(const CodeRun &A, const CodeRun &B) {
  auto Tie = [](const CodeRun &R) {
    return std::tie(R.Begin, R.Size, R.Levels, R.Begins, R.Calls, R.JumpsFar,
                    R.SavesExec);
  };
  return Tie(A) == Tie(B);
}

json::Value toJSON(const CodeRun &Run) {
  json::Array Levels;
  for (const CodeLevel &Level : Run.Levels)
    Levels.push_back(json::Array{Level.Line, Level.Function});
  return json::Array{Run.Begin, Run.Size, std::move(Levels), Run.Begins,
                     Run.Calls | Run.JumpsFar << 1 | Run.SavesExec << 2};
}

static bool readLevels(const json::Value &Value, std::vector<CodeLevel> &Levels,
                       json::Path At) {
  const json::Array *Pairs = Value.getAsArray();
  if (!Pairs || Pairs->empty()) {
    At.report("expected a level or more");
    return false;
  }
  Levels.clear();
  for (const auto &[I, Each] : enumerate(*Pairs)) {
    const json::Array *Pair = Each.getAsArray();
    CodeLevel &Level = Levels.emplace_back();
    if (!Pair || Pair->size() != 2) {
      At.index(unsigned(I)).report("expected a level of two elements");
      return false;
    }
    if (!fromJSON((*Pair)[0], Level.Line, At.index(unsigned(I)).index(0)) ||
        !fromJSON((*Pair)[1], Level.Function, At.index(unsigned(I)).index(1)))
      return false;
  }
  return true;
}

bool fromJSON(const json::Value &Value, CodeRun &Run, json::Path At) {
  const json::Array *Fields = Value.getAsArray();
  if (!Fields || Fields->size() != 5) {
    At.report("expected a run of five elements");
    return false;
  }
  uint32_t Flags = 0;
  if (!fromJSON((*Fields)[0], Run.Begin, At.index(0)) ||
      !fromJSON((*Fields)[1], Run.Size, At.index(1)) ||
      !readLevels((*Fields)[2], Run.Levels, At.index(2)) ||
      !fromJSON((*Fields)[3], Run.Begins, At.index(3)) ||
      !fromJSON((*Fields)[4], Flags, At.index(4)))
    return false;
  if (Run.Begins > Run.depth()) {
    At.index(3).report("expected no more than the inlined functions");
    return false;
  }
  Run.Calls = Flags & 1;
  Run.JumpsFar = Flags & 2;
  Run.SavesExec = Flags & 4;
  return true;
}

} // namespace wavelane::protocol
