//===-- WaveRegisters.h - The registers of saved waves ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_WAVEREGISTERS_H
#define WAVELANE_SIMULATOR_LIBRARY_WAVEREGISTERS_H

#include "Memory.h"
#include "Objects.h"

namespace wavelane::library {

/// Reads and changes the registers of waves whose queue is suspended, in the
/// context save area. What a Wave has of its own can be read at any time.
class WaveRegisters {
public:
  WaveRegisters(ProgramMemory &memory, const Objects &objects,
                const ProcessFacts &facts)
      : memory(memory), objects(objects), facts(facts) {}

  uint64_t pc(const Wave &wave) const;
  uint64_t exec(const Wave &wave) const;
  /// 0 where the architecture has no such register.
  uint32_t hw(const Wave &wave, savearea::HwReg reg) const;

  // Changes reach the area when it matters (saveAll): a wave that is stopped
  // and let go again while its queue is suspended costs no access to memory.
  Status setHw(Wave &wave, savearea::HwReg reg, uint32_t value);
  Status setTtmp(Wave &wave, unsigned index, uint32_t value);
  Status setPC(Wave &wave, uint64_t pc);
  /// Marks its own copy as changed.
  void noteChange(Wave &wave);
  /// Before anyone else reads the areas.
  Status saveAll();

  /// Stops a wave that runs, as the trap handler would.
  Status halt(Wave &wave);
  /// Lets a wave that the trap handler has stopped go on.
  Status unhalt(Wave &wave, bool step);
  /// It traps no longer after an instruction.
  Status endStep(Wave &wave);
  /// Whether it traps where it touches what is watched.
  Status setWatch(Wave &wave, bool on);

  bool exists(const Wave &wave, const Register &reg) const;
  /// Reads what needs no access to the area; None otherwise.
  std::optional<Status> readKnown(Wave &wave, const Register &reg,
                                  uint64_t offset, uint64_t size, void *value);
  Status read(Wave &wave, const Register &reg, uint64_t offset, uint64_t size,
              void *value);
  Status write(Wave &wave, const Register &reg, uint64_t offset, uint64_t size,
               const void *value);

  /// A pair of SGPRs; PairVcc is VCC.
  Status readPair(Wave &wave, unsigned pair, uint64_t &value);
  Status writePair(Wave &wave, unsigned pair, uint64_t value);

private:
  std::optional<uint64_t> summary(const Wave &wave, const Register &reg) const;
  uint32_t ownBits(const Wave &wave, savearea::HwReg which) const;
  Status writeHardware(Wave &wave, savearea::HwReg which, uint32_t value);
  Status readScalar(Wave &wave, const Register &reg, uint64_t offset,
                    uint64_t size, void *value);
  Status readSgpr(Wave &wave, unsigned index, unsigned count, uint32_t *value);
  Status place(Wave &wave, const Register &reg, uint64_t &address);
  Status save(Wave &wave);

  ProgramMemory &memory;
  const Objects &objects;
  const ProcessFacts &facts;
  std::vector<uint64_t> changedWaves;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_WAVEREGISTERS_H
