//===-- Expression.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/SourceFacts/Expression.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace llvm;
using namespace wavelane::source;

using Kind = Expression::Kind;

static Bytes toBytes(uint64_t Bits, uint64_t Size) {
  Bytes Result(Size);
  for (uint64_t I = 0; I < Size && I < 8; ++I)
    Result[I] = uint8_t(Bits >> (8 * I));
  return Result;
}

static uint64_t toBits(const Bytes &Value) {
  uint64_t Bits = 0;
  for (size_t I = 0; I < Value.size() && I < 8; ++I)
    Bits |= uint64_t(Value[I]) << (8 * I);
  return Bits;
}

static APSInt toInteger(const Bytes &Value, const ValueType &Type) {
  return APSInt(APInt(unsigned(8 * Value.size()), toBits(Value),
                      /*isSigned=*/false, /*implicitTrunc=*/true),
                Type.K != ValueType::Kind::Signed);
}

static uint64_t extended(const APSInt &Number) {
  return Number.isSigned() ? uint64_t(Number.getSExtValue())
                           : Number.getZExtValue();
}

static std::optional<APSInt> evaluateInteger(const Expression &E, Lookup Find) {
  if (!E.Type.isInteger() || !E.Type.Size || E.Type.Size > 8)
    return std::nullopt;
  std::optional<Bytes> Value = evaluate(E, Find);
  if (!Value)
    return std::nullopt;
  return toInteger(*Value, E.Type);
}

/// An overflow of signed numbers, and a shift by too much, have no value.
static std::optional<APSInt> compute(Kind K, const APSInt &L, const APSInt &R) {
  const bool IsSigned = L.isSigned();
  bool Overflows = false;
  APInt Result;
  switch (K) {
  case Kind::Add:
    Result = IsSigned ? L.sadd_ov(R, Overflows) : L + R;
    break;
  case Kind::Subtract:
    Result = IsSigned ? L.ssub_ov(R, Overflows) : L - R;
    break;
  case Kind::Multiply:
    Result = IsSigned ? L.smul_ov(R, Overflows) : L * R;
    break;
  case Kind::Divide:
  case Kind::Remainder:
    if (R.isZero() || (IsSigned && L.isMinSignedValue() && R.isAllOnes()))
      return std::nullopt;
    Result = K == Kind::Divide ? APInt(L / R) : APInt(L % R);
    break;
  case Kind::And:
    Result = L & R;
    break;
  case Kind::Or:
    Result = L | R;
    break;
  case Kind::ExclusiveOr:
    Result = L ^ R;
    break;
  default:
    return std::nullopt;
  }
  if (Overflows)
    return std::nullopt;
  return APSInt(std::move(Result), !IsSigned);
}

static std::optional<APSInt> shift(Kind K, const APSInt &L, const APSInt &R) {
  if (R.isNegative() || R.uge(L.getBitWidth()))
    return std::nullopt;
  const unsigned By = unsigned(R.getZExtValue());
  return K == Kind::ShiftLeft ? L << By : L >> By;
}

static std::optional<Bytes> convert(const Expression &E, const Bytes &Value) {
  const ValueType &From = E.Operands[0].Type, &To = E.Type;
  if (From.K == ValueType::Kind::Pointer && To.K == ValueType::Kind::Pointer)
    return Value;
  if (!From.isInteger() || Value.size() > 8)
    return std::nullopt;
  const APSInt Number = toInteger(Value, From);
  if (To.K == ValueType::Kind::Boolean)
    return toBytes(!Number.isZero(), To.Size);
  if (To.isInteger())
    return toBytes(extended(Number), To.Size);
  if (To.K != ValueType::Kind::Float || (To.Size != 4 && To.Size != 8))
    return std::nullopt;
  APFloat Float(To.Size == 4 ? APFloat::IEEEsingle() : APFloat::IEEEdouble());
  Float.convertFromAPInt(Number, Number.isSigned(),
                         APFloat::rmNearestTiesToEven);
  return toBytes(Float.bitcastToAPInt().getZExtValue(), To.Size);
}

static std::optional<bool> evaluateCondition(const Expression &E, Lookup Find) {
  std::optional<APSInt> Value = evaluateInteger(E, Find);
  if (!Value)
    return std::nullopt;
  return !Value->isZero();
}

static std::optional<Bytes> evaluateLogic(const Expression &E, Lookup Find) {
  const std::optional<bool> First = evaluateCondition(E.Operands[0], Find);
  if (!First)
    return std::nullopt;
  if (E.K == Kind::Choice)
    return evaluate(E.Operands[*First ? 1 : 2], Find);
  if (E.K == Kind::IsZero)
    return toBytes(!*First, E.Type.Size);
  if (*First == (E.K == Kind::Either))
    return toBytes(*First, E.Type.Size);
  const std::optional<bool> Second = evaluateCondition(E.Operands[1], Find);
  if (!Second)
    return std::nullopt;
  return toBytes(*Second, E.Type.Size);
}

static std::optional<Bytes> evaluateArithmetic(const Expression &E,
                                               Lookup Find) {
  std::optional<APSInt> L = evaluateInteger(E.Operands[0], Find);
  if (!L)
    return std::nullopt;
  if (E.K == Kind::Complement)
    return toBytes((~*L).getZExtValue(), E.Type.Size);
  if (E.K == Kind::Negate) {
    if (L->isSigned() && L->isMinSignedValue())
      return std::nullopt;
    return toBytes((-*L).getZExtValue(), E.Type.Size);
  }
  std::optional<APSInt> R = evaluateInteger(E.Operands[1], Find);
  if (!R)
    return std::nullopt;
  std::optional<APSInt> Result;
  if (E.K == Kind::ShiftLeft || E.K == Kind::ShiftRight) {
    Result = shift(E.K, *L, *R);
  } else if (L->getBitWidth() != R->getBitWidth() ||
             L->isSigned() != R->isSigned()) {
    return std::nullopt;
  } else if (E.K == Kind::Less || E.K == Kind::LessOrEqual ||
             E.K == Kind::Equal) {
    return toBytes(E.K == Kind::Less    ? *L < *R
                   : E.K == Kind::Equal ? *L == *R
                                        : *L <= *R,
                   E.Type.Size);
  } else {
    Result = compute(E.K, *L, *R);
  }
  if (!Result)
    return std::nullopt;
  return toBytes(Result->getZExtValue(), E.Type.Size);
}

std::optional<Bytes> wavelane::source::evaluate(const Expression &E,
                                                Lookup Find) {
  switch (E.K) {
  case Kind::Constant:
    if (E.Type.Size > 8)
      return std::nullopt;
    return toBytes(E.Constant, E.Type.Size);
  case Kind::Variable:
  case Kind::Builtin: {
    std::optional<Bytes> Value = Find(E);
    if (!Value || Value->size() != E.Type.Size)
      return std::nullopt;
    return Value;
  }
  case Kind::Convert: {
    std::optional<Bytes> Value = evaluate(E.Operands[0], Find);
    return Value ? convert(E, *Value) : std::nullopt;
  }
  case Kind::Element: {
    std::optional<Bytes> Base = evaluate(E.Operands[0], Find);
    std::optional<APSInt> Index = evaluateInteger(E.Operands[1], Find);
    if (!Base || Base->size() != 8 || !Index)
      return std::nullopt;
    return toBytes(toBits(*Base) + extended(*Index) * E.Constant, 8);
  }
  case Kind::Both:
  case Kind::Either:
  case Kind::Choice:
  case Kind::IsZero:
    return evaluateLogic(E, Find);
  default:
    return evaluateArithmetic(E, Find);
  }
}
