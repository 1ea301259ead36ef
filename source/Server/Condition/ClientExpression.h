//===-- ClientExpression.h - an expression in all lanes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_CONDITION_CLIENTEXPRESSION_H
#define WAVELANE_SERVER_CONDITION_CLIENTEXPRESSION_H

#include "wavelane/Location/Evaluator.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <optional>
#include <vector>

namespace wavelane::server {

/// The state of a stopped wave for expressions, besides its registers and
/// memory.
class ExpressionSubject : public location::Context {
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

/// An expression from a client (see Packets.h): C's arithmetic on variables
/// whose DWARF expressions the location engine evaluates in all lanes at once.
class ClientExpression {
public:
  /// Fails if the client's JSON is invalid, with the reason.
  static llvm::Expected<ClientExpression>
  Parse(const llvm::json::Object &object);

  /// Whether there is nothing to evaluate.
  bool IsEmpty() const { return !m_tree; }
  /// \param lanes A mask of the lanes to evaluate it in.
  /// \return A value for each lane of the wave; nullopt for others, and where
  /// it
  ///     can't be evaluated: the client must find out why, and report it.
  std::vector<std::optional<location::Value>>
  Evaluate(ExpressionSubject &subject, uint64_t lanes) const;

  static bool IsTrue(const location::Value &value);

  struct Node;

private:
  struct Variable {
    std::vector<uint8_t> expression;
    uint64_t size = 0;
  };

  std::vector<Variable> m_variables;
  std::vector<uint8_t> m_frame_base;
  bool m_old_numbers = false;
  std::shared_ptr<Node> m_tree;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CONDITION_CLIENTEXPRESSION_H
