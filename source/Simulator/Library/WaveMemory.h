//===-- WaveMemory.h - Local and private memory of waves --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_WAVEMEMORY_H
#define WAVELANE_SIMULATOR_LIBRARY_WAVEMEMORY_H

#include "Memory.h"
#include "Objects.h"

namespace wavelane::library {

/// An address space by its DWARF number.
enum Space {
  Global = 0,
  Generic = 1,
  Local = 3,
  PrivateLane = 5,
  PrivateWave = 6
};

/// The wave's part of its queue's scratch memory; None where it has none.
std::optional<savearea::ScratchSlot> scratch(const Wave &wave);

/// Local or private memory of a wave whose queue is suspended. \p size is what
/// was done. Exactly one buffer.
Status transferSegment(ProgramMemory &memory, const Wave &wave, uint32_t lane,
                       Space space, uint64_t address, uint64_t &size,
                       void *read, const void *write);

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_WAVEMEMORY_H
