//===-- DisplacedStepping.h - Steps over breakpoints ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_DISPLACEDSTEPPING_H
#define WAVELANE_DEBUGLIBRARY_DISPLACEDSTEPPING_H

#include "Memory.h"
#include "Objects.h"
#include "SavedRegisters.h"

namespace wavelane::library {

/// Makes a stopped wave, whose queue is suspended, execute the instruction
/// under a breakpoint elsewhere: in a buffer of its queue, or by simulation
/// here if it reads or changes the PC.
class DisplacedStepping {
public:
  DisplacedStepping(ProgramMemory &Memory, Objects &List,
                    WaveRegisters &Registers)
      : Memory(Memory), List(List), Registers(Registers) {}

  /// \p saved is the word under the breakpoint.
  Status start(Wave &W, const void *Saved, uint64_t &Step);
  Status complete(Wave &W, DisplacedStep &Step);
  /// Simulates the instruction of a step without a buffer.
  Status simulate(Wave &W);
  /// The address of a wave in its buffer as if it weren't stepping.
  /// \return None if it isn't in the buffer.
  std::optional<uint64_t> placeOf(const Wave &W,
                                  const DisplacedStep &Step) const;

private:
  std::optional<Instruction> readInstruction(Wave &W, const void *Saved,
                                             uint8_t *Bytes, Status &Outcome);
  Status useBuffer(Wave &W, DisplacedStep &Step, uint8_t *Bytes, uint64_t Size);
  Status isTaken(Wave &W, const Instruction &Inst, bool &Taken);

  ProgramMemory &Memory;
  Objects &List;
  WaveRegisters &Registers;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_DISPLACEDSTEPPING_H
