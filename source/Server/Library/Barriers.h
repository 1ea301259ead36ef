//===-- Barriers.h - Where GPU code waits for other waves -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_BARRIERS_H
#define WAVELANE_SERVER_LIBRARY_BARRIERS_H

#include "llvm/Object/ELFObjectFile.h"
#include <optional>
#include <vector>

namespace wavelane::server {

/// An instruction at which a wave waits for its workgroup or its grid:
/// s_barrier, s_barrier_wait, ds_gws_barrier.
struct BarrierInstruction {
  uint64_t address; ///< in the ELF file
  /// The entry of the kernel that contains the instruction, an address in the
  /// ELF file; nullopt in a function, which several kernels may call.
  std::optional<uint64_t> kernel;
};

/// The barriers of a code object, by address. Decodes each function from its
/// beginning, up to the first bytes that aren't an instruction: constants after
/// them may look like barriers.
std::vector<BarrierInstruction>
FindBarriers(const llvm::object::ELF64LEObjectFile &elf);

/// The instructions at which a wave of the kernel at \p entry may end, or of
/// functions that it may call: addresses in the ELF file.
std::vector<uint64_t> FindEnds(const llvm::object::ELF64LEObjectFile &elf,
                               uint64_t entry);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_BARRIERS_H
