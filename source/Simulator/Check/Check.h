//===-- Check.h - what a check observes and where it reports ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check observes kernels while they run. It sees instructions by the ISA's
// observer, and by the hooks here what only the device knows. Without a check
// the device has no CheckSession and calls nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_CHECK_H
#define WAVELANE_SIMULATOR_CHECK_CHECK_H

#include "Finding.h"

#include "wavelane/Simulator/ISA/ISA.h"
#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <bitset>

namespace wavelane::check {

/// What the program's threads do, which could give the device more work.
enum class HostState {
  Runs,   ///< none waits for the device
  MayRun, ///< some may wait
  Waits,  ///< all do
};

/// The address space of an access.
inline Space spaceOf(isa::LaneAccess::Space In) {
  return In == isa::LaneAccess::Global  ? Space::Global
         : In == isa::LaneAccess::Local ? Space::Local
                                        : Space::Private;
}

/// A wave of a launch; valid until waveEnds().
struct WaveInfo {
  LaunchRef Kernel;
  uint64_t Number = 0;      ///< of the wave; never the same twice
  uint64_t GroupNumber = 0; ///< of its workgroup; never the same twice
  uint32_t Workgroup[3] = {};
  uint32_t GroupSize[3] = {}; ///< in work-items
  unsigned WaveInGroup = 0;
  unsigned WavesInGroup = 0;
  const isa::WaveState *State = nullptr;
  uint32_t Stack = 0; ///< the functions that it is in, of CallStacks
  /// The general registers that it began with; the first vector registers.
  std::bitset<isa::scalar::Count> SetScalars;
  unsigned SetVectors = 0;
  /// It has begun before it could be looked at: all of its registers and its
  /// memory count as written.
  bool HasBegun = false;

  /// For a finding at \a PC.
  Place at(uint64_t PC, uint64_t Lanes,
           AccessKind Access = AccessKind::None) const {
    Place P;
    P.Kernel = Kernel;
    P.PC = PC;
    std::copy(Workgroup, Workgroup + 3, P.Workgroup);
    std::copy(GroupSize, GroupSize + 3, P.GroupSize);
    P.WaveInGroup = WaveInGroup;
    P.Stack = Stack;
    P.Lanes = Lanes;
    P.Access = Access;
    return P;
  }
};

/// A copy or a fill by the host or by a copy engine. For what orders streams,
/// what allocates and frees memory in a stream is as a fill of it.
struct CopyInfo {
  enum Call : uint8_t { Copies, Allocates, Frees } Does = Copies;
  uint64_t To = 0;
  uint64_t From = 0; ///< 0: a fill
  uint64_t Size = 0; ///< bytes, of a row
  uint64_t Rows = 1;
  uint64_t ToPitch = 0, FromPitch = 0; ///< the distances of rows, in bytes
  uint32_t Queue = 0;
  std::vector<uint64_t> HostStack;
};

/// Where checks report. Findings of the same key are counted; only the first is
/// described.
class Reporter {
public:
  virtual ~Reporter() = default;
  /// \param Lanes How many lanes did it this time, to be counted.
  /// \param Describe Called if the finding is new and is to be shown.
  /// \return true if the wave should stop at the instruction, in front of a
  ///     debugger.
  virtual bool report(const FindingKey &Key, unsigned Lanes,
                      llvm::function_ref<Finding()> Describe) = 0;
  /// For the list of what wasn't checked, at the end. A sentence.
  virtual void notChecked(const std::string &What) = 0;
};

class Check {
public:
  virtual ~Check() = default;

  /// Null if it doesn't look at instructions.
  virtual isa::Observer *observer() { return nullptr; }
  /// What the wave that runs now is observed for, as bits of isa::observe: all,
  /// unless a check does with less.
  virtual unsigned observes() const {
    return isa::observe::Accesses | isa::observe::Registers |
           isa::observe::Rows;
  }
  /// The same for translated code. With observe::Guards, the observer allows
  /// it; otherwise no code of a wave that is observed for registers is
  /// translated.
  virtual unsigned translatedObserves() const { return observes(); }
  /// Whether observes() changes while a wave runs.
  virtual bool observesVary() const { return false; }
  // With observe::Guards; a state has 32 bits.
  /// The instruction observed next is in translated code, in \a State.
  virtual void setState(uint64_t /*State*/) {}
  /// What translated code reports, for all checks together.
  virtual void setReports(unsigned /*Bits*/) {}

  virtual void launchBegins(const LaunchRef &) {}
  virtual void launchEnds(const LaunchRef &) {}
  virtual void waveBegins(const WaveInfo &) {}
  virtual void waveEnds(const WaveInfo &) {}
  /// The next instructions are of \a W, until the next call.
  virtual void waveRuns(const WaveInfo &W) { Now = &W; }
  /// \a W has arrived at a barrier with its instruction at \a PC.
  virtual void arrives(const WaveInfo &, uint64_t /*PC*/, bool /*Grid*/) {}
  /// All that wait at the barrier go on. \a W is one of the workgroup.
  virtual void released(const WaveInfo &, bool /*Grid*/) {}

  virtual void allocated(const AllocationRef &) {}
  virtual void freed(const AllocationRef &) {}
  virtual void copied(const CopyInfo &) {}
  /// What a copy engine does for the program's runtime. \p From is 0 for a
  /// fill.
  virtual void moved(uint64_t /*To*/, uint64_t /*From*/, uint64_t /*Size*/) {}
  /// The program has ended.
  virtual void finish() {}
  /// The largest size of its shadows of global memory, in bytes.
  virtual uint64_t shadowBytes() const { return 0; }

protected:
  const WaveInfo *Now = nullptr; ///< the wave that runs
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CHECK_H
