//===-- SmallFloat.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace wavelane::gpu;

static bool consume(std::string_view &Text, std::string_view Prefix) {
  if (Text.substr(0, Prefix.size()) != Prefix)
    return false;
  Text.remove_prefix(Prefix.size());
  return true;
}

/// A decimal number of at most three digits.
static std::optional<unsigned> consumeNumber(std::string_view &Text) {
  unsigned Value = 0;
  size_t Digits = 0;
  for (; Digits < 3 && Digits < Text.size() && Text[Digits] >= '0' &&
         Text[Digits] <= '9';
       ++Digits)
    Value = Value * 10 + unsigned(Text[Digits] - '0');
  Text.remove_prefix(Digits);
  return Digits ? std::optional(Value) : std::nullopt;
}

/// "e4m3".
static std::optional<SmallFloat> consumeKind(std::string_view &Text) {
  SmallFloat Result;
  if (!consume(Text, "e"))
    return std::nullopt;
  const std::optional<unsigned> Exponent = consumeNumber(Text);
  if (!Exponent || !consume(Text, "m"))
    return std::nullopt;
  const std::optional<unsigned> Mantissa = consumeNumber(Text);
  if (!Mantissa || *Exponent < 1 || *Exponent > 8 || *Mantissa > 10)
    return std::nullopt;
  Result.Exponent = *Exponent;
  Result.Mantissa = *Mantissa;
  return Result;
}

std::optional<SmallFloat> SmallFloat::ofClass(std::string_view Name) {
  constexpr unsigned MostNumbers = 64;
  if (Name == "__half")
    return SmallFloat{5, 10};
  if (Name == "hip_bfloat16" || Name == "__hip_bfloat16")
    return SmallFloat{8, 7};
  if (Name == "__hip_bfloat162")
    return SmallFloat{8, 7, /*Count=*/2};
  if (!consume(Name, "__hip"))
    return std::nullopt;
  consume(Name, "ext_ocp");
  if (!consume(Name, "_fp"))
    return std::nullopt;
  const std::optional<unsigned> Bits = consumeNumber(Name);
  unsigned Count = 1;
  if (consume(Name, "x"))
    Count = consumeNumber(Name).value_or(0);
  if (!Bits || !consume(Name, "_"))
    return std::nullopt;
  std::optional<SmallFloat> Result = consumeKind(Name);
  if (!Result)
    return std::nullopt;
  Result->Count = Count;
  Result->IsFNUZ = consume(Name, "_fnuz");
  if (!Name.empty() || Result->bits() != *Bits || *Bits > 8 || !Count ||
      Count > MostNumbers)
    return std::nullopt;
  return Result;
}

std::string SmallFloat::name() const {
  return "e" + std::to_string(Exponent) + "m" + std::to_string(Mantissa) +
         (IsFNUZ ? "fnuz" : "");
}

std::optional<SmallFloat> SmallFloat::ofName(std::string_view Name) {
  std::optional<SmallFloat> Result = consumeKind(Name);
  if (!Result)
    return std::nullopt;
  Result->IsFNUZ = consume(Name, "fnuz");
  return Name.empty() ? Result : std::nullopt;
}

uint32_t SmallFloat::largest() const {
  if (hasInfinity())
    return (((1u << Exponent) - 1) << Mantissa) - 1;
  const uint32_t All = (1u << (Exponent + Mantissa)) - 1;
  // Of the OCP's formats without infinities, only e4m3 has a NaN.
  return Exponent == 4 && Mantissa == 3 && !IsFNUZ ? All - 1 : All;
}

double SmallFloat::decode(uint32_t Bits) const {
  const uint32_t Magnitude = Bits & ((1u << (Exponent + Mantissa)) - 1);
  const bool IsNegative = Bits >> (Exponent + Mantissa) & 1;
  const double NaN = std::numeric_limits<double>::quiet_NaN();
  if (IsFNUZ && IsNegative && !Magnitude)
    return NaN;
  double Value;
  if (Magnitude > largest()) {
    if (!hasInfinity() || Magnitude > largest() + 1)
      return NaN;
    Value = std::numeric_limits<double>::infinity();
  } else {
    const uint32_t Fraction = Magnitude & ((1u << Mantissa) - 1);
    const int Power = int(Magnitude >> Mantissa);
    Value = Power ? std::ldexp(Fraction | 1u << Mantissa,
                               Power - bias() - int(Mantissa))
                  : std::ldexp(Fraction, 1 - bias() - int(Mantissa));
  }
  return IsNegative ? -Value : Value;
}

uint32_t SmallFloat::encode(double Value) const {
  const uint32_t Sign = 1u << (Exponent + Mantissa);
  if (std::isnan(Value)) {
    if (IsFNUZ)
      return Sign;
    if (hasInfinity())
      return (largest() + 1) | 1u << (Mantissa - 1);
    return largest() == Sign - 1 ? largest() : largest() + 1;
  }
  const double Size = std::fabs(Value);
  uint32_t Bits = largest() + 1;
  if (Size < std::ldexp(1, 1 << Exponent)) {
    const int Least = 1 - bias();
    const int Power = Size > 0 ? std::max(std::ilogb(Size), Least) : Least;
    const double Steps =
        std::nearbyint(std::ldexp(Size, int(Mantissa) - Power));
    Bits = (uint32_t(Power - Least) << Mantissa) + uint32_t(Steps);
  }
  if (Bits > largest())
    Bits = largest() + (hasInfinity() && bits() == 16);
  if (IsFNUZ && !Bits)
    return 0;
  return Bits | (std::signbit(Value) ? Sign : 0);
}
