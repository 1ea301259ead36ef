//===-- HistoryMessages.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Device/HistoryMessages.h"

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

/// The two elements of a run.
static const json::Array *getRun(const json::Value &Value, uint64_t &Count,
                                 json::Path At) {
  const json::Array *Pair = Value.getAsArray();
  if (Pair && Pair->size() == 2)
    return fromJSON((*Pair)[0], Count, At.index(0)) ? Pair : nullptr;
  At.report("expected a run of two elements");
  return nullptr;
}

json::Value toJSON(const PositionRun &Run) {
  return json::Array{Run.Count, Run.First};
}

bool fromJSON(const json::Value &Value, PositionRun &Run, json::Path At) {
  const json::Array *Pair = getRun(Value, Run.Count, At);
  return Pair && json::fromJSON((*Pair)[1], Run.First, At.index(1));
}

json::Value toJSON(const ExecRun &Run) {
  return json::Array{Run.Count, toJSON(Run.Exec)};
}

bool fromJSON(const json::Value &Value, ExecRun &Run, json::Path At) {
  const json::Array *Pair = getRun(Value, Run.Count, At);
  return Pair && fromJSON((*Pair)[1], Run.Exec, At.index(1));
}

} // namespace wavelane::protocol
