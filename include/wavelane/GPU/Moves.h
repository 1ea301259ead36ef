//===-- Moves.h - instructions that compute nothing -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_GPU_MOVES_H
#define WAVELANE_GPU_MOVES_H

#include "llvm/ADT/StringRef.h"

namespace wavelane::gpu {

/// Whether an instruction only moves a constant or a register, or is one of
/// those that make the address of a variable or the base of local memory.
/// \param[in] Name  LLVM's name of its opcode, such as "S_MOV_B32_vi".
bool isMove(llvm::StringRef Name);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_MOVES_H
