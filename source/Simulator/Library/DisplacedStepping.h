//===-- DisplacedStepping.h - Steps over breakpoints ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_DISPLACEDSTEPPING_H
#define WAVELANE_SIMULATOR_LIBRARY_DISPLACEDSTEPPING_H

#include "Memory.h"
#include "Objects.h"
#include "WaveRegisters.h"

namespace wavelane::library {

/// Has a stopped wave, whose queue is suspended, execute the instruction under
/// a breakpoint elsewhere: in a buffer of its queue, or, what reads or changes
/// the PC, here.
class DisplacedStepping {
public:
  DisplacedStepping(ProgramMemory &memory, Objects &objects,
                    WaveRegisters &registers)
      : memory(memory), objects(objects), registers(registers) {}

  /// \p saved is the word under the breakpoint.
  Status start(Wave &wave, const void *saved, uint64_t &step);
  Status complete(Wave &wave, DisplacedStep &step);
  /// Does what the instruction of a step without a buffer does.
  Status simulate(Wave &wave);
  /// Where a wave in its buffer would be without the step. \return None where
  /// it is not in there.
  std::optional<uint64_t> placeOf(const Wave &wave,
                                  const DisplacedStep &step) const;

private:
  std::optional<Instruction> readInstruction(Wave &wave, const void *saved,
                                             uint8_t *bytes, Status &status);
  Status useBuffer(Wave &wave, DisplacedStep &step, uint8_t *bytes,
                   uint64_t size);
  Status isTaken(Wave &wave, const Instruction &instruction, bool &taken);

  ProgramMemory &memory;
  Objects &objects;
  WaveRegisters &registers;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_DISPLACEDSTEPPING_H
