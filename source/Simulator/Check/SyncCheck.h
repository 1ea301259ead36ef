//===-- SyncCheck.h - barriers and deadlocks --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier is wrong if waves of a workgroup wait at different ones, or if
// lanes that aren't active at it are active again later: a lane that has
// returned from the kernel doesn't wait, on any GPU. So a wave that ends
// without a barrier that others pass is wrong only if it has accessed local
// memory in a line after it, and lanes that do nothing after a barrier that
// they have missed are if they have accessed memory in a line after it. What
// they do afterwards in a line before it may be what they do before they
// return: compilers put branches in any order.
//
// A deadlock: each wave waits at a barrier or spins, which means that it comes
// back to an instruction with the same registers while nothing in memory has
// changed. Waves are only observed now and then while they run for long: first
// only whether they load from one place again, then fully, and all the time
// once all of them seem to spin. Global memory may also be
// written by a kernel that the host hasn't launched yet, unless it waits.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_SYNCCHECK_H
#define WAVELANE_SIMULATOR_CHECK_SYNCCHECK_H

#include "Blocks.h"
#include "Check.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace wavelane::check {

class SyncCheck : public Check, private isa::Observer {
public:
  /// A place in the code: the program counter and Place::Stack.
  using CodePlace = std::pair<uint64_t, uint32_t>;
  /// Where the first is in the source of the kernel, seen from the second.
  enum class SourceOrder {
    Unknown, ///< not in one function, or without debug information
    Before,  ///< in an earlier line or column
    Same,
    After,
    Merged, ///< in several lines, so that it has none
  };
  using Compare = std::function<SourceOrder(CodePlace, CodePlace)>;

  /// \param IsCode Whether an address is in a code object, as that of a
  ///     __device__ variable.
  SyncCheck(Reporter &R, const Blocks &Memory, Compare InSource = {},
            std::function<bool(uint64_t Address)> IsCode = {})
      : R(R), Memory(Memory), InSource(std::move(InSource)),
        IsCode(std::move(IsCode)) {}

  isa::Observer *observer() override { return this; }
  void launchEnds(const LaunchRef &L) override { Begun.erase(L.get()); }
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;
  void arrives(const WaveInfo &W, uint64_t PC, bool Grid) override;
  void released(const WaveInfo &W, bool Grid) override;

  unsigned observes() const override;
  /// Private memory doesn't matter.
  bool needsRows(uint64_t) override { return false; }
  bool needsAccesses(const isa::AccessBounds &B) override;
  /// Whether no wave can go on; reports it, with a sentence in \a Why.
  /// \param NowNs The time in nanoseconds.
  bool isStuck(uint64_t NowNs, llvm::function_ref<HostState()> Host,
               std::string &Why);

private:
  /// A barrier that lanes have missed.
  struct Barrier {
    uint64_t PC = 0;
    uint32_t Stack = 0; ///< Place::Stack
    uint64_t Reached = 0, Missed = 0;
  };
  /// Accesses of local memory by a wave, and writes by some of its lanes.
  struct Access {
    CodePlace At;
    uint64_t Lanes = 0; ///< when it was first there
    uint64_t Round = 0; ///< how many barriers it had passed when it last was
    bool IsLocal = false, Writes = false;
  };
  /// What lanes that have missed a barrier have done afterwards.
  struct RunOn {
    Barrier Of;
    CodePlace At;
    uint64_t Lanes = 0; ///< 0: nothing
  };
  /// Waves of a workgroup that end without a barrier that others pass.
  struct Facts;
  struct Group {
    std::vector<Facts *> Waves; ///< that haven't ended
    unsigned Waiting = 0;       ///< at a barrier of the workgroup
    bool IsFirst = false;       ///< one of the first of its launch
    std::vector<std::pair<WaveInfo, std::vector<Access>>> Ended;
  };
  struct Facts {
    const WaveInfo *Wave = nullptr;
    Group *Of = nullptr;
    std::vector<Access> Accesses; ///< each place once
    uint64_t Round = 0;           ///< how many barriers it has reached
    uint64_t AllLanes = 0;        ///< active in the beginning
    /// Waiting at a barrier.
    bool IsWaiting = false, IsAtGrid = false;
    uint64_t BarrierPC = 0;
    uint32_t BarrierStack = 0;
    /// Lanes that weren't active at the last barrier.
    uint64_t Missed = 0;
    std::vector<Barrier> MissedBarriers; ///< in order, each once
    /// It is wrong if there is another barrier.
    RunOn Doubt;
    /// How often it was run since it last was at a barrier.
    uint64_t Runs = 0;
    /// A load of shared memory, and where it was. Whether the wave has come
    /// back to it, and that it doesn't spin there, since it was observed first.
    uint64_t LoadPC = 0, LoadBegin = 0, LoadEnd = 0;
    bool ComesBack = false, DoesntSpin = false;
    bool IsWatched = false; ///< fully observed in this run
    /// The load to which it comes back, and the state there.
    uint64_t SpinPC = 0, SpinHash = 0, SpinChanges = 0;
    uint32_t SpinStack = 0;
    uint64_t PrivateWrites = 0; ///< a hash of those since it was there
    unsigned RunsWithoutSpin = 0;
    unsigned Returns = 0; ///< how often it came back with the same state
    Space SpinSpace = Space::None;
    uint64_t SpinAddress = 0, SpinLanes = 0, SpinValue = 0;
    uint32_t SpinSize = 0;
  };
  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  bool isSuspect() const;
  void noteLoad(uint64_t PC, uint64_t Begin, uint64_t End);
  void noteLoad(const isa::ObservedInstruction &I);
  bool checkMissed(const isa::ObservedInstruction &I);
  bool reportMissed(const WaveInfo &W, const RunOn &By);
  SourceOrder order(CodePlace A, CodePlace B);
  bool followsAccesses() const;
  bool isNoted(CodePlace At);
  void open(const WaveInfo &W, Facts &F, bool Grid, const Facts *&First);
  void noteAccess(const isa::ObservedInstruction &I);
  void checkEnded(Group &G, const Facts &At);
  void checkBranch(const WaveInfo &W, const Facts &F);
  void lookForSpin(const isa::WaveState &Wave,
                   const isa::ObservedInstruction &I);
  bool isSpinning(const Facts &F) const {
    return F.Returns >= 2 && F.SpinChanges == Changes;
  }
  /// Who of the host may write what a wave waits for, other than by calls that
  /// wait for the device.
  enum class HostWrites {
    Never,
    OwnThreads, ///< the program's: none if all wait for the device
    Any,        ///< other processes, too
  };
  HostWrites hostWrites(const Facts &F) const;
  Finding describe() const;
  void describeSpin(const Facts &F, Finding &Out) const;

  Reporter &R;
  const Blocks &Memory;
  const Compare InSource;
  const std::function<bool(uint64_t)> IsCode;
  std::map<std::pair<CodePlace, CodePlace>, SourceOrder> Orders; ///< known ones
  std::map<uint64_t, Group> Groups;                              ///< by number
  std::map<uint64_t, Facts> Waves;         ///< live, by number
  llvm::DenseMap<uint64_t, Facts *> Found; ///< the same
  Facts *Current = nullptr;
  std::map<const Launch *, uint64_t> Begun; ///< waves
  bool WatchesAll = false;
  uint64_t NotedLoad = 0;   ///< the last load that needsAccesses() has noted
  uint64_t Changes = 0;     ///< of memory, by observed instructions
  uint64_t StuckSince = 0;  ///< in ns; 0: not stuck
  std::vector<uint8_t> Old; ///< the bytes before a store
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_SYNCCHECK_H
