//===-- LocationParts.h - registers and constants of locations --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCATIONPARTS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCATIONPARTS_H

#include "Core/MachineCode/AMDGPUMachineCode.h"
#include "wavelane/SourceFacts/Assignments.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A part of an object, as a GPU's location has it: in a register, as a
/// constant, as a number that is computed from registers, or none of these.
struct LocationPart {
  using Register = AMDGPUMachineCode::Register;

  /// Its bits in the object.
  ::wavelane::source::BitRange bits;
  std::optional<Register> reg;
  /// With its sign.
  std::optional<uint64_t> constant;
  /// What it is computed from.
  std::vector<Register> computed_from;
  /// Its bytes: first the place, then its size.
  uint64_t begin = 0, place_end = 0, end = 0;
};

/// Reads a location that is a register, a constant, a computed number, or
/// pieces, also one to which clang 22 adds the space that an object would be
/// in: `bregx; lit1; swap; xderef`. Of a register, smaller integers may be
/// made.
/// \param[in] size  The object's, in bits.
/// \return Empty for anything else as a whole, as for what is in memory.
std::vector<LocationPart> ReadLocationParts(llvm::ArrayRef<uint8_t> bytes,
                                            uint64_t size);

/// The location in which some parts have no place.
std::vector<uint8_t> DropLocationParts(llvm::ArrayRef<uint8_t> bytes,
                                       const llvm::SmallBitVector &dropped);

/// A register by its number in DWARF; nullopt for special ones.
std::optional<LocationPart::Register> GetLocationRegister(uint64_t number);

/// The registers that are the whole of a location, each with all of its bits.
/// \return Empty for any other expression.
std::vector<LocationPart::Register>
GetLocationRegisters(llvm::ArrayRef<uint8_t> bytes);

/// The constant that a location is, if it is one and nothing else.
std::optional<int64_t> GetLocationConstant(llvm::ArrayRef<uint8_t> bytes);

/// Whether a location, or a part of it, is the address of a place on the stack,
/// as a value. Of a spilled register, clang 19 writes that instead of what is
/// in the place.
bool IsFrameAddress(llvm::ArrayRef<uint8_t> bytes);

/// Whether a location is a place on the stack, or one whose address is in a
/// register, as a whole.
bool IsInMemory(llvm::ArrayRef<uint8_t> bytes);

} // namespace wavelane
} // namespace lldb_private

#endif
