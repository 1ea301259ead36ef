//===-- AMDGPUMachineCode.h - LLVM MC for one processor ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_MACHINECODE_AMDGPUMACHINECODE_H
#define WAVELANE_DEBUGGER_MACHINECODE_AMDGPUMACHINECODE_H

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

/// The decoder of one processor, shared by all who read its code. Safe to use
/// from several threads.
class AMDGPUMachineCode {
public:
  /// \param[in] processor
  ///     As "gfx90a" or "gfx9-generic".
  /// \return null when LLVM doesn't know the processor. The result is kept: a
  ///     second call gives the same object.
  static std::shared_ptr<AMDGPUMachineCode> Get(llvm::StringRef processor);

  struct Instruction {
    llvm::MCInst inst;
    uint64_t size = 0; ///< Bytes.
    std::string name;  ///< LLVM's name of the opcode, as "S_SWAPPC_B64_vi".
    bool branches = false;
    bool calls = false;
    bool ends = false; ///< The next instruction isn't executed after it.
    bool loads = false;
    bool waits = false; ///< For other waves: a barrier, a sleep.
  };
  /// \return nullopt when the bytes are no instruction of this processor.
  std::optional<Instruction> Decode(llvm::ArrayRef<uint8_t> bytes,
                                    uint64_t address);

  /// The text that an assembler would take, mnemonic first.
  std::string Print(const llvm::MCInst &inst, uint64_t address);

  /// Where a direct branch or call goes.
  std::optional<uint64_t> GetBranchTarget(const llvm::MCInst &inst,
                                          uint64_t address, uint64_t size);

  /// A 32-bit register: scalar 's', vector 'v', accumulation 'a', or a half of
  /// the mask of active lanes 'e' (exec) or of comparisons' results 'c' (vcc).
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
  /// The register that \a operand is; nullopt for constants, special registers
  /// and registers of more than 32 bits.
  std::optional<Register> GetRegister(const llvm::MCOperand &operand) const;

  /// The 32-bit registers that \a operand is made of, the lowest first; of a
  /// half (v4.l) the register that it is part of.
  std::vector<Register> GetParts(const llvm::MCOperand &operand) const;

  /// The registers that \a inst writes, all or half of them.
  std::vector<Register> GetWritten(const llvm::MCInst &inst) const;

  /// Whether \a inst writes the mask of active lanes.
  bool WritesExec(const llvm::MCInst &inst) const;

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
