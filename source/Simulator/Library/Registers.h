//===-- Registers.h - The registers of each GPU -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_REGISTERS_H
#define WAVELANE_SIMULATOR_LIBRARY_REGISTERS_H

#include "wavelane/DebugAPI/amd-dbgapi.h"
#include "wavelane/Simulator/SaveArea.h"
#include <map>
#include <string>
#include <vector>

namespace wavelane::library {

/// Where a register's value comes from.
enum class RegisterKind : uint8_t {
  Vector,
  AccVector,
  Scalar,
  ScalarAlias, ///< an SGPR number whose place VCC and its like have taken
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
  std::string name;
  RegisterKind kind;
  uint16_t index = 0; ///< number in its kind, or the HwReg
  uint8_t lanes = 0;  ///< form for waves of so many lanes; 0: all
  uint8_t classes = 0;
  uint32_t size = 4;
  const char *type = nullptr;
  int64_t dwarf = -1; ///< -1: none
  uint32_t properties = 0;
};

/// One GPU and what a debugger may know of it without a process.
struct ArchitectureInfo {
  const savearea::Architecture *arch;
  std::vector<Register> registers;
  std::map<uint64_t, unsigned> byDwarf;
  unsigned pcRegister = 0;
  unsigned firstScalar = 0; ///< index of s0
  uint32_t breakpoint;      ///< s_trap 1
  uint32_t largestInstruction;
};

/// All GPUs; the handle of an architecture is its place here plus 1.
const std::vector<ArchitectureInfo> &allArchitectures();

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_REGISTERS_H
