//===-- ProgramCoupling.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgramCoupling.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

static ProgramCouplings g_couplings;

void lldb_private::wavelane::SetProgramCouplings(
    const ProgramCouplings &couplings) {
  g_couplings = couplings;
}

const ProgramCouplings &lldb_private::wavelane::GetProgramCouplings() {
  return g_couplings;
}
