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
#include "Blocks.h"
#include "Check.h"
#include "StreamOrder.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include <functional>
#include <map>

namespace wavelane::check {

class RaceCheck : public Check, private isa::Observer {
public:
  /// What the source says of the instruction at an address; null if there is
  /// none.
  using SourceQuestion = std::function<bool(uint64_t PC)>;
  struct SourceFacts {
    SourceQuestion ReadsVolatile, WritesVolatile; ///< an object
    /// An atomic is of the device: atomicAdd, not atomicAdd_system.
    SourceQuestion IsOfDevice;
  };

  /// \param Limit Of the memory for shadows of global memory, in bytes.
  RaceCheck(Reporter &R, const Blocks &Memory, uint64_t Limit,
            SourceFacts Source = {})
      : R(R), Memory(Memory), Source(std::move(Source)), Global(Limit) {}

  isa::Observer *observer() override { return this; }
  unsigned observes() const override { return isa::observe::Accesses; }
  /// Private memory doesn't matter.
  bool needsRows(uint64_t) override { return false; }
  void launchBegins(const LaunchRef &L) override;
  void launchEnds(const LaunchRef &L) override;
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;
  void released(const WaveInfo &W, bool Grid) override;
  void copied(const CopyInfo &C) override;
  uint64_t shadowBytes() const override {
    return std::max(MostShadows, bytes());
  }
  /// \return false if the note is malformed.
  bool ordered(const simulator::OrderNote &N);
  /// The host may access memory that kernels access, and is seen.
  void followHost() { Streams.followHost(); }
  /// Whether an access of the host's matters.
  bool concernsHost(uint64_t Address) const;
  /// The host itself has accessed the byte at \a Address.
  void hostAccessed(uint64_t Address, bool Writes, std::vector<uint64_t> Stack);

private:
  /// A range that a copy or a fill has accessed.
  struct Copy {
    StreamOrder::Operation Op;
    uint64_t Begin, End;
    bool Writes;
    CopyInfo Info;
    bool IsHost = false; ///< no copy, but an access of the host itself
    /// Of its rows, if there are several; bytes.
    uint64_t Width = 0, Pitch = 0;

    bool touches(uint64_t First, uint64_t Limit) const;
    bool touches(const Copy &Other) const;
  };
  /// Of other waves, the time up to which this one knows their accesses.
  using Clocks = llvm::DenseMap<uint32_t, uint32_t>;

  /// A place that atomics change.
  struct AtomicPlace {
    /// What its atomics have released, of few waves in most places.
    llvm::SmallDenseMap<uint32_t, uint32_t, 4> Released;
    /// An ordinary store, whose stamp in the shadow an atomic has replaced.
    Stamp Plain;
  };
  using AtomicPlaces = llvm::DenseMap<uint64_t, AtomicPlace>;

  /// What passes a barrier.
  struct BarrierClocks {
    Clocks Known, Seen, Settled;
  };
  struct Group {
    std::vector<uint32_t> Waves; ///< that haven't ended
    BarrierClocks Arrived;       ///< of the waves that have arrived
    BarrierClocks Open;          ///< when the barrier opened last
    AccessShadow Local{~uint64_t(0)};
    AtomicPlaces Atomics; ///< by LDS offset
  };
  struct LaunchOrder {
    StreamOrder::Operation Op;
    std::vector<std::shared_ptr<const Copy>> Unordered; ///< copies
    bool HasEnded = false;
    /// It exchanges data with the host while it runs: by atomics, volatile
    /// objects or fences in memory of the host. What that orders isn't known.
    bool TalksToHost = false;
    BarrierClocks Arrived;
    AtomicPlaces Atomics;     ///< by address
    uint64_t AtomicBytes = 0; ///< the memory of Atomics
    /// Atomics is full: what orders accesses of global memory isn't known.
    bool HasLostAtomics = false;
  };
  struct DoubtfulAccess {
    isa::LaneAccess A;
    uint32_t At; ///< a site
    uint64_t Exec;
    Stamp Other;
    bool OfVolatile = false; ///< only if the object is volatile
  };
  /// Where a wave has first seen, by an ordinary load that no cache answers,
  /// what another one has written: a flag.
  struct Signal {
    uint64_t Address = 0;
    uint32_t At = 0; ///< a site
  };
  struct WaveOrder {
    WaveInfo Info; ///< a copy, since findings may name ended waves
    uint32_t Clock = 1;
    Clocks Known;
    /// What an atomic has seen, until the wave's caches are invalidated.
    Clocks Seen;
    /// The part of it that has reached memory: its waves have waited. Only a
    /// cache that isn't invalidated may have older data, for ordinary reads.
    Clocks Settled;
    /// By wave, as long as its writes are only seen.
    llvm::DenseMap<uint32_t, Signal> Signals;
    bool LeavesBarrier = false, LeavesGrid = false;
    /// Stores that may not have been done: nothing has waited for them.
    bool HasOpenStores = false;
    bool HasFenced = false;    ///< since it began
    bool WritesToHost = false; ///< memory that the host uses
    /// Ordinary reads of what others change by atomics. They are good at the
    /// beginning of a loop of compare-and-swap. And volatile reads of what
    /// another wave has written before its flag, which are good in front of a
    /// fence.
    std::vector<DoubtfulAccess> DoubtfulAccesses;
  };

  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;

