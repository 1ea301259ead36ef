//===-- Counter.h - what each source line costs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts by address while kernels run, and adds up by line at the end.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_COUNTER_H
#define WAVELANE_SIMULATOR_CHECK_COUNTER_H

#include "Check.h"
#include "Symbols.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

namespace wavelane::check {

struct Counts {
  uint64_t Instructions = 0;       ///< of waves
  uint64_t VectorInstructions = 0; ///< those that each lane executes
  uint64_t ActiveLanes = 0;        ///< the sum over vector instructions
  uint64_t Bytes = 0;              ///< of global memory, of all lanes
  /// Cache lines that accesses of global memory touch, counted for each
  /// instruction, and the fewest that its bytes would fit into.
  uint64_t Transactions = 0, FewestTransactions = 0;
  /// Passes that accesses of local memory take beyond the first, because lanes
  /// access different dwords of one bank.
  uint64_t BankConflicts = 0;
  /// How often some of the active lanes were left behind.
  uint64_t Divergences = 0;

  void add(const Counts &Other);
};

class Counter : public Check, private isa::Observer {
public:
  isa::Observer *observer() override { return this; }
  void waveRuns(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;

  /// An array of lines: those that ran, once for each of their functions, and,
  /// with zeros, the others of the program's code.
  llvm::json::Array lines(Symbols &Names) const;

private:
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  void countGlobal(const isa::ObservedInstruction &I, Counts &C);
  void countLocal(const isa::ObservedInstruction &I, Counts &C);
  void countDivergence(const isa::WaveState &Wave,
                       const isa::ObservedInstruction &I, Counts &C);

  llvm::DenseMap<uint64_t, Counts> ByAddress;
  /// By wave: the active lanes before all lanes were turned on.
  llvm::DenseMap<uint64_t, uint64_t> WholeWave;
  uint64_t LineSize = 64; ///< bytes of a cache line
  unsigned Banks = 32;    ///< of local memory, a dword wide
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_COUNTER_H
