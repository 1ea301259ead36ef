//===-- Instructions.h - What a debugger asks of instructions ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_INSTRUCTIONS_H
#define WAVELANE_SIMULATOR_LIBRARY_INSTRUCTIONS_H

#include "wavelane/DebugAPI/amd-dbgapi.h"
#include "wavelane/Simulator/SaveArea.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace wavelane::gpu {
class MachineCode;
}

namespace wavelane::library {

/// What one instruction does to the flow of control.
struct Instruction {
  enum class Flow : uint8_t {
    Sequential,
    Branch,
    ConditionalBranch,
    IndirectBranch,
    DirectCall,
    IndirectCall,
    GetPC,
    Other ///< reads or changes the PC in a way that is not modelled
  };
  enum class Condition : uint8_t {
    None,
    Scc0,
    Scc1,
    VccZ,
    VccNZ,
    ExecZ,
    ExecNZ,
    Other
  };
  uint64_t size = 0;
  amd_dbgapi_instruction_kind_t kind = AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN;
  Flow flow = Flow::Sequential;
  Condition condition = Condition::None;
  uint64_t target = 0;      ///< of direct branches and calls
  unsigned source = 0;      ///< first SGPR of the target pair
  unsigned destination = 0; ///< first SGPR of the saved pair
  uint64_t trap = 0;        ///< s_trap's operand
  std::string text;
};

/// Register numbers of pairs that are not SGPRs.
constexpr unsigned PairVcc = 1000, PairOther = 1001;

class InstructionDecoder {
public:
  /// Null if LLVM has no such processor.
  static InstructionDecoder *get(const savearea::Architecture &arch);
  ~InstructionDecoder();

  /// None if the bytes are no instruction. \p symbolize may be empty.
  std::optional<Instruction>
  decode(uint64_t address, llvm::ArrayRef<uint8_t> bytes, bool withText,
         const std::function<std::string(uint64_t)> &symbolize = {});

private:
  explicit InstructionDecoder(std::unique_ptr<gpu::MachineCode> code);
  std::unique_ptr<gpu::MachineCode> code;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_INSTRUCTIONS_H
