//===-- Value.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Value.h"
#include "wavelane/Location/Error.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <optional>

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

static uint64_t cut(uint64_t V, unsigned Width) {
  return Width >= 64 ? V : V & maskTrailingOnes<uint64_t>(Width);
}

Value::Value(location::Type T, uint64_t V)
    : Type(T), Bits(cut(V, T.getWidth())) {}

Value::Value(location::Type T, uint64_t Low, uint64_t Top) : Value(T, Low) {
  if (T.getWidth() > 64)
    High = cut(Top, T.getWidth() - 64);
}

Value Value::fromBytes(location::Type T, ArrayRef<uint8_t> Bytes) {
  uint64_t Words[2] = {};
  for (size_t I = 0; I < Bytes.size() && I < 16; ++I)
    Words[I / 8] |= uint64_t(Bytes[I]) << (I % 8 * 8);
  return Value(T, Words[0], Words[1]);
}

std::array<uint8_t, 16> Value::getBytes() const {
  // What is beyond the bits of a signed number is its sign.
  const location::Type Whole{Type.Kind, Type.Size};
  Value Filled = *this;
  if (Type.Kind == location::Type::Signed && Type != Whole)
    Filled = cantFail(convert(*this, Whole));
  std::array<uint8_t, 16> Bytes{};
  for (unsigned I = 0; I < 16 && I < Type.Size; ++I)
    Bytes[I] = uint8_t((I < 8 ? Filled.Bits : Filled.High) >> (I % 8 * 8));
  return Bytes;
}

