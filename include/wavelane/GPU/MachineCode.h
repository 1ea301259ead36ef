//===-- MachineCode.h - LLVM's MC of one processor --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets up LLVM's disassembler and printer for the simulator, the debugger
// library and the plugins.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_MACHINECODE_H
#define WAVELANE_GPU_MACHINECODE_H

#include "wavelane/GPU/InstructionFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace wavelane::gpu {

/// A load or store of 32 bits in each lane, at an offset from a scalar
/// register: a slot of the stack.
struct SlotAccess {
  bool IsLoad = false;
  // Numbers of operands.
  unsigned Data = 0;
  std::optional<unsigned> Base; ///< None if the offset is from 0.
  unsigned Offset = 0;
};
/// LLVM's knowledge of one processor's instructions. Two threads must not use
/// it, or its parts, at the same time.
class MachineCode {
public:
  /// \param Processor A name in the table (Processors.h), whose features
  ///     ("gfx90a:xnack+") are ignored, or any other name that LLVM knows.
  /// \param Features LLVM's, such as "+wavefrontsize64"; see waveFeatures().
  /// \return An error that names the processor, if LLVM doesn't know it or was
  ///     built without AMD GPUs.
  static llvm::Expected<std::unique_ptr<MachineCode>>
  create(llvm::StringRef Processor, llvm::StringRef Features = "");

  const llvm::MCRegisterInfo &registers() const { return *Registers; }
  const llvm::MCAsmInfo &assembly() const { return *Assembly; }
  const llvm::MCInstrInfo &instructions() const { return *Instructions; }
  const llvm::MCSubtargetInfo &subtarget() const { return *Subtarget; }
  const llvm::MCInstrAnalysis &analysis() const { return *Analysis; }
  llvm::MCInstPrinter &printer() { return *Printer; }

  /// Decodes the instruction at the start of \a Bytes, which may be anything.
  /// \param[out] Size The size of the instruction, or the bytes to skip if it
  /// is invalid;
  ///     at most those available.
  /// \return MCDisassembler::Fail if it is invalid, SoftFail if reserved fields
  ///     are set.
  llvm::MCDisassembler::DecodeStatus decode(llvm::MCInst &Inst, uint64_t &Size,
                                            llvm::ArrayRef<uint8_t> Bytes,
                                            uint64_t Address) const;

  /// What \p Inst is. Its mnemonic is without "_e32" and "_e64".
  const InstructionFacts &facts(const llvm::MCInst &Inst) const;

  /// Whether \p Inst writes the mask of active lanes.
  bool writesExec(const llvm::MCInst &Inst) const;

  /// The operands of a load or store of a slot of the stack; None for others.
  std::optional<SlotAccess> getSlotAccess(const llvm::MCInst &Inst) const;

private:
  MachineCode() = default;

  // Options must precede the members that refer to them.
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembly, DecoderAssembly;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCInstrAnalysis> Analysis;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
  std::unique_ptr<llvm::MCInstPrinter> Printer;
  mutable llvm::DenseMap<unsigned, const InstructionFacts *> Facts;
};

/// The features for code with waves of \a Lanes lanes, which uses different
/// registers. Empty for a processor with a single wave size.
llvm::StringRef waveFeatures(llvm::StringRef Processor, unsigned Lanes);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_MACHINECODE_H
