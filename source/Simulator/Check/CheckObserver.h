//===-- CheckObserver.h - one observer for all checks -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executor has one observer. This one hands on to each check what it asks
// for, and asks the executor for what all of them need together.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_CHECKOBSERVER_H
#define WAVELANE_SIMULATOR_CHECK_CHECKOBSERVER_H

#include "CallStacks.h"
#include "Check.h"

#include "llvm/ADT/SmallVector.h"

namespace wavelane::check {

class CheckObserver : private isa::Observer {
public:
  /// \param Calls Gets the calls that waves execute.
  explicit CheckObserver(CallStacks &Calls) : Calls(Calls) {}
  /// Adds a check, unless it doesn't look at instructions. It must outlive
  /// this.
  void add(Check &C);

  /// Whether \a W is observed.
  bool looksAt(const WaveInfo &W) const {
    return !Entries.empty() && W.Kernel->IsChecked;
  }
  /// Before \a W runs on \a On, whose observer this becomes, or nobody. The
  /// checks know already that it runs.
  void waveRuns(WaveInfo &W, isa::Executor &On);
  /// The wave that runs; null before the first.
  const WaveInfo *running() const { return Running; }
  /// A kernel of the program's runtime does something now: it is followed, but
  /// nothing is reported.
  bool isQuiet() const { return IsQuiet; }

private:
  bool needsAccesses(const isa::AccessBounds &B) override;
  bool needsRows(uint64_t PC) override;
  bool needsRegisters(isa::InstClass Class,
                      const std::vector<isa::RegisterRange> &Reads,
                      const std::vector<isa::RegisterRange> &Writes) override;
  uint64_t state() override;
  bool enters(const isa::StraightCode &Code, uint64_t Exec, uint64_t &State,
              isa::PlannedRows &Rows) override;
  bool mayGoOn(uint64_t State) override;
  void left(const isa::StraightCode &Last, size_t Steps, uint64_t Exec,
            uint64_t State, uint64_t Next,
            const isa::PlannedRows &Rows) override;
  isa::QuietRows quietRows() override {
    return QuietBy ? QuietBy->quietRows() : isa::QuietRows();
  }
  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  /// Bits of isa::observe for the wave that runs, at its next instruction.
  unsigned wants() const;
  /// The same for translated code.
  unsigned translatedWants();
  void setWants();

  /// A check that looks at instructions.
  struct Entry {
    Check *Of = nullptr;
    isa::Observer *By = nullptr;
    unsigned Wants = 0;      ///< Check::observes() of the running wave
    unsigned Translated = 0; ///< Check::translatedObserves()
  };
  /// So many checks can allow translated code, with 32 bits each of a state.
  static constexpr size_t MostGuards = 2;

  CallStacks &Calls;
  std::vector<Entry> Entries;
  llvm::SmallVector<Entry, 2> Guards; ///< those that allow translated code
  isa::Observer *QuietBy = nullptr;   ///< the one with observe::QuietRows
  bool Varies = false;                ///< Check::observesVary() of any
  isa::Executor *RunsOn = nullptr;    ///< the running wave's
  unsigned Wants = 0;                 ///< what the running wave is observed for
  WaveInfo *Running = nullptr;
  bool IsQuiet = false;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CHECKOBSERVER_H
