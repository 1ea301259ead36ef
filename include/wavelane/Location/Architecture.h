//===-- Architecture.h - registers and address spaces by number -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DWARF's numbers for registers and address spaces: AMDGPU (LLVM's AMDGPUUsage,
// "Register Identifier" and "Address Space Identifier") and x86-64 (System V
// ABI, "DWARF Register Number Mapping"). A Context can be made from an
// Architecture; the engine itself doesn't use it.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_ARCHITECTURE_H
#define WAVELANE_LOCATION_ARCHITECTURE_H

#include "Context.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace wavelane::location {

/// Registers with consecutive DWARF numbers.
struct RegisterRange {
  uint64_t First;
  unsigned Count;
  /// The size of one register in bytes.
  unsigned Size;
  /// The size of one lane's element in bytes; 0 if all lanes share the
  /// register.
  unsigned ElementSize;
  /// A single register's name, or the part before the index: "v" of "v3".
  const char *Name;
  unsigned FirstIndex;
};

struct NumberedSpace {
  uint64_t Number;
  AddressSpace Space;
};

struct Architecture {
  const char *Name;
  /// The size in bytes of an address in the default space.
  unsigned AddressSize;
  /// The number of lanes of a hardware wave; 1 on a CPU, where the program
  /// defines its lanes.
  unsigned WaveLanes;
  /// The DWARF register number of the stack pointer.
  uint64_t StackPointer;
  /// The DWARF register number of the return address in call frame information.
  uint64_t ReturnAddress;
  /// The caller's value of a register without a rule: the same value (true), or
  /// an unknown value.
  bool KeepsRegisters;
  llvm::ArrayRef<RegisterRange> Registers;
  llvm::ArrayRef<NumberedSpace> Spaces;

  /// \return Null if no register has that number.
  const RegisterRange *findRegister(uint64_t Number) const;
  /// "v3", "exec", "xmm17".
  std::optional<std::string> getRegisterName(uint64_t Number) const;
  std::optional<uint64_t> getRegisterNumber(llvm::StringRef Name) const;
  std::optional<AddressSpace> getAddressSpace(uint64_t Number) const;

  /// Finds "amdgpu-wave32", "amdgpu-wave64", "x86_64" (SSE), "x86_64-avx" or
  /// "x86_64-avx512".
  /// \return Null for any other name.
  static const Architecture *find(llvm::StringRef Name);
  static llvm::ArrayRef<Architecture> getAll();
};

/// The private_wave address of a byte in a lane's private_lane memory: the
/// dwords of all lanes are interleaved (AMDGPUUsage, "Address Space
/// Identifier").
constexpr uint64_t getPrivateWaveAddress(uint64_t Address, uint32_t Lane,
                                         unsigned WaveLanes) {
  return Address / 4 * WaveLanes * 4 + uint64_t(Lane) * 4 + Address % 4;
}

} // namespace wavelane::location

#endif
