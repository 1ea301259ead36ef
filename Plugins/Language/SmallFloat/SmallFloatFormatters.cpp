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
#include "wavelane/GPU/SmallFloat.h"
#include <cmath>
#include <optional>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::SmallFloat;

static bool PrintNumbers(ValueObject &value, Stream &stream,
                         const TypeSummaryOptions &) {
  const std::optional<SmallFloat> kind = SmallFloat::ofClass(
      value.GetCompilerType().GetCanonicalType().GetTypeName().GetStringRef());
  DataExtractor data;
  Status error;
  if (!kind)
    return false;
  value.GetData(data, error);
  const unsigned bits = kind->bits();
  if (error.Fail() || data.GetByteSize() * 8 < uint64_t(bits) * kind->Count)
    return false;
  const uint8_t *bytes = data.GetDataStart();
  if (kind->Count > 1)
    stream.PutChar('(');
  for (unsigned i = 0; i < kind->Count; ++i) {
    uint32_t number = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      const unsigned at = i * bits + bit;
      number |= uint32_t(bytes[at / 8] >> at % 8 & 1) << bit;
    }
    const double decoded = kind->decode(number);
    if (i)
      stream.PutCString(", ");
    if (std::isnan(decoded))
      stream.PutCString("nan");
    else
      stream.Printf("%.9g", decoded);
  }
  if (kind->Count > 1)
    stream.PutChar(')');
  return true;
}

/// A scale of the microscaling formats: the exponent of a power of two.
static bool PrintScale(ValueObject &value, Stream &stream,
                       const TypeSummaryOptions &) {
  bool success = false;
  const int64_t exponent = value.GetValueAsSigned(0, &success);
  if (!success)
    return false;
  if (exponent == -128)
    stream.PutCString("nan");
  else
    stream.Printf("%.9g", std::ldexp(1.0, int(exponent)));
  return true;
}

void lldb_private::wavelane::InitializeSmallFloatFormatters() {
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("hip"), category_sp);
  TypeSummaryImpl::Flags flags = GetSummaryFlags();
  for (const char *type :
       {"^__half$", "^(__)?hip_bfloat16$", "^__hip_bfloat162$",
        "^__hip(ext_ocp)?_fp[468](x[0-9]+)?_e[0-9]m[0-9](_fnuz)?$"})
    category_sp->AddTypeSummary(
        type, eFormatterMatchRegex,
        std::make_shared<CXXFunctionSummaryFormat>(
            flags, PrintNumbers, "small floating-point number"));
  category_sp->AddTypeSummary("__amd_scale_t", eFormatterMatchExact,
                              std::make_shared<CXXFunctionSummaryFormat>(
                                  flags, PrintScale, "e8m0 scale"));
  // LLDB 22 knows the type as a number, and shows it in hexadecimal.
  category_sp->AddTypeFormat(
      "_Float16", eFormatterMatchExact,
      std::make_shared<TypeFormatImpl_Format>(
          eFormatFloat,
          TypeFormatImpl::Flags().SetCascades(true).SetSkipPointers(true)));
}
