//===-- Condition.cpp - breakpoint conditions, decided by the server ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Condition.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace wavelane::server {

Expected<Condition> Condition::Parse(const json::Object &object) {
  Condition condition;
  condition.m_once_per_dispatch =
      object.getBoolean("once_per_dispatch").value_or(false);
  if (const json::Value *thread = object.get("thread")) {
    condition.m_thread = thread->getAsUINT64();
    if (!condition.m_thread)
      return createStringError(inconvertibleErrorCode(),
                               "the condition's 'thread' isn't a number");
  }
  Expected<ClientExpression> test = ClientExpression::Parse(object);
  if (!test)
    return test.takeError();
  condition.m_test = std::move(*test);
  return std::move(condition);
}

Condition::Outcome Condition::Test(ExpressionSubject &subject) {
  Outcome outcome;
  if (m_thread && *m_thread != subject.getThread())
    return outcome;
  if (m_once_per_dispatch) {
    std::optional<uint64_t> dispatch = subject.GetNumber("dispatch", 0, 0);
    if (dispatch && !m_dispatches.insert(*dispatch).second)
      return outcome;
  }
  if (m_test.IsEmpty()) {
    outcome.holds = true;
    return outcome;
  }
  const uint64_t active = subject.GetActiveLanes();
  const auto values = m_test.Evaluate(subject, active);
  for (uint32_t lane = 0; lane < values.size(); ++lane) {
    if (!(active >> lane & 1))
      continue;
    if (!values[lane])
      outcome.unknown = true;
    else if (ClientExpression::IsTrue(*values[lane]))
      outcome.lanes |= uint64_t(1) << lane;
  }
  outcome.holds = outcome.lanes;
  return outcome;
}

} // namespace wavelane::server
