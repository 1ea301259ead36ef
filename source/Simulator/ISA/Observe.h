//===-- Observe.h - what an instruction is about to do --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_OBSERVE_H
#define WAVELANE_SIMULATOR_ISA_OBSERVE_H

#include "Uses.h"

namespace wavelane::isa {

/// What is known of \a I before it is executed, as in StraightCode.
ObservedInstruction describeAhead(const Inst &I, uint64_t PC, unsigned Lanes);

/// Describes an instruction for observers from the wave's present state. Keeps
/// what it returns until the next instruction.
class Describer {
public:
  /// \param Wants Bits of observe::.
  const ObservedInstruction &describe(Machine &M, const Inst &I, const Uses &U,
                                      unsigned Wants,
                                      bool IsTranslated = false);

  /// Whether an observer needn't be notified of \a I, which is reported for the
  /// bits
  /// \a Matched. What is probed for this is kept for describe().
  bool isFiltered(Machine &M, const Inst &I, const Uses &U, unsigned Wants,
                  unsigned Matched, Observer &By);

private:
  void probe(Machine &M, const Inst &I);
  void addLanes(Machine &M, const Inst &I, const Uses &U);
  void addDpp(Machine &M, const Inst &I);
  void addMovedLanes(Machine &M, const Inst &I);
  void addOneLane(Machine &M, const Inst &I, const Uses &U);
  void addRelative(Machine &M, const Inst &I, const Uses &U);

  ObservedInstruction O;
  bool IsProbed = false; ///< O.Accesses is that of the next instruction
  uint8_t Source[MaxLanes];
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_OBSERVE_H
