//===-- Registers.h - The registers of each GPU -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_REGISTERS_H
#define WAVELANE_DEBUGLIBRARY_REGISTERS_H

#include "wavelane/Formats/SaveArea/SaveArea.h"
#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include <map>
#include <string>
#include <vector>

namespace wavelane::library {

/// The source of a register's value.
enum class RegisterKind : uint8_t {
  Vector,
  AccVector,
  Scalar,
  ScalarAlias, ///< an SGPR number that VCC or a similar register has taken
  Trap,        ///< ttmp
  Hardware,    ///< one word of the hardware block
  PC,
  XnackMask,
  FlatScratch,
  Status,
  Exec,
  Vcc
};

enum RegisterClass : uint8_t {
  GeneralClass = 1,
  SystemClass = 2,
  TrapClass = 4,
  VectorClass = 8,
  ScalarClass = 16
};
constexpr unsigned RegisterClassCount = 5;
extern const char *const RegisterClassNames[RegisterClassCount];

struct Register {
  std::string Name;
  RegisterKind Kind;
  uint16_t Index = 0; ///< index in its kind, or the HwReg
  uint8_t Lanes = 0;  ///< the wave size of this form; 0 for all
  uint8_t Classes = 0;
  uint32_t Size = 4;
  const char *Type = nullptr;
  int64_t Dwarf = -1; ///< -1: none
  uint32_t Properties = 0;
};

/// The facts about a GPU that a debugger can know without a process.
struct ArchitectureInfo {
  const savearea::Architecture *Arch;
  std::vector<Register> Registers;
  std::map<uint64_t, unsigned> ByDwarf;
  unsigned PcRegister = 0;
  unsigned FirstScalar = 0; ///< index of s0
  uint32_t Breakpoint;      ///< s_trap 1
  uint32_t LargestInstruction;
};

/// All GPUs; the handle of an architecture is its index here plus 1.
const std::vector<ArchitectureInfo> &allArchitectures();

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_REGISTERS_H
