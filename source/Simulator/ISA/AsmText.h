//===-- AsmText.h - an instruction's printed form taken apart -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM prints every encoding of every GPU in one syntax: mnemonic, operands,
// modifiers. By parsing this text rather than the words, one decoder serves all
// GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_ASMTEXT_H
#define WAVELANE_SIMULATOR_ISA_ASMTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace wavelane::isa {

struct AsmOperand {
  enum Kind : uint8_t {
    VGPR,    ///< v1, v[1:2], v1.l, v1.h
    AccVGPR, ///< a1, a[1:2]
    Scalar,  ///< s1, vcc, exec_lo, m0, null...; Reg is an index of
             ///< WaveState::Scalar
    Special, ///< src_shared_base and others; Reg is gfx9's operand number
    Integer, ///< -1, 64: an inline constant
    Literal, ///< 0x123: a dword of the instruction, or a printed offset
    Real,    ///< 1.0: inline float constant number Reg
    Off,     ///< off
    List,    ///< [v1, v5, v[7:8]]: see AsmText::members()
    Other,   ///< hwreg(...) and other special forms
  };
  Kind Is = Other;
  bool Neg = false, Abs = false, Sext = false;
  bool High = false; ///< v1.h
  uint16_t Reg = 0;
  uint16_t Count = 1;      ///< registers
  int64_t Value = 0;       ///< Integer, Literal
  llvm::StringRef Members; ///< List: what is between the brackets
};

struct AsmText {
  llvm::StringRef Mnemonic;
  llvm::SmallVector<AsmOperand, 6> Operands;
  /// "offset:16", "glc"...
  llvm::SmallVector<llvm::StringRef, 8> Modifiers;

  /// \p Text must outlive this.
  explicit AsmText(llvm::StringRef Text);

  /// The operands of a List.
  static llvm::SmallVector<AsmOperand, 6> members(const AsmOperand &List);
  bool has(llvm::StringRef Flag) const;
  /// The text after "Name:"; nullopt if there is none.
  std::optional<llvm::StringRef> value(llvm::StringRef Name) const;
  /// The number after "Name:"; \p Default if there is none.
  int64_t number(llvm::StringRef Name, int64_t Default = 0) const;
  /// The numbers of "Name:[1,0,1]".
  llvm::SmallVector<unsigned, 8> list(llvm::StringRef Name) const;
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_ASMTEXT_H
