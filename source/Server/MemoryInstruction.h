//===-- MemoryInstruction.h - Where an instruction reaches ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ROCdbgapi tells of a memory violation but not of its address. The instruction
// at which a wave stands says which registers hold the addresses of its lanes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_MEMORYINSTRUCTION_H
#define WAVELANE_SERVER_MEMORYINSTRUCTION_H

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
  /// First vector register of the address, and whether it is a pair.
  std::optional<unsigned> vector;
  bool is_vector_pair = false;
  /// First scalar register of a pair.
  std::optional<unsigned> scalar;
  /// A scalar register, 32 bits, added to the address.
  std::optional<unsigned> scalar_offset;
  int64_t offset = 0;

  /// From the text of an instruction as LLVM prints it; nullopt for those that
  /// don't reach global memory by an address in registers.
  static std::optional<MemoryInstruction> Parse(llvm::StringRef text);
};

/// The upper halves of generic addresses that lead to local and private memory.
constexpr uint64_t LocalAperture = 0x10000, PrivateAperture = 0x20000;

/// "0x2000", "local#0x10": a generic address as a person types it.
std::string FormatAddress(uint64_t address);

/// "0-3,17": a set of lanes.
std::string FormatLanes(uint64_t lanes);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_MEMORYINSTRUCTION_H
