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

/// What a condition asks of a stopped wave beside its registers and memory.
class ConditionSubject : public location::Context {
public:
  virtual uint64_t GetActiveLanes() = 0;
  /// A number that is the same in all lanes (kind "dispatch", "thread", ...) or
  /// a lane's own ("lane", "item"), for \p dimension 0-2 where it has three.
  virtual std::optional<uint64_t>
  GetNumber(llvm::StringRef kind, unsigned dimension, uint32_t lane) = 0;
  /// The lane that the engine looks at from now on.
  virtual void SetLane(uint32_t lane) = 0;
};

/// A condition as a client sends it, see Packets.h: a test in C's arithmetic on
/// variables whose DWARF expressions the location engine reads in all lanes at
/// once.
class Condition {
public:
  /// The error says what is wrong with what the client sent.
  static llvm::Expected<Condition> Parse(const llvm::json::Object &object);

  struct Outcome {
    bool holds = false;
    /// The active lanes for which it does; 0 where it isn't about lanes.
    uint64_t lanes = 0;
    /// It can't be told in some lane: the client is to find out, and say why.
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
  /// Null: it is about the wave alone.
  std::shared_ptr<Node> m_test;
  bool m_once_per_dispatch = false;
  std::set<uint64_t> m_dispatches;
  std::optional<uint64_t> m_thread;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CONDITION_H
