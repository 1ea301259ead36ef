//===-- Value.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Value.h"
#include "wavelane/Location/Error.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

static uint64_t cut(uint64_t V, unsigned Size) {
  return Size >= 8 ? V : V & maskTrailingOnes<uint64_t>(8 * Size);
}

Value::Value(location::Type T, uint64_t V) : Type(T), Bits(cut(V, T.Size)) {}

int64_t Value::getSigned() const {
  return Type.Size >= 8 ? int64_t(Bits) : SignExtend64(Bits, 8 * Type.Size);
}

double Value::getFloat() const {
  if (Type.Size == 4) {
    float F;
    uint32_t B = uint32_t(Bits);
    memcpy(&F, &B, 4);
    return F;
  }
  double D;
  memcpy(&D, &Bits, 8);
  return D;
}

Value Value::fromFloat(location::Type T, double V) {
  uint64_t Bits = 0;
  if (T.Size == 4) {
    float F = float(V);
    memcpy(&Bits, &F, 4);
  } else {
    memcpy(&Bits, &V, 8);
  }
  return Value(T, Bits);
}

Expected<Value> wavelane::location::convert(const Value &V, Type To) {
  if (V.Type.isIntegral() && To.isIntegral())
    return Value(To, V.Type.Kind == Type::Signed ? uint64_t(V.getSigned())
                                                 : V.getUnsigned());
  if (V.Type.isIntegral())
    return Value::fromFloat(To, V.Type.Kind == Type::Signed
                                    ? double(V.getSigned())
                                    : double(V.getUnsigned()));
  const double D = V.getFloat();
  if (!To.isIntegral())
    return Value::fromFloat(To, D);
  // Round toward zero; a value outside the integer type's range is an error.
  const double Whole = std::trunc(D);
  const bool IsSigned = To.Kind == Type::Signed;
  const double Limit = std::ldexp(1.0, 8 * To.Size - (IsSigned ? 1 : 0));
  if (!(Whole < Limit) || Whole < (IsSigned ? -Limit : -0.0))
    return failed(
        "a float is out of the range of the integer it is converted to");
  return Value(To, IsSigned ? uint64_t(int64_t(Whole)) : uint64_t(Whole));
}

Expected<Value> wavelane::location::reinterpret(const Value &V, Type To) {
  if (V.Type.Size != To.Size)
    return illFormed("the types are of " + Twine(V.Type.Size) + " and " +
                     Twine(To.Size) + " bytes");
  return Value(To, V.Bits);
}

void wavelane::location::alignGeneric(Value &A, Value &B) {
  if (!A.Type.isIntegral() || !B.Type.isIntegral())
    return;
  if (B.Type.Kind == Type::Generic)
    B = Value(A.Type, uint64_t(B.getSigned()));
  else if (A.Type.Kind == Type::Generic)
    A = Value(B.Type, uint64_t(A.getSigned()));
}

Expected<Value> wavelane::location::applyUnary(uint8_t Operation,
                                               const Value &A) {
  const Type T = A.Type;
  switch (Operation) {
  case DW_OP_abs:
    if (!T.isIntegral())
      return Value::fromFloat(T, std::fabs(A.getFloat()));
    if (T.Kind == Type::Unsigned)
      return A;
    return Value(T, A.getSigned() < 0 ? 0 - A.Bits : A.Bits);
  case DW_OP_neg:
    if (!T.isIntegral())
      return Value::fromFloat(T, -A.getFloat());
    return Value(T, 0 - A.Bits);
  case DW_OP_not:
    if (!T.isIntegral())
      return illFormed("needs an integral value");
    return Value(T, ~A.Bits);
  default:
    return illFormed("not a unary operation");
  }
}

