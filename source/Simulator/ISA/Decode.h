//===-- Decode.h - instruction words to Inst ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler identifies the instruction and prints it; operands and
// modifiers are parsed from that text (see AsmText.h), or for scalar
// instructions from the words, which are the same on all GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_DECODE_H
#define WAVELANE_SIMULATOR_ISA_DECODE_H

#include "Core.h"

#include "llvm/ADT/StringRef.h"

namespace wavelane::isa {

class Decoder {
public:
  /// \param Lanes 32 or 64: the same words may refer to different
  ///     registers.
  Decoder(Target T, unsigned Lanes);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  /// \param Avail The number of readable bytes at \a Bytes: at least 4, and 16
  /// if
  ///     that many exist.
  /// Always returns an instruction; one that can't be executed has no handler
  /// and says why in Text.
  Inst decode(const uint8_t *Bytes, unsigned Avail, uint64_t Address);

  /// What observers get of \a I, which this has decoded.
  std::shared_ptr<const Uses> describe(const Inst &I, uint64_t Address) const;

private:
  /// \p I.Words must be filled in. \p Printed is one instruction.
  void decodeText(Inst &I, llvm::StringRef Printed, uint64_t Size);

  struct Impl;
  std::unique_ptr<Impl> P;
};

/// Executes both halves of a dual-issue pair.
void dualIssue(Machine &M, const Inst &I);

/// The implementations for the target (created on first use, for the host's
/// processor).
const OpTable &opTable(Target T);

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_DECODE_H
