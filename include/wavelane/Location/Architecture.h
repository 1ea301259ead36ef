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

#include "wavelane/Location/Context.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace wavelane::location {

/// Registers with consecutive DWARF numbers.
struct RegisterRange {
  uint64_t First;
  unsigned Count;
  /// Bytes of one register.
  unsigned Size;
  /// Bytes of one lane's element; 0 if all lanes share the register.
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
  /// Bytes of an address in the default space.
  unsigned AddressSize;
  /// Lanes of a hardware wave; 1 on a CPU, where the program defines its lanes.
  unsigned WaveLanes;
  /// DWARF register number of the stack pointer.
  uint64_t StackPointer;
  /// DWARF register number of the return address in call frame information.
  uint64_t ReturnAddress;
  /// What a register without a rule has in the caller: its value here (true),
  /// or an unknown value.
  bool KeepsRegisters;
  llvm::ArrayRef<RegisterRange> Registers;
  llvm::ArrayRef<NumberedSpace> Spaces;

  /// \return Null for a number that names no register.
  const RegisterRange *findRegister(uint64_t Number) const;
  /// "v3", "exec", "xmm17".
  std::optional<std::string> getRegisterName(uint64_t Number) const;
  std::optional<uint64_t> getRegisterNumber(llvm::StringRef Name) const;
  std::optional<AddressSpace> getAddressSpace(uint64_t Number) const;

  /// "amdgpu-wave32", "amdgpu-wave64", "x86_64" (SSE), "x86_64-avx",
  /// "x86_64-avx512". \return Null for another name.
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
