//===-- SmallFloatFormatters.cpp ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SmallFloatFormatters.h"
#include "Core/Support/SummaryFlags.h"

#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/DataFormatters/TypeCategory.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Status.h"
#include "lldb/Utility/Stream.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/Support/Regex.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
struct SmallFloat {
  unsigned exponent = 0, mantissa = 0;
  unsigned count = 1; ///< The number of consecutive numbers in an object.
  /// It has one NaN, in place of -0, and a bias greater by one.
  bool is_fnuz = false;

  unsigned GetBits() const { return 1 + exponent + mantissa; }
  /// Parses a class's name; nullopt for others.
  static std::optional<SmallFloat> Parse(llvm::StringRef type);
  double Decode(uint32_t bits) const;
};
} // namespace

std::optional<SmallFloat> SmallFloat::Parse(llvm::StringRef type) {
  SmallFloat result;
  if (type == "hip_bfloat16" || type == "__hip_bfloat16") {
    result.exponent = 8;
    result.mantissa = 7;
    return result;
  }
  llvm::SmallVector<llvm::StringRef, 6> parts;
  static const llvm::Regex regex(
      "^__hip(ext_ocp)?_fp([468])(x[0-9]+)?_e([0-9])m([0-9])(_fnuz)?$");
  if (!regex.match(type, &parts))
    return std::nullopt;
  unsigned bits = 0;
  llvm::StringRef count = parts[3];
  if (parts[2].getAsInteger(10, bits) ||
      parts[4].getAsInteger(10, result.exponent) ||
      parts[5].getAsInteger(10, result.mantissa) ||
      (count.consume_front("x") && count.getAsInteger(10, result.count)))
    return std::nullopt;
  result.is_fnuz = !parts[6].empty();
  if (result.GetBits() != bits || !result.exponent || !result.count ||
      result.count > 64)
    return std::nullopt;
  return result;
}

double SmallFloat::Decode(uint32_t bits) const {
  const uint32_t fraction = bits & ((1u << mantissa) - 1);
  const uint32_t power = bits >> mantissa & ((1u << exponent) - 1);
  const bool is_negative = bits >> (exponent + mantissa) & 1;
  const bool is_last = power == (1u << exponent) - 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const int bias = (1 << (exponent - 1)) - (is_fnuz ? 0 : 1);
  double value;
  if (is_fnuz && is_negative && !power && !fraction)
    return nan;
  // Of the OCP's formats, only e5m2 has infinities; e4m3 has one NaN, and
  // smaller ones have none.
  if (is_last && !is_fnuz && exponent >= 5) {
    if (fraction)
      return nan;
    value = std::numeric_limits<double>::infinity();
  } else if (is_last && !is_fnuz && GetBits() == 8 && exponent == 4 &&
             fraction == 7) {
    return nan;
  } else if (!power) {
    value = std::ldexp(fraction, 1 - bias - int(mantissa));
  } else {
    value = std::ldexp(fraction | 1u << mantissa,
                       int(power) - bias - int(mantissa));
  }
  return is_negative ? -value : value;
}

static bool PrintNumbers(ValueObject &value, Stream &stream,
                         const TypeSummaryOptions &) {
  std::optional<SmallFloat> kind = SmallFloat::Parse(
      value.GetCompilerType().GetCanonicalType().GetTypeName().GetStringRef());
  DataExtractor data;
  Status error;
  if (!kind)
    return false;
  value.GetData(data, error);
  const unsigned bits = kind->GetBits();
  if (error.Fail() || data.GetByteSize() * 8 < uint64_t(bits) * kind->count)
    return false;
  const uint8_t *bytes = data.GetDataStart();
  if (kind->count > 1)
    stream.PutChar('(');
  for (unsigned i = 0; i < kind->count; ++i) {
    uint32_t number = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      const unsigned at = i * bits + bit;
      number |= uint32_t(bytes[at / 8] >> at % 8 & 1) << bit;
    }
    const double decoded = kind->Decode(number);
    if (i)
      stream.PutCString(", ");
    if (std::isnan(decoded))
      stream.PutCString("nan");
    else
      stream.Printf("%.9g", decoded);
  }
  if (kind->count > 1)
    stream.PutChar(')');
  return true;
}

void lldb_private::wavelane::InitializeSmallFloatFormatters() {
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("hip"), category_sp);
  TypeSummaryImpl::Flags flags = GetSummaryFlags();
  for (const char *type :
       {"^(__)?hip_bfloat16$",
        "^__hip(ext_ocp)?_fp[468](x[0-9]+)?_e[0-9]m[0-9](_fnuz)?$"})
    category_sp->AddTypeSummary(
        type, eFormatterMatchRegex,
        std::make_shared<CXXFunctionSummaryFormat>(
            flags, PrintNumbers, "small floating-point number"));
  // LLDB 22 knows the type as a number, and shows it in hexadecimal.
  category_sp->AddTypeFormat(
      "_Float16", eFormatterMatchExact,
      std::make_shared<TypeFormatImpl_Format>(
          eFormatFloat,
          TypeFormatImpl::Flags().SetCascades(true).SetSkipPointers(true)));
}
