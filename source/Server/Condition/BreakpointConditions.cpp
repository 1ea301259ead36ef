//===-- BreakpointConditions.cpp - For which lanes waves stop -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BreakpointConditions.h"

namespace wavelane::server {

llvm::Error BreakpointConditions::Set(uint64_t address,
                                      const llvm::json::Array &conditions) {
  std::vector<Condition> parsed;
  for (const llvm::json::Value &value : conditions) {
    const llvm::json::Object *object = value.getAsObject();
    if (!object)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "a condition isn't a JSON object");
    llvm::Expected<Condition> condition = Condition::Parse(*object);
    if (!condition)
      return condition.takeError();
    parsed.push_back(std::move(*condition));
  }
  if (parsed.empty())
    m_conditions.erase(address);
  else
    m_conditions[address] = std::move(parsed);
  return llvm::Error::success();
}

Condition::Outcome BreakpointConditions::Test(uint64_t address,
                                              ExpressionSubject &subject) {
  Condition::Outcome all;
  for (Condition &condition : m_conditions[address]) {
    const Condition::Outcome outcome = condition.Test(subject);
    all.holds |= outcome.holds;
    all.lanes |= outcome.lanes;
    all.unknown |= outcome.unknown;
  }
  return all;
}

} // namespace wavelane::server
