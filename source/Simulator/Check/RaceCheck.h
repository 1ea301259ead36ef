//===-- RaceCheck.h - accesses that aren't ordered --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses of one place by different waves, one of them a write, race
// unless something orders them: a barrier, or an atomic of one place that the
// first wave executes when its writes are done, and that the second sees before
// it reads. The order is kept in vector clocks (FastTrack, Flanagan and Freund,
// PLDI 2009). A wave's own instructions are in order, as on the hardware.
//
// Source of what releases and acquires: LLVM's AMDGPUUsage, "Memory Model".
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_RACECHECK_H
#define WAVELANE_SIMULATOR_CHECK_RACECHECK_H

#include "AccessShadow.h"
#include "Check.h"

#include "wavelane/Simulator/Observer.h"

namespace wavelane::check {

class RaceCheck : public Check, private isa::Observer {
public:
  /// \param Limit Of the memory for shadows of global memory, in bytes.
  explicit RaceCheck(Reporter &R, uint64_t Limit = DefaultLimit)
      : R(R), Global(Limit) {}
  static constexpr uint64_t DefaultLimit = uint64_t(512) << 20;

  isa::Observer *observer() override { return this; }
  void launchBegins(const LaunchRef &L) override;
  void launchEnds(const LaunchRef &L) override;
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;
  void released(const WaveInfo &W, bool Grid) override;

private:
  /// Of other waves, the time up to which this one knows their accesses.
  using Clocks = llvm::DenseMap<uint32_t, uint32_t>;

  /// What passes a barrier.
  struct Meeting {
    Clocks Known, Seen;
  };
  struct Group {
    std::vector<uint32_t> Waves; ///< that haven't ended
    Meeting Arrived;             ///< of the waves that have arrived
    Meeting Open;                ///< when the barrier opened last
    AccessShadow Local{~uint64_t(0)};
    llvm::DenseMap<uint64_t, Clocks> Atomics; ///< by LDS offset
  };
  struct LaunchOrder {
    Meeting Arrived;
    llvm::DenseMap<uint64_t, Clocks> Atomics; ///< by address
  };
  struct Doubt {
    isa::LaneAccess A;
    uint64_t PC, Exec;
    Stamp Other;
  };
  struct WaveOrder {
    WaveInfo Info; ///< a copy, since findings may name ended waves
    uint32_t Clock = 1;
    Clocks Known;
    /// What an atomic has seen, until the wave's caches are invalidated.
    Clocks Seen;
    bool LeavesBarrier = false, LeavesGrid = false;
    /// Stores that may not have been done: nothing has waited for them.
    bool HasOpenStores = false;
    /// Ordinary reads of what others change by atomics. They are good at the
    /// beginning of a loop of compare-and-swap.
    std::vector<Doubt> Doubts;
  };

  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;

  bool compareLanes(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I);
  bool look(const isa::WaveState &Wave, const isa::ObservedInstruction &I,
            const isa::LaneAccess &A);
  bool lookAt(const isa::WaveState &Wave, const isa::ObservedInstruction &I,
              const isa::LaneAccess &A, Cell &C, unsigned Bytes,
              AccessKind Kind);
  bool tell(const isa::WaveState &Wave, uint64_t PC, uint64_t Exec,
            const isa::LaneAccess &A, const Stamp &Other);
  void tellDoubts();
  bool isOrdered(const Stamp &S) const {
    if (S.Wave == 0 || S.Wave == Me)
      return true;
    auto It = Current->Known.find(S.Wave);
    return It != Current->Known.end() && It->second >= S.Clock;
  }
  bool isOfThisLaunch(const Stamp &S) const;
  void synchronise(const isa::ObservedInstruction &I, const isa::LaneAccess &A);
  void release(Clocks &To);
  void arrive(Meeting &At);
  static void leave(WaveOrder &W, const Meeting &At);
  static void join(Clocks &To, const Clocks &From);

  Reporter &R;
  AccessShadow Global;
  llvm::DenseMap<uint32_t, std::unique_ptr<WaveOrder>> Waves; ///< by number
  llvm::DenseMap<uint64_t, std::unique_ptr<Group>> Groups;    ///< by number
  llvm::DenseMap<uint64_t, LaunchOrder> Launches;             ///< by number
  WaveOrder *Current = nullptr;
  Group *OfCurrent = nullptr;
  uint32_t Me = 0; ///< the number of Current
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_RACECHECK_H
