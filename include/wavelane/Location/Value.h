//===-- Value.h - typed values on the stack --------------------*- C++ -*-===//
//
// DWARF 5, section 2.5.1: a value has a base type, or the generic type, which is
// integral, as wide as an address and of unspecified signedness.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_VALUE_H
#define WAVELANE_LOCATION_VALUE_H

#include "llvm/Support/Error.h"
#include <cstdint>

namespace wavelane::location {

/// A type that a value can have: the generic one, integers and IEEE floats of at
/// most eight bytes.
struct Type {
  enum Encoding : uint8_t { Generic, Unsigned, Signed, Float };
  Encoding Kind = Generic;
  uint8_t Size = 8; ///< In bytes.

  bool isIntegral() const { return Kind != Float; }
  bool operator==(const Type &O) const {
    return Kind == O.Kind && Size == O.Size;
  }
  bool operator!=(const Type &O) const { return !(*this == O); }
};

/// A value: bits of a type, the unused high ones zero.
struct Value {
  location::Type Type;
  uint64_t Bits = 0;

  Value() = default;
  Value(location::Type T, uint64_t V);

  uint64_t getUnsigned() const { return Bits; }
  int64_t getSigned() const;
  double getFloat() const;
  static Value fromFloat(location::Type T, double V);
};

/// DW_OP_convert (numeric) and DW_OP_reinterpret (bits).
llvm::Expected<Value> convert(const Value &V, Type To);
llvm::Expected<Value> reinterpret(const Value &V, Type To);

/// Of two integers of which one is generic, gives that one the other's type:
/// upstream's compiler writes constants as generic values whatever the type of
/// the other operand is, whose type it means.
void alignGeneric(Value &A, Value &B);

/// The operations of DWARF 5, section 2.5.1.4, by their DW_OP code.
llvm::Expected<Value> applyUnary(uint8_t Operation, const Value &A);
llvm::Expected<Value> applyBinary(uint8_t Operation, const Value &A,
                                  const Value &B);

} // namespace wavelane::location

#endif
