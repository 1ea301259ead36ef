//===-- BreakpointConditions.h - For which lanes waves stop -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_BREAKPOINTCONDITIONS_H
#define WAVELANE_SERVER_BREAKPOINTCONDITIONS_H

#include "Condition.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace wavelane::server {

/// Conditions by the address of their breakpoint. A breakpoint with several
/// stops where one of them holds.
class BreakpointConditions {
public:
  /// Replaces those at \p address. Fails for one that can't be parsed.
  llvm::Error Set(uint64_t address, const llvm::json::Array &conditions);
  void Remove(uint64_t address) { m_conditions.erase(address); }
  void Clear() { m_conditions.clear(); }
  bool Has(uint64_t address) const { return m_conditions.count(address); }
  /// The lanes for which any of them holds, of a wave at \p address.
  Condition::Outcome Test(uint64_t address, ConditionSubject &subject);

private:
  std::map<uint64_t, std::vector<Condition>> m_conditions;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_BREAKPOINTCONDITIONS_H