static Expected<Value> applyFloat(uint8_t Operation, const Value &A,
                                  const Value &B) {
  const double X = A.getFloat(), Y = B.getFloat();
  // Compute in the type's own precision, so a float's sum is rounded once.
  auto Result = [&](double D, float F) {
    return A.Type.Size == 4 ? Value::fromFloat(A.Type, F)
                            : Value::fromFloat(A.Type, D);
  };
  const float XF = float(X), YF = float(Y);
  switch (Operation) {
  case DW_OP_plus:
    return Result(X + Y, XF + YF);
  case DW_OP_minus:
    return Result(X - Y, XF - YF);
  case DW_OP_mul:
    return Result(X * Y, XF * YF);
  case DW_OP_div:
    return Result(X / Y, XF / YF);
  default:
    return illFormed("needs integral values");
  }
}

Expected<Value> wavelane::location::applyBinary(uint8_t Operation,
                                                const Value &A,
                                                const Value &B) {
  const Type T = A.Type;
  // Most arithmetic is of one integral type and wraps around.
  if (T == B.Type && T.isIntegral()) {
    switch (Operation) {
    case DW_OP_and:
      return Value(T, A.Bits & B.Bits);
    case DW_OP_or:
      return Value(T, A.Bits | B.Bits);
    case DW_OP_xor:
      return Value(T, A.Bits ^ B.Bits);
    case DW_OP_plus:
      return Value(T, A.Bits + B.Bits);
    case DW_OP_minus:
      return Value(T, A.Bits - B.Bits);
    case DW_OP_mul:
      return Value(T, A.Bits * B.Bits);
    default:
      break;
    }
  }
  const bool IsShift = Operation == DW_OP_shl || Operation == DW_OP_shr ||
                       Operation == DW_OP_shra;
  if (IsShift ? !T.isIntegral() || !B.Type.isIntegral() : T != B.Type)
    return illFormed(IsShift ? "needs integral values"
                             : "the values are of different types");

  // Comparisons treat generic values as signed.
  auto Compare = [&](auto X, auto Y) -> std::optional<bool> {
    switch (Operation) {
    case DW_OP_eq:
      return X == Y;
    case DW_OP_ne:
      return X != Y;
    case DW_OP_lt:
      return X < Y;
    case DW_OP_le:
      return X <= Y;
    case DW_OP_gt:
      return X > Y;
    case DW_OP_ge:
      return X >= Y;
    default:
      return std::nullopt;
    }
  };
  std::optional<bool> Truth =
      !T.isIntegral()            ? Compare(A.getFloat(), B.getFloat())
      : T.Kind == Type::Unsigned ? Compare(A.getUnsigned(), B.getUnsigned())
                                 : Compare(A.getSigned(), B.getSigned());
  if (Truth)
    return Value(Type(), *Truth); // the evaluator gives it its generic size
  if (!T.isIntegral())
    return applyFloat(Operation, A, B);

  const unsigned Width = 8 * T.Size;
  const uint64_t N = B.getUnsigned();
  switch (Operation) {
  case DW_OP_shl:
    return Value(T, N >= Width ? 0 : A.Bits << N);
  case DW_OP_shr:
    return Value(T, N >= Width ? 0 : A.Bits >> N);
  case DW_OP_shra:
    return Value(T, uint64_t(A.getSigned() >> (N >= Width ? Width - 1 : N)));
  case DW_OP_div:
    if (B.Bits == 0)
      return failed("division by zero");
    if (T.Kind == Type::Unsigned)
      return Value(T, A.Bits / B.Bits);
    if (B.getSigned() == -1) // the smallest number has no positive counterpart
      return Value(T, 0 - A.Bits);
    return Value(T, uint64_t(A.getSigned() / B.getSigned()));
  case DW_OP_mod:
    if (B.Bits == 0)
      return failed("division by zero");
    if (T.Kind != Type::Signed)
      return Value(T, A.Bits % B.Bits);
    if (B.getSigned() == -1)
      return Value(T, 0);
    return Value(T, uint64_t(A.getSigned() % B.getSigned()));
  default:
    return illFormed("not a binary operation");
  }
}
