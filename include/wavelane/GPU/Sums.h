//===-- Sums.h - instructions that add a constant ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_GPU_SUMS_H
#define WAVELANE_GPU_SUMS_H

namespace wavelane::gpu {

struct InstructionFacts;

/// What an instruction does with a constant and a register of 32 bits: 1 if it
/// adds them, -1 if it subtracts the constant, 0 for all others.
/// \param[in] IsFirst  Whether the constant is its first source operand.
int getConstantSign(const InstructionFacts &Facts, bool IsFirst);

/// Whether it adds the carry of a sum of scalars: the upper half of one of 64
/// bits.
bool addsScalarCarry(const InstructionFacts &Facts);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_SUMS_H
