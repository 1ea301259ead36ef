//===-- SavedRegisters.h - The registers of saved waves ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_SAVEDREGISTERS_H
#define WAVELANE_DEBUGLIBRARY_SAVEDREGISTERS_H

#include "DeviceConnection.h"
#include "Memory.h"
#include "Objects.h"

namespace wavelane::library {

/// Reads and changes the registers of waves whose queue is suspended, in the
/// context save area. Values cached in a Wave can be read at any time.
class WaveRegisters {
public:
  WaveRegisters(ProgramMemory &Memory, const Objects &List,
                const ProcessFacts &Facts, Connection &Conn)
      : Memory(Memory), List(List), Facts(Facts), Conn(Conn) {}

  /// Lets the device know that it needn't save VGPRs and local memory: fetch().
  void saveOnRequest();
  /// Called before a wave's VGPRs or local memory are accessed in its record,
  /// and before its record is written.
  Status fetch(Wave &W) const;
  /// The same for all waves of a suspended queue.
  Status fetchAll(const Queue &Q) const;
  /// The wave's record is about to be written.
  void noteWrite(Wave &W) const;

  uint64_t pc(const Wave &W) const;
  uint64_t exec(const Wave &W) const;
  /// 0 if the architecture has no such register.
  uint32_t hw(const Wave &W, savearea::HwReg Reg) const;

  // Changes reach the save area when needed (saveAll): stopping a wave and
  // letting it go while its queue is suspended doesn't access memory.
  Status setHw(Wave &W, savearea::HwReg Reg, uint32_t Value);
  Status setTtmp(Wave &W, unsigned Index, uint32_t Value);
  Status setPC(Wave &W, uint64_t Pc);
  /// Marks the cached copy as changed.
  void noteChange(Wave &W);
  /// Must be called before anyone else reads the areas.
  Status saveAll();

  /// Stops a running wave, as the trap handler would.
  Status halt(Wave &W);
  /// Lets a wave continue that the trap handler has stopped.
  Status unhalt(Wave &W, bool Step);
  /// Ends trapping after each instruction.
  Status endStep(Wave &W);
  /// Sets whether the wave traps on accesses to watched memory.
  Status setWatch(Wave &W, bool On);

  bool exists(const Wave &W, const Register &Reg) const;
  /// Reads a register that needs no access to the area; None for others.
  std::optional<Status> readKnown(Wave &W, const Register &Reg, uint64_t Offset,
                                  uint64_t Size, void *Value);
  Status read(Wave &W, const Register &Reg, uint64_t Offset, uint64_t Size,
              void *Value);
  Status write(Wave &W, const Register &Reg, uint64_t Offset, uint64_t Size,
               const void *Value);

  /// A pair of SGPRs; PairVcc is VCC.
  Status readPair(Wave &W, unsigned Pair, uint64_t &Value);
  Status writePair(Wave &W, unsigned Pair, uint64_t Value);

private:
  std::optional<uint64_t> summary(const Wave &W, const Register &Reg) const;
  uint32_t ownBits(const Wave &W, savearea::HwReg Which) const;
  Status writeHardware(Wave &W, savearea::HwReg Which, uint32_t Value);
  Status readScalar(Wave &W, const Register &Reg, uint64_t Offset,
                    uint64_t Size, void *Value);
  Status readSgpr(Wave &W, unsigned Index, unsigned Count, uint32_t *Value);
  Status place(Wave &W, const Register &Reg, uint64_t &Address);
  Status save(Wave &W);

  ProgramMemory &Memory;
  const Objects &List;
  const ProcessFacts &Facts;
  Connection &Conn;
  bool OnRequest = false;
  std::vector<uint64_t> ChangedWaves;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_SAVEDREGISTERS_H
