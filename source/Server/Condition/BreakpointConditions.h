//===-- BreakpointConditions.h - For which lanes waves stop -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_CONDITION_BREAKPOINTCONDITIONS_H
#define WAVELANE_SERVER_CONDITION_BREAKPOINTCONDITIONS_H

#include "Condition.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace wavelane::server {

/// Conditions by breakpoint address. A breakpoint with several conditions stops
/// if one of them holds.
class BreakpointConditions {
public:
  /// Replaces the conditions at \p address. Fails if one can't be parsed.
  llvm::Error Set(uint64_t address, const llvm::json::Array &conditions);
  void Remove(uint64_t address) { m_conditions.erase(address); }
  void Clear() { m_conditions.clear(); }
  bool Has(uint64_t address) const { return m_conditions.count(address); }
  /// The lanes of a wave at \p address for which any of its conditions holds.
  Condition::Outcome Test(uint64_t address, ExpressionSubject &subject);

private:
  std::map<uint64_t, std::vector<Condition>> m_conditions;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CONDITION_BREAKPOINTCONDITIONS_H
