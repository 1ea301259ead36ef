//===-- AMDGPUMachineCode.h - LLVM MC for one processor ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_MACHINECODE_AMDGPUMACHINECODE_H
#define WAVELANE_CORE_MACHINECODE_AMDGPUMACHINECODE_H

#include "wavelane/GPU/ExecutingLanes.h"
#include "wavelane/GPU/MachineCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInst.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The decoder for one processor, shared by all readers of its code.
/// Thread-safe.
class AMDGPUMachineCode {
public:
  /// \param[in] processor "gfx90a" or "gfx9-generic".
  /// \return Null if LLVM doesn't know the processor. Results are cached:
  /// another
  ///     call returns the same object.
  static std::shared_ptr<AMDGPUMachineCode> Get(llvm::StringRef processor);

  struct Instruction {
    llvm::MCInst inst;
    uint64_t size = 0; ///< Bytes.
    /// What it is; kept until the process ends.
    const ::wavelane::gpu::InstructionFacts *facts = nullptr;
    bool branches = false;
    bool calls = false;
    bool ends = false; ///< Execution doesn't continue with the next
                       ///< instruction.
    bool loads = false;
    bool waits = false; ///< InstructionFacts::MeetsWaves
  };
  /// \return nullopt if the bytes aren't an instruction of this processor.
  std::optional<Instruction> Decode(llvm::ArrayRef<uint8_t> bytes,
                                    uint64_t address);

  /// The assembler's text, mnemonic first.
  std::string Print(const llvm::MCInst &inst, uint64_t address);

  /// The target of a direct branch or call.
  std::optional<uint64_t> GetBranchTarget(const llvm::MCInst &inst,
                                          uint64_t address, uint64_t size);

  /// A 32-bit register: scalar 's', vector 'v', accumulation 'a', or a half of
  /// the mask of active lanes 'e' (exec) or of the results of comparisons 'c'
  /// (vcc).
  struct Register {
    char file;
    unsigned number;
    bool operator<(const Register &other) const {
      return std::tie(file, number) < std::tie(other.file, other.number);
    }
    bool operator==(const Register &other) const {
      return file == other.file && number == other.number;
    }
  };
  /// The register of \a operand; nullopt for constants, special registers and
  /// registers of more than 32 bits.
  std::optional<Register> GetRegister(const llvm::MCOperand &operand) const;

  /// The 32-bit registers of \a operand, lowest first; for a half (v4.l), the
  /// register that contains it.
  std::vector<Register> GetParts(const llvm::MCOperand &operand) const;

  /// The registers that \a inst writes completely or partly.
  std::vector<Register> GetWritten(const llvm::MCInst &inst) const;

  /// The registers that \a inst reads, operand by operand.
  std::vector<Register> GetRead(const llvm::MCInst &inst) const;

  /// Whether \a inst writes the mask of active lanes.
  bool WritesExec(const llvm::MCInst &inst) const {
    return m_code->writesExec(inst);
  }

  /// The operands of a load or store of a stack slot; nullopt for others.
  std::optional<::wavelane::gpu::SlotAccess>
  GetSlotAccess(const llvm::MCInst &inst) {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_code->getSlotAccess(inst);
  }

  /// Which lanes really execute a function's instructions.
  ::wavelane::gpu::ExecutingLanes
  FindExecutingLanes(uint64_t start, llvm::ArrayRef<uint8_t> bytes) {
    std::lock_guard<std::mutex> guard(m_mutex);
    return {*m_code, start, bytes};
  }

private:
  AMDGPUMachineCode() = default;
  std::optional<Register> ParseRegister(unsigned reg) const;
  void AddParts(unsigned reg, std::vector<Register> &parts) const;

  std::mutex m_mutex;
  std::unique_ptr<::wavelane::gpu::MachineCode> m_code;
};

} // namespace wavelane
} // namespace lldb_private

#endif
