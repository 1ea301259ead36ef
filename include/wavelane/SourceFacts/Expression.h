//===-- Expression.h - an initializer or an argument ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's syntax tree says of an initializer or an argument, as far as its
// value can be computed without the program: each conversion is explicit, and
// each name is a declaration.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCEFACTS_EXPRESSION_H
#define WAVELANE_SOURCEFACTS_EXPRESSION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::source {

/// A type, as far as arithmetic needs it.
struct ValueType {
  enum class Kind : uint8_t {
    Signed,
    Unsigned,
    Boolean,
    Float,
    Pointer,
    Other
  };
  Kind K = Kind::Other;
  /// In bytes.
  uint64_t Size = 0;

  bool isInteger() const {
    return K == Kind::Signed || K == Kind::Unsigned || K == Kind::Boolean;
  }
};

struct Expression {
  enum class Kind : uint8_t {
    Constant,
    Variable, ///< of the function
    Builtin,  ///< threadIdx.x
    Convert,
    Negate,
    Complement,
    IsZero,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    ExclusiveOr,
    Less,
    LessOrEqual,
    Equal,
    Both,   ///< &&
    Either, ///< ||
    Choice, ///< ?:
    Element ///< a pointer, and what is added to it in units of \p Constant
  };
  Kind K = Kind::Constant;
  ValueType Type;
  /// The constant's bits.
  uint64_t Constant = 0;
  /// The variable's or built-in variable's name.
  std::string Name;
  /// The variable's line of declaration.
  unsigned Line = 0;
  /// The members that lead from the variable to the value.
  std::vector<std::string> Members;
  /// Of a variable that is assigned to more than once: the number of the
  /// assignment whose value is meant.
  std::optional<unsigned> Assignment;
  std::vector<Expression> Operands;
};

using Bytes = std::vector<uint8_t>;
/// The value of a variable, or of a built-in variable, with its type's size.
using Lookup = llvm::function_ref<std::optional<Bytes>(const Expression &Leaf)>;

/// Computes an expression as C++ does.
/// \return nullopt if a value is unknown, or the result isn't defined.
std::optional<Bytes> evaluate(const Expression &E, Lookup Find);

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_EXPRESSION_H
