//===-- Moves.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/Moves.h"
#include "llvm/ADT/STLExtras.h"

bool wavelane::gpu::isMove(llvm::StringRef Name) {
  // An address is S_GETPC and an addition; the base of local memory is shifted
  // down.
  static constexpr llvm::StringLiteral Prefixes[] = {
      "S_MOV_",     "S_MOVK_",     "V_MOV_",   "V_PK_MOV_",
      "V_ACCVGPR_", "S_LSHR_B64",  "S_GETPC_", "S_ADD_",
      "S_ADDC_",    "V_READLANE_", "S_NOP"};
  return llvm::any_of(Prefixes, [&](llvm::StringRef Prefix) {
    return Name.starts_with(Prefix);
  });
}
