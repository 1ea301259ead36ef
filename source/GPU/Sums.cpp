//===-- Sums.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/Sums.h"

#include "wavelane/GPU/InstructionFacts.h"

int wavelane::gpu::getConstantSign(const InstructionFacts &Facts,
                                   bool IsFirst) {
  if (!Facts.IsPlain)
    return 0;
  if (Facts.Sum == ScalarSum::Add || Facts.Sum == ScalarSum::AddShort ||
      Facts.Name == "v_add_u32" || Facts.Name == "v_add_i32")
    return 1;
  if (IsFirst)
    return Facts.Name == "v_subrev_u32" ? -1 : 0;
  return Facts.Sum == ScalarSum::Subtract || Facts.Name == "v_sub_u32" ? -1 : 0;
}

bool wavelane::gpu::addsScalarCarry(const InstructionFacts &Facts) {
  return Facts.Name == "s_addc_u32";
}