  bool compareLanes(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I);
  bool look(const isa::WaveState &Wave, const isa::ObservedInstruction &I,
            const isa::LaneAccess &A);
  /// For the lanes of a plain load.
  struct KnownRead {
    Stamp Present; ///< without a lane
    /// Another read, and whether it is before, or doesn't concern, this load.
    uint32_t Wave = 0, Clock = 0;
    bool IsPast = false;
  };
  inline bool noteRead(const isa::LaneAccess &A, KnownRead &Known);
  /// \param Bytes A bit for each byte of the dword at \p Dword.
  bool lookAt(const isa::WaveState &Wave, const isa::ObservedInstruction &I,
              const isa::LaneAccess &A, uint64_t Dword, Cell &C, unsigned Bytes,
              AccessKind Kind);
  AtomicPlaces &atomicPlaces(const isa::LaneAccess &A);
  AtomicPlace *atomicPlace(const isa::LaneAccess &A);
  bool comparePlain(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I,
                    const isa::LaneAccess &A);
  uint64_t bytes() const;
  bool report(const isa::WaveState &Wave, uint32_t Site, uint64_t Exec,
              const isa::LaneAccess &A, const Stamp &Other);
  void reportDoubts();
  void seeStore(const isa::LaneAccess &A, const Stamp &Write, uint64_t Exec);
  void seeAll();
  /// Whether \a S comes before an access of \a Kind by this wave.
  bool isOrdered(const Stamp &S, AccessKind Kind) {
    if (S.Wave == 0 || S.Wave == Me)
      return true;
    const OtherWave &O = other(S.Wave);
    return (Kind == AccessKind::Read ? O.Clock : O.Settled) >= S.Clock;
  }
  /// Whether no stream orders the access of \a S before this launch.
  bool concerns(const Stamp &S) { return other(S.Wave).Concerns; }
  bool concerns(uint32_t OtherWave) const;
  /// What is known of another wave during the present instruction.
  struct OtherWave {
    uint32_t Wave = 0;
    uint32_t Clock = 0;   ///< up to which its accesses are known
    uint32_t Settled = 0; ///< the same, but for ordinary reads
    bool Concerns = false;
  };
  const OtherWave &other(uint32_t Wave) {
    OtherWave &O = Others[Wave % std::size(Others)];
    if (O.Wave != Wave) {
      const uint32_t Known = Current->Known.lookup(Wave);
      O = {Wave, Known, std::max(Known, Current->Settled.lookup(Wave)),
           concerns(Wave)};
    }
    return O;
  }
  void forgetSettled();
  bool isOfDevice(uint64_t PC) const;
  void compare(const Copy &C);
  bool compareCopies(const isa::LaneAccess &A,
                     const isa::ObservedInstruction &I);
  bool compareWith(const Copy &C, const isa::LaneAccess &A,
                   const isa::ObservedInstruction &I);
  bool compareHost(const isa::LaneAccess &A, const isa::ObservedInstruction &I);
  void noteTalk(const isa::LaneAccess &A);
  /// Looks for a copy that isn't ordered before \a C.
  void compareCopies(const Copy &C);
  void reportCopies(const Copy &Later, const Copy &C);
  void reportCopy(const Copy &C, const Stamp &Other, uint64_t Address);
  void synchronize(const isa::ObservedInstruction &I, const isa::LaneAccess &A);
  template <typename Map> void release(Map &To);
  void arrive(BarrierClocks &At);
  static void leave(WaveOrder &W, const BarrierClocks &At);
  template <typename To, typename From>
  static void join(To &Mine, const From &Theirs) {
    for (const auto &[Wave, Clock] : Theirs) {
      uint32_t &Known = Mine[Wave];
      Known = std::max(Known, Clock);
    }
  }

  Reporter &R;
  const Blocks &Memory;
  const SourceFacts Source;
  StreamOrder Streams;
  std::vector<std::shared_ptr<const Copy>> Copies; ///< that may matter
  /// Accesses of the host while a kernel runs or is about to, by dword: the
  /// last, or the last write.
  llvm::DenseMap<uint64_t, std::shared_ptr<const Copy>> OfHost;
  llvm::DenseMap<uint32_t, bool> VolatileSites; ///< known ones
  AccessShadow Global;
  uint64_t MostShadows = 0; ///< bytes of Global before it was cleared last
  Sites Places;
  uint32_t Here = 0; ///< the site of the present instruction
  llvm::DenseMap<uint32_t, std::unique_ptr<WaveOrder>> Waves; ///< by number
  uint64_t KnownByEnded = 0; ///< clocks that ended waves keep
  llvm::DenseMap<uint64_t, std::unique_ptr<Group>> Groups; ///< by number
  std::map<uint64_t, LaunchOrder> Launches;                ///< by number
  WaveOrder *Current = nullptr;
  Group *OfCurrent = nullptr;
  LaunchOrder *OfLaunch = nullptr;
  uint32_t Me = 0; ///< the number of Current
  OtherWave Others[4];
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_RACECHECK_H
