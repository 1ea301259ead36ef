//===-- Decode.h - instruction words to Inst -------------------------------===//
//
// LLVM's disassembler says which instruction the words are; the operand fields
// are read off the words, as they stand at the same place in every instruction
// of an encoding.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_DECODE_H
#define WAVELANE_SIMULATOR_ISA_DECODE_H

#include "Core.h"

namespace wavelane {
namespace isa {

class Decoder {
public:
  explicit Decoder(Target T);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  /// \param Avail bytes that can be read at \a Bytes: 4 or more.
  /// Always gives an instruction; one that cannot be done has no handler and
  /// says in Text why.
  Inst decode(const uint8_t *Bytes, unsigned Avail, uint64_t Address);

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

/// The meanings that the target has (made on first use, for this machine's
/// processor).
const OpTable &opTable(Target T);

} // namespace isa
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_ISA_DECODE_H
