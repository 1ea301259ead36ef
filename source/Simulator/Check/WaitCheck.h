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
#include "Question.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"

#include <bitset>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace wavelane::check {

class WaitCheck : public Check, private isa::Observer {
public:
  explicit WaitCheck(Reporter &R) : R(R) {}

  isa::Observer *observer() override { return this; }
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;

  /// Arithmetic only matters while something is loaded.
  unsigned observes() const override {
    return isa::observe::FlatAccesses | isa::observe::OtherRegisters |
           isa::observe::FilterRegisters | isa::observe::Rows |
           (State && !State->Pending.empty() ? isa::observe::Registers : 0);
  }
  unsigned translatedObserves() const override { return isa::observe::Guards; }
  bool observesVary() const override { return true; }
  bool needsRows(uint64_t) override { return false; }
  bool needsRegisters(isa::InstClass Class,
                      const std::vector<isa::RegisterRange> &Reads,
                      const std::vector<isa::RegisterRange> &Writes) override {
    return State && !State->Pending.empty() &&
           (Class == isa::InstClass::Wait || isPending(Reads) ||
            isPending(Writes));
  }

  // Translated code: only what is outstanding is followed, which is known of it
  // before it is executed.
  uint64_t state() override;
  /// Allows what uses no register that is loaded.
  bool enters(const isa::StraightCode &Code, uint64_t Exec, uint64_t &State,
              isa::PlannedRows &Rows) override;
  /// Where translated code reports accesses, for others, it may be left.
  void setReports(unsigned Bits) override {
    ReportsAccesses = Bits & isa::observe::Accesses;
  }
  void left(const isa::StraightCode &Last, size_t Steps, uint64_t Exec,
            uint64_t From, uint64_t Next,
            const isa::PlannedRows &Rows) override;

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
  static Waits decodeWait(gpu::WaitEncoding In,
                          const isa::ObservedInstruction &I);
  /// What counts stores.
  static constexpr Counter storeCounter(gpu::WaitEncoding In) {
    return In == gpu::WaitEncoding::GFX9 ? Vector : Store;
  }

private:
  /// An operation that may not have ended.
  struct Operation {
    uint64_t PC = 0;
    uint32_t Stack = 0; ///< Place::Stack
    llvm::SmallString<32> Mnemonic;
    Counter In = Vector;
    Type Order = Type::Vector;
    bool HasEnded = false;
    /// Of straight code: its memory isn't known, nor so whether its result
    /// comes with this operation.
    bool IsDoubtful = false;
    llvm::SmallVector<isa::RegisterRange, 2> Writes;
    uint64_t Lanes = 0;
  };
  struct WaveWaits {
    std::vector<Operation> Pending; ///< the oldest first
    /// The registers that they write.
    std::bitset<160> ScalarPending;
    std::bitset<1024> VectorPending;
    uint32_t Number = 0; ///< see state(); 0: not known
    uint32_t Stack = 0;  ///< to which Number belongs
  };
  /// Which memories a flat instruction has accessed.
  struct FlatMemory {
    uint64_t PC = 0;
    bool IsLocal = true, IsGlobal = true;
  };

  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  bool look(const isa::ObservedInstruction &I,
            const std::vector<isa::RegisterRange> &Ranges, bool IsWrite);
  bool report(const isa::ObservedInstruction &I, const isa::RegisterRange &Used,
              Operation &From, bool IsWrite);
  void begin(const isa::ObservedInstruction &I);
  void begin(const isa::ObservedInstruction &I, bool IsFlat, bool IsLocal,
             bool IsGlobal);
  void endWaits(const isa::ObservedInstruction &I);
  bool follow(const isa::StraightCode &Code, size_t Steps, uint64_t Exec,
              WaveWaits &From, uint64_t AreRows);
  uint64_t rowsOf(const isa::StraightCode &Code) const;
  void noteRow(const isa::ObservedInstruction &I);
  bool comesAfterAll(const isa::ObservedInstruction &I) const;
  uint32_t numberOf(WaveWaits &W);
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
  gpu::WaitEncoding Encoding = gpu::WaitEncoding::GFX9;

  /// What was outstanding somewhere, by number, from FirstNumber on.
  std::vector<WaveWaits> Known;
  uint32_t FirstNumber = 1;
  std::map<std::string, uint32_t> Numbers; ///< by content
  /// By number and stack: the number after a call or a return.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Moves;
  /// What is after code that may be entered.
  struct StateAfter {
    uint64_t Number = 0;
    uint64_t AreRows = 0; ///< see PlannedRows
  };
  llvm::DenseMap<Question, StateAfter> Entered;
  /// By PC: whether a flat instruction has only accessed rows so far.
  llvm::DenseMap<uint64_t, bool> RowsOfPC;
  bool ReportsAccesses = true;
  FlatMemory LastFlat; ///< of those that translated code has reported
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_WAITCHECK_H
