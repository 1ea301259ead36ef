//===-- Stop.h - why a thread of a program has stopped ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stop is this record from where its facts are, the server, to where it is
// shown: in stop replies (StoppedWaves.h), with a thread's reason in LLDB
// (SBThread::GetStopReasonExtendedInfoAsJSON, a StopInformation), and in
// commands' JSON. Only describe() makes text of it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_STOP_H
#define WAVELANE_PROTOCOL_SERVER_STOP_H

#include "wavelane/Protocol/Fields.h"
#include <cstdint>
#include <tuple>
#include <vector>

namespace wavelane::protocol {

enum class StopKind : uint8_t {
  Breakpoint,
  Trace,
  Watchpoint,
  Interrupt,
  HistoryBoundary, ///< nothing is recorded before or after
  Finding,         ///< of a check, in front of what it objects to
  MemoryViolation,
  AddressError,
  MemoryError, ///< ECC
  IllegalInstruction,
  FloatingPointException,
  DivisionByZero, ///< of integers
  AssertionOrAbort,
  FatalHalt,
  DebugTrap,
  Trap,
  WithGPU, ///< a thread of the host that has stopped because waves have
};
llvm::ArrayRef<Word<StopKind>> getWords(StopKind);

/// Of an access that has hit several watchpoints: one of them.
struct WatchedAccess {
  uint64_t Watched = 0; ///< the address that the client asked to watch
  LaneMask Lanes;       ///< those that accessed it, if that is known

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("watched", S.Watched);
    F("lanes", S.Lanes, LaneMask());
  }
  bool operator==(const WatchedAccess &Other) const {
    return std::tie(Watched, Lanes.Bits) ==
           std::tie(Other.Watched, Other.Lanes.Bits);
  }
  bool operator<(const WatchedAccess &Other) const {
    return std::tie(Watched, Lanes.Bits) <
           std::tie(Other.Watched, Other.Lanes.Bits);
  }
};

/// A stop. What isn't known, or has no meaning for its kind, is left out.
struct Stop {
  StopKind Kind = StopKind::Trap;
  /// As in a stop reply of gdb-remote; 0: none.
  uint8_t Signal = 0;
  /// What kind of a floating-point exception: "overflow".
  std::string Detail;
  /// The number of the check's finding, 1 for the first.
  std::optional<uint64_t> Finding;
  /// LLDB's number of the watchpoint, which the server doesn't know,
  std::optional<uint64_t> Watchpoint;
  /// and the address that the client asked to watch.
  std::optional<uint64_t> Watched;
  /// If there are several, all of them, with that one.
  std::vector<WatchedAccess> AllWatched;
  /// What couldn't be accessed: a global address, or one in the apertures of
  /// local and private memory.
  std::optional<uint64_t> Address;
  /// The lanes that caused the stop,
  LaneMask Lanes;
  /// and those on the other side of a finding.
  LaneMask OtherLanes;
  /// Of the instruction that the kind is about.
  std::optional<uint64_t> PC;
  std::string Instruction;
  std::string Kernel, Processor;
  /// What a check has found, or why there is nothing before or after.
  std::string Explanation;
  /// The wave waits at a barrier while it is interrupted.
  bool WaitsAtBarrier = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("kind", S.Kind);
    F("signal", S.Signal, 0);
    F("detail", S.Detail, "");
    F("finding", S.Finding);
    F("watchpoint", S.Watchpoint);
    F("watched", S.Watched);
    F("all_watched", S.AllWatched, std::vector<WatchedAccess>());
    F("address", S.Address);
    F("lanes", S.Lanes, LaneMask());
    F("other_lanes", S.OtherLanes, LaneMask());
    F("pc", S.PC);
    F("instruction", S.Instruction, "");
    F("kernel", S.Kernel, "");
    F("processor", S.Processor, "");
    F("explanation", S.Explanation, "");
    F("waits_at_barrier", S.WaitsAtBarrier, false);
  }
  bool operator==(const Stop &Other) const;
  bool operator<(const Stop &Other) const;
};

/// The extended information of a thread's stop reason. Other reasons of LLDB
/// have other keys.
struct StopInformation {
  std::optional<protocol::Stop> Stop;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("stop", S.Stop);
  }
};

/// Whether LLDB shows it as an exception: not a breakpoint, step, watchpoint,
/// interrupt or boundary.
bool isException(StopKind Kind);

/// "memory violation at 0x10 (lanes 0-3), 'global_load_dword ...'": everything
/// that is known.
std::string describe(const Stop &Stop);
/// "floating-point exception: overflow", "finding 3": in place of a name.
std::string describeKind(const Stop &Stop);

/// "0-3,7".
std::string formatLanes(uint64_t Lanes);

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_STOP_H
