//===-- FloatCheck.h - where numbers stop being numbers ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first operation whose result isn't a number though its operands are, or
// is infinite though they are finite (IEEE 754, 7.2 to 7.4). Expanded divisions
// and functions have such results on the way to a right one, so a result is
// followed through registers and private memory, and reported where it is
// stored to global or local memory.
//
// It may miss: what matrices, two operations in one instruction and atomics in
// memory make; constants that code selects, as for expf(1000); what scalar
// registers hold in between; values that are changed as integers or kept in
// a part of a register.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_FLOATCHECK_H
#define WAVELANE_SIMULATOR_CHECK_FLOATCHECK_H

#include "Blocks.h"
#include "Check.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::check {

class FloatCheck : public Check, private isa::Observer {
public:
  FloatCheck(Reporter &R, const Blocks &Memory) : R(R), Memory(Memory) {}

  isa::Observer *observer() override { return this; }
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;

private:
  /// Lanes by what some value in them is.
  struct LaneClasses {
    uint64_t NaN = 0, Infinite = 0, Zero = 0;
  };
  /// An operation that has made such a result.
  struct Origin {
    uint64_t PC = 0;
    uint32_t Stack = 0;
    uint64_t Lanes = 0;
    bool DividesByZero = false;
    unsigned Bits = 0;    ///< of the result's type
    std::string Operands; ///< of the first of the lanes: "3e+38, 10"
  };
  using OriginNumber = uint32_t; ///< an index of Origins, plus 1; 0 is none
  struct WaveShadow {
    std::vector<Origin> Origins;
    /// By vector register (an index of WaveState's) and lane: whose result, or
    /// what was made of it, is there.
    llvm::DenseMap<uint32_t, OriginNumber> Registers;
    /// By dword of private memory and lane.
    llvm::DenseMap<uint64_t, OriginNumber> Private;
  };

  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  std::string describeOperands(const isa::ObservedInstruction &I,
                               unsigned Lane) const;
  void readOperands(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I);
  OriginNumber findOrigin(const isa::WaveState &Wave,
                          const isa::RegisterRange &Read, unsigned Lane) const;
  OriginNumber addOrigin(const isa::ObservedInstruction &I, uint64_t Lanes);
  void noteResults(const isa::WaveState &Wave,
                   const isa::ObservedInstruction &I);
  void noteLoads(const isa::WaveState &Wave, const isa::ObservedInstruction &I);
  bool noteStores(const isa::WaveState &Wave,
                  const isa::ObservedInstruction &I);
  bool report(const isa::ObservedInstruction &I, OriginNumber From,
              const isa::LaneAccess &First, uint64_t Lanes, bool IsNaN);

  Reporter &R;
  const Blocks &Memory;
  llvm::DenseMap<uint64_t, std::unique_ptr<WaveShadow>> Waves; ///< by number
  WaveShadow *Current = nullptr;

  // Of the instruction between before() and after().
  LaneClasses Operands;
  std::vector<OriginNumber> OriginOfLane; ///< of its operands; may be empty
  /// Their values, with the lanes.
  std::vector<std::pair<unsigned, uint64_t>> OperandValues;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_FLOATCHECK_H
