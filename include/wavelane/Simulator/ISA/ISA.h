//===-- ISA.h - executes the instructions of one wave -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor only knows instructions: no queues, dispatches or scheduling. A
// device passes it a wave's state and the memory that the wave sees, and gets
// the reason why it returned. Sources: AMD's instruction set documents (by GPU,
// "Instinct MI200" and others), and LLVM's AMDGPUUsage for the HSA ABI.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_ISA_H
#define WAVELANE_SIMULATOR_ISA_ISA_H

#include "WaveState.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wavelane::isa {

class Observer;

/// Executes instructions of any number of waves in turn. Caches decoded
/// instructions by address. Not thread-safe: create one for each device and
/// thread.
class Executor {
public:
  /// \param Memory  Must outlive the executor.
  Executor(Target T, MemoryAccess &Memory);
  ~Executor();
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Runs \a Wave until the device has to act, for at most \a Budget
  /// instructions. Compares each instruction's bytes with memory, so it sees
  /// breakpoints written into code.
  /// \param PassBreak  Don't stop at the first instruction for setBreaks().
  /// \param Overtime  After the budget, goes on until it branches back, for at
  ///     most so many instructions: loops are then interrupted between two
  ///     turns, where translated code begins.
  StepResult run(WaveState &Wave, uint64_t Budget, bool PassBreak = false,
                 uint64_t Overtime = 0);

  /// Executes one instruction.
  StepResult step(WaveState &Wave) { return run(Wave, 1); }

  /// Forgets decoded instructions in [Begin, End). Call it before unmapping
  /// code.
  void invalidate(uint64_t Begin, uint64_t End);

  /// Whether accesses that fault may be tried again: then an instruction whose
  /// lanes can't all access global memory does nothing.
  void setRetries(bool On);
  /// Sets at most four watches; watched runs are slower.
  void setWatches(const std::vector<AddressWatch> &Watches);

  /// Sets addresses, sorted, at which runs stop. Unlike a trap in the code,
  /// this changes nothing that the program can see.
  void setBreaks(std::vector<uint64_t> Addresses);

  /// Sets the observer for subsequent runs (Observer.h); null for none.
  /// \param What  Bits of observe::.
  /// \param O  Must outlive the runs.
  void setObserver(Observer *O, unsigned What = 0) {
    setObserver(O, What, What);
  }
  /// \param InTranslated  What decides which instructions translated code
  ///     reports. With observe::Registers, there is none.
  void setObserver(Observer *O, unsigned What, unsigned InTranslated);
  /// Sets the observer of accesses (observe::Accesses) after that one,
  /// before and after an instruction; null for none.
  void setLastObserver(Observer *O);

  /// Sets whether ds_* instructions raise a violation outside the workgroup's
  /// local memory. GPUs before gfx1250 can't: there, loads return 0 and stores
  /// do nothing.
  void setLocalRangeFaults(bool On);

  /// Sets whether the stores and atomics of an instruction begin with the last
  /// lane rather than with the first; no order is promised to programs.
  void setLanesReversed(bool On);

  /// Sets whether runs stop in front of atomics of global memory, because
  /// other executors run waves at the same time, in any order.
  void setUnordered(bool On);

  /// Sets whether code that is executed often is translated into the host's, in
  /// a thread of its own; it isn't at first. Waves have the same state between
  /// any two instructions. Runs with watches, setBreaks() or an observer of
  /// registers only use the interpreter.
  /// \param After  How often a place is entered before.
  void setTranslation(bool On, unsigned After = 48);
  /// Sets whether translated code is verified: before it is executed, it runs
  /// on copies of the wave and its memory, and so do its instructions one by
  /// one. At the first that does something else, the run ends with
  /// IllegalInstruction, whose Text has the lane and both values. Runs with an
  /// observer aren't verified.
  void setVerification(bool On);
  /// How many instructions have been verified.
  uint64_t verifiedSteps() const;
  /// Translates nothing more until the next run.
  void pauseTranslation();
  /// Waits until what runs have asked for has been translated.
  void finishTranslation();
  /// Forgets what is being translated, in a thread that may go on until the
  /// process ends, by _exit().
  void leaveTranslation();
  /// How many instructions translated code has executed.
  uint64_t translatedSteps() const;

  /// Whether an instruction is modeled.
  /// \param Mnemonic  As printed by llvm-objdump, with the suffix of its
  ///     encoding ("v_add_u32_sdwa").
  static bool isModeled(Target T, const std::string &Mnemonic);

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_ISA_H
