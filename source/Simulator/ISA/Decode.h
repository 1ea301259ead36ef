//===-- Decode.h - instruction words to Inst ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler says which instruction the words are and prints it;
// operands and modifiers are read off what it printed (see AsmText.h), those of
// scalar instructions off the words, which are the same on all GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_DECODE_H
#define WAVELANE_SIMULATOR_ISA_DECODE_H

#include "Core.h"

#include "llvm/ADT/StringRef.h"

namespace wavelane::isa {

class Decoder {
public:
  /// \param Lanes 32 or 64: the same words mean other registers.
  Decoder(Target T, unsigned Lanes);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  /// \param Avail bytes that can be read at \a Bytes: 4 or more, and 16 where
  /// there are. Always gives an instruction; one that cannot be done has no
  /// handler and says in Text why.
  Inst decode(const uint8_t *Bytes, unsigned Avail, uint64_t Address);

private:
  /// \p I.Words are filled in. \p Printed is one instruction.
  void decodeText(Inst &I, llvm::StringRef Printed, uint64_t Size);

  struct Impl;
  std::unique_ptr<Impl> P;
};

/// Both halves of a dual-issue pair.
void dualIssue(Machine &M, const Inst &I);

/// The meanings that the target has (made on first use, for this machine's
/// processor).
const OpTable &opTable(Target T);

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_DECODE_H
