//===-- WaveMemory.h - Local and private memory of waves --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_WAVEMEMORY_H
#define WAVELANE_DEBUGLIBRARY_WAVEMEMORY_H

#include "Memory.h"
#include "Objects.h"
#include "wavelane/GPU/AddressSpaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace wavelane::library {

/// An address space by its DWARF number.
enum Space {
  Global = gpu::space::Global,
  Generic = gpu::space::Generic,
  Local = gpu::space::Local,
  PrivateLane = gpu::space::PrivateLane,
  PrivateWave = gpu::space::PrivateWave
};

/// The wave's part of its queue's scratch memory; None if it has none.
std::optional<savearea::ScratchSlot> scratch(const Wave &W);

/// Called before global memory is written, with address, size and bytes.
using NoteWrite = llvm::function_ref<void(uint64_t, uint64_t, const void *)>;

/// Called before memory is written, with its global address, size and bytes.
using NoteWrite = llvm::function_ref<void(uint64_t, uint64_t, const void *)>;

/// Local or private memory of a wave whose queue is suspended. Sets \p size to
/// the number of bytes transferred. Exactly one buffer must be given.
Status transferSegment(ProgramMemory &Memory, const Wave &W, uint32_t Lane,
                       Space AS, uint64_t Address, uint64_t &Size, void *Read,
                       const void *Write, NoteWrite Note);

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_WAVEMEMORY_H
