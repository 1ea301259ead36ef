//===-- HIPBuiltins.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HIPBuiltins.h"
#include "Core/Support/SummaryFlags.h"
#include "HIPFunctions.h"
#include "SymbolFile/LaneDWARF/Builtins.h"
#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/DataFormatters/TypeSummary.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr BuiltinVariable g_variables[] = {
    {"threadIdx", LaneSource::eWorkItem},
    {"blockIdx", LaneSource::eWorkgroup},
    {"blockDim", LaneSource::eWorkgroupSize},
    {"gridDim", LaneSource::eWorkgroupCount},
    {"warpSize", LaneSource::eLaneCount},
};

static constexpr llvm::StringLiteral g_header_prefixes[] = {"__HIP_", "__hip_"};

/// Without a summary, an editor shows a value in three dimensions by its type.
void lldb_private::wavelane::InitializeHIPSummaries() {
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("hip"), category_sp);
  TypeSummaryImpl::Flags flags = GetSummaryFlags();
  flags.SetShowMembersOneLiner(true);
  for (const char *type :
       {"__hip_coordinates", "__wavelane_coordinates", "dim3"})
    category_sp->AddTypeSummary(
        type, eFormatterMatchExact,
        std::make_shared<StringSummaryFormat>(flags, ""));
  // $_dispatch_pos and its like: GPUExpression.cpp.
  category_sp->AddTypeSummary(
      "__wavelane_text", eFormatterMatchExact,
      std::make_shared<StringSummaryFormat>(GetSummaryFlags(), "${var.text}"));
}

void lldb_private::wavelane::InitializeHIPBuiltins() {
  SetLanguageBuiltins(
      {g_variables, g_header_prefixes, "__hip_coordinates", GetHIPFunctions});
}
