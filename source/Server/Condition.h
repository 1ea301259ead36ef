//===-- Condition.h - breakpoint conditions, decided by the server --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_CONDITION_H
#define WAVELANE_SERVER_CONDITION_H

#include "wavelane/Location/Evaluator.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <set>
#include <vector>

namespace wavelane::server {

/// The state of a stopped wave for conditions, besides its registers and
/// memory.
class ConditionSubject : public location::Context {
public:
  virtual uint64_t GetActiveLanes() = 0;
  /// A number that is the same in all lanes (kind "dispatch", "thread", ...) or
  /// differs by lane ("lane", "item"); \p dimension is 0-2 for numbers with
  /// three.
  virtual std::optional<uint64_t>
  GetNumber(llvm::StringRef kind, unsigned dimension, uint32_t lane) = 0;
  /// Sets the lane for later evaluations.
  virtual void SetLane(uint32_t lane) = 0;
};

/// A condition from a client (see Packets.h): a test, with C's arithmetic, of
/// variables whose DWARF expressions the location engine evaluates in all lanes
/// at once.
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
  Outcome Test(ConditionSubject &subject);

  struct Node;

private:
  struct Variable {
    std::vector<uint8_t> expression;
    uint64_t size = 0;
  };

  std::vector<Variable> m_variables;
  std::vector<uint8_t> m_frame_base;
  bool m_old_numbers = false;
  /// Null for a condition on the wave only.
  std::shared_ptr<Node> m_test;
  bool m_once_per_dispatch = false;
  std::set<uint64_t> m_dispatches;
  std::optional<uint64_t> m_thread;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CONDITION_H
