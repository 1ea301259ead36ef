//===-- Condition.h - breakpoint conditions, decided by the server --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_CONDITION_CONDITION_H
#define WAVELANE_SERVER_CONDITION_CONDITION_H

#include "ClientExpression.h"
#include "llvm/Support/JSON.h"
#include <set>

namespace wavelane::server {

/// A condition from a client (see Packets.h): a test in the lanes of a wave.
class Condition {
public:
  /// Fails if the client's JSON is invalid, with the reason.
  static llvm::Expected<Condition> Parse(const llvm::json::Object &object);

  struct Outcome {
    bool holds = false;
    /// The active lanes for which it holds; 0 if it isn't about lanes.
    uint64_t lanes = 0;
    /// It can't be evaluated in some lane: the client must find out why, and
    /// report it.
    bool unknown = false;
  };
  Outcome Test(ExpressionSubject &subject);

private:
  /// Empty for a condition on the wave only.
  ClientExpression m_test;
  bool m_once_per_dispatch = false;
  std::set<uint64_t> m_dispatches;
  std::optional<uint64_t> m_thread;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CONDITION_CONDITION_H
