//===-- RegisterSteps.h - what instructions do to registers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_REGISTERSTEPS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_REGISTERSTEPS_H

#include "Core/MachineCode/AMDGPUMachineCode.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A function that is called.
class CalledFunction {
public:
  virtual ~CalledFunction() = default;
  /// Whether it may write a register that the calling convention doesn't
  /// preserve.
  virtual bool MayWrite(const AMDGPUMachineCode::Register &reg) = 0;
};

/// An instruction of a GPU's function.
struct RegisterStep {
  using Register = AMDGPUMachineCode::Register;
  /// Which lanes a mask has behind an instruction.
  enum class Lanes : uint8_t {
    eExecuting, ///< some of those that execute it
    eMasks,     ///< some of those in the masks that it reads
    eUnknown    ///< any
  };

  lldb::addr_t pc = 0, end = 0;
  /// The registers that it writes, completely or partly.
  std::vector<Register> written;
  /// If all that it does is to copy: the registers that `written` come from, in
  /// their order.
  std::vector<Register> copied;
  /// It computes with numbers: it is neither a copy nor loads what it writes.
  bool computes = false;
  /// What it adds to a register, if that is a constant and all that it does.
  std::optional<int64_t> added;
  /// The scalar registers that it reads, without the mask of active lanes.
  std::vector<Register> masks;
  /// It may write any register: a call, or a number in another register. A
  /// call leaves those that the calling convention preserves.
  bool writes_any = false;
  bool calls = false;
  /// Of a call; null if nothing is known of it.
  CalledFunction *callee = nullptr;
  /// It writes a half of this address, which is near the code.
  std::optional<lldb::addr_t> address;
  /// It may change what is in memory.
  bool stores = false;
  /// How many bits it stores in each lane; 0 if that isn't known.
  unsigned stored_bits = 0;
  /// Others may notice it, so that a compiler keeps its order among such steps.
  bool is_ordered = false;
  /// A vector register that it writes keeps some of its lanes, or bits.
  bool is_partial = false;
  /// Of the mask of active lanes, and of another one that it writes.
  Lanes lanes = Lanes::eExecuting, mask = Lanes::eUnknown;
  bool reads_exec = false;
  bool falls_through = true;
  std::optional<size_t> target; ///< the number of a step

  /// Whether it may write a register that it doesn't name.
  bool MayWriteAny(const Register &reg) const;
  bool MayWrite(const Register &reg) const;
};

/// Reads a function's code, which begins at \a start.
/// \return Empty if it can't be followed.
std::vector<RegisterStep> ReadRegisterSteps(AMDGPUMachineCode &code,
                                            lldb::addr_t start,
                                            llvm::ArrayRef<uint8_t> bytes);

} // namespace wavelane
} // namespace lldb_private

#endif
