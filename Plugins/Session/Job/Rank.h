//===-- Rank.h - one process of a job ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_RANK_H
#define WAVELANE_SESSION_JOB_RANK_H

#include "Session/Coupling/GPUCoupling.h"
#include "wavelane/Protocol/Job/JobMessages.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace lldb_private {
namespace wavelane {

/// A process that a launcher has started: a host target, and a GPU target from
/// when it uses its GPU. Its Job locks it.
struct Rank {
  enum class State { Connecting, Stopped, Running, Ended };

  explicit Rank(const ::wavelane::job::Registration &registration)
      : registration(registration) {}
  ~Rank();
  Rank(const Rank &) = delete;
  Rank &operator=(const Rank &) = delete;

  uint32_t GetNumber() const { return registration.Rank; }
  bool IsAlive() const { return state != State::Ended; }
  lldb::TargetSP GetTarget() const { return target_wp.lock(); }
  lldb::ProcessSP GetProcess() const;
  /// The GPU's process; null unless it is alive.
  lldb::ProcessSP GetGPU() const;
  /// The side that a user looks at: the one that was selected last, or whose
  /// stop has a reason.
  lldb::TargetSP GetShownTarget() const;

  const ::wavelane::job::Registration registration;
  State state = State::Connecting;
  /// The connection of its lldb-server.
  int fd = -1;
  lldb::TargetWP target_wp;
  std::shared_ptr<GPUCoupling> coupling_sp;
  bool shows_gpu = false;
  /// A core file, which can only be looked at.
  bool is_core = false;
  /// Reads the events of both sides' processes: while LLDB takes the host's
  /// stop, it waits for the GPU's, and other ranks mustn't wait for that.
  std::thread reader;
  lldb::ListenerSP listener_sp;
  /// Since when both sides stand, although it runs. Of the reader.
  std::optional<std::chrono::steady_clock::time_point> standing_since;
  /// The host's last stop that the job has taken. Of the reader.
  std::optional<uint32_t> taken_stop;
  /// The host's stop at which the program's own thread was selected.
  std::optional<uint32_t> placed_stop;
  /// The host's stop at which its threads and waves were looked at.
  std::optional<uint32_t> looked_stop;
  /// Whether it has stopped for more than an interrupt.
  bool has_reason = false;
  /// Whether it was interrupted since it runs, and in the run before. An
  /// interrupt that crosses a stop stops it once more later.
  bool is_interrupted = false, may_stop_again = false;
  /// Stops of a job are numbered: which was first.
  uint64_t stop_number = 0;
  /// How it has ended: "exited with status 1".
  std::string end;
  bool ended_well = false;
};

/// "0-2,5", of sorted numbers.
std::string FormatRanks(const std::vector<uint32_t> &numbers);
/// "rank 3", "ranks 0-2,5".
std::string NameRanks(const std::vector<uint32_t> &numbers);

} // namespace wavelane
} // namespace lldb_private

#endif
