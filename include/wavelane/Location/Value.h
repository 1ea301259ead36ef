//===-- Value.h - typed values on the stack ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DWARF 5, section 2.5.1: a value has a base type, or the generic type, which
// is integral, as wide as an address and of unspecified signedness.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_VALUE_H
#define WAVELANE_LOCATION_VALUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>

namespace wavelane::location {

/// A type of a value: the generic type, or an integer or a float of at most 16
/// bytes.
struct Type {
  enum Encoding : uint8_t { Generic, Unsigned, Signed, Float };
  Encoding Kind = Generic;
  uint8_t Size = 8; ///< In bytes.
  /// If only some bits count: 17 of the three bytes of LLVM's
  /// DW_ATE_unsigned_17, 80 of x86's long double. 0 for all.
  uint8_t Bits = 0;

  unsigned getWidth() const { return Bits ? Bits : 8u * Size; }
  bool isIntegral() const { return Kind != Float; }
  /// Whether it is neither an integer of a word, nor float or double.
  bool isWide() const {
    return isIntegral() ? Size > 8 : Size != 4 && Size != 8;
  }
  bool operator==(const Type &O) const {
    return Kind == O.Kind && Size == O.Size && Bits == O.Bits;
  }
  bool operator!=(const Type &O) const { return !(*this == O); }
};

/// A value: a type and its bits; unused high bits are zero.
struct Value {
  location::Type Type;
  uint64_t Bits = 0;
  /// The bits above those of a word.
  uint64_t High = 0;

  Value() = default;
  Value(location::Type T, uint64_t V);
  Value(location::Type T, uint64_t Low, uint64_t Top);
  /// From at most 16 bytes, the lowest first.
  static Value fromBytes(location::Type T, llvm::ArrayRef<uint8_t> Bytes);
  /// The bytes of an object of the type; those beyond its size are zero.
  std::array<uint8_t, 16> getBytes() const;

  bool isZero() const { return Bits == 0 && High == 0; }
  uint64_t getUnsigned() const { return Bits; }
  int64_t getSigned() const;
  double getFloat() const;
  static Value fromFloat(location::Type T, double V);
  /// The number, and in hexadecimal if it is unsigned and not small.
  std::string describe() const;
};

/// DW_OP_convert keeps the number, DW_OP_reinterpret the bits (2.5.1.6).
/// reinterpret() fails if the sizes differ.
llvm::Expected<Value> convert(const Value &V, Type To);
llvm::Expected<Value> reinterpret(const Value &V, Type To);

/// If one of two integers is generic, converts both to a signed integer of the
/// other's size: upstream clang writes constants and registers as generic
/// values, means the other operand's type, and only divides signed numbers.
void alignGeneric(Value &A, Value &B);

/// The operations of DWARF 5, section 2.5.1.4, by DW_OP code. They fail if the
/// types don't fit the operation or each other, and on division by zero.
llvm::Expected<Value> applyUnary(uint8_t Operation, const Value &A);
llvm::Expected<Value> applyBinary(uint8_t Operation, const Value &A,
                                  const Value &B);

} // namespace wavelane::location

#endif
