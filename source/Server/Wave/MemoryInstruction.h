//===-- MemoryInstruction.h - Where an instruction reaches ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ROCdbgapi reports a memory violation, but not its address. The instruction at
// which the wave is stopped names the registers with its lanes' addresses.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_WAVE_MEMORYINSTRUCTION_H
#define WAVELANE_SERVER_WAVE_MEMORYINSTRUCTION_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace wavelane::server {

/// An access to global memory: address of a lane =
/// vector registers (64 or 32 bits) + scalar registers + offset.
struct MemoryInstruction {
  bool is_store = false;
  bool is_atomic = false;
  /// The first vector register of the address, and whether it is a pair.
  std::optional<unsigned> vector;
  bool is_vector_pair = false;
  /// The first scalar register of a pair.
  std::optional<unsigned> scalar;
  /// A 32-bit scalar register that is added to the address.
  std::optional<unsigned> scalar_offset;
  int64_t offset = 0;
  /// The bytes that a lane accesses; 0 if unknown.
  unsigned size = 0;
  /// Its result replaces a part of the address.
  bool overwrites_address = false;

  /// Parses an instruction as printed by LLVM; nullopt for instructions that
  /// don't access global memory by an address in registers.
  static std::optional<MemoryInstruction> Parse(llvm::StringRef text);
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_MEMORYINSTRUCTION_H
