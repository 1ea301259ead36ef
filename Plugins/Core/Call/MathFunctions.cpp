//===-- MathFunctions.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MathFunctions.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lldb_private::wavelane;
using ::wavelane::gpu::SmallFloat;

#define UNARY(name)                                                            \
  {#name, 1, [](const double *x) -> double { return std::name(x[0]); },        \
   [](const float *x) -> float { return std::name(x[0]); }}
#define BINARY(name)                                                           \
  {#name, 2, [](const double *x) -> double { return std::name(x[0], x[1]); },  \
   [](const float *x) -> float { return std::name(x[0], x[1]); }}

static constexpr MathFunction g_functions[] = {
    UNARY(acos),
    UNARY(acosh),
    UNARY(asin),
    UNARY(asinh),
    UNARY(atan),
    BINARY(atan2),
    UNARY(atanh),
    UNARY(cbrt),
    UNARY(ceil),
    BINARY(copysign),
    UNARY(cos),
    UNARY(cosh),
    UNARY(erf),
    UNARY(erfc),
    UNARY(exp),
    UNARY(exp2),
    UNARY(expm1),
    UNARY(fabs),
    BINARY(fdim),
    UNARY(floor),
    {"fma", 3,
     [](const double *x) -> double { return std::fma(x[0], x[1], x[2]); },
     [](const float *x) -> float { return std::fma(x[0], x[1], x[2]); }},
    BINARY(fmax),
    BINARY(fmin),
    BINARY(fmod),
    BINARY(hypot),
    UNARY(lgamma),
    UNARY(log),
    UNARY(log10),
    UNARY(log1p),
    UNARY(log2),
    UNARY(nearbyint),
    BINARY(pow),
    BINARY(remainder),
    UNARY(rint),
    UNARY(round),
    UNARY(sin),
    UNARY(sinh),
    UNARY(sqrt),
    UNARY(tan),
    UNARY(tanh),
    UNARY(tgamma),
    UNARY(trunc),
};

#undef UNARY
#undef BINARY

const MathFunction *
lldb_private::wavelane::FindMathFunction(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      g_functions, [&](const MathFunction &f) { return name == f.name; });
  return found == std::end(g_functions) ? nullptr : found;
}

double lldb_private::wavelane::GetSmallFloatKind(const SmallFloat &kind) {
  return kind.Exponent + 16 * kind.Mantissa + 256 * kind.IsFNUZ;
}

static SmallFloat FindSmallFloat(double code) {
  const auto number = unsigned(code);
  SmallFloat kind;
  kind.Exponent = number % 16;
  kind.Mantissa = number / 16 % 16;
  kind.IsFNUZ = number / 256;
  return kind;
}

const MathFunction &lldb_private::wavelane::GetSmallFloatDecoder() {
  static constexpr MathFunction g_decoder = {
      "a small number", 2,
      [](const double *x) -> double {
        return FindSmallFloat(x[1]).decode(uint32_t(x[0]));
      },
      nullptr};
  return g_decoder;
}

const MathFunction &lldb_private::wavelane::GetSmallFloatEncoder() {
  static constexpr MathFunction g_encoder = {
      "the nearest small number", 2,
      [](const double *x) -> double {
        return FindSmallFloat(x[1]).encode(x[0]);
      },
      nullptr};
  return g_encoder;
}