int64_t Value::getSigned() const {
  const unsigned Width = Type.getWidth();
  return Width >= 64 ? int64_t(Bits) : SignExtend64(Bits, Width);
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

//===-- Beyond a word -----------------------------------------------------===//
//
// Integers of more than eight bytes, and floats other than float and double.
// They are rare, so LLVM's arithmetic is fast enough.

static APInt toInteger(const Value &V) {
  const uint64_t Words[] = {V.Bits, V.High};
  return APInt(128, Words).zextOrTrunc(V.Type.getWidth());
}

static Value makeValue(Type T, const APInt &Bits) {
  const APInt Whole = Bits.zext(128);
  return Value(T, Whole.getRawData()[0], Whole.getRawData()[1]);
}

static const fltSemantics &getSemantics(Type T) {
  switch (T.getWidth()) {
  case 16:
    return APFloat::IEEEhalf();
  case 32:
    return APFloat::IEEEsingle();
  case 64:
    return APFloat::IEEEdouble();
  case 80:
    return APFloat::x87DoubleExtended();
  default:
    return APFloat::IEEEquad();
  }
}

static APFloat toFloat(const Value &V) {
  return APFloat(getSemantics(V.Type), toInteger(V));
}

static Value makeFloat(Type T, const APFloat &F) {
  return makeValue(T, F.bitcastToAPInt());
}

static Expected<Value> convertWide(const Value &V, Type To) {
  constexpr auto Nearest = APFloat::rmNearestTiesToEven;
  if (V.Type.isIntegral()) {
    const bool IsSigned = V.Type.Kind == Type::Signed;
    const APInt From = toInteger(V);
    if (To.isIntegral())
      return makeValue(To, IsSigned ? From.sextOrTrunc(To.getWidth())
                                    : From.zextOrTrunc(To.getWidth()));
    APFloat F(getSemantics(To));
    F.convertFromAPInt(From, IsSigned, Nearest);
    return makeFloat(To, F);
  }
  APFloat F = toFloat(V);
  if (!To.isIntegral()) {
    bool LosesInfo;
    F.convert(getSemantics(To), Nearest, &LosesInfo);
    return makeFloat(To, F);
  }
  APSInt Whole(To.getWidth(), /*isUnsigned=*/To.Kind != Type::Signed);
  bool IsExact;
  if (F.convertToInteger(Whole, APFloat::rmTowardZero, &IsExact) &
      APFloat::opInvalidOp)
    return failed(
        "a float is out of the range of the integer it is converted to");
  return makeValue(To, Whole);
}

static Expected<Value> applyWideUnary(uint8_t Operation, const Value &A) {
  const Type T = A.Type;
  if (!T.isIntegral()) {
    APFloat F = toFloat(A);
    if (Operation == DW_OP_not)
      return illFormed("needs an integral value");
    if (Operation == DW_OP_neg)
      F.changeSign();
    else
      F.clearSign();
    return makeFloat(T, F);
  }
  const APInt I = toInteger(A);
  if (Operation == DW_OP_neg)
    return makeValue(T, -I);
  if (Operation == DW_OP_not)
    return makeValue(T, ~I);
  return makeValue(T, T.Kind == Type::Unsigned ? I : I.abs());
}

static std::optional<bool> compare(uint8_t Operation, int Order) {
  switch (Operation) {
  case DW_OP_eq:
    return Order == 0;
  case DW_OP_ne:
    return Order != 0;
  case DW_OP_lt:
    return Order < 0;
  case DW_OP_le:
    return Order <= 0;
  case DW_OP_gt:
    return Order > 0;
  case DW_OP_ge:
    return Order >= 0;
  default:
    return std::nullopt;
  }
}

static Expected<Value> applyWideFloat(uint8_t Operation, const Value &A,
                                      const Value &B) {
  constexpr auto Nearest = APFloat::rmNearestTiesToEven;
  APFloat X = toFloat(A);
  const APFloat Y = toFloat(B);
  const APFloat::cmpResult Order = X.compare(Y);
  if (const std::optional<bool> Truth =
          compare(Operation, Order == APFloat::cmpEqual      ? 0
                             : Order == APFloat::cmpLessThan ? -1
                                                             : 1)) {
    // What isn't a number is unequal to all, and not ordered.
    const bool IsUnordered = Order == APFloat::cmpUnordered;
    return Value(Type(), IsUnordered ? Operation == DW_OP_ne : *Truth);
  }
  switch (Operation) {
  case DW_OP_plus:
    X.add(Y, Nearest);
    break;
  case DW_OP_minus:
    X.subtract(Y, Nearest);
    break;
  case DW_OP_mul:
    X.multiply(Y, Nearest);
    break;
  case DW_OP_div:
    X.divide(Y, Nearest);
    break;
  default:
    return illFormed("needs integral values");
  }
  return makeFloat(A.Type, X);
}

static Expected<APInt> applyInteger(uint8_t Operation, Type::Encoding Kind,
                                    const APInt &X, const APInt &Y) {
  switch (Operation) {
  case DW_OP_and:
    return X & Y;
  case DW_OP_or:
    return X | Y;
  case DW_OP_xor:
    return X ^ Y;
  case DW_OP_plus:
    return X + Y;
  case DW_OP_minus:
    return X - Y;
  case DW_OP_mul:
    return X * Y;
  case DW_OP_div:
  case DW_OP_mod:
    if (Y.isZero())
      return failed("division by zero");
    if (Operation == DW_OP_div)
      return Kind == Type::Unsigned ? X.udiv(Y) : X.sdiv(Y);
    return Kind == Type::Signed ? X.srem(Y) : X.urem(Y);
  default:
    return illFormed("not a binary operation");
  }
}

static Expected<Value> applyWideBinary(uint8_t Operation, const Value &A,
                                       const Value &B) {
  const Type T = A.Type;
  const APInt X = toInteger(A), Y = toInteger(B);
  if (Operation == DW_OP_shl || Operation == DW_OP_shr ||
      Operation == DW_OP_shra) {
    if (!T.isIntegral() || !B.Type.isIntegral())
      return illFormed("needs integral values");
    const unsigned Count = unsigned(Y.getLimitedValue(X.getBitWidth()));
    return makeValue(T, Operation == DW_OP_shl   ? X.shl(Count)
                        : Operation == DW_OP_shr ? X.lshr(Count)
                                                 : X.ashr(Count));
  }
  if (T != B.Type)
    return illFormed("the values are of different types");
  if (!T.isIntegral())
    return applyWideFloat(Operation, A, B);
  const bool IsLess = T.Kind == Type::Unsigned ? X.ult(Y) : X.slt(Y);
  if (std::optional<bool> Truth = compare(Operation, X == Y   ? 0
                                                     : IsLess ? -1
                                                              : 1))
    return Value(Type(), *Truth);
  Expected<APInt> Result = applyInteger(Operation, T.Kind, X, Y);
  if (!Result)
    return Result.takeError();
  return makeValue(T, *Result);
}

std::string Value::describe() const {
  SmallString<64> Text;
  if (Type.isWide() && Type.isIntegral())
    toInteger(*this).toString(Text, /*Radix=*/10,
                              Type.Kind == location::Type::Signed);
  else if (Type.isWide())
    toFloat(*this).toString(Text);
  else if (!Type.isIntegral())
    return formatv("{0}", getFloat());
  else if (Type.Kind == location::Type::Signed)
    return std::to_string(getSigned());
  else if (Bits > 9)
    return formatv("{0} ({0:x})", Bits);
  else
    return std::to_string(Bits);
  return Text.str().str();
}

//===-- All types ---------------------------------------------------------===//

Expected<Value> wavelane::location::convert(const Value &V, Type To) {
  if (V.Type.isWide() || To.isWide())
    return convertWide(V, To);
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
  const double Limit = std::ldexp(1.0, int(To.getWidth()) - (IsSigned ? 1 : 0));
  if (!(Whole < Limit) || Whole < (IsSigned ? -Limit : -0.0))
    return failed(
        "a float is out of the range of the integer it is converted to");
  return Value(To, IsSigned ? uint64_t(int64_t(Whole)) : uint64_t(Whole));
}

Expected<Value> wavelane::location::reinterpret(const Value &V, Type To) {
  if (V.Type.Size != To.Size)
    return illFormed("the types are of " + Twine(V.Type.Size) + " and " +
                     Twine(To.Size) + " bytes");
  return Value(To, V.Bits, V.High);
}

void wavelane::location::alignGeneric(Value &A, Value &B) {
  const bool IsGenericA = A.Type.Kind == Type::Generic;
  if (!A.Type.isIntegral() || !B.Type.isIntegral() ||
      IsGenericA == (B.Type.Kind == Type::Generic))
    return;
  Type To = IsGenericA ? B.Type : A.Type;
  To.Kind = Type::Signed;
  Value &Generic = IsGenericA ? A : B, &Other = IsGenericA ? B : A;
  const uint64_t Bits = uint64_t(Generic.getSigned());
  Generic = Value(To, Bits, Generic.getSigned() < 0 ? ~uint64_t(0) : 0);
  Other = Value(To, Other.Bits, Other.High);
}

Expected<Value> wavelane::location::applyUnary(uint8_t Operation,
                                               const Value &A) {
  const Type T = A.Type;
  if (T.isWide())
    return applyWideUnary(Operation, A);
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
  if (T.isWide() || B.Type.isWide())
    return applyWideBinary(Operation, A, B);
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

  const unsigned Width = T.getWidth();
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
