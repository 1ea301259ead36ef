//===-- WaitCheck.h - registers used before their load has come -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load's registers have its result only after a wait for one of the wave's
// counters. The simulated device has it at once, so a missing wait shows only
// here. Source: the chapter on data dependency resolution of each GPU's
// instruction set document (S_WAITCNT), and LLVM's SIInsertWaitcnts.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_WAITCHECK_H
#define WAVELANE_SIMULATOR_CHECK_WAITCHECK_H

#include "Check.h"

#include "wavelane/Simulator/Observer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"

#include <bitset>
#include <memory>

namespace wavelane::check {

class WaitCheck : public Check, private isa::Observer {
public:
  explicit WaitCheck(Reporter &R) : R(R) {}

  isa::Observer *observer() override { return this; }
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;

  /// What the wave that runs now must be observed for, as bits of
  /// isa::observe: arithmetic only matters while something is loaded.
  unsigned observes() const {
    return isa::observe::FlatAccesses | isa::observe::OtherRegisters |
           isa::observe::FilterRegisters |
           (State && !State->Pending.empty() ? isa::observe::Registers : 0);
  }
  bool needsRegisters(isa::InstClass Class,
                      const std::vector<isa::RegisterRange> &Reads,
                      const std::vector<isa::RegisterRange> &Writes) override {
    return State && !State->Pending.empty() &&
           (Class == isa::InstClass::Wait || isPending(Reads) ||
            isPending(Writes));
  }

  /// The counters; GPUs before gfx12 have the first four.
  enum Counter : uint8_t {
    Vector, ///< vmcnt, loadcnt
    Local,  ///< lgkmcnt, dscnt
    Store,  ///< vscnt, storecnt
    Scalar, ///< gfx12's kmcnt
    CounterCount
  };
  /// Operations of one type end in the order in which they began, except
  /// scalar loads. Those of different types overtake each other.
  enum class Type : uint8_t { Vector, Store, Local, Scalar, Message };

  static constexpr unsigned NoWait = ~0u;
  /// How many operations of a counter may be outstanding after an instruction.
  struct Waits {
    unsigned Limit[CounterCount] = {NoWait, NoWait, NoWait, NoWait};
  };
  static Waits decodeWait(unsigned Generation,
                          const isa::ObservedInstruction &I);

private:
  /// An operation that may not have ended.
  struct Operation {
    uint64_t PC = 0;
    uint32_t Stack = 0; ///< Place::Stack
    llvm::SmallString<32> Mnemonic;
    Counter In = Vector;
    Type Order = Type::Vector;
    bool HasEnded = false;
    llvm::SmallVector<isa::RegisterRange, 2> Writes;
    uint64_t Lanes = 0;
  };
  struct WaveWaits {
    std::vector<Operation> Pending; ///< the oldest first
    /// The registers that they write.
    std::bitset<160> ScalarPending;
    std::bitset<1024> VectorPending;
  };

  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  bool look(const isa::ObservedInstruction &I,
            const std::vector<isa::RegisterRange> &Ranges, bool IsWrite);
  bool tell(const isa::ObservedInstruction &I, const isa::RegisterRange &Used,
            Operation &From, bool IsWrite);
  void begin(const isa::ObservedInstruction &I);
  void add(const isa::ObservedInstruction &I, Counter In, Type Order,
           const std::vector<isa::RegisterRange> &Writes);
  bool isPending(const isa::RegisterRange &R) const;
  bool isPending(const std::vector<isa::RegisterRange> &Ranges) const;
  void noteRegisters(const Operation &O);
  void wait(Counter In, unsigned Limit);
  void noteRegisters();
  unsigned laterOnes(const Operation &Of) const;

  Reporter &R;
  llvm::DenseMap<uint64_t, std::unique_ptr<WaveWaits>> Waves; ///< by number
  WaveWaits *State = nullptr;                                 ///< of Now
  unsigned Generation = 9;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_WAITCHECK_H
