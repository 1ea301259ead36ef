//===-- Uses.h - what an instruction reads and writes ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said of a decoded instruction for observers, apart from what
// depends on the wave's state (Observe.h).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_USES_H
#define WAVELANE_SIMULATOR_ISA_USES_H

#include "Core.h"
#include "wavelane/Simulator/ISA/Observer.h"

namespace llvm {
class MCInst;
}
namespace wavelane::gpu {
class MachineCode;
}

namespace wavelane::isa {

struct Uses {
  InstClass Class = InstClass::Other;
  const gpu::InstructionFacts *Facts = &gpu::InstructionFacts::none();
  /// Bits of observe::, of which an observer must want one to be notified of
  /// it.
  uint8_t ObservedFor = 0;
  std::string Mnemonic, Name;
  uint8_t Cache = 0, Scope = 0;
  bool IsLoad = false, IsStore = false, IsAtomic = false, Returns = false;
  uint64_t Id = 0;
  /// Without lanes.
  std::vector<RegisterRange> Reads, Writes;
  /// How many of Reads and Writes don't come from addVectorRanges(), which has
  /// to be called again if GPR indexing changes registers.
  size_t OtherReads = 0, OtherWrites = 0;
  /// How lanes differ from the usual: those of EXEC, each for itself.
  enum : uint8_t {
    EachLane,
    Matrix,
    RowSwap,
    OneLane,
    Relative
  } Lanes = EachLane;
  bool HasVectors = false; ///< There are vector registers in Reads or Writes.
};

/// The uses of \a I, which was decoded from \a MI.
std::shared_ptr<const Uses> describeUses(const Inst &I, const llvm::MCInst &MI,
                                         const gpu::MachineCode &Code, Target T,
                                         unsigned Lanes);

/// Adds the vector registers that vector arithmetic reads and writes, by its
/// decoded operands.
void addVectorRanges(const Inst &I, std::vector<RegisterRange> &Reads,
                     std::vector<RegisterRange> &Writes);

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_USES_H
