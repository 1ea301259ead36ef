//===-- Trace.h - a sequence of instructions to translate -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace begins where code is often entered, and follows it: through branches
// that always go one way, and past conditional ones, which leave it. It is
// translated for one MODE and one number of registers.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_TRACE_H
#define WAVELANE_SIMULATOR_ISA_TRACE_H

#include "Core.h"
#include "wavelane/Simulator/ISA/Observer.h"

#include <atomic>
#include <memory>
#include <vector>

namespace wavelane::isa {

/// What an instruction does to the PC.
enum class Flow : uint8_t {
  Straight,    ///< goes on with the next one, or stops the wave
  Branch,      ///< goes to a constant address
  Conditional, ///< goes there, or on
  Indirect,    ///< goes to an address in registers
  Apart, ///< is left to the interpreter: it changes how others execute, or
         ///< always ends a run
};
Flow flowOf(const Inst &I);
/// Where a branch at \a PC goes.
inline uint64_t branchTarget(const Inst &I, uint64_t PC) {
  return PC + 4 + int64_t(I.Imm) * 4;
}
/// Whether \a I is a branch that goes back when it is taken.
inline bool goesBack(const Inst &I) { return I.IsBranch && I.Imm < 0; }

/// Straight code that an observer must have allowed (Observer::enters).
struct TracePart {
  size_t First = 0; ///< of Trace::Steps
  StraightCode Code;
  /// What was allowed last.
  uint64_t Exec = 0, State = 0, Next = 0;
  uint8_t IsAllowed = false;
  PlannedRows Rows;
};

struct Trace {
  static constexpr size_t MaxSteps = 128;

  struct Step {
    Inst I;
    uint64_t PC;
    /// It must be reported to an observer, and so must its accesses of rows of
    /// private memory.
    bool IsObserved = false, ObservesRows = false;
    /// Global memory that it has accessed in the present epoch.
    mutable MemorySpan Span = {};
  };
  /// Within a page.
  struct Piece {
    uint64_t Address;
    std::vector<uint8_t> Bytes;
  };

  std::vector<Step> Steps;
  std::vector<TracePart> Parts; ///< with observe::Guards
  std::vector<Piece> Pieces;    ///< the code, as it was read
  uint64_t End = 0;             ///< where it goes on after the last step
  Target Which{};
  unsigned Lanes = 64;
  uint32_t Mode = 0;
  uint32_t AccumOffset = 0, VGPRCount = 0; ///< of the wave
  unsigned Wants = 0; ///< what an observer wants, as bits of observe::
  /// Of the machine: local memory is then left to handlers.
  bool LocalRangeFaults = false, LanesReversed = false;
  /// Executes an instruction that is reported.
  Handler Notify = nullptr;
  enum RowResult : uint32_t { GoesOn, LeavesBefore, LeavesBehind, StopsWave };
  /// Executes step \a S, row \a R of the part that was entered last.
  /// \param IsRow  All active lanes access \a Dword of private memory, in
  /// dwords.
  RowResult (*Row)(Machine &, const Step &S, const StraightCode::Row &R,
                   uint32_t IsRow, uint64_t Dword) = nullptr;
  /// Asks whether a part may be executed: 0 if not.
  uint32_t (*Ask)(Machine &, TracePart &) = nullptr;

  enum Exit : uint32_t {
    Left,
    Back,   ///< by a branch that goes back
    Stopped ///< An instruction has stopped the machine: it isn't counted, and
            ///< the wave's PC is undefined.
  };
  /// Executes it, once or, if it ends where it begins, several times. \a Done
  /// is advanced by the instructions executed and must have room for all steps
  /// before \a Limit. From \a Budget on, it doesn't branch back.
  using Entry = Exit (*)(Machine *, WaveState *, uint32_t *Vectors,
                         uint64_t *Done, uint64_t Budget, uint64_t Limit);
  /// Null until it has been translated.
  std::atomic<Entry> Code{nullptr};
  /// How often it would have been entered: the most wanted is translated first.
  std::atomic<uint32_t> Wanted{0};
  /// When its code was last compared with memory, as
  /// Executor::Impl::EpochNumber.
  uint64_t CheckedIn = 0;
  unsigned Misses = 0; ///< how often its code was another one since it ran
  /// Another one that begins there, for another MODE or number of registers.
  std::shared_ptr<Trace> Next;

  uint64_t begin() const { return Steps.front().PC; }
  /// Memory may be elsewhere from now on.
  void forgetSpans() const {
    for (const Step &S : Steps)
      S.Span = MemorySpan();
  }
};

/// Adds \a S, which \a Code will have next, to its rows if it may be one.
void addRow(StraightCode &Code, const Trace::Step &S, const Trace &T);
/// Divides the steps of \a T into parts.
void makeParts(Trace &T);

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_TRACE_H
