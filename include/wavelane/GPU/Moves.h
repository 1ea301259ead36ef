//===-- Moves.h - instructions that compute nothing -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_GPU_MOVES_H
#define WAVELANE_GPU_MOVES_H

namespace wavelane::gpu {

struct InstructionFacts;

/// Whether an instruction only moves a constant or a register, or is one of
/// those that make the address of a variable or the base of local memory.
bool isMove(const InstructionFacts &Facts);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_MOVES_H
