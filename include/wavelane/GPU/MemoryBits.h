//===-- MemoryBits.h - how much memory is accessed --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_GPU_MEMORYBITS_H
#define WAVELANE_GPU_MEMORYBITS_H

namespace wavelane::gpu {

struct InstructionFacts;

/// How many bits of memory a store, a load or an atomic operation accesses in
/// each lane; 0 if the mnemonic doesn't say, as for images.
unsigned getMemoryBits(const InstructionFacts &Facts);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_MEMORYBITS_H
