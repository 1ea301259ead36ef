//===-- HIPBuiltins.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HIPBuiltins.h"
#include "HIPFunctions.h"
#include "SymbolFile/LaneDWARF/Builtins.h"

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

void lldb_private::wavelane::InitializeHIPBuiltins() {
  SetLanguageBuiltins(
      {g_variables, g_header_prefixes, "__hip_coordinates", GetHIPFunctions()});
}
