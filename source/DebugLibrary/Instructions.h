//===-- Instructions.h - What a debugger asks of instructions ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_INSTRUCTIONS_H
#define WAVELANE_DEBUGLIBRARY_INSTRUCTIONS_H

#include "wavelane/Formats/SaveArea/SaveArea.h"
#include "wavelane/GPU/InstructionFacts.h"
#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace wavelane::gpu {
class MachineCode;
}

namespace wavelane::library {

/// The effect of one instruction on the control flow.
struct Instruction {
  enum class Flow : uint8_t {
    Sequential,
    Branch,
    ConditionalBranch,
    IndirectBranch,
    DirectCall,
    IndirectCall,
    GetPC,
    Other ///< reads or changes the PC in a way that is not modeled
  };
  uint64_t Size = 0;
  amd_dbgapi_instruction_kind_t Kind = AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN;
  Flow FlowKind = Flow::Sequential;
  gpu::BranchCondition Condition = gpu::BranchCondition::None;
  uint64_t Target = 0;      ///< for direct branches and calls
  unsigned Source = 0;      ///< first SGPR of the target pair
  unsigned Destination = 0; ///< first SGPR of the saved pair
  uint64_t Trap = 0;        ///< s_trap's operand
  std::string Text;
};

/// Register numbers for pairs that aren't SGPRs.
constexpr unsigned PairVcc = 1000, PairOther = 1001;

class InstructionDecoder {
public:
  /// Null if LLVM has no such processor.
  static InstructionDecoder *get(const savearea::Architecture &Arch);
  ~InstructionDecoder();

  /// None if the bytes aren't an instruction. \p symbolize may be empty.
  std::optional<Instruction>
  decode(uint64_t Address, llvm::ArrayRef<uint8_t> Bytes, bool WithText,
         const std::function<std::string(uint64_t)> &Symbolize = {});

private:
  explicit InstructionDecoder(std::unique_ptr<gpu::MachineCode> Code);
  std::unique_ptr<gpu::MachineCode> Code;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_INSTRUCTIONS_H
