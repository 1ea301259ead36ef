//===-- Moves.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/Moves.h"

#include "wavelane/GPU/InstructionFacts.h"

#include "llvm/ADT/STLExtras.h"

bool wavelane::gpu::isMove(const InstructionFacts &Facts) {
  const llvm::StringRef Name = Facts.Name;
  // An address is s_getpc and an addition; the base of local memory is shifted
  // down.
  static constexpr llvm::StringLiteral Prefixes[] = {
      "s_mov_",     "s_movk_",     "v_mov_",   "v_pk_mov_",
      "v_accvgpr_", "s_lshr_b64",  "s_getpc_", "s_add_",
      "s_addc_",    "v_readlane_", "s_nop"};
  return llvm::any_of(Prefixes, [&](llvm::StringRef Prefix) {
    return Name.starts_with(Prefix);
  });
}
