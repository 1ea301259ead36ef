//===-- ArrayRowsFormatter.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayRowsFormatter.h"
#include "Core/Format/ValueText.h"
#include "Core/Support/SummaryFlags.h"
#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Stream.h"
#include "lldb/ValueObject/ValueObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool IsOfGPU(ValueObject &value) {
  TargetSP target_sp = value.GetTargetSP();
  return target_sp &&
         target_sp->GetArchitecture().GetMachine() == llvm::Triple::amdgcn;
}

static bool PrintRows(ValueObject &value, Stream &stream,
                      const TypeSummaryOptions &) {
  if (!IsOfGPU(value))
    return false;
  for (const std::string &row : FormatRows(value))
    stream.Format("\n  {0}", row);
  return true;
}

namespace {
/// LLDB shows other programs' arrays.
class RowsSummary : public CXXFunctionSummaryFormat {
public:
  using CXXFunctionSummaryFormat::CXXFunctionSummaryFormat;
  bool DoesPrintChildren(ValueObject *value) const override {
    return !value || !IsOfGPU(*value);
  }
};
} // namespace

void lldb_private::wavelane::InitializeArrayRowsFormatter() {
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("gpu-arrays"),
                                             category_sp);
  TypeSummaryImpl::Flags flags = GetSummaryFlags();
  category_sp->AddTypeSummary(
      "\\[[0-9]+\\]\\[[0-9]+\\]$", eFormatterMatchRegex,
      std::make_shared<RowsSummary>(flags, PrintRows, "array in rows"));
}
